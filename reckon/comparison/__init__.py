"""Comparing runs: two runs of one machine, or of several."""
