"""What all figures share: style, colours, saving as vector graphics with data and alt text."""

from __future__ import annotations

import csv
import io
import math
import re

import numpy as np
from matplotlib.figure import Figure  # not pyplot: no global state, and a quicker import
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from reckon import config, records, units
from reckon.presentation.block import Block
from reckon.records.result import Result, process_values
from reckon.reports import published

# Okabe and Ito (2008): told apart with every common kind of colour vision.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
SERIES = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK)
_REPORT_COLOURS = [colour for colour in SERIES if colour != BLACK]  # black is this machine
_REPORT_MARKERS = "osv^PX<>*ph"
STYLE = {
    "figure.figsize": (6.4, 3.6),
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


def new_axes(size_inches: tuple | None = None, panels: tuple = (1,)):
    """A figure and its axes: one, or panels of these relative heights that share the x axis."""
    figure = Figure(figsize=size_inches)
    height_inches = figure.get_size_inches()[1]
    figure.subplots_adjust(
        bottom=max(0.11, 0.45 / height_inches)
    )  # the axis has room for its label
    if len(panels) == 1:
        return figure, figure.subplots()
    return figure, figure.subplots(len(panels), sharex=True, height_ratios=panels)


def plain_log(axis) -> None:
    """Numbers, not powers, on a logarithmic axis; within two decades more than powers of ten."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())


def size_axis(axis, sizes, unit: str, most: int = 10) -> None:
    """At most `most` ticks at powers of two of a base-2 logarithmic axis, each said as a person
    would: 32 KiB, 1 MiB. `sizes` are what the axis spans, in `unit`."""
    low, high = (np.log2(units.to_base(float(v), unit)) for v in (np.min(sizes), np.max(sizes)))
    powers = np.arange(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    powers = powers[:: math.ceil(len(powers) / most)] if len(powers) else powers
    axis.set_ticks(
        [units.from_base(2.0**p, unit) for p in powers], [units.size(2.0**p, unit) for p in powers]
    )
    axis.set_minor_formatter(NullFormatter())


def save(figure, name: str, caption: str, alt: str, header: list[str], rows: list) -> Block:
    """Write NAME.svg, NAME.pdf and NAME.csv under _build/figures and show them as one figure."""
    if not re.fullmatch(r"[a-z0-9-]+", name):
        raise ValueError(f"{name!r} cannot name a figure: lower case, digits and - only")
    base = config.build_dir() / "figures" / name
    records.make_folder(base.parent)
    svg = io.StringIO()
    figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
    figure.savefig(f"{base}.pdf", bbox_inches="tight", metadata={"CreationDate": None})
    records.write_whole(base.with_suffix(".svg"), svg.getvalue())
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([header, *rows])
    records.write_whole(base.with_suffix(".csv"), table.getvalue())
    markdown = (
        f":::{{figure}} /figures/{name}.*\n:name: {name}\n:alt: {alt}\n\n"
        f"{caption} ({{download}}`data </figures/{name}.csv>`)\n:::"
    )
    picture = svg.getvalue()
    return Block(markdown, picture[picture.index("<svg") :])


def legend(figure, axes, handles=None) -> None:
    """Below the axes, where it cannot hide a point."""
    handles = handles or axes.get_legend_handles_labels()[0]
    figure.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, fontsize=8
    )


def step(result: Result) -> str:
    """The unit in which this quantity reads best."""
    values = result.medians[np.isfinite(result.medians)]
    return units.readable(float(np.median(np.abs(values))), result.unit)


def title(result: Result, titles: dict | None) -> str:
    """What the page calls a quantity, or the last part of its name."""
    return (titles or {}).get(result.quantity, result.quantity.rsplit("/", 1)[-1])


def look(i: int) -> dict:
    """Colour and marker of the i-th report, for Line2D: the numbers of colours and of markers have
    no common divisor, so 66 reports differ in one or the other."""
    return {
        "color": _REPORT_COLOURS[i % len(_REPORT_COLOURS)],
        "marker": _REPORT_MARKERS[i % len(_REPORT_MARKERS)],
    }


def report_looks() -> dict[str, dict]:
    """Colour and marker by report, the same in every figure."""
    return {report.name: look(i) for i, report in enumerate(published.all_reports())}


def coloured(results: list[Result]) -> list[tuple[Result, str]]:
    """Each quantity with a colour of its own; there are seven."""
    if len(results) > len(SERIES):
        raise ValueError(
            f"{len(results)} quantities in one figure; {len(SERIES)} can be told apart"
        )
    return list(zip(results, SERIES, strict=False))


def values(result: Result, unit: str) -> list[np.ndarray]:
    """Each process's values of a single quantity."""
    return [
        units.from_base(process_values(p, result.measurement, result.unit), unit)
        for p in result.points[0].processes
    ]


def nothing(results: list[Result]) -> Block:
    """What stands in a figure's place if no quantity has samples."""
    reasons = "; ".join(f"`{one.quantity}` {one.state}: {one.reason}" for one in results)
    return Block(f"There is nothing to draw: {reasons}.")
