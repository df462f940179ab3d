"""Made-up machines whose disk, file cache or file server differs."""
