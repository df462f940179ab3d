"""Pure statistics over samples of fresh processes: scipy, numpy and diptest.

A *trial* is one sample; trials of one process share its placement in memory, so the interval of
the median is taken across processes: pooled samples of one process give intervals far too narrow.

scipy.stats takes half a second to import, so it is imported where it is used: the builder and most
commands compute no statistics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_FAR = 1.25  # of medians that too few processes gave
PROCESSES_FOR_AN_INTERVAL = 6  # fewer cannot bound a median at 95 % (2 * 0.5**5 > 0.05)


@dataclass(frozen=True)
class Summary:
    """What a list of samples says, in the samples' unit; nan where it is not known."""

    median: float  # of the processes' medians
    low: float  # 95 % interval of that median
    high: float
    mean: float  # over all trials
    sd: float  # over all trials
    sd_within: float  # mean over processes of the standard deviation inside one
    sd_across: float  # standard deviation of the processes' means
    trimmed_mean: float  # 10 % off each end
    minimum: float
    maximum: float
    p99: float
    max_deviation: float  # largest distance of a trial from the mean
    n: int
    medians: tuple[float, ...]  # the processes', in the order they ran
    warnings: tuple[str, ...]

    @property
    def processes(self) -> int:
        return len(self.medians)

    @property
    def precision(self) -> float:
        """Half the interval's width as a share of the median; nan where there is no interval."""
        return (self.high - self.low) / 2 / abs(self.median) if self.median else math.nan

    def apart(self, other: Summary, more: float = 0.0) -> int:
        """1 or -1 where the median is the larger or the smaller of the two (by over `more`), 0 where that cannot
        be told: by the intervals. With too few processes for one it falls on one side by chance now and then,
        so it must lie a quarter away as well."""
        known = not math.isnan(self.low + other.low)
        slack = 1.0 if known else _FAR
        (low, high), (other_low, other_high) = (
            (s.low, s.high) if not math.isnan(s.low) else (min(s.medians), max(s.medians))
            for s in (self, other)
        )
        return int(low > slack * (other_high + more)) - int(other_low > slack * (high + more))

    def why_not_apart(self, other: Summary) -> str:
        """Why it cannot be told, in words."""
        return (
            "within their spread"
            if not math.isnan(self.low + other.low)
            else "too few processes to tell"
        )


def load() -> None:
    """Import what the summaries need, before time counts."""
    import diptest  # noqa: F401
    from scipy import stats  # noqa: F401


def median_interval(values, confidence: float = 0.95) -> tuple[float, float]:
    """Distribution-free interval of a median from order statistics (Conover, Practical
    Nonparametric Statistics, 1999, section 3.2, as in scipy.stats.quantile_test): its coverage is
    never below `confidence`, whatever the distribution. (nan, nan) below six values."""
    from scipy import stats

    values = np.asarray(values, dtype=float)
    if len(values) < PROCESSES_FOR_AN_INTERVAL:
        return math.nan, math.nan
    found = stats.quantile_test(values, p=0.5).confidence_interval(confidence)
    return float(found.low), float(found.high)


def prediction_interval(values, confidence: float = 0.95) -> tuple[float, float]:
    """Where one more of these positive values would come out, by Student's t on their logarithms (Hahn and
    Meeker, Statistical Intervals, 1991, section 4.7). (nan, nan) below six values."""
    from scipy import stats

    if len(values) < PROCESSES_FOR_AN_INTERVAL:
        return math.nan, math.nan
    logs, n = np.log(np.asarray(values, dtype=float)), len(values)
    reach = stats.t.ppf((1 + confidence) / 2, n - 1) * logs.std(ddof=1) * math.sqrt(1 + 1 / n)
    return math.exp(logs.mean() - reach), math.exp(logs.mean() + reach)


def same_level(one, other) -> float:
    """The p of Welch's test (1947) on the logarithms of positive values: that both have the same mean."""
    from scipy import stats

    a, b = (np.log(np.asarray(values, dtype=float)) for values in (one, other))
    # Counts repeat exactly: with no variance at all the test's quotient would be 0/0.
    sd = lambda v: max(float(v.std(ddof=1)), 1e-9)  # noqa: E731
    return float(
        stats.ttest_ind_from_stats(
            a.mean(), sd(a), len(a), b.mean(), sd(b), len(b), equal_var=False
        ).pvalue
    )


