"""What an operation does, step by step on an axis of time: predicted, and the measured whole."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from reckon import units
from reckon.prediction.expression import input_names, terms
from reckon.prediction.printing import text
from reckon.records.quantities.result import Result, median_text
from reckon.show.block import Block
from reckon.show.figures import style, text_bars
from reckon.show.figures.style import BLUE, RED
from reckon.show.figures.text_bars import COLOURS, Bar
from reckon.show.text import capitalised, percent


@style.of_results
def steps(
    result: Result,
    who_does_what: Mapping[str, str],
    name: str,
    caption: str,
    software: Mapping[str, str] | None = None,
) -> Block:
    """The terms of a time's formula, each as a step that begins where the one before ends, then
    their sum and the measured time.

    who_does_what: in the order of the steps, "kernel: finds a page" by an input that the term has;
    the part of the machine is one of those with a colour. A term without any of these inputs stands
    at the end as it is written. software: the same for the software's terms, if they share inputs
    with the hardware's."""
    if not result.has_samples:
        return style.nothing_to_draw([result])
    predicted = _predicted(result, who_does_what, software)
    measured = _measured(result)
    ends = [bar.start + bar.value for bar in predicted]
    longest = max(*ends, *(bar.reach for bar in measured))
    return text_bars.draw([*predicted, *measured], result.unit, name, caption, longest=longest)


def _predicted(
    result: Result, who_does_what: Mapping[str, str], software: Mapping[str, str] | None
) -> list[Bar]:
    """The steps that take time, and last their sum."""
    prediction = result.prediction
    formula = prediction.formula
    parts = [(formula.predicted, who_does_what)]
    if formula.hardware is not None and formula.software is not None and software is not None:
        parts = [(formula.hardware, who_does_what), (formula.software, software)]
    found: dict[str, float] = {}
    for part, names in parts:
        found |= dict.fromkeys(names.values(), 0.0)
        for sign, term in terms(part):
            by = next((each for each in names if each in input_names(term)), None)
            step = names[by] if by else text(term)
            found[step] = found.get(step, 0.0) + sign * float(prediction.value(term))
    shown = functools.partial(units.amount, unit=result.unit)
    bars, start = [], 0.0
    for step, value in found.items():
        who, _, what = step.rpartition(": ")
        words = f"{capitalised(what)} ({who})" if who else what
        if value:
            bars.append(Bar(words, shown(value), value, COLOURS.get(who), start))
        start += value
    low, high = prediction.interval()
    interval = {} if low is None else {"low": low, "high": high}
    together = f"Together, {style.predicted(result).lower()}"
    return [*bars, Bar(together, shown(start), start, RED, **interval)]


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
