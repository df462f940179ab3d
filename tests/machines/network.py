"""Made-up machines whose network differs."""
