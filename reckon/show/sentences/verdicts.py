"""How far a prediction was off: computed sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

import numpy as np

from reckon import units
from reckon.prediction.ratios import AS_PREDICTED, MISS, NEAR, factor_off, is_comparable, is_near
from reckon.records.quantities.result import Result, summary_text
from reckon.show.block import Block, say
from reckon.show.sentences import warning_sentences
from reckon.show.tables.tables import title
from reckon.show.text import (
    amount_or_dash,
    capitalised,
    counted_position,
    first_case,
    join_words,
    literal,
    plural,
    position_text,
    ratio_text,
)
from reckon.statistics import Summary

# The words for a ratio that is off by less than each factor; the what-if panels have them as data.
HOW_FAR = (
    (AS_PREDICTED, "as predicted"),
    (MISS, "{percent} % {side} than predicted"),
    (math.inf, "a factor of {factor} {side} than predicted"),
)
# Why there is no verdict, by the state of a result; its table says the reason.
_WITHOUT_SAMPLES = {
    "predicted": "it has not been measured",
    "unsupported": "it is unsupported here",
    "failed": "its measurement failed",
}
_NEARLY_ALL = 0.9  # a curve came out as predicted if this share of its points is near
_BESIDE = 1.1  # points beyond this factor on both sides: the curve crosses its prediction
_SINGLE_POINTS = 10  # fewer than one point in this many are no side of a curve
_NOTES_LISTED = 2  # notes on points of a curve that are printed; of the others, how many points
_POSITIONS_LISTED = 3  # positions of one note that are printed; of more, only their number


def verdict(result: Result, subject: str, again: dict[float, Result] | None = None) -> Block:
    """How far the sealed prediction of `subject` was off, in a few sentences.

    again: as measured_again() takes it.
    """
    start = f"**Verdict.** {capitalised(subject)}"
    if not result.has_samples:
        why = _WITHOUT_SAMPLES.get(result.state, "it has no samples")
        return say(f"{start} could not be judged: {why}.")
    if not (is_comparable(result.ratio) or result.is_of_two_groups):
        return say(f"{start}: measured {result}, so there is no ratio to the prediction.")
    block = say(
        f"**Verdict.** {_outcome(result, subject)}",
        ""
        if result.is_curve
        else within_scatter(result.summaries[0], float(result.sealed("predicted")[0])),
        _interval(result),
        sealed_again(result),
        _revision(result),
        f"Note: {literal(result.attempt_note)}." if result.attempt_note else "",
        *(f"{sentence}." for sentence in missing_points(result)),
        *_notes(result),
        measured_again((result, again or {})).markdown,
    )
    return replace(block, measured=(result.quantity,))


def measured_again(
    *curves: tuple[Result, dict[float, Result]], titles: dict[str, str] | None = None
) -> Block:
    """Which quantities of a table the curves measure again, with both values of each.

    curves: each with these quantities by the position on its axis, in the axis's unit.
    """
    texts = [
        f"“{title(result, titles)}” is {_again(curve, index, result)}"
        for curve, quantities in curves
        for at, result in quantities.items()
        if (index := curve.point_index(at)) is not None and result.has_samples
    ]
    if not texts:
        return say()
    sentences = (f"{text}." for text in texts)
    opening = "The curve measures some quantities of the table again, in other processes."
    return say(opening, *sentences, "Other chapters use the table's value.")


def _again(curve: Result, index: int, result: Result) -> str:
    here, there = curve.summaries[index], result.summaries[0]
    where = counted_position(curve, curve.axis[index])
    note = "" if here.apart(there) else f"; {here.why_not_apart(there)}"
    curves = summary_text(here, curve.unit)
    return f"{curves} in the curve (at {where}) and {result:interval} in the table{note}"


def how_far(ratio: float) -> str:
    """A ratio of measured to predicted in words."""
    factor = factor_off(ratio)
    words = next((words for limit, words in HOW_FAR if factor < limit), HOW_FAR[-1][1])
    return words.format(
        percent=f"{100 * abs(ratio - 1):.0f}",
        side="higher" if ratio > 1 else "lower",
        factor=units.number(factor, 2),
    )


def _outcome(result: Result, subject: str) -> str:
    if result.is_of_two_groups:
        return (
            f"{capitalised(subject)}: measured {result:interval}, so there is no ratio "
            "to the prediction."
        )
    how = how_far(result.ratio)
    if not result.is_curve:
        predicted = amount_or_dash(result.seal.predicted, result.unit)
        ends = [units.amount(end, result.unit) for end in result.sealed_interval or ()]
        text = f"{predicted} ({' to '.join(ends)})" if ends else predicted
        return f"Predicted {text}, measured {result:interval}: {subject} came out {how}."
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = result.medians / result.sealed("predicted")
    positions = [counted_position(result, x) for x in result.axis]
    outcome = curve_outcome(list(zip(ratios, positions, strict=True)), how)
    return f"Over the whole curve, {subject} came out {outcome}"


def curve_outcome(points: Iterable[tuple[float, str]], how: str) -> str:
    """How far a curve was off: `how` by its median ratio, unless its points show otherwise.

    `points` are ratios of measured to predicted, each with its position.
    """
    pairs = [(ratio, position) for ratio, position in points if is_comparable(ratio)]
    ratios = sorted(ratio for ratio, _ in pairs)
    near = sum(map(is_near, ratios))
    verb = "is" if near == 1 else "are"
    count = f"{near} of {len(pairs)} points {verb} within a factor of {NEAR} of the prediction"
    few = len(pairs) // _SINGLE_POINTS
    if ratios[few] < 1 / _BESIDE and ratios[-1 - few] > _BESIDE:
        lowest, at_lowest = min(pairs, key=itemgetter(0))
        highest, at_highest = max(pairs, key=itemgetter(0))
        return (
            f"on both sides of the prediction. The values go from {units.number(lowest)} times the "
            f"prediction (at {at_lowest}) to {units.number(highest)} times (at {at_highest}). "
            f"The median is {units.number(float(np.median(ratios)))} times the prediction. {count}."
        )
    worst, at_worst = max(pairs, key=lambda pair: abs(math.log(pair[0])))
    farthest = f"It is farthest off at {at_worst}, with {units.number(worst)} times the prediction."
    return first_case(
        (
            how == "as predicted" and near < _NEARLY_ALL * len(pairs),
            f"as predicted in part: {count}. {farthest}",
        ),
        (near < len(pairs), f"{how}, by the median over its points. {farthest}"),
        (True, f"{how}, by the median over its points."),
    )


def _interval(result: Result) -> str:
    """Where the measured value lies outside the prediction's interval; "" inside."""
    if result.inside_interval is None or not result.sealed_interval:
        return ""
    low, high = result.sealed_interval
    if low <= result.median <= high:
        return ""
    is_below = result.median < low
    end, side = (low, "below the lower") if is_below else (high, "above the upper")
    value, printed = (units.amount(each, result.unit) for each in (result.median, end))
    if value == printed:  # with more digits, which differ
        value, printed = (units.amount(each, result.unit, 5) for each in (result.median, end))
        return (
            f"The measured value, {value}, lies just {side} end of the prediction’s interval, "
            f"{printed}."
        )
    error = ", but by less than its own uncertainty" if result.inside_interval else ""
    return f"The measured value lies outside the prediction’s interval{error}."


