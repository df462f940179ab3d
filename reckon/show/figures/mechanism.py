"""What an operation does, step by step on an axis of time: predicted, and the measured whole."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes

from reckon import units
from reckon.prediction.expression import input_names, terms
from reckon.prediction.printing import text
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.style import BLACK, BLUE, RED, Look
from reckon.show.text import capitalised, percent

_COLOURS = {
    "program": "#cfe8f7",
    "kernel": "#cdbfe6",
    "processor": "#f6c766",
    "memory": "#a9d3b8",
    "disk": "#b8c2cf",
    "network": "#b8c2cf",
}
_ROW_INCHES = 0.4  # a line of text and a bar below it, in parts of that:
_TEXT_AT, _BAR_AT, _BAR = 0.2, 0.67, 0.3
_ROOM = 1.04  # of the axis, in its longest bar
_LONGEST_INTERVAL = 1.5  # of what is measured, in that; what lies beyond ends in an arrow


@dataclass(frozen=True)
class _Bar:
    """A bar from `start` on, and the interval of its end (nan if unknown), in base units."""

    words: str
    shown: str  # the value, as tables print it
    value: float
    colour: str | None
    start: float = 0.0
    low: float = math.nan
    high: float = math.nan

    @property
    def reach(self) -> float:
        """How far the axis has to reach for it."""
        if math.isnan(self.high):
            return self.start + self.value
        return max(self.value, min(self.high, _LONGEST_INTERVAL * self.value))


@style.of_results
def steps(result: Result, who_does_what: Mapping[str, str], name: str, caption: str) -> Block:
    """The terms of a time's formula, each as a step that begins where the one before ends, then
    their sum and the measured time.

    who_does_what: in the order of the steps, "kernel: finds a page" by an input that the term has;
    the part of the machine is one of those with a colour. A term without any of these inputs stands
    at the end as it is written."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    predicted = _predicted(result, who_does_what)
    measured = _measured(result)
    bars = [*predicted, *measured]
    longest = max(predicted[-1].value, *(bar.reach for bar in measured))
    unit = units.readable_unit(longest, result.unit)
    with drawings.new(_ROW_INCHES * len(bars) + style.LABEL_INCHES) as drawing:
        axes = drawing.axes
        axes.set_xlim(0, units.from_base(longest, unit) * _ROOM)
        axes.set_ylim(len(bars), 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(units.symbol(unit))
        for row, bar in enumerate(bars):
            _draw(axes, row, bar, unit)
        alt = "; ".join(each.get_text() for each in axes.texts)
        header = ["step", *style.columns(unit, "time", "low", "high")]
        rows = [
            [bar.words]
            + [
                "" if math.isnan(value) else f"{units.from_base(value, unit):.6g}"
                for value in (bar.value, bar.low, bar.high)
            ]
            for bar in bars
        ]
        return drawing.save(name, caption, alt, Data(header, rows))


def _predicted(result: Result, who_does_what: Mapping[str, str]) -> list[_Bar]:
    """The steps that take time, and last their sum."""
    prediction = to_prediction(result.quantity, result.current)
    found = dict.fromkeys(who_does_what.values(), 0.0)
    for sign, term in terms(prediction.formula.predicted):
        by = next((each for each in who_does_what if each in input_names(term)), None)
        step = who_does_what[by] if by else text(term)
        found[step] = found.get(step, 0.0) + sign * float(prediction.value(term))
    shown = functools.partial(units.amount, unit=result.unit)
    bars, start = [], 0.0
    for step, value in found.items():
        who, _, what = step.rpartition(": ")
        words = f"{capitalised(what)} ({who})" if who else what
        if value:
            bars.append(_Bar(words, shown(value), value, _COLOURS.get(who), start))
        start += value
    low, high = prediction.interval()
    interval = {} if low is None else {"low": low, "high": high}
    now = " now" if result.revisions else ""
    return [*bars, _Bar(f"Together, predicted{now}", shown(start), start, RED, **interval)]


def _measured(result: Result) -> list[_Bar]:
    """What was measured: one value, or those of two groups of processes."""
    summary = result.summaries[0]
    if summary.groups is None:
        low, high = summary.interval.ends
        shown = median_text(summary, result.unit)
        return [_Bar("Measured", shown, summary.median, BLUE, low=low, high=high)]
    return [
        _Bar(
            f"Measured, in {percent(group.share)} of the processes",
            units.amount(group.median, result.unit),
            group.median,
            BLUE,
        )
        for group in summary.groups
    ]


def _draw(axes: Axes, row: int, bar: _Bar, unit: str) -> None:
    """The line of text, at its right how long; the bar below it with its interval."""
    look: Look = {"fontsize": 8, "va": "center", "transform": axes.get_yaxis_transform()}
    axes.text(0, row + _TEXT_AT, bar.words, ha="left", parse_math=False, **look)
    axes.text(1, row + _TEXT_AT, bar.shown, ha="right", **look)
    start, value, low, high = (
        units.from_base(each, unit) for each in (bar.start, bar.value, bar.low, bar.high)
    )
    y, end = row + _BAR_AT, axes.get_xlim()[1]
    axes.barh(y, value, _BAR, start, color=bar.colour, ec=BLACK, lw=0.6)
    if not math.isnan(low):
        axes.plot([low, min(high, end)], [y, y], color=BLACK, lw=1.2)
        axes.plot(low, y, "|", color=BLACK, ms=6)
        axes.plot(min(high, end), y, "|" if high <= end else ">", color=BLACK, ms=5)
