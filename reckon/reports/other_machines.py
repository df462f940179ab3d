"""This run beside other machines: the reports' and those of other runs.

A report measured by a method of its own, and this run has a row for nearly each: a report's figure is held
against the row of its own method, so that the ratio is one of machines and not of methods; the few that are held
against this book's own method are marked and not ranked. Rows of different reports
that measure the same thing (`cpu/task/t470_fork`, `cpu/task/i7_10750h_fork`) stand in one line, `cpu/task fork`.
What a report measured and no line has is kept with its reason.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon import records, units
from reckon.config import ReckonError
from reckon.records.result import Result, all_results, told_trials
from reckon.reports import methods, published
from reckon.reports.matching import comparable, row_label, value_here

# So many other runs take part, the one opened last first: each is a column.
_RUNS_MOST = 4


@dataclass(frozen=True)
class Cell:
    """One machine's figure of a quantity and this run's by the same method, at the same places: medians
    over those, in base units."""

    quantity: str
    unit: str
    here: float
    there: float
    ratio: float  # there / here; of a curve the median over its places
    places: int = 1
    cycles_here: float = math.nan
    cycles_there: float = math.nan
    by_ours: bool = False  # a report's figure, compared with this book's own method
    over_link: bool = False  # measured with another host, over a link that is not the machine's

    @property
    def shows_speed(self) -> bool:
        """Whether the ratio says which of the two is faster, machine or link."""
        return not self.by_ours and self.quantity not in methods.not_ranked()

    @property
    def is_ranked(self) -> bool:
        return self.shows_speed and not self.over_link

    @property
    def times(self) -> float:
        """How many times as long it takes there: a rate is turned over. nan for what is neither time nor
        rate."""
        power = units.dimension(self.unit).get("[time]", 0)
        return {1: self.ratio, -1: 1 / self.ratio if self.ratio else math.nan}.get(
            int(power), math.nan
        )

    @property
    def colour(self) -> float:
        """The same, where it says which machine is quicker; nan where it does not."""
        return self.times if self.shows_speed else math.nan

    @property
    def cycles_ratio(self) -> float:
        return self.cycles_there / self.cycles_here


@dataclass(frozen=True)
class Row:
    """What is measured, in a line of its own, and each other machine's figure of it."""

    experiment: str
    what: str
    cells: dict[str, Cell]

    @property
    def label(self) -> str:
        ours = " (ours)" if any(cell.by_ours for cell in self.cells.values()) else ""
        return f"{self.experiment} {self.what}".strip().replace("_", " ") + ours

    @property
    def part(self) -> str:
        return self.experiment.split("/")[0]


@dataclass(frozen=True)
class Without:
    """A report's figures that no cell has, and why."""

    report: str
    why: str
    of: tuple[str, ...]  # quantities, or what a report calls it where no row measures it
    count: int


@dataclass(frozen=True)
class Others:
    """The other machines, and what this run can be held against."""

    here: records.Run
    rows: list[Row]
    titles: dict[str, str]  # column: the machine's name; reports first
    runs: dict[str, records.Run]
    troubles: list[str]  # sentences: runs that could not be read, or are too many
    without: list[Without]  # what the reports measured and no row has
    heres: dict[str, Here]  # this run's quantities that have samples

    def of(self, part: str, columns: list[str] | None = None) -> list[Row]:
        """The rows of that part of the book in which one of the machines has a figure."""
        wanted = set(columns or self.titles)
        return [row for row in self.rows if row.part == part and wanted & set(row.cells)]

    @property
    def of_reports(self) -> list[str]:
        return [column for column in self.titles if column not in self.runs]


class Here:
    """A quantity's medians at its points, in base units and in core cycles, without the rest of a summary:
    its warnings take a hundred times as long."""

    def __init__(self, one: Result):
        m = one.measurement
        self.one, self.medians, self.cycles = one, [], []
        self.is_time = units.dimension(one.unit) == units.dimension("s")
        for point in one.points:
            told = [
                told_trials(p.ticks, p.ops, m.op, m.tick_hz, one.unit, one.seal.kind)
                for p in point.processes
            ]
            self.medians.append(np.median([np.median(values) for values in told]))
            clocks = [
                (p.cycles_per_tick_before + p.cycles_per_tick_after) / 2 for p in point.processes
            ]
            cycles = [
                np.median(values) * clock * m.tick_hz
                for values, clock in zip(told, clocks, strict=True)
            ]
            self.cycles.append(np.median(cycles) if self.is_time else math.nan)
            self.clock_hz = float(np.median(clocks)) * m.tick_hz
        self.over_link = m.peer is not None
        method = methods.of(one.quantity)
        # A divisor that belongs to one place of a curve says nothing about the others.
        divides = method is not None and not isinstance(method.at, float)
        self.divisors = [method.divisor(p) if divides else 1.0 for p in one.points]

    def cell(
        self,
        places: list[int],
        there: list[float],
        cycles_there: list[float],
        by_ours: bool = False,
    ) -> Cell | None:
        """Against another machine's values at those places; whole files by their blocks."""
        both = [
            (k, t, c)
            for k, t, c in zip(places, there, cycles_there, strict=True)
            if self.medians[k] > 0 and t > 0
        ]
        if not both:
            return None
        k, t, c = (np.array(values) for values in zip(*both, strict=True))
        per, middle = np.array(self.divisors)[k], lambda values: float(np.median(values))
        here, there = np.array(self.medians)[k] / per, t / per
        return Cell(
            self.one.quantity,
            self.one.unit,
            middle(here),
            middle(there),
            middle(there / here),
            len(k),
            middle(np.array(self.cycles)[k] / per),
            middle(c / per),
            by_ours,
            self.over_link,
        )


