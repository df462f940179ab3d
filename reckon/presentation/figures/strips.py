"""Strip plots: this machine among the reports' machines."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.among_reports import here_by
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, SERIES, STYLE
from reckon.records.result import Result
from reckon.reports import published

# Black is this machine's. The numbers of colours and of markers have no common divisor, so that up to
# 66 reports differ in one or the other.
_COLOURS = [colour for colour in SERIES if colour != BLACK]
_MARKERS = "osv^PX<>*ph"


def _here(one: Result, at: float | None) -> tuple[float, float, float] | None:
    """(median, low, high) in base units, of a curve at that place of its axis; None without samples."""
    place = one.place(at)
    if place is None:
        return None
    found = one.summaries[place]
    return found.median, found.low, found.high


def _there(quantities: list, at: float | None) -> list[published.Figure]:
    pairs = [one if isinstance(one, tuple) else (one, at) for one in quantities]
    return [
        f
        for quantity, place in pairs
        for f in published.of(quantity)
        if place is None or f.at == place
    ]


def among(groups: dict[str, tuple], name: str, caption: str) -> Block:
    """One strip for each group, {title: (result, [quantities of reports])} or, of a curve,
    {title: (result, [quantities], place on its axis)}; a pair (quantity, place) is a report's curve at a place of
    its own. This machine's median with its interval, what the reports measured on theirs, and, hollow, what this
    one takes by their methods, where that is not the result itself. All groups share a unit; what is measured should
    be one thing in a strip."""
    strips = [
        (title, one, _here(one, *place or [None]), _there(quantities, *place or [None]))
        for title, (one, quantities, *place) in groups.items()
    ]
    strips = [strip for strip in strips if strip[2] or strip[3]]
    if not strips:
        return style.nothing([one for one, *_ in groups.values()])
    asked = strips[0][1].unit
    known = [
        v
        for _, _, here, there in strips
        for v in [*([here[0]] if here else []), *(f.base(f.measured, asked) for f in there)]
    ]
    unit = units.readable(float(np.median(known)), asked)
    told = {f.report for *_, there in strips for f in there}
    look = {
        # A report looks the same in every figure.
        one.name: (_COLOURS[i % len(_COLOURS)], _MARKERS[i % len(_MARKERS)], one.machine)
        for i, one in enumerate(published.all_reports())
        if one.name in told
    }
    rows, hollow = [], False
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.8 + 0.42 * len(strips)))
        for y, (title, one, here, there) in enumerate(strips):
            for f in there:
                value = units.from_base(f.base(f.measured, asked), unit)
                colour, marker, machine = look[f.report]
                axes.plot(value, y, marker, color=colour, ms=6, alpha=0.8)
                rows.append([title, machine, f.label, f"{value:.6g}"])
                alike = units.from_base(here_by(f), unit)
                # The report's method may be of a program that this machine has not, or be what is drawn anyhow.
                if alike > 0 and f.quantity != one.quantity:
                    hollow = True
                    axes.plot(alike, y, marker, color=colour, ms=6, mfc="none")
                    rows.append([title, "this machine, by that method", f.label, f"{alike:.6g}"])
            if here:
                value, low, high = (units.from_base(v, unit) for v in here)
                axes.plot([low, high], [y, y], color=BLACK, lw=1.5)
                axes.plot(value, y, "D", color=BLACK, ms=7, mfc="none", mew=1.5)
                rows.append([title, "this machine", "", f"{value:.6g}"])
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_yticks(range(len(strips)), [title for title, *_ in strips])
        axes.set_ylim(len(strips) - 0.5, -0.5)
        axes.set_xlabel(units.spoken(unit))
        mark = lambda marker, **kind: Line2D([], [], ls="", marker=marker, **kind)  # noqa: E731
        style.legend(
            figure,
            axes,
            [
                mark("D", color=BLACK, mfc="none", mew=1.5, label="this machine"),
                *(
                    mark(marker, color=colour, label=machine)
                    for colour, marker, machine in look.values()
                ),
                *(
                    [
                        mark(
                            "o",
                            color=BLACK,
                            mfc="none",
                            label="hollow: this machine, by that report's method",
                        )
                    ]
                    * hollow
                ),
            ],
        )
    alt = f"This machine among {len(look)} reports' machines: " + "; ".join(
        f"{title}, here {units.amount(here[0], asked) if here else 'not measured'}, there "
        + (
            ", ".join(
                f"{units.amount(f.base(f.measured, asked), asked)} ({f.report})" for f in there
            )
            or "nothing"
        )
        for title, _, here, there in strips
    )
    return style.save(
        figure,
        name,
        caption,
        alt,
        ["strip", "machine", "what", f"value [{units.spoken(unit)}]"],
        rows,
    )
