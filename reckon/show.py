"""What a page shows: formulas, tables, computed sentences. Figures are in draw.py.

Every function returns a Block, which a notebook cell displays.
"""

from .formulas import formula_latex, prediction, predictions
from .regimes import levels, levels_verdict
from .reported import among, among_curve, methods
from .tables import conditions, fits, spreads, table
from .verdicts import plausibility, verdict

__all__ = ["among", "among_curve", "conditions", "fits", "formula_latex", "levels",
           "levels_verdict", "methods", "plausibility", "prediction",
           "predictions", "spreads", "table", "verdict"]  # fmt: skip
