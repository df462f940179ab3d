"""What an operation does, step by step on an axis of time: predicted, and the measured whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reckon import units
from reckon.prediction.expression import input_names, terms
from reckon.prediction.printing import text
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import style, text_bars
from reckon.show.figures.style import BLUE, RED
from reckon.show.figures.text_bars import COLOURS, Bar
from reckon.show.text import capitalised, percent

InputsOf = Mapping[str, str]  # by step, apart by spaces

SOFTWARE = ("program", "kernel")  # who runs it; a term of the hardware has another one
SHARED = "“Part of” marks steps of which only the sum is known"


@dataclass(frozen=True)
class Step:
    """What a part of the machine does, and its share of the predicted time, in base units."""

    who: str
    what: str
    value: float  # with the steps beside it that have the same inputs
    beside: int  # how many steps share the value

    @property
    def share(self) -> float:
        return self.value / self.beside

    def shown(self, unit: str) -> str:
        whole = units.amount(self.value, unit)
        return whole if self.beside == 1 else f"part of {whole}"


@style.of_results
def steps(result: Result, inputs_of: InputsOf, name: str, caption: str) -> Block:
    """The terms of a time's formula, each as a step that begins where the one before ends, then
    their sum and the measured time.

    inputs_of: in the order of time, by step ("kernel: finds a page") the inputs of which the term
    has one; the part of the machine is one of those with a colour. Steps with the same inputs share
    a term. A term without any of these inputs stands at the end as it is written."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    bars, start = [], 0.0
    found = in_time(result, inputs_of)
    for step in found:
        words = f"{capitalised(step.what)} ({step.who})" if step.who else step.what
        if step.value:
            shown, colour = step.shown(result.unit), COLOURS.get(step.who)
            bars.append(Bar(words, shown, step.share, colour, start, is_share=step.beside > 1))
        start += step.share
    low, high = result.prediction.interval()
    interval = {} if low is None else {"low": low, "high": high}
    together = f"Together, {style.predicted(result).lower()}"
    bars.append(Bar(together, units.amount(start, result.unit), start, RED, **interval))
    measured = _measured(result)
    ends = [bar.start + bar.value for bar in bars]
    longest = max(*ends, *(bar.reach for bar in measured))
    if any(step.value and step.beside > 1 for step in found):
        caption = f"{caption}. {SHARED}; it is drawn in equal parts"
    return text_bars.draw([*bars, *measured], result.unit, name, caption, longest=longest)


def who_and_what(step: str) -> tuple[str, str]:
    who, _, what = step.partition(": ")
    return who, what


def in_time(result: Result, inputs_of: InputsOf) -> list[Step]:
    """The steps in their order, and last the terms that none of them has."""
    prediction = result.prediction
    formula = prediction.formula
    parts = [(formula.predicted, [*inputs_of])]
    if formula.hardware is not None and formula.software is not None:
        software = [step for step in inputs_of if who_and_what(step)[0] in SOFTWARE]
        hardware = [step for step in inputs_of if step not in software]
        parts = [(formula.hardware, hardware), (formula.software, software)]
    values = dict.fromkeys(inputs_of, 0.0)
    beside = dict.fromkeys(inputs_of, 1)
    for part, names in parts:
        for sign, term in terms(part):
            value = sign * float(prediction.value(term))
            first = next(
                (each for each in names if {*inputs_of[each].split()} & input_names(term)), None
            )
            same = [each for each in names if first and inputs_of[each] == inputs_of[first]]
            for step in same or [text(term)]:
                values[step] = values.get(step, 0.0) + value
                beside[step] = len(same) or 1
    found = []
    for step, value in values.items():
        who, what = who_and_what(step) if step in inputs_of else ("", step)
        found.append(Step(who, what, value, beside[step]))
    return found


def _measured(result: Result) -> list[Bar]:
    """What was measured: one value, or those of two groups of processes."""
    summary = result.summaries[0]
    if summary.groups is None:
        low, high = summary.interval.ends
        shown = median_text(summary, result.unit)
        return [Bar("Measured", shown, summary.median, BLUE, low=low, high=high)]
    return [
        Bar(
            f"Measured, in {percent(group.share)} of the processes",
            units.amount(group.median, result.unit),
            group.median,
            BLUE,
        )
        for group in summary.groups
    ]
