"""A comparison of two runs, told: as text, as JSON and as tables of a page."""

from __future__ import annotations

import math
from collections import Counter

from reckon import records, units
from reckon.comparison.two_runs import CHANCE, Comparison, Place, QuantityComparison
from reckon.computer.description import FIELDS, SECTIONS
from reckon.config import ReckonError, runs_dir
from reckon.presentation.block import Block, grid, say
from reckon.records.result import all_results

_POWER = (1.1, 1.3, 2.0, 3.0)  # effects whose share is told
_CLOCK_MOVED = 0.01
# What tells of a minute, not of a machine.
_PASSING = ("load", "steal time", "free memory", "free disk")
_WIDE = 40  # characters of a value in the text


def described(a: records.Run, b: records.Run) -> list[tuple[str, str, str]]:
    """What the descriptions of two machines differ in: (what, in A, in B)."""
    found = []
    for section in dict.fromkeys([*a.machine, *b.machine]):
        for key in dict.fromkeys([*a.machine.get(section, {}), *b.machine.get(section, {})]):
            title, unit = FIELDS.get((section, key), (key, ""))
            told = [
                _value(run.machine.get(section, {}).get(key, {}).get("value"), unit)
                for run in (a, b)
            ]
            if told[0] != told[1]:
                found.append((f"{SECTIONS.get(section, section)}: {title}", *told))
    checks = [{c["name"]: c["found"] for c in run.fitness} for run in (a, b)]
    for name in dict.fromkeys([*checks[0], *checks[1]]):
        told = [check.get(name, "not reported") for check in checks]
        if told[0] != told[1] and name not in _PASSING:
            found.append((f"Fitness: {name}", *told))
    return found


