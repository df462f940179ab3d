"""Intervals that hold a re-measurement: from visits minutes apart, not from processes of one visit.

A machine drifts from minute to minute, so fresh processes of one visit share what the next visit
does not (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013: repeat at the
level that varies most). Two or three visits alone do not determine the variance between visits; the
other quantities of the run help (Smyth, Linear models and empirical Bayes methods for assessing
differential expression, 2004, section 6), and most those whose processes of one visit spread alike:
the counter's rate repeats to seven digits, a fork to one (a prior that follows a trend: Law, Chen,
Shi and Smyth, voom: precision weights unlock linear model analysis tools, 2014).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reckon.statistics.cache import cached

# Nominal, chosen so that more than 90 % of visits ten minutes and more later were held in each
# count of tools/drift (coverage.py, changes.py): visits of one run are closer than those of two.
# Also the lowest at which `reckon compare` named no change between groups of visits (replay.py).
CONFIDENCE = 0.995
_MIN_QUANTITIES = 8  # a variance of fewer logarithms is known to no better than half
_NO_DIFFERENCE = 1e-9  # of the largest visit: counts repeat exactly, but for rounding
_MIN_EXCESS = 1e-6  # of log variances beyond chance; less takes a million degrees of freedom
_MIN_SPREAD = 1e-7  # of processes in a visit: smaller ones are rounding
_LEAST_PAIRED = 3  # visits: two differences have the same sign half of the time by chance
_SURE = 0.999  # nominal, of a quantity's own five visits; held as many later visits as without it
_STEEPEST = 1.5  # 1: variances between visits go as those within; steeper slopes are chance


@dataclass(frozen=True)
class PooledVariance:
    """What the quantities of a run say of the variance between visits: Smyth's prior."""

    variance: float  # of logarithms, of a quantity of the typical spread
    degrees: float  # of freedom; infinite if quantities differ by no more than chance
    quantities: int
    slope: float = 0.0  # of the logarithm of the variance over that of the squared spread
    typical_spread: float = 1.0  # of the processes in a visit, relative

    def expected(self, spread: float) -> float:
        """The variance between visits of a quantity whose processes in one visit spread so."""
        if not math.isfinite(spread):
            return self.variance
        relative = max(spread, _MIN_SPREAD) / self.typical_spread
        return self.variance * relative ** (2 * self.slope)

    def reach(self, spread: float, visits: int, confidence: float = CONFIDENCE) -> float:
        """How far, in logarithms, one more visit lies from the others at the expected variance.

        At most that of the typical spread: where processes of one visit spread more widely, they
        have already been through what differs between visits."""
        quantile = NormalDist().inv_cdf((1 + confidence) / 2)
        variance = self.expected(min(spread, self.typical_spread))
        return float(quantile * math.sqrt(variance * (1 + 1 / visits)))

    def moderate(self, variance: float, degrees: float, spread: float) -> tuple[float, float]:
        """A quantity's own variance moved towards the expected one, and its degrees of freedom."""
        if math.isinf(self.degrees):
            return self.expected(spread), math.inf
        total = self.degrees + degrees
        return (self.degrees * self.expected(spread) + degrees * variance) / total, total


def spread_within(visits: Sequence[Sequence[float] | np.ndarray]) -> float:
    """How far the processes of one visit spread, relative: the quartiles' distance of logarithms.

    The root mean square over the visits, each the processes' medians; nan if one visit has fewer
    than three, or one of them is not positive."""
    if any(len(medians) < 3 or min(medians) <= 0 for medians in visits):
        return math.nan
    distances = [np.subtract(*np.percentile(np.log(medians), [75, 25])) for medians in visits]
    return float(np.sqrt(np.mean(np.square(distances))))


def pooled_variance(
    quantities: Iterable[Sequence[float]], spreads: Iterable[float] | None = None
) -> PooledVariance | None:
    """The pooled variance of quantities, each the medians of its visits; None if too few differ.

    spreads: of each quantity's processes (spread_within()), where that is known. Only positive
    quantities of at least two different visits count."""
    from scipy import optimize, special

    quantities = list(quantities)
    if spreads is None:
        spreads = [math.nan] * len(quantities)
    pairs = zip(quantities, spreads, strict=True)
    positive = [(visits, spread) for visits, spread in pairs if _differ(visits) and min(visits) > 0]
    if len(positive) < _MIN_QUANTITIES:
        return None
    variances = np.array([np.var(np.log(visits), ddof=1) for visits, _ in positive])
    halves = np.array([len(visits) - 1 for visits, _ in positive]) / 2  # of the degrees of freedom
    logs = np.log(variances) - special.digamma(halves) + np.log(halves)
    slope, typical_spread, trend = _trend(logs, np.array([spread for _, spread in positive]))
    logs -= trend
    excess = np.var(logs, ddof=1) - np.mean(special.polygamma(1, halves))
    if excess < _MIN_EXCESS:
        variance, degrees = np.exp(logs.mean()), math.inf
    else:
        half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-3, 2 / _MIN_EXCESS)
        variance = np.exp(logs.mean() + special.digamma(half) - np.log(half))
        degrees = 2 * half
    return PooledVariance(
        variance=float(variance),
        degrees=degrees,
        quantities=len(positive),
        slope=slope,
        typical_spread=typical_spread,
    )


