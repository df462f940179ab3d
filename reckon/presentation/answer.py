"""The answer box on a page's first screen: question, predicted, measured, ratio."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from reckon import units
from reckon.prediction.ratios import MISS, is_comparable
from reckon.presentation.block import Block, line
from reckon.presentation.text import literal, place
from reckon.presentation.text import ratio as times
from reckon.presentation.verdicts import how_far
from reckon.records.result import Result
from reckon.statistics import Summary

_MARGIN = 1.5  # the picture spans this factor beyond its outermost value


@dataclass(frozen=True)
class Compared:
    """The sealed prediction and the measured value of a quantity, of a curve at one place."""

    result: Result
    index: int  # of the point

    @property
    def predicted(self) -> float:
        return float(self.result.sealed("predicted")[self.index])

    @property
    def measured(self) -> Summary:
        return self.result.summaries[self.index]

    @property
    def ratio(self) -> float:
        return self.measured.median / self.predicted if self.predicted else math.nan

    @property
    def is_miss(self) -> bool:
        return not 1 / MISS <= self.ratio <= MISS

    def span(self, text: str, what: str) -> str:
        """`text` as HTML that what-if.js keeps up to date; in the PDF, the text."""
        at = "" if not self.result.is_curve else f' data-point="{self.index}"'
        return f'<span data-quantity="{self.result.quantity}" data-shows="{what}"{at}>{text}</span>'

    def values(self) -> list[str]:
        """The cells: predicted, measured with its interval, ratio."""
        unit, summary = self.result.unit, self.measured
        interval = ""
        if not math.isnan(summary.low):
            step = units.readable(summary.median, unit)
            interval = f" ({units.between(summary.low, summary.high, step)})"
        ratio = self.span(times(self.ratio), "ratio")
        return [
            self.span(units.amount(self.predicted, unit), "predicted"),
            f"**{units.amount(summary.median, unit)}**{interval}",
            f"**{ratio}**" if self.is_miss else ratio,
        ]


def compared_at(result: Result, at: float | None) -> Compared | None:
    """The quantity at `at` on its axis, by default at the last measured point; None unmeasured."""
    index = result.place(at) if at is not None else len(result.points) - 1
    if index is None or not result.has_samples:
        return None
    compared = Compared(result, index)
    return compared if is_comparable(compared.ratio) else None


def answer(
    question: str, result: Result, what: str, why: str = "", *, at: float | None = None
) -> Block:
    """The answer box: question, predicted, measured with its interval, ratio, and one sentence.

    `what` names the quantity in a sentence; `why` says why it differs. `at` is the place on a
    curve's axis, in the axis's unit; without it, the curve's end.
    """
    compared = compared_at(result, at)
    if compared is None:
        reason = literal(result.reason or "it has no samples at that place").rstrip(".")
        return _box(f"**{question}**\n\nNot measured here: {reason}.")
    where = f" at {place(result, result.axis[compared.index])}" if result.is_curve else ""
    far = compared.span(how_far(compared.ratio), "verdict")
    verdict = f"{what[0].upper()}{what[1:]}{where} came out {far}."
    head = line(["predicted", "measured (interval)", "measured / predicted"])
    cells = "\n".join([head, "| --- | --- | --- |", line(compared.values())])
    picture = track(compared, log_scale([compared]))
    return _box(f"**{question}**\n\n{cells}\n\n{picture}\n\n{verdict} {why}".rstrip())


def _box(markdown: str) -> Block:
    return Block(f"::::{{container}} answer\n{markdown}\n::::")


def log_scale(compared: Iterable[Compared]) -> tuple[float, float]:
    """The ends of a logarithmic axis that holds all values, in base units."""
    values = [1.0] if not compared else []
    for each in compared:
        ends = (each.measured.low, each.measured.median, each.measured.high, each.predicted)
        values += [value for value in ends if 0 < value < math.inf]
    return min(values) / _MARGIN, max(values) * _MARGIN


def track(compared: Compared, scale: tuple[float, float]) -> str:
    """Prediction and measured value on a logarithmic axis; drawn by reckon.css, absent in print."""
    low, high = (math.log(end) for end in scale)

    def percent(value: float) -> str:
        return f"{100 * (math.log(value) - low) / (high - low):.1f}%"

    marks = {"predicted": compared.predicted, "measured": compared.measured.median}
    if compared.measured.low > 0:
        marks |= {"low": compared.measured.low, "high": compared.measured.high}
    style = "; ".join(f"--{name}: {percent(value)}" for name, value in marks.items())
    quantity = compared.result.quantity
    return f'<span class="track" aria-hidden="true" data-track="{quantity}" style="{style}"></span>'


def exercise(question: str, solution: str) -> Block:
    """An exercise with its solution folded; `solution` is computed from the run."""
    return Block(f"{question}\n\n:::{{dropdown}} Solution\n{solution}\n:::")
