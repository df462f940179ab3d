"""The expression tree of a prediction, its inputs with their origin, and formulas.

Pure: nothing here reads a run.
"""
