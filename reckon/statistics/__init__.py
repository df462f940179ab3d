"""Pure functions of numbers: summaries and intervals, comparisons, change points."""

from reckon.statistics.groups import GAP, Group, two_groups, two_values
from reckon.statistics.inference import (
    PROCESSES_FOR_AN_INTERVAL,
    Line,
    common_step,
    counter_step,
    line,
    median_interval,
    prediction_interval,
    process_medians,
)
from reckon.statistics.sample_warnings import SampleWarning, drift, two_modes, wide
from reckon.statistics.siblings import VISITS_ALONE, is_busy, unshared_ratio
from reckon.statistics.summary import (
    MODULES,
    VERSION,
    BusySibling,
    Interval,
    Summary,
    load,
    median_of_visits,
    summarise,
)
from reckon.statistics.visits import (
    PooledVariance,
    apart_in_visits,
    pooled_variance,
    revisit_interval,
    spread_within,
)
