"""How far a prediction was off: computed sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import itemgetter

import numpy as np

from reckon import units
from reckon.prediction.ratios import AS_PREDICTED, MISS, NEAR, is_comparable, is_near
from reckon.presentation.block import Block, say
from reckon.presentation.text import amount, first_case, joined, literal, place, verb
from reckon.records.result import Result

# What is said of a ratio that is off by less than each factor; formulas.js says the same.
HOW_FAR = (
    (AS_PREDICTED, "as predicted"),
    (MISS, "{percent} % {side} than predicted"),
    (math.inf, "a factor of {factor} {side} than predicted"),
)
_NEARLY_ALL = 0.9  # a curve came out as predicted if this share of its points is near
_BESIDE = 1.1  # points beyond this factor on both sides: the curve crosses its prediction
_SINGLE_POINTS = 10  # fewer than one point in this many are no side of a curve
_NOTES_LISTED = 2  # notes on points of a curve that are printed; of the others, how many points
_PLACES_LISTED = 3  # places of one note that are printed; of more, only their number


def verdict(result: Result, what: str) -> Block:
    """How far the sealed prediction of `what` was off, in a few sentences."""
    start = f"**Verdict.** {what[0].upper()}{what[1:]}"
    if not result.has_samples:
        return say(f"{start} could not be judged: {literal(result.reason)}.")
    if not is_comparable(result.ratio):
        return say(f"{start}: measured {result}, so there is no ratio to the prediction.")
    return say(
        f"**Verdict.** {_came_out(result, what)}",
        _interval(result),
        _revised(result),
        f"Note: {literal(result.attempt_note)}." if result.attempt_note else "",
        *(f"{sentence}." for sentence in not_measured(result)),
        *_notes(result),
    )


def how_far(ratio: float) -> str:
    """A ratio of measured to predicted in words."""
    factor = max(ratio, 1 / ratio)
    words = next((words for limit, words in HOW_FAR if factor < limit), HOW_FAR[-1][1])
    return words.format(
        percent=f"{100 * abs(ratio - 1):.0f}",
        side="higher" if ratio > 1 else "lower",
        factor=units.number(factor, 2),
    )


def _came_out(result: Result, what: str) -> str:
    how = how_far(result.ratio)
    if not result.is_curve:
        predicted = amount(result.seal.predicted, result.unit)
        return f"Predicted {predicted}, measured {result:±}: {what} came out {how}."
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = result.medians / result.sealed("predicted")
    places = [place(result, x) for x in result.axis]
    course = over_the_curve(list(zip(ratios, places, strict=True)), how)
    return f"Over the whole curve, {what} came out {course}"


def over_the_curve(points: Iterable[tuple[float, str]], how: str) -> str:
    """How far a curve was off: `how` by its median ratio, unless its points show otherwise.

    `points` are ratios of measured to predicted, each with its place.
    """
    known = [(ratio, where) for ratio, where in points if is_comparable(ratio)]
    in_order = sorted(ratio for ratio, _ in known)
    near = sum(map(is_near, in_order))
    count = f"{near} of {len(known)} points lie within {NEAR} times of the prediction"
    few = len(known) // _SINGLE_POINTS
    if in_order[few] < 1 / _BESIDE and in_order[-1 - few] > _BESIDE:
        lowest, at_lowest = min(known, key=itemgetter(0))
        highest, at_highest = max(known, key=itemgetter(0))
        return (
            f"on both sides of the prediction, from {units.number(lowest)} times at {at_lowest} to "
            f"{units.number(highest)} times at {at_highest}, with "
            f"{units.number(float(np.median(in_order)))} times in the middle; {count}."
        )
    worst, where = max(known, key=lambda point: abs(math.log(point[0])))
    farthest = f"It is farthest off at {where}, with {units.number(worst)} times the prediction."
    return first_case(
        (
            how == "as predicted" and near < _NEARLY_ALL * len(known),
            f"as predicted in part: {count}. {farthest}",
        ),
        (near < len(known), f"{how}, by the median over its points. {farthest}"),
        (True, f"{how}, by the median over its points."),
    )


def _interval(result: Result) -> str:
    if result.inside_interval is None:
        return ""
    low, high = (amount(end, result.unit) for end in (result.seal.low, result.seal.high))
    measured = amount(result.median, result.unit)
    side = first_case(
        (result.inside_interval, "inside"),
        (measured == low, "just below"),
        (measured == high, "just above"),
        (True, "outside"),
    )
    return f"The measured value lies {side} its interval, {low} to {high}."


def _revised(result: Result) -> str:
    if not result.revisions:
        return ""
    now = "" if result.is_curve else f": now {amount(result.current.predicted, result.unit)}"
    changes = "; ".join(result.revisions)
    return f"Revised after measuring ({changes}){now}. The score uses the sealed one."


def _notes(result: Result) -> list[str]:
    notes = warnings(result)
    if result.is_curve and notes:
        return [f"Note: {'; '.join(notes)}."]
    return [f"Note: {note}." for note in notes]


def not_measured(result: Result) -> list[str]:
    """Which points of a curve have no samples, and why: sentences without a full stop."""
    sentences = []
    # Failures have a sentence of their own, so that "unsupported here" cannot hide them.
    for state, opening in (("unsupported", "Not measured"), ("failed", "Failed")):
        points = [point for point in result.missing if point.stopped == state]
        if points:
            first, last = (place(result, point.x) for point in (points[0], points[-1]))
            more = f" and {len(points) - 1} more points, up to {last}" if len(points) > 1 else ""
            sentences.append(f"{opening} at {first}{more}: {literal(points[0].reason)}")
    return sentences


def warnings(result: Result) -> list[str]:
    """The samples' own warnings; of a curve, with the places of each."""
    if not result.is_curve:
        return [warning for summary in result.summaries for warning in summary.warnings]
    places: dict[str, list[str]] = {}
    for x, summary in zip(result.axis, result.summaries, strict=True):
        if summary.warnings:
            places.setdefault(summary.warnings[0], []).append(place(result, x))
    return places_of_notes(places, len(result.points))


def places_of_notes(places: dict[str, list[str]], points: int) -> list[str]:
    """A sentence for each note on points of a curve; of the last notes only how many points."""
    sentences = []
    for note, at in list(places.items())[:_NOTES_LISTED]:
        where = joined(at) if len(at) <= _PLACES_LISTED else f"{len(at)} of its {points} points"
        sentences.append(f"at {where} {note}")
    more = sum(map(len, list(places.values())[_NOTES_LISTED:]))
    if more:
        sentences.append(f"{more} more of its {points} points {verb(more, 'has', 'have')} a note")
    return sentences
