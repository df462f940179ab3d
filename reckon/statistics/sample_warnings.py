"""Warnings about samples that their summary hides: a drift, two modes, processes that differ.

They are kinds and numbers; the words are in reckon/show/sentences/warning_sentences.py. scipy.stats
takes half a second to import, so it is imported where it is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reckon.statistics.inference import PROCESSES_FOR_AN_INTERVAL

_WIDE = 0.1  # of the median: a larger distance of the quartiles is worth a warning
_SIGNIFICANT = 0.01  # p of the tests behind a warning
_MIN_DRIFT = 0.02  # of the median: intervals are seldom narrower
_PROCESSES_FOR_A_DRIFT = 8  # of six, Kendall's p is below 0.01 only if all are in order
_TRIALS_FOR_MODES = 20  # ten for each of two modes
_MAX_TRIALS_FOR_MODES = 5000  # the dip test takes the square of that

WarningKind = Literal["drift", "two modes", "wide"]


@dataclass(frozen=True)
class SampleWarning:
    """What may mislead in the samples of one point."""

    kind: WarningKind
    # Of the median: how far the processes drifted, or their interquartile range. Rounded to the
    # digits that are printed: records before format 5 have no more.
    percent: float | None = None


def drift(medians) -> SampleWarning | None:
    """A warning if the processes' medians moved steadily.

    By Kendall's tau against the order (p < 0.01), with a Theil-Sen change above 2 %.
    """
    from scipy import stats

    few = len(medians) < _PROCESSES_FOR_A_DRIFT
    if few or np.ptp(medians) == 0 or np.median(medians) == 0:
        return None
    order = np.arange(len(medians))
    slope = stats.theilslopes(medians, order).slope
    change = float(slope * (len(medians) - 1) / abs(np.median(medians)))
    unsure = stats.kendalltau(order, medians).pvalue >= _SIGNIFICANT
    if unsure or abs(change) < _MIN_DRIFT:
        return None
    return SampleWarning("drift", percent=round(100 * change, 1))


def two_modes(values) -> SampleWarning | None:
    """A warning if the trials have two modes.

    By Hartigan's dip test (Hartigan and Hartigan 1985; p < 0.01), with quartiles more than 10 % of
    the median apart.
    """
    import diptest

    values = np.asarray(values, dtype=float)
    steps = np.diff(np.unique(values))
    if len(values) < _TRIALS_FOR_MODES or not len(steps) or _quartile_distance(values) <= _WIDE:
        return None
    # The counter has steps, and the dip test takes every step for a mode: spread them out.
    spread = np.random.default_rng(1).uniform(-0.5, 0.5, len(values)) * steps.min()
    sample = np.random.default_rng(2).permutation(values + spread)[:_MAX_TRIALS_FOR_MODES]
    if diptest.diptest(sample)[1] >= _SIGNIFICANT:
        return None
    return SampleWarning("two modes")


def wide(medians) -> SampleWarning | None:
    """A warning if the interquartile range of the fresh processes is wider than 10 %."""
    if len(medians) < PROCESSES_FOR_AN_INTERVAL:
        return None
    distance = _quartile_distance(medians)
    if not _WIDE < distance < math.inf:
        return None
    return SampleWarning("wide", percent=float(round(100 * distance)))


def _quartile_distance(values) -> float:
    """The distance of the quartiles as a share of the median, which may be 0."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    if low == high:
        return 0.0
    return float((high - low) / abs(middle)) if middle else math.inf
