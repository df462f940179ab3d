"""Figures in the making; their files for the site, a phone and print, with data and alt text."""

from __future__ import annotations

import contextlib
import csv
import functools
import hashlib
import html
import io
import itertools
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure  # not pyplot: no global state, and a faster import
from matplotlib.text import Annotation

from reckon import build_context, config, records
from reckon.show import figure_files
from reckon.show.block import Block
from reckon.show.figure_files import PHONE, PLACES, PRINT
from reckon.show.figures import line_names, printing, style
from reckon.show.figures.places import Places, box_in
from reckon.show.figures.style import BLACK, BLUE, SKY, Look, plain_log

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
_RIGHT = 0.9  # where the axes end, in widths of the figure
# For a screen of 390 pixels, where 9 points are 11 pixels then; the axes get at least the second.
_NARROW_INCHES, _NARROW_AXES_INCHES, _NARROW_LABEL = 4.0, 2.0, 44  # a label's line in characters
_MARGIN_INCHES = 0.1
_PRINTED_COLUMNS = (5, 4, 3, 2)  # of a legend
_TICK_LABELS_APART = 4  # pixels
_STEEP = 45  # degrees
# The places of lines, areas and marks in an SVG, not the outlines of letters, which have names; and
# what is finer than a tenth of a point.
_PLACES = re.compile(r'(?<=<path d=")[^"]*|(?<= d=")[^"]{200,}|(?<= [xy]=")[^"]*')
_FINE = re.compile(r"(?<=\.\d)\d+")
# Indents, and names of groups to which nothing refers (places.py finds the axes by theirs).
_NEEDLESS = re.compile(r'(?<=<g) id="(?!axes_)[^"]*"|(?<=\n) +')
_LINE_INCHES = 0.16  # of an axis's label


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
    end_names: dict[str, Annotation] = field(default_factory=dict)

    @property
    def axes(self) -> Axes:
        """The top panel, of most figures the only one."""
        return self.panels[0]

    def legend(self, handles: Sequence[Artist] | None = None) -> None:
        """Adds a legend below the axes, where it cannot hide a point."""
        known = {handle.get_label() for handle in self.legend_handles}
        handles = handles or self.axes.get_legend_handles_labels()[0]
        self.legend_handles.extend(each for each in handles if each.get_label() not in known)
        others = [each for each in self.legend_handles if each.get_label() not in self.end_names]
        self._write_legend(others, columns=2)

    def take_legend(self, names: Sequence[str], unused: Sequence[str] = ()) -> list[str]:
        """Moves the legend that seaborn wrote into the axes below them, without the entries of
        `unused`; returns the colours of the lines with these names."""
        entries: dict[str, Any] = {}
        if legend := self.axes.get_legend():
            texts = [text.get_text() for text in legend.get_texts()]
            entries = dict(zip(texts, legend.legend_handles, strict=True))
            legend.remove()
        for name, handle in entries.items():
            handle.set_label(name)
        self.legend_handles.extend(entries[name] for name in entries if name not in unused)
        return [
            style.colour_of(entries[name]) if name in entries else colour
            for name, colour in zip(names, itertools.cycle(style.SERIES), strict=False)
        ]

    def name_lines(self, ends: Sequence[line_names.LineEnd]) -> None:
        """Names the lines of the top panel beside their ends, where there is room, instead of in
        the legend. Call it when the axes have their limits and before legend()."""
        names = line_names.write(self.axes, ends)
        if names:
            self.end_names.update(zip([end.name for end in ends], names, strict=True))
            width = line_names.width_inches(names) / self.figure.get_figwidth()
            self.figure.subplots_adjust(right=_RIGHT - width)
            self.figure.draw_without_rendering()
            _thin_out(self.axes.xaxis)

    def _spread_legend(self) -> None:
        """Give the legend as many columns as the lines of print have room for."""
        others = [each for each in self.legend_handles if each.get_label() not in self.end_names]
        for columns in _PRINTED_COLUMNS:
            for legend in [*self.figure.legends]:
                legend.remove()
            self._write_legend(others, columns)
            width = max(each.get_window_extent().width for each in self.figure.legends)
            if width <= printing.WIDTH_INCHES / printing.ENLARGED * self.figure.dpi:
                break

    def _write_legend(self, handles: list[Artist], columns: int, below: float = 0.0) -> None:
        look: Look = {"loc": "upper center", "bbox_to_anchor": (0.5, -below), "fontsize": 8}
        self.figure.legend(handles=handles, ncols=columns, **look)

    def save(
        self, name: str, caption: str, alt: str, data: Data, places: Places | None = None
    ) -> Block:
        """The figure as a Block; its files are NAME.svg and .csv in _build/figures, and what
        draw_later() adds: NAME.pdf, NAME-narrow.svg for a phone, and NAME-places.json with where
        its predictions lie.

        In JupyterLab, where predictions are tried, the book's files stay as they are."""
        if not re.fullmatch(r"[a-z0-9-]+", name):
            raise ValueError(f"{name!r} cannot name a figure: lower case, digits and - only")
        picture = self._svg()
        if not config.settings().tries:
            self._write(name, picture, data, places)
        markdown = (
            f":::{{figure}} /figures/{name}.*\n:name: {name}\n:alt: {alt}\n\n"
            f"{caption} ({{download}}`data </figures/{name}.csv>`)\n:::"
        )
        return Block(markdown, f"{picture[picture.index('<svg') :]}\n<p>{html.escape(caption)}</p>")

    def _svg(self) -> str:
        svg = io.StringIO()
        box = printing.box(self.figure).padded(_MARGIN_INCHES)
        self.figure.savefig(svg, format="svg", bbox_inches=box, metadata={"Date": None})
        light = _NEEDLESS.sub("", svg.getvalue())
        light = _PLACES.sub(lambda place: _FINE.sub("", place[0]), light)
        return _with_dark_colours(light)

    def _make_narrow(self) -> None:
        """Gives the figure the width of a phone, with letters as large as before."""
        figure = self.figure
        for legend in [*figure.legends]:
            legend.remove()
        if self.end_names:  # a phone has no room beside the axes
            for name in self.end_names.values():
                name.remove()
            figure.subplots_adjust(right=_RIGHT)
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
            below = lines * _LINE_INCHES / figure.get_figheight()
            self._write_legend(self.legend_handles, columns=1, below=below)

    def _write(self, name: str, svg: str, data: Data, places: Places | None) -> None:
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([data.header, *data.rows])
        records.make_folder(figure_files.path(name, ".csv").parent)
        records.write_whole(figure_files.path(name, ".csv"), table.getvalue())
        _write_if_changed(figure_files.path(name, ".svg"), svg.encode())
        predictions = places.predictions if places else []
        figure_files.keep(name, (self, places), _digest(f"{svg} {predictions}"))
        context = build_context.current()
        if context and figure_files.missing(name, context.draws):
            draw_later([name], context.draws)

    def _draw_for_print(self, path: Path) -> None:
        printed = io.BytesIO()
        if self.legend_handles:
            self._spread_legend()
        with printing.for_print(self.figure):
            metadata: dict[str, Any] = {"CreationDate": None}
            box = printing.box(self.figure).padded(printing.MARGIN_INCHES)
            self.figure.savefig(printed, format="pdf", bbox_inches=box, metadata=metadata)
        records.write_whole(path, printed.getvalue())

    def _draw_for_a_phone(self, path: Path, places: Places | None) -> None:
        self._make_narrow()
        on_a_phone = self._svg()
        if places and places.predictions:
            number = 1 + self.figure.axes.index(places.axes)
            name = path.name.removesuffix(PHONE)
            pictures = (figure_files.path(name, ".svg").read_text("utf-8"), on_a_phone)
            described = places.describe(*(box_in(picture, number) for picture in pictures))
            records.write_whole(figure_files.path(name, PLACES), described)
        records.write_whole(path, on_a_phone)


