"""A comparison of two runs: as text, as JSON and as tables and sentences of a page."""

from __future__ import annotations

import math
from collections import Counter

from reckon import records, units
from reckon.comparison.two_runs import CHANCE, Comparison, Place, QuantityComparison
from reckon.computer.description import FIELDS, SECTIONS
from reckon.config import ReckonError, runs_dir
from reckon.presentation.block import Block, grid, say
from reckon.presentation.text import NONE, first_case, machine_value
from reckon.presentation.text import described as value_of
from reckon.presentation.text import ratio as times
from reckon.records.result import all_results

_EFFECTS = (1.1, 1.3, 2.0, 3.0)  # ratios for which it is printed how many changes would be seen
_CLOCK_MOVED = 0.01  # a smaller change of the core clock is within its calibration's spread
# Checks of fitness that depend on the minute, not on the machine.
_PASSING = ("load", "steal time", "free memory", "free disk")
_WIDE = 40  # characters of a value in the text


def described(a: records.Run, b: records.Run) -> list[tuple[str, str, str]]:
    """What the descriptions of two machines differ in: (what, in A, in B)."""
    fields = {
        (part, key): "" for run in (a, b) for part in run.machine for key in run.machine[part]
    }
    pairs = []
    for part in dict.fromkeys(part for part, _ in fields):
        for section, key in (field for field in fields if field[0] == part):
            title, unit = FIELDS.get((section, key), (key, ""))
            values = [machine_value(value_of(x.machine, section, key), unit) for x in (a, b)]
            pairs.append((f"{SECTIONS.get(section, section)}: {title}", *values))
    checks = [{check["name"]: check["found"] for check in run.fitness} for run in (a, b)]
    for name in dict.fromkeys([*checks[0], *checks[1]]):
        if name not in _PASSING:
            values = [check.get(name, "not reported") for check in checks]
            pairs.append((f"Fitness: {name}", *values))
    return [(what, in_a, in_b) for what, in_a, in_b in pairs if in_a != in_b]


def where(one: QuantityComparison, place: Place) -> str:
    """The quantity, of a curve with the place."""
    if place.x is None:
        return one.quantity
    return f"{one.quantity} at {units.place(place.x, one.axis_unit)}"


def _ratio(place: Place) -> str:
    low, high = place.interval
    interval = f" ({units.number(low)} to {units.number(high)})"
    return f"{units.number(place.ratio)}×{'' if math.isnan(low) else interval}"


def _curve(one: QuantityComparison) -> str:
    """How much of a curve changed; nothing for a single quantity."""
    if len(one.places) == 1 and one.places[0].x is None:
        return ""
    apart = sum(place.apart for place in one.places)
    middle = f"{units.number(one.ratio)}× by the median of all"
    return f"{apart} of {len(one.places)} places apart, {middle}"


def clock(comparison: Comparison) -> str:
    """What the core clocks were, and what that means for times."""
    a, b = comparison.clock_hz
    if not (a > 0 and b > 0):
        return "The core clock is not known."
    clocks = (
        f"The core clock was {units.amount(a, 'Gcycle/s')} in {comparison.a} and "
        f"{units.amount(b, 'Gcycle/s')} in {comparison.b}"
    )
    if abs(b / a - 1) < _CLOCK_MOVED:
        return f"{clocks}: the same within {100 * _CLOCK_MOVED:.0f} %."
    return (
        f"{clocks}: a time that goes by it alone changes to {units.number(a / b)}×; the ratio in "
        "core "
        "cycles is free of that."
    )


def power(comparison: Comparison) -> str:
    """From which ratio on a change would have been seen, by the spread of the samples."""
    n = len(comparison.judged)
    if not n:
        return ""
    shares = [
        f"{units.number(ratio)}× in {100 * comparison.resolving(ratio) / n:.0f} %"
        for ratio in _EFFECTS
    ]
    return f"By their spread, a change would be seen from {', from '.join(shares)} of them."


def counted(comparison: Comparison) -> str:
    """How many quantities were judged, why the others were not, and what would have been seen."""
    reasons = Counter(one.why for one in comparison.unjudged).most_common()
    not_judged = ", ".join(f"{n} ({reason})" for reason, n in reasons)
    text = (
        f"{len(comparison.judged)} quantities were judged, {len(comparison.changed)} changed"
        f"{not_judged and f'; not judged: {not_judged}'}."
    )
    return f"{text} {power(comparison)}".strip()


