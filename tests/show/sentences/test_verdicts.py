"""How far a prediction was off, in sentences, and the notes on a curve's points."""

from dataclasses import replace

import pytest
from helpers import made_up

import reckon as rk
from reckon.show.sentences import verdicts, warning_sentences
from reckon.show.tables import answer_box
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


def test_a_note_on_two_modes_has_the_values_of_both_groups_of_processes():
    result = made_up.single("cpu/made/one", 100, "ns", processes=24)
    summary = result.summaries[0]
    modes = (SampleWarning("two modes"),)
    values = "20 of 24 fresh processes have medians near 100 ns, and the others near 150 ns."
    result.summaries[0] = replace(summary, medians=(*[100e-9] * 20, *[150e-9] * 4), warnings=modes)
    assert values.capitalize() in rk.show.verdict(result, "it").markdown
    result.summaries[0] = replace(summary, medians=(100e-9,) * 24, warnings=modes)
    assert "fresh processes have medians near" not in rk.show.verdict(result, "it").markdown


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
    sentence = "contains the sealed prediction, so the difference may be chance."
    assert (sentence in verdicts.verdict(result, "it").markdown) == is_chance
    assert (sentence in answer_box.answer("?", result, "it").markdown) == is_chance
