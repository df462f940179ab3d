"""Intervals that hold a re-measurement: from visits minutes apart, not from processes of one visit.

A machine drifts from minute to minute, so fresh processes of one visit share what the next visit
does not (Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013: repeat at the
level that varies most). Two or three visits alone do not determine the variance between visits; the
other quantities of the run help (Smyth, Linear models and empirical Bayes methods for assessing
differential expression, 2004, section 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

# Nominal, chosen so that more than 90 % of re-measurements 12 minutes later were held
# (tools/drift/coverage.py): visits of one run lie closer together than visits of two.
CONFIDENCE = 0.98
_LEAST_QUANTITIES = 8  # fewer say little of how variances differ
_NO_DIFFERENCE = 1e-9  # of the largest visit: counts repeat exactly, but for rounding
_LEAST_EXCESS = 1e-6  # of log variances beyond chance; less takes a million degrees of freedom


@dataclass(frozen=True)
class PooledVariance:
    """What the quantities of a run say of the variance between visits: Smyth's prior."""

    variance: float  # of logarithms
    degrees: float  # of freedom; infinite if quantities differ by no more than chance
    quantities: int

    def moderate(self, variance: float, degrees: float) -> tuple[float, float]:
        """A quantity's own variance moved towards the others', and its degrees of freedom."""
        if math.isinf(self.degrees):
            return self.variance, math.inf
        total = self.degrees + degrees
        return (self.degrees * self.variance + degrees * variance) / total, total


def pooled_variance(quantities: Iterable[Sequence[float]]) -> PooledVariance | None:
    """The pooled variance of quantities, each the medians of its visits; None if too few differ.

    Only positive quantities of at least two different visits count."""
    from scipy import optimize, special

    counted = [visits for visits in quantities if _differ(visits) and min(visits) > 0]
    if len(counted) < _LEAST_QUANTITIES:
        return None
    variances = np.array([np.var(np.log(visits), ddof=1) for visits in counted])
    halves = np.array([len(visits) - 1 for visits in counted]) / 2  # of the degrees of freedom
    logs = np.log(variances) - special.digamma(halves) + np.log(halves)
    excess = np.var(logs, ddof=1) - np.mean(special.polygamma(1, halves))
    if excess < _LEAST_EXCESS:
        return PooledVariance(float(np.exp(logs.mean())), math.inf, len(counted))
    half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-3, 2 / _LEAST_EXCESS)
    common = np.exp(logs.mean() + special.digamma(half) - np.log(half))
    return PooledVariance(float(common), 2 * half, len(counted))


def revisit_interval(
    visits: Sequence[float], pooled: PooledVariance | None, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Where the median of one more visit will lie; (nan, nan) unless two visits differ.

    By Student's t on logarithms; of quantities that are not positive, on the values themselves and
    by their own variance. `visits` are the medians of the visits."""
    if not _differ(visits):
        return math.nan, math.nan
    if min(visits) <= 0:
        return _t_interval(visits, None, confidence)
    low, high = _t_interval(np.log(visits), pooled, confidence)
    return math.exp(low), math.exp(high)


def _t_interval(
    visits: Sequence[float] | np.ndarray, pooled: PooledVariance | None, confidence: float
) -> tuple[float, float]:
    from scipy import stats

    variance, degrees = float(np.var(visits, ddof=1)), len(visits) - 1.0
    if pooled:
        variance, degrees = pooled.moderate(variance, degrees)
    quantile = stats.t.ppf((1 + confidence) / 2, degrees)
    reach = float(quantile * math.sqrt(variance * (1 + 1 / len(visits))))
    middle = float(np.mean(visits))
    return middle - reach, middle + reach


def _differ(visits: Sequence[float]) -> bool:
    return len(visits) > 1 and bool(np.ptp(visits) > _NO_DIFFERENCE * np.abs(visits).max())
