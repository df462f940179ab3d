"""The figures of the chapter on latency: the staircase, and the memory mountain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from mpl_toolkits.mplot3d import Axes3D

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import drawings, measured_curve, places, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.measured_curve import MeasuredCurve, curves_data, line_ends
from reckon.show.figures.style import BLACK, Look
from reckon.show.frames import readable_unit
from reckon.show.tables.plateau_tables import Regime, regimes
from reckon.show.tables.tables import title

_XLABEL = "size of the region"
_ABOVE_GRID = 1.8  # and below the curves
_MOST_BANDS = 4  # bands of more curves would hide the curves; their data have the ranges
_NAME_SHARE = 0.16  # of the axes' width, that the name of a capacity takes
# Heights of rows of texts, as shares of the axes' height.
_LEVEL_ROWS, _CAPACITY_ROWS = (0.99, 0.9), (0.015, 0.07)
_BELOW_LEVELS = 0.8  # where the lines of capacities end, which the levels' names would cross
_COLOURS = "cividis"  # made for colour-blind readers (Nunez, Anderton and Renslow 2018)
_MISSING = "#bbbbbb"
_LETTERS = 9  # points; a phone shows them as 11 pixels


@style.of_results
def levels(
    results: list[Result],
    levels_of: Result,
    name: str,
    caption: str,
    titles: dict[str, str],
    reported: dict[str, float | None],
) -> Block:
    """Several times over sizes on logarithmic axes, as in lmbench's figure 1 (McVoy and Staelin
    1996): medians with 95 % interval, sealed predictions dashed, and up to four curves in a band
    from minimum to 99th percentile. The levels of `levels_of`, one of them, have their names above
    and a line where each ends; the reported capacities are dotted.

    reported: where each level should end by the machine's description, in bytes.
    """
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing_to_draw(results)
    unit = readable_unit(measured[0])
    all_regimes = regimes(levels_of, [*reported, "main memory"], reported)
    plateaus = [regime for regime in all_regimes if not regime.level.is_ramp]
    curves = measured_curve.of_results(measured, titles)
    with drawings.new(3.9) as drawing:  # its page's first screen holds it
        axes = drawing.axes
        for c in curves:
            c.draw_measured(axes, c.colour, c.name, size=2.5)
            axes.plot(c.x, c.predicted, "--", lw=1, color=c.colour, drawstyle="steps-post")
            c.draw_revised(axes, lw=1, color=c.colour, drawstyle="steps-post")
        axes.plot([], [], "--", lw=1, color=BLACK, label="predicted")
        style.explain_revised(axes, measured)
        _draw_bands(axes, curves)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        _set_limits(axes, curves)
        _write_levels(axes, plateaus, unit)
        _write_capacities(axes, reported, measured[0].axis_unit)
        style.plain_log(axes.yaxis)
        axes.set_xlabel(_XLABEL)
        axes.set_ylabel(units.symbol(unit))
        drawing.name_lines(line_ends(curves))
        drawing.legend()
        alt = [_alt(result, title(result, titles)) for result in measured]
        alt += [
            f"{regime.name} {units.amount(regime.level.y, levels_of.unit)} up to {regime.end}"
            for regime in plateaus
        ]
        where = places.of_curves(axes, measured, unit)
        data = curves_data(curves, _XLABEL)
        return drawing.save(name, caption, "; ".join(alt), data, where)


def _draw_bands(axes: Axes, curves: list[MeasuredCurve]) -> None:
    """From minimum to 99th percentile of each curve, unless there are too many."""
    if len(curves) > _MOST_BANDS:
        return
    look: Look = {"alpha": 0.15, "lw": 0}
    for c, colour in zip(curves, style.SERIES, strict=False):
        axes.fill_between(c.x, c.minimum, c.p99, color=colour, **look)
    axes.fill_between([], [], color=BLACK, label="minimum to 99th percentile", **look)


def _alt(result: Result, called: str) -> str:
    first, last = (units.size(float(x), result.axis_unit) for x in result.axis[[0, -1]])
    return f"{called} against {_XLABEL}: {result.medians_text}, from {first} to {last}"


def _set_limits(axes: Axes, curves: list[MeasuredCurve]) -> None:
    """By medians and predictions, with room to write above and below: a rare long trial may lie
    outside, the data have it."""
    heights = np.concatenate([c.heights for c in curves])
    heights = heights[np.isfinite(heights) & (heights > 0)]
    low, high = heights.min(), heights.max()
    decades = max(np.log10(high / low), 0.5)
    axes.set_ylim(low / 10 ** (0.18 * decades), high * 10 ** (0.24 * decades))
    sizes = np.concatenate([c.x for c in curves])
    axes.set_xlim(sizes.min() / 1.2, sizes.max() * 1.2)
    style.size_axis(axes.xaxis, sizes, curves[0].result.axis_unit)


def _write_levels(axes: Axes, plateaus: list[Regime], unit: str) -> None:
    """Each plateau as a black line at its level, a line where it ends, and its name above."""
    names = {}
    for regime in plateaus:
        level, result = regime.level, regime.result
        left, right = (units.from_base(x, result.axis_unit) for x in (level.x_first, level.x_last))
        height = units.from_base(level.y, unit)
        axes.plot([left, right], [height, height], color=BLACK, lw=1.2, zorder=5)
        if not regime.is_last:
            axes.axvline(right, color=BLACK, lw=0.6, zorder=_ABOVE_GRID)
        name = f"{regime.name}\n{units.amount(level.y, result.unit)}"
        names[name] = float(np.sqrt(left * right))
    for k, (text, x) in enumerate(names.items()):  # by turns, so that neighbours do not overlap
        _write(axes, x, _LEVEL_ROWS[k % len(_LEVEL_ROWS)], text, ha="center", va="top")


def _write_capacities(axes: Axes, reported: dict[str, float | None], unit: str) -> None:
    """A dotted line at each capacity, its name at the foot, beside the line."""
    low, high = axes.get_xlim()
    for k, (name, capacity) in enumerate(reported.items()):
        x = units.from_base(capacity, unit) if capacity else np.nan
        if low <= x <= high:
            axes.axvline(x, ymax=_BELOW_LEVELS, color=BLACK, lw=1, ls=":", zorder=_ABOVE_GRID)
            is_at_the_end = np.log(high / x) < _NAME_SHARE * np.log(high / low)
            side = "right" if is_at_the_end else "left"
            text = f" {name} reported "  # spaces: off the line
            _write(axes, x, _CAPACITY_ROWS[k % len(_CAPACITY_ROWS)], text, ha=side, va="bottom")


def _write(axes: Axes, x: float, height: float, text: str, **look: Any) -> None:
    """A text at an x, and at a share of the axes' height."""
    look |= {"transform": axes.get_xaxis_transform(), "fontsize": 7.5, "zorder": 6}
    look["bbox"] = {"fc": "white", "ec": "none", "pad": 0.8}
    axes.text(x, height, text, linespacing=1.1, **look)


