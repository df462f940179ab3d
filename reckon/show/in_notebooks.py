"""What a notebook may show: `rk.show.NAME`, formulas, tables and computed sentences.

Most functions return a Block, which a notebook cell displays. Figures are in `rk.draw`.
"""

from reckon.show.formulas import prediction, predictions
from reckon.show.sentences.capacities import inferred_capacities, inferred_capacity
from reckon.show.sentences.drive_readers import (
    reader_shares,
    reader_shares_table,
    saturating_readers,
    slowdown_sentence,
    total_rates,
)
from reckon.show.sentences.host_sentences import disk, distance, host, link_check, server
from reckon.show.sentences.page_faults import fault_counts, faults_per_touch, time_per_major_fault
from reckon.show.sentences.timed_reads import hit_and_miss_times, single_reads
from reckon.show.sentences.verdicts import measured_again, verdict
from reckon.show.tables.answer_box import answer, exercise
from reckon.show.tables.bounds import plausibility
from reckon.show.tables.method_and_machine_tables import machines, machines_curve, methods
from reckon.show.tables.plateau_tables import levels, levels_verdict
from reckon.show.tables.process_conditions import conditions, tcp
from reckon.show.tables.tables import cross_check, fits, spreads, table
