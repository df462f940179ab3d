"""Strip plots: this machine among others."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import records, units
from reckon.comparison.reports import method_groups, published
from reckon.comparison.reports.matching import is_decided
from reckon.comparison.reports.report import Report
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.records.quantities.lookup import read_result
from reckon.records.quantities.result import Result, median_text
from reckon.records.session import current_session
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, Look
from reckon.show.tables.method_and_machine_tables import value_by_method_of
from reckon.show.text import plural
from reckon.statistics import Summary

_BY_METHOD = "this machine, by that method"
HOLLOW: Look = {"mfc": "none"}
_HERE: Look = {"color": BLACK, "marker": "D", "ms": 7, "mew": 1.5, **HOLLOW}


@dataclass(frozen=True)
class Mark:
    """A value in the unit of the axis, with the ends of its interval and its row of the data."""

    value: float
    look: Look
    row: list[str]
    ends: tuple[float, float] | None = None
    offset: float = 0.0  # from the middle of its strip, downwards, in heights of a strip


_Strips = list[tuple[str, list[Mark]]]  # each with its title


def draw_strips(axes: Axes, strips: _Strips, xlabel: str, fontsize: float = 9) -> list[list[str]]:
    """Draws the strips, the first on top; returns the data."""
    for strip, (_, marks) in enumerate(strips):
        for mark in marks:
            y = strip + mark.offset
            if mark.ends:
                axes.plot(mark.ends, [y, y], color=mark.look["color"], lw=1.2)
            axes.plot(mark.value, y, **{"ls": "", "ms": 6, **mark.look})
    style.named_rows(axes, [title for title, _ in strips], xlabel, fontsize)
    return [mark.row for _, marks in strips for mark in marks]


@dataclass(frozen=True)
class _ReportPoint:
    """A report's value, in base units."""

    reported: ReportedValue
    value: float
    by_method: float  # here, by the report's method; nan if it is unknown or the strip's own
    is_ranked: bool  # whether the page `machines` ranks it, and so the finding counts it
    is_decided: bool = True  # whether it lies outside this machine's interval

    def alt(self, unit: str) -> str:
        here = f"; here so {units.amount(self.by_method, unit)}" if self.by_method > 0 else ""
        return f"{units.amount(self.value, unit)} ({self.reported.machine}{here})"


@dataclass(frozen=True)
class _Strip:
    """This machine among the reports' machines, in one quantity."""

    title: str
    here: Summary | None  # of a curve at one point; None without samples
    there: list[_ReportPoint]

    @property
    def values(self) -> list[float]:
        return [point.value for point in self.there] + self._own_values

    @property
    def _own_values(self) -> list[float]:
        """This machine's value; both of two groups of processes."""
        if self.here is None:
            return []
        return [each.median for each in self.here.groups or [self.here]]

    @property
    def has_hollow(self) -> bool:
        return any(point.by_method > 0 for point in self.there)

    @property
    def pairs(self) -> list[tuple[float, float, bool]]:
        """Each ranked value of a report, this machine's by the same method, and whether they are
        shown to differ."""
        if not self.here:
            return []
        own = math.nan if self.here.groups else self.here.median
        pairs = [
            (point.value, own if math.isnan(point.by_method) else point.by_method, point.is_decided)
            for point in self.there
            if point.is_ranked
        ]
        return [pair for pair in pairs if not math.isnan(pair[1])]

    def alt(self, unit: str) -> str:
        here = "not measured"
        if self.here:
            groups = self.here.groups or ()
            here = " or ".join(units.amount(group.median, unit) for group in groups)
            here = here or median_text(self.here, unit)
        there = ", ".join(point.alt(unit) for point in self.there)
        return f"{self.title}, here {here}, there {there or 'nothing'}"

    def marks(self, unit: str) -> Iterator[Mark]:
        """The reports' values, with this machine's by their methods, and this machine's own."""
        looks = style.report_looks()

        def mark(machine: str, what: str, value: float, look: Look) -> Mark:
            x = units.from_base(value, unit)
            return Mark(x, look, [self.title, machine, what, f"{x:.6g}"])

        for point in self.there:
            reported, look = point.reported, looks[point.reported.report]
            yield mark(reported.machine, reported.label, point.value, {"alpha": 0.8, **look})
            if point.by_method > 0:
                yield mark(_BY_METHOD, reported.label, point.by_method, {**look, **HOLLOW})
        ends: tuple[float, float] | None = None
        if self.here and not self.here.groups:
            low, high = self.here.interval.ends
            ends = units.from_base(low, unit), units.from_base(high, unit)
        for value in self._own_values:
            yield replace(mark("this machine", "", value, _HERE), ends=ends)


