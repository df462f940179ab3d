"""The reports beside this machine: their methods run here, and their machines' figures."""

from __future__ import annotations

import math

from reckon import units
from reckon.presentation.block import Block, grid, label, table
from reckon.presentation.tables import measured, predicted
from reckon.presentation.text import NONE, amount, in_unit
from reckon.presentation.text import ratio as times
from reckon.records.result import Result
from reckon.records.result import result as read_result
from reckon.records.session import session
from reckon.reports import published
from reckon.reports.matching import value_here

_WIDE = 1000  # from this ratio of a curve's ends on, each value is printed in a unit of its own


def _in_reports(result: Result) -> str:
    """What the reports printed of a quantity: of its method's reports, or of all; a curve's
    ends."""
    names = result.measurement.reports
    figures = [f for f in published.of(result.quantity) if not names or f.report in names]
    if len(figures) > 1 and figures[0].at is not None:
        figures = sorted(figures, key=lambda f: f.at)
        figures = [figures[0], figures[-1]]
    texts = []
    for f in figures:
        where = f" at {f.at:g}" if f.at is not None else ""
        value = units.amount(f.base(f.measured, result.unit), result.unit)
        texts.append(f"{f.report}: {value}{where}")
    return "; ".join(texts) or NONE


def _middle(result: Result) -> float:
    return result.medians.mean() if result.has_samples else math.nan


def _over(result: Result, yardstick: Result | None) -> float:
    """A method's figure over the yardstick's; nan if they differ in kind: a curve and a single
    quantity, or a whole file and a block."""
    if yardstick is None or not yardstick.measurement or result.is_curve != yardstick.is_curve:
        return math.nan
    ops = (result.measurement.op, yardstick.measurement.op)
    if ops[0] != ops[1] and "file" in ops:
        return math.nan
    return _middle(result) / _middle(yardstick)


_METHOD_COLUMNS = {
    "Method of": 13,
    "What is timed": 30,
    "Predicted by its reasoning": 14,
    "Measured here": 16,
    "Against ours": 10,
    "In the report": 17,
}


def methods(
    results: list[Result],
    ours: Result | dict[str, Result] | None,
    caption: str,
    name: str,
    titles: dict | None = None,
    against: str = "ours",
) -> Block:
    """Each report's method on this machine beside this book's, predicted by its own reasoning.

    ours: the result that the others are divided by, or one for each quantity where they time
    different things; None for no ratio. titles: what tells methods of one owner apart.
    against: what `ours` is, if it is a report's method too.
    """
    rows = []
    for result in sorted(results, key=lambda r: _middle(r) if r.has_samples else math.inf):
        yardstick = ours.get(result.quantity) if isinstance(ours, dict) else ours
        owners = [*(result.measurement.reports or ["ours"]), (titles or {}).get(result.quantity)]
        rows.append(
            [
                ", ".join(filter(None, owners)),
                result.measurement.timed,
                predicted(result),
                measured(result),
                times(_over(result, yardstick)),
                _in_reports(result),
            ]
        )
    widths = [*_METHOD_COLUMNS.values()]
    header = [title.replace("ours", against) for title in _METHOD_COLUMNS]
    return grid(header, rows, caption, name, widths)


def here_by(figure: published.Figure) -> float:
    """This machine's value by the method of a report's figure, in base units.

    It is the same quantity of this run, on a curve at the same place; nan if there is none, or
    only one by this book's own method.
    """
    here = read_result(session().run.name, figure.quantity)
    return value_here(here, figure) if here and not figure.method_differs else math.nan


def _cited(figure: published.Figure) -> str:
    return f"{figure.machine} {{cite}}`{figure.cite}`"


_AMONG_COLUMNS = {
    "Machine": 22,
    "Predicted": 12,
    "Measured": 16,
    "This machine, by that method": 13,
    "There over here": 10,
    "What was measured": 27,
}
_AMONG_COLUMNS_WITH_CYCLES = {
    "Machine": 20,
    "Predicted": 11,
    "Measured": 15,
    "In cycles": 8,
    "This machine, by that method": 12,
    "There over here": 9,
    "What was measured": 25,
}


