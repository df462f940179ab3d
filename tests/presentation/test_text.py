"""Words and numbers of sentences and cells."""

import math

import pytest

from reckon.presentation import text


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
