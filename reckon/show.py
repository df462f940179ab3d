"""What a page shows: formulas, tables, computed sentences. Figures are in draw.py.

Every function returns a Block, which a notebook cell displays.
"""

from .formulas import formula_latex, prediction, predictions
from .hosts import cross_check, disk, distance, host, ruler, server
from .hosts import table as host_table
from .regimes import levels, levels_verdict
from .reported import among, among_curve, methods
from .tables import conditions, fits, spreads, table, tcp
from .verdicts import plausibility, steadiness, verdict

__all__ = ["among", "among_curve", "conditions", "cross_check", "disk", "distance", "fits", "formula_latex", "host",
           "host_table", "levels", "levels_verdict", "methods", "plausibility", "prediction", "predictions", "ruler",
           "server", "spreads", "steadiness", "table", "tcp", "verdict"]  # fmt: skip
