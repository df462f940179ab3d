"""What the samples of a quantity's fresh processes say: one summary, with warnings.

A *trial* is one sample; trials of one process share its placement in memory, so the interval of
the median is taken across processes: pooled samples of one process give intervals far too narrow.

scipy.stats takes half a second to import, so it is imported where it is used: the builder and most
commands compute no statistics.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reckon.statistics.cache import cached
from reckon.statistics.groups import Group, two_values
from reckon.statistics.inference import median_interval, process_medians
from reckon.statistics.sample_warnings import SampleWarning, drift, two_modes, wide
from reckon.statistics.visits import (
    PooledVariance,
    revisit_interval,
    spread_within,
)

MODULES = ("diptest", "scipy.stats")  # what summaries are computed with
# Raised when summarise() gives other values for the same samples: records keep summaries.
VERSION = 6
# Medians of too few processes for an interval differ by chance: they must be further apart than
# this share of the smaller one.
_FAR = 0.25
_BEYOND_LIMIT = 0.001


@dataclass(frozen=True)
class Interval:
    """Where another median would lie, in the samples' unit.

    kind: "median", of more processes in the same visits (95 %); "next visit", of a visit minutes
    later, which also holds how the machine drifts (visits.py)."""

    low: float  # nan if it is not known
    high: float
    kind: Literal["median", "next visit"]

    @property
    def is_known(self) -> bool:
        """Whether there were enough processes or visits for it."""
        return not math.isnan(self.low)

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def holds(self, value: float) -> bool:
        """Whether the value lies in it; False if it is not known."""
        return self.low <= value <= self.high

    def at_least(self, width: float) -> Interval:
        """This interval, widened on both sides if it was narrower than `width`."""
        missing = width - (self.high - self.low)
        if math.isnan(missing) or missing <= 1e-9 * width:
            return self
        return replace(self, low=self.low - missing / 2, high=self.high + missing / 2)


@dataclass(frozen=True)
class BusySibling:
    """The samples with a busy sibling of the core (siblings.py), in the samples' unit."""

    share: float  # of the time of all trials
    median: float  # of the visits' medians
    is_mixed: bool  # whether the summary holds them, as too few samples had the core alone


@dataclass(frozen=True)
class Summary:
    """What a list of samples says, in the samples' unit; nan if it is not known."""

    median: float  # of the visits' medians; of one visit, that of its processes' medians
    interval: Interval  # of the median; after over_visits(), of the next visit
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
    warnings: tuple[SampleWarning, ...]
    visit_medians: tuple[float, ...] = ()  # of the processes' medians in each visit
    visit_spread: float = math.nan  # of the processes' medians inside a visit, relative
    sibling: BusySibling | None = None  # None also without witnesses
    step: float = 0.0  # by which a trial's value changes with a step of the counter

    def over_visits(self, pooled: PooledVariance | None) -> Summary:
        """This summary with the interval of the next visit, where several visits differ."""
        extremes = min(self.medians), max(self.medians)
        low, high = revisit_interval(
            self.visit_medians, pooled, spread=self.visit_spread, extremes=extremes
        )
        if math.isnan(low):
            return self.at_least_a_step()
        # Its centre is the visits' mean: with one far off, the median may lie beside that.
        low, high = min(low, self.median), max(high, self.median)
        return replace(self, interval=Interval(low, high, "next visit")).at_least_a_step()

    def at_least_a_step(self) -> Summary:
        """This summary with an interval as wide as a step of the counter, if it was narrower.

        Where all readings are alike it has no width, although the value is not known better.
        """
        return replace(self, interval=self.interval.at_least(self.step))

    def at_most(self, limit: float, *, is_sure: bool = False) -> Summary:
        """This summary with an interval that ends at a limit, or at its largest trial if that lies
        within a thousandth above: a trial may end before the last of its bytes has left. Trials
        beyond show that it is no limit, unless it is sure: then they are estimates by chance."""
        end = max(limit, self.median if is_sure else self.maximum)
        is_limit = is_sure or end <= limit * (1 + _BEYOND_LIMIT)
        if not (is_limit and end < self.interval.high):
            return self
        return replace(self, interval=replace(self.interval, high=end))

    @property
    def processes(self) -> int:
        return len(self.medians)

    @property
    def precision(self) -> float:
        """Half the interval's width as a share of the median; nan without an interval."""
        width = self.interval.high - self.interval.low
        return width / 2 / abs(self.median) if self.median else math.nan

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval; without one, the processes' extremes. Of two groups it holds both."""
        low, high = min(self.medians), max(self.medians)
        if self.interval.is_known:
            low, high = self.interval.ends
        for group in self.groups or ():
            low, high = min(low, group.median), max(high, group.median)
        return low, high

    @property
    def input(self) -> tuple[float, float, float]:
        """A value with its interval for a prediction: of two groups the larger one's median, in an
        interval that holds both."""
        if not self.groups:
            return self.median, *self.interval.ends
        return max(self.groups, key=lambda group: group.share).median, *self.bounds

    @property
    def groups(self) -> tuple[Group, Group] | None:
        """The two groups that the processes fall into, the lower first: the median, which lies in
        one of them or between them, is then no value; None if they are of one."""
        return two_values(self.medians)

    def _both_have_intervals(self, other: Summary) -> bool:
        return self.interval.is_known and other.interval.is_known

    def apart(self, other: Summary, more: float = 0.0) -> int:
        """1 or -1 if this median is the larger or the smaller one, 0 if the two overlap.

        Judged by the intervals, which must be more than `more` apart. Without an interval the
        processes fall on one side by chance now and then, so they must be a quarter apart as well.
        """
        slack = 0.0 if self._both_have_intervals(other) else _FAR
        (low, high), (other_low, other_high) = self.bounds, other.bounds
        if low - (other_high + more) > slack * abs(other_high + more):
            return 1
        if other_low - (high + more) > slack * abs(high + more):
            return -1
        return 0

    def why_not_apart(self, other: Summary) -> str:
        """Why two medians are not shown to differ, in words."""
        if self._both_have_intervals(other):
            return "their intervals overlap"
        return "too few processes to tell"


