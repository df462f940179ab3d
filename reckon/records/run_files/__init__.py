"""The files of a run: their format, reading and writing, locks, hashes that prove a change."""
