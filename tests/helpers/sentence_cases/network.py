"""The cases of the chapters on the network."""

CASES = {}
