"""Two runs side by side: what changed beyond the spread, and what did not.

What makes two runs of one machine differ is not what makes two processes of one run differ: processes share
their minute, and minutes apart a machine is another one (its neighbours on a shared host, its clock, where
memory lies). A test across processes alone asks whether two minutes were alike, and they hardly ever are: of two
quick runs of the same guest it named every third quantity, corrected for many comparisons and all. So a change
is named only where all of this holds:

1. *Beyond the spread*: the ranges of the two runs do not touch. A quantity's range in a run takes in the
   central 95 % of its trials, whichever process they are of, and the 95 % prediction interval of one more fresh
   process (Student's t on logarithms; Hahn and Meeker, Statistical Intervals, 1991, section 4.7). That range does
   not shrink as a run takes longer. Where a run has processes enough for six batches of six, in the order in which
   they ran, it is the 99 % prediction interval of one more batch's median: bursts average out, and what is slower
   than they are stays in (method of batch means: Law, Simulation Modeling and Analysis, 2015, section 9.5.3).
2. *Beyond chance*: Welch's test (1947) across the processes' medians, on logarithms, corrected for many
   comparisons by Benjamini and Hochberg (1995): of what is named, at most 5 % is by chance. Not by Holm or
   Bonferroni, which guard against a single false name: after a kernel upgrade many quantities change together.
   The places of a curve count as one comparison (Simes 1986). Where six processes' ranges do not touch, p is
   below 1e-5 where both spread alike, and about 1e-3 where one of them hardly spreads: the first rule is the
   stricter one for a few quantities, and this one counts where thousands are compared.
3. *Worth naming*: the medians are at least `least` apart, 5 % unless asked for otherwise.

The rest is not judged: below six processes in either run the spread is not known (statistics.py), and what was measured in
another way, with other parameters or against another host is another thing.

A *control* is a second run of A's machine. B must then be apart from both, so that A's range is what A's machine
does in two different minutes; and the rule itself is tried on A and the control, which differ in nothing: what
it names there is how often it errs here. Kalibera and Jones (Rigorous benchmarking in reasonable time, 2013) say
why: what varies most is to be repeated most, here the whole run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from reckon import records, statistics, units
from reckon.config import ReckonError
from reckon.records.result import Result, all_results, told_trials

LEAST = 0.05
CHANCE = 0.05  # of what is named, so much may be by chance
_CENTRAL = (2.5, 97.5)
_BATCHES_LEAST, _OF_BATCHES = 6, 0.99


@dataclass(frozen=True)
class Side:
    """One run's figure at one place, in base units."""

    median: float
    low: float = math.nan  # the range
    high: float = math.nan
    medians: np.ndarray = field(default_factory=lambda: np.array([]))  # of the processes
    clock_hz: float = math.nan  # of the core, calibrated beside the samples

    judged = property(lambda self: not math.isnan(self.low))


