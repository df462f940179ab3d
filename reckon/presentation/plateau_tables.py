"""What a curve's levels say: a table of regimes, and where they differ from what is reported."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.presentation.block import Block, grid, label, say
from reckon.presentation.verdicts import not_measured
from reckon.records.result import Result
from reckon.statistics import plateaus as found_levels
from reckon.statistics.plateaus import Level


def regimes(one: Result, names: list[str], reported: dict) -> list[tuple[str, Level]]:
    """The levels of a curve's medians with their names; x and y in base units. [] without."""
    if not (one.is_curve and one.has_samples):
        return []
    found = found_levels.find(one.axis, one.medians)
    return list(zip(found_levels.names(found, names, reported), found, strict=True))


def _size(one: Result, x: float) -> str:
    return units.size(float(x), one.axis_unit)


def _time(one: Result, y: float) -> str:
    return units.amount(y, one.unit)


def _too_few(one: Result) -> Block:
    if not one.has_samples:
        return say(f"There are no levels to show: `{one.quantity}` {one.state}: {one.reason}.")
    return say(
        f"There are no levels to show: `{one.quantity}` has {len(one.points)} points, and a curve "
        f"with levels needs {found_levels.POINTS_FOR_A_LEVEL}."
    )


def _ends_at(one: Result, level: Level, capacity: float) -> bool:
    """Whether the level's last point is, within one step, the last one that the capacity holds."""
    return abs(level.last - (np.searchsorted(one.axis, capacity, side="right") - 1)) <= 1


def _ends_there(one: Result, name: str, level: Level, reported: dict) -> str:
    capacity = reported.get(name)
    if level.ramp or name == found_levels.ANOTHER:
        return "–"
    if level.last == len(one.points) - 1:
        return "not seen: the curve ends"
    if not capacity:
        return "not reported"
    if _ends_at(one, level, capacity):
        return "yes, within one step"
    share = _share(level, capacity)
    return f"ends at {_size(one, level.x_last)}, {share} the reported {_size(one, capacity)}"


def _share(level: Level, capacity: float) -> str:
    return f"{100 * level.x_last / capacity:.0f} % of"


def levels(one: Result, names: list[str], reported: dict, caption: str, name: str) -> Block:
    """The regimes of a curve of times over sizes, found from the data, beside what is reported.

    `names` are the plateaus' in order, `reported` says where each should end (name -> base unit of
    the axis, None where the machine does not say).
    """
    told = regimes(one, names, reported)
    if not told:
        return _too_few(one)
    rows = []
    for title, level in told:
        within = slice(level.first, level.last + 1)
        if level.ramp:
            several = level.last > level.first
            value = (
                units.span(np.sort(one.medians[within]), one.unit)
                if several
                else _time(one, level.y)
            )
            cycles = "–"
        else:
            value = _time(one, level.y)
            cycles = (
                units.number(np.median([c.median for c in one.cycles[within]]))
                if one.cycles
                else "–"
            )
        capacity = None if level.ramp else reported.get(title)
        rows.append(
            [
                title,
                _size(one, level.x_first),
                _size(one, level.x_last),
                value,
                cycles,
                _size(one, capacity) if capacity else "–",
                _ends_there(one, title, level, reported),
            ]
        )
    return grid(
        [
            "Regime",
            "From",
            "To",
            "Latency, median",
            "Core cycles",
            "The machine reports",
            "Ends there?",
        ],
        rows,
        caption,
        name,
        [20, 10, 10, 16, 10, 13, 21],
    )


def levels_verdict(one: Result, names: list[str], reported: dict) -> Block:
    """Where the regimes that the data show differ from what the machine reports: sentences."""
    told = regimes(one, names, reported)
    if not told:
        return _too_few(one)
    plateaus = {title: level for title, level in told if not level.ramp}
    differs, agrees = [], []
    for title, capacity in reported.items():
        level = plateaus.get(title)
        if not capacity:
            continue
        if level is None:
            differs.append(
                f"No level of its own is seen for {title} ({_size(one, capacity)} reported)."
            )
        elif level.last == len(one.points) - 1:
            differs.append(f"The curve ends before {title} does ({_size(one, capacity)} reported).")
        elif _ends_at(one, level, capacity):
            agrees.append(title)
        else:
            differs.append(
                f"The data show {title} ending at {_size(one, level.x_last)}, the machine reports "
                f"{_size(one, capacity)}: it keeps its speed for {_share(level, capacity)} that."
            )
    flat = [(title, level) for title, level in told if not level.ramp]
    for k, (title, level) in enumerate(flat):
        if title == found_levels.ANOTHER:  # of several with one name the last has it
            owner = next(name for name, _ in flat[k + 1 :] if name != title)
            differs.append(
                f"The data show another level before {owner}'s own, {_time(one, level.y)} up to "
                f"{_size(one, level.x_last)}."
            )
    count = len(flat)
    if count != len(names):
        differs.append(
            f"The data show {count} level{'s' if count != 1 else ''} where {len(names)} were expected "
            f"({', '.join(names)})."
        )
    if agrees:
        ends = "ends" if len(agrees) == 1 else "each end"
        differs.insert(0, f"{_listed(agrees)} {ends} where the machine reports, within one step.")
    if not any(reported.values()):
        differs.append(f"The machine reports no capacities to compare {label(one.quantity)} with.")
    return say(*differs, *(f"{sentence}." for sentence in not_measured(one)))


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
