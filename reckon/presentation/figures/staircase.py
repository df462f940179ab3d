"""The memory's staircase: latencies over sizes, with the levels of one of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import matplotlib
import numpy as np

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.curves import MeasuredCurve
from reckon.presentation.figures.style import BLACK, STYLE
from reckon.presentation.plateau_tables import regimes
from reckon.records.result import Result

_ABOVE_GRID = 1.8  # and below the curves
_LETTER = 0.012  # width of a small letter as a share of the axes' width


@dataclass(frozen=True)
class Expected:
    """What the machine reports of the levels."""

    reported: dict = field(default_factory=dict)  # where each should end, in base units, or None
    names: list[str] | None = None  # the plateaus' in order; by default the reported and memory

    @property
    def plateaus(self) -> list[str]:
        return self.names or [*self.reported, "main memory"]


def levels(
    results: list[Result],
    levels_of: Result,
    name: str,
    caption: str,
    xlabel: str,
    titles: dict | None = None,
    **expected,
) -> Block:
    """Several times over sizes on logarithmic axes, as in lmbench's figure 1 (McVoy and Staelin
    1996): medians with 95 % interval in a band from minimum to 99th percentile, sealed predictions
    dashed. The levels of `levels_of`, one of them, stand above their points with a line where each
    ends; the reported capacities are dotted. `expected` are the fields of Expected.
    """
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing(results)
    from_machine, unit = Expected(**expected), style.step(measured[0])
    named_levels = regimes(levels_of, from_machine.plateaus, from_machine.reported)
    drawn = [MeasuredCurve(result, unit) for result in measured]
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 4.4))
        for c, (result, colour) in zip(drawn, style.coloured(measured), strict=True):
            axes.fill_between(c.x, c.least, c.most, color=colour, alpha=0.15, lw=0)
            c.draw_measured(axes, colour, style.title(result, titles), size=2.5)
            axes.plot(c.x, c.predicted, "--", lw=1, color=colour, drawstyle="steps-post")
        axes.plot([], [], "--", lw=1, color=BLACK, label="predicted")
        axes.fill_between([], [], color=BLACK, alpha=0.15, lw=0, label="minimum to 99th percentile")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        _set_limits(axes, measured, unit)
        _write_levels(axes, named_levels, levels_of, unit)
        _write_reported(axes, from_machine.reported, measured[0])
        style.plain_log(axes.yaxis)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(units.spoken(unit))
        style.legend(figure, axes)
    alt = [_alt(result, xlabel) for result in measured]
    alt += [
        f"{title} {units.amount(level.y, levels_of.unit)} up to "
        f"{units.size(level.x_last, levels_of.axis_unit)}"
        for title, level in named_levels
        if not level.ramp
    ]
    rows = [[c.result.quantity, *row] for c in drawn for row in c.rows()]
    header = ["quantity", *drawn[0].header(xlabel)]
    return style.save(figure, name, caption, "; ".join(alt), header, rows)


def _alt(result: Result, xlabel: str) -> str:
    first, last = (units.size(float(x), result.axis_unit) for x in result.axis[[0, -1]])
    return (
        f"{result.quantity} against {xlabel}: {units.span(result.medians, result.unit)}, from "
        f"{first} to {last}"
    )


def _set_limits(axes, drawn: list[Result], unit: str) -> None:
    """By medians and predictions, with room to write above and below: a rare long trial may lie
    outside, the data have it."""
    every = np.concatenate(
        [part for result in drawn for part in (result.medians, result.sealed("predicted"))]
    )
    every = units.from_base(every[np.isfinite(every) & (every > 0)], unit)
    decades = max(np.log10(every.max() / every.min()), 0.5)
    axes.set_ylim(every.min() / 10 ** (0.15 * decades), every.max() * 10 ** (0.24 * decades))
    sizes = np.concatenate([result.axis_told for result in drawn])
    axes.set_xlim(sizes.min() / 1.2, sizes.max() * 1.2)
    style.size_axis(axes.xaxis, sizes, drawn[0].axis_unit)


def _write_levels(axes, named_levels: list, result: Result, unit: str) -> None:
    """Each plateau as a black line at its level, a line where it ends, and its name above."""
    words = []
    for title, level in named_levels:
        if level.ramp:
            continue
        left, right = (units.from_base(x, result.axis_unit) for x in (level.x_first, level.x_last))
        height = units.from_base(level.y, unit)
        axes.plot([left, right], [height, height], color=BLACK, lw=1.2, zorder=5)
        if level.last < len(result.points) - 1:
            axes.axvline(right, color=BLACK, lw=0.6, zorder=_ABOVE_GRID)
        words.append((np.sqrt(left * right), f"{title}\n{units.amount(level.y, result.unit)}"))
    _write_in_rows(axes, words, 0.99, -0.09, "top")


def _write_reported(axes, reported: dict, result: Result) -> None:
    """A dotted line at each capacity, its name at the foot."""
    low, high = axes.get_xlim()
    words = []
    for title, capacity in reported.items():
        x = units.from_base(capacity, result.axis_unit) if capacity else np.nan
        if low <= x <= high:
            axes.axvline(x, color=BLACK, lw=1, ls=":", zorder=_ABOVE_GRID)
            words.append((x, f"{title} reported"))
    _write_in_rows(axes, words, 0.015, 0.05, "bottom")


def _write_in_rows(
    axes, words: list[tuple[float, str]], foot: float, step: float, side: str
) -> None:
    """Texts centred at their x, ascending, in the first row where the last text leaves room."""
    low, high = np.log(axes.get_xlim())
    ends = [-1.0, -1.0]  # where each row's last text ends, as shares of the width
    for x, text in words:
        half = _LETTER * max(map(len, text.split("\n"))) / 2
        middle = min(max((np.log(x) - low) / (high - low), half), 1 - half)
        row = next((k for k, end in enumerate(ends) if middle - half > end), int(np.argmin(ends)))
        ends[row] = middle + half
        axes.text(
            middle,
            foot + step * row,
            text,
            transform=axes.transAxes,
            ha="center",
            va=side,
            fontsize=7.5,
            linespacing=1.1,
            zorder=6,
            bbox={"fc": "white", "ec": "none", "pad": 0.8},
        )
