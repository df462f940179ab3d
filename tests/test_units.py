"""Units, and how numbers are printed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon import units
from reckon.errors import ReckonError


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        ("ns", 1e-9),
        ("µs", 1e-6),
        ("μs", 1e-6),
        ("us", 1e-6),
        ("KiB", 1024),
        ("kB", 1000),
        ("KB", 1000),
        ("Mbit/s", 125e3),
        ("Mb/s", 125e3),
        ("GB/s", 1e9),
        ("GHz", 1e9),
        ("Gcycle/s", 1e9),
        ("MT/s", 1e6),
        ("tick", 1),
        ("1", 1),
        ("%", 0.01),
        ("ns/byte", 1e-9),
        ("IO/s", 1),
        ("1/s", 1),
        ("ns / byte", 1e-9),
        ("cycles", 1),
        ("kilobytes/second", 1000),
    ],
)
def test_units_mean_what_the_field_means(unit, base):
    assert units.factor(unit) == pytest.approx(base, rel=1e-15)


@pytest.mark.parametrize(
    "unit",
    [
        "parsec",
        "degC",
        "dB",
        "rpm",
        "nanox",
        "GHzz",
        "M",
        "k%",
        "bs",
        "s/",
        "/s",
        "s//s",
        "ns byte",
    ],
)
def test_unknown_units_are_refused_with_examples(unit):
    with pytest.raises(ReckonError, match="is not a unit of this book; write for example"):
        units.factor(unit)


def test_cycles_and_time_do_not_mix():
    assert units.dimension("cycle") != units.dimension("1")
    assert units.dimension("GHz") == units.dimension("cycle") / units.dimension("s")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (99.96, "100"),
        (0.99996, "1.00"),
        (1234567, "1,230,000"),
        (0.00123, "0.00123"),
        (-2.5, "−2.50"),
        (9.1e-8, "9.10·10⁻⁸"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (12.34, "12.3"),
    ],
)
def test_numbers_are_printed_with_three_digits(value, text):
    assert units.number(value) == text


def test_amounts_climb_the_ladder():
    assert units.amount(93.1e-9, "ns") == "93.1 ns"
    assert units.amount(9.31e-6, "ns") == "9.31 µs"
    assert units.amount(9.9996e-7, "ns") == "1.00 µs"
    assert units.amount(3e9, "Gcycle/s") == "3.00 GHz"
    assert units.amount(64 * 1024, "byte") == "64.0 KiB"


@given(st.floats(1e-12, 1e14), st.sampled_from(["ns", "KiB", "GB/s", "Mcycle/s", "1"]))
def test_there_and_back(value, unit):
    assert units.from_base(units.to_base(value, unit), unit) == pytest.approx(value, rel=1e-12)


@given(st.floats(1e-4, 1e14))
def test_a_printed_number_is_within_half_a_digit(value):
    read = float(units.number(value).replace(",", ""))
    assert read == pytest.approx(value, rel=0.00501)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1024, "1,024"),
        (32768, "32,768"),
        (0.1 + 0.2, "0.300"),
        (1 / 64, "0.0156"),
        (-3, "−3"),
        (0, "0"),
        (2.9999999999, "3"),
        (1.5, "1.50"),
        (123456789, "123,456,789"),
    ],
)
def test_what_was_given_whole_is_printed_whole(value, text):
    assert units.plain(value) == text


def test_a_value_has_its_interval_in_the_same_unit():
    assert units.amount_with_interval(1e-8, 0.9e-8, 1.1e-8, "ns") == "10.0 ns (9.0 to 11.0)"
    assert units.amount_with_interval(1e-8, math.nan, math.nan, "ns") == "10.0 ns"
    assert units.amount_with_interval(24, 24, 24, "byte") == "24 bytes (24.0 to 24.0)"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((4.23, 1.2, 9.8), ("4.2", "1.2 to 9.8")),
        ((423, 190, 810), ("420", "190 to 810")),
        ((136, 128, 144), ("136", "128 to 144")),
        ((0.2731, 0.2729, 0.2733), ("0.2731", "0.2729 to 0.2733")),
        ((125.3, 122.4, 125.4), ("125.3", "122.4 to 125.4")),  # in three digits at its upper end
        ((9.996, 9.994, 9.998), ("9.996", "9.994 to 9.998")),
        ((2.6, 2.59999, 2.60001), ("2.600", "2.600 to 2.600")),  # four digits at most
        ((2, -40, 50), ("2", "−40 to 50")),  # one digit at least
        ((423, 3, 810), ("420", "3 to 810")),  # an end has one at least, too
        ((65_460, 51_600, 76_300), ("65,000", "52,000 to 76,000")),
        ((94, 88, 123), ("94", "88 to 123")),
        ((9.6, 9.04, 9.96), ("9.60", "9.04 to 9.96")),
        ((9.6, 7.96, 9.96), ("9.6", "8.0 to 10.0")),
        ((0, -1.5, 1.5), ("0", "−1.5 to 1.5")),
        ((4.23, 1.2, math.inf), ("4.23", "1.20 to ∞")),
        ((math.inf, 1.2, 9.8), ("∞", "1.20 to 9.80")),
        ((4.23, math.nan, math.nan), ("4.23", "")),
    ],
)
def test_the_width_of_an_interval_decides_the_digits(values, texts):
    assert units.number_and_interval(*values) == texts


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


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (64, "byte", "64 bytes"),
        (1, "byte", "1 byte"),
        (0.5, "byte", "0.500 bytes"),
        (150, "cycle", "150 cycles"),
        (4.25, "cycle", "4.25 cycles"),
        (3, "cycle/byte", "3 cycles/byte"),
        (1, "cycle/byte", "1 cycle/byte"),
        (500, "byte/s", "500 byte/s"),
        (8192, "byte", "8.00 KiB"),
        (3e9, "cycle/s", "3.00 GHz"),
    ],
)
def test_a_unit_that_is_a_word_has_a_plural(value, unit, text):
    assert units.amount(value, unit) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.75, "0.8 s"), (48.2, "48 s"), (730, "12 min"), (3599, "1 h 0 min"), (3900, "1 h 5 min")],
)
def test_a_duration_is_in_the_units_of_a_clock(seconds, text):
    assert units.duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1_234_567, "page", "1,234,567 pages"),
        (1_000_000, "", "1,000,000"),
        (0.25, "ms", "0.25 ms"),
        (2 * 2**20, "byte", "2 MiB"),
    ],
)
def test_a_position_is_written_as_its_author_gave_it(value, unit, text):
    assert units.position(units.to_base(value, unit or "1"), unit or "1") == text


def test_a_large_size_has_no_exponent():
    assert units.size(1_234_567, "1") == "1,230,000"


def test_a_dimension_without_a_name_writes_no_power_of_one():
    dimension = units.dimension("cycle * ns / byte / byte")
    assert units.dimension_name(dimension).endswith("cycle · information^-2 · time")
