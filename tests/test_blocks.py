"""What a cell displays: MyST in the book, plain Markdown and pictures in JupyterLab."""

import numpy as np

import made_up
import reckon as rk
from reckon.blocks import Block, grid, plain
from reckon.results import Result


def test_a_table_is_numbered_in_the_book_and_plain_in_the_lab(monkeypatch):
    table = grid(["A", "B", "C"], [["1", "–", "x|y"], ["2", "–", "{cite}`fog-tables`"]],
                 "Two rows", "tab-two", [10, 20, 30])  # fmt: skip
    monkeypatch.setenv("RECKON_BOOK", "1")
    (markdown,) = table._repr_mimebundle_().values()
    assert markdown.startswith(":::{table} Two rows\n:name: tab-two\n:widths: 10 30\n")
    assert "| A | C |" in markdown and "x\\|y" in markdown  # the column of dashes is gone
    monkeypatch.delenv("RECKON_BOOK")
    (markdown,) = table._repr_mimebundle_().values()
    assert markdown.startswith("*Two rows*\n\n| A | C |") and ":::" not in markdown
    assert "[fog-tables]" in markdown


def test_a_figure_is_a_directive_in_the_book_and_a_picture_in_the_lab(monkeypatch):
    figure = Block(":::{figure} /figures/x.*\n:alt: words\n\nCaption\n:::", "<svg></svg>")
    assert figure._repr_mimebundle_() == {"text/html": "<svg></svg>"}
    monkeypatch.setenv("RECKON_BOOK", "1")
    assert "text/html" not in figure._repr_mimebundle_()


def test_roles_become_words():
    assert plain("{download}`data </figures/x.csv>` and {cite}`a,b`") == "data and [a,b]"


def test_a_long_table_may_break_across_pages():
    assert ":class: longtable" in grid(["A"], [["1"]] * 13, "Long", "tab-long").markdown
    assert "longtable" not in grid(["A"], [["1"]] * 12, "Short", "tab-short").markdown


def test_a_long_curve_of_a_report_shows_every_so_many_places(monkeypatch, folders):
    one = made_up.curve("files/read/t470_random", [2.0**k for k in range(-3, 15)], [2.0**k for k in range(18)],
                        unit="ms", axis_unit="MiB", predicted=np.geomspace(0.1, 30_000, 18))  # fmt: skip
    header, _, *rows = table_of(rk.show.among_curve(one, ["files/read/t470_random"], "Caption", "name", every=3))
    assert header == ["Machine", "0.5", "4", "32", "256", "2048", "16384"]
    assert rows[3][1] == "122 µs" and rows[3][-1] == "3.58 s"  # each in a unit of its own


def test_points_without_samples_for_one_reason_are_one_row():
    one = made_up.curve("files/read/size", [1, 2, 4, 8], [1, 2, 3, 4], axis_unit="MiB", missing=(2, 3))
    rows = table_of(rk.show.table([one], "Caption", "name"))
    assert [row[0] for row in rows[2:]] == ["size, 1 MiB", "size, 2 MiB", "size, 4 MiB to 8 MiB"]
    assert "cannot: no memory for it" in rows[-1]


def test_a_file_is_not_held_against_a_block():
    """One method tells the time of a whole file, another that of a block of it."""
    block, other, file = (made_up.single(f"files/read/{name}", value, "µs")
                          for name, value in (("ours", 50), ("theirs", 100), ("whole", 5000)))  # fmt: skip
    measured = file.measurement.model_copy(update={"op": "file"})
    file = Result(file.quantity, file.record.model_copy(update={"measurement": measured}), "measured")
    _, _, *rows = table_of(rk.show.methods([block, other, file], block, "Caption", "name"))
    assert rows[0][-1] == "1.00×" and rows[1][-1].startswith("2.0") and rows[2][-1] == "–"


def table_of(block):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block.markdown.splitlines()
            if line.startswith("|")]  # fmt: skip