@dataclass(frozen=True)
class Place:
    """One quantity in both runs, at one place of its axis."""

    x: float | None
    a: Side
    b: Side
    apart: bool  # ranges and medians
    p: float  # of Welch's test; nan where it is not judged
    control: Side | None = None  # the control's, where it is judged there

    @property
    def ratio(self) -> float:
        return self.b.median / self.a.median if self.a.median else math.nan

    @property
    def cycles_ratio(self) -> float:
        """The ratio of a time told in core cycles: a clock that changed takes no part."""
        return self.ratio * self.b.clock_hz / self.a.clock_hz

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the ratio, by drawing processes anew."""
        return (
            statistics.ratio_interval(self.a.medians, self.b.medians)
            if self.judged
            else (math.nan, math.nan)
        )

    judged = property(lambda self: not math.isnan(self.p))

    def seen_from(self, least: float = 0.0) -> float:
        """From which ratio on (up or down) a change would leave the ranges apart and the medians by `least`: from
        A's, and from the control's too."""
        known = [self.a, *([self.control] if self.control else [])]
        low, high = min(s.low for s in known), max(s.high for s in known)
        up = high / self.a.median * self.b.median / self.b.low if self.b.low > 0 else math.inf
        down = self.a.median / low * self.b.high / self.b.median if low > 0 else math.inf
        off = max(max(s.median / self.a.median, self.a.median / s.median) for s in known)
        return max(up, down, (1 + least) * off)


@dataclass(frozen=True)
class Compared:
    """One quantity in both runs."""

    quantity: str
    unit: str
    axis_unit: str | None
    places: tuple[Place, ...]
    p: float = math.nan  # corrected for all comparisons
    why: str = ""  # it is not judged

    judged = property(lambda self: not self.why)

    @property
    def changed(self) -> bool:
        return self.judged and self.p < CHANCE and any(place.apart for place in self.places)

    @property
    def told(self) -> Place:
        """The place of the largest change; among those that are apart, if any is."""
        known = [p for p in self.places if p.ratio > 0] or list(self.places)
        most = [p for p in known if p.apart] or [p for p in known if p.judged] or known
        return max(most, key=lambda p: abs(math.log(p.ratio)) if p.ratio > 0 else 0)

    @property
    def ratio(self) -> float:
        """Of a curve, the median over its places."""
        return float(np.median([place.ratio for place in self.places]))

    @property
    def is_time(self) -> bool:
        return units.dimension(self.unit) == units.dimension("s")

    @property
    def way(self) -> str:
        """In a word, of what changed: a time that grew is slower, a rate that grew is faster. The rate of a counter
        is neither: it counts more often, and nothing takes longer."""
        if not self.changed:
            return ""
        more, dimension = self.told.ratio > 1, units.dimension(self.unit)
        if self.is_time:
            return "slower" if more else "faster"
        if dimension.get("[time]", 0) == -1 and not dimension.get("[tick]", 0):
            return "faster" if more else "slower"
        return "more" if more else "less"

    def seen_from(self, least: float = 0.0) -> float:
        """From which ratio on a change of the whole quantity would have been seen."""
        return min(place.seen_from(least) for place in self.places if place.judged)

    @property
    def controlled(self) -> bool:
        """Whether all that is apart from A was held against the control too."""
        return all(place.control for place in self.places if place.apart)


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side."""

    a: str  # the runs as they are called here: two may have one name
    b: str
    least: float
    found: tuple[Compared, ...]
    only: tuple[list[str], list[str]]  # what A and B alone have, each with the reason
    machines: tuple[records.Run, records.Run]
    clock_hz: tuple[float, float]
    control: str | None = None
    erred: tuple[str, ...] = ()  # what the rule names between A and the control
    tried: int = 0  # of so many

    judged = property(lambda self: [one for one in self.found if one.judged])
    unjudged = property(lambda self: [one for one in self.found if not one.judged])
    same = property(lambda self: [one for one in self.judged if not one.changed])

    @property
    def changed(self) -> list[Compared]:
        """From most to least."""
        return sorted(
            (one for one in self.found if one.changed),
            key=lambda one: -abs(math.log(one.told.ratio)),
        )

    def resolving(self, ratio: float) -> int:
        """In how many quantities a change by that ratio would have been seen."""
        return sum(one.seen_from(self.least) <= ratio for one in self.judged)


def _batches(medians: np.ndarray) -> tuple[float, float] | None:
    """The range by batches of processes; None where there are too few."""
    n = len(medians) // statistics.PROCESSES_FOR_AN_INTERVAL
    if n < _BATCHES_LEAST:
        return None
    return statistics.prediction_interval(
        [np.median(batch) for batch in np.array_split(medians, n)], _OF_BATCHES
    )


