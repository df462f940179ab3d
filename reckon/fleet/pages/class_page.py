"""The page of `reckon class`: what many readers predicted, compared with what was measured.

One HTML file without scripts or other files, made by Jinja from book/collection/class.html; and the
same as a table, for a learning-management system.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any

import numpy as np

from reckon import units
from reckon.edits.guesses import Guess
from reckon.fleet.pages.templates import axis_ends, counted, environment, heading
from reckon.fleet.readers import QuantityGuesses, ReadersPredictions
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.show.tables.scores import shares_within, typical_factor
from reckon.show.text import counted_position, ratio_text


def page(group: ReadersPredictions, run: str, *, with_names: bool, with_answer: bool = True) -> str:
    """The whole page as HTML; without names no reader can be recognised, without the answer
    nothing is shown that follows from what was measured, and the first votes alone."""
    group = group if with_answer else group.before_discussion
    return (
        environment()
        .get_template("class.html")
        .render(
            group=group,
            run=run,
            with_names=with_names,
            with_answer=with_answer,
            miss=f"{MISS:g}",
            readers=_readers(group) if with_names and with_answer else [],
            title=title,
            sentences=sentences,
            wrong_side=_wrong_side,
            dots=_dots,
            votes=_votes if with_names else lambda _: [],
        )
    )


def title(quantity: QuantityGuesses) -> str:
    """ "The system call: getpid", of a curve with the position."""
    result = quantity.result
    if not result.is_curve:
        return heading(result.quantity)
    position = counted_position(result, result.axis[quantity.last_votes[0].point])
    return f"{heading(result.quantity)}, {position}"


def sentences(
    quantity: QuantityGuesses, *, with_names: bool, with_answer: bool = True
) -> list[str]:
    """What was measured, how the guesses are distributed, and the best one."""
    guesses, unit = quantity.guesses, quantity.result.unit
    again = _not_again(quantity.not_again)
    if not guesses:
        return [f"Measured {_measured(quantity, quantity.not_again[0].point)}.", again]
    best = guesses[0]
    values = [guess.predicted for guess in guesses]
    span = units.amount(float(np.median(values)), unit)
    ends = [units.amount(end, unit) for end in (min(values), max(values))]
    if ends[0] != ends[1]:
        span = f"from {ends[0]} to {ends[1]}, the median {span}"
    distribution = f"{counted(len(values), 'prediction', 'predictions')}: {span}."
    if not with_answer:
        return [distribution]
    held = [guess.is_inside for guess in guesses if guess.is_inside is not None]
    nearest = f"{best.reader}, " if with_names else ""
    texts = [
        f"Measured {_measured(quantity, best.point)}.",
        distribution,
        f"In the median off by a factor of {units.number(np.median(quantity.factors_off))}.",
        f"Nearest: {nearest}{units.amount(best.predicted, unit)} ({ratio_text(best.ratio)}).",
        _fall(quantity),
        again,
        held and f"{sum(held)} of {len(held)} intervals held.",
        quantity.were_all_wrong and _wrong_side(guesses),
    ]
    return [text for text in texts if text]


def _votes(quantity: QuantityGuesses) -> list[str]:
    """ "Ada: 400 ns (300 ns to 500 ns), “two switches”; then 150 ns": of each reader who said more
    than one value."""
    lines = []
    for guess in sorted(quantity.last_votes, key=lambda guess: guess.predicted):
        votes = [vote for vote in (guess.first, guess) if vote]
        if guess.first or guess.interval or guess.reason or guess.is_first_alone:
            texts = [_vote(vote, quantity.result.unit) for vote in votes]
            texts += ["no second vote"] if guess.is_first_alone else []
            lines.append(f"{guess.reader}: {'; then '.join(texts)}")
    return lines


def _vote(vote: Guess, unit: str) -> str:
    text = units.amount(vote.predicted, unit)
    if vote.interval:
        low, high = (units.amount(end, unit) for end in vote.interval)
        text += f" ({low} to {high})"
    return f"{text}, “{vote.reason}”" if vote.reason else text


def _not_again(guesses: list[Guess]) -> str:
    """How many readers have not predicted a second time; "" if all have."""
    count = len({guess.reader for guess in guesses})
    verb = "has" if count == 1 else "have"
    return f"{counted(count, 'reader', 'readers')} {verb} not voted again." if count else ""


def _fall(quantity: QuantityGuesses) -> str:
    """How the error fell between the two votes; "" if nobody voted twice."""
    twice = quantity.voted_twice
    if not twice:
        return ""
    first = typical_factor(np.array([guess.first.factor_off for guess in twice if guess.first]))
    second = typical_factor(np.array([guess.factor_off for guess in twice]))
    return (
        f"{counted(len(twice), 'reader', 'readers')} predicted again after a discussion: off by a "
        f"factor of {first} before and {second} after it (geometric mean)."
    )


_WIDTH, _BIN, _TALLEST = 360, 8, 120  # of a plot, a dot's bin, and the highest pile


def _dots(quantity: QuantityGuesses, *, with_names: bool, with_answer: bool) -> dict[str, Any]:
    """The predictions as dots on a logarithmic axis, with what a pointer shows of each; above them,
    hollow, the votes before a discussion."""
    unit, measured = quantity.result.unit, quantity.last_votes[0].measured
    firsts = quantity.first_votes
    values = [guess.predicted for guess in quantity.guesses + firsts]
    if with_answer:
        values.append(measured)
    ends = axis_ends(values)
    low, high = np.log(ends)

    def x(value: float) -> float:
        return float(_WIDTH * (np.log(value) - low) / (high - low))

    def pile(votes: list[Guess]) -> tuple[list[dict[str, Any]], float]:
        """The dots, and the height of the highest pile."""
        bins = [round(x(guess.predicted) / _BIN) for guess in votes]
        most = max(Counter(bins).values(), default=0)
        step = min(6, _TALLEST / most) if most else 0
        levels: Counter[int] = Counter()
        dots = []
        for guess, place in zip(votes, bins, strict=True):
            name = f"{guess.reader}: " if with_names else ""
            title = f"{name}{units.amount(guess.predicted, unit)}"
            dots.append({"x": place * _BIN, "up": levels[place] * step + 3, "title": title})
            levels[place] += 1
        return dots, most * step + 3

    (of_second, height), (of_first, height_above) = pile(quantity.guesses), pile(firsts)
    above = height_above + 6 if firsts else 0.0
    rows = [("predicted", of_second, above + height), ("first", of_first, height_above)]
    return {
        "rows": rows,
        "base": above + height,
        "line": x(measured) if with_answer else None,
        "ends": [units.amount(end, unit) for end in ends],
    }


_VOTE = ("predicted", "low", "high")
_COLUMNS = (*(f"first_{name}" for name in _VOTE), *_VOTE, "measured")


def table(group: ReadersPredictions, *, with_names: bool) -> str:
    """Every prediction as a line of CSV; values in the quantity's unit. It begins with the mark by
    which spreadsheets know UTF-8."""
    text = io.StringIO("\ufeff")
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text, lineterminator="\n")
    people = ["reader", "reason", "first_reason"] if with_names else []
    writer.writerow(
        ["quantity", "at", "unit", *_COLUMNS, "factor_off", "inside_interval", "saw_measured"]
        + people
    )
    for quantity in [*group.quantities, *group.seen]:
        result, unit = quantity.result, quantity.result.unit
        for guess in quantity.last_votes:
            first, last = (guess, None) if guess.is_first_alone else (guess.first, guess)
            values = (*_numbers(first), *_numbers(last), guess.measured)
            numbers = [None if v is None else f"{units.from_base(v, unit):.6g}" for v in values]
            at = counted_position(result, result.axis[guess.point]) if result.is_curve else ""
            how_far = (f"{last.factor_off:.4g}", last.is_inside) if last else (None, None)
            line: list[Any] = [result.quantity, at, unit, *numbers, *how_far, guess.saw_measured]
            texts = (guess.reader, last.reason if last else "", first.reason if first else "")
            writer.writerow(line + [_harmless(each) for each in texts][: len(people)])
    return text.getvalue()


def _numbers(vote: Guess | None) -> tuple[float | None, ...]:
    """What _VOTE names."""
    return (vote.predicted, *(vote.interval or (None, None))) if vote else (None, None, None)


def _harmless(text: str) -> str:
    """The text, which no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


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
        if not guesses:
            continue
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


def summary(group: ReadersPredictions, *, with_answer: bool) -> str:
    """One sentence on the class, for the command line."""
    wrong = [title(each) for each in group.quantities if each.were_all_wrong]
    text = (
        f"{counted(len(group.readers), 'reader', 'readers')}, "
        f"{counted(len(group.quantities), 'quantity', 'quantities')}."
    )
    if not with_answer:
        return text
    texts = [text, _not_again([guess for each in group.quantities for guess in each.not_again])]
    texts += [f"Everyone was wrong about {join_words(wrong)}."] if wrong else []
    return " ".join(filter(None, texts))
