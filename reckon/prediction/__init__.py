"""Predictions: the expression tree, inputs with their origin, formulas. Pure: nothing here reads a run."""
