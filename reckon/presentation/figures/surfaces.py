"""The memory mountain: throughput over size and stride, as a surface and as a map."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import STYLE
from reckon.records.result import Result

_COLOURS = "cividis"  # made for colour-blind readers (Nunez, Anderton and Renslow 2018)


def mountain(results: list[Result], name: str, caption: str, strides: dict) -> Block:
    """Throughput over size (each result's axis) and stride, after Bryant and O'Hallaron's memory
    mountain: a surface, and below it the same numbers as a map beside the predicted one.

    strides: each quantity's stride in bytes. What was not measured is grey.
    """
    drawn = [result for result in results if result.has_samples]
    if not drawn:
        return style.nothing(results)
    results = sorted(results, key=lambda result: strides[result.quantity])
    drawn.sort(key=lambda result: strides[result.quantity])
    unit = style.step(max(drawn, key=lambda result: np.median(result.medians)))
    sizes = np.unique(np.concatenate([result.axis for result in drawn]))
    steps = np.array([strides[result.quantity] for result in results], dtype=float)
    measured, predicted = np.full((2, len(results), len(sizes)), np.nan)  # a row for each stride
    for k, result in enumerate(results):
        if result.has_samples:
            at = np.searchsorted(sizes, result.axis)
            measured[k, at] = units.from_base(result.medians, unit)
            predicted[k, at] = units.from_base(result.sealed("predicted"), unit)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 7.2))
        above, below = figure.add_gridspec(2, 1, height_ratios=(1.6, 1), hspace=0.15)
        surface = figure.add_subplot(above, projection="3d")
        _draw_surface(surface, np.ma.masked_invalid(measured), sizes, steps, units.spoken(unit))
        left, right = below.subgridspec(1, 2, wspace=0.25)
        panels = {"measured": figure.add_subplot(left), "predicted": figure.add_subplot(right)}
        most = max(np.nanmax(measured), np.nanmax(predicted))
        for (title, axes), values in zip(panels.items(), (measured, predicted), strict=True):
            image = _draw_map(axes, np.ma.masked_invalid(values), sizes, steps, most)
            axes.set_title(title, fontsize=9)
        figure.colorbar(image, ax=[*panels.values()], label=units.spoken(unit), pad=0.02)
    extremes = {"highest": np.nanargmax(measured), "lowest": np.nanargmin(measured)}
    places = {word: np.unravel_index(k, measured.shape) for word, k in extremes.items()}
    alt = "Throughput over size and stride: " + " and ".join(
        f"{word} {units.number(measured[row, column])} {units.spoken(unit)} at "
        f"{units.size(sizes[column], 'byte')}, stride {units.size(steps[row], 'byte')}"
        for word, (row, column) in places.items()
    )
    return style.save(figure, name, caption, alt, _header(unit), _rows(drawn, strides, unit))


def _header(unit: str) -> list[str]:
    return [
        "stride [byte]",
        "size [byte]",
        f"median [{units.spoken(unit)}]",
        "low",
        "high",
        "minimum",
        "p99",
        "predicted",
    ]


def _rows(drawn: list[Result], strides: dict, unit: str) -> list[list[str]]:
    rows = []
    for result in drawn:
        sealed = result.sealed("predicted")
        for x, s, predicted in zip(result.axis, result.summaries, sealed, strict=True):
            values = (s.median, s.low, s.high, s.minimum, s.p99, predicted)
            numbers = [f"{units.from_base(value, unit):.6g}" for value in values]
            rows.append([f"{strides[result.quantity]:g}", f"{x:.0f}", *numbers])
    return rows


def _ticks(places: np.ndarray, most: int) -> np.ndarray:
    """At most `most` indices, of powers of two where there are any."""
    at = np.flatnonzero(np.log2(places) % 1 == 0)
    at = at if len(at) > 1 else np.arange(len(places))
    return at[:: -(-len(at) // most)]


def _size_ticks(sizes: np.ndarray, most: int) -> tuple[np.ndarray, list[str]]:
    at = _ticks(sizes, most)
    return at, [units.size(float(x), "byte") for x in sizes[at]]


def _stride_ticks(strides: np.ndarray, most: int) -> tuple[np.ndarray, list[str]]:
    at = _ticks(strides, most)
    return at, [f"{x:g}" for x in strides[at]]


def _draw_surface(axes, values, sizes, strides, unit: str) -> None:
    """Sizes and strides by rank: they go by factors, so ranks are their logarithms."""
    x, y = np.meshgrid(np.arange(values.shape[1]), np.arange(values.shape[0]))
    axes.plot_surface(
        x,
        y,
        values.filled(np.nan),
        cmap=_COLOURS,
        vmin=0,
        vmax=values.max(),
        edgecolor="#00000055",
        lw=0.3,
        rstride=1,
        cstride=1,
    )
    axes.set_xticks(*_size_ticks(sizes, 6), fontsize=7)
    axes.set_yticks(*_stride_ticks(strides, 8), fontsize=7)
    axes.tick_params(axis="z", labelsize=7)
    axes.set_xlabel("size", labelpad=8)
    axes.set_ylabel("stride [byte]", labelpad=6)
    axes.set_zlabel(unit)
    axes.set_zlim(0, None)
    axes.view_init(elev=28, azim=50)
    axes.set_box_aspect((1.3, 1, 0.7))


def _draw_map(axes, values, sizes, strides, most: float):
    image = axes.pcolormesh(values, cmap=_COLOURS, vmin=0, vmax=most)
    axes.set_facecolor("#bbbbbb")
    axes.grid(visible=False)
    at, names = _size_ticks(sizes, 6)
    axes.set_xticks(at + 0.5, names, fontsize=7, rotation=45, ha="right", rotation_mode="anchor")
    at, names = _stride_ticks(strides, 16)
    axes.set_yticks(at + 0.5, names, fontsize=7)
    axes.set_xlabel("size")
    axes.set_ylabel("stride [byte]")
    return image
