"""The levels of a curve: a table of its regimes, and where they differ from what is reported."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.presentation.block import Block, label, say, table
from reckon.presentation.text import NONE, first_case, joined, verb
from reckon.presentation.verdicts import not_measured
from reckon.records.result import Result
from reckon.statistics import plateaus
from reckon.statistics.plateaus import Level


def regimes(result: Result, names: list[str], reported: dict) -> list[tuple[str, Level]]:
    """The levels of a curve's medians with their names, x and y in base units; [] without."""
    if not (result.is_curve and result.has_samples):
        return []
    levels = plateaus.find(result.axis, result.medians)
    return list(zip(plateaus.names(levels, names, reported), levels, strict=True))


def _size(result: Result, x: float) -> str:
    return units.size(float(x), result.axis_unit)


def _too_few(result: Result) -> Block:
    why = f"{result.state}: {result.reason}"
    if result.has_samples:
        least = plateaus.POINTS_FOR_A_LEVEL
        why = f"has {len(result.points)} points, and a curve with levels needs {least}"
    return say(f"There are no levels to show: `{result.quantity}` {why}.")


def _is_last(result: Result, level: Level) -> bool:
    return level.last == len(result.points) - 1


def _ends_at(result: Result, level: Level, capacity: float) -> bool:
    """Whether the level's last point is, within one step, the last that the capacity holds."""
    holds = np.searchsorted(result.axis, capacity, side="right") - 1
    return abs(level.last - holds) <= 1


def _ends_there(result: Result, name: str, level: Level, capacity: float | None) -> str:
    if level.ramp or name == plateaus.ANOTHER:
        return NONE
    if _is_last(result, level):
        return "not seen: the curve ends"
    if not capacity:
        return "not reported"
    if _ends_at(result, level, capacity):
        return "yes, within one step"
    end, size = _size(result, level.x_last), _size(result, capacity)
    return f"ends at {end}, {_share(level, capacity)} the reported {size}"


def _share(level: Level, capacity: float) -> str:
    return f"{100 * level.x_last / capacity:.0f} % of"


_COLUMNS = {
    "Regime": 20,
    "From": 10,
    "To": 10,
    "Latency, median": 16,
    "Core cycles": 10,
    "The machine reports": 13,
    "Ends there?": 21,
}


def levels(result: Result, names: list[str], reported: dict, caption: str, name: str) -> Block:
    """The regimes of a curve of times over sizes, beside the capacities that are reported.

    names: the plateaus', in order. reported: where each should end, by name, in base units of the
    axis; None if the machine does not report it.
    """
    named_levels = regimes(result, names, reported)
    if not named_levels:
        return _too_few(result)
    rows = [_row(result, title, level, reported.get(title)) for title, level in named_levels]
    return table(_COLUMNS, rows, caption, name)


def _row(result: Result, title: str, level: Level, capacity: float | None) -> list[str]:
    within = slice(level.first, level.last + 1)
    value, cycles, size = units.amount(level.y, result.unit), NONE, NONE
    if level.ramp:
        if level.last > level.first:
            value = units.span(np.sort(result.medians[within]), result.unit)
    else:
        size = _size(result, capacity) if capacity else NONE
        if result.cycles:
            cycles = units.number(np.median([c.median for c in result.cycles[within]]))
    return [
        title,
        _size(result, level.x_first),
        _size(result, level.x_last),
        value,
        cycles,
        size,
        _ends_there(result, title, level, capacity),
    ]


def levels_verdict(result: Result, names: list[str], reported: dict) -> Block:
    """Where the regimes that the data show differ from what the machine reports."""
    named_levels = regimes(result, names, reported)
    if not named_levels:
        return _too_few(result)
    flat = [(title, level) for title, level in named_levels if not level.ramp]
    by_name, capacities = dict(flat), {name: x for name, x in reported.items() if x}
    agree = [
        name
        for name, capacity in capacities.items()
        if (level := by_name.get(name))
        and not _is_last(result, level)
        and _ends_at(result, level, capacity)
    ]
    ends = f"{joined(agree)} {verb(len(agree), 'ends', 'each end')}"
    counted = f"{len(flat)} {verb(len(flat), 'level', 'levels')}"
    return say(
        f"{ends} where the machine reports, within one step." if agree else "",
        *(
            _differs(result, name, by_name.get(name), capacity)
            for name, capacity in capacities.items()
            if name not in agree
        ),
        *_unexpected(result, flat),
        first_case(
            (
                len(flat) != len(names),
                f"The data show {counted} where {len(names)} were expected ({', '.join(names)}).",
            )
        ),
        first_case(
            (
                not capacities,
                f"The machine reports no capacities to compare {label(result.quantity)} with.",
            )
        ),
        *(f"{sentence}." for sentence in not_measured(result)),
    )


def _differs(result: Result, name: str, level: Level | None, capacity: float) -> str:
    """How a level differs from the reported capacity."""
    size = _size(result, capacity)
    if level is None:
        return f"No level of its own is seen for {name} ({size} reported)."
    if _is_last(result, level):
        return f"The curve ends before {name} does ({size} reported)."
    return (
        f"The data show {name} ending at {_size(result, level.x_last)}, the machine reports "
        f"{size}: "
        f"it keeps its speed for {_share(level, capacity)} that."
    )


def _unexpected(result: Result, flat: list[tuple[str, Level]]) -> list[str]:
    """The levels that belong to no name: each lies before the next named level's own."""
    sentences = []
    for k, (title, level) in enumerate(flat):
        if title == plateaus.ANOTHER:
            owner = next(name for name, _ in flat[k + 1 :] if name != title)
            sentences.append(
                f"The data show another level before {owner}'s own, "
                f"{units.amount(level.y, result.unit)} up to {_size(result, level.x_last)}."
            )
    return sentences
