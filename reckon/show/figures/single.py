"""Figures of single quantities: distributions, series, bars, and how far predictions were off."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import records, statistics, units
from reckon.messages import join_words
from reckon.prediction.ratios import is_comparable
from reckon.records.result import Result
from reckon.records.unit_conversion import trial_times_s
from reckon.show.block import Block
from reckon.show.figures import drawings, places, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, BLUE, PURPLE, RED, SKY
from reckon.show.tables.scores import WITHIN
from reckon.show.tables.tables import title
from reckon.show.text import percent, plural
from reckon.show.titles import page_title

_MAX_STEPS = 200  # points of a distribution, in the figure and its data
_BAND_COLOURS = ("#dcc07f", "#ecdcb8", "#f7f0e3")
_SMALLEST = 1e-12  # in base units: a logarithmic axis has no 0
_OUTLYING = 0.005  # the share of trials at either end that may lie beyond an axis
_FLATTENED = 1.5  # an axis is cut where all trials would make it longer by this factor
_AXIS_MARGIN = 0.1


def _trials(result: Result, point: records.Point, unit: str) -> list[np.ndarray]:
    """Every trial of each process at that point, in `unit`."""
    return [units.from_base(values, unit) for values in result.single_trials(point)]


def _limit_to_bulk(
    axes: Axes, name: Literal["x", "y"], trials: list[np.ndarray], predicted: list[float]
) -> str:
    """Cuts the axis where a few trials flatten the others; says for the caption how many lie
    beyond, "" without a cut."""
    values = np.concatenate(trials)
    bulk = [np.quantile(each, [_OUTLYING, 1 - _OUTLYING]) for each in trials]
    ends = np.array([pick([*np.ravel(bulk), *predicted]) for pick in (np.nanmin, np.nanmax)])
    whole = np.array([min(values.min(), ends[0]), max(values.max(), ends[1])])
    transform = (axes.xaxis if name == "x" else axes.yaxis).get_transform()
    low, high = transform.transform(ends)
    first, last = transform.transform(whole)
    if last - first < _FLATTENED * (high - low):
        return ""
    margin = _AXIS_MARGIN * (high - low)
    limits = transform.inverted().transform(np.array([low - margin, high + margin]))
    axes.set(**{f"{name}lim": limits})
    beyond = int(np.sum((values < limits[0]) | (values > limits[1])))
    if not beyond:
        return ""
    verb = plural(beyond, "lies", "lie")
    return f"; {beyond:,} of {len(values):,} trials {verb} beyond the axis"


@style.of_results
def distribution(
    results: list[Result], name: str, caption: str, titles: dict | None = None
) -> Block:
    """The share of trials at or below a value, a curve for each quantity; predictions dashed.

    Of a quantity along an axis, the trials of its last point.
    """
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing_to_draw(results)
    unit = style.readable_unit(measured[0])  # of all of them: they share an axis
    rows, medians = [], []
    every_value, every_prediction = [], []
    with drawings.new() as drawing:
        axes = drawing.axes
        for result, colour in style.with_colours(measured):
            trials = _trials(result, result.points[-1], unit)
            values = np.sort(np.concatenate(trials))
            every_value.append(values)
            share = np.arange(1, len(values) + 1) / len(values)
            name_shown = title(result, titles)
            steps = np.unique(np.linspace(0, len(values) - 1, _MAX_STEPS).astype(int))
            axes.step(values[steps], share[steps], where="post", color=colour, label=name_shown)
            predicted = units.from_base(result.sealed("predicted")[-1], unit)
            every_prediction.append(predicted)
            axes.axvline(predicted, color=colour, ls="--", lw=1)
            if result.revisions:
                revised = units.from_base(result.current_values[-1], unit)
                every_prediction.append(revised)
                axes.axvline(revised, color=colour, ls=style.REVISED, lw=1)
            median = units.to_base(float(np.median(statistics.process_medians(trials))), unit)
            medians.append(f"{name_shown} with median {units.amount(median, result.unit)}")
            rows += [[result.quantity, f"{values[i]:.6g}", f"{share[i]:.6g}"] for i in steps]
        if min(values[0] for values in every_value) > 0:
            axes.set_xscale("log")
        caption += _limit_to_bulk(axes, "x", every_value, every_prediction)
        if axes.get_xscale() == "log":  # now, because ticks are chosen by what the axis spans
            style.plain_log(axes.xaxis)
        axes.set_xlabel(units.symbol(unit))
        axes.set_ylabel("share of trials at or below")
        kinds = {result.seal.kind == "mean" for result in measured}
        dashed = " or ".join("predicted mean" if kind else "predicted" for kind in sorted(kinds))
        axes.plot([], [], "--", lw=1, color=BLACK, label=f"{dashed}, in the same colour")
        style.explain_revised(axes, measured)
        drawing.legend()
        alt = f"Distribution of {', '.join(medians)}"
        header = ["quantity", f"value [{units.symbol(unit)}]", "share at or below"]
        where = places.of_lines(axes, measured, unit, along="x", point=-1)
        return drawing.save(name, caption, alt, Data(header, rows), where)


@style.of_results
def series(results: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Every trial against the time at which it ran, with the process medians; predictions
    dashed."""
    measured = [result for result in results if result.has_samples]
    if not measured:
        return style.nothing_to_draw(results)
    unit = style.readable_unit(measured[0])
    rows = []
    with drawings.new() as drawing:
        for result, colour in style.with_colours(measured):
            look = {"color": colour, "title": title(result, titles)}
            rows += _draw_series(drawing.axes, result, unit, **look)
        trials = [np.concatenate(_trials(r, r.points[0], unit)) for r in measured]
        values = [value for r in measured for value in (r.sealed("predicted"), r.current_values)]
        predicted = [units.from_base(value[0], unit) for value in values]
        caption += _medians_apart(measured, unit)
        caption += _limit_to_bulk(drawing.axes, "y", trials, predicted)
        drawing.axes.set_xlabel("seconds since the measurement began")
        drawing.axes.set_ylabel(units.symbol(unit))
        drawing.legend()
        medians = (
            f"{title(r, titles)} with median {units.amount(r.median, r.unit)}" for r in measured
        )
        alt = f"Trials over time of {', '.join(medians)}"
        columns = style.columns(unit, "median", "minimum", "maximum")
        header = ["quantity", "started [s]", *columns]
        where = places.of_lines(drawing.axes, measured, unit, along="y", point=0)
        return drawing.save(name, caption, alt, Data(header, rows), where)