def _strip(
    run: str, title: str, unit: str, result: Result, quantities: list, at: float | None = None
) -> _Strip:
    """`quantities` of reports, a pair (quantity, x) if a report's curve is not taken at `at`."""
    there = []
    for quantity, x in (entry if isinstance(entry, tuple) else (entry, at) for entry in quantities):
        is_this_method = quantity == result.quantity
        by_its = result if is_this_method else read_result(run, quantity)
        for reported in published.measured_values(quantity):
            if x in (None, reported.at):
                by_method = math.nan if is_this_method else value_by_method_of(reported, run)
                is_ranked = (is_this_method or by_method > 0) and _may_be_ranked(reported, result)
                value = reported.measured_in(unit)
                is_apart = by_its is None or is_decided(by_its, reported)
                there.append(_ReportPoint(reported, value, by_method, is_ranked, is_apart))
    index = result.point_index(at)
    return _Strip(title, None if index is None else result.summaries[index], there)


def _may_be_ranked(reported: ReportedValue, here: Result) -> bool:
    """Whether one mechanism on one scale answers on both machines, to one method, over no link."""
    quantity = reported.quantity
    is_over_link = here.measurement is not None and here.measurement.peer is not None
    if is_over_link or reported.method_differs:
        return False
    is_comparable = records.experiment_of(quantity) not in method_groups.not_comparable()
    return is_comparable and quantity not in method_groups.not_ranked()


def _machines_finding(strips: list[_Strip], unit: str) -> str:
    """In how many of the comparisons that the page `machines` ranks this machine is ahead, or has
    the larger value, and how many more are drawn."""
    pairs = [pair for strip in strips for pair in strip.pairs]
    if not pairs:
        return ""
    text, is_counted = _ahead(unit)
    count = sum(is_apart and is_counted(there, here) for there, here, is_apart in pairs)
    undecided = sum(not is_apart for *_, is_apart in pairs)
    of_open = f"{undecided} {plural(undecided, 'comparison', 'comparisons')}"
    open_ones = f"; in {of_open} the data do not decide" if undecided else ""
    unranked = sum(not point.is_ranked for strip in strips if strip.here for point in strip.there)
    drawn = (
        f"; {unranked} more {plural(unranked, 'value is', 'values are')} drawn but not compared"
        if unranked
        else ""
    )
    ranked = f"{len(pairs)} {plural(len(pairs), 'comparison', 'comparisons')}"
    return f". With the same method this machine {text} in {count} of {ranked}{open_ones}{drawn}"


def _ahead(unit: str) -> tuple[str, Callable[[float, float], bool]]:
    """What to say of a machine that is ahead, and whether it is, by the value there and here."""
    power = units.dimension(unit).get("[time]", 0)
    if power == 1:
        return "takes less time", operator.gt
    if power == -1:
        return "has the higher rate", operator.lt
    return "has the larger value", operator.lt


def machines(groups: dict[str, tuple], name: str, caption: str) -> Block:
    """A strip for each group: this machine's median with its interval, what the reports measured
    on theirs, and hollow, what this machine takes by their methods.

    groups: {title: (result, [quantities of reports])} or, of a curve, {title: (result,
    [quantities], position on its axis)}; a pair (quantity, position) is a report's curve at another
    position. All groups share a unit; a strip should have one thing that is measured.
    """
    results = [result for result, *_ in groups.values()]
    result_unit = results[0].unit
    run = current_session().run.name
    strips = [_strip(run, title, result_unit, *group) for title, group in groups.items()]
    strips = [strip for strip in strips if strip.values]
    if not strips:
        return style.nothing_to_draw(results)
    middle = float(np.median([value for strip in strips for value in strip.values]))
    unit = units.readable_unit(middle, result_unit)
    names = {point.reported.report for strip in strips for point in strip.there}
    reports = [report for report in published.all_reports() if report.name in names]
    with drawings.new(0.8 + 0.42 * len(strips)) as drawing:
        marks = [(strip.title, list(strip.marks(unit))) for strip in strips]
        rows = draw_strips(drawing.axes, marks, units.symbol(unit))
        drawing.legend(_handles(reports, has_hollow=any(strip.has_hollow for strip in strips)))
        alt = "; ".join(strip.alt(result_unit) for strip in strips)
        alt = f"This machine among {len(reports)} reports' machines: {alt}"
        header = ["strip", "machine", "what", f"value [{units.symbol(unit)}]"]
        caption += _machines_finding(strips, result_unit)
        return drawing.save(name, caption, alt, Data(header, rows))


def _handles(reports: list[Report], *, has_hollow: bool) -> list[Line2D]:
    looks = style.report_looks()
    handles = [handle("this machine", {**_HERE, "ms": 6})]
    handles += [handle(report.machine, looks[report.name]) for report in reports]
    if has_hollow:
        hollow = {"color": BLACK, "marker": "o", **HOLLOW}
        handles.append(handle("hollow: this machine, by that report's method", hollow))
    return handles


def handle(label: str, look: Look) -> Line2D:
    return Line2D([], [], ls="", label=label, **look)
