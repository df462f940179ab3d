"""The heat maps of the page `machines`: every other machine's values over this run's."""

from __future__ import annotations

import itertools
import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from reckon import units
from reckon.comparison.reports.other_machines import Cell, OtherMachines, Row
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data, Drawing
from reckon.show.figures.style import Look
from reckon.show.text import neither_shown
from reckon.show.titles import page_title, row_title, title_of

MAX_ROWS = 48  # more would not fit on a page
_ROW_INCHES = 0.165
_FRAME_INCHES = 0.9  # axis and colour bar
_DARKEST = 10.0  # a larger ratio has the same colour; its number says how large it is
_MAIN_VALUE = "by each report's method"  # of a row without a name of its own
_NEUTRAL = "#eeeeee"  # no machine is faster by it
_COLOURS = "coolwarm"  # blue and red around light grey: colour-blind readers see them apart
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


def pages(rows: list[Row]) -> list[list[Row]]:
    return [rows[start : start + MAX_ROWS] for start in range(0, len(rows), MAX_ROWS)]


def heat_map(others: OtherMachines, rows: list[Row], name: str, part: str) -> Block:
    """A row for each quantity of a part, below its chapter's title, and a column for each
    machine. The number is how many
    times as long it takes there, of what is neither a time nor a rate the ratio of the values; the
    colour shows which machine is faster."""
    columns = [column for column in others.titles if any(column in row.cells for row in rows)]
    limit = math.log10(_DARKEST)
    colours: Look = {"cmap": _COLOURS, "norm": Normalize(-limit, limit)}
    lines = _with_headings(rows)
    cells = [line.cells if isinstance(line, Row) else {} for line in lines]
    logs = [[_log(of_line.get(column)) for column in columns] for of_line in cells]
    with drawings.new(_FRAME_INCHES + _ROW_INCHES * len(lines)) as drawing:
        axes = drawing.axes
        masked = np.ma.masked_invalid(logs)
        image = axes.pcolormesh(masked, edgecolors="white", linewidth=0.5, **colours)
        for y, of_line in enumerate(cells):
            for x, column in enumerate(columns):
                if column in of_line:
                    _write_ratio(axes, x, y, of_line[column])
        _frame(axes, lines, [others.titles[column] for column in columns])
        _add_colour_bar(drawing, image)
        alt = (
            f"Heat map of {len(rows)} quantities of {part} on {len(columns)} other machines, the "
            "ratio of each machine's value to this run's, blue where that machine is faster, red "
            "where it is slower"
        )
        header = ["line", "machine", "quantity here", "this run", "that machine", "ratio", "points"]
        header.append("unit")
        data = [_data(row, *pair) for row in rows for pair in row.cells.items()]
        return drawing.save(name, _caption(part, rows, others.titles), alt, Data(header, data))


def _with_headings(rows: list[Row]) -> list[Row | str]:
    """The rows, each chapter's below its title."""
    lines: list[Row | str] = []
    for experiment, of_chapter in itertools.groupby(rows, lambda row: row.experiment):
        lines += [page_title(experiment), *of_chapter]
    return lines


def _label(line: Row | str) -> str:
    if isinstance(line, str):
        return line
    return (title_of(f"{line.experiment}/{line.name}") or _MAIN_VALUE) + line.method_note


def _log(cell: Cell | None) -> float:
    """The colour of a cell: log10 of how many times as long it takes there; nan for none."""
    return math.log10(cell.colour) if cell and cell.colour > 0 else math.nan


def _caption(part: str, rows: list[Row], titles: dict[str, str]) -> str:
    by_reckon = any(cell.by_reckon for row in rows for cell in row.cells.values())
    marked = "; *(Reckon's)* marks a division by the value of Reckon's own method" if by_reckon else ""
    return (
        f"{part.capitalize()}{_finding(rows, titles)}. Every other machine's value is divided by "
        f"this run's value from the same method{marked}. For a rate the number is the inverse, so each "
        "says how many times as long the other machine takes. Red: slower than this machine, blue: faster, grey: "
        "alike or not ranked, empty: nothing to compare with this run's"
    )


def _finding(rows: list[Row], titles: dict[str, str]) -> str:
    """In how many ranked values this machine is faster than another, and where they differ most."""
    logs = [
        (_log(cell), cell.is_decided, row_title(row), titles[column])
        for row in rows
        for column, cell in row.cells.items()
        if cell.is_ranked and not math.isnan(_log(cell))
    ]
    if not logs:
        return ""
    faster = sum(log > 0 for log, is_decided, *_ in logs if is_decided)
    undecided = sum(not is_decided for _, is_decided, *_ in logs)
    log, _, what, machine = max(logs, key=lambda line: abs(line[0]))
    times = units.number(10 ** abs(log), 2)
    shorter = f"the {machine}" if log < 0 else "this machine"
    return (
        f": this machine is faster in {faster} of {len(logs)} ranked values"
        f"{neither_shown(undecided)}. The largest difference is *{what}*: it is {times} times faster on "
        f"{shorter}{_against(machine, log)}"
    )


def _against(machine: str, log: float) -> str:
    return f" than on the {machine}" if log > 0 else ""


def _data(row: Row, column: str, cell: Cell) -> list[str]:
    values = [units.from_base(value, cell.unit) for value in (cell.here, cell.there)]
    numbers = [f"{value:.6g}" for value in (*values, cell.ratio)]
    return [row.label, column, cell.quantity, *numbers, str(cell.points), units.symbol(cell.unit)]


def _write_ratio(axes: Axes, x: int, y: int, cell: Cell) -> None:
    log = _log(cell)
    if math.isnan(log):
        axes.add_patch(Rectangle((x, y), 1, 1, color=_NEUTRAL, lw=0))
    is_dark = abs(log) > 0.75 * math.log10(_DARKEST)
    text = units.number(cell.ratio if math.isnan(cell.times) else cell.times, 2)
    colour = style.ON_DARK if is_dark else style.ON_LIGHT
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=6, color=colour)


def _frame(axes: Axes, lines: list[Row | str], titles: list[str]) -> None:
    axes.set_yticks(np.arange(len(lines)) + 0.5, [*map(_label, lines)], fontsize=6)
    for line, name in zip(lines, axes.get_yticklabels(), strict=True):
        name.set_fontweight("bold" if isinstance(line, str) else "normal")
    axes.set_xticks(np.arange(len(titles)) + 0.5, titles, fontsize=7, rotation=20, ha="left")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)


def _add_colour_bar(drawing: Drawing, image: QuadMesh) -> None:
    pad = 0.2 / drawing.figure.get_figheight()
    shape: Look = {"orientation": "horizontal", "shrink": 0.6, "aspect": 40, "pad": pad}
    bar = drawing.figure.colorbar(image, ax=drawing.axes, **shape)
    bar.set_ticks([math.log10(t) for t in _TICKS], labels=[f"{t:g}" for t in _TICKS], fontsize=7)
    bar.set_label("times as long as on this machine; a rate, the inverse of its ratio", fontsize=7)
    bar.outline.set_visible(False)
