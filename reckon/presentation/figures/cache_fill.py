"""The figure of a cache that fills: time of a read and share of slow reads over the size of the file."""

from __future__ import annotations

import matplotlib
import numpy as np

from reckon import units
from reckon.measurement.capacity import in_reads
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.curves import MeasuredCurve
from reckon.presentation.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, STYLE
from reckon.records.result import Result
from reckon.statistics import onset


def filling(one: Result, name: str, caption: str, true: Result | None = None) -> Block:
    """Above, the mean time of a read over the file's size with the prediction and the hardware's part;
    below, the share of slow reads with the rise that was fitted. Lines: the capacity that was found, and
    the true one where it is known."""
    if not one.has_samples:
        return style.nothing([one])
    c = MeasuredCurve(one, style.step(one))
    found, _, shares = in_reads(one)
    with matplotlib.rc_context(STYLE):
        figure, (axes, below) = style.new_axes((6.4, 4.8), (3, 2))
        c.draw_measured(axes, BLUE, "measured: mean of a process, 95 % interval")
        if np.isfinite(c.interval[0]).any():
            axes.fill_between(c.x, *c.interval, color=ORANGE, alpha=0.18, lw=0)
        axes.plot(c.x, c.predicted, "--", color=RED, label="predicted, with interval")
        axes.plot(c.x, c.hardware, ":", color=GREEN, label="hardware estimate")
        drawn = np.concatenate([c.middle, c.predicted])
        drawn = drawn[np.isfinite(drawn)]
        axes.set_yscale("log")
        axes.set_ylim(drawn.min() / 2, drawn.max() * 2)
        style.plain_log(axes.yaxis)
        axes.set_ylabel(units.spoken(c.unit))
        below.plot(c.x, 100 * shares, "o", ms=4, color=BLUE)
        _mark(below, one, found)
        told = lambda x: units.from_base(x, one.axis_unit)  # noqa: E731
        for axis in (axes, below):
            if found.capacity:
                axis.axvline(told(found.capacity), color=BLACK, lw=1, label="found")
            if true is not None and true.summary:
                axis.axvline(told(true.median), color=PURPLE, lw=1, ls="--", label="true")
        below.set_ylabel("slow reads [%]")
        below.set_xlabel(f"size of the file [{one.axis_unit}]")
        handles = axes.get_legend_handles_labels()[0]
        handles += [
            h for h in below.get_legend_handles_labels()[0] if h.get_label() == "fitted rise"
        ]
        style.legend(figure, axes, handles)
    size = units.amount(found.capacity, "byte", 4) if found.capacity else found.reason
    alt = (
        f"{c.alt('the size of the file')}; slow reads from {100 * shares[0]:.2g} % to "
        f"{100 * shares[-1]:.2g} %; capacity found: {size}"
    )
    header = [*c.header(f"size [{one.axis_unit}]"), "share of slow reads"]
    rows = [[*row, f"{share:.6g}"] for row, share in zip(c.rows(), shares, strict=True)]
    return style.save(figure, name, caption, alt, header, rows)


def _mark(axes, one: Result, found: onset.Onset) -> None:
    if found.capacity:
        dense = np.linspace(one.axis[0], one.axis[-1], 400)
        axes.plot(
            units.from_base(dense, one.axis_unit),
            100 * onset.rise(dense, found.capacity, found.background),
            "-",
            color=BLACK,
            lw=0.8,
            label="fitted rise",
        )
