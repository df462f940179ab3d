"""One quantity in two runs compared: whether it changed, and by how much.

Two runs of one machine differ by more than two processes of one run do: from one minute to the next
its clock, the place of its memory and, on a shared host, its neighbours change. A test across
processes alone therefore finds a difference in every third quantity of two quick runs of the same
guest. A change is named only where all three of these hold:

1. The ranges of the two runs do not touch. A range holds the central 95 % of the trials and the 95
   % prediction interval of one more process (Student's t on logarithms; Hahn and Meeker,
   Statistical Intervals, 1991, section 4.7). A scalar with enough processes for six batches of six
   has the 99 % prediction interval of one more batch's median in place of it, so that bursts
   average out (method of batch means: Law, Simulation Modeling and Analysis, 2015, section 9.5.3).
2. The difference is beyond chance: Welch's test (1947) on the logarithms of the processes' medians.
   It is corrected for the number of comparisons by Benjamini and Hochberg (1995), because many
   quantities may change together after a kernel upgrade; a curve is one comparison (Simes 1986).
3. The medians differ by at least the minimum change.

A quantity is not judged with fewer than six processes in either run, or where the two runs measured
it with other parameters or another peer.

A *control* is a second run of A's machine. B must then differ from both, and the rule is also tried
on A and the control: what it names there shows how often it errs. Runs vary more than processes, so
the run is what has to be repeated (Kalibera and Jones, Rigorous benchmarking in reasonable time,
2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from reckon import records, statistics, units
from reckon.records.result import Result

CHANCE = 0.05  # the share of the named changes that may be due to chance
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
    medians: np.ndarray  # of the processes
    clock_hz: float  # of the core, calibrated with the samples

    @property
    def has_range(self) -> bool:
        """Whether there were enough processes for a range."""
        return not math.isnan(self.low)


@dataclass(frozen=True)
class PointComparison:
    """One quantity in both runs, at one point of its axis."""

    x: float | None
    a: Side
    b: Side
    is_apart: bool = False  # the ranges do not touch, and the medians differ enough
    p: float = math.nan  # of Welch's test; nan where the point is not judged
    control: Side | None = None

    @property
    def is_judged(self) -> bool:
        """Whether both runs have a range there."""
        return not math.isnan(self.p)

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
        """The 95 % interval of the ratio, by drawing processes again."""
        if not self.is_judged:
            return math.nan, math.nan
        return statistics.ratio_interval(self.a.medians, self.b.medians)

    def visible_from(self, minimum_change: float = 0.0) -> float:
        """The smallest ratio, up or down, that would be a change from A and from the control."""
        before = [self.a, self.control] if self.control else [self.a]
        low, high = min(side.low for side in before), max(side.high for side in before)
        a, b = self.a, self.b
        up = high / a.median * b.median / b.low if b.low > 0 else math.inf
        down = a.median / low * b.high / b.median if low > 0 else math.inf
        off = max(max(side.median / a.median, a.median / side.median) for side in before)
        return max(up, down, (1 + minimum_change) * off)


@dataclass(frozen=True)
class QuantityComparison:
    """One quantity in both runs."""

    quantity: str
    unit: str
    axis_unit: str | None
    points: tuple[PointComparison, ...] = ()
    p: float = math.nan  # corrected for all comparisons
    why: str = ""  # it is not judged

    @property
    def is_judged(self) -> bool:
        """Whether the rule could be applied; `why` says why not."""
        return not self.why

    @property
    def has_changed(self) -> bool:
        """Whether the rule of this module names a change."""
        return self.is_judged and self.p < CHANCE and any(point.is_apart for point in self.points)

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


def _sides(result: Result) -> dict[float | None, Side]:
    """Every point of a quantity that has samples.

    The trials' spread, as a share of the median, is the widest of all points of a curve: a mode
    that comes and goes may have been missed at one of them.
    """
    medians = {point.x: result.process_medians(point) for point in result.points}
    shares = [
        np.percentile(np.concatenate(result.trials(point)), _CENTRAL_PERCENTILES)
        / np.median(medians[point.x])
        for point in result.points
        if _can_be_judged(medians[point.x])
    ]
    sides = {}
    for point in result.points:
        values = medians[point.x]
        median, low, high = float(np.median(values)), math.nan, math.nan
        if _can_be_judged(values):
            batches = None if result.is_curve else _batch_range(values)
            low, high = batches or statistics.prediction_interval(values)
            if not batches:
                low = min(low, median * float(np.min(shares)))
                high = max(high, median * float(np.max(shares)))
        clock_hz = float(np.median(result.core_clocks_hz(point)))
        sides[point.x] = Side(median, low, high, values, clock_hz)
    return sides


def _compare_point(
    x: float | None, a: Side, b: Side, control: Side | None, minimum_change: float
) -> PointComparison:
    if not b.has_range or not a.has_range:
        return PointComparison(x, a, b)
    control = control if control and control.has_range else None
    before = [a, control] if control else [a]
    beyond = b.low > max(side.high for side in before) or b.high < min(side.low for side in before)
    enough = all(
        max(b.median, side.median) >= (1 + minimum_change) * min(b.median, side.median)
        for side in before
    )
    p = max(statistics.same_level(side.medians, b.medians) for side in before)
    return PointComparison(x, a, b, is_apart=beyond and enough, p=p, control=control)


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
    sides_a, sides_b, controls = _sides(a), _sides(b), {}
    if control and not _why_not_comparable(a, control):
        shared = _same_positions(control, b)
        controls = {x: side for x, side in _sides(control).items() if x in shared}
    points = tuple(
        _compare_point(x, sides_a[x], sides_b[x], controls.get(x), minimum_change) for x in common
    )
    if any(point.is_judged for point in points):
        return replace(compared, points=points)
    fewest = min(min(len(point.a.medians), len(point.b.medians)) for point in points)
    few = fewest < statistics.PROCESSES_FOR_AN_INTERVAL
    why = "too few fresh processes" if few else "not positive"
    return replace(compared, points=points, why=why)


def _corrected(compared: list[QuantityComparison]) -> tuple[QuantityComparison, ...]:
    """The same with each quantity's p: Simes over its points, Benjamini and Hochberg over all."""
    from scipy.stats import false_discovery_control

    raw = [
        false_discovery_control([point.p for point in quantity.points if point.is_judged]).min()
        for quantity in compared
        if quantity.is_judged
    ]
    corrected = iter(false_discovery_control(raw) if raw else ())
    return tuple(
        replace(quantity, p=float(next(corrected))) if quantity.is_judged else quantity
        for quantity in compared
    )


def compare_all(
    a: Results, b: Results, control: Results, minimum_change: float
) -> tuple[QuantityComparison, ...]:
    """Every quantity that both runs have samples of."""
    return _corrected(
        [
            _compare(result, b[name], control.get(name), minimum_change)
            for name, result in a.items()
            if result.has_samples and name in b and b[name].has_samples
        ]
    )
