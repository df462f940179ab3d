"""The drawings of the chapter on latency: who answers a load, and what translates its address."""

from __future__ import annotations

from reckon import units
from reckon.records.quantities.result import Result
from reckon.show.block import Block
from reckon.show.figures import style, swimlanes, text_bars
from reckon.show.figures.style import BLUE
from reckon.show.figures.text_bars import Bar


@style.of_results
def load(answers: list[Result], names: dict[str, Result], name: str, caption: str) -> Block:
    """How long a load waits for each of the levels of `names`, from the first on, and last for main
    memory in small pages; with the predictions.

    answers: of main memory in huge pages, and in small ones, where most loads need a walk."""
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
    bars.append(_bar("Small pages: mostly a walk, then memory", small))
    longest = max(bar.reach for bar in bars)
    return text_bars.draw(bars, small.unit, name, caption, longest=longest)


@style.of_results
def translation(answers: list[Result], name: str, caption: str) -> Block:
    """What a load needs before memory can answer: the TLB, or a walk of four tables.

    answers: as load() has them."""
    missing = [result for result in answers if not result.has_samples]
    if missing:
        return style.nothing_to_draw(missing)
    huge, small = (units.amount(each.median, each.unit) for each in answers)
    steps = [
        "program: loads from a virtual address",
        "TLB: may know this page: a hit",
        "page tables: the first, by 9 bits of the address, says where the second is",
        "page tables: the second, by 9 bits more",
        "page tables: the third; of a page of 2 MiB it is the last",
        "page tables: the fourth has the page of 4 KiB",
        "TLB: keeps the translation for the next load",
        f"memory: answers at the physical address; {huge} measured in pages of 2 MiB, {small} in pages of 4 KiB",
    ]
    return swimlanes.lanes(answers[1], dict.fromkeys(steps, ""), name, caption, hit="TLB")


def _bar(words: str, result: Result) -> Bar:
    low, high = result.summaries[0].interval.ends
    predicted = float(result.current_values[0])
    amounts = [units.amount(each, result.unit) for each in (result.median, predicted)]
    return Bar(
        words=words,
        shown="{} (predicted {})".format(*amounts),
        value=result.median,
        colour=BLUE,
        low=low,
        high=high,
        predicted=predicted,
    )