def ratio_interval(one, other, confidence: float = 0.95, times: int = 2000) -> tuple[float, float]:
    """The interval of median(other) / median(one) when the processes are drawn anew in both (bootstrap by
    process: Efron and Tibshirani 1993, section 13.3). (nan, nan) below six values in either."""
    if min(len(one), len(other)) < PROCESSES_FOR_AN_INTERVAL:
        return math.nan, math.nan
    random = np.random.default_rng(1)
    before, after = (
        np.median(random.choice(np.asarray(v, float), (times, len(v))), axis=1)
        for v in (one, other)
    )
    low, high = np.percentile(after / before, [50 * (1 - confidence), 50 * (1 + confidence)])
    return float(low), float(high)


def summarise(processes: list) -> Summary:
    """Summary of one array of values for each process, in the order they ran."""
    from scipy import stats

    arrays = [np.asarray(values, dtype=float) for values in processes]
    if not arrays or any(len(values) == 0 for values in arrays):
        raise ValueError("summarise() needs at least one process, each with at least one sample")
    pooled = np.concatenate(arrays)
    medians = np.array([np.median(values) for values in arrays])
    low, high = median_interval(medians)
    several = [values for values in arrays if len(values) > 1]
    return Summary(
        median=float(np.median(medians)),
        low=low,
        high=high,
        mean=float(pooled.mean()),
        sd=float(pooled.std(ddof=1)) if len(pooled) > 1 else math.nan,
        sd_within=float(np.mean([v.std(ddof=1) for v in several])) if several else math.nan,
        sd_across=(
            float(np.std([v.mean() for v in arrays], ddof=1)) if len(arrays) > 1 else math.nan
        ),
        trimmed_mean=float(stats.trim_mean(pooled, 0.1)),
        minimum=float(pooled.min()),
        maximum=float(pooled.max()),
        p99=float(np.percentile(pooled, 99)),
        max_deviation=float(np.abs(pooled - pooled.mean()).max()),
        n=len(pooled),
        medians=tuple(map(float, medians)),
        warnings=tuple(filter(None, (drift(medians), two_modes(pooled), wide(medians)))),
    )


@dataclass(frozen=True)
class Line:
    """A straight line through points: what it adds for each step of x, and where it begins."""

    slope: float
    slope_low: float  # 95 % interval
    slope_high: float
    intercept: float
    intercept_low: float
    intercept_high: float
    residuals: np.ndarray  # y minus the line, at each point


def line(x, y, confidence: float = 0.95) -> Line:
    """Ordinary least squares with Student's t intervals (scipy.stats.linregress; Draper and Smith,
    Applied Regression Analysis, 1998, section 1.4). The intervals take the points' scatter about
    the line for noise; where the residuals have a shape, the line is not the whole story. Raises
    ValueError for fewer than three points."""
    from scipy import stats

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) < 3:
        raise ValueError("a line with an interval needs at least three points")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():  # level but for rounding
        return Line(0.0, 0.0, 0.0, *3 * [float(y[0])], np.zeros(len(y)))
    found = stats.linregress(x, y)
    reach = stats.t.ppf((1 + confidence) / 2, len(x) - 2)
    slope, intercept = float(found.slope), float(found.intercept)
    return Line(
        slope,
        slope - reach * found.stderr,
        slope + reach * found.stderr,
        intercept,
        intercept - reach * found.intercept_stderr,
        intercept + reach * found.intercept_stderr,
        y - intercept - slope * x,
    )


@dataclass(frozen=True)
class Shift:
    """A series that changed its level for good."""

    first: int  # index of the first value on the new level
    before: float  # medians
    after: float


def shift(values) -> Shift | None:
    """Where a series of positive values changed its level, if it did: the split that leaves the least
    squares of the logarithms, if its sides are a quarter apart and Mann and Whitney's test (1947) tells
    them apart at p < 0.01, with Bonferroni's correction for all the splits that were tried."""
    from scipy import stats

    values = np.asarray(values, dtype=float)
    splits = range(3, len(values) - 2)
    if not splits or values.min() <= 0:
        return None
    logs = np.log(values)
    first = min(splits, key=lambda k: logs[:k].var() * k + logs[k:].var() * (len(logs) - k))
    before, after = (float(np.median(side)) for side in (values[:first], values[first:]))
    if max(before, after) < 1.25 * min(before, after):
        return None
    if stats.mannwhitneyu(values[:first], values[first:]).pvalue * len(splits) >= 0.01:
        return None
    return Shift(first, before, after)


