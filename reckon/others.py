"""This run beside other machines: the reports' and those of other runs.

A report measured by a method of its own, and this run has a row for each: a report's figure is held against
the row of its own method, so that the ratio is one of machines and not of methods. Rows of different reports
that measure the same thing (`cpu/task/t470_fork`, `cpu/task/i7_10750h_fork`) stand in one line, `cpu/task fork`.
What a report measured and no line has is kept with its reason.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import records, reports, units
from .results import Result, all_results, told_trials
from .settings import ReckonError

# What a report did on another scale than this book does, so that the figures are no ratio of machines.
NOT_ALIKE = {
    "files/cache": "the reports filled all of their memory, this book a group with little memory that stands for it",
}
# Rows whose ratio is no property of the machine: they stand in table and heat map, and are not ranked.
NOT_RANKED = {
    "cpu/syscall/mbp2016_getpid": "the C library answered it there from memory, and the kernel does here",
    "files/remote/seek": "libnfs only notes an offset here, and no message goes out",
}
_OVER_THE_LINK = "goes over the link to the peer, and that is none of the machine's"
# Named as if they were the same as another report's, and another thing.
_LINES = {
    "cpu/loop/mbp2016": "optimised",
    "cpu/switch/i7_10750h_process": "process, from its fork",
    "cpu/switch/i7_10750h_thread": "thread, from its creation",
    "cpu/task/hpe_i7_860_process": "process, until the first runs",
    "cpu/task/hpe_i7_860_thread": "thread, until the first runs",
    "cpu/task/x510uq_thread": "thread, not joined",
    "memory/fault/t470": "from disk",
    "memory/fault/x510uq": "from disk",
    "memory/fault/hpe_i7_860": "from disk",
    "memory/fault/hpe_i7_860_memory": "file in memory",
    "memory/fault/mbp2016": "cached",
    "memory/fault/i7_10750h_file": "file just filled",
    "network/rtt/i7_10750h": "through a pipe",
    "network/rtt/hpe_i7_860": "to the acknowledgement",
    "network/rtt/hpe_i7_860_peer": "to the acknowledgement, peer",
    "files/read/t470_sequential": "sequential, never written",
    "files/read/t470_random": "random, never written",
    "files/contention/t470": "never written",
    "files/contention/mbp2016": "threads on one file",
}
# A report's single figure of what is a curve here: its place, and by what our figure there is divided.
_SINGLE = {"cpu/loop/hpe_i7_860": (50.0, 50.0)}
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

    @property
    def times(self) -> float:
        """How many times as long it takes there: a rate is turned over. nan for what is neither time nor
        rate."""
        power = units.dimension(self.unit).get("[time]", 0)
        return {1: self.ratio, -1: 1 / self.ratio if self.ratio else math.nan}.get(int(power), math.nan)

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
        return f"{self.experiment} {self.what}".strip().replace("_", " ")

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

    def of(self, part: str, columns: list[str] | None = None) -> list[Row]:
        """The rows of that part of the book in which one of the machines has a figure."""
        wanted = set(columns or self.titles)
        return [row for row in self.rows if row.part == part and wanted & set(row.cells)]

    @property
    def of_reports(self) -> list[str]:
        return [column for column in self.titles if column not in self.runs]


def alike(quantity: str) -> list[reports.Figure]:
    """The reports' figures of a quantity, where they measured the same."""
    return [] if quantity.rpartition("/")[0] in NOT_ALIKE else reports.of(quantity)


def not_ranked(quantity: str) -> str:
    """Why no machine is quicker or slower by it; nothing where one is."""
    if quantity in NOT_RANKED:
        return NOT_RANKED[quantity]
    return _OVER_THE_LINK if "_peer" in quantity or quantity.startswith("files/remote/") else ""


def _line_of(quantity: str) -> tuple[str, str]:
    """The experiment and what is measured, without the name of the report whose method it is."""
    experiment, _, last = quantity.rpartition("/")
    if quantity in _LINES:
        return experiment, _LINES[quantity]
    for report in reports.all_reports():
        last = re.sub(rf"(^|_){report.name}(_|$)", "_", last).strip("_")
    return experiment, last


def _place_in(one: Result, figure: reports.Figure) -> int | None:
    """Which of the quantity's points the figure is of."""
    if one.is_curve and figure.at is None:
        return one.place(_SINGLE.get(one.quantity, (None, 1))[0])
    return one.place(figure.at, figure.at_unit)


