"""Figures of single quantities: distributions, series, bars, and how far predictions were off."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.block import Block
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, BLUE, RED, SKY, STYLE
from reckon.records.result import Result, process_values, trial_times_s

_STEPS_MOST = 200  # points of a distribution that its data have
_BANDS = ((10, "#f7f0e3"), (2, "#ecdcb8"), (1.25, "#dcc07f"))  # factors off, and their colours


def distribution(
    results: list[Result], name: str, caption: str, titles: dict | None = None
) -> Block:
    """The share of trials at or below a value, one curve a quantity; predictions dashed.

    Of what was measured along an axis, at its last place.
    """
    drawn = [result for result in results if result.has_samples]
    if not drawn:
        return style.nothing(results)
    unit = style.step(drawn[0])
    rows, medians = [], []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for result, colour in style.coloured(drawn):
            title = style.title(result, titles)
            trials = [
                process_values(p, result.measurement, result.unit)
                for p in result.points[-1].processes
            ]
            # All in the unit of the first quantity, so that they share an axis.
            pooled = np.sort(np.concatenate([units.from_base(t, unit) for t in trials]))
            share = np.arange(1, len(pooled) + 1) / len(pooled)
            axes.step(pooled, share, where="post", color=colour, label=f"{title}: measured")
            what = "predicted mean" if result.seal.kind == "mean" else "predicted"
            x = units.from_base(result.sealed("predicted")[-1], unit)
            axes.axvline(x, color=colour, ls="--", lw=1, label=f"{title}: {what}")
            median = float(np.median([np.median(t) for t in trials]))
            medians.append(f"{result.quantity} with median {units.amount(median, result.unit)}")
            shown = np.unique(np.linspace(0, len(pooled) - 1, _STEPS_MOST).astype(int))
            rows += [[result.quantity, f"{pooled[i]:.6g}", f"{share[i]:.6g}"] for i in shown]
        if pooled[0] > 0:
            axes.set_xscale("log")
            style.plain_log(axes.xaxis)
        axes.set_xlabel(units.spoken(unit))
        axes.set_ylabel("share of trials at or below")
        style.legend(figure, axes)
    header = ["quantity", f"value [{units.spoken(unit)}]", "share at or below"]
    return style.save(figure, name, caption, f"Distribution of {', '.join(medians)}", header, rows)


def series(results: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Every trial against the time at which it ran."""
    drawn = [result for result in results if result.has_samples]
    if not drawn:
        return style.nothing(results)
    unit = style.step(drawn[0])
    rows = []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes()
        for result, colour in style.coloured(drawn):
            title = style.title(result, titles)
            processes, trials = result.points[0].processes, style.values(result, unit)
            for process, values in zip(processes, trials, strict=True):
                times_s = trial_times_s(process, result.measurement)
                axes.plot(times_s, values, ".", ms=3, alpha=0.4, color=colour)
                ends = (np.median(values), values.min(), values.max())
                started = f"{process.started_s:.4f}"
                rows.append([result.quantity, started, *(f"{v:.6g}" for v in ends)])
            started_s, medians = [p.started_s for p in processes], list(map(np.median, trials))
            look = {"color": colour, "mec": "white", "label": f"{title}: process medians"}
            axes.plot(started_s, medians, "o", **look)
            y = units.from_base(result.seal.predicted, unit)
            axes.axhline(y, color=colour, ls="--", lw=1, label=f"{title}: predicted")
        axes.set_xlabel("seconds since the measurement began")
        axes.set_ylabel(units.spoken(unit))
        style.legend(figure, axes)
    alt = "Trials over time of " + ", ".join(
        f"{one.quantity} with median {units.amount(one.median, one.unit)}" for one in drawn
    )
    header = ["quantity", "started [s]", f"median [{units.spoken(unit)}]", "minimum", "maximum"]
    return style.save(figure, name, caption, alt, header, rows)


def bars(results: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Quantities on one logarithmic scale: median, range and prediction."""
    drawn = [result for result in results if result.has_samples and result.median > 0]
    if not drawn:
        return style.nothing(results)
    drawn.sort(key=lambda result: result.median)
    unit = style.step(drawn[0])
    rows = []
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.6 + 0.28 * len(drawn)))
        for y, result in enumerate(drawn):
            s = result.summary
            values = (s.median, s.low, s.high, s.minimum, s.p99, result.seal.predicted)
            median, low, high, minimum, p99, predicted = (units.from_base(v, unit) for v in values)
            # A logarithmic axis has no 0.
            least = max(minimum, units.from_base(1e-12, unit))
            axes.plot([least, p99], [y, y], color=SKY, lw=3, alpha=0.6)
            axes.plot(median, y, "o", color=BLUE)
            axes.plot(predicted, y, "x", color=RED, mew=2)
            numbers = (median, low, high, minimum, p99, predicted)
            rows.append([result.quantity, *(f"{v:.6g}" for v in numbers)])
        handles = [
            Line2D([], [], marker="o", ls="", color=BLUE, label="measured median"),
            Line2D([], [], color=SKY, lw=3, label="minimum to 99th percentile"),
            Line2D([], [], marker="x", ls="", color=RED, mew=2, label="predicted"),
        ]
        names = [style.title(result, titles).replace("_", " ") for result in drawn]
        axes.set_yticks(range(len(drawn)), names)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel(units.spoken(unit))
        style.legend(figure, axes, handles)
    alt = "; ".join(f"{one.quantity} {units.amount(one.median, one.unit)}" for one in drawn)
    median = f"median [{units.spoken(unit)}]"
    header = ["quantity", median, "low", "high", "minimum", "p99", "predicted"]
    return style.save(figure, name, caption, alt, header, rows)


def off_chart(results: list[Result], name: str, caption: str) -> Block:
    """How far each sealed prediction was off: measured over predicted on a logarithmic scale."""
    judged = [result for result in results if 0 < result.ratio < math.inf]
    if not judged:
        return style.nothing(results)
    judged.sort(key=lambda result: result.ratio)
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 0.8 + 0.2 * len(judged)))
        for limit, colour in _BANDS:
            axes.axvspan(1 / limit, limit, color=colour, lw=0, zorder=0)
        axes.plot([one.ratio for one in judged], range(len(judged)), "o", color=BLUE, ms=4)
        axes.axvline(1, color=BLACK, lw=0.8)
        axes.set_yticks(range(len(judged)), [one.quantity for one in judged], fontsize=7)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel("measured / predicted (bands: within 1.25, 2 and 10 times)")
    alt = "; ".join(f"{one.quantity} {units.number(one.ratio)}" for one in judged)
    rows = [[one.quantity, f"{one.ratio:.6g}"] for one in judged]
    return style.save(figure, name, caption, alt, ["quantity", "measured / predicted"], rows)
