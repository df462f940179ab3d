"""This run compared with other machines: the reports' and those of other runs.

Each report measured by methods of its own, and this run has a probe for nearly each of them. A
report's value is compared with the probe of the same method, so that the ratio is one of machines
and not of methods. The few values that are compared with this book's own method are marked and not
ranked. Quantities that measure the same thing by the methods of different reports share a row.
Values of a report that are in no row are listed with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon import records, units
from reckon.comparison.reports import method_groups, published
from reckon.comparison.reports.matching import comparable_values, row_label, value_here
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.result import Result

_NO_ROW = "this book does not measure it"
_MAX_RUNS = 4  # other runs, the one opened last first: each is a column of a table


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One machine's value of a quantity and this run's by the same method, in base units.

    Of a curve, medians over the points that both have.
    """

    quantity: str
    unit: str
    here: float
    there: float
    ratio: float  # there / here; of a curve the median over its points
    points: int = 1
    by_reckon: bool = False  # a report's value, compared with this book's own method
    over_link: bool = False  # measured with another host, over a link that is not the machine's
    is_decided: bool = True  # whether the other's value is outside the interval at most points

    @property
    def shows_speed(self) -> bool:
        """Whether the ratio says which of the two is faster, machine or link."""
        return not self.by_reckon and self.quantity not in method_groups.not_ranked()

    @property
    def is_ranked(self) -> bool:
        """Whether it counts in the ranking of the two machines."""
        return self.shows_speed and not self.over_link

    @property
    def times(self) -> float:
        """How many times as long it takes there; nan for what is neither a time nor a rate."""
        power = units.dimension(self.unit).get("[time]", 0)
        if power == 1:
            return self.ratio
        return 1 / self.ratio if power == -1 and self.ratio else math.nan

    @property
    def colour(self) -> float:
        """`times` if it counts in the ranking, else nan."""
        return self.times if self.is_ranked else math.nan


@dataclass(frozen=True)
class Row:
    """What is measured, and each other machine's value of it."""

    experiment: str
    name: str
    cells: dict[str, Cell]

    @property
    def label(self) -> str:
        return f"{self.experiment} {self.name}".strip().replace("_", " ") + self.method_note

    @property
    def method_note(self) -> str:
        """Whether this run's value is by Reckon's method, the report's by its own."""
        return " (Reckon's)" if any(cell.by_reckon for cell in self.cells.values()) else ""

    @property
    def part(self) -> str:
        return self.experiment.split("/")[0]


@dataclass(frozen=True)
class Unmatched:
    """A report's values that no cell has, and why."""

    report: str
    why: str
    names: tuple[str, ...]  # quantities; the report's words where this book has no such quantity
    count: int


class RunValues:
    """A quantity's values at its points, in base units; nan where its processes fall into two
    groups, of which there is no ratio."""

    def __init__(self, result: Result):
        self.result = result
        self.medians = [math.nan if s.groups else s.median for s in result.summaries]
        self.over_link = result.measurement is not None and result.measurement.peer is not None
        method = method_groups.method_of(result.quantity)
        # A divisor that belongs to one point of a curve says nothing about the others.
        divides = method is not None and not isinstance(method.at, float)
        self.divisors = [
            method.divisor(point) if method and divides else 1.0 for point in result.points
        ]

    def cell(self, matches: Sequence[tuple[int, float]], *, by_reckon: bool = False) -> Cell | None:
        """The comparison with another machine's values, each with the index of this run's point;
        None if no pair is above 0."""
        positive = [match for match in matches if self.medians[match[0]] > 0 and match[1] > 0]
        if not positive:
            return None
        indices, values = map(list, zip(*positive, strict=True))
        divisors = np.array(self.divisors)[indices]
        here, there = np.array(self.medians)[indices] / divisors, np.array(values) / divisors
        held = [self.result.may_give(*match) for match in positive]
        return Cell(
            quantity=self.result.quantity,
            unit=self.result.unit,
            here=float(np.median(here)),
            there=float(np.median(there)),
            ratio=float(np.median(there / here)),
            points=len(indices),
            by_reckon=by_reckon,
            over_link=self.over_link,
            is_decided=2 * sum(held) < len(held),
        )


@dataclass(frozen=True)
class OtherMachines:
    """The other machines, and what of this run can be compared with them."""

    here: records.Run
    rows: list[Row]
    titles: dict[str, str]  # column: the machine's name; reports first
    runs: dict[str, records.Run]
    troubles: list[str]  # sentences: runs that could not be read, or are too many
    unmatched: list[Unmatched]  # what the reports measured and no row has
    values: dict[str, RunValues]  # this run's quantities that have samples

    def rows_of(self, part: str, columns: list[str] | None = None) -> list[Row]:
        """The rows of that part of the book in which one of these columns has a value."""
        names = set(columns or self.titles)
        return [row for row in self.rows if row.part == part and names & set(row.cells)]

    @property
    def report_columns(self) -> list[str]:
        """The columns of the reports' machines, the first ones."""
        return [column for column in self.titles if column not in self.runs]


def _slope_cell(run_values: RunValues, reported: ReportedValue) -> Cell | None:
    """A report's slope compared with the slope of this run's curve."""
    result = run_values.result
    here, there = value_here(result, reported), reported.measured_in(result.unit)
    if not here > 0:
        return None
    return Cell(
        quantity=result.quantity, unit=result.unit, here=here, there=there, ratio=there / here
    )


