"""The cases of the chapters on memory."""

CASES = {}
