"""Bars below lines of text, which name and count them: drawings of a mechanism step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from reckon import units
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, RED, Look

# By the part of the machine that is at work.
COLOURS = {
    "program": "#cfe8f7",
    "kernel": "#cdbfe6",
    "processor": "#f6c766",
    "memory": "#a9d3b8",
    "disk": "#b8c2cf",
    "network": "#b8c2cf",
    "page cache": "#a9d3b8",
    "page tables": "#a9d3b8",
    "TLB": "#f6c766",
    "process A": "#cfe8f7",
    "process B": "#f3c9d8",
}
_ROW_INCHES = 0.4  # a line of text and a bar below it, in parts of that:
_TEXT_AT, _BAR_AT, _BAR = 0.2, 0.67, 0.3
_ROOM = 1.04  # of the axis, in its longest bar
_LONGEST_INTERVAL = 1.5  # of what is measured, in that; what lies beyond ends in an arrow


@dataclass(frozen=True)
class Bar:
    """A bar from `start` on, and the interval of its end (nan if unknown), in base units."""

    words: str
    shown: str  # the value, as tables print it
    value: float
    colour: str | None
    start: float = 0.0
    low: float = math.nan
    high: float = math.nan
    predicted: float = math.nan  # where a red line marks the end that was predicted
    is_share: bool = False  # of `shown`, how large is not known

    @property
    def reach(self) -> float:
        """How far the axis has to reach for it and for most of a measured value's interval."""
        end = self.start + self.value
        ends = [end, self.predicted, min(self.high, _LONGEST_INTERVAL * end)]
        return max(each for each in ends if not math.isnan(each))


def draw(
    bars: Sequence[Bar],
    unit: str,
    name: str,
    caption: str,
    *,
    longest: float,
    xlabel: str = "",
) -> Block:
    """The bars one below the other on one axis, which has a readable unit of `unit`'s kind.

    longest: what the axis has to reach; intervals beyond it end in an arrow. xlabel: of what is no
    time."""
    unit = units.readable_unit(longest, unit)
    with drawings.new(_ROW_INCHES * len(bars) + style.LABEL_INCHES) as drawing:
        axes = drawing.axes
        axes.set_xlim(0, units.from_base(longest, unit) * _ROOM)
        axes.set_ylim(len(bars), 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(style.column(xlabel, unit) if xlabel else units.symbol(unit))
        for row, bar in enumerate(bars):
            _draw(axes, row, bar, unit)
        alt = "; ".join(each.get_text() for each in axes.texts)
        marks = ["predicted"] if any(not math.isnan(bar.predicted) for bar in bars) else []
        header = ["step", *style.columns(unit, xlabel or "time", "low", "high", *marks)]
        rows = [[bar.words, *_cells(bar, unit, len(marks))] for bar in bars]
        return drawing.save(name, caption, alt, Data(header, rows))


def _cells(bar: Bar, unit: str, marks: int) -> list[str]:
    value = math.nan if bar.is_share else bar.value
    values = (value, bar.low, bar.high, *[bar.predicted][:marks])
    return ["" if math.isnan(value) else f"{units.from_base(value, unit):.6g}" for value in values]


def write(axes: Axes, y: float, words: str, shown: str) -> None:
    """A line of text over the whole width of the axes, at its right a value."""
    look: Look = {"fontsize": 8, "va": "center", "transform": axes.get_yaxis_transform()}
    axes.text(0, y, words, ha="left", parse_math=False, **look)
    axes.text(1, y, shown, ha="right", **look)


def _draw(axes: Axes, row: int, bar: Bar, unit: str) -> None:
    """The line of text, at its right how long; the bar below it with its interval."""
    write(axes, row + _TEXT_AT, bar.words, bar.shown)
    start, value, low, high, predicted = (
        units.from_base(each, unit)
        for each in (bar.start, bar.value, bar.low, bar.high, bar.predicted)
    )
    y, end = row + _BAR_AT, axes.get_xlim()[1]
    axes.barh(y, value, _BAR, start, color=bar.colour or "white", ec=BLACK, lw=0.6)
    if not math.isnan(low):
        axes.plot([low, min(high, end)], [y, y], color=BLACK, lw=1.2)
        axes.plot(low, y, "|", color=BLACK, ms=6)
        axes.plot(min(high, end), y, "|" if high <= end else ">", color=BLACK, ms=5)
    if not math.isnan(predicted):
        axes.plot([predicted, predicted], [y - _BAR / 2, y + _BAR / 2], color=RED, lw=2.5)
