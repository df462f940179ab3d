"""The files of a figure: drawn when a book needs them, again only where the drawing is another."""

import pytest

from reckon import build_context
from reckon.build_context import BuildContext
from reckon.show import figure_files
from reckon.show.figure_files import LATER, PHONE, PRINT
from reckon.show.figures import drawings

NAMES = ["a-narrow.svg", "a.csv", "a.pdf", "a.svg"]


def draw(height, number="1"):
    with drawings.empty(2.0) as drawing:
        axes = drawing.figure.add_subplot()
        axes.plot([0, height])
        drawing.panels.append(axes)
        drawing.save("a", "A line.", "A line", drawings.Data(["x"], [[number]]))


@pytest.fixture
def drawn(build):
    """A function: draws, all files, and gives which of the figure's files are new."""

    def draw_again(*what):
        before = {path: path.stat().st_mtime_ns for path in (build / "figures").glob("*")}
        draw(*what)
        drawings.draw_later(figure_files.undrawn(LATER), LATER)
        paths = sorted((build / "figures").glob("*"))
        assert [path.name for path in paths] == NAMES
        return [path.name for path in paths if path.stat().st_mtime_ns != before.get(path)]

    assert draw_again(1) == NAMES
    return draw_again


def test_the_same_drawing_is_not_written_again(drawn):
    assert drawn(1, "2") == ["a.csv"]  # what lies beside it is


def test_another_drawing_replaces_all_files(drawn):
    assert drawn(2) == NAMES


def test_other_code_draws_again(drawn, monkeypatch):
    monkeypatch.setattr(drawings, "_code", lambda: "other")
    assert drawn(1) == ["a-narrow.svg", "a.csv", "a.pdf"]


def test_a_book_draws_what_it_needs(build):
    """A site has no use for pictures for print."""
    draw(1)
    draw(1)
    assert not [path for ending in LATER if (path := figure_files.path("a", ending)).exists()]
    drawings.draw_later(figure_files.undrawn([PHONE]), [PHONE])
    assert figure_files.undrawn([PHONE]) == []
    phone = figure_files.path("a", PHONE).stat()
    assert figure_files.undrawn([PRINT]) == figure_files.undrawn(LATER) == ["a"]
    drawings.draw_later(["a"], LATER)
    assert figure_files.path("a", PHONE).stat() == phone
    assert figure_files.undrawn(LATER) == []


def test_a_page_that_is_executed_alone_draws_all_that_its_book_needs(build, monkeypatch):
    alone = BuildContext(build / "events", build / "reads", draws=(PHONE,))
    monkeypatch.setattr(build_context, "_current", alone)
    draw(1)
    assert figure_files.undrawn([PHONE]) == []
    first = figure_files.path("a", PHONE).stat()
    draw(1)
    assert figure_files.path("a", PHONE).stat() == first
    assert figure_files.undrawn([PRINT]) == ["a"]


def test_nothing_of_an_earlier_drawing_is_left(drawn, build):
    """Stopped between both, a build would show the earlier one on a phone."""
    draw(2)
    assert sorted(path.name for path in (build / "figures").glob("*")) == ["a.csv", "a.svg"]
    assert figure_files.undrawn([PRINT]) == ["a"]


def test_what_was_kept_of_a_page_that_is_not_made_is_no_figure(build):
    draw(1)
    figure_files.path("a", ".svg").unlink()
    assert figure_files.undrawn(LATER) == []
    draw(1)
    assert figure_files.undrawn(LATER) == ["a"]
