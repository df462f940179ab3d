"""This machine compared with the reports: their methods run here, and their machines' values."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.comparison.reports import published
from reckon.comparison.reports.matching import value_here
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.records.quantities.lookup import read_result
from reckon.records.quantities.result import Result
from reckon.records.session import current_session
from reckon.show.block import Block, grid, table
from reckon.show.tables.tables import measured_cell, predicted_cell
from reckon.show.text import (
    NONE,
    amount_or_dash,
    cited_machine,
    in_unit,
    join_words,
    ratio_text,
    times_text,
)
from reckon.show.titles import machines_of, title_of, what_is_timed

_WIDE = 1000  # from this ratio of a curve's ends on, each value is printed in a unit of its own


def _values_in_reports(result: Result) -> str:
    """What the reports printed of a quantity: of its method's reports, or of all; a curve's
    ends."""
    names = result.measurement.reports if result.measurement else []
    values = published.measured_values(result.quantity)
    values = [reported for reported in values if not names or reported.report in names]
    if len(values) > 1 and values[0].at is not None:
        values.sort(key=lambda reported: reported.at or 0)
        values = [values[0], values[-1]]
    texts = []
    for reported in values:
        where = f" at {units.as_given(reported.at)}" if reported.at is not None else ""
        measured = amount_or_dash(reported.measured_in(result.unit), result.unit)
        texts.append(f"{reported.machine}: {measured}{where}")
    return "; ".join(texts) or NONE


def _place(result: Result) -> float:
    """By what a table is ordered: of two groups that is between them."""
    medians = [summary.median for summary in result.summaries]
    return float(np.mean(medians)) if medians else math.inf


def _ratio(result: Result, reference: Result | None) -> str:
    """A method's value over the reference's; a dash if one is a curve, the other a single quantity,
    or either is of two groups of processes."""
    if reference is None or result.is_curve != reference.is_curve:
        return NONE
    if result.quantity == reference.quantity and not math.isnan(result.median):
        return ratio_text(1.0)
    if not (result.is_curve and result.has_samples and reference.has_samples):
        return times_text(result, reference)
    return ratio_text(float(result.medians.mean() / reference.medians.mean()))


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

    reference: the result that the others are divided by, or one for each quantity that is divided,
    where they time different things; None for no ratio. titles: what distinguishes methods of one
    report. reference_title: whose method `reference` is, if not Reckon's.
    """
    rows = []
    for result in sorted(results, key=_place):
        divisor = reference.get(result.quantity) if isinstance(reference, dict) else reference
        reports = result.measurement.reports if result.measurement else []
        owners = [*(machines_of(reports) or ["Reckon"]), (titles or {}).get(result.quantity, "")]
        rows.append(
            [
                ", ".join(filter(None, owners)),
                what_is_timed(result.measurement) if result.measurement else NONE,
                predicted_cell(result),
                measured_cell(result),
                _ratio(result, divisor),
                _values_in_reports(result),
            ]
        )
    header = [title.replace("Reckon's", reference_title) for title in _METHOD_COLUMNS]
    return grid(header, rows, caption, name, [*_METHOD_COLUMNS.values()])


def value_by_method_of(reported: ReportedValue, run: str) -> float:
    """This machine's value by the method of a report's value, in base units.

    It is the same quantity of the run, on a curve at the same position; nan if there is none, or
    only one by Reckon's own method.
    """
    result = read_result(run, reported.quantity)
    return value_here(result, reported) if result and not reported.method_differs else math.nan


# The widths without and with core cycles.
_MACHINE_COLUMNS = {
    "Machine": (22, 20),
    "Predicted": (12, 11),
    "Measured": (16, 15),
    "In cycles": (0, 8),
    "This machine, by that method": (13, 12),
    "There / here": (10, 9),
    "What was measured": (27, 25),
}


def machines(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    not_here: Collection[str] = (),
    cycles: bool = False,
) -> Block:
    """This machine among the reports' machines, each with this machine's value by its method.

    not_here: the quantities of which this machine has no possible value; cycles: also print core
    cycles, as suits what the core does.
    """
    run = current_session().run.name
    rows = [_this_machines_row(result, cycles=cycles)]
    for quantity in quantities:
        for reported in published.measured_values(quantity):
            here = math.nan if quantity in not_here else value_by_method_of(reported, run)
            rows.append(_report_row(reported, result.unit, here, cycles=cycles))
    columns = {
        title: with_cycles if cycles else without_cycles
        for title, (without_cycles, with_cycles) in _MACHINE_COLUMNS.items()
    }
    return table(columns, rows, caption, name)


