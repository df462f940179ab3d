"""What a notebook may show: `rk.show.NAME`, formulas, tables and computed sentences.

Most functions return a Block, which a notebook cell displays. Figures are in `rk.draw`.
"""

from reckon.presentation.answer_box import answer, exercise
from reckon.presentation.bounds import plausibility
from reckon.presentation.capacities import inferred_capacities, inferred_capacity
from reckon.presentation.drive_readers import (
    reader_shares,
    reader_shares_table,
    saturating_readers,
    slowdown_sentence,
    total_rates,
)
from reckon.presentation.formulas import prediction, predictions
from reckon.presentation.host_sentences import disk, distance, host, link_check, server
from reckon.presentation.method_and_machine_tables import machines, machines_curve, methods
from reckon.presentation.page_faults import fault_counts, faults_per_touch, time_per_major_fault
from reckon.presentation.plateau_tables import levels, levels_verdict
from reckon.presentation.process_conditions import conditions, tcp
from reckon.presentation.tables import cross_check, fits, spreads, table
from reckon.presentation.timed_reads import hit_and_miss_times, single_reads
from reckon.presentation.verdicts import measured_again, verdict
