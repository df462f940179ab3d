"""Where a figure's predictions lie, for what is drawn over it on the page."""

import json
import math

import numpy as np
import pytest
from helpers import figures, made_up

import reckon as rk
from reckon.show.figure_files import PHONE, PLACES

X = np.arange(1.0, 11)


@pytest.fixture
def places(build):
    """`places(name)` is what lies beside a figure that was drawn."""
    return lambda name: json.loads(figures.file(name, PLACES).read_text())


def share(value, found):
    """A value's share of its axis, as what-if-figures.js computes it."""
    low, high = found["limits"]
    if found["logarithmic"]:
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low)


def test_bars_lie_in_rows_from_the_top_on_a_logarithmic_axis_of_base_units(places):
    short, long = (made_up.single(f"cpu/made/{ns}", ns, "ns") for ns in (100, 3000))
    rk.draw.bars([long, short], "bars", "C")
    found = places("bars")
    assert [place["quantity"] for place in found["predictions"]] == [short.quantity, long.quantity]
    assert [place["at"] for place in found["predictions"]] == [[0.25], [0.75]]
    assert found["logarithmic"] and found["limits"][0] < 100e-9 < 3000e-9 < found["limits"][1]


def test_a_line_has_its_colour_where_a_figure_has_several(places):
    first, second = (
        made_up.curve(f"files/made/{name}", X, 12 + 7 * X, predicted=3 * X) for name in "ab"
    )
    rk.draw.curves([first], "one", "C", "x")
    assert [place["colour"] for place in places("one")["predictions"]] == [None]
    rk.draw.curves([first, second], "two", "C", "x")
    assert [place["colour"] for place in places("two")["predictions"]] == ["#0072B2", "#E69F00"]


def test_the_box_of_the_axes_is_that_of_both_pictures(places):
    """The dashed prediction in the picture ends where box, limits and shares say."""
    curve = made_up.curve("files/made/curve", X, 12 + 7 * X, predicted=30 + 3 * X)
    rk.draw.curves([curve], "box", "C", "x")
    found = places("box")
    for width, ending in (("wide", ".svg"), ("narrow", PHONE)):
        svg = figures.file("box", ending).read_text()
        size = np.array(svg.split('viewBox="0 0 ')[1].split('"')[0].split(), float)
        left, top, across, down = found[width]
        x = left + across * found["predictions"][0]["at"][-1]
        y = top + down * (1 - share(60e-9, found))
        assert end_of_dashed_line(svg) == pytest.approx(size * [x, y], abs=0.2)


def end_of_dashed_line(svg):
    before = svg[: svg.index("stroke-dasharray: 3.7")]
    path = before[before.rindex('<path d="M') :].split('"')[1]
    return np.array(path.split("L")[-1].split(), float)