def clustered(flags) -> float | None:
    """How many times as often a flag follows a flag as chance would have it, where that is no chance
    (binomial test, p < 0.01); else None."""
    from scipy import stats

    flags = np.asarray(flags, dtype=bool)
    followed = flags[1:][flags[:-1]]
    share = float(flags.mean()) if len(flags) else 0.0
    if (
        len(followed) < 5
        or stats.binomtest(int(followed.sum()), len(followed), share, alternative="greater").pvalue
        >= 0.01
    ):
        return None
    return float(followed.mean() / share)


def line_across(x, medians: list, confidence: float = 0.95, times: int = 2000) -> tuple | None:
    """The intervals of the same line's slope and intercept when the processes are drawn anew at each
    point, with replacement (bootstrap by process: Efron and Tibshirani 1993, section 9.3): what the
    noise of the points leaves open, whether or not they lie on a line. `medians` are each point's
    processes' medians. None where a point has too few of them."""
    if len(x) < 3 or any(len(one) < PROCESSES_FOR_AN_INTERVAL for one in medians):
        return None
    random = np.random.default_rng(1)
    y = np.column_stack(
        [
            np.median(random.choice(np.asarray(one, float), (times, len(one))), axis=1)
            for one in medians
        ]
    )
    off = np.asarray(x, float) - np.mean(x)
    slopes = y @ off / (off @ off)
    tails = [50 * (1 - confidence), 50 * (1 + confidence)]
    intervals = [
        np.percentile(values, tails) for values in (slopes, y.mean(axis=1) - slopes * np.mean(x))
    ]
    return tuple((float(low), float(high)) for low, high in intervals)


def drift(medians) -> str | None:
    """A sentence where the processes' medians moved steadily, by Kendall's tau against the order
    (p < 0.01) with a Theil-Sen change above 2 %."""
    from scipy import stats

    if len(medians) < 8 or np.ptp(medians) == 0 or np.median(medians) == 0:
        return None
    order = np.arange(len(medians))
    slope = stats.theilslopes(medians, order).slope
    change = slope * (len(medians) - 1) / abs(np.median(medians))
    if stats.kendalltau(order, medians).pvalue >= 0.01 or abs(change) < 0.02:
        return None
    return f"it drifted by {100 * change:+.1f} % while it was measured".replace("-", "−")


def two_modes(values) -> str | None:
    """A sentence where the trials have two modes, by Hartigan's dip test (Hartigan and Hartigan
    1985; p < 0.01) with quartiles more than 10 % of the median apart."""
    import diptest

    values = np.asarray(values, dtype=float)
    steps = np.diff(np.unique(values))
    quartiles = np.percentile(values, [25, 50, 75])
    if len(values) < 20 or not len(steps) or quartiles[2] - quartiles[0] <= 0.1 * abs(quartiles[1]):
        return None
    # The counter has steps, and the dip test takes every step for a mode: spread them out.
    spread = np.random.default_rng(1).uniform(-0.5, 0.5, len(values)) * steps.min()
    chosen = np.random.default_rng(2).permutation(values + spread)[:5000]
    if diptest.diptest(chosen)[1] >= 0.01:
        return None
    return "its trials have two modes, so one number does not describe it"


_COMMON = (
    0.05  # a rarer reading may be one beside its step, where the counter is scaled and rounded
)


def step(values) -> float | None:
    """The step in which a counter moves, as its readings show it: the smallest distance of two that both are
    common. None where there are no two."""
    found, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    common = found[counts > _COMMON * counts.sum()]
    return float(np.diff(common).min()) if len(common) > 1 else None


def wide(medians) -> str | None:
    """A sentence where fresh processes differ by more than 10 % in the middle half."""
    if len(medians) < PROCESSES_FOR_AN_INTERVAL:
        return None
    low, middle, high = np.percentile(medians, [25, 50, 75])
    if middle == 0 or (high - low) / abs(middle) <= 0.1:
        return None
    return f"fresh processes differ by {100 * (high - low) / abs(middle):.0f} % (middle half)"
