"""The answer box on a page's first screen: question, predicted, measured, ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reckon import units
from reckon.prediction.ratios import is_comparable, is_miss
from reckon.records.quantities.result import Result, summary_text
from reckon.show.block import Block, table_row
from reckon.show.sentences.verdicts import how_far, sealed_again, within_scatter
from reckon.show.sentences.warning_sentences import in_cell
from reckon.show.strength import labelled
from reckon.show.text import NONE, capitalised, counted_position, literal, ratio_text
from reckon.statistics import Summary

_MARGIN = 1.5  # the picture spans this factor beyond its outermost value
_EDGE = 0.04  # of the axis, at either end
_MAX_TICKS, _MAX_TICKS_OF_ALL = 4, 5  # that have room on a track; on the axis of a column
# The ticks of a power where powers alone are too few, and where these are too few as well.
_MULTIPLES = {10: ((1, 2, 5), range(1, 10)), 2: ((1, 1.5),)}
MARKS = "× predicted, ● measured"  # of a track
_NO_BREAK = "\u00a0"  # an interval stays in one line, on a phone too


@dataclass(frozen=True)
class AnswerValues:
    """The sealed prediction and the measured value of a quantity, of a curve at one point."""

    result: Result
    index: int  # of the point

    @property
    def predicted(self) -> float:
        """The sealed prediction, in base units."""
        return float(self.result.sealed("predicted")[self.index])

    @property
    def measured(self) -> Summary:
        """The summary of the samples, in base units."""
        return self.result.summaries[self.index]

    @property
    def ratio(self) -> float:
        """Measured over predicted; nan if 0 was predicted, and of two groups of processes."""
        return self._ratio_to(self.predicted)

    def _ratio_to(self, predicted: float) -> float:
        is_one = predicted and not self.measured.groups
        return self.measured.median / predicted if is_one else math.nan

    @property
    def is_miss(self) -> bool:
        """Whether the prediction is off by more than a factor of two."""
        return is_miss(self.ratio)

    @property
    def revised(self) -> str:
        """A sentence on the revised prediction; "" without one."""
        if not self.result.revisions:
            return ""
        revised = float(self.result.current_values[self.index])
        ratio = ratio_text(self._ratio_to(revised))
        return f"{self.result.change}: {units.amount(revised, self.result.unit)}, {ratio}."

    def span(self, text: str, content: str) -> str:
        """`text` as HTML that what-if.js keeps up to date; in the PDF, the text.

        content: "predicted", "ratio" or "verdict".
        """
        point = f' data-point="{self.index}"' if self.result.is_curve else ""
        attributes = f'data-quantity="{self.result.quantity}" data-shows="{content}"{point}'
        return f"<span {attributes}>{text}</span>"

    def cells(self) -> list[str]:
        """The cells: predicted, measured with its interval, ratio."""
        unit, summary = self.result.unit, self.measured
        predicted = self.span(units.amount(self.predicted, unit), "predicted")
        if summary.groups:
            return [predicted, f"**{summary_text(summary, unit)}**", NONE]
        median, ends = units.amount_and_interval(summary.median, *summary.interval.ends, unit)
        interval = f" ({ends.replace(' ', _NO_BREAK)})" if ends else ""
        ratio = self.span(ratio_text(self.ratio), "ratio")
        return [
            predicted,
            f"**{median}**{interval}{self._beside()}",
            f"**{ratio}**" if self.is_miss else ratio,
        ]

    def _beside(self) -> str:
        """A note in the cell of a measured value that one number does not describe; or ""."""
        note = in_cell(self.measured, self.result.unit)
        return f" <small>{note}</small>" if note else ""


def answer_values(result: Result, at: float | None) -> AnswerValues | None:
    """The quantity at `at` on its axis, by default at the last measured point; None unmeasured."""
    index = result.point_index(at) if at is not None else len(result.points) - 1
    if index is None or not result.has_samples:
        return None
    values = AnswerValues(result, index)
    return values if is_comparable(values.ratio) or values.measured.groups else None


def answer(
    question: str, result: Result, subject: str, why: str = "", *, at: float | None = None
) -> Block:
    """The answer box: question, predicted, measured with its interval, ratio, and one sentence.

    `subject` names the quantity in a sentence; `why` says why it differs. `at` is the position on a
    curve's axis, in the axis's unit; without it, the curve's end.
    """
    values = answer_values(result, at)
    if values is None:
        reason = literal(result.reason or "it has no samples at that point").rstrip(".")
        return _box(f"**{question}**\n\nNot measured here: {reason}.")
    where = _where(result, values.index) if result.is_curve else ""
    how = f"came out {values.span(how_far(values.ratio), 'verdict')}"
    if values.measured.groups:
        how = "fell into {term}`two groups <two modes>` of processes, so there is no ratio"
    verdict = f"{capitalised(subject)}{where} {how}."
    head = table_row(["predicted", "measured (interval)", "measured / predicted"])
    cells = "\n".join([head, "| --- | --- | --- |", table_row(values.cells())])
    picture = track(values, log_scale([values]))
    scatter = within_scatter(values.measured, values.predicted)
    sentences = (verdict, scatter, sealed_again(result), labelled(why), values.revised)
    return _box(f"**{question}**\n\n{cells}\n\n{picture}\n\n{' '.join(filter(None, sentences))}")


def _where(result: Result, index: int) -> str:
    """ " at 64 KiB" or " with 8 readers": the point of the curve, to follow the quantity."""
    preposition = "with" if result.axis_unit == "1" else "at"
    return f" {preposition} {counted_position(result, result.axis[index])}"


def _box(markdown: str) -> Block:
    return Block(f"::::{{container}} answer\n{markdown}\n::::")


def log_scale(answers: list[AnswerValues]) -> tuple[float, float]:
    """The ends of a logarithmic axis that holds all values, in base units."""
    marks = []
    for values in answers:
        summary = values.measured
        groups = [group.median for group in summary.groups or ()]
        ends = (*summary.interval.ends, summary.median, values.predicted, *groups)
        marks += [value for value in ends if 0 < value < math.inf]
    return min(marks, default=1.0) / _MARGIN, max(marks, default=1.0) * _MARGIN


def track(values: AnswerValues, scale: tuple[float, float], *, has_head: bool = False) -> str:
    """Prediction and measured value on a logarithmic axis with ticks; drawn by reckon.css, not in
    print. has_head: axis() is above it, for all tracks of the column."""
    summary = values.measured
    marks = {"predicted": values.predicted, "measured": summary.median}
    if summary.groups:  # from the one to the other, with a mark at the larger one
        low_group, high_group = summary.groups
        marks["measured"] = max(summary.groups, key=lambda group: group.share).median
        marks |= {"low": low_group.median, "high": high_group.median}
    elif summary.interval.low > 0:
        marks |= {"low": summary.interval.low, "high": summary.interval.high}
    style = "; ".join(f"--{name}: {_percent(value, scale)}" for name, value in marks.items())
    attributes = f'data-track="{values.result.quantity}" style="{style}"'
    most = _MAX_TICKS_OF_ALL if has_head else _MAX_TICKS
    return _track(attributes, scale, values.result.unit, most)


def axis(scale: tuple[float, float]) -> str:
    """The head of a column of tracks of times: what the marks mean, and the ticks of all."""
    return f"{MARKS} {_track('', scale, 's', _MAX_TICKS_OF_ALL)}"


def _track(attributes: str, scale: tuple[float, float], unit: str, most: int) -> str:
    ticks = "".join(
        f'<span style="left: {_percent(tick, scale)}" data-tick="{units.size(tick, unit)}"></span>'
        for tick in _ticks(scale, unit, most)
    )
    return f'<span class="track" aria-hidden="true" {attributes}>{ticks}</span>'


def _percent(value: float, scale: tuple[float, float]) -> str:
    low, high = (math.log(end) for end in scale)
    place = math.log(max(value, scale[0]))  # 0 is beyond the axis
    return f"{100 * (place - low) / (high - low):.1f}%"


def _ticks(scale: tuple[float, float], unit: str, most: int) -> list[float]:
    """Round values on a logarithmic axis, in base units: at most that many, of bytes powers of
    two; none so near an end that its text would leave the box."""
    step = units.factor(units.unit_steps(unit)[0])
    edge = (scale[1] / scale[0]) ** _EDGE
    low, high = scale[0] * edge / step, scale[1] / edge / step
    base = 2 if units.dimension(unit) == units.dimension("byte") else 10
    powers = range(math.floor(math.log(low, base)), math.ceil(math.log(high, base)) + 1)
    for multiples in ((1,), *_MULTIPLES[base]):
        ticks = [multiple * float(base) ** power for power in powers for multiple in multiples]
        within = [tick for tick in ticks if low <= tick <= high]
        if len(within) > 1:
            break
    return [tick * step for tick in within[:: -(-len(within) // most) or 1]]
