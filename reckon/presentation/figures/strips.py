"""Strip plots: this machine among the reports' machines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.among_reports import here_by
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, STYLE
from reckon.records.result import Result
from reckon.reports import published
from reckon.statistics.summary import Summary

_BY_METHOD = "this machine, by that method"


@dataclass(frozen=True)
class _Strip:
    title: str
    result: Result
    here: Summary | None  # of a curve at its place; None without samples
    there: list[published.Figure]


def _strip(title: str, result: Result, quantities: list, at: float | None = None) -> _Strip:
    """`quantities` of reports, a pair (quantity, place) if a curve's place differs from `at`."""
    place = result.place(at)
    pairs = [entry if isinstance(entry, tuple) else (entry, at) for entry in quantities]
    there = [f for name, x in pairs for f in published.of(name) if x is None or f.at == x]
    return _Strip(title, result, None if place is None else result.summaries[place], there)


def among(groups: dict[str, tuple], name: str, caption: str) -> Block:
    """One strip for each group: this machine's median with its interval, what the reports measured
    on theirs, and hollow, what this machine takes by their methods.

    groups: {title: (result, [quantities of reports])} or, of a curve, {title: (result,
    [quantities], place on its axis)}; a pair (quantity, place) is a report's curve at another
    place. All groups share a unit; a strip should have one thing that is measured.
    """
    strips = [_strip(title, *group) for title, group in groups.items()]
    strips = [strip for strip in strips if strip.here or strip.there]
    if not strips:
        return style.nothing([result for result, *_ in groups.values()])
    base = strips[0].result.unit
    unit = units.readable(_middle(strips, base), base)
    drawn = {f.report for strip in strips for f in strip.there}
    reports = [report for report in published.all_reports() if report.name in drawn]
    rows: list[list[str]] = []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.8 + 0.42 * len(strips)))
        for y, strip in enumerate(strips):
            rows += _draw_reports(axes, y, strip, base, unit)
            rows += _draw_here(axes, y, strip, unit)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_yticks(range(len(strips)), [strip.title for strip in strips])
        axes.set_ylim(len(strips) - 0.5, -0.5)
        axes.set_xlabel(units.spoken(unit))
        has_hollow = any(row[1] == _BY_METHOD for row in rows)
        style.legend(figure, axes, _handles(reports, has_hollow=has_hollow))
    alt = f"This machine among {len(reports)} reports' machines: " + "; ".join(
        _alt(strip, base) for strip in strips
    )
    header = ["strip", "machine", "what", f"value [{units.spoken(unit)}]"]
    return style.save(figure, name, caption, alt, header, rows)


def _middle(strips: list[_Strip], base: str) -> float:
    values = [f.base(f.measured, base) for strip in strips for f in strip.there]
    values += [strip.here.median for strip in strips if strip.here]
    return float(np.median(values))


def _draw_reports(axes, y: int, strip: _Strip, base: str, unit: str) -> list[list[str]]:
    """The reports' marks and, hollow, this machine's by their methods; their rows of data."""
    looks, rows = style.report_looks(), []
    for f in strip.there:
        value = units.from_base(f.base(f.measured, base), unit)
        axes.plot(value, y, ls="", ms=6, alpha=0.8, **looks[f.report])
        rows.append([strip.title, f.machine, f.label, f"{value:.6g}"])
        # nan if the method's program is missing here; the strip's own result is drawn anyhow.
        by_method = here_by(f) if f.quantity != strip.result.quantity else math.nan
        if by_method > 0:
            value = units.from_base(by_method, unit)
            axes.plot(value, y, ls="", ms=6, mfc="none", **looks[f.report])
            rows.append([strip.title, _BY_METHOD, f.label, f"{value:.6g}"])
    return rows


def _draw_here(axes, y: int, strip: _Strip, unit: str) -> list[list[str]]:
    """This machine's mark; its row of data."""
    if strip.here is None:
        return []
    value, low, high = (
        units.from_base(v, unit) for v in (strip.here.median, strip.here.low, strip.here.high)
    )
    axes.plot([low, high], [y, y], color=BLACK, lw=1.5)
    axes.plot(value, y, "D", color=BLACK, ms=7, mfc="none", mew=1.5)
    return [[strip.title, "this machine", "", f"{value:.6g}"]]


def _handles(reports: list[published.Report], *, has_hollow: bool) -> list[Line2D]:
    black = {"ls": "", "color": BLACK, "mfc": "none"}
    looks = style.report_looks()
    handles = [Line2D([], [], marker="D", mew=1.5, label="this machine", **black)]
    handles += [Line2D([], [], ls="", label=one.machine, **looks[one.name]) for one in reports]
    if has_hollow:
        label = "hollow: this machine, by that report's method"
        handles.append(Line2D([], [], marker="o", label=label, **black))
    return handles


def _alt(strip: _Strip, base: str) -> str:
    here = units.amount(strip.here.median, base) if strip.here else "not measured"
    there = ", ".join(
        f"{units.amount(f.base(f.measured, base), base)} ({f.report})" for f in strip.there
    )
    return f"{strip.title}, here {here}, there {there or 'nothing'}"
