"""Pure functions of numbers: summaries and intervals, comparisons, change points."""

from reckon.statistics.inference import (
    PROCESSES_FOR_AN_INTERVAL,
    Line,
    Shift,
    clustered,
    line,
    line_across,
    median_interval,
    prediction_interval,
    ratio_interval,
    same_level,
    shift,
    step,
)
from reckon.statistics.summary import Summary, drift, load, summarise, two_modes, wide

__all__ = [
    "PROCESSES_FOR_AN_INTERVAL",
    "Line",
    "Shift",
    "Summary",
    "clustered",
    "drift",
    "line",
    "line_across",
    "load",
    "median_interval",
    "prediction_interval",
    "ratio_interval",
    "same_level",
    "shift",
    "step",
    "summarise",
    "two_modes",
    "wide",
]
