"""Executing the notebooks: which are out of date, their kernels, and what their cells gave."""
