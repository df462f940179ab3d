"""A heat map: every other machine's figures over this run's."""

from __future__ import annotations

import math

import matplotlib
import numpy as np

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import STYLE
from reckon.reports.other_machines import Cell, Others, Row

ROWS_MOST = 48  # more would not fit on a page
_ROW_INCHES = 0.165
_FRAME_INCHES = 0.9  # axis and colour bar
_DARKEST = 10.0  # a larger ratio has the same colour; its number says how large it is
_NEAR = 0.1  # ratios of runs this close to 1 are not printed: a machine has many of them
_NEUTRAL = "#eeeeee"  # no machine is faster by it
_COLOURS = "coolwarm"  # blue and red around light grey: colour-blind readers see them apart
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


def pages(rows: list[Row]) -> list[list[Row]]:
    """The rows of one figure each; an experiment's rows stay together as far as they fit."""
    pieces: list[list[Row]] = []
    for experiment in dict.fromkeys(row.experiment for row in rows):
        group = [row for row in rows if row.experiment == experiment]
        for start in range(0, len(group), ROWS_MOST):
            piece = group[start : start + ROWS_MOST]
            if pieces and len(pieces[-1]) + len(piece) <= ROWS_MOST:
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return pieces


def heat_map(o: Others, rows: list[Row], name: str, what: str) -> Block:
    """A row for each quantity, a column for each machine. The number is the ratio of the figures,
    the colour shows which machine is faster."""
    columns = [column for column in o.titles if any(column in row.cells for row in rows)]
    height_inches = _FRAME_INCHES + _ROW_INCHES * len(rows)
    colours = matplotlib.colormaps[_COLOURS]
    norm = matplotlib.colors.Normalize(-math.log10(_DARKEST), math.log10(_DARKEST))
    logs = np.array([[_log(row.cells.get(column)) for column in columns] for row in rows])
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        figure, axes = style.new_axes((6.4, height_inches))
        masked = np.ma.masked_invalid(logs)
        axes.pcolormesh(masked, cmap=colours, norm=norm, edgecolors="white", linewidth=0.5)
        for y, row in enumerate(rows):
            for x, column in enumerate(columns):
                cell = row.cells.get(column)
                # Two runs of one machine: nearly all of the ratios are 1.
                if cell and not (column in o.runs and abs(cell.ratio - 1) < _NEAR):
                    _write_ratio(axes, x, y, cell)
            if y and row.experiment != rows[y - 1].experiment:
                axes.axhline(y, color="black", lw=0.6)
        _frame(axes, rows, [o.titles[column] for column in columns])
        _colour_bar(figure, axes, matplotlib.cm.ScalarMappable(norm, colours), height_inches)
    alt = (
        f"Heat map of {len(rows)} quantities of {what} on {len(columns)} other machines, the ratio "
        "of each "
        "machine's figure to this run's, blue where that machine is quicker, red where it is slower"
    )
    header = ["line", "machine", "row here", "this run", "that machine", "ratio", "places"]
    return style.save(figure, name, _caption(o, rows, columns, what), alt, header, _data(rows))


def _log(cell: Cell | None) -> float:
    """The colour of a cell: log10 of how many times as long it takes there; nan for none."""
    return math.log10(cell.colour) if cell and cell.colour > 0 else math.nan


def _caption(o: Others, rows: list[Row], columns: list[str], what: str) -> str:
    ours = " (*ours*: by this book's)" if any("(ours)" in row.label for row in rows) else ""
    runs = f"; of a run, ratios within {100 * _NEAR:.0f} % are not printed"
    return (
        f"{what.capitalize()}: every other machine's figure divided by this run's, by the same "
        f"method{ours}. "
        "Red: slower than this machine, blue: quicker, grey: neither, white: nothing to hold "
        "against this "
        f"run's{runs if set(columns) & set(o.runs) else ''}"
    )


def _data(rows: list[Row]) -> list[list[str]]:
    data = []
    for row in rows:
        for column, cell in row.cells.items():
            values = [f"{value:.6g}" for value in (cell.here, cell.there, cell.ratio)]
            data.append([row.label, column, cell.quantity, *values, str(cell.places)])
    return data


def _write_ratio(axes, x: int, y: int, cell: Cell) -> None:
    log = _log(cell)
    if math.isnan(log):
        axes.add_patch(matplotlib.patches.Rectangle((x, y), 1, 1, color=_NEUTRAL, lw=0))
    is_dark = abs(log) > 0.75 * math.log10(_DARKEST)
    text = units.number(cell.ratio, 2)
    colour = "white" if is_dark else "black"
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=6, color=colour)


def _frame(axes, rows: list[Row], titles: list[str]) -> None:
    axes.set_yticks(np.arange(len(rows)) + 0.5, [row.label for row in rows], fontsize=6)
    axes.set_xticks(np.arange(len(titles)) + 0.5, titles, fontsize=7, rotation=20, ha="left")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)


def _colour_bar(figure, axes, colours, height_inches: float) -> None:
    bar = figure.colorbar(
        colours,
        ax=axes,
        orientation="horizontal",
        shrink=0.6,
        aspect=40,
        pad=0.2 / height_inches,
    )
    bar.set_ticks([math.log10(t) for t in _TICKS], labels=[f"{t:g}" for t in _TICKS], fontsize=7)
    bar.set_label("times as long as on this machine", fontsize=7)
    bar.outline.set_visible(False)
