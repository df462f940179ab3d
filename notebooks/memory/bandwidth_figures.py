"""The figures of the chapter on memory bandwidth: lines under way; latency against throughput."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import drawings, in_flight, measured_curve, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.in_flight import Flight
from reckon.show.figures.style import BLUE, PURPLE, RED, Look
from reckon.show.titles import title_of

_NAMES_APART_POINTS = 24  # between points that have their names beside them


@style.of_results
def lines_under_way(
    read: Result, latency_s: float, line_bytes: float, name: str, caption: str
) -> Block:
    """The lines that one core has under way while it reads, by Little's law from their latency:
    predicted and measured. They are drawn at even distances."""
    if not read.has_samples:
        return style.nothing_to_draw([read])
    rates = {style.predicted(read): float(read.current_values[0]), "Measured": read.median}
    flights = []
    for called, rate in rates.items():
        number = rate * latency_s / line_bytes
        each, every = (units.amount(time, "ns") for time in (latency_s, line_bytes / rate))
        words = f"{called}: {number:.0f} lines on average"
        flights.append(Flight(words, f"{each} a line, one each {every}", number, latency_s))
    return in_flight.draw(flights, name, caption)


def pair(
    horizontal: Result, vertical: Result, name: str, caption: str, xlabel: str, ylabel: str
) -> Block:
    """Two quantities of the same axis against one another, such as latency against throughput at
    each load: medians with both intervals, points with their positions, the predictions dashed.

    Points that only one of the two has are left out.
    """
    unmeasured = [result for result in (horizontal, vertical) if not result.has_samples]
    if unmeasured:
        return style.nothing_to_draw(unmeasured)
    a, b = measured_curve.MeasuredCurve(horizontal), measured_curve.MeasuredCurve(vertical)
    shared, i, j = np.intersect1d(a.x, b.x, return_indices=True)
    if not len(shared):
        names = f"{title_of(horizontal.quantity)} and {title_of(vertical.quantity)}"
        return Block(f"There is nothing to draw: {names} were measured at no common point.")
    axis_unit = units.symbol(horizontal.axis_unit)
    with drawings.new() as drawing:
        axes = drawing.axes
        look: Look = {"fmt": "o-", "ms": 4, "color": BLUE, "capsize": 2}
        look |= {"xerr": a.error_bars[:, i], "yerr": b.error_bars[:, j]}
        axes.errorbar(a.middle[i], b.middle[j], label="measured: medians, intervals", **look)
        axes.plot(a.predicted[i], b.predicted[j], "--", color=RED, label="predicted")
        if a.is_revised or b.is_revised:
            revised: Look = {"color": PURPLE, "label": "revised"}
            axes.plot(a.current[i], b.current[j], style.REVISED, **revised)
        maximum = np.nanmax([a.middle[i], a.predicted[i], a.current[i]])
        axes.set_xlim(-0.04 * maximum, 1.1 * maximum)
        measured_curve.set_y(
            axes, np.concatenate([b.middle[j], b.predicted[j], b.current[j]]), "auto"
        )
        axes.set_xlabel(f"{xlabel} [{units.symbol(a.unit)}]")
        axes.set_ylabel(f"{ylabel} [{units.symbol(b.unit)}]")
        points = [f"{units.as_given(x)} {axis_unit}".strip() for x in shared]
        _name_points(axes, a.middle[i], b.middle[j], points)
        drawing.legend()
        header = [style.column("at", horizontal.axis_unit)]
        for text, c in ((xlabel, a), (ylabel, b)):
            header += [f"{text}: {part}" for part in style.spread_header(c.unit)]
        rows = [[*a.rows()[k], *b.rows()[m][1:]] for k, m in zip(i, j, strict=True)]
        alt = f"{a.alt('the axis')}; {b.alt('the axis')}"
        return drawing.save(name, caption, alt, Data(header, rows))


def _name_points(axes: Axes, x: np.ndarray, y: np.ndarray, names: list[str]) -> None:
    """Writes names above the points, left of a line that rises from there, else to the right; a
    point too near to the last named one has none."""
    axes.get_xlim(), axes.get_ylim()  # settles limits that matplotlib chooses late
    points = np.column_stack([x, y])
    on_page = axes.transData.transform(points) * 72 / axes.figure.dpi
    rises = np.diff(y, append=y[-1]) > 0
    last_named = np.full(2, -np.inf)
    for point, position, name, is_left in zip(points, on_page, names, rises, strict=True):
        if np.hypot(*(position - last_named)) >= _NAMES_APART_POINTS:
            look: Look = {"ha": "right", "xytext": (-4, 3)} if is_left else {"xytext": (4, 3)}
            axes.annotate(name, point, textcoords="offset points", fontsize=7, **look)
            last_named = position
