"""What the chapter cpu/division concludes of made-up results: the names of its findings."""

import numpy as np
import pytest
from helpers import made_up
from helpers.findings import CYCLE_NS, cycles, names

from reckon.book import contents
from reckon.prediction.inputs import guess

DIVISION = contents.findings_of("cpu/division")


def at(ghz, times=1.0):
    """Findings of divisions beside which the core makes three cycles a tick, where the clock's page has that number of GHz."""
    long, small = cycles("cpu/division/long_quotient", 45), cycles("cpu/division/small", 16)
    long.seal.predicted /= times
    given = guess(ghz, "GHz", "made up", low=2, high=5)
    one, start = (guess(n, "cycle", "made up", low=n, high=n) for n in (1, 14))
    bits = guess(62, "1", "made up", low=62, high=62)
    return (
        names(DIVISION.another_clock(long, 0.5, given)),
        names(DIVISION.off_by_the_divider(long, bits, start, one, given)),
        DIVISION.answer(long, small, given),
    )


def test_samples_of_another_clock_are_named():
    named, reason, answer = at(4.5, times=1)
    assert named == reason == {"another clock"}
    assert "at 3.00 GHz" in answer
    named, reason, answer = at(3.1)
    assert named == set() and reason == {"divider guessed"} and "GHz" not in answer


def test_another_clock_does_not_explain_more_cycles():
    """45 cycles at 3 GHz, where 15 were predicted at 4.5."""
    named, reason, _ = at(4.5, times=4.5)
    assert named == reason == {"another processor"}


@pytest.mark.parametrize(
    ("a_bit", "expected"),
    [
        (0.0, {"all numbers alike", "bits cost nothing"}),
        (0.5, {"numbers matter", "bits cost cycles"}),
    ],
)
def test_numbers_matter_where_a_bit_of_the_quotient_adds_cycles(a_bit, expected):
    assert names([DIVISION.steps(a_bit), DIVISION.curves(a_bit)]) == expected


@pytest.mark.parametrize(("independent", "name"), [(11, "one at a time"), (4, "divisions overlap")])
def test_divisions_overlap_where_independent_ones_take_less(independent, name):
    chain, others = (
        cycles("cpu/division/chain", 11),
        cycles("cpu/division/independent", independent),
    )
    assert DIVISION.overlapping(chain, others).name == name


def test_curves_that_are_off_are_listed():
    by_bits = made_up.curve("cpu/division/chain_by_bits", [1, 62], [5, 15], "ns", "1", predicted=5)
    given, flat, start = (
        guess(value, unit, "made up", low=0, high=99)
        for value, unit in ((3, "GHz"), (0, "cycle"), (14, "cycle"))
    )
    found = DIVISION.misses([], [by_bits], start, flat, given)
    assert names(found) == {"none missed"}
    by_bits.seal.predicted = [each / 3 for each in by_bits.seal.predicted]
    found = DIVISION.misses([], [by_bits], start, flat, given)
    assert names(found) == {"bits off"}


def test_where_nothing_was_measured_no_prediction_is_said_to_be_met():
    missing = made_up.nothing("cpu/division/long_quotient")
    found = DIVISION.misses([(missing, None)], [], None, None, None)
    assert found.name == "none measured" and found.strength == "not explained"


def test_an_addition_that_no_length_shows_is_said_not_to_show():
    bits = np.array([1, 8, 32, 62])
    in_cycles = 13.5 + 0.5 * bits

    def by_bits(name, cycles):
        return made_up.curve(
            f"cpu/division/{name}", bits, cycles * CYCLE_NS, axis_unit="1", processes=200
        )

    independent = by_bits("independent_by_bits", in_cycles)
    assert (
        DIVISION.addition(by_bits("chain_by_bits", in_cycles), independent).name
        == "addition hidden"
    )
    assert DIVISION.addition(by_bits("chain_by_bits", in_cycles + 1), independent) == []
