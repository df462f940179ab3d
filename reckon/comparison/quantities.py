"""One quantity in two runs compared: whether it changed, and by how much.

Two runs of one machine differ by more than two processes of one run do: from one minute to the next
its clock, the place of its memory and, on a shared host, its neighbours change. So each run has a
range in which its value would lie minutes later, and a change is named only where the interval of
the ratio, which follows from both ranges, excludes 1 and the medians differ by at least the minimum
change.

- A quantity of several visits has the interval of the next visit (statistics/visits.py).
  Both ranges are combined as those of independent values (Zou and Donner, Construction of
  confidence limits about effect measures, 2008). tools/drift/replay.py: what the rule names
  between visits of an unchanged machine, and which changes it would name.
- One visit does not show how the machine drifts. Its range holds the central 95 % of the trials and
  the 95 % prediction interval of one more process (Student's t on logarithms; Hahn and Meeker,
  Statistical Intervals, 1991, section 4.7). A scalar with enough processes for six batches of six
  has the 99 % prediction interval of one more batch's median in its place, so that bursts average
  out (method of batch means: Law, Simulation Modeling and Analysis, 2015, section 9.5.3). Two such
  ranges must not touch.

A test across processes would add nothing: ranges that far apart are not due to the choice of
processes.

A quantity is not judged with fewer than six processes in either run, or where the two runs measured
it with other parameters or another peer.

A *control* is a second run of A's machine. B must then differ from both, and the rule is also tried
on A and the control: what it names there shows how often it errs. Runs vary more than processes, so
the run is what has to be repeated (Kalibera and Jones, Rigorous benchmarking in reasonable time,
2013).
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace

import numpy as np

from reckon import records, statistics, units
from reckon.records.quantities.result import Result

_CENTRAL_PERCENTILES = (2.5, 97.5)
_MIN_BATCHES, _BATCHES_CONFIDENCE = 6, 0.99
# The fields of a measurement that say how it was made, besides its parameters and its peer.
_METHOD = ("probe", "op", "warmup", "priority")

Results = dict[str, Result]  # a run's, by quantity


@dataclass(frozen=True)
class Side:
    """One run's values at one point, in base units; `low` and `high`: its range, nan if unknown."""

    median: float
    low: float
    high: float
    processes: int
    clock_hz: float  # of the core, calibrated with the samples
    is_of_visits: bool = False  # the range, rather than of processes

    @property
    def has_range(self) -> bool:
        return not math.isnan(self.low)

    @property
    def above(self) -> float:
        """How far the range reaches above the median, on a logarithmic scale."""
        return math.log(self.high / self.median)

    @property
    def below(self) -> float:
        """How far the range reaches below the median, on a logarithmic scale."""
        return math.log(self.median / self.low) if self.low > 0 else math.inf


def _log_interval(before: Side, after: Side) -> tuple[float, float]:
    """The interval of the logarithm of after / before, from the two ranges."""
    combined = math.hypot if before.is_of_visits and after.is_of_visits else operator.add
    middle = math.log(after.median / before.median)
    low = middle - combined(before.above, after.below)
    return low, middle + combined(before.below, after.above)


