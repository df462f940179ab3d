"""Where a figure's predictions lie, from which what-if-figures.js draws changed ones over it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from reckon import units
from reckon.records.quantities.recorded_predictions import index_on_axis
from reckon.records.quantities.result import Result
from reckon.show.figures.style import SERIES

Box = tuple[float, float, float, float]  # left, top, width, height, as shares of the picture


@dataclass(frozen=True)
class Place:
    """Where one prediction lies in the axes."""

    quantity: str
    along: Literal["x", "y"]  # the axis that shows the predicted value
    # On the other axis, from its left or top end as shares of its length: of a curve, each position
    # of its prediction; of a single value, one; none of a value that is a line across the axes.
    at: list[float]
    index: int | None = None  # of the position that a single value is of; None of a whole curve
    colour: str | None = None  # of its line, in a figure of several


@dataclass(frozen=True)
class Places:
    """The axes of a figure's predictions, and where each of these lies."""

    axes: Axes
    unit: str
    predictions: list[Place]

    def describe(self, wide: Box, narrow: Box) -> str:
        """As JSON: the axes' box in both pictures, their scale and limits in base units."""
        axis = self._value_axis
        limits = [units.to_base(float(end), self.unit) for end in axis.get_view_interval()]
        described: dict[str, Any] = {
            "wide": wide,
            "narrow": narrow,
            "logarithmic": axis.get_scale() == "log",
            "limits": limits,
            "predictions": [asdict(place) for place in self.predictions],
        }
        return json.dumps(described) + "\n"

    @property
    def _value_axis(self):
        along = self.predictions[0].along
        return self.axes.xaxis if along == "x" else self.axes.yaxis


def of_curves(
    axes: Axes, results: list[Result], unit: str, colours: Sequence[str] = SERIES
) -> Places:
    """Curves whose axis is the figure's x axis, in these colours."""
    lines = zip(results, _of_several(results, colours), strict=False)
    return Places(axes, unit, [_of_curve(axes, result, colour) for result, colour in lines])


def _of_several(results: list[Result], colours: Sequence[str]) -> Sequence[str | None]:
    """The colours of lines; none where there is only one."""
    return colours if len(results) > 1 else [None]


def _of_curve(axes: Axes, result: Result, colour: str | None) -> Place:
    inputs = result.current.inputs
    axis = next(input_ for input_ in inputs if isinstance(input_.value, list))
    positions = units.from_base(np.asarray(axis.value), result.axis_unit)
    return Place(result.quantity, "y", _shares(axes, "x", positions), colour=colour)


def of_rows(
    axes: Axes, results: list[Result], unit: str, rows: Sequence[int] | None = None
) -> Places:
    """Single values on the x axis, each in the row of that number; as a rule in their order."""
    places = []
    for y, result in zip(rows or range(len(results)), results, strict=True):
        index = index_on_axis(result.prediction, result.points[0].x)
        if index is not None:
            row = _shares(axes, "y", np.array([float(y)]))
            places.append(Place(result.quantity, "x", row, index))
    return Places(axes, unit, places)


def of_lines(
    axes: Axes, results: list[Result], unit: str, along: Literal["x", "y"], colours: Sequence[str]
) -> Places:
    """Single values as lines across the axes; of a curve, the value at its last measured point."""
    places = []
    for result, colour in zip(results, _of_several(results, colours), strict=False):
        index = index_on_axis(result.prediction, result.points[-1].x)
        if index is not None:
            places.append(Place(result.quantity, along, [], index, colour))
    return Places(axes, unit, places)


def _shares(axes: Axes, name: Literal["x", "y"], values: np.ndarray) -> list[float]:
    """Where values of an axis lie on it: 0 at the left or top end of the axes, 1 at the other."""
    # The other coordinate has to lie on its axis, which may be logarithmic. Asking for the limits
    # also settles those that matplotlib chooses late.
    corner = (axes.get_xlim()[1], axes.get_ylim()[1])
    column = 0 if name == "x" else 1
    points = np.tile(np.array(corner, float), (len(values), 1))
    points[:, column] = values
    shares = axes.transAxes.inverted().transform(axes.transData.transform(points))[:, column]
    if name == "y":
        shares = 1 - shares
    return [round(float(share), 5) for share in shares]


_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_CORNER = re.compile(r"[ML] ([\d.]+) ([\d.]+)")


def box_in(svg: str, number: int) -> Box:
    """The box of a figure's axes (the first is 1) in its picture, by the area behind the data."""
    width, height = map(float, _SIZE.search(svg).groups())  # type: ignore[union-attr]
    area = svg[svg.index(f'<g id="axes_{number}">') :]
    path = area[area.index("<path d=") : area.index("z\n")]
    x, y = np.array(_CORNER.findall(path), float).T
    shares = (x.min() / width, y.min() / height, np.ptp(x) / width, np.ptp(y) / height)
    left, top, across, down = (round(float(share), 5) for share in shares)
    return left, top, across, down
