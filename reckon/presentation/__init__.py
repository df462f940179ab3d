"""What a page shows: formulas, tables, computed sentences; `figures/` has its figures.

In notebooks it is `rk.show`. Every function returns a Block, which a notebook cell displays.
"""

from reckon.presentation.among_reports import among, among_curve, methods
from reckon.presentation.bounds import drives, plausibility
from reckon.presentation.capacities import costs, found_against_true, rise, single_reads, size_found
from reckon.presentation.drift import steadiness
from reckon.presentation.formulas import formula_latex, prediction, predictions
from reckon.presentation.hosts import cross_check, disk, distance, host, ruler, server
from reckon.presentation.hosts import table as host_table
from reckon.presentation.plateau_tables import levels, levels_verdict
from reckon.presentation.tables import conditions, fits, line, spreads, table, tcp
from reckon.presentation.verdicts import verdict

__all__ = [
    "among",
    "among_curve",
    "conditions",
    "costs",
    "cross_check",
    "disk",
    "distance",
    "drives",
    "fits",
    "formula_latex",
    "found_against_true",
    "host",
    "host_table",
    "levels",
    "levels_verdict",
    "line",
    "methods",
    "plausibility",
    "prediction",
    "predictions",
    "rise",
    "ruler",
    "server",
    "single_reads",
    "size_found",
    "spreads",
    "steadiness",
    "table",
    "tcp",
    "verdict",
]