class _Mountain(NamedTuple):
    """Throughputs in `unit`, a row for each stride and a column for each size; nan if missing."""

    results: list[Result]  # by ascending stride
    strides_bytes: np.ndarray
    sizes_bytes: np.ndarray
    unit: str
    measured: np.ndarray
    predicted: np.ndarray
    current: np.ndarray  # the revised predictions, and the others as sealed

    @property
    def maximum(self) -> float:
        return max(map(np.nanmax, (self.measured, self.predicted, self.current)))

    @property
    def maps(self) -> dict[str, np.ndarray]:
        """The values of each map, by its title."""
        maps = {"measured": self.measured, "predicted": self.predicted}
        if any(result.revisions for result in self.results):
            maps["revised"] = self.current
        return maps

    def extreme(self, word: str, index: np.intp) -> str:
        """The highest or lowest throughput with its position, in words."""
        row, column = np.unravel_index(index, self.measured.shape)
        value = units.with_unit(units.number(self.measured[row, column]), self.unit)
        size, stride = (
            units.size(float(x), "byte")
            for x in (self.sizes_bytes[column], self.strides_bytes[row])
        )
        return f"{word} {value} at {size}, stride {stride}"

    def rows(self) -> list[list[str]]:
        """The data: a row for each point that was measured."""
        rows = []
        for result, stride in zip(self.results, self.strides_bytes, strict=True):
            points = zip(result.axis, result.summaries, result.sealed("predicted"), strict=True)
            for size, summary, predicted in points:
                cells = style.spread_cells(summary, predicted, self.unit)
                rows.append([f"{stride:g}", f"{size:.0f}", *cells])
        return rows


def _mountain(results: list[Result], strides: dict[str, float]) -> _Mountain:
    results = sorted(results, key=lambda result: strides[result.quantity])
    measured = [result for result in results if result.has_samples]
    unit = readable_unit(max(measured, key=lambda result: float(np.median(result.medians))))
    sizes = np.unique(np.concatenate([result.axis for result in measured]))
    values = np.full((3, len(results), len(sizes)), np.nan)
    for row, result in enumerate(results):
        if result.has_samples:
            columns = np.searchsorted(sizes, result.axis)
            values[0, row, columns] = units.from_base(result.medians, unit)
            values[1, row, columns] = units.from_base(result.sealed("predicted"), unit)
            values[2, row, columns] = units.from_base(result.current_values, unit)
    steps = np.array([strides[result.quantity] for result in results], dtype=float)
    return _Mountain(results, steps, sizes, unit, *values)