def _value(value, unit: str) -> str:
    if value is None:
        return "not reported"
    if isinstance(value, str) or unit in ("", "count"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return units.amount(value, unit)


def where(one: QuantityComparison, place: Place) -> str:
    """The quantity, of a curve with the place."""
    return (
        one.quantity
        if place.x is None
        else f"{one.quantity} at {units.place(place.x, one.axis_unit)}"
    )


def _ratio(place: Place) -> str:
    low, high = place.interval
    told = f"{units.number(place.ratio)}×"
    return told if math.isnan(low) else f"{told} ({units.number(low)} to {units.number(high)})"


def _whole(one: QuantityComparison) -> str:
    if len(one.places) == 1 and one.places[0].x is None:
        return ""
    apart = sum(place.apart for place in one.places)
    return f"{apart} of {len(one.places)} places apart, {units.number(one.ratio)}× by the median of all"


def clock(found: Comparison) -> str:
    """What the core clocks were, and what that means for times."""
    a, b = found.clock_hz
    if not (a > 0 and b > 0):
        return "The core clock is not known."
    told = "The core clock was " + " and ".join(
        f"{units.amount(hz, 'Gcycle/s')} in {run}" for hz, run in ((a, found.a), (b, found.b))
    )
    if abs(b / a - 1) < _CLOCK_MOVED:
        return f"{told}: the same within {100 * _CLOCK_MOVED:.0f} %."
    return (
        f"{told}: a time that goes by it alone changes to {units.number(a / b)}×; the ratio in core cycles "
        "is free of that."
    )


def power(found: Comparison) -> str:
    """From which effect on this comparison sees anything."""
    n = len(found.judged)
    if not n:
        return ""
    shares = [
        f"{units.number(ratio)}× in {100 * found.resolving(ratio) / n:.0f} %" for ratio in _POWER
    ]
    return f"By their spread, a change would be seen from {', from '.join(shares)} of them."


def counted(found: Comparison) -> str:
    """How many were judged, why the others not, and what is sure about those that were."""
    why = Counter(one.why for one in found.unjudged)
    text = f"{len(found.judged)} quantities were judged, {len(found.changed)} changed"
    if why:
        text += "; not judged: " + ", ".join(f"{n} ({reason})" for reason, n in why.most_common())
    return f"{text}. {power(found)}".strip()


def controlled(found: Comparison) -> str:
    """What the rule does where nothing changed."""
    if found.control is None:
        return (
            f"There was no control: a second run of {found.a}'s machine would show what its minutes do to "
            "each quantity, and how often the rule errs here."
        )
    named = f" ({', '.join(found.control_changed)})" if found.control_changed else ""
    return (
        f"Control: between {found.a} and {found.control}, one machine twice, the same rule names "
        f"{len(found.control_changed)} of {found.control_judged}{named}; what is named here differs from both{_without(found)}."
    )


def _without(found: Comparison) -> str:
    """How many of the changed were not held against the control."""
    n = sum(not one.controlled for one in found.changed)
    return f", but for {n} that could not be held against {found.control}" if n else ""


def _none(found: Comparison) -> str:
    """The sentence where no change is named."""
    if not found.judged:
        return "Nothing could be judged."
    return (
        f"Nothing changed between {found.a} and {found.b} beyond the spread by {100 * found.least:g} % "
        "or more."
    )


def _line(one: QuantityComparison) -> str:
    place = one.largest
    told = [units.amount(side.median, one.unit) for side in (place.a, place.b)]
    line = f"  {where(one, place):48} {told[0]:>10} → {told[1]:<10} {_ratio(place)} {one.direction}".rstrip()
    return f"{line}; {_whole(one)}" if _whole(one) else line


def text(found: Comparison, every: bool = False) -> str:
    """For a terminal. every: also what did not change, and what was not judged."""
    short = lambda value: value if len(value) <= _WIDE else value[: _WIDE - 1] + "…"  # noqa: E731
    lines = [f"{found.b} against {found.a}", ""]
    apart = described(*found.machines)
    lines += [
        "The machines' descriptions differ:"
        if apart
        else "The machines' descriptions are the same."
    ]
    lines += [f"  {what}: {short(a)} | {short(b)}" for what, a, b in apart]
    lines += [clock(found), counted(found), controlled(found), ""]
    lines += [
        f"Changed beyond the spread, by {100 * found.least:g} % or more:"
        if found.changed
        else _none(found)
    ]
    lines += [_line(one) for one in found.changed]
    for title, these in (
        (f"Not changed: {len(found.same)}", found.same),
        (f"Not judged: {len(found.unjudged)}", found.unjudged),
    ):
        lines.append(title + (":" if every and these else ""))
        lines += [
            _line(one) if one.places else f"  {one.quantity}: {one.why}" for one in these if every
        ]
    for run, names in zip((found.a, found.b), found.only, strict=True):
        if names:
            lines += [f"Only in {run}: {len(names)}", *(f"  {name}" for name in names)]
    return "\n".join(lines)


def runs() -> tuple[list[dict], list[str]]:
    """What there is to compare: every run in the folder of runs, the one opened last first, with the number of
    quantities that have samples; and a sentence for each that cannot be read."""
    folders, troubles = records.runs()
    found = []
    for name, folder in folders.items():
        try:
            run, n = (
                records.read_run(folder),
                sum(one.has_samples for one in all_results(folder, only_measured=True)),
            )
        except ReckonError as error:
            troubles.append(str(error))
            continue
        value = lambda part, key: run.machine.get(part, {}).get(key, {}).get("value")  # noqa: B023, E731
        found.append(
            {
                "name": name,
                "opened": run.opened_at.isoformat(),
                "machine": value("processor", "model"),
                "kernel": (value("system", "kernel") or "").partition(" ")[0] or None,
                "quantities": n,
            }
        )
    return found, troubles


def runs_text(found: list[dict]) -> str:
    """The runs, one line each."""
    if not found:
        return f"There is no run in {runs_dir()}; `make book` makes one."
    rows = [
        [
            one["name"],
            one["opened"][:16].replace("T", " "),
            one["machine"] or "not reported",
            one["kernel"] or "not reported",
            f"{one['quantities']} quantities",
        ]
        for one in found
    ]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{n}}" for cell, n in zip(row, wide, strict=True)).rstrip() for row in rows
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _place_to_dict(one: QuantityComparison, place: Place) -> dict:
    told = lambda value: _number(units.from_base(value, one.unit))  # noqa: E731
    low, high = place.interval
    return {
        "at": None if place.x is None else _number(units.from_base(place.x, one.axis_unit)),
        "a": told(place.a.median),
        "a_range": [told(place.a.low), told(place.a.high)],
        "b": told(place.b.median),
        "b_range": [told(place.b.low), told(place.b.high)],
        "processes": [len(place.a.medians), len(place.b.medians)],
        "ratio": _number(place.ratio),
        "low": _number(low),
        "high": _number(high),
        "apart": place.apart,
        "p": _number(place.p),
        "ratio_in_cycles": _number(place.cycles_ratio) if one.is_time else None,
    }


