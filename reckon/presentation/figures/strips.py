"""Strip plots: this machine among the reports' machines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.among_reports import here_by
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, Data, Look
from reckon.records.result import Result
from reckon.reports import published
from reckon.statistics import Summary

_BY_METHOD = "this machine, by that method"
_HOLLOW: Look = {"ls": "", "mfc": "none"}


@dataclass(frozen=True)
class _Mark:
    """A report's figure, in base units."""

    figure: published.Figure
    value: float
    by_method: float  # here, by the report's method; nan if it is unknown or the strip's own


@dataclass(frozen=True)
class _Strip:
    title: str
    here: Summary | None  # of a curve at its place; None without samples
    marks: list[_Mark]

    @property
    def values(self) -> list[float]:
        here = [self.here.median] if self.here else []
        return [mark.value for mark in self.marks] + here

    @property
    def has_hollow(self) -> bool:
        return any(mark.by_method > 0 for mark in self.marks)

    def alt(self, unit: str) -> str:
        """The strip in words."""
        here = units.amount(self.here.median, unit) if self.here else "not measured"
        there = ", ".join(
            f"{units.amount(mark.value, unit)} ({mark.figure.report})" for mark in self.marks
        )
        return f"{self.title}, here {here}, there {there or 'nothing'}"


def _strip(
    title: str, unit: str, result: Result, quantities: list, at: float | None = None
) -> _Strip:
    """`quantities` of reports, a pair (quantity, place) if a curve's place differs from `at`."""
    marks = []
    for quantity, x in (entry if isinstance(entry, tuple) else (entry, at) for entry in quantities):
        for figure in published.of(quantity):
            if figure.measured is not None and x in (None, figure.at):
                by_method = math.nan if quantity == result.quantity else here_by(figure)
                marks.append(_Mark(figure, figure.base(figure.measured, unit), by_method))
    place = result.place(at)
    return _Strip(title, None if place is None else result.summaries[place], marks)


def among(groups: dict[str, tuple], name: str, caption: str) -> Block:
    """A strip for each group: this machine's median with its interval, what the reports measured
    on theirs, and hollow, what this machine takes by their methods.

    groups: {title: (result, [quantities of reports])} or, of a curve, {title: (result,
    [quantities], place on its axis)}; a pair (quantity, place) is a report's curve at another
    place. All groups share a unit; a strip should have one thing that is measured.
    """
    results = [result for result, *_ in groups.values()]
    base = results[0].unit
    strips = [_strip(title, base, *group) for title, group in groups.items()]
    strips = [strip for strip in strips if strip.values]
    if not strips:
        return style.nothing(results)
    unit = units.readable(float(np.median([v for strip in strips for v in strip.values])), base)
    drawn = {mark.figure.report for strip in strips for mark in strip.marks}
    reports = [report for report in published.all_reports() if report.name in drawn]
    with style.drawing(0.8 + 0.42 * len(strips)) as drawing:
        axes = drawing.axes
        rows = [row for y, strip in enumerate(strips) for row in _draw(axes, y, strip, unit)]
        style.named_rows(axes, [strip.title for strip in strips], units.spoken(unit))
        drawing.legend(_handles(reports, has_hollow=any(strip.has_hollow for strip in strips)))
        alt = "; ".join(strip.alt(base) for strip in strips)
        alt = f"This machine among {len(reports)} reports' machines: {alt}"
        header = ["strip", "machine", "what", f"value [{units.spoken(unit)}]"]
        return drawing.save(name, caption, alt, Data(header, rows))


def _draw(axes: Axes, y: int, strip: _Strip, unit: str) -> list[list[str]]:
    """Draws a strip; returns its rows of data."""
    looks, rows = style.report_looks(), []

    def row(machine: str, what: str, value: float) -> list[str]:
        return [strip.title, machine, what, f"{units.from_base(value, unit):.6g}"]

    for mark in strip.marks:
        look = looks[mark.figure.report]
        axes.plot(units.from_base(mark.value, unit), y, ls="", ms=6, alpha=0.8, **look)
        rows.append(row(mark.figure.machine, mark.figure.label, mark.value))
        if mark.by_method > 0:
            axes.plot(units.from_base(mark.by_method, unit), y, ms=6, **_HOLLOW, **look)
            rows.append(row(_BY_METHOD, mark.figure.label, mark.by_method))
    if strip.here:
        ends = [units.from_base(x, unit) for x in (strip.here.low, strip.here.high)]
        axes.plot(ends, [y, y], color=BLACK, lw=1.5)
        median = units.from_base(strip.here.median, unit)
        axes.plot(median, y, "D", color=BLACK, ms=7, mew=1.5, mfc="none")
        rows.append(row("this machine", "", strip.here.median))
    return rows


def _handles(reports: list[published.Report], *, has_hollow: bool) -> list[Line2D]:
    looks, black = style.report_looks(), {"color": BLACK, **_HOLLOW}
    handles = [Line2D([], [], marker="D", mew=1.5, label="this machine", **black)]
    handles += [Line2D([], [], ls="", label=r.machine, **looks[r.name]) for r in reports]
    if has_hollow:
        label = "hollow: this machine, by that report's method"
        handles.append(Line2D([], [], marker="o", label=label, **black))
    return handles
