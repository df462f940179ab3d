"""What a cell displays: MyST in the book, plain Markdown and pictures in JupyterLab."""

from reckon.blocks import Block, grid, plain


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