def draw_later(names: Iterable[str], endings: Iterable[str]) -> None:
    """Draw the files with these endings of figures that their pages have kept."""
    endings = [*endings]
    for name in names:
        missing = figure_files.missing(name, endings)
        drawing, places = figure_files.kept(name)
        if PRINT in missing:
            drawing._draw_for_print(figure_files.path(name, PRINT))
        if PHONE in missing:
            drawing._draw_for_a_phone(figure_files.path(name, PHONE), places)
        figure_files.forget(name)


def _write_if_changed(path: Path, content: bytes) -> None:
    """A file that is written makes Sphinx read its page again."""
    if not path.exists() or path.read_bytes() != content:
        records.write_whole(path, content)


def _digest(drawn: str) -> str:
    """Of a drawing and of all that makes its other files from it."""
    return hashlib.sha256(f"{_code()} {drawn}".encode()).hexdigest()


@functools.cache
def _code() -> str:
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return f"{matplotlib.__version__} {hashlib.sha256(sources).hexdigest()}"


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
def empty(height_inches: float) -> Iterator[Drawing]:
    """A new figure without panels."""
    yield Drawing(Figure(figsize=(style.WIDTH_INCHES, height_inches)), [])


@contextlib.contextmanager
def new(
    height_inches: float = style.HEIGHT_INCHES, panel_heights: Sequence[float] = (1,)
) -> Iterator[Drawing]:
    """A new figure with panels of these heights, relative to one another, that share the x axis."""
    with empty(height_inches) as drawing:
        figure, n = drawing.figure, len(panel_heights)
        figure.subplots_adjust(bottom=min(0.45, style.LABEL_INCHES / height_inches))
        panels = figure.subplots(n, squeeze=False, sharex=True, height_ratios=panel_heights)
        drawing.panels.extend(panels.flat)
        for axis in (axis for axes in drawing.panels for axis in (axes.xaxis, axes.yaxis)):
            axis.set_major_formatter(style.tick_label)
        yield drawing


def load() -> None:
    """Draws a figure into memory, so that fonts and both formats are loaded before any page."""
    with new() as first:
        first.axes.plot([1, 10], [1, 10], label="1")
        first.axes.set_xscale("log")
        plain_log(first.axes.xaxis)
        first.legend()
        for kind in ("svg", "pdf"):
            first.figure.savefig(io.BytesIO(), format=kind)
