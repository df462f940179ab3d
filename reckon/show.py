"""What a notebook may show: `rk.show.NAME`, formulas, tables and computed sentences.

Most functions return a Block, which a notebook cell displays. Figures are in `rk.draw`.
"""

from reckon.presentation.among_reports import among, among_curve, methods
from reckon.presentation.answer import answer, exercise
from reckon.presentation.bounds import plausibility
from reckon.presentation.capacities import inferred_capacities, inferred_capacity
from reckon.presentation.faults import fault_counts, faults_per_touch, time_per_major_fault
from reckon.presentation.formulas import prediction, predictions
from reckon.presentation.hosts import disk, distance, host, ruler, server
from reckon.presentation.plateau_tables import levels, levels_verdict
from reckon.presentation.readers import (
    first_slower,
    full_from,
    reader_shares,
    reader_shares_table,
    total_rates,
)
from reckon.presentation.tables import conditions, cross_check, fits, spreads, table, tcp
from reckon.presentation.timed_reads import costs, single_reads
from reckon.presentation.verdicts import verdict

__all__ = [
    "among",
    "among_curve",
    "answer",
    "conditions",
    "costs",
    "cross_check",
    "disk",
    "distance",
    "exercise",
    "fault_counts",
    "faults_per_touch",
    "first_slower",
    "fits",
    "full_from",
    "host",
    "inferred_capacities",
    "inferred_capacity",
    "levels",
    "levels_verdict",
    "methods",
    "plausibility",
    "prediction",
    "predictions",
    "reader_shares",
    "reader_shares_table",
    "ruler",
    "server",
    "single_reads",
    "spreads",
    "table",
    "tcp",
    "time_per_major_fault",
    "total_rates",
    "verdict",
]
