"""The cases of computed sentences, one by one."""

import math

import pytest

from reckon.presentation import bounds, effects, text, verdicts
from reckon.reports.methods import Ratio


@pytest.mark.parametrize(
    ("words", "sentence"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_in_words(words, sentence):
    assert text.joined(words) == sentence


def test_the_first_case_that_holds():
    assert text.first_case((False, "a"), (True, "b"), (True, "c")) == "b"
    assert text.first_case((False, "a")) == ""


def test_shares_and_differences():
    assert text.percent(0.123) == "12 %" and text.percent(0.1234, 3) == "12.3 %"
    assert text.more_or_less(2e-6, "µs") == "2.00 µs more"
    assert text.more_or_less(-2e-6, "µs") == "2.00 µs less"
    assert text.percent_more_or_less(1.5) == "50 % more"
    assert text.percent_more_or_less(0.9) == "10 % less"


@pytest.mark.parametrize(
    ("value", "unit", "printed"),
    [
        (None, "byte", "not reported"),
        ("x86_64", "", "x86_64"),
        (4, "count", "4"),
        (2.5, "count", "2.5"),
        (32768, "byte", "32.0 KiB"),
    ],
)
def test_a_value_of_a_machine(value, unit, printed):
    assert text.machine_value(value, unit) == printed


def test_unknown_numbers_are_dashes():
    assert text.amount(None, "ns") == text.amount(math.nan, "ns") == text.ratio(math.nan) == "–"


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.04, "as predicted"),
        (0.97, "as predicted"),
        (1.5, "50 % higher than predicted"),
        (0.8, "20 % lower than predicted"),
        (3.0, "a factor of 3.0 higher than predicted"),
        (0.1, "a factor of 10 lower than predicted"),
    ],
)
def test_how_far_a_prediction_was_off(ratio, words):
    assert verdicts.how_far(ratio) == words


@pytest.mark.parametrize(
    ("ratios", "how", "words"),
    [
        ([1, 1, 1], "as predicted", "as predicted, by the median over its points."),
        (
            [0.5, 1, 2],
            "as predicted",
            "on both sides of the prediction, from 0.500 times at p0 to 2.00 times at p2, with 1.00 "
            "times in the middle; 1 of 3 points lie within 1.25 times of the prediction.",
        ),
        (
            [1, 1, 3],
            "as predicted",
            "as predicted in part: 2 of 3 points lie within 1.25 times of the prediction. It is "
            "farthest off at p2, with 3.00 times the prediction.",
        ),
        (
            [2, 2, 3, math.nan],
            "a factor of 2.0 higher than predicted",
            "a factor of 2.0 higher than predicted, by the median over its points. It is farthest "
            "off at p2, with 3.00 times the prediction.",
        ),
    ],
)
def test_how_far_a_curve_was_off(ratios, how, words):
    points = [(ratio, f"p{k}") for k, ratio in enumerate(ratios)]
    assert verdicts.over_the_curve(points, how) == words


def test_notes_on_points_of_a_curve():
    notes = {"a": ["1", "2"], "b": ["3"] * 4, "c": ["7"]}
    assert verdicts.places_of_notes(notes, 9) == [
        "at 1 and 2 a",
        "at 4 of its 9 points b",
        "1 more of its 9 points has a note",
    ]
    assert verdicts.places_of_notes({}, 9) == []


def ratio(middle, low, high, rounds=6):
    return Ratio(middle, low, high, low, high, rounds)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ratio(2, 1.9, 2.1), "gives 2.00 (1.90 to 2.10) times Reckon's figure"),
        (ratio(1.01, 0.99, 1.03), "makes no difference here (within 3.0 %)"),
        (
            ratio(1.04, 1.01, 1.08),
            "gives 1.04 (1.01 to 1.08) times Reckon's figure; the difference may be less than 5 %",
        ),
        (ratio(1.1, 0.9, 1.2), "makes no significant difference here (within 20 %)"),
        (
            ratio(1.1, 0.5, 2),
            "cannot be distinguished from Reckon's method here (0.500 to 2.00 times its figure)",
        ),
        (
            Ratio(3, math.nan, math.nan, 2.9, 3.1, 3),
            "gives 3.00 (2.90 to 3.10) times Reckon's figure in 3 rounds",
        ),
        (
            Ratio(3, math.nan, math.nan, 3, 3, 1),
            "cannot be distinguished from Reckon's method here (3.00 times its figure (in a single "
            "round): too few for an interval)",
        ),
        (
            Ratio(3, math.nan, math.nan, math.nan, math.nan, 0),
            "gives 3.00 times Reckon's figure from the pages' figures",
        ),
    ],
)
def test_what_a_method_does_to_a_figure(value, words):
    assert effects.effect(value) == words


def test_the_rule_of_bounds():
    limits = bounds.Bounds(1, "µs", "it is so")
    assert limits.rule() == "No figure here can be below 1.00 µs: it is so."
    limits = bounds.Bounds(1, "µs", "it is so", maximum=5, block_bytes=4096)
    assert (
        limits.rule() == "No figure here can be below 1.00 µs or above 5.00 µs for 4 KiB: it is so."
    )
