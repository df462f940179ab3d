"""The page of `reckon class`: what many readers predicted, compared with what was measured.

One HTML file without scripts or other files, made by Jinja from book/collection/class.html.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reckon import units
from reckon.edits.guesses import Guess
from reckon.fleet.pages.templates import counted, environment, heading
from reckon.fleet.readers import QuantityGuesses, ReadersPredictions
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.show.tables.scores import shares_within, typical_factor
from reckon.show.text import counted_position, plural, ratio_text


def page(group: ReadersPredictions, run: str, *, with_names: bool) -> str:
    """The whole page as HTML; without names no reader can be recognised."""
    return (
        environment()
        .get_template("class.html")
        .render(
            group=group,
            run=run,
            with_names=with_names,
            miss=f"{MISS:g}",
            readers=_readers(group) if with_names else [],
            title=title,
            sentences=sentences,
            wrong_side=_wrong_side,
        )
    )


def title(quantity: QuantityGuesses) -> str:
    """ "The system call: getpid", of a curve with the position."""
    result = quantity.result
    if not result.is_curve:
        return heading(result.quantity)
    position = counted_position(result, result.axis[quantity.guesses[0].point])
    return f"{heading(result.quantity)}, {position}"


def sentences(quantity: QuantityGuesses, *, with_names: bool) -> list[str]:
    """What was measured, how the guesses are distributed, and the best one."""
    guesses, unit = quantity.guesses, quantity.result.unit
    best = next((guess for guess in guesses if not guess.saw_measured), guesses[0])
    values = [guess.predicted for guess in guesses]
    span = units.amount(float(np.median(values)), unit)
    if len(values) > 1:
        ends = [units.amount(end, unit) for end in (min(values), max(values))]
        span = f"from {ends[0]} to {ends[1]}, the median {span}"
    saw = sum(guess.saw_measured for guess in guesses)
    held = [guess.is_inside for guess in guesses if guess.is_inside is not None]
    nearest = f"{best.reader}, " if with_names else ""
    texts = [
        f"Measured {_measured(quantity, best.point)}.",
        f"{counted(len(values), 'prediction', 'predictions')}: {span}.",
        saw
        and f"{saw} of these {plural(saw, 'is', 'are')} from a What if? panel, which shows the "
        "measured value.",
        f"In the median off by a factor of {units.number(np.median(quantity.factors_off))}.",
        f"Nearest: {nearest}{units.amount(best.predicted, unit)} ({ratio_text(best.ratio)}).",
        held and f"{sum(held)} of {len(held)} intervals held.",
        quantity.were_all_wrong and _wrong_side(guesses),
    ]
    return [text for text in texts if text]


def _measured(quantity: QuantityGuesses, point: int) -> str:
    unit, measured = quantity.result.unit, quantity.result.summaries[point]
    return units.amount_with_interval(measured.median, *measured.interval.ends, unit)


def _wrong_side(guesses: list[Guess]) -> str:
    higher = {guess.ratio > 1 for guess in guesses}
    if len(higher) > 1:
        return f"Everyone was off by more than a factor of {MISS:g}."
    side = "low" if higher == {True} else "high"
    return f"Everyone was too {side}, by more than a factor of {MISS:g}."


def _readers(group: ReadersPredictions) -> list[dict[str, Any]]:
    """A row for each reader, from the best to the worst."""
    of_readers: dict[str, list[Guess]] = {reader: [] for reader in group.readers}
    for quantity in group.quantities:
        for guess in quantity.guesses:
            of_readers[guess.reader].append(guess)
    rows = []
    for reader, guesses in of_readers.items():
        factors = np.array([guess.factor_off for guess in guesses])
        rows.append(
            {
                "name": reader,
                "count": len(guesses),
                "mean_log": float(np.mean(np.log(factors))),
                "typical": typical_factor(factors),
                "within": shares_within(factors)[MISS],
                "held": [guess.is_inside for guess in guesses if guess.is_inside is not None],
            }
        )
    return sorted(rows, key=lambda row: row["mean_log"])


def summary(group: ReadersPredictions) -> str:
    """One sentence on the class, for the command line."""
    wrong = [title(each) for each in group.quantities if each.were_all_wrong]
    text = (
        f"{counted(len(group.readers), 'reader', 'readers')}, "
        f"{counted(len(group.quantities), 'quantity', 'quantities')}."
    )
    return f"{text} Everyone was wrong about {join_words(wrong)}." if wrong else text
