"""This run compared with other machines: the reports' and those of other runs.

Each report measured by methods of its own, and this run has a probe for nearly each of them. A
report's figure is compared with the probe of the same method, so that the ratio is one of machines
and not of methods. The few figures that are compared with this book's own method are marked and not
ranked. Quantities that measure the same thing by the methods of different reports share a row.
Figures of a report that are in no row are listed with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon import records, units
from reckon.config import ReckonError
from reckon.records.lookup import all_results
from reckon.records.result import Result
from reckon.reports import methods, published
from reckon.reports.matching import comparable, row_label, value_here

_NO_ROW = "no row of this book measures it"
_MAX_RUNS = 4  # other runs, the one opened last first: each is a column of a table


@dataclass(frozen=True)
class Cell:
    """One machine's figure of a quantity and this run's by the same method, in base units.

    Of a curve, medians over the places that both have.
    """

    quantity: str
    unit: str
    here: float
    there: float
    ratio: float  # there / here; of a curve the median over its places
    places: int = 1
    by_reckon: bool = False  # a report's figure, compared with this book's own method
    over_link: bool = False  # measured with another host, over a link that is not the machine's

    @property
    def shows_speed(self) -> bool:
        """Whether the ratio says which of the two is faster, machine or link."""
        return not self.by_reckon and self.quantity not in methods.not_ranked()

    @property
    def is_ranked(self) -> bool:
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
        """`times` if it says which machine is faster, else nan."""
        return self.times if self.shows_speed else math.nan


@dataclass(frozen=True)
class Row:
    """What is measured, and each other machine's figure of it."""

    experiment: str
    what: str
    cells: dict[str, Cell]

    @property
    def label(self) -> str:
        method = " (Reckon's)" if any(cell.by_reckon for cell in self.cells.values()) else ""
        return f"{self.experiment} {self.what}".strip().replace("_", " ") + method

    @property
    def part(self) -> str:
        return self.experiment.split("/")[0]


@dataclass(frozen=True)
class Unmatched:
    """A report's figures that no cell has, and why."""

    report: str
    why: str
    of: tuple[str, ...]  # quantities, or the report's words where this book has no quantity of it
    count: int