def _this_machines_row(result: Result, *, cycles: bool) -> list[str]:
    owners = join_words(machines_of(result.measurement.reports if result.measurement else []))
    has_cycles = cycles and result.core_cycles
    return [
        "**this machine**",
        amount_or_dash(result.seal.predicted, result.unit),
        measured_cell(result),
        f"{result:cycles}".removesuffix(" cycles") if has_cycles else NONE,
        NONE,
        NONE,
        f"by the method of the report on the {owners}" if owners else "by Reckon's method",
    ]


def _report_row(reported: ReportedValue, unit: str, here: float, *, cycles: bool) -> list[str]:
    there = reported.measured_in(unit)
    in_cycles = units.number(reported.core_cycles) if cycles else NONE
    note = f"; {reported.note}" if reported.note else ""
    return [
        cited_machine(reported),
        amount_or_dash(reported.predicted_in(unit), unit),
        amount_or_dash(there, unit),
        in_cycles,
        amount_or_dash(here, unit),
        ratio_text(there / here if here > 0 else math.nan),
        f"{reported.what or title_of(reported.quantity)}; {reported.place}{note}",
    ]


@dataclass(frozen=True)
class _CurveRow:
    """A row of a table of curves: values by position, in base units or in core cycles."""

    title: str
    values: dict[float, float]
    in_cycles: bool = False


def machines_curve(
    result: Result,
    quantities: list[str],
    caption: str,
    name: str,
    *,
    cycles: bool = False,
    every: int = 1,
) -> Block:
    """A curve of this machine and the reports' curves of these quantities, at the points of its
    axis. cycles: also in core cycles; every: print only each every-th point, the last included."""
    axis, unit = next((i.value, i.unit) for i in result.seal.inputs if isinstance(i.value, list))
    sealed = np.atleast_1d(result.seal.predicted)
    planned = dict(zip(units.from_base(np.array(axis), unit).tolist(), sealed, strict=True))
    positions = [*planned][(len(planned) - 1) % every :: every]
    is_wide = max(sealed) > _WIDE * min(sealed)
    step = units.readable_unit(sealed[-1], result.unit)

    def cell(row: _CurveRow, x: float) -> str:
        if x not in row.values:
            return NONE
        if row.in_cycles:
            return units.number(row.values[x])
        return units.amount(row.values[x], result.unit) if is_wide else in_unit(row.values[x], step)

    curves = [*_this_machines_curve(result, planned, cycles=cycles)]
    for quantity in quantities:
        reported = _report_curve(quantity, result.unit, cycles=cycles)
        curves += [row for row in reported if row.values.keys() & set(positions)]
    rows = [[row.title, *(cell(row, x) for x in positions)] for row in curves]
    heading = "Machine" if is_wide else f"[{units.symbol(step)}]"
    return grid([heading, *map(units.as_given, positions)], rows, caption, name)


def _this_machines_curve(
    result: Result, planned: dict[float, float], *, cycles: bool
) -> Iterator[_CurveRow]:
    axis = result.axis_in_unit.tolist()
    yield _CurveRow("**this machine**, predicted", planned)
    yield _CurveRow("**this machine**, measured", dict(zip(axis, result.medians, strict=True)))
    if cycles:
        medians = dict(zip(axis, (summary.median for summary in result.cycles), strict=True))
        yield _CurveRow("**this machine**, measured, in cycles", medians, in_cycles=True)


def _report_curve(quantity: str, unit: str, *, cycles: bool) -> Iterator[_CurveRow]:
    reported = published.measured_values(quantity)
    curve = {v.at: v for v in reported if v.at is not None}
    if not curve:
        return
    title = cited_machine(reported[0])
    predicted = {x: v.predicted_in(unit) for x, v in curve.items() if v.predicted is not None}
    yield _CurveRow(f"{title}, predicted", predicted)
    measured = {x: v.measured_in(unit) for x, v in curve.items()}
    yield _CurveRow(f"{title}, measured", measured)
    if cycles:
        in_cycles = {x: v.core_cycles for x, v in curve.items()}
        yield _CurveRow(f"{title}, measured, in cycles", in_cycles, in_cycles=True)
