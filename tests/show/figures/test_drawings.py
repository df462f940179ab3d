"""The files of a figure: drawn again only where the drawing is another one."""

import pytest

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
    """A function: draws, and gives which of the figure's files are new."""

    def draw_again(*what):
        before = {path: path.stat().st_mtime_ns for path in (build / "figures").glob("*")}
        draw(*what)
        paths = sorted((build / "figures").glob("*"))
        assert [path.name for path in paths] == NAMES
        return [path.name for path in paths if path.stat().st_mtime_ns != before.get(path)]

    assert draw_again(1) == NAMES
    return draw_again


def test_the_same_drawing_is_not_written_again(drawn):
    assert drawn(1, "2") == ["a.csv"]  # what lies beside it is


def test_another_drawing_replaces_all_files(drawn):
    assert drawn(2) == NAMES


def test_the_last_few_drawings_are_kept_and_others_drawn_again(build, monkeypatch):
    printed, for_print = [], drawings.printing.for_print
    monkeypatch.setattr(
        drawings.printing, "for_print", lambda figure: printed.append(figure) or for_print(figure)
    )
    pdf = build / "figures/a.pdf"
    draw(1)
    first = pdf.read_bytes()
    for height in (2, 3, 4):
        draw(height)
    draw(1)
    assert len(printed) == 4 and pdf.read_bytes() == first
    draw(5)
    draw(1)
    assert len(printed) == 6


def test_other_code_draws_again(drawn, build, monkeypatch):
    (build / "figures/a.pdf").write_bytes(b"by the code before")
    monkeypatch.setattr(drawings, "_code", lambda: "other")
    assert len([*(build / "cache/drawn/a").iterdir()]) == 1
    assert drawn(1) == ["a.csv", "a.pdf"]
    assert len([*(build / "cache/drawn/a").iterdir()]) == 2
