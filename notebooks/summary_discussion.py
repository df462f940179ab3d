"""What the page `summary` discusses: the predictions that were farthest off, and the conclusion."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from reckon import units
from reckon.computer.facts import Machine
from reckon.prediction.inputs import Input
from reckon.prediction.ratios import MISS, factor_off
from reckon.records.quantities.recorded_predictions import needed_guesses, to_prediction
from reckon.records.quantities.result import Result
from reckon.show.block import Block, join_blocks, say, short_name
from reckon.show.tables.headlines import reported_caches, usable_caches
from reckon.show.tables.scores import (
    BASES,
    DERIVED,
    INTENDED,
    KNOWN,
    NOTHING_JUDGED,
    basis,
    inside_intervals,
    open_results,
    shares_within,
    typical_factor,
)
from reckon.show.text import amount_or_dash, join_words, plural, ratio_text
from reckon.show.titles import link

_DISCUSSED = 8  # of the predictions that were farthest off
_MOSTLY = 0.9  # of the pairs of times in their right order
_ALIKE = 1.25  # the ratio of two mean factors off up to which neither group is called nearer
_TOLERANCE = 0.05  # of the share of intervals that hold, around the one that should


def misses(results: list[Result]) -> Block:
    """What is known of the predictions that were farthest off: whether their intervals allowed it,
    and which guess alone would have made them right with a value that was thought possible."""
    missed = [result for result in open_results(results) if factor_off(result.ratio) > MISS][::-1]
    if not missed:
        return say(f"No prediction was off by more than {MISS:g} times.")
    judged = [result for result in missed if result.inside_interval is not None]
    held = sum(bool(result.inside_interval) for result in judged)
    known = sum(bool(_guesses_to_blame(result)) for result in missed)
    shown = missed[:_DISCUSSED]
    text = say(
        f"{len(missed)} predictions were off by more than {MISS:g} times.",
        f"{len(judged)} of them have an interval; {held} of these intervals contain the measured value."
        if judged
        else "",
        f"With another value of one guess, inside its interval, and all other inputs as sealed, {known} "
        f"of the {len(missed)} would be right. For these the formula may be right and only the guess wrong.",
        "Each chapter says what is known of the cause.",
        [f"- {link(result.quantity)}: {_discussed(result)}" for result in shown],
    )
    return replace(text, measured=tuple(result.quantity for result in shown))


def _guesses_to_blame(result: Result) -> list[str]:
    """Each guess with the value, within its interval, with which the prediction would be right."""
    prediction = to_prediction(result.quantity, result.seal)
    found = []
    for name, value in needed_guesses(result, prediction).items():
        guess = prediction.inputs[name]
        if guess.has_inside(value):
            was = _in_unit(guess.value, guess)
            found.append(f"the input “{short_name(name)}” at {_in_unit(value, guess)} instead of {was}")
    return found


def _discussed(result: Result) -> str:
    """The ratio of one of them, and the values of guesses with which it would be right."""
    ratio = f"{ratio_text(result.ratio)} the prediction"
    if not result.is_curve:
        predicted = amount_or_dash(result.seal.predicted, result.unit)
        ratio = f"predicted {predicted}, measured {result:interval} ({ratio_text(result.ratio)})"
    right = join_words(_guesses_to_blame(result), "or")
    return f"{ratio}. " + (f"It would be right with {right}." if right else "No guess explains it alone.")


def _in_unit(value: float | list[float], input_: Input) -> str:
    assert isinstance(value, float)  # no axis is a guess
    return units.with_unit(units.number(units.from_base(value, input_.unit)), input_.unit)


def conclusion(
    results: list[Result], times: dict[str, Result], machine: Machine | None = None
) -> Block:
    """What the run answers: whether the predictions put costs in their order, what the machine
    takes, how near the predictions came by what they were made from, and what they lack. times: the
    main results that are times, from the shortest, by their names."""
    judged = open_results(results)
    if not judged:
        return say(NOTHING_JUDGED)
    return join_blocks(
        [
            say(_order(times)),
            say(_largest_step(times), _caches(results, machine), _of_two_groups(results)),
            say(_nearness(judged), _nearest(judged)),
            _limits(judged),
        ]
    )


def _order(times: dict[str, Result]) -> list[str]:
    """How far apart the times lie, and of how many pairs the predictions named the longer one."""
    if len(times) < 2:
        return []
    (first, shortest), *_, (last, longest) = times.items()
    powers = math.log10(longest.median / shortest.median)
    values = [(float(each.sealed("predicted")[0]), each.median) for each in times.values()]
    pairs = [*itertools.combinations(values, 2)]
    derived = sum(basis(each) == DERIVED for each in times.values())
    right = sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs)
    return [
        "Can one say where a program's time will go before it runs?",
        f"The main results that are times span {powers:.1f} powers of ten, from *{first}* "
        f"({shortest}) to *{last}* ({longest}).",
        f"Take any two of these {len(times)} results ({len(pairs)} pairs): in {right} pairs the predictions "
        f"name the longer time. So {_on_order(right / len(pairs))}.",
        f"{derived} of the {len(times)} predictions use what was measured earlier in this run, and times so far "
        "apart are easily put in order."
        if derived
        else "Times so far apart are easily put in order.",
    ]


def _on_order(share: float) -> str:
    if share == 1:
        return "the predictions put the costs in their order"
    if share >= _MOSTLY:
        return "the predictions mostly put the costs in their order"
    return "the predictions did not put the costs in their order"


def _largest_step(times: dict[str, Result]) -> str:
    """Between which two neighbours the times of the machine lie farthest apart."""
    steps = [*itertools.pairwise(times.items())]
    if not steps:
        return ""
    (below, less), (above, more) = max(
        steps, key=lambda step: step[1][1].median / step[0][1].median
    )
    return (
        f"From one of these times to the next, the largest step is from *{below}* ({less}) to "
        f"*{above}* ({more}): {ratio_text(more.median / less.median)}."
    )


def _caches(results: list[Result], machine: Machine | None) -> str:
    """How much data a load reads at the pace of each cache, and what the machine reports."""
    if machine is None:
        return ""
    usable = usable_caches({result.quantity: result for result in results})
    reported = reported_caches(machine)
    both = {
        name: (usable[name], reported[name])
        for name in usable
        if usable[name] and reported[name]
    }
    if not both:
        return ""
    levels = join_words([name.upper() for name in both])
    seen, stated = (
        join_words([units.size(size, "byte") for size in sizes])
        for sizes in zip(*both.values(), strict=True)
    )
    return f"Loads are as fast as {levels} with data of up to {seen}; the system reports {stated}."


def _of_two_groups(results: list[Result]) -> str:
    count = sum(result.is_of_two_groups for result in results)
    if not count:
        return ""
    return (
        f"{count} of {len(results)} quantities had two groups of values on this machine, so no "
        "single number describes them."
    )


def _nearness(judged: list[Result]) -> str:
    factors = factor_off(np.array([result.ratio for result in judged]))
    of_all = f"{len(judged)} {plural(len(judged), 'prediction', 'predictions')}"
    return (
        f"The {of_all} that could miss gave the size of a cost within a factor of "
        f"{typical_factor(factors)} (geometric mean); {shares_within(factors)[MISS]} were off by at "
        f"most {MISS:g} times."
    )


def _nearest(judged: list[Result]) -> str:
    """Which kind of prediction came nearer; "" with fewer than two kinds."""
    factors = {
        kind: factor_off(np.array([each.ratio for each in judged if basis(each) == kind]))
        for kind in BASES
        if kind not in KNOWN
    }
    means = {kind: typical_factor(each) for kind, each in factors.items() if len(each)}
    if len(means) < 2:
        return ""
    nearest, farthest = sorted(means, key=lambda kind: float(means[kind]))
    compared = (
        f"Predictions {nearest} were off by a factor of {means[nearest]}, predictions {farthest} by {means[farthest]}"
    )
    if float(means[farthest]) <= _ALIKE * float(means[nearest]):
        return f"{compared}. Neither kind was clearly better."
    return f"{compared}."


def _limits(judged: list[Result]) -> Block:
    """Whether the intervals were wide enough, and how many misses one guess explains."""
    inside = inside_intervals(judged)
    missed = [result for result in judged if factor_off(result.ratio) > MISS]
    blamed = sum(bool(_guesses_to_blame(result)) for result in missed)
    left = len(missed) - blamed
    sentences = {
        f"{sum(inside)} of their {len(inside)} intervals contained the measured value or overlapped "
        f"its interval{_on_width(inside)}.": inside,
        f"{len(missed)} {plural(len(missed), 'was', 'were')} off by more than {MISS:g} times; for "
        f"{blamed} of them, another value of one guess, inside its interval, would have made the "
        "prediction right.": missed,
        f"No single guess explains the other {left}: a formula or several inputs were off.": left,
    }
    return say(*(sentence for sentence, applies in sentences.items() if applies))


def _on_width(inside: list[bool]) -> str:
    if inside and np.mean(inside) < INTENDED - _TOLERANCE:
        return f"; the goal is {100 * INTENDED:.0f} %, so they were too narrow"
    return ""