def _medians_apart(results: list[Result], unit: str) -> str:
    """How far the medians of the processes lie apart, by the quantity where it is most."""
    ranges = []
    for result in results:
        medians = statistics.process_medians(_trials(result, result.points[0], unit))
        ranges.append(float(medians.max() / medians.min() - 1) if medians.min() > 0 else math.nan)
    most = max(ranges)
    if not math.isfinite(most):
        return ""
    return f"; a quantity’s process medians lie within {percent(most)} of one another"


def _draw_series(
    axes: Axes, result: Result, unit: str, *, color: str, title: str
) -> list[list[str]]:
    """Draws the trials of one quantity; returns a row of data for each process."""
    point, measurement = result.points[0], result.measurement
    trials = _trials(result, point, unit)
    rows, started_s = [], [process.started_s for process in point.processes]
    for process, values in zip(point.processes, trials, strict=True):
        if measurement:
            times_s = trial_times_s(process, measurement)
            axes.plot(times_s, values, ".", ms=3, alpha=0.4, color=color)
        numbers = [f"{v:.6g}" for v in (np.median(values), values.min(), values.max())]
        rows.append([result.quantity, f"{process.started_s:.4f}", *numbers])
    medians = statistics.process_medians(trials)
    label = f"{title}: process medians"
    axes.plot(started_s, medians, "o", color=color, mec="white", label=label)
    predicted = units.from_base(result.sealed("predicted")[0], unit)
    axes.axhline(predicted, color=color, ls="--", lw=1, label=f"{title}: predicted")
    if result.revisions:
        revised = units.from_base(result.current_values[0], unit)
        axes.axhline(revised, color=color, ls=style.REVISED, lw=1, label=f"{title}: revised")
    return rows


