"""The figure of a cache that fills: time of a read and share of slow reads, by size of the file."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import units
from reckon.measurement.capacity import in_reads
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import drawings, places, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.measured_curve import MeasuredCurve
from reckon.show.figures.style import BLACK, BLUE, PURPLE
from reckon.statistics import onset


@style.of_results
def cache_capacity(result: Result, name: str, caption: str, true: Result | None) -> Block:
    """Above, the mean time of a read with its prediction; below, the share of slow reads with the
    fitted rise. Vertical lines: the inferred capacity, and the true one if it is known."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    curve = MeasuredCurve(result)
    fit, _, shares = in_reads(result)
    with drawings.new(4.3, (3, 2)) as drawing:  # its page's first screen holds it
        above, below = drawing.panels
        _draw_times(above, curve)
        below.plot(curve.x, 100 * shares, "o", ms=4, color=BLUE)
        fitted = _draw_rise(below, result, fit) if fit.capacity else []
        for panel in drawing.panels:
            _draw_capacities(panel, result.axis_unit, fit.capacity, true)
        below.set_ylabel("slow reads [%]")
        below.set_xlabel(f"size of the file [{result.axis_unit}]")
        drawing.legend([*above.get_legend_handles_labels()[0], *fitted])
        size = units.amount(fit.capacity, "byte", 4) if fit.capacity else fit.reason
        alt = (
            f"{curve.alt('the size of the file')}; slow reads from {100 * shares[0]:.2g} % to "
            f"{100 * shares[-1]:.2g} %; inferred capacity: {size}"
        )
        size_title = f"size [{result.axis_unit}]"
        header = [size_title, *style.spread_header(curve.unit), "share of slow reads"]
        rows = [[*row, f"{share:.6g}"] for row, share in zip(curve.rows(), shares, strict=True)]
        where = places.of_curves(above, [result], curve.unit)
        return drawing.save(name, caption, alt, Data(header, rows), where)


def _draw_times(axes: Axes, curve: MeasuredCurve) -> None:
    curve.draw_measured(axes, BLUE, "measured: mean of a process, 95 % interval")
    curve.draw_predicted(axes)
    heights = curve.heights[np.isfinite(curve.heights)]
    axes.set_yscale("log")
    axes.set_ylim(heights.min() / 2, heights.max() * 2)
    style.plain_log(axes.yaxis)
    axes.set_ylabel(units.symbol(curve.unit))


def _draw_rise(axes: Axes, result: Result, fit: onset.Onset) -> list[Line2D]:
    sizes = np.linspace(result.axis[0], result.axis[-1], 400)
    shares = 100 * onset.rise(sizes, fit.capacity, fit.background)
    x = units.from_base(sizes, result.axis_unit)
    return axes.plot(x, shares, "-", color=BLACK, lw=0.8, label="fitted rise")


def _draw_capacities(axes: Axes, unit: str, inferred: float | None, true: Result | None) -> None:
    if inferred:
        axes.axvline(units.from_base(inferred, unit), color=BLACK, lw=1, label="inferred")
    if true is not None and true.summary:
        x = units.from_base(true.median, unit)
        axes.axvline(x, color=PURPLE, lw=1, ls="--", label="true")