def mountain(results: list[Result], name: str, caption: str, strides: dict[str, float]) -> Block:
    """Throughput over size (each result's axis) and stride, after Bryant and O'Hallaron's memory
    mountain: a surface, and below it the same numbers as a map, and the predicted ones,
    sealed and revised.

    strides: each quantity's stride in bytes. What was not measured is grey.
    """
    if not any(result.has_samples for result in results):
        return style.nothing_to_draw(results)
    data = _mountain(results, strides)
    with drawings.empty(7.2) as drawing:
        figure = drawing.figure
        halves = figure.add_gridspec(2, 1, height_ratios=(1.6, 1), hspace=0.2)
        _draw_surface(figure.add_subplot(halves[0], projection="3d"), data)
        maps = halves[1].subgridspec(1, len(data.maps), wspace=0.08)
        panels = [figure.add_subplot(maps[k]) for k in range(len(data.maps))]
        for axes, (title, values) in zip(panels, data.maps.items(), strict=True):
            image = _draw_map(axes, data, values, title)
        for axes in panels[1:]:
            axes.tick_params(labelleft=False)  # the strides of the map beside it
        panels[0].set_ylabel("stride [bytes]")
        figure.colorbar(image, ax=panels, label=units.symbol(data.unit), pad=0.02)
        highest = data.extreme("highest", np.nanargmax(data.measured))
        lowest = data.extreme("lowest", np.nanargmin(data.measured))
        alt = f"Throughput over size and stride: {highest} and {lowest}"
        header = ["stride [bytes]", "size [bytes]", *style.spread_header(data.unit)]
        return drawing.save(name, caption, alt, Data(header, data.rows()))


def _ticks(values: np.ndarray, maximum: int) -> np.ndarray:
    """At most `maximum` indices, of powers of two if there are at least two."""
    powers = np.flatnonzero(np.log2(values) % 1 == 0)
    indices = powers if len(powers) > 1 else np.arange(len(values))
    return indices[:: -(-len(indices) // maximum)]


def _set_ticks(
    axes: Axes, data: _Mountain, strides_maximum: int, offset: float, **size_look
) -> None:
    """Labels sizes and strides by rank: they grow by factors, so ranks are their logarithms."""
    sizes, strides = _ticks(data.sizes_bytes, 5), _ticks(data.strides_bytes, strides_maximum)
    size_names = [units.size(float(size), "byte") for size in data.sizes_bytes[sizes]]
    stride_names = [units.as_given(stride) for stride in data.strides_bytes[strides]]
    axes.set_xticks(sizes + offset, size_names, fontsize=_LETTERS, **size_look)
    axes.set_yticks(strides + offset, stride_names, fontsize=_LETTERS)


def _draw_surface(axes: Axes3D, data: _Mountain) -> None:
    x, y = np.meshgrid(np.arange(data.measured.shape[1]), np.arange(data.measured.shape[0]))
    colours = {"cmap": _COLOURS, "vmin": 0, "vmax": np.nanmax(data.measured)}
    lines = {"edgecolor": "#00000055", "lw": 0.3, "rstride": 1, "cstride": 1}
    axes.plot_surface(x, y, data.measured, **colours, **lines)
    _set_ticks(axes, data, strides_maximum=3, offset=0)
    axes.tick_params(axis="z", labelsize=_LETTERS)
    axes.locator_params(axis="z", nbins=4)
    axes.set_xlabel("size", labelpad=12)
    axes.set_ylabel("stride [bytes]", labelpad=10)
    axes.set_zlabel(units.symbol(data.unit))
    axes.set_zlim(0, None)
    axes.view_init(elev=28, azim=50)
    axes.set_box_aspect((1.3, 1, 0.7))


def _draw_map(axes: Axes, data: _Mountain, values: np.ndarray, title: str) -> QuadMesh:
    image = axes.pcolormesh(np.ma.masked_invalid(values), cmap=_COLOURS, vmin=0, vmax=data.maximum)
    axes.set_facecolor(_MISSING)
    axes.grid(visible=False)
    slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    _set_ticks(axes, data, strides_maximum=16, offset=0.5, **slanted)
    axes.set_xlabel("size")
    axes.set_title(title, fontsize=_LETTERS)
    return image
