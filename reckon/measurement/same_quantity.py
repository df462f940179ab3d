"""One quantity shown twice: on two pages, on a page and on a curve, or measured again.

Two values are of one quantity if the same probe gave them with the same parameters, or if
book/methods.toml says so.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reckon import records, units
from reckon.comparison.reports.method_groups import Place, same_quantities
from reckon.measurement import library
from reckon.records.quantities.result import Result
from reckon.statistics import Summary

_SAME_SIZE = 1.05  # sizes nearer than this factor are one: a curve has steps of its own
_SIZE = "_bytes"


@dataclass(frozen=True)
class Shown:
    """A value that a table, a figure or a sentence shows: a quantity, or one point of a curve."""

    result: Result
    index: int

    @property
    def point(self) -> records.Point:
        return self.result.points[self.index]

    @property
    def summary(self) -> Summary:
        return self.result.summaries[self.index]

    @property
    def is_again(self) -> bool:
        """Whether the methods were measured in turn with others, and not on the quantity's page."""
        return self.result.quantity.startswith(records.METHODS_PREFIX)

    @property
    def visits(self) -> int:
        return max(1, len(self.summary.visit_medians))

    def parameters(self) -> dict[str, int | str]:
        """What its probe was given; by default what the probe takes then."""
        measurement = self.result.measurement
        assert measurement  # it has samples
        probe = library.probes().get(measurement.probe)
        return {**(probe.defaults if probe else {}), **measurement.params, **self.point.params}


@dataclass(frozen=True)
class Disagreement:
    """Two values of one quantity whose intervals do not overlap."""

    first: Shown
    second: Shown
    differs: str = ""  # between how they are measured, as book/methods.toml has it
    # By what factor the middle one of its chapter's quantities differs between the run's visits;
    # nan if none has several, or if one of the two has: then its own interval holds the drift.
    drift: float = math.nan

    @property
    def factor(self) -> float:
        """How many times the smaller value the larger is; infinite where one is not positive."""
        low, high = sorted((self.first.summary.median, self.second.summary.median))
        return high / low if low > 0 else math.inf

    @property
    def is_drift(self) -> bool:
        """Whether both are of one visit, and differ no more than others do between visits."""
        return self.factor <= self.drift

    @property
    def is_explained(self) -> bool:
        """Whether a difference in measuring is known, or the machine's drift is as large."""
        return bool(self.differs) or self.is_drift


def disagreements(results: Iterable[Result]) -> list[Disagreement]:
    """Every pair of values of one quantity whose intervals do not overlap, farthest apart first."""
    measured = {result.quantity: result for result in results if result.has_samples}
    drifts: dict[str, list[float]] = defaultdict(list)
    for result in measured.values():
        visits = result.summaries[0].visit_medians
        if len(visits) > 1 and min(visits) > 0:
            drifts[result.experiment].append(max(visits) / min(visits))
    found = []
    for pair in _pairs(measured):
        if pair.first.summary.apart(pair.second.summary):
            of_chapter = drifts[pair.first.result.experiment]
            is_known = of_chapter and pair.first.visits == pair.second.visits == 1
            drift = statistics.median(of_chapter) if is_known else math.nan
            found.append(replace(pair, drift=drift))
    return sorted(found, key=lambda pair: -pair.factor)


def _pairs(measured: dict[str, Result]) -> Iterator[Disagreement]:
    for same in same_quantities():
        first, second = (_at(place, measured) for place in same.values)
        if first and second:
            yield Disagreement(first, second, same.differs)
    alike: dict[tuple, list[tuple[Shown, dict[str, int]]]] = defaultdict(list)
    for result in measured.values():
        if result.measurement and not result.measurement.is_derived:
            for index in range(len(result.points)):
                shown = Shown(result, index)
                parameters = shown.parameters()
                sizes = _sizes(parameters)
                alike[_key(shown, parameters, sizes)].append((shown, sizes))
    for values in alike.values():
        for (first, sizes), (second, others) in itertools.combinations(values, 2):
            if first.result is not second.result and _are_near(sizes, others):
                first, second = sorted((first, second), key=lambda each: each.is_again)
                yield Disagreement(first, second)


def _at(place: Place, measured: dict[str, Result]) -> Shown | None:
    result = measured.get(place.quantity)
    index = result.point_index(place.at) if result else None
    return None if result is None or index is None else Shown(result, index)


def _sizes(parameters: dict[str, int | str]) -> dict[str, int]:
    """The parameters that are sizes, which may differ a little."""
    return {
        name: value
        for name, value in parameters.items()
        if name.endswith(_SIZE) and isinstance(value, int)
    }


def _key(shown: Shown, parameters: dict[str, int | str], sizes: dict[str, int]) -> tuple:
    """What values of one quantity have in common: their probe and what it was given but sizes."""
    result = shown.result
    assert result.measurement
    dimension, is_mean = units.dimension(result.unit), result.seal.kind == "mean"
    others = frozenset(each for each in parameters.items() if each[0] not in sizes)
    return result.measurement.probe, dimension, is_mean, others, frozenset(sizes)


def _are_near(sizes: dict[str, int], others: dict[str, int]) -> bool:
    return all(_is_near(size, others[name]) for name, size in sizes.items())


def _is_near(a: int, b: int) -> bool:
    return a == b or min(a, b) > 0 and max(a, b) < _SAME_SIZE * min(a, b)
