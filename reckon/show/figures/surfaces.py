"""The memory mountain: throughput over size and stride, as a surface and as a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from mpl_toolkits.mplot3d import Axes3D

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.frames import readable_unit

_COLOURS = "cividis"  # made for colour-blind readers (Nunez, Anderton and Renslow 2018)
_MISSING = "#bbbbbb"
_LETTERS = 9  # points; a phone shows them as 11 pixels


@dataclass(frozen=True)
class _Mountain:
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
