"""The figures that a test drew: their files, with those that a book draws later, and what lies where."""

from pathlib import Path

from reckon.show import figure_files
from reckon.show.figure_files import LATER
from reckon.show.figures import drawings


def file(name: str, ending: str) -> Path:
    """The file of the figure of that name; all that are still to be drawn are drawn first."""
    drawings.draw_later(figure_files.undrawn(LATER), LATER)
    return figure_files.path(name, ending)


def drawing(name, narrow=False):
    """The figure of that name as its page keeps it, or as a phone shows it."""
    drawn, _ = figure_files.kept(name)
    if narrow:
        drawn._make_narrow()
    drawn.figure.draw_without_rendering()
    return drawn


def assert_texts_touch_nothing(drawn):
    """Neither one another nor what is drawn, nor does any leave the axes."""
    axes = drawn.axes
    room = axes.get_window_extent().padded(1)
    bars = [patch.get_window_extent() for patch in axes.patches]
    assert axes.texts and bars
    assert_apart(axes.texts)
    for text in axes.texts:
        place = text.get_window_extent()
        assert not any(place.overlaps(bar) for bar in bars)
        assert room.x0 <= place.x0 and place.x1 <= room.x1, text.get_text()


def assert_apart(texts):
    """No text overlaps another."""
    places = [text.get_window_extent() for text in texts]
    for i, place in enumerate(places):
        assert not any(place.overlaps(other) for other in places[:i]), texts[i].get_text()