class RunValues:
    """A quantity's medians at its points, in base units; a summary takes 100 times as long."""

    def __init__(self, result: Result):
        self.result = result
        medians = [result.process_medians(point) for point in result.points]
        self.medians = [float(np.median(values)) for values in medians]
        self.over_link = result.measurement is not None and result.measurement.peer is not None
        method = methods.of(result.quantity)
        # A divisor that belongs to one place of a curve says nothing about the others.
        divides = method is not None and not isinstance(method.at, float)
        self.divisors = [
            method.divisor(point) if method and divides else 1.0 for point in result.points
        ]

    def cell(self, matches: Sequence[tuple[int, float]], *, by_reckon: bool = False) -> Cell | None:
        """The comparison with another machine's (place, value); None if none is above 0."""
        positive = [match for match in matches if self.medians[match[0]] > 0 and match[1] > 0]
        if not positive:
            return None
        places, values = zip(*positive, strict=True)
        k = list(places)
        per = np.array(self.divisors)[k]
        here, there = np.array(self.medians)[k] / per, np.array(values) / per
        return Cell(
            self.result.quantity,
            self.result.unit,
            here=float(np.median(here)),
            there=float(np.median(there)),
            ratio=float(np.median(there / here)),
            places=len(k),
            by_reckon=by_reckon,
            over_link=self.over_link,
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
        """The rows of that part of the book in which one of the machines has a figure."""
        wanted = set(columns or self.titles)
        return [row for row in self.rows if row.part == part and wanted & set(row.cells)]

    @property
    def report_columns(self) -> list[str]:
        return [column for column in self.titles if column not in self.runs]


def _slope_cell(run_values: RunValues, figure: published.Figure) -> Cell | None:
    """A report's slope compared with the slope of this run's curve."""
    result = run_values.result
    here, there = value_here(result, figure), figure.measured_in(result.unit)
    if not here > 0:
        return None
    return Cell(result.quantity, result.unit, here, there, there / here)


def _report_cell(run_values: RunValues, figures: list[published.Figure]) -> Cell | None:
    """The report's figures of a quantity at the places that this run has too."""
    result = run_values.result
    for figure in figures:
        if figure.slope:
            return _slope_cell(run_values, figure)
    matches = [
        (place, figure.measured_in(result.unit))
        for figure in figures
        if (place := result.place(figure.at, figure.at_unit)) is not None
    ]
    return run_values.cell(matches, by_reckon=any(figure.method_differs for figure in figures))


def _run_cell(run_values: RunValues, other_values: RunValues) -> Cell | None:
    """Another run's figures at the places that both measured by the same parameters."""
    here, there = run_values.result, other_values.result
    if units.dimension(here.unit) != units.dimension(there.unit):
        return None
    places = {point.x: (k, point.params) for k, point in enumerate(there.points)}
    matches = []
    for i, point in enumerate(here.points):
        k, params = places.get(point.x, (0, None))
        if params == point.params:
            matches.append((i, other_values.medians[k]))
    return run_values.cell(matches)


def _middle(cells: list[Cell]) -> Cell:
    """The cell with the middle ratio: a run has every method of a row."""
    return sorted(cells, key=lambda cell: cell.ratio)[(len(cells) - 1) // 2]


def other_runs(name: str) -> tuple[dict[str, Path], list[str]]:
    """The runs besides this one, the one opened last first, and a sentence on those left out."""
    known, troubles = records.runs()
    known.pop(name, None)
    more = list(known)[_MAX_RUNS:]
    if more:
        troubles.append(f"There are {len(more)} more runs, opened earlier: {', '.join(more)}.")
    return {run: known[run] for run in list(known)[:_MAX_RUNS]}, troubles


def _read_runs(folders: dict[str, Path], troubles: list[str]) -> dict[str, dict[str, Result]]:
    """What each of them measured; a sentence in `troubles` for one that cannot be read."""
    known = {}
    for name, folder in folders.items():
        try:
            results = all_results(folder, only_measured=True)
        except ReckonError as error:
            troubles.append(str(error))
            continue
        known[name] = {result.quantity: result for result in results if result.has_samples}
    return known


def _why_unmatched(
    figure: published.Figure, result: Result | None, run_values: RunValues | None
) -> str:
    """Why a report's figure is compared with nothing; nothing where it is."""
    if not figure.quantity:
        return "derived from other figures" if figure.derived else _NO_ROW
    if records.experiment_of(figure.quantity) in methods.not_comparable():
        return "on another scale"
    if result is None:
        return "not measured yet"
    if run_values is None:
        return f"{result.state}: {result.reason}"
    place = result.place(figure.at, figure.at_unit)
    if place is None and not figure.slope:
        return "at places that this run has not"
    if not figure.measured_in(result.unit) > 0:
        return "the report has no figure above 0 there, and so no ratio"
    here = value_here(result, figure) if place is None else run_values.medians[place]
    return "" if here > 0 else "this run has no figure above 0 there, and so no ratio"


def _unmatched(results: dict[str, Result], values: dict[str, RunValues]) -> list[Unmatched]:
    """What the reports measured and no cell has."""
    quantities: dict[tuple[str, str], list[str]] = {}
    for figure in published.figures():
        if figure.measured is None:
            continue
        quantity = figure.quantity
        why = _why_unmatched(figure, results.get(quantity), values.get(quantity))
        if why:
            of = f"`{quantity}`" if quantity else figure.what
            quantities.setdefault((why, figure.report), []).append(of)
    return [
        Unmatched(report, why, tuple(dict.fromkeys(of)), len(of))
        for (why, report), of in sorted(quantities.items())
    ]


def _cells(run_values: RunValues, known: dict[str, dict[str, Result]]) -> dict[str, Cell]:
    """Every other machine's figure of a quantity."""
    quantity = run_values.result.quantity
    figures = comparable(quantity)
    cells = {
        report.name: _report_cell(run_values, [f for f in figures if f.report == report.name])
        for report in published.all_reports()
    }
    for name, results in known.items():
        if quantity in results:
            cells[name] = _run_cell(run_values, RunValues(results[quantity]))
    return {column: cell for column, cell in cells.items() if cell}


def _rows(values: dict[str, RunValues], known: dict[str, dict[str, Result]]) -> list[Row]:
    labelled: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    for name, run_values in values.items():
        columns = labelled.setdefault(row_label(name), {})
        for column, cell in _cells(run_values, known).items():
            columns.setdefault(column, []).append(cell)
    return [
        Row(*label, {column: _middle(cells) for column, cells in columns.items()})
        for label, columns in labelled.items()
        if columns
    ]


def others(here: records.Run) -> OtherMachines:
    """What the other machines have of this run's quantities."""
    folders, troubles = other_runs(here.name)
    known = _read_runs(folders, troubles)
    results = {result.quantity: result for result in all_results(here.name, only_measured=True)}
    values = {name: RunValues(result) for name, result in results.items() if result.has_samples}
    runs = {name: records.read_run(folders[name]) for name in known}
    titles = {report.name: report.machine for report in published.all_reports()}
    return OtherMachines(
        here=here,
        rows=_rows(values, known),
        titles=titles | {name: name for name in known},
        runs={name: run for name, run in runs.items() if run},
        troubles=troubles,
        unmatched=_unmatched(results, values),
        values=values,
    )
