"""Measuring: the C library through ctypes, the plan of a quantity, sampling, reuse of samples."""
