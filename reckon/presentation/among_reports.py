"""This machine compared with the reports: their methods run here, and their machines' figures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.presentation.block import Block, grid, label
from reckon.presentation.tables import measured, predicted
from reckon.presentation.text import NONE, amount, cited, in_unit, literal
from reckon.presentation.text import ratio as times
from reckon.records.lookup import read_result
from reckon.records.result import Result
from reckon.records.session import current_session
from reckon.reports import published
from reckon.reports.matching import value_here

_WIDE = 1000  # from this ratio of a curve's ends on, each value is printed in a unit of its own


def _in_reports(result: Result) -> str:
    """What the reports printed of a quantity: of its method's reports, or of all; a curve's
    ends."""
    names = result.measurement.reports if result.measurement else []
    figures = [f for f in published.of(result.quantity) if not names or f.report in names]
    if len(figures) > 1 and figures[0].at is not None:
        figures.sort(key=lambda f: f.at or 0)
        figures = [figures[0], figures[-1]]
    texts = []
    for f in figures:
        where = f" at {f.at:g}" if f.at is not None else ""
        texts.append(f"{f.report}: {amount(f.base(f.measured, result.unit), result.unit)}{where}")
    return "; ".join(texts) or NONE


def _middle(result: Result) -> float:
    return float(result.medians.mean()) if result.has_samples else math.nan


def _over(result: Result, reference: Result | None) -> float:
    """A method's figure over the reference's; nan if they differ in kind: a curve and a single
    quantity, or a whole file and a block."""
    if reference is None or result.is_curve != reference.is_curve:
        return math.nan
    ops = {r.measurement.op for r in (result, reference) if r.measurement}
    if len(ops) > 1 and "file" in ops:
        return math.nan
    return _middle(result) / _middle(reference)


_METHOD_COLUMNS = {
    "Method of": 13,
    "What is timed": 30,
    "Predicted by its reasoning": 14,
    "Measured here": 16,
    "Ratio to Reckon's": 10,
    "In the report": 17,
}


def methods(
    results: list[Result],
    reference: Result | dict[str, Result] | None,
    caption: str,
    name: str,
    titles: dict[str, str] | None = None,
    reference_title: str = "Reckon's",
) -> Block:
    """Each report's method and Reckon's on this machine, predicted by its own reasoning.

    reference: the result that the others are divided by, or one for each quantity where they time
    different things; None for no ratio. titles: what distinguishes methods of one report.
    reference_title: whose method `reference` is, if not Reckon's.
    """
    rows = []
    for result in sorted(results, key=lambda r: _middle(r) if r.has_samples else math.inf):
        divisor = reference.get(result.quantity) if isinstance(reference, dict) else reference
        reports = result.measurement.reports if result.measurement else []
        owners = [*(reports or ["Reckon"]), (titles or {}).get(result.quantity, "")]
        rows.append(
            [
                ", ".join(filter(None, owners)),
                literal(result.measurement.timed) if result.measurement else NONE,
                predicted(result),
                measured(result),
                times(_over(result, divisor)),
                _in_reports(result),
            ]
        )
    header = [title.replace("Reckon's", reference_title) for title in _METHOD_COLUMNS]
    return grid(header, rows, caption, name, [*_METHOD_COLUMNS.values()])


def here_by(figure: published.Figure) -> float:
    """This machine's value by the method of a report's figure, in base units.

    It is the same quantity of this run, on a curve at the same place; nan if there is none, or
    only one by Reckon's own method.
    """
    here = read_result(current_session().run.name, figure.quantity)
    return value_here(here, figure) if here and not figure.method_differs else math.nan


_AMONG_COLUMNS = [
    "Machine",
    "Predicted",
    "Measured",
    "In cycles",
    "This machine, by that method",
    "There / here",
    "What was measured",
]
_AMONG_WIDTHS = [22, 12, 16, 0, 13, 10, 27]
_AMONG_WIDTHS_WITH_CYCLES = [20, 11, 15, 8, 12, 9, 25]


def among(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    ratio: bool = True,
    cycles: bool = False,
) -> Block:
    """This machine among the reports' machines, each with this machine's value by its method.

    ratio: whether the reports measured the same thing; cycles: also print core cycles, as suits
    what the core does.
    """
    rows = [_own_row(result, cycles=cycles)]
    for figure in (f for quantity in quantities for f in published.of(quantity)):
        here = here_by(figure) if ratio else math.nan
        rows.append(_report_row(figure, result.unit, here, cycles=cycles))
    widths = _AMONG_WIDTHS_WITH_CYCLES if cycles else _AMONG_WIDTHS
    return grid(_AMONG_COLUMNS, rows, caption, name, widths)


def _own_row(result: Result, *, cycles: bool) -> list[str]:
    owners = " and ".join(result.measurement.reports if result.measurement else [])
    in_cycles = result.core_cycles if cycles else None
    return [
        "**this machine**",
        amount(result.seal.predicted, result.unit),
        f"{result:±}",
        units.number(in_cycles.median) if in_cycles else NONE,
        NONE,
        NONE,
        f"by {owners or 'Reckon'}'s method",
    ]


def _report_row(figure: published.Figure, unit: str, here: float, *, cycles: bool) -> list[str]:
    value = figure.base(figure.measured, unit)
    in_cycles = figure.core_cycles(figure.measured) if cycles else None
    note = f"; {figure.note}" if figure.note else ""
    return [
        cited(figure),
        amount(figure.base(figure.predicted, unit), unit),
        amount(value, unit),
        NONE if in_cycles is None else units.number(in_cycles),
        amount(here, unit),
        times(value / here if value is not None and here > 0 else math.nan),
        f"{figure.what or label(figure.quantity)}; {figure.place}{note}",
    ]


@dataclass(frozen=True)
class _CurveRow:
    """A row of a table of curves: values by place, in base units or in core cycles."""

    title: str
    at: dict[float, float]
    in_cycles: bool = False


def among_curve(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    cycles: bool = False,
    every: int = 1,
) -> Block:
    """A curve of this machine and the reports' curves of these quantities, at its places on the
    axis. cycles: also in core cycles; every: print only each every-th place, the last included."""
    axis, unit = next((i.value, i.unit) for i in result.seal.inputs if isinstance(i.value, list))
    sealed = np.atleast_1d(result.seal.predicted)
    planned = dict(zip(units.from_base(np.array(axis), unit).tolist(), sealed, strict=True))
    places = [*planned][(len(planned) - 1) % every :: every]
    is_wide = max(sealed) > _WIDE * min(sealed)
    step = units.readable(sealed[-1], result.unit)

    def cell(row: _CurveRow, x: float) -> str:
        if x not in row.at:
            return NONE
        if row.in_cycles:
            return units.number(row.at[x])
        return units.amount(row.at[x], result.unit) if is_wide else in_unit(row.at[x], step)

    shown = [
        *_own_curve(result, planned, cycles=cycles),
        *(
            row
            for quantity in quantities
            for row in _report_curve(quantity, result.unit, cycles=cycles)
            if row.at.keys() & set(places)
        ),
    ]
    rows = [[row.title, *(cell(row, x) for x in places)] for row in shown]
    heading = "Machine" if is_wide else f"[{units.spoken(step)}]"
    return grid([heading, *(f"{x:g}" for x in places)], rows, caption, name)


def _own_curve(result: Result, planned: dict[float, float], *, cycles: bool) -> Iterator[_CurveRow]:
    here = [float(x) for x in result.axis_in_unit]
    yield _CurveRow("**this machine**, predicted", planned)
    yield _CurveRow("**this machine**, measured", dict(zip(here, result.medians, strict=True)))
    if cycles:
        medians = [summary.median for summary in result.cycles]
        by_place = dict(zip(here, medians, strict=True))
        yield _CurveRow("**this machine**, measured, in cycles", by_place, in_cycles=True)


def _report_curve(quantity: str, unit: str, *, cycles: bool) -> Iterator[_CurveRow]:
    figures = [f for f in published.of(quantity) if f.at is not None]
    if not figures:
        return
    title = cited(figures[0])
    predictions = {f.at: f.base(f.predicted, unit) for f in figures}
    yield _CurveRow(f"{title}, predicted", _known(predictions))
    values = {f.at: f.base(f.measured, unit) for f in figures}
    yield _CurveRow(f"{title}, measured", _known(values))
    if cycles:
        in_cycles = {f.at: f.core_cycles(f.measured) for f in figures}
        yield _CurveRow(f"{title}, measured, in cycles", _known(in_cycles), in_cycles=True)


def _known(values: dict[float | None, float | None]) -> dict[float, float]:
    return {x: value for x, value in values.items() if x is not None and value is not None}
