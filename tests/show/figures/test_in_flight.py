"""Requests under way at the same time, a row each."""

import pytest
from helpers.figures import assert_texts_touch_nothing, drawing
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from reckon.show.figures import in_flight
from reckon.show.figures.in_flight import Flight
from reckon.show.figures.text_bars import COLOURS

pytestmark = pytest.mark.usefixtures("folders")  # figures are no checkout's own


def bars(drawn, colour):
    """Where the bars of that colour begin and end, by their row's height."""
    boxes = [p for p in drawn.axes.patches if isinstance(p, Rectangle) and p.get_fill()]
    return [
        (box.get_y(), box.get_x(), box.get_x() + box.get_width())
        for box in boxes
        if to_hex(box.get_facecolor()) == colour and box.get_width()
    ]


def test_at_each_moment_as_many_are_served_as_by_littles_law(data):
    queue = [Flight("Made", "100 ns", 8, 100e-9, 25e-9)]
    block = in_flight.draw(queue, "made-queue", "Made", "served", "waiting")
    assert ":alt: Made: 8 under way at once, 100 ns, 25.0 ns of it served\n" in block.markdown
    served = bars(drawing("made-queue"), COLOURS["processor"])
    for moment in (3.1, 50.1, 77.7, 120.3):
        assert sum(begin <= moment < end for _, begin, end in served) == 2
    assert len({y for y, *_ in served}) == 8
    begins = sorted(begin for _, begin, _ in served if begin >= 0)
    assert [b - a for a, b in zip(begins, begins[1:], strict=False)] == pytest.approx(
        [12.5] * (len(begins) - 1)
    )
    assert data("made-queue")[1] == ["Made", "8", "100", "25"]


def test_requests_that_wait_for_nobody_alternate_in_colour():
    in_flight.draw([Flight("Made", "100 ns", 12.6, 100e-9)], "made-lines", "Made")
    drawn = drawing("made-lines")
    both = [bars(drawn, COLOURS[part]) for part in ("processor", "network")]
    assert [len({y for y, *_ in each}) for each in both] == [13, 13]
    first_row = min(y for y, *_ in both[0])
    ends = sorted(each[1:] for colour in both for each in colour if each[0] == first_row)
    assert all(a[1] == pytest.approx(b[0]) for a, b in zip(ends, ends[1:], strict=False))


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("number", [0.3, 1, 8, 35, 400])
def test_texts_touch_nothing(narrow, number):
    shown = "79.9 ns a line, one each 2.31 ns"
    flights = [Flight(f"Predicted: {number} lines", shown, number, 100e-9)]
    in_flight.draw([*flights, Flight("Measured: 13 lines", shown, 13, 80e-9)], "made-both", "Made")
    assert_texts_touch_nothing(drawing("made-both", narrow))
