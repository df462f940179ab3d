"""Units, and how numbers are printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon import units


@given(st.floats(1e-12, 1e14), st.sampled_from(["ns", "KiB", "GB/s", "Mcycle/s", "1"]))
def test_there_and_back(value, unit):
    assert units.from_base(units.to_base(value, unit), unit) == pytest.approx(value, rel=1e-12)


@given(st.floats(1e-4, 1e14))
def test_a_printed_number_is_within_half_a_digit(value):
    read = float(units.number(value).replace(",", ""))
    assert read == pytest.approx(value, rel=0.00501)


def test_the_largest_number_is_printed():
    assert units.number(1.797e308) == "1.80·10³⁰⁸" and units.number(5e-324).endswith("·10⁻³²⁴")


def test_a_size_is_the_one_that_its_author_gave():
    assert units.size(1022 * 1024, "KiB") == "1,022 KiB"
    assert units.size(1022.4 * 1024, "KiB") == "1,020 KiB"


def read(text):
    """The number that was printed."""
    number, _, power = text.replace(",", "").replace("−", "-").partition("·10")
    return float(number) * 10.0 ** int(
        power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0
    )


def printed(middle, low, high):
    """The printed value and ends as texts."""
    text, ends = units.number_and_interval(middle, low, high)
    return text, *ends.split(" to ")


POSITIVE = st.floats(1e-6, 1e12)


@given(st.lists(POSITIVE, min_size=3, max_size=3).map(sorted))
def test_a_printed_interval_holds_the_printed_value(values):
    low, middle, high = values
    text, *ends = printed(middle, low, high)
    assert read(ends[0]) <= read(text) <= read(ends[1])


@given(POSITIVE, st.floats(1e-7, 1e3), st.floats(1.01, 1e3))
def test_a_narrower_interval_has_no_fewer_digits(middle, share, narrower):
    places = [
        units._last_place(middle, middle * (1 - part), middle * (1 + part))
        for part in (share, share / narrower)
    ]
    assert places[0] >= places[1]


@given(POSITIVE, st.floats(1e-4, 1e3))
def test_a_value_is_rounded_to_its_last_place_and_has_one_to_four_digits(middle, share):
    low, high = middle * (1 - share), middle * (1 + share)
    text, place = printed(middle, low, high)[0], units._last_place(middle, low, high)
    digits = len(text.partition("·")[0].replace(".", "").replace(",", "").strip("0"))
    assert abs(read(text) - middle) <= 0.5001 * 10.0**place
    assert 1 <= digits <= 4
    assert 100 * 10.0**place > (high - low) / 2 or digits == 1