def _report_cell(run_values: RunValues, values: list[ReportedValue]) -> Cell | None:
    """The report's values of a quantity at the points that this run has too."""
    result = run_values.result
    for reported in values:
        if reported.slope:
            return _slope_cell(run_values, reported)
    matches = [
        (index, reported.measured_in(result.unit))
        for reported in values
        if (index := result.point_index(reported.at, reported.at_unit)) is not None
    ]
    return run_values.cell(matches, by_reckon=any(reported.method_differs for reported in values))


def _run_cell(run_values: RunValues, other_values: RunValues) -> Cell | None:
    """Another run's values at the points that both measured with the same parameters."""
    here, there = run_values.result, other_values.result
    if units.dimension(here.unit) != units.dimension(there.unit):
        return None
    points = {point.x: (k, point.params) for k, point in enumerate(there.points)}
    matches = []
    for i, point in enumerate(here.points):
        k, params = points.get(point.x, (0, None))
        if params == point.params:
            matches.append((i, other_values.medians[k]))
    return run_values.cell(matches)


def _middle(cells: list[Cell]) -> Cell:
    """The cell with the middle ratio: a run has every method of a row."""
    return sorted(cells, key=lambda cell: cell.ratio)[(len(cells) - 1) // 2]


def other_runs(name: str) -> tuple[dict[str, Path], list[str]]:
    """The runs besides this one, the one opened last first, and a sentence on those left out."""
    folders, troubles = records.runs()
    folders.pop(name, None)
    names = list(folders)
    latest, earlier = names[:_MAX_RUNS], names[_MAX_RUNS:]
    if earlier:
        troubles.append(
            f"There are {len(earlier)} more runs, opened earlier: {', '.join(earlier)}."
        )
    return {run: folders[run] for run in latest}, troubles


def _read_runs(folders: dict[str, Path], troubles: list[str]) -> dict[str, dict[str, Result]]:
    """What each run measured, by quantity; a sentence in `troubles` for one that cannot be read."""
    by_run = {}
    for name, folder in folders.items():
        try:
            results = all_results(folder, only_measured=True, samples=False)
        except ReckonError as error:
            troubles.append(str(error))
            continue
        by_run[name] = {result.quantity: result for result in results if result.has_samples}
    return by_run


def _why_unmatched(
    reported: ReportedValue, result: Result | None, run_values: RunValues | None
) -> str:
    """Why a report's value is compared with nothing; "" where it is."""
    if not reported.quantity:
        return "derived from other values" if reported.derived else _NO_ROW
    if records.experiment_of(reported.quantity) in method_groups.not_comparable():
        return "on another scale"
    if result is None:
        return "not measured yet"
    if run_values is None:
        return f"{result.state}: {result.reason}"
    index = result.point_index(reported.at, reported.at_unit)
    if index is not None and result.summaries[index].groups:
        return "its processes fall into two groups here"
    if index is None and not reported.slope:
        return "at points that this run does not have"
    if not reported.measured_in(result.unit) > 0:
        return "the report has no value above 0 there, and so no ratio"
    here = value_here(result, reported) if index is None else run_values.medians[index]
    return "" if here > 0 else "this run has no value above 0 there, and so no ratio"


def _unmatched(results: dict[str, Result], values: dict[str, RunValues]) -> list[Unmatched]:
    """What the reports measured and no cell has."""
    names_by_reason: dict[tuple[str, str], list[str]] = {}
    for reported in published.reported_values():
        if reported.measured is None:
            continue
        quantity = reported.quantity
        why = _why_unmatched(reported, results.get(quantity), values.get(quantity))
        if why:
            name = f"`{quantity}`" if quantity else reported.what
            names_by_reason.setdefault((why, reported.report), []).append(name)
    return [
        Unmatched(report, why, tuple(dict.fromkeys(names)), len(names))
        for (why, report), names in sorted(names_by_reason.items())
    ]


def _cells(run_values: RunValues, by_run: dict[str, dict[str, Result]]) -> dict[str, Cell]:
    """Every other machine's value of a quantity."""
    quantity = run_values.result.quantity
    values = comparable_values(quantity)
    cells = {
        report.name: _report_cell(run_values, [v for v in values if v.report == report.name])
        for report in published.all_reports()
    }
    for name, results in by_run.items():
        if quantity in results:
            cells[name] = _run_cell(run_values, RunValues(results[quantity]))
    return {column: cell for column, cell in cells.items() if cell}


def _rows(values: dict[str, RunValues], by_run: dict[str, dict[str, Result]]) -> list[Row]:
    by_label: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    for name, run_values in values.items():
        columns = by_label.setdefault(row_label(name), {})
        for column, cell in _cells(run_values, by_run).items():
            columns.setdefault(column, []).append(cell)
    return [
        Row(*label, {column: _middle(cells) for column, cells in columns.items()})
        for label, columns in by_label.items()
        if columns
    ]


def other_machines(here: records.Run) -> OtherMachines:
    """What the other machines have of this run's quantities."""
    folders, troubles = other_runs(here.name)
    by_run = _read_runs(folders, troubles)
    measured = all_results(here.name, only_measured=True, samples=False)
    results = {result.quantity: result for result in measured}
    values = {name: RunValues(result) for name, result in results.items() if result.has_samples}
    runs = {name: records.read_run(folders[name]) for name in by_run}
    titles = {report.name: report.machine for report in published.all_reports()}
    return OtherMachines(
        here=here,
        rows=_rows(values, by_run),
        titles=titles | {name: name for name in by_run},
        runs={name: run for name, run in runs.items() if run},
        troubles=troubles,
        unmatched=_unmatched(results, values),
        values=values,
    )
