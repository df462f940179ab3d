"""What a page shows: formulas, tables, computed sentences. Figures are in draw.py.

Every function returns a Block, which a notebook cell displays.
"""

from .formulas import formula_latex, prediction, predictions
from .found import costs, found_against_true, rise, single_reads, size_found
from .hosts import cross_check, disk, distance, host, ruler, server
from .hosts import table as host_table
from .regimes import levels, levels_verdict
from .reported import among, among_curve, methods
from .tables import conditions, fits, line, spreads, table, tcp
from .verdicts import drives, plausibility, steadiness, verdict

__all__ = ["among", "among_curve", "conditions", "costs", "cross_check", "disk", "distance", "drives", "fits", "formula_latex",
           "found_against_true", "host", "host_table", "levels", "levels_verdict", "line", "methods", "plausibility",
           "prediction", "predictions", "rise", "ruler", "server", "single_reads", "size_found", "spreads", "steadiness",
           "table", "tcp", "verdict"]  # fmt: skip
