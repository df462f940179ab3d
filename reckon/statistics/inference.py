"""What samples leave open: intervals and straight lines.

scipy.stats takes half a second to import, so it is imported where it is used.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reckon.statistics.cache import cached

PROCESSES_FOR_AN_INTERVAL = 6  # fewer cannot bound a median at 95 % (2 * 0.5**5 > 0.05)
# The least share of readings that shows a step of the counter: a rarer reading may lie beside its
# step, if the counter is scaled and rounded.
_COMMON = 0.05


def process_medians(processes: Iterable) -> np.ndarray:
    """The median of each process's values (n,)."""
    arrays = [np.asarray(values, dtype=float) for values in processes]
    if len({len(values) for values in arrays}) == 1:  # at once, which takes a tenth of the time
        return np.median(arrays, axis=1)
    return np.array([np.median(values) for values in arrays], dtype=float)


def median_interval(values) -> tuple[float, float]:
    """The distribution-free 95 % interval of a median; (nan, nan) below six values.

    From order statistics (Conover, Practical Nonparametric Statistics, 1999, section 3.2, as in
    scipy.stats.quantile_test): its coverage is never below 95 %.
    """
    values = np.sort(np.asarray(values, dtype=float))
    if len(values) < PROCESSES_FOR_AN_INTERVAL:
        return math.nan, math.nan
    low, high = _median_ranks(len(values))
    return float(values[low]), float(values[high])


@functools.cache
def _median_ranks(n: int) -> tuple[int, int]:
    """Which of n values in ascending order bound their median: that depends on n alone."""
    from scipy import stats

    interval = stats.quantile_test(np.arange(n), p=0.5).confidence_interval(0.95)
    return int(interval.low), int(interval.high)


def prediction_interval(values, confidence: float = 0.95) -> tuple[float, float]:
    """Where one more of these positive values will lie; (nan, nan) below six values.

    By Student's t on their logarithms (Hahn and Meeker, Statistical Intervals, 1991, section 4.7).
    """
    from scipy import special

    if len(values) < PROCESSES_FOR_AN_INTERVAL:
        return math.nan, math.nan
    logs, n = np.log(np.asarray(values, dtype=float)), len(values)
    reach = special.stdtrit(n - 1, (1 + confidence) / 2) * logs.std(ddof=1) * math.sqrt(1 + 1 / n)
    return math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A straight line through points, with the 95 % intervals of its slope and intercept.

    In the units of the points: the intercept and the residuals in y's, the slope in y's over x's.
    """

    slope: float
    slope_low: float
    slope_high: float
    intercept: float
    intercept_low: float
    intercept_high: float
    residuals: np.ndarray  # y minus the line, at each point


@cached
def line(x, y) -> Line:
    """The line of ordinary least squares, with Student's 95 % t intervals.

    By scipy.stats.linregress (Draper and Smith, Applied Regression Analysis, 1998, section 1.4).
    The intervals take the points' scatter about the line for noise; if the residuals have a shape,
    the line is not the whole story. Raises ValueError for fewer than three points.
    """
    from scipy import stats

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) < 3:
        raise ValueError("a line with an interval needs at least three points")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():  # level but for rounding
        slope = slope_reach = intercept_reach = 0.0
        intercept, residuals = float(y[0]), np.zeros(len(y))
    else:
        fit = stats.linregress(x, y)
        quantile = stats.t.ppf(0.975, len(x) - 2)
        slope, slope_reach = float(fit.slope), quantile * fit.stderr
        intercept, intercept_reach = float(fit.intercept), quantile * fit.intercept_stderr
        residuals = y - intercept - slope * x
    return Line(
        slope=slope,
        slope_low=slope - slope_reach,
        slope_high=slope + slope_reach,
        intercept=intercept,
        intercept_low=intercept - intercept_reach,
        intercept_high=intercept + intercept_reach,
        residuals=residuals,
    )


def counter_step(values) -> float | None:
    """The step of a counter: the least distance of two common readings; None if all are alike."""
    readings, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    common = readings[counts > _COMMON * counts.sum()]
    return float(np.diff(common).min()) if len(common) > 1 else None


def common_step(processes: Iterable) -> int:
    """The step of a counter by readings of any length: what divides all their distances.

    1 if all are alike, or the counter is scaled and rounded."""
    readings = np.unique(np.concatenate([np.asarray(ticks, np.int64) for ticks in processes]))
    return int(np.gcd.reduce(np.diff(readings))) or 1
