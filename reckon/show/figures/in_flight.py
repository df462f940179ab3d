"""Requests that are under way at the same time, by Little's law: a row each, on an axis of time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from reckon import units
from reckon.show.block import Block
from reckon.show.figures import drawings, style, text_bars
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import ON_LIGHT, Look
from reckon.show.figures.text_bars import COLOURS

_LINE_INCHES, _BETWEEN_INCHES = 0.19, 0.12  # a line of text; below the rows
_ROWS_INCHES, _ROW_INCHES = 1.1, 0.14  # of all rows, of a row at most
_TIMES = 1.6  # that the axis spans, of the longest request
_EDGE_POINTS, _THIN_INCHES = 0.5, 0.05  # thinner rows have no edges
_SERVED, _WAITS, _EDGE = COLOURS["processor"], COLOURS["network"], "#ffffff"


@dataclass(frozen=True)
class Flight:
    """`number` requests are always under way; each takes `seconds`, and waits until the last
    `served` of these. So one of them is done in each number-th part of that time."""

    words: str
    shown: str
    number: float
    seconds: float
    served: float = math.inf

    @property
    def rows(self) -> int:
        return max(1, round(self.number))

    @property
    def inches(self) -> float:
        return min(_ROWS_INCHES, self.rows * _ROW_INCHES)


def draw(
    flights: Sequence[Flight], name: str, caption: str, served: str = "", waits: str = ""
) -> Block:
    """The flights one below the other. Where a request begins is made up: at even distances.

    served, waits: what the two colours of a request are, if there are two."""
    longest = max(flight.seconds for flight in flights)
    unit = units.readable_unit(longest, "ns")
    heights = [_LINE_INCHES + flight.inches + _BETWEEN_INCHES for flight in flights]
    with drawings.new(sum(heights) + style.LABEL_INCHES) as drawing:
        axes, top = drawing.axes, 0.0
        axes.set_xlim(0, _TIMES * units.from_base(longest, unit))
        axes.set_ylim(sum(heights), 0)
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(style.column("time", unit))
        for flight, height in zip(flights, heights, strict=True):
            text_bars.write(axes, top + _LINE_INCHES / 2, flight.words, flight.shown)
            _draw_rows(axes, top + _LINE_INCHES, flight, unit)
            top += height
        if served:
            legend = ((_SERVED, served), (_WAITS, waits))
            drawing.legend([Patch(fc=colour, label=label) for colour, label in legend])
        alt = "; ".join(_in_words(flight, served) for flight in flights)
        header = ["what", "under way at once", *style.columns(unit, "time of one", "of it served")]
        rows = [_cells(flight, unit) for flight in flights]
        return drawing.save(name, caption, alt, Data(header, rows))


def _in_words(flight: Flight, served: str) -> str:
    under_way = f"{flight.words}: {flight.number:.3g} under way at once, {flight.shown}"
    if flight.served >= flight.seconds:
        return under_way
    return f"{under_way}, {units.amount(flight.served, 'ns')} of it {served}"


def _cells(flight: Flight, unit: str) -> list[str]:
    times = (flight.seconds, min(flight.served, flight.seconds))
    return [
        flight.words,
        f"{flight.number:.6g}",
        *(f"{units.from_base(time, unit):.6g}" for time in times),
    ]


def _draw_rows(axes: Axes, top: float, flight: Flight, unit: str) -> None:
    """Each row is one place that is never empty; the rows begin their requests in turn. One request
    has a frame; the colours of those that only take their time alternate."""
    seconds, served = (
        units.from_base(time, unit) for time in (flight.seconds, min(flight.served, flight.seconds))
    )
    height, end = flight.inches / flight.rows, axes.get_xlim()[1]
    waiting = seconds - served
    look: Look = {"height": height, "lw": _EDGE_POINTS if height > _THIN_INCHES else 0}
    for row in range(flight.rows):
        y, begin = top + (row + 0.5) * height, (row / flight.rows - 1) * seconds
        colours = itertools.cycle((_SERVED,) if waiting else (_WAITS, _SERVED))
        while begin < end:
            axes.barh(y, waiting, left=begin, color=_WAITS, ec=_EDGE, **look)
            axes.barh(y, served, left=begin + waiting, color=next(colours), ec=_EDGE, **look)
            begin += seconds
    framed = flight.rows // 4
    place = (framed / flight.rows * seconds, top + framed * height)
    axes.add_patch(Rectangle(place, seconds, height, fill=False, ec=ON_LIGHT, lw=1.2, zorder=5))
