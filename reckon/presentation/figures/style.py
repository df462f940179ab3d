"""What all figures share: style, colours, axes, saving with data and alt text."""

from __future__ import annotations

import contextlib
import csv
import html
import io
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure  # not pyplot: no global state, and a faster import
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from reckon import config, records, units
from reckon.presentation.block import Block
from reckon.presentation.text import join_words, literal
from reckon.presentation.titles import title_of
from reckon.records import variants
from reckon.records.result import Result
from reckon.reports import published
from reckon.statistics import Summary

# Okabe and Ito (2008): distinct with every common kind of colour vision.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
RED = "#D55E00"
PURPLE = "#CC79A7"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK)
Look = dict[str, Any]  # keyword arguments of matplotlib
NARROW = "-narrow"  # what the name of a figure's file for a phone ends in
_REPORT_COLOURS = SERIES[:-1]  # black is this machine
_REPORT_MARKERS = "osv^PX<>*ph"
# Text on a coloured area, which is the same on a dark page.
ON_LIGHT, ON_DARK = "#111111", "#fefefe"
# What a drawing's colours are where the page around it is dark.
_IN_THE_DARK = {
    "#ffffff": "#121212",
    BLACK: "#e8e8e8",
    "#dddddd": "#3c424b",  # the grid
    BLUE.lower(): "#4aa8e8",
    SKY.lower(): "#9ad7ff",
    "#dcc07f": "#6b5420",  # the bands of the predictions' ratios
    "#ecdcb8": "#463917",
    "#f7f0e3": "#2a2414",
}
WIDTH_INCHES = 6.4
# For a screen of 390 pixels, where 9 points are 11 pixels then; the axes get at least the second.
_NARROW_INCHES, _NARROW_AXES_INCHES, _NARROW_LABEL = 4.0, 2.0, 44  # a label's line in characters
_TICK_LABELS_APART = 4  # pixels
_STEEP = 45  # degrees
_LINE_INCHES = 0.16  # of an axis's label
_MAX_TICKS = 10  # of an axis of sizes
STYLE: dict = {
    "figure.facecolor": "white",  # opaque: the page may be dark
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "font.size": 9,
    "legend.frameon": False,
    "svg.hashsalt": "reckon",  # the same figure gives the same file
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Data:
    """The numbers that a figure draws, for its CSV file."""

    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Drawing:
    """A figure in the making, with its panels from top to bottom."""

    figure: Figure
    panels: list[Axes]
    legend_handles: list[Artist] = field(default_factory=list)

    @property
    def axes(self) -> Axes:
        """The top panel, of most figures the only one."""
        return self.panels[0]

    def legend(self, handles: Sequence[Artist] | None = None) -> None:
        """Adds a legend below the axes, where it cannot hide a point."""
        self.legend_handles.extend(handles or self.axes.get_legend_handles_labels()[0])
        self._write_legend(columns=2)

    def _write_legend(self, columns: int, below: float = 0.0) -> None:
        look: Look = {"loc": "upper center", "bbox_to_anchor": (0.5, -below), "fontsize": 8}
        self.figure.legend(handles=self.legend_handles, ncols=columns, **look)

    def save(self, name: str, caption: str, alt: str, data: Data) -> Block:
        """The figure as a Block; its files are NAME.svg, .pdf and .csv in _build/figures, and
        NAME-narrow.svg for a phone.

        In JupyterLab, where predictions are tried, the book's files stay as they are."""
        if not re.fullmatch(r"[a-z0-9-]+", name):
            raise ValueError(f"{name!r} cannot name a figure: lower case, digits and - only")
        picture = self._svg()
        if not variants.are_tried():
            self._write(name, picture, data)
        markdown = (
            f":::{{figure}} /figures/{name}.*\n:name: {name}\n:alt: {alt}\n\n"
            f"{caption} ({{download}}`data </figures/{name}.csv>`)\n:::"
        )
        return Block(markdown, f"{picture[picture.index('<svg') :]}\n<p>{html.escape(caption)}</p>")

    def _svg(self) -> str:
        svg = io.StringIO()
        self.figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
        return _with_dark_colours(svg.getvalue())

    def _make_narrow(self) -> None:
        """Gives the figure the width of a phone, with letters as large as before."""
        figure = self.figure
        for legend in [*figure.legends]:
            legend.remove()
        for axes in figure.axes:
            axes.set_xlabel(textwrap.fill(axes.get_xlabel(), _NARROW_LABEL))
        figure.draw_without_rendering()
        places = [axes.get_position() for axes in figure.axes]
        share = max(place.x1 for place in places) - min(place.x0 for place in places)
        beside_inches = figure.get_tightbbox().width - share * figure.get_figwidth()
        axes_inches = max(_NARROW_INCHES - beside_inches, _NARROW_AXES_INCHES)
        figure.set_figwidth(axes_inches / share)
        figure.draw_without_rendering()
        for axes in figure.axes:
            _thin_out(axes.xaxis)
        if self.legend_handles:
            lines = max(axes.get_xlabel().count("\n") for axes in figure.axes)
            self._write_legend(columns=1, below=lines * _LINE_INCHES / figure.get_figheight())

    def _write(self, name: str, svg: str, data: Data) -> None:
        base, table = config.settings().build_dir / "figures" / name, io.StringIO()
        records.make_folder(base.parent)
        undated = {"CreationDate": None}
        self.figure.savefig(f"{base}.pdf", bbox_inches="tight", metadata=undated)
        records.write_whole(base.with_suffix(".svg"), svg)
        csv.writer(table, lineterminator="\n").writerows([data.header, *data.rows])
        records.write_whole(base.with_suffix(".csv"), table.getvalue())
        self._make_narrow()
        records.write_whole(base.with_name(f"{name}{NARROW}.svg"), self._svg())


def _thin_out(axis: Axis) -> None:
    """Hides the labels that would run into the one before; slanted ones become steeper."""
    end = -math.inf
    for label in axis.get_ticklabels():
        if label.get_rotation():
            label.set_rotation(max(label.get_rotation(), _STEEP))
        if not label.get_text() or label.get_rotation():
            continue
        place = label.get_window_extent()
        if place.x0 < end:
            label.set_visible(False)
        else:
            end = place.x1 + _TICK_LABELS_APART


def _with_dark_colours(svg: str) -> str:
    """The picture with other colours where it is shown in the dark.

    Shown as an image it follows the `color-scheme` of the page's element, which the theme sets.
    """
    for colour in _IN_THE_DARK:
        svg = svg.replace(f": {colour}", f": var(--of-{colour[1:]}, {colour})")
    values = " ".join(f"--of-{light[1:]}: {dark};" for light, dark in _IN_THE_DARK.items())
    # Text has no colour of its own where it is black.
    rules = (
        f".reckon-figure {{ fill: var(--of-{BLACK[1:]}, {BLACK}) }} "
        f"@media (prefers-color-scheme: dark) {{ .reckon-figure {{ {values} }} }}"
    )
    root = rf'<svg class="reckon-figure"\1><style>{rules}</style>'
    return re.sub(r"<svg([^>]*)>", root, svg, count=1)


@contextlib.contextmanager
def new_drawing(height_inches: float) -> Iterator[Drawing]:
    """A new figure without panels. It is drawn and saved inside the `with`, where the book's style
    holds."""
    with matplotlib.rc_context(STYLE):
        yield Drawing(Figure(figsize=(WIDTH_INCHES, height_inches)), [])


@contextlib.contextmanager
def drawing(height_inches: float = 3.6, panel_heights: Sequence[float] = (1,)) -> Iterator[Drawing]:
    """A new figure with panels of these heights, relative to one another, that share the x axis."""
    with new_drawing(height_inches) as drawing:
        figure, n = drawing.figure, len(panel_heights)
        # The lowest axis has room for its label; the legend follows it, however tall the figure is.
        figure.subplots_adjust(bottom=min(0.45, 0.5 / height_inches))
        panels = figure.subplots(n, squeeze=False, sharex=True, height_ratios=panel_heights)
        drawing.panels.extend(panels.flat)
        for axis in (axis for axes in drawing.panels for axis in (axes.xaxis, axes.yaxis)):
            axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        yield drawing


def load() -> None:
    """Draws a figure into memory, so that fonts and both formats are loaded before any page."""
    with drawing() as first:
        first.axes.plot([1, 10], [1, 10], label="1")
        first.axes.set_xscale("log")
        plain_log(first.axes.xaxis)
        first.legend()
        for kind in ("svg", "pdf"):
            first.figure.savefig(io.BytesIO(), format=kind, bbox_inches="tight")


# The numbers of each decade that have a tick, on an axis that spans less than a factor.
_TICKS_OF_A_DECADE = ((4, (1, 1.5, 2, 3, 4, 5, 6, 8)), (100, (1, 2, 5)), (math.inf, (1,)))


def plain_log(axis: Axis) -> None:
    """Makes an axis logarithmic with numbers, not powers; the fewer decades, the more of them."""
    low, high = axis.get_view_interval()
    subs = next(subs for factor, subs in _TICKS_OF_A_DECADE if high < factor * low)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axis.set_minor_formatter(NullFormatter())


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


def readable_unit(result: Result) -> str:
    """The unit in which this quantity reads best."""
    values = result.medians[np.isfinite(result.medians)]
    return units.readable_unit(float(np.median(np.abs(values))), result.unit)


def spread_header(unit: str) -> list[str]:
    """The titles of the columns that spread_cells() fills."""
    return [f"median [{units.symbol(unit)}]", "low", "high", "minimum", "p99", "predicted"]


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


def nothing_to_draw(results: list[Result]) -> Block:
    """The sentence in a figure's place if no quantity has samples."""
    names: dict[str, list[str]] = {}
    for result in results:
        why = f"{result.state}: {literal(result.reason).rstrip('.')}"
        names.setdefault(why, []).append(title_of(result.quantity))
    if len(names) == 1:
        return Block(f"There is nothing to draw; {next(iter(names))}.")
    lines = [f"- {join_words(each)} {why}." for why, each in names.items()]
    return Block("\n".join(["There is nothing to draw:\n", *lines]))
