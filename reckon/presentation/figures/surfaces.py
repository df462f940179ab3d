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


def mountain(found: list[Result], name: str, caption: str, strides: dict) -> Block:
    """Throughput over size (each Result's axis) and stride, after Bryant and O'Hallaron's memory
    mountain: a surface, and below it the same numbers as a map, beside the map of what was predicted.
    `strides` gives each quantity's stride in bytes. What was not measured is left grey."""
    if not any(one.has_samples for one in found):
        return style.nothing(found)
    found = sorted(found, key=lambda one: strides[one.quantity])
    drawn = [one for one in found if one.has_samples]
    unit = style.step(max(drawn, key=lambda one: np.median(one.medians)))
    sizes = np.unique(np.concatenate([one.axis for one in drawn]))
    table, foreseen = np.full((2, len(found), len(sizes)), np.nan)  # a row for each stride
    for k, one in enumerate(found):
        if one.has_samples:
            at = np.searchsorted(sizes, one.axis)
            table[k, at] = units.from_base(one.medians, unit)
            foreseen[k, at] = units.from_base(one.sealed("predicted"), unit)
    steps = np.array([strides[one.quantity] for one in found], dtype=float)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 7.2))
        above, below = figure.add_gridspec(2, 1, height_ratios=(1.6, 1), hspace=0.15)
        _draw_surface(
            figure.add_subplot(above, projection="3d"),
            np.ma.masked_invalid(table),
            sizes,
            steps,
            units.spoken(unit),
        )
        left, right = below.subgridspec(1, 2, wspace=0.25)
        panels = figure.add_subplot(left), figure.add_subplot(right)
        most = max(np.nanmax(table), np.nanmax(foreseen))
        for axes, values, title in zip(
            panels, (table, foreseen), ("measured", "predicted"), strict=True
        ):
            image = _draw_map(axes, np.ma.masked_invalid(values), sizes, steps, most)
            axes.set_title(title, fontsize=9)
        figure.colorbar(image, ax=panels, label=units.spoken(unit), pad=0.02)
    high, low = (np.unravel_index(f(table), table.shape) for f in (np.nanargmax, np.nanargmin))
    alt = "Throughput over size and stride: " + " and ".join(
        f"{word} {units.number(table[row, column])} {units.spoken(unit)} at "
        f"{units.size(sizes[column], 'byte')}, stride {units.size(steps[row], 'byte')}"
        for word, (row, column) in (("highest", high), ("lowest", low))
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
    return [
        [
            f"{strides[one.quantity]:g}",
            f"{x:.0f}",
            *(
                f"{units.from_base(v, unit):.6g}"
                for v in (s.median, s.low, s.high, s.minimum, s.p99, predicted)
            ),
        ]
        for one in drawn
        for x, s, predicted in zip(one.axis, one.summaries, one.sealed("predicted"), strict=True)
    ]


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
    axes.grid(False)
    at, names = _size_ticks(sizes, 6)
    axes.set_xticks(at + 0.5, names, fontsize=7, rotation=45, ha="right", rotation_mode="anchor")
    at, names = _stride_ticks(strides, 16)
    axes.set_yticks(at + 0.5, names, fontsize=7)
    axes.set_xlabel("size")
    axes.set_ylabel("stride [byte]")
    return image
