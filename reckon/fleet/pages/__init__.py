"""The pages of many machines and many readers."""