def to_dict(found: Comparison) -> dict:
    """All of it, for `--json`: values in each quantity's unit, null for what is not known."""
    state = lambda one: "changed" if one.changed else "same" if one.judged else "not judged"  # noqa: E731
    return {
        "a": found.a,
        "b": found.b,
        "control": found.control,
        "least": found.least,
        "chance": CHANCE,
        "core_clock_hz": [_number(hz) for hz in found.clock_hz],
        "differences": [
            {"what": what, "a": a, "b": b} for what, a, b in described(*found.machines)
        ],
        "quantities": [
            {
                "quantity": one.quantity,
                "unit": one.unit,
                "axis_unit": one.axis_unit,
                "state": state(one),
                "why": one.why or None,
                "p": _number(one.p),
                "way": one.direction or None,
                "ratio": _number(one.ratio) if one.places else None,
                "told": _place_to_dict(one, one.largest) if one.places else None,
                "places": [_place_to_dict(one, place) for place in one.places],
            }
            for one in [*found.changed, *found.same, *found.unjudged]
        ],
        "only": dict(zip("ab", found.only, strict=True)),
        "control_names": list(found.control_changed),
        "control_judged": found.control_judged,
        "would_be_seen": {f"{ratio:g}": found.resolving(ratio) for ratio in _POWER},
    }


def table(found: Comparison, caption: str, name: str) -> Block:
    """What changed, from most to least; a sentence where nothing did."""
    if not found.changed:
        return say(_none(found))
    moved = abs(found.clock_hz[1] / found.clock_hz[0] - 1) >= _CLOCK_MOVED
    rows = []
    for one in found.changed:
        place = one.largest
        cycles = f"{units.number(place.cycles_ratio)}×" if moved and one.is_time else "–"
        rows.append(
            [
                f"`{one.quantity}`" + where(one, place).removeprefix(one.quantity),
                *(units.amount(side.median, one.unit) for side in (place.a, place.b)),
                f"{_ratio(place)}, {one.direction}",
                cycles,
                _whole(one) or "–",
            ]
        )
    return grid(
        ["Quantity", found.a, found.b, "Ratio (95 %)", "In core cycles", "Of the curve"],
        rows,
        caption,
        name,
        [28, 12, 12, 20, 10, 18],
    )


def differences(found: Comparison, caption: str, name: str) -> Block:
    """What the two machines' descriptions differ in."""
    rows = [list(row) for row in described(*found.machines)]
    if not rows:
        return say(f"The descriptions of the machine are the same in {found.a} and {found.b}.")
    return grid(["What", found.a, found.b], rows, caption, name, [24, 38, 38])


def verdict(found: Comparison) -> Block:
    """The comparison in a paragraph."""
    alone = [
        f"Only {run} has {len(names)} more."
        for run, names in zip((found.a, found.b), found.only, strict=True)
        if names
    ]
    return say(
        f"**{found.b} against {found.a}.**", counted(found), clock(found), controlled(found), *alone
    )