def _trend(logs: np.ndarray, spreads: np.ndarray) -> tuple[float, float, np.ndarray]:
    """The slope of log variances over log squared spreads, the typical spread, and the line."""
    known = np.isfinite(spreads)
    if known.sum() < _MIN_QUANTITIES:
        return 0.0, 1.0, np.zeros(len(logs))
    squared = 2 * np.log(np.maximum(spreads, _MIN_SPREAD))
    middle = float(squared[known].mean())
    distance = np.where(known, squared - middle, 0.0)
    square = float((distance**2).sum())
    slope = float((distance * logs)[known].sum()) / square if square else 0.0
    slope = min(max(slope, 0.0), _STEEPEST)
    return slope, math.exp(middle / 2), slope * distance


def revisit_interval(
    visits: Sequence[float],
    pooled: PooledVariance | None,
    confidence: float = CONFIDENCE,
    *,
    spread: float = math.nan,
    extremes: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Where the median of one more visit will lie; (nan, nan) unless two visits differ.

    By Student's t on logarithms; of quantities that are not positive, on the values themselves and
    by their own variance. `visits` are the medians of the visits, `spread` that of the processes in
    them (spread_within()), `extremes` the least and the greatest of all processes' medians: after
    one visit far off t alone gives absurd ends (32 us to 52 ms), so they are at most as far beyond
    the extremes as one more visit lies from the others at the typical variance
    (PooledVariance.reach()). Where the spread is unknown (one or two processes a visit), nothing
    says how much less than others this quantity varies but its own visits, and a full link that
    repeats to 0.1 % would get the others' 2 %: then no end is beyond what they alone give."""
    if not _differ(visits):
        return math.nan, math.nan
    degrees = len(visits) - 1.0
    if min(visits) <= 0:
        return _t_interval(visits, _variance(visits), degrees, confidence)
    logs = [math.log(median) for median in visits]
    variance = _variance(logs)
    if pooled:
        variance, degrees = pooled.moderate(variance, degrees, spread)
    low, high = _t_interval(logs, variance, degrees, confidence)
    if pooled and not math.isfinite(spread):
        own_low, own_high = _t_interval(logs, _variance(logs), len(visits) - 1.0, _SURE)
        low, high = max(low, own_low), min(high, own_high)
    if pooled and extremes:
        reach = pooled.reach(spread, len(visits), confidence)
        if extremes[0] > 0:  # else no bound: one process in which a subtracted part was longer
            low = max(low, math.log(extremes[0]) - reach)
        high = min(high, math.log(extremes[1]) + reach)
    return math.exp(low), math.exp(high)


def apart_in_visits(visits: Sequence[float], others: Sequence[float], more: float = 0.0) -> int:
    """1 or -1 if the first of two quantities was the larger or the smaller one in every visit, by
    more than `more`; 0 if that is not shown. Of both the medians of the same visits, in order.

    What drifts from visit to visit moves both, so their difference may be clear where the intervals
    of the next visit overlap (paired differences, Student's t). At least three visits, and the mean
    difference is larger than their scatter lets it be by chance. It shows that they differed when
    they were measured together, not how a visit of one compares with another visit of the other,
    and not why: what always comes with one of them, such as the order, may be the cause.
    """
    if len(visits) != len(others) or len(visits) < _LEAST_PAIRED:
        return 0
    differences = [a - b for a, b in zip(visits, others, strict=True)]
    error = math.sqrt(_variance(differences) / len(visits))
    reach = _t_quantile(len(visits) - 1.0, CONFIDENCE) * error
    for sign in (1, -1):
        beyond = [sign * difference - more for difference in differences]
        if min(beyond) > 0 and sum(beyond) / len(beyond) > reach:
            return sign
    return 0


# Not by numpy: of two or three numbers that takes ten times as long, and a book has thousands.
def _t_interval(
    visits: Sequence[float], variance: float, degrees: float, confidence: float
) -> tuple[float, float]:
    reach = _t_quantile(degrees, confidence) * math.sqrt(variance * (1 + 1 / len(visits)))
    middle = sum(visits) / len(visits)
    return middle - reach, middle + reach


@functools.lru_cache(maxsize=1024)
@cached  # scipy takes a fifth of a second to import, a third of what `reckon results` takes
def _t_quantile(degrees: float, confidence: float) -> float:
    from scipy import special

    return float(special.stdtrit(degrees, (1 + confidence) / 2))


def _variance(values: Sequence[float]) -> float:
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)


def _differ(visits: Sequence[float]) -> bool:
    if len(visits) < 2:
        return False
    return max(visits) - min(visits) > _NO_DIFFERENCE * max(map(abs, visits))
