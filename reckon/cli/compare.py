"""`reckon compare`: two runs compared, as text or as JSON; without runs, the list of runs."""

from __future__ import annotations

import math
import sys

from reckon import records, units
from reckon.cli.output import print_json
from reckon.comparison import two_runs
from reckon.comparison.quantities import CHANCE, Place, QuantityComparison
from reckon.comparison.two_runs import MIN_CHANGE, Comparison
from reckon.config import ReckonError, settings
from reckon.presentation import changes
from reckon.presentation.text import first_case
from reckon.records.lookup import all_results

_WIDE = 40  # characters of a value in the text


def compare(arguments) -> int:
    """Prints what changed between two runs; without runs, the list of runs."""
    if not (arguments.a or arguments.b or arguments.control):
        return _list_runs(arguments)
    if not (arguments.a and arguments.b):
        raise ReckonError("A comparison takes two runs, A and B; `reckon compare` lists the runs.")
    percent, minimum_change = arguments.minimum_change, MIN_CHANGE
    if percent is not None:
        minimum_change = percent / 100
    comparison = two_runs.compare(arguments.a, arguments.b, arguments.control, minimum_change)
    if arguments.json:
        print_json(to_dict(comparison))
    else:
        print(text(comparison, every=arguments.all))
    return 0


def _list_runs(arguments) -> int:
    runs, unreadable = _runs()
    if arguments.json:
        print_json(runs)
    else:
        print(_runs_text(runs))
    for reason in unreadable:
        print(reason, file=sys.stderr)
    return 0


def _line(quantity: QuantityComparison) -> str:
    if not quantity.places:
        return f"  {quantity.quantity}: {quantity.why}"
    place = quantity.largest
    name = quantity.quantity + changes.where(quantity, place)
    a, b = (units.amount(side.median, quantity.unit) for side in (place.a, place.b))
    line = (
        f"  {name:48} {a:>10} → {b:<10} {changes.ratio_text(place)} {quantity.direction}".rstrip()
    )
    return "; ".join(filter(None, [line, changes.of_the_curve(quantity)]))


def _shortened(value: str) -> str:
    return value if len(value) <= _WIDE else f"{value[: _WIDE - 1]}…"


def text(comparison: Comparison, *, every: bool = False) -> str:
    """The comparison for a terminal. every: list also what did not change and was not judged."""
    differences = changes.described(*comparison.machines)
    same = "The machines' descriptions are the same."
    changed = f"Changed beyond the spread, by {100 * comparison.minimum_change:g} % or more:"
    lines = [
        f"{comparison.b} compared with {comparison.a}",
        "",
        "The machines' descriptions differ:" if differences else same,
        *(f"  {what}: {_shortened(a)} | {_shortened(b)}" for what, a, b in differences),
        changes.clock(comparison),
        changes.counted(comparison),
        changes.controlled(comparison),
        "",
        changed if comparison.changed else changes.nothing_changed(comparison),
        *map(_line, comparison.changed),
    ]
    for title, group in (("Not changed", comparison.same), ("Not judged", comparison.unjudged)):
        listed = [_line(quantity) for quantity in group if every]
        lines += [f"{title}: {len(group)}", *listed]
    for run, names in changes.only_in_one(comparison):
        lines += [f"Only in {run}: {len(names)}", *(f"  {name}" for name in names)]
    return "\n".join(lines)


def _runs() -> tuple[list[dict], list[str]]:
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
        if run is None:
            continue
        kernel = str(run.machine.value("system.kernel") or "")
        listed.append(
            {
                "name": name,
                "opened": run.opened_at.isoformat(),
                "machine": run.machine.value("processor.model"),
                "kernel": kernel.partition(" ")[0] or None,
                "quantities": sum(result.has_samples for result in results),
            }
        )
    return listed, troubles


def _runs_text(listed: list[dict]) -> str:
    """The runs, one line each."""
    if not listed:
        return f"There is no run in {settings().runs_dir}; `make book` makes one."
    rows = [
        [
            run["name"],
            run["opened"][:16].replace("T", " "),
            run["machine"] or "not reported",
            run["kernel"] or "not reported",
            f"{run['quantities']} quantities",
        ]
        for run in listed
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _number(value: float, unit: str = "1") -> float | None:
    """A value in base units as a number of `unit` for JSON, which knows no nan."""
    converted = float(units.from_base(value, unit))
    return converted if math.isfinite(converted) else None


def _place_to_dict(quantity: QuantityComparison, place: Place) -> dict:
    low, high = place.interval
    return {
        "at": None if place.x is None else _number(place.x, quantity.axis_unit or "1"),
        "a": _number(place.a.median, quantity.unit),
        "b": _number(place.b.median, quantity.unit),
        "ratio": _number(place.ratio),
        "low": _number(low),
        "high": _number(high),
        "ratio_in_cycles": _number(place.cycles_ratio) if quantity.is_time else None,
        "apart": place.apart,
    }


def _quantity_to_dict(quantity: QuantityComparison) -> dict:
    states = (quantity.changed, "changed"), (quantity.judged, "same"), (True, "not judged")
    return {
        "quantity": quantity.quantity,
        "unit": quantity.unit,
        "axis_unit": quantity.axis_unit,
        "state": first_case(*states),
        "why": quantity.why or None,
        "direction": quantity.direction or None,
        "p": _number(quantity.p),
        "places": [_place_to_dict(quantity, place) for place in quantity.places],
    }


def to_dict(comparison: Comparison) -> dict:
    """The comparison for `--json`: values in each quantity's unit, null for what is not known."""
    every = [*comparison.changed, *comparison.same, *comparison.unjudged]
    differences = changes.described(*comparison.machines)
    return {
        "a": comparison.a,
        "b": comparison.b,
        "control": comparison.control,
        "minimum_change": comparison.minimum_change,
        "chance": CHANCE,
        "core_clock_hz": [_number(hz) for hz in comparison.clock_hz],
        "differences": [{"what": what, "a": a, "b": b} for what, a, b in differences],
        "quantities": [_quantity_to_dict(quantity) for quantity in every],
        "only": dict(zip("ab", comparison.only, strict=True)),
        "control_names": list(comparison.control_changed),
        "control_judged": comparison.control_judged,
    }