@style.of_results
def bars(results: list[Result], name: str, caption: str, titles: dict | None = None) -> Block:
    """Quantities on one logarithmic scale: median, range and prediction."""
    measured = [result for result in results if result.has_samples and result.median > 0]
    if not measured:
        return style.nothing_to_draw(results)
    measured.sort(key=lambda result: result.median)
    unit = style.readable_unit(measured[len(measured) // 2])
    rows = []
    with drawings.new(0.6 + 0.28 * len(measured)) as drawing:
        axes = drawing.axes
        for y, result in enumerate(measured):
            summary, predicted = result.summaries[0], result.sealed("predicted")[0]
            ends = (max(summary.minimum, _SMALLEST), summary.p99)
            axes.plot([units.from_base(x, unit) for x in ends], [y, y], color=SKY, lw=3, alpha=0.6)
            axes.plot(units.from_base(summary.median, unit), y, "o", color=BLUE)
            axes.plot(units.from_base(predicted, unit), y, "x", color=RED, mew=2)
            if result.revisions:
                revised = result.current_values[0]
                axes.plot(units.from_base(revised, unit), y, "+", color=PURPLE, ms=9, mew=2)
            rows.append([result.quantity, *style.spread_cells(summary, predicted, unit)])
        names = [title(result, titles) for result in measured]
        style.named_rows(axes, names, units.symbol(unit))
        key = [
            Line2D([], [], marker="o", ls="", color=BLUE, label="measured median"),
            Line2D([], [], color=SKY, lw=3, label="minimum to 99th percentile"),
            Line2D([], [], marker="x", ls="", color=RED, mew=2, label="predicted"),
        ]
        if any(result.revisions for result in measured):
            key.append(Line2D([], [], marker="+", ls="", color=PURPLE, mew=2, label="revised"))
        drawing.legend(key)
        alt = "; ".join(f"{title(r, titles)} {units.amount(r.median, r.unit)}" for r in measured)
        header = ["quantity", *style.spread_header(unit)]
        where = places.of_rows(axes, measured, unit)
        return drawing.save(name, caption, alt, Data(header, rows), where)


def prediction_ratios(results: list[Result], name: str, caption: str) -> Block:
    """How far the sealed predictions of each chapter were off: measured over predicted, one dot
    for each quantity, the chapters by their medians. The caption names the first and the last."""
    judged = [result for result in results if is_comparable(result.ratio)]
    if not judged:
        return style.nothing_to_draw(results)
    ratios: dict[str, list[float]] = {}
    for result in judged:
        ratios.setdefault(result.experiment, []).append(result.ratio)
    medians = {chapter: float(np.median(each)) for chapter, each in ratios.items()}
    chapters = sorted(medians, key=lambda chapter: -medians[chapter])
    rows = [[result.quantity, f"{result.ratio:.6g}"] for result in judged]
    with drawings.new(1.0 + 0.24 * len(chapters)) as drawing:
        axes = drawing.axes
        for limit, colour in reversed([*zip(WITHIN, _BAND_COLOURS, strict=True)]):
            axes.axvspan(1 / limit, limit, color=colour, lw=0, zorder=0)
        axes.axvline(1, color=BLACK, lw=0.8)
        for row, chapter in enumerate(chapters):
            dots = ratios[chapter]
            axes.plot(dots, [row] * len(dots), "o", color=BLUE, ms=5, alpha=0.6, mew=0)
            axes.plot(medians[chapter], row, "|", color=BLACK, ms=11, mew=1.5)
        bands = join_words([f"{limit:g}" for limit in WITHIN])
        xlabel = f"measured / predicted (bar: median; bands: within {bands} times)"
        style.named_rows(axes, [page_title(chapter) for chapter in chapters], xlabel)
        texts = [f"{page_title(each)} {units.number(medians[each])}" for each in chapters]
        alt = f"Median ratio of measured to predicted by chapter: {'; '.join(texts)}"
        first, last = (f"*{page_title(each)}*" for each in (chapters[0], chapters[-1]))
        if first != last:
            caption += f"; by the median, {first} came out highest and {last} lowest"
        return drawing.save(name, caption, alt, Data(["quantity", "measured / predicted"], rows))
