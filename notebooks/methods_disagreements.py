"""The page `methods`: which values of one quantity do not agree, and what may explain it."""

from __future__ import annotations

import math

from reckon import units
from reckon.measurement.same_quantity import Disagreement, Shown, disagreements
from reckon.records.quantities.result import Result, summary_text
from reckon.show.block import Block, say
from reckon.show.text import counted_position, plural
from reckon.show.titles import link


def apart(compared: list[Result]) -> Block:
    """Which of these values of one quantity do not agree: both, what differs between how they were
    measured, and whether that explains it."""
    pairs = disagreements(compared)
    if not pairs:
        return say("All values of one quantity agree: their intervals overlap.")
    count, explained = len(pairs), sum(pair.is_explained for pair in pairs)
    return say(
        f"{count} {plural(count, 'pair does', 'pairs do')} not agree; a known difference or the "
        f"machine's drift may explain {explained}.",
        [f"- {_disagreement(pair)}" for pair in pairs],
    )


def _disagreement(pair: Disagreement) -> str:
    """Both values, what differs between how they were measured, and whether that explains it."""
    first, second = _named(pair.first), _named(pair.second)
    if pair.second.result.quantity.endswith(pair.first.result.quantity):  # under METHODS_PREFIX
        second = f"Again, in turn with other methods: {_shown_value(pair.second)}"
    apart = f"{first}. {second}, {units.number(pair.factor)} times apart."
    return f"{apart} {_what_differs(pair)} {_is_it_drift(pair)}".rstrip()


def _shown_value(shown: Shown) -> str:
    return summary_text(shown.summary, shown.result.unit)


def _where(shown: Shown) -> str:
    position = counted_position(shown.result, shown.point.x)
    return f" at {position}" if position else ""


def _named(shown: Shown) -> str:
    again = " again, in turn with other methods" if shown.is_again else ""
    return f"{link(shown.result.quantity)}{_where(shown)}{again}: {_shown_value(shown)}"


def _what_differs(pair: Disagreement) -> str:
    if pair.differs:
        return f"What differs: {pair.differs}."
    starts = [
        shown.result.measurement.started_at
        for shown in (pair.first, pair.second)
        if shown.result.measurement
    ]
    minutes = units.duration(abs((starts[1] - starts[0]).total_seconds()))
    return f"The same probe with the same parameters, {minutes} apart."


def _is_it_drift(pair: Disagreement) -> str:
    if pair.differs:
        return ""
    if pair.first.visits > 1 or pair.second.visits > 1:
        return (
            "The interval over {term}`visits <visit>` does not contain the other value; this is not explained."
        )
    if math.isnan(pair.drift):
        return "Both come from a single {term}`visit`; this run does not show how much another visit would differ."
    usual = (
        "Both come from a single {term}`visit`; between visits half of the chapter's quantities differ by "
        f"more than {units.number(pair.drift)} times"
    )
    return f"{usual}, so this may be drift." if pair.is_drift else f"{usual}; this difference is not explained."