@dataclass(frozen=True)
class PointComparison:
    """One quantity in both runs, at one point of its axis."""

    x: float | None
    a: Side
    b: Side
    is_apart: bool = False  # the ratio's interval excludes 1, and the medians differ enough
    control: Side | None = None

    @property
    def is_judged(self) -> bool:
        """Whether both runs have a range there."""
        return self.a.has_range and self.b.has_range

    @property
    def ratio(self) -> float:
        """B over A, by the medians; nan if A's is 0."""
        return self.b.median / self.a.median if self.a.median else math.nan

    @property
    def cycles_ratio(self) -> float:
        """The ratio of a time in core cycles, which a change of the clock does not affect."""
        return self.ratio * self.b.clock_hz / self.a.clock_hz

    @property
    def distance(self) -> float:
        """How far the ratio is from 1, on a logarithmic scale."""
        return abs(math.log(self.ratio)) if self.ratio > 0 else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the ratio that decides whether there is a change; nan if not judged."""
        if not self.is_judged:
            return math.nan, math.nan
        low, high = _log_interval(self.a, self.b)
        return math.exp(low), math.exp(high)

    def visible_from(self, minimum_change: float = 0.0) -> float:
        """The smallest ratio, up or down, that would be a change from A and from the control."""
        smallest = 0.0
        for side in [self.a, self.control] if self.control else [self.a]:
            low, high = _log_interval(side, self.b)
            middle, off = (
                math.log(self.b.median / side.median),
                math.log(side.median / self.a.median),
            )
            up, down = (
                max(reach, math.log1p(minimum_change)) for reach in (middle - low, high - middle)
            )
            smallest = max(smallest, up + off, down - off)
        return math.exp(smallest)


@dataclass(frozen=True)
class QuantityComparison:
    quantity: str
    unit: str
    axis_unit: str | None
    points: tuple[PointComparison, ...] = ()
    why: str = ""  # it is not judged

    @property
    def is_judged(self) -> bool:
        """Whether the rule could be applied; `why` says why not."""
        return not self.why

    @property
    def has_changed(self) -> bool:
        """Whether the rule of this module names a change."""
        return self.is_judged and any(point.is_apart for point in self.points)

    @property
    def largest(self) -> PointComparison:
        """The point of the largest change; among those that are apart, if any is."""
        positive = [point for point in self.points if point.ratio > 0] or list(self.points)
        judged = [point for point in positive if point.is_judged]
        apart = [point for point in positive if point.is_apart]
        return max(apart or judged or positive, key=lambda point: point.distance)

    @property
    def ratio(self) -> float:
        """Of a curve, the median over its points."""
        return float(np.median([point.ratio for point in self.points]))

    @property
    def is_time(self) -> bool:
        """Whether the quantity is a time, which depends on the core's clock."""
        return units.dimension(self.unit) == units.dimension("s")

    @property
    def direction(self) -> str:
        """What changed, in a word: a time that grew is slower, a rate that grew is faster.

        The rate of a counter is neither: when it counts more often, nothing takes longer.
        """
        if not self.has_changed:
            return ""
        grew, dimension = self.largest.ratio > 1, units.dimension(self.unit)
        if self.is_time:
            return "slower" if grew else "faster"
        if dimension.get("[time]", 0) == -1 and not dimension.get("[tick]", 0):
            return "faster" if grew else "slower"
        return "more" if grew else "less"

    def visible_from(self, minimum_change: float = 0.0) -> float:
        """The smallest ratio by which a change of the whole quantity would have been named."""
        return min(point.visible_from(minimum_change) for point in self.points if point.is_judged)

    @property
    def is_controlled(self) -> bool:
        """Whether every point that is apart from A was compared with the control too."""
        return all(point.control for point in self.points if point.is_apart)


def _can_be_judged(medians: np.ndarray) -> bool:
    enough = len(medians) >= statistics.PROCESSES_FOR_AN_INTERVAL
    return enough and bool(np.isfinite(medians).all()) and medians.min() > 0


def _batch_range(medians: np.ndarray) -> tuple[float, float] | None:
    """The range of one more batch of processes; None where there are too few batches."""
    batches = len(medians) // statistics.PROCESSES_FOR_AN_INTERVAL
    if batches < _MIN_BATCHES:
        return None
    values = [float(np.median(batch)) for batch in np.array_split(medians, batches)]
    return statistics.prediction_interval(values, _BATCHES_CONFIDENCE)


def _visits_range(result: Result, pooled: statistics.PooledVariance | None) -> tuple | None:
    """The range of one more visit; None without several visits that differ, or a pooled variance:
    two or three visits alone do not determine theirs."""
    if result.is_curve or not pooled:
        return None
    summary = result.summaries[0].over_visits(pooled)
    return summary.interval.ends if summary.interval.kind == "next visit" else None


