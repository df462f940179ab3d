"""What figures share: colours, axes, the titles and numbers of their data."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from reckon import units
from reckon.comparison.reports import published
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.text import join_words, literal
from reckon.show.titles import title_of
from reckon.statistics import Summary

# Okabe and Ito (2008): distinct with every common kind of colour vision.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
RED = "#D55E00"
PURPLE = "#CC79A7"
REVISED = "-."  # the line of a revised prediction; a sealed one's is dashed
SERIES = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK)
Look = dict[str, Any]  # keyword arguments of matplotlib
P = ParamSpec("P")
T = TypeVar("T", Result, list[Result])
_REPORT_COLOURS = SERIES[:-1]  # black is this machine
_REPORT_MARKERS = "osv^PX<>*ph"
# Text on a coloured area, which is the same on a dark page.
ON_LIGHT, ON_DARK = "#111111", "#fefefe"
_MAX_TICKS = 10  # of an axis of sizes
WIDTH_INCHES, HEIGHT_INCHES = 6.4, 3.6
LABEL_INCHES = 0.5  # below the lowest axis; the legend follows it, however tall the figure is
_THEME: Look = {
    "figure.figsize": (WIDTH_INCHES, HEIGHT_INCHES),
    "figure.subplot.bottom": LABEL_INCHES / HEIGHT_INCHES,
    "figure.facecolor": "white",  # opaque: the page may be dark
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": "line",
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "font.size": 9,
    "legend.frameon": False,
    "svg.hashsalt": "reckon",  # the same figure gives the same file
    "svg.fonttype": "path",
}


def set_theme() -> None:
    """Gives seaborn the book's theme, for the figures of a page's own cells too.

    seaborn's styles have colours of their own for text, which would stay on a dark page."""
    sns.set_theme(context=None, style=None, palette=SERIES, font="DejaVu Sans", rc=_THEME)


set_theme()


# The numbers of each decade that have a tick, on an axis that spans less than a factor: chosen so
# that at least two ticks lie on it, wherever it begins.
_TICKS_OF_A_DECADE = ((5, (1, 1.5, 2, 3, 4, 5, 6, 8)), (100, (1, 2, 5)), (math.inf, (1,)))
_NARROW_FACTOR = 2  # an axis that spans less has ticks at even distances
_EVEN_TICKS = 5


def tick_label(x: float, _position: float) -> str:
    """What stands at a tick, as matplotlib calls for it."""
    return units.as_given(x)


def plain_log(axis: Axis) -> None:
    """Gives a logarithmic axis numbers, not powers; the fewer decades, the more of them.

    Call it after the axis has its limits."""
    low, high = axis.get_view_interval()
    subs = next(subs for factor, subs in _TICKS_OF_A_DECADE if high < factor * low)
    narrow = high < _NARROW_FACTOR * low
    axis.set_major_locator(MaxNLocator(_EVEN_TICKS) if narrow else LogLocator(subs=subs))
    axis.set_major_formatter(tick_label)
    axis.set_minor_formatter(NullFormatter())


def unit_ticks(axis: Axis, unit: str) -> None:
    """Gives each tick of values in `unit` the unit that it is read in: 100 ns, 1 µs."""
    axis.set_major_formatter(FuncFormatter(functools.partial(_with_its_unit, unit)))


def _with_its_unit(unit: str, value: float, _: int) -> str:
    return units.size(units.to_base(value, unit), unit)


def named_rows(axes: Axes, names: Sequence[str], xlabel: str, fontsize: float = 9) -> None:
    """Names the rows of a figure, the first on top, whose logarithmic x axis all share."""
    axes.set_yticks(range(len(names)), names, fontsize=fontsize)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xscale("log")
    plain_log(axes.xaxis)
    axes.set_xlabel(xlabel)


