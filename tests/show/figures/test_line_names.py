"""Names beside the ends of lines."""

import numpy as np
import pytest
from helpers import figures, made_up

import reckon as rk
from reckon.show.figure_files import PHONE
from reckon.show.figures import line_names

SLOW, FAST = "memory/latency/slow", "memory/latency/fast"
NAMES = {SLOW: "slow loads", FAST: "fast loads"}


def picture(name, *curves):
    rk.draw.curves(list(curves), name, "Caption", "size [KiB]", NAMES)


def labels(name, ending):
    """The texts of a picture; matplotlib names each in a comment beside its letters' outlines."""
    text = figures.file(name, ending).read_text()
    return [part.split("-->")[0].strip() for part in text.split("<!--")[1:]]


def test_lines_are_named_at_their_ends_and_not_in_the_legend(build, monkeypatch):
    written = []
    real = line_names.write
    monkeypatch.setattr(
        line_names, "write", lambda *each: written.append(real(*each)) or written[-1]
    )
    slow = made_up.curve(SLOW, [1, 2, 4], [10, 20, 30])
    picture("named", slow, made_up.curve(FAST, [1, 2, 4], [1, 2, 3]))
    assert [name.get_text() for name in written[0]] == ["slow loads", "fast loads"]
    for ending in (".svg", PHONE):  # a phone's picture has them in the legend
        assert labels("named", ending).count("slow loads") == 1


@pytest.mark.parametrize("middles", [(0.5, 0.5, 0.5), (0.0, 0.02, 0.98), (1.0, 0.99, 0.1)])
def test_names_neither_overlap_nor_leave_the_axes(middles):
    heights = np.array([0.1, 0.2, 0.1])
    moved = line_names.apart(np.array(middles), heights)
    low, high = moved - heights / 2, moved + heights / 2
    assert low.min() >= -1e-9 and high.max() <= 1 + 1e-9
    order = np.argsort(moved)
    assert (low[order][1:] >= high[order][:-1] - 1e-9).all()
