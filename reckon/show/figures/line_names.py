"""Names of lines beside their right ends, which need no look at a legend."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

_CHARACTERS = 18  # of a line of text
_FONT_POINTS = 8
_LINE_POINTS = 13  # of a line's height, with letters as large as in print
_RIGHT_OF_AXES = 1.04  # in widths of the axes
# From the end of its line, in heights of the axes. Farther, names are hard to trace.
_FARTHEST = 0.13


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, in numbers of the axes."""

    x: float
    y: float
    name: str
    colour: str


def write(axes: Axes, ends: Sequence[LineEnd]) -> list[Annotation]:
    """Writes each line's name right of the axes, with a thin line to its end; the axes have their
    limits. Nothing where a line ends before the others, or names would lie far from their lines."""
    texts = [textwrap.fill(end.name, _CHARACTERS) for end in ends]
    axes_points = axes.get_window_extent().height * 72 / axes.figure.dpi
    heights = np.array([_LINE_POINTS * (1 + text.count("\n")) for text in texts]) / axes_points
    points = np.array([(end.x, end.y) for end in ends])
    if heights.sum() > 1 or np.ptp(points[:, 0]) > 0 or not np.isfinite(points).all():
        return []
    middles = axes.transAxes.inverted().transform(axes.transData.transform(points))[:, 1]
    moved = apart(middles, heights)
    if np.abs(moved - middles).max() > _FARTHEST:
        return []
    line: dict[str, Any] = {"arrowstyle": "-", "lw": 1.2, "shrinkA": 1, "relpos": (0, 0.5)}
    return [
        axes.annotate(
            text,
            (end.x, end.y),
            xytext=(_RIGHT_OF_AXES, y),
            textcoords="axes fraction",
            va="center",
            fontsize=_FONT_POINTS,
            annotation_clip=False,
            arrowprops=line | {"color": end.colour},
        )
        for text, end, y in zip(texts, ends, moved, strict=True)
    ]


def width_inches(names: Sequence[Annotation]) -> float:
    """The width of the widest name, with a margin."""
    dpi = names[0].figure.dpi
    return max(Text.get_window_extent(name).width for name in names) / dpi + 0.1


def apart(middles: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The middles, moved so that texts of these heights do not overlap, and lie within 0 and 1."""
    moved = np.array(middles, float)
    order = np.argsort(moved)
    bottom = 0.0
    for k in order:
        moved[k] = max(moved[k], bottom + heights[k] / 2)
        bottom = moved[k] + heights[k] / 2
    top = 1.0
    for k in order[::-1]:
        moved[k] = min(moved[k], top - heights[k] / 2)
        top = moved[k] - heights[k] / 2
    return moved
