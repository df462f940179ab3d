"""What this computer is, whether it is fit to be measured, and its disk."""
