"""Figures of single quantities: bars, and how far predictions were off."""

from __future__ import annotations

import math
import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import units
from reckon.messages import join_words
from reckon.prediction.ratios import factor_off, is_comparable
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import drawings, places, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, BLUE, PURPLE, RED, SKY
from reckon.show.frames import readable_unit
from reckon.show.tables.scores import WITHIN, report_ratios
from reckon.show.tables.tables import title
from reckon.show.titles import page_title

_BAND_COLOURS = ("#dcc07f", "#ecdcb8", "#f7f0e3")
_APART = 0.2  # of a row's height, to either side
_INTERVAL: style.Look = {"color": SKY, "lw": 5, "alpha": 0.6}
_RANGE: style.Look = {"color": SKY, "lw": 1.5}
_NOTE_LETTERS = 110  # of a line
_SMALLEST = 1e-12  # in base units: a logarithmic axis has no 0


@style.of_results
def bars(
    results: list[Result], name: str, caption: str, titles: dict | None = None, note: str = ""
) -> Block:
    """Quantities on one logarithmic scale: median, interval, range and prediction. A note takes the
    place of the axis's label: the ticks then have their units, and the data the rows' names."""
    measured = [r for r in results if r.summary and r.summary.median > 0]
    if not measured:
        return style.nothing_to_draw(results)
    measured.sort(key=lambda result: result.summaries[0].median)
    unit = readable_unit(measured[len(measured) // 2])
    names = [title(result, titles) for result in measured]
    with drawings.new(0.6 + 0.28 * len(measured)) as drawing:
        key = draw_bars(drawing.axes, measured, names, unit)
        if note:
            style.unit_ticks(drawing.axes.xaxis, unit)
            drawing.axes.set_xlabel(
                textwrap.fill(note, _NOTE_LETTERS), parse_math=False, fontsize=8
            )
        drawing.legend(key)
        alt = "; ".join(f"{name} {r}" for name, r in zip(names, measured, strict=True))
        rows = [
            [r.quantity, *style.spread_cells(r.summaries[0], r.sealed("predicted")[0], unit)]
            for r in measured
        ]
        header = ["quantity", *style.spread_header(unit)]
        if note:
            header.append("name")
            rows = [[*row, name] for row, name in zip(rows, names, strict=True)]
        where = places.of_rows(drawing.axes, measured, unit)
        return drawing.save(name, caption, alt, Data(header, rows), where)


def draw_bars(axes: Axes, measured: list[Result], names: list[str], unit: str) -> list[Line2D]:
    """Draw the quantities as named rows, the first on top; what the marks mean, for a legend."""
    for y, result in enumerate(measured):
        summary, predicted = result.summaries[0], result.sealed("predicted")[0]
        ranges = (((summary.minimum, summary.p99), _RANGE), (summary.interval.ends, _INTERVAL))
        for ends, look in ranges:
            if math.isfinite(ends[1]):
                places_of_ends = [units.from_base(max(end, _SMALLEST), unit) for end in ends]
                axes.plot(places_of_ends, [y, y], **look)
        axes.plot(units.from_base(summary.median, unit), y, "o", color=BLUE)
        axes.plot(units.from_base(predicted, unit), y, "x", color=RED, mew=2)
        if result.revisions:
            revised = result.current_values[0]
            axes.plot(units.from_base(revised, unit), y, "+", color=PURPLE, ms=9, mew=2)
    style.named_rows(axes, names, units.symbol(unit))
    key = [
        Line2D([], [], marker="o", ls="", color=BLUE, label="measured median"),
        Line2D([], [], label="its interval", **_INTERVAL),
        Line2D([], [], label="minimum to 99th percentile", **_RANGE),
        Line2D([], [], marker="x", ls="", color=RED, mew=2, label="predicted"),
    ]
    if any(result.revisions for result in measured):
        key.append(Line2D([], [], marker="+", ls="", color=PURPLE, mew=2, label="revised"))
    return key


def prediction_ratios(results: list[Result], name: str, caption: str) -> Block:
    """How far the sealed predictions of each chapter were off, the chapters by their medians. The
    caption names the first and the last."""
    judged = [result for result in results if is_comparable(result.ratio)]
    if not judged:
        return style.nothing_to_draw(results)
    ratios: dict[str, list[float]] = {}
    for result in judged:
        ratios.setdefault(page_title(result.experiment), []).append(result.ratio)
    chapters = sorted(ratios, key=lambda chapter: -np.median(ratios[chapter]))
    first, last = chapters[0], chapters[-1]
    if first != last:
        caption += f"; the median ratio is highest for *{first}* and lowest for *{last}*"
    data = Data(_columns("quantity"), [[r.quantity, f"{r.ratio:.6g}"] for r in judged])
    return _draw_ratios({each: ratios[each] for each in chapters}, "chapter", data, name, caption)


def reports_prediction_ratios(name: str, caption: str) -> Block:
    """The same for every counted value of the reports, by report."""
    ratios = {report.machine: values.tolist() for report, values in report_ratios()}
    off = factor_off(np.concatenate([*ratios.values()]))
    caption += (
        f": half of {len(off)} lie within {units.number(float(np.median(off)), 2)} times, the "
        f"farthest is off by {units.number(float(off.max()), 2)} times"
    )
    rows = [[report, f"{ratio:.6g}"] for report, values in ratios.items() for ratio in values]
    return _draw_ratios(ratios, "report", Data(_columns("report"), rows), name, caption)


def _columns(first: str) -> list[str]:
    return [first, "measured / predicted"]


def _draw_ratios(
    ratios: dict[str, list[float]], kind: str, data: Data, name: str, caption: str
) -> Block:
    """Measured over predicted, one dot for each value, in a row for each chapter or report."""
    medians = [float(np.median(values)) for values in ratios.values()]
    with drawings.new(1.0 + 0.3 * len(ratios)) as drawing:
        axes = drawing.axes
        for limit, colour in reversed([*zip(WITHIN, _BAND_COLOURS, strict=True)]):
            axes.axvspan(1 / limit, limit, color=colour, lw=0, zorder=0)
        axes.axvline(1, color=BLACK, lw=0.8)
        for row, (values, median) in enumerate(zip(ratios.values(), medians, strict=True)):
            # Moved apart where they would hide each other; the same picture each time.
            at = row + np.random.default_rng(row).uniform(-_APART, _APART, len(values))
            axes.plot(values, at, "o", color=BLUE, ms=5, alpha=0.6, mew=0)
            axes.plot(median, row, "|", color=BLACK, ms=11, mew=1.5)
        bands = join_words([f"{limit:g}" for limit in WITHIN])
        xlabel = f"measured / predicted (bar: median; bands: within {bands} times)"
        style.named_rows(axes, [*ratios], xlabel)
        texts = [f"{each} {units.number(m)}" for each, m in zip(ratios, medians, strict=True)]
        alt = f"Median ratio of measured to predicted by {kind}: {'; '.join(texts)}"
        return drawing.save(name, caption, alt, data)