def size_axis(axis: Axis, sizes: np.ndarray, unit: str) -> None:
    """Puts at most ten ticks at powers of two of a logarithmic axis: 32 KiB, 1 MiB.

    sizes: what the axis spans, in `unit`.
    """
    low, high = (np.log2(units.to_base(float(size), unit)) for size in (sizes.min(), sizes.max()))
    powers = np.arange(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    step = max(1, math.ceil(len(powers) / _MAX_TICKS))
    ticks_bytes = [2.0**power for power in powers[::step]]
    labels = [units.size(size, unit) for size in ticks_bytes]
    axis.set_ticks([units.from_base(size, unit) for size in ticks_bytes], labels)
    axis.set_minor_formatter(NullFormatter())


def column(name: str, unit: str) -> str:
    """The title of a column of data, with its unit unless the name has it or it is a number."""
    symbol = units.symbol(unit)
    has_unit = not symbol or {symbol, f"[{symbol}]"} & {*name.split()}
    return name if has_unit else f"{name} [{symbol}]"


def columns(unit: str, *names: str) -> list[str]:
    return [column(name, unit) for name in names]


def spread_header(unit: str) -> list[str]:
    """The titles of the columns that spread_cells() fills."""
    return columns(unit, "median", "low", "high", "minimum", "p99", "predicted")


def spread_cells(summary: Summary, predicted: float, unit: str) -> list[str]:
    """A measured value with its interval and range and what was predicted, as numbers of `unit`."""
    measured = (summary.median, *summary.interval.ends, summary.minimum, summary.p99)
    values = (*measured, predicted)
    return [f"{units.from_base(value, unit):.6g}" for value in values]


def report_look(i: int) -> Look:
    """Colour and marker of the i-th report, for Line2D.

    The numbers of colours and of markers have no common divisor, so 66 reports differ.
    """
    return {
        "color": _REPORT_COLOURS[i % len(_REPORT_COLOURS)],
        "marker": _REPORT_MARKERS[i % len(_REPORT_MARKERS)],
    }


def report_looks() -> dict[str, Look]:
    """Colour and marker by report, the same in every figure."""
    return {report.name: report_look(i) for i, report in enumerate(published.all_reports())}


def with_colours(results: list[Result]) -> list[tuple[Result, str]]:
    """Each quantity with a colour of its own. Raises ValueError for more than seven."""
    if len(results) > len(SERIES):
        raise ValueError(f"{len(results)} quantities in a figure of {len(SERIES)} colours")
    return list(zip(results, SERIES, strict=False))


def colour_of(handle: Any) -> str:
    is_line = isinstance(handle, Line2D)
    return to_hex(handle.get_color() if is_line else handle.get_facecolor())


def explain_revised(axes: Axes, results: Sequence[Result]) -> None:
    """Adds the line of revised predictions to the legend, if any of these is revised."""
    if any(result.revisions for result in results):
        axes.plot([], [], REVISED, lw=1, color=BLACK, label="revised")


def predicted(result: Result) -> str:
    """What a drawing calls its current prediction."""
    return "Predicted now" if result.revisions else "Predicted"


def of_results(draw: Callable[Concatenate[T, P], Block]) -> Callable[Concatenate[T, P], Block]:
    """The drawing function; its figure says which quantities it shows, its first argument's."""

    @functools.wraps(draw)
    def figure(drawn: T, *args: P.args, **kwargs: P.kwargs) -> Block:
        results = drawn if isinstance(drawn, list) else [drawn]
        measured = tuple(result.quantity for result in results if result.has_samples)
        return replace(draw(drawn, *args, **kwargs), measured=measured)

    return figure


def nothing_to_draw(results: list[Result]) -> Block:
    """The sentence in a figure's place if no quantity has samples."""
    names: dict[str, list[str]] = {}
    for result in results:
        why = literal(result.reason).rstrip(".")
        why = why if result.state == "predicted" else f"{result.state}: {why}"
        names.setdefault(why, []).append(title_of(result.quantity))
    if len(names) == 1:
        return Block(f"There is nothing to draw ({next(iter(names))}).")
    lines = [f"- {join_words(each)} ({why})." for why, each in names.items()]
    return Block("\n".join(["There is nothing to draw:\n", *lines]))
