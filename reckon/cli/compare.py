"""`reckon compare`: two runs compared, as text or as JSON; without runs, the list of runs."""

from __future__ import annotations

import math
import sys
from typing import Any

import click

from reckon import records, units
from reckon.cli.commands import RUN_HELP, Number, command
from reckon.cli.output import fitting, in_columns, print_json
from reckon.comparison import two_runs
from reckon.comparison.quantities import PointComparison, QuantityComparison
from reckon.comparison.two_runs import MIN_CHANGE, Comparison
from reckon.config import settings
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results
from reckon.show.tables import run_comparison
from reckon.show.text import first_case, plural

_LONGEST_VALUE = 40  # characters of a value in the text


class _Percentage(Number):
    """A number of percent, with or without the sign."""

    def convert(self, value, param, ctx):
        number: Any = value.rstrip("% ") if isinstance(value, str) else value
        return super().convert(number, param, ctx)


@command(
    "compare",
    "                                  the runs that there are",
    "before after                      what changed",
    "before after --control before-2   what changed more than it does by itself",
)
@click.argument("a", required=False, help=RUN_HELP)
@click.argument("b", required=False, help="the run that is compared with it")
@click.option(
    "--control", metavar="RUN", help="A second run of A's machine: B has to differ from both."
)
@click.option(
    "--minimum-change",
    type=_Percentage(0, 1000, max_open=True),
    metavar="PERCENT",
    default=100 * MIN_CHANGE,
    help="The smallest change that is reported.",
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="List quantities too that did not change or could not be compared.",
)
def compare(
    *,
    a: str | None,
    b: str | None,
    control: str | None,
    minimum_change: float,
    every: bool,
    as_json: bool,
) -> int:
    """Print what changed between two runs, as after a kernel upgrade; without runs, list them."""
    if not (a or b or control):
        return _list_runs(as_json=as_json)
    if not (a and b):
        raise ReckonError("A comparison takes two runs, A and B; `reckon compare` lists the runs.")
    comparison = two_runs.compare(a, b, control, minimum_change / 100)
    if as_json:
        print_json(to_dict(comparison))
    else:
        for line in text(comparison, every=every).splitlines():
            print("\n".join(fitting(line)))
    return 0


def _list_runs(*, as_json: bool) -> int:
    runs, unreadable = _runs()
    if as_json:
        print_json(runs)
    else:
        print(_runs_text(runs))
    for reason in unreadable:
        print(reason, file=sys.stderr)
    return 0


def _line(quantity: QuantityComparison) -> str:
    if not quantity.points:
        return f"  {quantity.quantity}: {quantity.why}"
    point = quantity.largest
    name = quantity.quantity + run_comparison.where(quantity, point)
    a, b = (units.amount(side.median, quantity.unit) for side in (point.a, point.b))
    ratio = run_comparison.ratio_with_interval(point)
    line = f"  {name:48} {a:>10} → {b:<10} {ratio} {quantity.direction}".rstrip()
    return "; ".join(filter(None, [line, run_comparison.curve_summary(quantity)]))


def _shortened(value: str) -> str:
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"


def text(comparison: Comparison, *, every: bool = False) -> str:
    """The comparison for a terminal. every: list also what did not change and was not judged."""
    differences = run_comparison.machine_differences(*comparison.machines)
    same = "The machines' descriptions are the same."
    changed = f"Changed beyond the spread, by {100 * comparison.minimum_change:g} % or more:"
    lines = [
        f"{comparison.b} compared with {comparison.a}",
        "",
        "The machines' descriptions differ:" if differences else same,
        *(f"  {field}: {_shortened(a)} | {_shortened(b)}" for field, a, b in differences),
        run_comparison.clock_sentence(comparison),
        run_comparison.count_sentence(comparison),
        run_comparison.control_sentence(comparison),
        "",
        changed if comparison.changed else run_comparison.no_change_sentence(comparison),
        *map(_line, comparison.changed),
    ]
    for title, group in (("Not changed", comparison.same), ("Not judged", comparison.unjudged)):
        listed = [_line(quantity) for quantity in group if every]
        lines += [f"{title}: {len(group)}", *listed]
    for run, names in run_comparison.only_in_one_run(comparison):
        lines += [f"Only in {run}: {len(names)}", *(f"  {name}" for name in names)]
    return "\n".join(lines)


def _runs() -> tuple[list[dict], list[str]]:
    """Every run in the folder of runs, the one opened last first, with the number of quantities
    that have samples; and a sentence for each that cannot be read."""
    folders, unreadable = records.runs()
    descriptions = []
    for name, folder in folders.items():
        try:
            run = records.read_run(folder)
            results = all_results(folder, only_measured=True, samples=False)
        except ReckonError as error:
            unreadable.append(str(error))
            continue
        if run is None:
            continue
        kernel = str(run.machine.value("system.kernel") or "")
        descriptions.append(
            {
                "name": name,
                "opened": run.opened_at.isoformat(),
                "machine": run.machine.value("processor.model"),
                "kernel": kernel.partition(" ")[0] or None,
                "quantities": sum(result.has_samples for result in results),
            }
        )
    return descriptions, unreadable


def _runs_text(runs: list[dict]) -> str:
    if not runs:
        return f"There is no run in {settings().runs_dir}; `make book` makes one."
    rows = [
        [
            run["name"],
            run["opened"][:16].replace("T", " "),
            run["machine"] or "not reported",
            run["kernel"] or "not reported",
            f"{run['quantities']} {plural(run['quantities'], 'quantity', 'quantities')}",
        ]
        for run in runs
    ]
    return "\n".join(in_columns(rows))


def _number(value: float, unit: str = "1") -> float | None:
    """A value in base units as a number of `unit` for JSON, which knows no nan."""
    converted = float(units.from_base(value, unit))
    return converted if math.isfinite(converted) else None


def _point_to_dict(quantity: QuantityComparison, point: PointComparison) -> dict:
    low, high = point.interval
    return {
        "at": None if point.x is None else _number(point.x, quantity.axis_unit or "1"),
        "a": _number(point.a.median, quantity.unit),
        "b": _number(point.b.median, quantity.unit),
        "ratio": _number(point.ratio),
        "low": _number(low),
        "high": _number(high),
        "ratio_in_cycles": _number(point.cycles_ratio) if quantity.is_time else None,
        "apart": point.is_apart,
    }


def _quantity_to_dict(quantity: QuantityComparison) -> dict:
    states = (quantity.has_changed, "changed"), (quantity.is_judged, "same"), (True, "not judged")
    return {
        "quantity": quantity.quantity,
        "unit": quantity.unit,
        "axis_unit": quantity.axis_unit,
        "state": first_case(*states),
        "why": quantity.why or None,
        "direction": quantity.direction or None,
        "points": [_point_to_dict(quantity, point) for point in quantity.points],
    }


def to_dict(comparison: Comparison) -> dict:
    """The comparison for `--json`: values in each quantity's unit, null for what is not known."""
    every = [*comparison.changed, *comparison.same, *comparison.unjudged]
    differences = run_comparison.machine_differences(*comparison.machines)
    return {
        "a": comparison.a,
        "b": comparison.b,
        "control": comparison.control,
        "minimum_change": comparison.minimum_change,
        "core_clock_hz": [_number(hz) for hz in comparison.clock_hz],
        "differences": [{"what": field, "a": a, "b": b} for field, a, b in differences],
        "quantities": [_quantity_to_dict(quantity) for quantity in every],
        "only": dict(zip("ab", comparison.only, strict=True)),
        "control_names": list(comparison.control_changed),
        "control_judged": comparison.control_judged,
    }