class _Here:
    """A quantity's medians at its points, in base units and in core cycles, without the rest of a summary:
    its warnings take a hundred times as long."""

    def __init__(self, one: Result):
        m = one.measurement
        self.one, self.medians, self.cycles = one, [], []
        is_time = units.dimension(one.unit) == units.dimension("s")
        for point in one.points:
            told = [told_trials(p.ticks, p.ops, m.op, m.tick_hz, one.unit, one.seal.kind) for p in point.processes]
            self.medians.append(np.median([np.median(values) for values in told]))
            clocks = [(p.cycles_per_tick_before + p.cycles_per_tick_after) / 2 for p in point.processes]
            cycles = [np.median(values) * clock * m.tick_hz for values, clock in zip(told, clocks, strict=True)]
            self.cycles.append(np.median(cycles) if is_time else math.nan)

    def cell(self, places: list[int], there: list[float], cycles_there: list[float], per: float = 1) -> Cell | None:
        """Against another machine's values at those places; `per`: what ours is divided by."""
        both = [(k, t, c) for k, t, c in zip(places, there, cycles_there, strict=True) if self.medians[k] > 0 and t > 0]
        if not both:
            return None
        k, t, c = map(list, zip(*both, strict=True))
        here, there = np.array(self.medians)[k] / per, np.array(t)
        middle = lambda values: float(np.median(values))  # noqa: E731
        return Cell(self.one.quantity, self.one.unit, middle(here), middle(there), middle(there / here), len(k),
                    middle(np.array(self.cycles)[k]) / per, middle(c))  # fmt: skip


def _of_report(mine: _Here, figures: list[reports.Figure]) -> Cell | None:
    """The report's figures of a quantity at the places that this run has too."""
    one = mine.one
    found = [(k, f) for f in figures if (k := _place_in(one, f)) is not None]
    is_time = units.dimension(one.unit) == units.dimension("s")
    per = _SINGLE[one.quantity][1] if one.is_curve and one.quantity in _SINGLE else 1
    return mine.cell([k for k, _ in found], [f.base(f.measured, one.unit) for _, f in found],
                     [f.core_cycles(f.measured) if is_time else math.nan for _, f in found], per)  # fmt: skip


def _of_run(mine: _Here, theirs: _Here) -> Cell | None:
    """Another run's figures at the places that both have, by the same parameters."""
    one, other = mine.one, theirs.one
    if units.dimension(one.unit) != units.dimension(other.unit):
        return None
    there = {p.x: (k, p.params) for k, p in enumerate(other.points)}
    both = [(i, there[p.x][0]) for i, p in enumerate(one.points) if p.x in there and there[p.x][1] == p.params]
    return mine.cell([i for i, _ in both], [theirs.medians[k] for _, k in both], [theirs.cycles[k] for _, k in both])


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
            known[name] = {one.quantity: one for one in all_results(folder, only_measured=True) if one.has_samples}
        except ReckonError as error:
            troubles.append(str(error))
    return known


def _why_not(figure: reports.Figure, one: Result | None, mine: _Here | None) -> str:
    """Why a report's figure is held against nothing; nothing where it is."""
    if not figure.quantity:
        return "no row of this book measures it"
    if figure.quantity.rpartition("/")[0] in NOT_ALIKE:
        return "on another scale"
    if one is None:
        return "not measured yet"
    if not one.has_samples:
        return f"{one.state}: {one.reason}"
    place = _place_in(one, figure)
    if place is None:
        return "at places that this run has not" if figure.at is not None else "at no place of the curve here"
    if mine.medians[place] > 0 and figure.measured > 0:
        return ""
    return f"{'this run' if figure.measured > 0 else 'the report'} has no figure above 0 there, and so no ratio"


def _without(results: dict[str, Result], heres: dict[str, _Here]) -> list[Without]:
    """What the reports measured and no cell has."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in reports.figures():
        why = "" if one.measured is None else _why_not(one, results.get(one.quantity), heres.get(one.quantity))
        if why:
            found.setdefault((why, one.report), []).append(f"`{one.quantity}`" if one.quantity else one.what)
    return [Without(report, why, tuple(dict.fromkeys(of)), len(of)) for (why, report), of in sorted(found.items())]


def _cells(mine: _Here, known: dict[str, dict[str, Result]]) -> dict[str, Cell]:
    """Every other machine's figure of a quantity."""
    one = mine.one
    found = {report.name: _of_report(mine, [f for f in alike(one.quantity) if f.report == report.name])
             for report in reports.all_reports()}  # fmt: skip
    found |= {name: _of_run(mine, _Here(theirs[one.quantity])) for name, theirs in known.items()
              if one.quantity in theirs}  # fmt: skip
    return {column: cell for column, cell in found.items() if cell}


def others(here: records.Run) -> Others:
    """What the other machines have of this run's quantities."""
    folders, troubles = other_runs(here.name)
    known = _read_runs(folders, troubles)
    lines: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    results = {one.quantity: one for one in all_results(here.name, only_measured=True)}
    heres = {name: _Here(one) for name, one in results.items() if one.has_samples}
    for name, mine in heres.items():
        line = lines.setdefault(_line_of(name), {})
        for column, cell in _cells(mine, known).items():
            line.setdefault(column, []).append(cell)
    rows = [Row(*line, {column: _middle(these) for column, these in columns.items()})
            for line, columns in lines.items() if columns]  # fmt: skip
    titles = {report.name: report.machine for report in reports.all_reports()} | {name: name for name in known}
    return Others(here, rows, titles, {name: records.read_run(folders[name]) for name in known}, troubles,
                  _without(results, heres))  # fmt: skip
