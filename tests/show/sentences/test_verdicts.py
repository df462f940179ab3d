"""How far a prediction was off, in sentences, and the notes on a curve's points."""

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import made_up

import reckon as rk
from reckon.show.sentences import verdicts, warning_sentences
from reckon.show.tables import answer_box
from reckon.show.tables.scores import interval_decades, interval_score
from reckon.statistics import SampleWarning

WARNINGS = {letter: [SampleWarning("wide", ord(letter))] for letter in "abc"} | {" ": []}
NOTES = {letter: warning_sentences.note(*WARNINGS[letter]) for letter in "abc"}


@pytest.mark.parametrize(
    ("warnings", "note"),
    [
        ("aaaab", "at 4 of its 5 points, {a}. At 16 MiB, {b}."),
        ("abcac", "at 1 MiB and 8 MiB, {a}. At 2 MiB, {b}. 2 more of its 5 points have a note."),
        ("a   b", "at 1 MiB, {a}. At 16 MiB, {b}."),
    ],
)
def test_a_note_that_many_points_have_is_printed_once(warnings, note):
    curve = made_up.curve("files/read/size", [1, 2, 4, 8, 16], [1] * 5, axis_unit="MiB")
    curve.__dict__["summaries"] = [
        replace(summary, warnings=tuple(WARNINGS[letter]))
        for summary, letter in zip(curve.summaries, warnings, strict=True)
    ]
    assert rk.show.verdict(curve, "it").markdown.endswith(f" Note: {note.format(**NOTES)}")


@pytest.mark.parametrize(
    ("factor", "words"), [(1 - 1e-6, "just above"), (1 + 1e-6, ""), (0.9, "outside")]
)
def test_a_value_beside_the_end_of_its_interval_is_said_to_be_there(factor, words):
    """Both are printed alike: "outside its interval, 869 to 965" at 965 would be no verdict."""
    result = made_up.single("network/made_up/rate", 965, "Mbit/s")
    result.seal.low, result.seal.high = 0.5 * result.median, factor * result.median
    text = rk.show.verdict(result, "the rate").markdown
    assert (f"lies {words} the prediction’s interval" in text) == bool(words)
    assert ("the prediction’s interval" in text) == bool(words)


def test_a_value_that_is_printed_like_the_end_of_its_interval_has_more_digits():
    result = made_up.single("network/made_up/rate", 965, "Mbit/s")
    result.seal.low, result.seal.high = 0.5 * result.median, 0.9998 * result.median
    value, high = (1e-6 * each for each in (8 * result.median, 8 * result.seal.high))
    text = rk.show.verdict(result, "the rate").markdown
    assert f"value, {value:.2f} Mbit/s, lies just above" in text and f", {high:.2f} Mbit/s." in text


def test_the_predicted_interval_stands_beside_the_prediction():
    result = made_up.single("network/made_up/rate", 965, "Mbit/s")
    result.seal.low, result.seal.high = 0.5 * result.median, 2 * result.median
    text = rk.show.verdict(result, "the rate").markdown
    ends = r"48\d Mbit/s to 1.9\d Gbit/s"
    assert re.search(rf"Predicted 965 Mbit/s \({ends}\), measured 9\d\d Mbit/s", text), text


def test_a_value_whose_interval_reaches_into_the_predictions_is_counted_as_held():
    result = made_up.single("network/made_up/rate", 965, "Mbit/s")
    low, high = result.summary.interval.ends
    result.seal.low, result.seal.high = 0.5 * low, 0.5 * (low + result.median)
    assert result.inside_interval
    assert interval_score(result) == interval_decades(result)
    result.seal.high = 0.999 * low
    assert not result.inside_interval


def test_what_a_curve_measures_again_has_both_values():
    curve = made_up.curve("memory/latency/load", np.array([1.0, 2, 4]), np.array([1.0, 2, 3]))
    single = made_up.single("memory/latency/one", 2.5, "ns")
    text = rk.show.measured_again((curve, {2: single, 3: single}), titles={single.quantity: "one"})
    assert text.markdown.count("in the table") == 1
    assert "One at 2 KiB: " in text.markdown and f"in the table {single}" in text.markdown
    assert rk.show.measured_again((curve, {3: single})).markdown == ""


def in_three_visits(factors, predicted_ns):
    """A time of 100 ns whose visits differ by these factors, and what was predicted."""
    result = made_up.single("cpu/made/one", 100, "ns", processes=24)
    for number, process in enumerate(result.points[0].processes):
        process.visit = 1 + number // 8
        factor = factors[process.visit - 1]
        process.ticks[:] = [round(factor * tick) for tick in process.ticks]
    result.seal.predicted = result.seal.hardware = predicted_ns * 1e-9
    return result


@pytest.mark.parametrize(("predicted_ns", "is_chance"), [(100, False), (80, True), (500, False)])
def test_a_prediction_that_the_measured_interval_holds_may_be_off_by_chance(
    predicted_ns, is_chance
):
    result = in_three_visits([0.9, 1, 1.1], predicted_ns)
    sentence = "holds the sealed prediction, so the difference may be chance."
    assert (sentence in verdicts.verdict(result, "it").markdown) == is_chance
    assert (sentence in answer_box.answer("?", result, "it").markdown) == is_chance
