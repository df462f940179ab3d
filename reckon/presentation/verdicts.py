"""How a prediction did: computed sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reckon import units
from reckon.presentation.block import Block, say
from reckon.presentation.text import first_case, joined, verb
from reckon.records.result import Result

_AS_PREDICTED = 1.05  # a factor up to this one is within what the inputs are known to
_IN_PERCENT = 2  # a larger factor is printed as a factor
# A curve came out as predicted if the second share of its points is within the first factor.
_NEAR, _MOST = 1.25, 0.9
_BESIDE = 1.1  # points beyond this factor on both sides: the curve crosses its prediction
_SINGLE_POINTS = 10  # one point in this many is no side of a curve
_NOTES_MOST = 2  # notes on points of a curve that are printed; of the others, how many points
_PLACES_MOST = 3  # places of one note that are printed; of more, only their number


def verdict(result: Result, what: str) -> Block:
    """How the sealed prediction of `what` did, in a few sentences."""
    start = f"**Verdict.** {what[0].upper()}{what[1:]}"
    if result.summary is None:
        return say(f"{start} could not be judged: {result.reason}.")
    if not 0 < result.ratio < math.inf:
        return say(f"{start}: measured {result}, which no ratio to the prediction describes.")
    return say(
        _came_out(result, what),
        _interval(result),
        _revised(result),
        _last_attempt(result),
        *(f"{sentence}." for sentence in not_measured(result)),
        *_notes(result),
    )


def how_far(ratio: float) -> str:
    """A ratio of measured to predicted in words."""
    factor = max(ratio, 1 / ratio)
    side = "higher" if ratio > 1 else "lower"
    return first_case(
        (factor < _AS_PREDICTED, "as predicted"),
        (factor < _IN_PERCENT, f"{100 * abs(ratio - 1):.0f} % {side} than predicted"),
        (True, f"a factor of {units.number(factor, 2)} {side} than predicted"),
    )


def _came_out(result: Result, what: str) -> str:
    if result.is_curve:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = result.medians / result.sealed("predicted")
        places = [units.place(float(x), result.axis_unit) for x in result.axis]
        course = over_the_curve(ratios, places, how_far(result.ratio))
        return f"**Verdict.** Over the whole curve, {what} came out {course}"
    predicted = units.amount(result.seal.predicted, result.unit)
    return (
        f"**Verdict.** Predicted {predicted}, measured {result:±}: {what} came out "
        f"{how_far(result.ratio)}."
    )


def over_the_curve(ratios: np.ndarray, places: Sequence[str], how: str) -> str:
    """How far a curve was off: `how` by its median ratio, unless its points show otherwise.

    `ratios` are measured over predicted at `places`.
    """
    known = np.isfinite(ratios) & (ratios > 0)
    ratios, places = ratios[known], [place for place, ok in zip(places, known, strict=True) if ok]
    off = np.abs(np.log(ratios))
    near = int((off < np.log(_NEAR)).sum())
    count = f"{near} of {len(ratios)} points lie within {_NEAR} times of the prediction"

    def at(k: int) -> str:
        return f"{units.number(float(ratios[k]))} times at {places[k]}"

    few = len(ratios) // _SINGLE_POINTS
    in_order = np.sort(ratios)
    if in_order[few] < 1 / _BESIDE and in_order[-1 - few] > _BESIDE:
        middle = units.number(float(np.median(ratios)))
        return (
            f"on both sides of the prediction, from {at(ratios.argmin())} to "
            f"{at(ratios.argmax())}, "
            f"with {middle} times in the middle; {count}."
        )
    worst = int(off.argmax())
    farthest = (
        f" It is farthest off at {places[worst]}, with {units.number(float(ratios[worst]))} times "
        "the prediction."
    )
    if how == "as predicted" and near < _MOST * len(ratios):
        return f"as predicted in part: {count}.{farthest}"
    return f"{how}, by the median over its points.{farthest if near < len(ratios) else ''}"


def _interval(result: Result) -> str:
    if result.inside_interval is None:
        return ""
    side = "inside" if result.inside_interval else "outside"
    low, high = (units.amount(end, result.unit) for end in (result.seal.low, result.seal.high))
    return f"The measured value lies {side} its interval, {low} to {high}."


def _revised(result: Result) -> str:
    if not result.revisions:
        return ""
    value = "" if result.is_curve else units.amount(result.current.predicted, result.unit)
    return (
        f"Revised after measuring ({'; '.join(result.revisions)})"
        f"{value and f': now {value}'}. The score keeps to the sealed one."
    )


def _last_attempt(result: Result) -> str:
    if result.state != "failed":
        return ""
    return f"The last attempt to measure failed ({result.reason}) The samples are earlier ones."


def _notes(result: Result) -> list[str]:
    notes = warnings(result)
    if result.is_curve and notes:
        return [f"Note: {'; '.join(notes)}."]
    return [f"Note: {note}." for note in notes]


def not_measured(result: Result) -> list[str]:
    """Which points of a curve have no samples, and why: sentences without a full stop."""
    sentences = []
    # Failures have a sentence of their own, so that "unsupported here" cannot hide them.
    for state, opening in (("cannot", "Not measured"), ("failed", "Failed")):
        points = [point for point in result.missing if point.stopped == state]
        if not points:
            continue
        first, last = (units.place(points[k].x, result.axis_unit) for k in (0, -1))
        more = f" and {len(points) - 1} more points, up to {last}" if points[1:] else ""
        sentences.append(f"{opening} at {first}{more}: {points[0].reason}")
    return sentences


def warnings(result: Result) -> list[str]:
    """The samples' own warnings; of a curve, with the places of each."""
    if not result.is_curve:
        return [warning for summary in result.summaries for warning in summary.warnings]
    places: dict[str, list[str]] = {}
    for x, summary in zip(result.axis, result.summaries, strict=True):
        if summary.warnings:
            place = units.place(float(x), result.axis_unit)
            places.setdefault(summary.warnings[0], []).append(place)
    return places_of_notes(places, len(result.points))


def places_of_notes(places: dict[str, list[str]], points: int) -> list[str]:
    """A sentence for each note on points of a curve; of the last notes only how many points."""
    sentences = []
    for note, at in list(places.items())[:_NOTES_MOST]:
        where = joined(at) if len(at) <= _PLACES_MOST else f"{len(at)} of its {points} points"
        sentences.append(f"at {where} {note}")
    more = sum(map(len, list(places.values())[_NOTES_MOST:]))
    if more:
        sentences.append(f"{more} more of its {points} points {verb(more, 'has', 'have')} a note")
    return sentences