def _of_report(mine: Here, figures: list[published.Figure]) -> Cell | None:
    """The report's figures of a quantity at the places that this run has too."""
    one, cycle = mine.one, lambda f: f.core_cycles(f.measured) if mine.is_time else math.nan
    if f := next((f for f in figures if f.slope), None):
        here, there = value_here(one, f), f.base(f.measured, one.unit)
        return (
            None
            if not here > 0
            else Cell(
                one.quantity, one.unit, here, there, there / here, 1, here * mine.clock_hz, cycle(f)
            )
        )
    found = [(k, f) for f in figures if (k := one.place(f.at, f.at_unit)) is not None]
    return mine.cell(
        [k for k, _ in found],
        [f.base(f.measured, one.unit) for _, f in found],
        [cycle(f) for _, f in found],
        any(f.method_differs for _, f in found),
    )


def _of_run(mine: Here, theirs: Here) -> Cell | None:
    """Another run's figures at the places that both have, by the same parameters."""
    one, other = mine.one, theirs.one
    if units.dimension(one.unit) != units.dimension(other.unit):
        return None
    there = {p.x: (k, p.params) for k, p in enumerate(other.points)}
    both = [
        (i, there[p.x][0])
        for i, p in enumerate(one.points)
        if p.x in there and there[p.x][1] == p.params
    ]
    return mine.cell(
        [i for i, _ in both],
        [theirs.medians[k] for _, k in both],
        [theirs.cycles[k] for _, k in both],
    )


def _middle(cells: list[Cell]) -> Cell:
    """Of the rows in one line (a run has them all), the one with the middle ratio."""
    return sorted(cells, key=lambda cell: cell.ratio)[(len(cells) - 1) // 2]


def other_runs(name: str) -> tuple[dict[str, Path], list[str]]:
    """The runs beside this one, the one opened last first, and what is to be said of those left out."""
    known, troubles = records.runs()
    known.pop(name, None)
    more = list(known)[_RUNS_MOST:]
    if more:
        troubles.append(f"There are {len(more)} more runs, opened earlier: {', '.join(more)}.")
    return {run: known[run] for run in list(known)[:_RUNS_MOST]}, troubles


def _read_runs(folders: dict[str, Path], troubles: list[str]) -> dict[str, dict[str, Result]]:
    """What each of them measured; a sentence in `troubles` for one that cannot be read."""
    known = {}
    for name, folder in folders.items():
        try:
            known[name] = {
                one.quantity: one
                for one in all_results(folder, only_measured=True)
                if one.has_samples
            }
        except ReckonError as error:
            troubles.append(str(error))
    return known


def _why_not(figure: published.Figure, one: Result | None, mine: Here | None) -> str:
    """Why a report's figure is held against nothing; nothing where it is."""
    if not figure.quantity:
        return "derived from other figures" if figure.derived else "no row of this book measures it"
    if figure.quantity.rpartition("/")[0] in methods.not_comparable():
        return "on another scale"
    if one is None:
        return "not measured yet"
    if not one.has_samples:
        return f"{one.state}: {one.reason}"
    place = one.place(figure.at, figure.at_unit)
    if place is None and not figure.slope:
        return "at places that this run has not"
    if (
        figure.measured > 0
        and (value_here(one, figure) if place is None else mine.medians[place]) > 0
    ):
        return ""
    return f"{'this run' if figure.measured > 0 else 'the report'} has no figure above 0 there, and so no ratio"


def _without(results: dict[str, Result], heres: dict[str, Here]) -> list[Without]:
    """What the reports measured and no cell has."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in published.figures():
        why = (
            ""
            if one.measured is None
            else _why_not(one, results.get(one.quantity), heres.get(one.quantity))
        )
        if why:
            found.setdefault((why, one.report), []).append(
                f"`{one.quantity}`" if one.quantity else one.what
            )
    return [
        Without(report, why, tuple(dict.fromkeys(of)), len(of))
        for (why, report), of in sorted(found.items())
    ]


def _cells(mine: Here, known: dict[str, dict[str, Result]]) -> dict[str, Cell]:
    """Every other machine's figure of a quantity."""
    one = mine.one
    found = {
        report.name: _of_report(
            mine, [f for f in comparable(one.quantity) if f.report == report.name]
        )
        for report in published.all_reports()
    }
    found |= {
        name: _of_run(mine, Here(theirs[one.quantity]))
        for name, theirs in known.items()
        if one.quantity in theirs
    }
    return {column: cell for column, cell in found.items() if cell}


def others(here: records.Run) -> Others:
    """What the other machines have of this run's quantities."""
    folders, troubles = other_runs(here.name)
    known = _read_runs(folders, troubles)
    lines: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    results = {one.quantity: one for one in all_results(here.name, only_measured=True)}
    heres = {name: Here(one) for name, one in results.items() if one.has_samples}
    for name, mine in heres.items():
        line = lines.setdefault(row_label(name), {})
        for column, cell in _cells(mine, known).items():
            line.setdefault(column, []).append(cell)
    rows = [
        Row(*line, {column: _middle(these) for column, these in columns.items()})
        for line, columns in lines.items()
        if columns
    ]
    titles = {report.name: report.machine for report in published.all_reports()} | {
        name: name for name in known
    }
    return Others(
        here,
        rows,
        titles,
        {name: records.read_run(folders[name]) for name in known},
        troubles,
        _without(results, heres),
        heres,
    )