def within_scatter(measured: Summary, predicted: float) -> str:
    """A sentence where a prediction is off but the measured interval holds it; or ""."""
    low, high = measured.interval.ends  # nan if unknown, and then it holds nothing
    if measured.groups:
        return ""
    if not low <= predicted <= high or how_far(measured.median / predicted) == "as predicted":
        return ""
    return (
        "The interval of the measured value contains the sealed prediction, so the difference may "
        "be chance."
    )


def sealed_again(result: Result) -> str:
    """Why another prediction was sealed after measuring, and how far off the first was; or ""."""
    if not result.first_seal:
        return ""
    first = units.span(result.first_seal.predicted, result.unit)
    ratio = ratio_text(result.ratio_to(result.first_seal))
    reason = literal(result.seal.reason or "").rstrip(".")
    return f"Sealed again after measuring: {reason}. The first seal was {first}, {ratio}."


def _revision(result: Result) -> str:
    if not result.revisions:
        return ""
    predicted = amount_or_dash(result.current.predicted, result.unit)
    changes = "; ".join(result.revisions).replace("_", " ")
    by = f" by {result.current.reason}" if result.current.reason else ""
    ratio = f"{units.number(result.current_ratio)} times that was measured"
    measured = "there is no ratio" if result.is_of_two_groups else ratio
    return (
        f"{result.change}{by} ({changes}): now {predicted}, and {measured}. The score uses "
        "the sealed one."
    )