def _side(point: records.Point, one: Result, trials: tuple[float, float] | None = None) -> Side:
    """trials: the range of the trials over all places of the curve, as shares of the median; at a single
    place a mode that comes and goes may have been missed."""
    m = one.measurement
    values = [
        told_trials(p.ticks, p.ops, m.op, m.tick_hz, one.unit, one.seal.kind)
        for p in point.processes
    ]
    medians = np.array([np.median(v) for v in values])
    middle = float(np.median(medians))
    clock = m.tick_hz * float(
        np.median(
            [(p.cycles_per_tick_before + p.cycles_per_tick_after) / 2 for p in point.processes]
        )
    )
    if (
        len(medians) < statistics.PROCESSES_FOR_AN_INTERVAL
        or medians.min() <= 0
        or not np.isfinite(medians).all()
    ):
        return Side(middle, medians=medians, clock_hz=clock)
    if not one.is_curve and (batches := _batches(medians)):
        return Side(middle, *batches, medians, clock)
    ends = np.percentile(np.concatenate(values), _CENTRAL)
    if trials is None:
        return Side(middle, *ends, medians, clock)
    next_one = statistics.prediction_interval(medians)
    return Side(
        middle,
        float(min(ends[0], middle * trials[0], next_one[0])),
        float(max(ends[1], middle * trials[1], next_one[1])),
        medians,
        clock,
    )


def _sides(one: Result) -> dict[float | None, Side]:
    """Every place of a quantity that has samples."""
    first = [side for side in (_side(point, one) for point in one.points) if side.judged]
    if not first:
        return {point.x: _side(point, one) for point in one.points}
    trials = min(s.low / s.median for s in first), max(s.high / s.median for s in first)
    return {point.x: _side(point, one, trials) for point in one.points}


def _place(x, sides: list[Side], b: Side, least: float) -> Place:
    """`sides`: A's, and the control's where there is one; B is compared with each."""
    a = sides[0]
    if not b.judged or not a.judged:
        return Place(x, a, b, False, math.nan)
    known = [side for side in sides if side.judged]
    beyond = b.low > max(s.high for s in known) or b.high < min(s.low for s in known)
    worth = all(max(b.median, s.median) >= (1 + least) * min(b.median, s.median) for s in known)
    p = max(statistics.same_level(s.medians, b.medians) for s in known)
    return Place(x, a, b, beyond and worth, p, known[1] if known[1:] else None)


def _otherwise(one: Result, other: Result) -> str:
    """Why the samples of one do not tell the same as those of the other; parameters are held point by point. The
    parameter peer="other" is the same for every other host."""
    how = lambda m: (m.probe, m.op, m.timed, m.warmup, m.priority)  # noqa: E731
    if one.is_curve != other.is_curve or units.dimension(one.unit) != units.dimension(other.unit):
        return "another kind of quantity"
    if how(one.measurement) != how(other.measurement):
        return "measured in another way"
    return "" if one.measurement.peer == other.measurement.peer else "measured with another peer"


def _compare(one: Result, other: Result, control: Result | None, least: float) -> Compared:
    axis_unit = one.axis_unit if one.is_curve else None
    nothing = lambda why: Compared(one.quantity, one.unit, axis_unit, (), why=why)  # noqa: E731
    if why := _otherwise(one, other):
        return nothing(why)
    params = {point.x: point.params for point in other.points}
    common = [p.x for p in one.points if p.x in params]
    alike = [p.x for p in one.points if params.get(p.x) == p.params]
    if not alike:
        return nothing("measured with other parameters" if common else "measured at other places")
    if control and _otherwise(one, control):
        control = None
    again = {p.x for p in control.points if params.get(p.x) == p.params} if control else ()
    sides = [
        _sides(one),
        _sides(other),
        {x: s for x, s in _sides(control).items() if x in again} if control else {},
    ]
    places = tuple(
        _place(x, [s[x] for s in (sides[0], sides[2]) if x in s], sides[1][x], least) for x in alike
    )
    if any(place.judged for place in places):
        return Compared(one.quantity, one.unit, axis_unit, places)
    few = any(
        min(len(p.a.medians), len(p.b.medians)) < statistics.PROCESSES_FOR_AN_INTERVAL
        for p in places
    )
    return Compared(
        one.quantity,
        one.unit,
        axis_unit,
        places,
        why="too few fresh processes" if few else "not positive",
    )