def sides_of(result: Result, pooled: statistics.PooledVariance | None) -> dict[float | None, Side]:
    """Every point of a quantity that has samples.

    The trials' spread, as a share of the median, is the widest of all points of a curve: a mode
    that comes and goes may have been missed at one of them.
    """
    medians = {point.x: result.process_medians(point) for point in result.points}
    values_of = {
        p.x: summary.median for p, summary in zip(result.points, result.summaries, strict=True)
    }
    shares: list[np.ndarray] | None = None  # of all trials; those of most quantities are not used
    sides = {}
    for point in result.points:
        values = medians[point.x]
        median, low, high = values_of[point.x], math.nan, math.nan
        visits = None
        if _can_be_judged(values):
            visits = _visits_range(result, pooled)
            batches = None if result.is_curve else _batch_range(values)
            low, high = visits or batches or statistics.prediction_interval(values)
            if not (visits or batches):
                shares = shares or [
                    np.percentile(np.concatenate(result.trials(p)), _CENTRAL_PERCENTILES)
                    / values_of[p.x]
                    for p in result.points
                    if _can_be_judged(medians[p.x])
                ]
                low = min(low, median * float(np.min(shares)))
                high = max(high, median * float(np.max(shares)))
        clock_hz = result.core_clock_hz(point)
        sides[point.x] = Side(median, low, high, len(values), clock_hz, bool(visits))
    return sides


def compare_point(
    x: float | None, a: Side, b: Side, control: Side | None, minimum_change: float
) -> PointComparison:
    if not b.has_range or not a.has_range:
        return PointComparison(x, a, b)
    control = control if control and control.has_range else None
    before = [a, control] if control else [a]
    intervals = [_log_interval(side, b) for side in before]
    beyond = all(low > 0 for low, _ in intervals) or all(high < 0 for _, high in intervals)
    enough = all(
        max(b.median, side.median) >= (1 + minimum_change) * min(b.median, side.median)
        for side in before
    )
    return PointComparison(x, a, b, is_apart=beyond and enough, control=control)


def _measured_alike(a: records.Measurement, b: records.Measurement) -> bool:
    """By the probe's version; by its description where a record has no version."""
    same_method = all(getattr(a, name) == getattr(b, name) for name in _METHOD)
    same_probe = a.version == b.version if a.version and b.version else a.timed == b.timed
    return same_method and same_probe


def _why_not_comparable(a: Result, b: Result) -> str:
    """Why the samples are not of the same thing; "" where they are, by all but the parameters.

    The parameter peer="other" is the same for every host, so the peers are compared too.
    """
    if a.is_curve != b.is_curve or units.dimension(a.unit) != units.dimension(b.unit):
        return "another kind of quantity"
    if not (a.measurement and b.measurement):
        return "not measured"
    if a.is_of_two_groups or b.is_of_two_groups:
        return "its processes fall into two groups"
    if not _measured_alike(a.measurement, b.measurement):
        return "measured by another method"
    peers = {result.measurement.peer for result in (a, b) if result.measurement}
    return "" if len(peers) == 1 else "measured with another peer"


def _same_positions(a: Result, b: Result) -> list[float | None]:
    """The positions that both measured with the same parameters."""
    params = {point.x: point.params for point in b.points}
    return [point.x for point in a.points if params.get(point.x) == point.params]


def _compare(
    a: Result, b: Result, control: Result | None, minimum_change: float
) -> QuantityComparison:
    compared = QuantityComparison(a.quantity, a.unit, axis_unit=a.axis_unit if a.is_curve else None)
    if why := _why_not_comparable(a, b):
        return replace(compared, why=why)
    common = _same_positions(a, b)
    if not common:
        in_both = {point.x for point in a.points} & {point.x for point in b.points}
        why = "measured with other parameters" if in_both else "measured at other points"
        return replace(compared, why=why)
    pooled = a.between_visits or b.between_visits
    sides_a, sides_b = (sides_of(side, side.between_visits or pooled) for side in (a, b))
    controls = {}
    if control and not _why_not_comparable(a, control):
        shared = _same_positions(control, b)
        sides = sides_of(control, control.between_visits or pooled)
        controls = {x: side for x, side in sides.items() if x in shared}
    points = tuple(
        compare_point(x, sides_a[x], sides_b[x], controls.get(x), minimum_change) for x in common
    )
    if any(point.is_judged for point in points):
        return replace(compared, points=points)
    fewest = min(min(point.a.processes, point.b.processes) for point in points)
    few = fewest < statistics.PROCESSES_FOR_AN_INTERVAL
    why = "too few fresh processes" if few else "not positive"
    return replace(compared, points=points, why=why)


def compare_all(
    a: Results, b: Results, control: Results, minimum_change: float
) -> tuple[QuantityComparison, ...]:
    """Every quantity that both runs have samples of."""
    return tuple(
        _compare(result, b[name], control.get(name), minimum_change)
        for name, result in a.items()
        if result.has_samples and name in b and b[name].has_samples
    )
