"""The levels of a curve: a table of its regimes, and where they differ from the capacities that
the machine reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say, table
from reckon.show.sentences.verdicts import missing_points
from reckon.show.text import NONE, join_words, literal, plural
from reckon.show.titles import title_of
from reckon.statistics import plateaus
from reckon.statistics.plateaus import Level

Reported = dict[str, float | None]


@dataclass(frozen=True)
class Regime:
    """A level of a curve, and the capacity at which the machine reports that it should end."""

    result: Result
    name: str
    level: Level
    capacity: float | None

    @property
    def end(self) -> str:
        return units.size(self.level.x_last, self.result.axis_unit)

    @property
    def is_last(self) -> bool:
        """Whether the curve ends before it does."""
        return self.level.last == len(self.result.points) - 1

    @property
    def ends_as_reported(self) -> bool:
        """Whether its last point is, within one step, the last that the capacity holds."""
        if self.is_last or not self.capacity:
            return False
        holds = int(np.searchsorted(self.result.axis, self.capacity, side="right")) - 1
        return abs(self.level.last - holds) <= 1

    def row(self) -> list[str]:
        result, level = self.result, self.level
        within = slice(level.first, level.last + 1)
        begin = units.size(level.x_first, result.axis_unit)
        if level.is_ramp:
            span = units.span(np.sort(result.medians[within]), result.unit)
            return [self.name, begin, self.end, span, NONE, NONE]
        clocks = [  # at the level's sizes, as their cycles have a median of their own
            summary.median / time
            for summary, time in zip(result.cycles[within], result.medians[within], strict=False)
        ]
        return [
            self.name,
            begin,
            self.end,
            units.amount(level.y, result.unit),
            units.number(level.y * float(np.median(clocks))) if clocks else NONE,
            units.size(self.capacity, result.axis_unit) if self.capacity else NONE,
        ]


def regimes(result: Result, names: list[str], reported: Reported) -> list[Regime]:
    """The levels of a curve's medians, each with a name from `names`; [] without levels.

    reported: where each should end, by name, in base units of the axis; None if the machine does
    not report it.
    """
    if not (result.is_curve and result.has_samples):
        return []
    levels = plateaus.find(result.axis, result.medians)
    level_names = plateaus.names(levels, names, reported)
    return [
        Regime(result, name, level, reported.get(name))
        for name, level in zip(level_names, levels, strict=True)
    ]


def seen_levels(result: Result, names: list[str], reported: Reported) -> dict[str, Level]:
    """The plateaus that a curve's data show, by the names that regimes() gives them."""
    return {
        regime.name: regime.level
        for regime in regimes(result, names, reported)
        if not regime.level.is_ramp
    }


def capacities(curve: Result) -> Reported:
    """The capacities that the machine reports and the curve was predicted from, in base units, by
    the names of the inputs."""
    return {
        input_.name: input_.value
        for input_ in curve.seal.inputs
        if input_.origin == "machine"
        and isinstance(input_.value, float)
        and units.dimension(input_.unit) == units.dimension(curve.axis_unit)
    }


def _too_few(result: Result) -> Block:
    why = f"{result.state}: {literal(result.reason)}"
    if result.has_samples:
        needed = plateaus.POINTS_FOR_A_LEVEL
        why = f"has {len(result.points)} points, and a curve with levels needs {needed}"
    return say(f"There are no levels to show: `{result.quantity}` {why}.")


_COLUMNS = {
    "Level": 20,
    "From": 10,
    "To": 10,
    "Latency, median over its sizes": 16,
    "Core cycles": 10,
    "The machine reports": 13,
}


def levels(result: Result, names: list[str], reported: Reported, caption: str, name: str) -> Block:
    """The regimes of a curve of times over sizes, and the capacities that are reported.

    names: the plateaus', in order; reported: as regimes() takes it.
    """
    rows = [regime.row() for regime in regimes(result, names, reported)]
    return table(_COLUMNS, rows, caption, name) if rows else _too_few(result)


def levels_verdict(result: Result, names: list[str], reported: Reported) -> Block:
    """Where the regimes that the data show differ from what the machine reports."""
    plateaus_seen = [r for r in regimes(result, names, reported) if not r.level.is_ramp]
    if not plateaus_seen:
        return _too_few(result)
    capacities = {name: capacity for name, capacity in reported.items() if capacity}
    by_name = {regime.name: regime for regime in plateaus_seen}
    agree = [name for name in capacities if name in by_name and by_name[name].ends_as_reported]
    sentences = []
    if agree:
        ends = plural(len(agree), "ends", "each end")
        where = "at the size that the machine reports, give or take one step of the curve"
        sentences.append(f"{join_words(agree)} {ends} {where}.")
    sentences += [
        _difference(result, name, capacity, by_name.get(name))
        for name, capacity in capacities.items()
        if name not in agree
    ]
    sentences += _unexpected_levels(plateaus_seen)
    if len(plateaus_seen) != len(names):
        count = f"{len(plateaus_seen)} {plural(len(plateaus_seen), 'level', 'levels')}"
        expected = f"{len(names)} were expected ({', '.join(names)})"
        sentences.append(f"The data show {count} where {expected}.")
    if not capacities:
        quantity = title_of(result.quantity)
        sentences.append(f"The machine reports no capacities to compare {quantity} with.")
    return say(*sentences, *(f"{sentence}." for sentence in missing_points(result)))


def _difference(result: Result, name: str, capacity: float, regime: Regime | None) -> str:
    """How a level differs from the reported capacity."""
    size = units.size(capacity, result.axis_unit)
    if regime is None:
        return f"No level of its own is seen for {name} ({size} reported)."
    if regime.is_last:
        return f"The curve ends before {name} does ({size} reported)."
    share = f"{100 * regime.level.x_last / capacity:.0f} %"
    pace = units.amount(regime.level.y, result.unit)
    return f"Up to {regime.end}, {share} of the reported {size}, a load takes {name}'s {pace}."


def _unexpected_levels(plateaus_seen: list[Regime]) -> list[str]:
    """The levels that belong to no name: each lies before the next named level's own."""
    sentences = []
    for k, regime in enumerate(plateaus_seen):
        if regime.name == plateaus.ANOTHER:
            later = plateaus_seen[k + 1 :]
            owner = next(other.name for other in later if other.name != regime.name)
            latency = units.amount(regime.level.y, regime.result.unit)
            sentences.append(
                f"The data show another level before {owner}'s own, {latency} up to {regime.end}."
            )
    return sentences
