"""The cases of computed sentences, one by one."""

import math

import numpy as np
import pytest

from reckon.presentation import bounds, drift, effects, text, verdicts
from reckon.reports.methods import Ratio

pytestmark = pytest.mark.beside


@pytest.mark.parametrize(
    ("words", "sentence"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_in_words(words, sentence):
    assert text.joined(words) == sentence


def test_the_first_case_that_holds():
    assert text.first_case((False, "a"), (True, "b"), (True, "c")) == "b"
    assert text.first_case((False, "a")) == ""


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
    assert text.with_interval(1e-8, math.nan, math.nan, "ns") == "10.0 ns"
    assert text.with_interval(1e-8, 0.9e-8, 1.1e-8, "ns") == "10.0 ns (9.00 to 11.0)"


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
    places = [f"p{k}" for k in range(len(ratios))]
    assert verdicts.over_the_curve(np.array(ratios, float), places, how) == words


def test_notes_on_points_of_a_curve():
    notes = {"a": ["1", "2"], "b": ["3"] * 4, "c": ["7"]}
    assert verdicts.places_of_notes(notes, 9) == [
        "at 1 and 2 a",
        "at 4 of its 9 points b",
        "1 more of its 9 points has a note",
    ]
    assert verdicts.places_of_notes({}, 9) == []


@pytest.mark.parametrize(
    ("after", "words"),
    [(2e-6, ("is spent", "comes")), (0.5e-6, ("is back", "goes"))],
)
def test_a_change_of_level(after, words):
    sentence = drift.level_change(1e-6, after, 3.0, "µs")
    assert "from 3.00 s on" in sentence and "in place of 1.00 µs" in sentence
    assert all(word in sentence for word in words)


def test_slow_trials():
    steady = np.ones(100)
    assert drift.slow_trials(steady, "s") == "No trial took more than 3 times the median."
    spread, burst = steady.copy(), steady.copy()
    spread[::20], burst[40:60] = 5, 5
    assert drift.slow_trials(spread, "s").endswith("the longest 5.00 s; they come one by one.")
    assert "20 % of the trials" in drift.slow_trials(burst, "s")
    assert "**they come in bursts**" in drift.slow_trials(burst, "s")


def ratio(middle, low, high, rounds=6):
    return Ratio(middle, low, high, low, high, rounds)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ratio(2, 1.9, 2.1), "gives 2.00 (1.90 to 2.10) times our figure"),
        (ratio(1.01, 0.99, 1.03), "makes no difference here (within 3.0 %)"),
        (
            ratio(1.04, 1.01, 1.08),
            "gives 1.04 (1.01 to 1.08) times our figure, and whether that matters cannot be told",
        ),
        (ratio(1.1, 0.9, 1.2), "makes no difference here that can be told (within 20 %)"),
        (ratio(1.1, 0.5, 2), "cannot be told from ours here (0.500 to 2.00 times it)"),
        (
            Ratio(3, math.nan, math.nan, 2.9, 3.1, 3),
            "gives 3.00 (2.90 to 3.10) times our figure in 3 rounds",
        ),
        (
            Ratio(3, math.nan, math.nan, 3, 3, 1),
            "cannot be told from ours here (3.00 times it (in a single round): too few to tell)",
        ),
        (
            Ratio(3, math.nan, math.nan, math.nan, math.nan, 0),
            "gives 3.00 times our figure by the pages' figures",
        ),
    ],
)
def test_what_a_method_does_to_a_figure(value, words):
    assert effects.effect(value) == words


def test_the_rule_of_bounds():
    limits = bounds.Bounds(1, "µs", "it is so")
    assert limits.rule() == "No figure here can be below 1.00 µs: it is so."
    limits = bounds.Bounds(1, "µs", "it is so", most=5, block_bytes=4096)
    assert (
        limits.rule() == "No figure here can be below 1.00 µs or above 5.00 µs for 4 KiB: it is so."
    )


@pytest.mark.parametrize(
    ("places", "count", "words"),
    [
        ([], 1, ""),
        (["1", "2"], 9, " at 1, 2"),
        (["1", "2", "3", "4"], 9, " at 4 of its 9 places"),
    ],
)
def test_places_of_impossible_figures(places, count, words):
    assert bounds._at(places, count) == words