def load() -> None:
    """Imports what the summaries need, so that no measurement waits for it."""
    for module in MODULES:
        importlib.import_module(module)


@cached
def summarise(processes: list, visits: Sequence[int] | None = None) -> Summary:
    """The summary of one array of values a process, in the order they ran.

    visits: the number of each process's visit; without, all are of one visit. Raises ValueError
    without processes, or for one without samples.
    """
    from scipy import stats

    arrays = [np.asarray(values, dtype=float) for values in processes]
    if not arrays or any(len(values) == 0 for values in arrays):
        raise ValueError("summarise() needs at least one process, each with at least one sample")
    pooled = np.concatenate(arrays)
    medians = process_medians(arrays)
    several = [values for values in arrays if len(values) > 1]
    by_visit = _by_visit(medians, visits)
    visit_medians = _visit_medians(by_visit)
    # Of several visits the interval holds how they drifted.
    drifted = drift(medians) if len(by_visit) == 1 else None
    warnings = (drifted, two_modes(pooled), wide(medians))
    return Summary(
        median=float(np.median(visit_medians)),
        interval=Interval(*median_interval(medians), "median"),
        mean=float(pooled.mean()),
        sd=_deviation(pooled),
        sd_within=float(np.mean([v.std(ddof=1) for v in several])) if several else math.nan,
        sd_across=_deviation([values.mean() for values in arrays]),
        trimmed_mean=float(stats.trim_mean(pooled, 0.1)),
        minimum=float(pooled.min()),
        maximum=float(pooled.max()),
        p99=float(np.percentile(pooled, 99)),
        max_deviation=float(np.abs(pooled - pooled.mean()).max()),
        n=len(pooled),
        medians=tuple(map(float, medians)),
        warnings=tuple(warning for warning in warnings if warning),
        visit_medians=visit_medians,
        visit_spread=spread_within(by_visit),
    )


def median_of_visits(processes: list, visits: Sequence[int]) -> float:
    """The value of a quantity: the median of its visits' medians.

    Visits have equal weight: one bad second of the visit with the most processes must not decide.
    """
    return float(np.median(_visit_medians(_by_visit(process_medians(processes), visits))))


def _visit_medians(by_visit: list[np.ndarray]) -> tuple[float, ...]:
    return tuple(float(np.median(values)) for values in by_visit)


def _by_visit(medians: np.ndarray, visits: Sequence[int] | None) -> list[np.ndarray]:
    """The medians of each visit's processes, in the order of the visits' first processes."""
    numbers = np.zeros(len(medians), int) if visits is None else np.asarray(visits)
    return [medians[numbers == number] for number in dict.fromkeys(numbers.tolist())]


def _deviation(values) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