def among(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    ratio: bool = True,
    cycles: bool = False,
) -> Block:
    """This machine among the reports' machines, each beside this machine's value by its method.

    ratio: whether the reports measured the same thing; cycles: also print core cycles, as suits
    what the core does.
    """
    columns = _AMONG_COLUMNS_WITH_CYCLES if cycles else _AMONG_COLUMNS
    own = _own_cells(result)
    rows = [[own[column] for column in columns]]
    for figure in (f for quantity in quantities for f in published.of(quantity)):
        here = here_by(figure) if ratio else math.nan
        cells = _report_cells(figure, result.unit, here, cycles=cycles)
        rows.append([cells[column] for column in columns])
    return table(columns, rows, caption, name)


def _own_cells(result: Result) -> dict[str, str]:
    owners = " and ".join(result.measurement.reports if result.measurement else [])
    return {
        "Machine": "**this machine**",
        "Predicted": amount(result.seal.predicted, result.unit),
        "Measured": f"{result:±}",
        "In cycles": units.number(result.core_cycles.median) if result.core_cycles else NONE,
        "This machine, by that method": NONE,
        "There over here": NONE,
        "What was measured": f"by {owners or 'this book'}'s method",
    }


def _report_cells(
    figure: published.Figure, unit: str, here: float, *, cycles: bool
) -> dict[str, str]:
    value = figure.base(figure.measured, unit)
    note = f"; {figure.note}" if figure.note else ""
    return {
        "Machine": _cited(figure),
        "Predicted": amount(figure.base(figure.predicted, unit), unit),
        "Measured": amount(value, unit),
        "In cycles": units.number(figure.core_cycles(figure.measured)) if cycles else NONE,
        "This machine, by that method": amount(here, unit),
        "There over here": times(value / here if here > 0 else math.nan),
        "What was measured": f"{figure.what or label(figure.quantity)}; {figure.place}{note}",
    }


def among_curve(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    every: int = 1,
    cycles: bool = False,
) -> Block:
    """The same for a curve: a row for each machine, a column for each place on the axis.

    every: print only each every-th place, the last included.
    """
    axis = next(i for i in result.seal.inputs if i.origin == "axis")
    shown = sorted(range(len(axis.value) - 1, -1, -every))
    places = [float(units.from_base(axis.value[k], axis.unit)) for k in shown]
    sealed = [float(value) for value in result.seal.predicted]
    is_wide = max(sealed) > _WIDE * min(sealed)
    unit = units.readable(sealed[-1], result.unit)

    def value_cell(value: float | None) -> str:
        if value is None:
            return NONE
        return units.amount(value, result.unit) if is_wide else in_unit(value, unit)

    def values(title: str, at: dict[float, float]) -> list[str]:
        return [title, *(value_cell(at.get(x)) for x in places)]

    def counts(title: str, at: dict[float, float]) -> list[str]:
        return [title, *(units.number(at[x]) if x in at else NONE for x in places)]

    here = [float(x) for x in result.axis_told]
    rows = [
        ["**this machine**, predicted", *(value_cell(sealed[k]) for k in shown)],
        values("**this machine**, measured", dict(zip(here, result.medians, strict=True))),
    ]
    if cycles:
        medians = [summary.median for summary in result.cycles]
        by_place = dict(zip(here, medians, strict=True))
        rows.append(counts("**this machine**, measured, in cycles", by_place))
    for figures in ([f for f in published.of(q) if f.at is not None] for q in quantities):
        predicted_at, measured_at, cycles_at = _curve_of(figures, result.unit)
        if predicted_at.keys() & set(places):
            rows.append(values(f"{_cited(figures[0])}, predicted", predicted_at))
        if measured_at.keys() & set(places):
            rows.append(values(f"{_cited(figures[0])}, measured", measured_at))
            if cycles:
                rows.append(counts(f"{_cited(figures[0])}, measured, in cycles", cycles_at))
    heading = "Machine" if is_wide else f"[{units.spoken(unit)}]"
    return grid([heading, *(f"{x:g}" for x in places)], rows, caption, name)


def _curve_of(figures: list[published.Figure], unit: str) -> tuple[dict, dict, dict]:
    """A report's curve by place: predicted and measured in base units, measured in core cycles."""
    predicted_at = {f.at: f.base(f.predicted, unit) for f in figures if f.predicted is not None}
    measured_at = {f.at: f.base(f.measured, unit) for f in figures}
    # Only a time has cycles.
    is_time = units.dimension(unit) == units.dimension("s")
    cycles_at = {f.at: f.core_cycles(f.measured) for f in figures} if is_time else {}
    return predicted_at, measured_at, cycles_at