def _corrected(found: list[Compared]) -> tuple[Compared, ...]:
    """With each quantity's p: Simes's over its places, Benjamini and Hochberg's over all quantities."""
    from scipy.stats import false_discovery_control

    judged = [one for one in found if one.judged]
    raw = [false_discovery_control([p.p for p in one.places if p.judged]).min() for one in judged]
    corrected = iter(false_discovery_control(raw) if raw else ())
    return tuple(replace(one, p=float(next(corrected))) if one.judged else one for one in found)


def _alone(mine: dict[str, Result], theirs: dict[str, Result]) -> list[str]:
    """What has samples here alone, with the reason why not there."""
    reason = lambda name: (
        f" ({theirs[name].state}: {theirs[name].reason})" if name in theirs else ""
    )  # noqa: E731
    return [
        name + reason(name)
        for name, one in mine.items()
        if one.has_samples and not (name in theirs and theirs[name].has_samples)
    ]


def _clock(found: dict[str, Result]) -> float:
    known = [
        side.clock_hz
        for one in found.values()
        if one.has_samples
        for side in [_side(one.points[0], one)]
    ]
    return float(np.median(known)) if known else math.nan


def _called(runs: list[records.Run], given: list[str]) -> list[str]:
    """The runs' names; what was typed where two have the same."""
    names = [run.name for run in runs]
    return [
        typed if names.count(name) > 1 else name for name, typed in zip(names, given, strict=True)
    ]


def compare(
    a: str | Path, b: str | Path, control: str | Path | None = None, least: float = LEAST
) -> Comparison:
    """B against A, each a run's name or its folder. control: a second run of A's machine. least: the least
    effect worth naming, as a share. Raises ReckonError where a run is not there, where two are the same or
    where they have nothing in common."""
    given = [run for run in (a, b, control) if run is not None]
    folders = [records.find(run if isinstance(run, str) else f"{run}/") for run in given]
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ReckonError(
            "A run cannot be compared with itself; give different ones as A, B and CONTROL."
        )
    runs = [records.read_run(folder) for folder in folders]
    in_a, in_b, *more = (
        {one.quantity: one for one in all_results(folder, only_measured=True)} for folder in folders
    )
    name_a, name_b, *name_control = _called(runs, [str(run) for run in given])
    in_control = more[0] if more else {}
    pairs = _pairs(in_a, in_b)
    if not pairs:
        raise ReckonError(f"The runs {name_a} and {name_b} have no measured quantity in common.")
    if more and runs[2].identity != runs[0].identity:
        raise ReckonError(
            f"The run {name_control[0]} is no control: it was recorded on another machine or "
            f"kernel than {name_a}."
        )
    found = _corrected([_compare(*pair, in_control.get(pair[0].quantity), least) for pair in pairs])
    tried = _corrected([_compare(*pair, None, least) for pair in _pairs(in_a, in_control)])
    return Comparison(
        name_a,
        name_b,
        least,
        found,
        (_alone(in_a, in_b), _alone(in_b, in_a)),
        (runs[0], runs[1]),
        (_clock(in_a), _clock(in_b)),
        name_control[0] if more else None,
        tuple(one.quantity for one in tried if one.changed),
        sum(one.judged for one in tried),
    )


def _pairs(mine: dict[str, Result], theirs: dict[str, Result]) -> list[tuple[Result, Result]]:
    """What both have samples of; a control of its own kind alone."""
    return [
        (one, theirs[name])
        for name, one in mine.items()
        if one.has_samples and name in theirs and theirs[name].has_samples
    ]
