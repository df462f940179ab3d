"""The expression tree of a prediction, its inputs with their origin, formulas, and ratios.

Pure: nothing here reads a run.
"""
