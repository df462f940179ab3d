"""What several test modules use: one module each for a kind of thing that is tested."""
