"""The drawing of the chapter on latency: who answers a load, and the page walk before it."""

from __future__ import annotations

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import style, text_bars
from reckon.show.figures.style import BLUE
from reckon.show.figures.text_bars import COLOURS, Bar


@style.of_results
def load(answers: list[Result], names: dict[str, Result], name: str, caption: str) -> Block:
    """How long a load waits for each of the levels of `names`, from the first on, and last for main
    memory after a page walk; with the predictions.

    answers: of main memory in huge pages, whose loads need no walk, and in small ones."""
    missing = [result for result in answers if not result.has_samples]
    if missing:
        return style.nothing_to_draw(missing)
    memory, small = answers
    bars, missed = [], ""
    for level, result in (names | {"memory": memory}).items():
        words = f"{missed} misses, {level} answers" if missed else f"{level} answers"
        if result.has_samples:
            bars.append(_bar(words, result))
            missed = level
    walk, predicted = small.median - memory.median, _predicted(small) - _predicted(memory)
    if walk > 0:
        shown = _shown(walk, predicted, small.unit)
        colour = COLOURS["processor"]
        bars.append(Bar("TLB misses: a walk first", shown, walk, colour, predicted=predicted))
    bars.append(_bar("The walk, and memory", small, max(walk, 0)))
    longest = max(bar.reach for bar in bars)
    return text_bars.draw(bars, small.unit, name, caption, longest=longest)


def _predicted(result: Result) -> float:
    return float(result.current_values[0])


def _shown(measured: float, predicted: float, unit: str) -> str:
    return f"{units.amount(measured, unit)} (predicted {units.amount(predicted, unit)})"


def _bar(words: str, result: Result, start: float = 0.0) -> Bar:
    low, high = result.summaries[0].interval.ends
    predicted = _predicted(result)
    return Bar(
        words=words,
        shown=_shown(result.median, predicted, result.unit),
        value=result.median - start,
        colour=BLUE,
        start=start,
        low=low,
        high=high,
        predicted=predicted,
    )