def _notes(result: Result) -> list[str]:
    notes = warnings(result)
    if result.is_curve and notes:
        first, *others = notes
        return [f"Note: {first}.", *(f"{capitalised(note)}." for note in others)]
    return [f"Note: {note}." for note in notes]


def missing_points(result: Result) -> list[str]:
    """Which points of a curve have no samples, and why: sentences without a full stop."""
    sentences = []
    # Failures have a sentence of their own, so that "unsupported here" cannot hide them.
    for state, opening in (("unsupported", "Not measured"), ("failed", "Failed")):
        points = [point for point in result.missing_points if point.stopped == state]
        if points:
            first, last = (counted_position(result, point.x) for point in (points[0], points[-1]))
            rest = f" and {len(points) - 1} more points, up to {last}" if len(points) > 1 else ""
            sentences.append(f"{opening} at {first}{rest}: {literal(points[0].reason)}")
    return sentences


def warnings(result: Result) -> list[str]:
    """The warnings about the samples in words; of a curve, with the positions of each."""
    if not result.is_curve:
        return [note for summary in result.summaries for note in _notes_of(summary, result.unit)]
    positions: dict[str, list[float]] = {}
    for x, summary in zip(result.axis, result.summaries, strict=True):
        if summary.warnings:
            note = warning_sentences.note(summary.warnings[0])
            positions.setdefault(note, []).append(x)
        elif warning_sentences.is_shared(summary):
            note = "a {term}`sibling thread <busy sibling>` seemed busy for a part of the time"
            positions.setdefault(note, []).append(x)
    texts = {
        note: [*(position_text(result, x) for x in others), counted_position(result, last)]
        for note, (*others, last) in positions.items()
    }
    return note_sentences(texts, len(result.points))


def _notes_of(summary: Summary, unit: str) -> list[str]:
    notes = [warning_sentences.note(warning) for warning in summary.warnings]
    if warning_sentences.has_two_modes(summary) and not summary.groups:
        notes += warning_sentences.groups_note(summary, unit)
    if summary.sibling and warning_sentences.is_shared(summary):
        notes.insert(0, warning_sentences.sibling_note(summary.sibling, unit))
    return notes


def note_sentences(notes: dict[str, list[str]], points: int) -> list[str]:
    """A sentence for each note on points of a curve, given with their positions; of the last notes
    only how many points have one."""
    sentences = []
    for note, positions in list(notes.items())[:_NOTES_LISTED]:
        where = f"{len(positions)} of its {points} points"
        if len(positions) <= _POSITIONS_LISTED:
            where = join_words(positions)
        sentences.append(f"at {where}, {note}")
    unlisted = sum(map(len, list(notes.values())[_NOTES_LISTED:]))
    if unlisted:
        verb = plural(unlisted, "has", "have")
        sentences.append(f"{unlisted} more of its {points} points {verb} a note")
    return sentences