def controlled(comparison: Comparison) -> str:
    """What the rule does where nothing changed: between two runs of one machine."""
    a, control, names = comparison.a, comparison.control, comparison.control_changed
    if control is None:
        return (
            f"There was no control: a second run of {a}'s machine would show what its minutes do "
            "to "
            "each quantity, and how often the rule errs here."
        )
    without = sum(not one.controlled for one in comparison.changed)
    listed = ", ".join(names)
    but = f", but for {without} that could not be held against {control}"
    return (
        f"Control: between {a} and {control}, one machine twice, the same rule names {len(names)} "
        "of "
        f"{comparison.control_judged}{f' ({listed})' if names else ''}; what is named here "
        f"differs from both{but if without else ''}."
    )


def _none(comparison: Comparison) -> str:
    """The sentence if no change is named."""
    if not comparison.judged:
        return "Nothing could be judged."
    return (
        f"Nothing changed between {comparison.a} and {comparison.b} beyond the spread by "
        f"{100 * comparison.least:g} % or more."
    )


def _only(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """(run, quantities that it alone has) for each run that has any."""
    pairs = zip((comparison.a, comparison.b), comparison.only, strict=True)
    return [(run, names) for run, names in pairs if names]


def _line(one: QuantityComparison) -> str:
    if not one.places:
        return f"  {one.quantity}: {one.why}"
    place = one.largest
    a, b = (units.amount(side.median, one.unit) for side in (place.a, place.b))
    line = f"  {where(one, place):48} {a:>10} → {b:<10} {_ratio(place)} {one.direction}".rstrip()
    return "; ".join(filter(None, [line, _curve(one)]))


def _shortened(value: str) -> str:
    return value if len(value) <= _WIDE else f"{value[: _WIDE - 1]}…"


def text(comparison: Comparison, *, every: bool = False) -> str:
    """The comparison for a terminal. every: list also what did not change and was not judged."""
    differences = described(*comparison.machines)
    differ = "differ:" if differences else "are the same."
    changed = f"Changed beyond the spread, by {100 * comparison.least:g} % or more:"
    lines = [
        f"{comparison.b} against {comparison.a}",
        "",
        f"The machines' descriptions {differ}",
        *(f"  {what}: {_shortened(a)} | {_shortened(b)}" for what, a, b in differences),
        clock(comparison),
        counted(comparison),
        controlled(comparison),
        "",
        changed if comparison.changed else _none(comparison),
        *map(_line, comparison.changed),
    ]
    for title, group in (("Not changed", comparison.same), ("Not judged", comparison.unjudged)):
        lines.append(f"{title}: {len(group)}{':' if every and group else ''}")
        lines += map(_line, group if every else [])
    for run, names in _only(comparison):
        lines += [f"Only in {run}: {len(names)}", *(f"  {name}" for name in names)]
    return "\n".join(lines)


def runs() -> tuple[list[dict], list[str]]:
    """Every run in the folder of runs, the one opened last first, with the number of quantities
    that have samples; and a sentence for each that cannot be read."""
    folders, troubles = records.runs()
    listed = []
    for name, folder in folders.items():
        try:
            run = records.read_run(folder)
            results = all_results(folder, only_measured=True)
        except ReckonError as error:
            troubles.append(str(error))
            continue
        kernel = value_of(run.machine, "system", "kernel") or ""
        listed.append(
            {
                "name": name,
                "opened": run.opened_at.isoformat(),
                "machine": value_of(run.machine, "processor", "model"),
                "kernel": kernel.partition(" ")[0] or None,
                "quantities": sum(result.has_samples for result in results),
            }
        )
    return listed, troubles


def runs_text(listed: list[dict]) -> str:
    """The runs, one line each."""
    if not listed:
        return f"There is no run in {runs_dir()}; `make book` makes one."
    rows = [
        [
            one["name"],
            one["opened"][:16].replace("T", " "),
            one["machine"] or "not reported",
            one["kernel"] or "not reported",
            f"{one['quantities']} quantities",
        ]
        for one in listed
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{n}}" for cell, n in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _number(value: float) -> float | None:
    """A number for JSON, which knows no nan."""
    return float(value) if math.isfinite(value) else None


def _in_unit(value: float, unit: str) -> float | None:
    return _number(units.from_base(value, unit))


def _place_to_dict(one: QuantityComparison, place: Place) -> dict:
    low, high = place.interval
    a, b = (
        [_in_unit(value, one.unit) for value in (side.median, side.low, side.high)]
        for side in (place.a, place.b)
    )
    return {
        "at": None if place.x is None else _in_unit(place.x, one.axis_unit),
        "a": a[0],
        "a_range": a[1:],
        "b": b[0],
        "b_range": b[1:],
        "processes": [len(place.a.medians), len(place.b.medians)],
        "ratio": _number(place.ratio),
        "low": _number(low),
        "high": _number(high),
        "apart": place.apart,
        "p": _number(place.p),
        "ratio_in_cycles": _number(place.cycles_ratio) if one.is_time else None,
    }


def _quantity_to_dict(one: QuantityComparison) -> dict:
    return {
        "quantity": one.quantity,
        "unit": one.unit,
        "axis_unit": one.axis_unit,
        "state": first_case((one.changed, "changed"), (one.judged, "same"), (True, "not judged")),
        "why": one.why or None,
        "p": _number(one.p),
        "way": one.direction or None,
        "ratio": _number(one.ratio) if one.places else None,
        "told": _place_to_dict(one, one.largest) if one.places else None,
        "places": [_place_to_dict(one, place) for place in one.places],
    }


def to_dict(comparison: Comparison) -> dict:
    """The comparison for `--json`: values in each quantity's unit, null for what is not known."""
    every = [*comparison.changed, *comparison.same, *comparison.unjudged]
    return {
        "a": comparison.a,
        "b": comparison.b,
        "control": comparison.control,
        "least": comparison.least,
        "chance": CHANCE,
        "core_clock_hz": [_number(hz) for hz in comparison.clock_hz],
        "differences": [
            {"what": what, "a": a, "b": b} for what, a, b in described(*comparison.machines)
        ],
        "quantities": [_quantity_to_dict(one) for one in every],
        "only": dict(zip("ab", comparison.only, strict=True)),
        "control_names": list(comparison.control_changed),
        "control_judged": comparison.control_judged,
        "would_be_seen": {f"{ratio:g}": comparison.resolving(ratio) for ratio in _EFFECTS},
    }


def table(comparison: Comparison, caption: str, name: str) -> Block:
    """What changed, from the largest change to the smallest; a sentence if nothing did."""
    if not comparison.changed:
        return say(_none(comparison))
    a_hz, b_hz = comparison.clock_hz
    clock_moved = abs(b_hz / a_hz - 1) >= _CLOCK_MOVED
    rows = []
    for one in comparison.changed:
        place = one.largest
        rows.append(
            [
                f"`{one.quantity}`{where(one, place).removeprefix(one.quantity)}",
                *(units.amount(side.median, one.unit) for side in (place.a, place.b)),
                f"{_ratio(place)}, {one.direction}",
                times(place.cycles_ratio) if clock_moved and one.is_time else NONE,
                _curve(one) or NONE,
            ]
        )
    header = ["Quantity", comparison.a, comparison.b]
    header += ["Ratio (95 %)", "In core cycles", "Of the curve"]
    return grid(header, rows, caption, name, [28, 12, 12, 20, 10, 18])


def differences(comparison: Comparison, caption: str, name: str) -> Block:
    """What the two machines' descriptions differ in."""
    rows = [list(row) for row in described(*comparison.machines)]
    a, b = comparison.a, comparison.b
    if not rows:
        return say(f"The descriptions of the machine are the same in {a} and {b}.")
    return grid(["What", a, b], rows, caption, name, [24, 38, 38])


def verdict(comparison: Comparison) -> Block:
    """The comparison in a paragraph."""
    return say(
        f"**{comparison.b} against {comparison.a}.**",
        counted(comparison),
        clock(comparison),
        controlled(comparison),
        *(f"Only {run} has {len(names)} more." for run, names in _only(comparison)),
    )
