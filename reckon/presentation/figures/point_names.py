"""Names beside the points of a figure, where they cover no line and no other name."""

from __future__ import annotations

import numpy as np

_LETTER_POINTS, _HEIGHT_POINTS = 4.2, 8  # of a name in 7-point type
# Where a name may stand, in order of preference: its distance from the point in points, and which
# share of its width lies to the left of there.
_SIDES = (
    (0, 5, 0.5),
    (0, -13, 0.5),
    (6, -4, 0),
    (-6, -4, 1),
    (5, -11, 0),
    (-5, 3, 1),
    (14, -4, 0),
    (-14, -4, 1),
)
_Box = tuple[float, float, float, float]  # left, low, right, high


def _in_points(axes, xy: np.ndarray) -> np.ndarray:
    """Data coordinates as points on the page."""
    return axes.transData.transform(xy) * 72 / axes.figure.dpi


def _line_boxes(axes) -> list[_Box]:
    """The lines and error bars of a figure, as boxes without extent along them."""
    lines = [line.get_xydata() for line in axes.get_lines() if line.get_linestyle() != "None"]
    bars = [segment for bars in axes.collections for segment in bars.get_segments()]
    boxes = []
    for xy in [*lines, *bars]:
        dense = np.linspace(0, len(xy) - 1, 40 * len(xy))
        at = np.column_stack([np.interp(dense, np.arange(len(xy)), part) for part in xy.T])
        known = at[np.isfinite(at).all(axis=1)]
        boxes += [(x, y, x, y) for x, y in _in_points(axes, known)]
    return boxes


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def name_points(axes, x: np.ndarray, y: np.ndarray, names: list[str]) -> None:
    """Write a name beside each point; one for which every side is taken has none: the data have
    it."""
    axes.get_xlim(), axes.get_ylim()  # settles limits that matplotlib chooses late
    taken = _line_boxes(axes)
    points = np.column_stack([x, y])
    for point, (px, py), name in zip(points, _in_points(axes, points), names, strict=True):
        width = _LETTER_POINTS * len(name)
        for dx, dy, share in _SIDES:
            left, low = px + dx - share * width, py + dy
            box = (left, low, left + width, low + _HEIGHT_POINTS)
            if any(_overlap(box, other) for other in taken):
                continue
            offset = (dx - share * width, dy)
            place = {"textcoords": "offset points", "ha": "left", "va": "bottom"}
            axes.annotate(name, tuple(point), offset, fontsize=7, **place)
            taken.append(box)
            break
