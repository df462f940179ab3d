"""What a cell displays: MyST for the book, plain Markdown and pictures for other tools."""

from reckon.show.block import MYST, Block, MissingCell, grid, plain_markdown


def test_a_table_is_numbered_in_the_book_and_plain_elsewhere():
    table = grid(
        ["A", "B", "C"],
        [["1", "–", "x|y"], ["2", "–", "{cite}`fog-tables`"]],
        "Two rows",
        "tab-two",
        [10, 20, 30],
    )
    forms, _ = table._repr_mimebundle_()
    markdown = forms[MYST]
    assert markdown.startswith(":::{table} Two rows\n:name: tab-two\n:widths: 10 30\n")
    assert "| A | C |" in markdown and "x\\|y" in markdown  # the column of dashes is gone
    markdown = forms["text/markdown"]
    assert markdown.startswith("*Two rows*\n\n| A | C |") and ":::" not in markdown
    assert "[fog-tables]" in markdown


def test_a_figure_is_a_directive_in_the_book_and_a_picture_elsewhere():
    directive = ":::{figure} /figures/x.*\n:alt: words\n\nCaption\n:::"
    forms, _ = Block(directive, "<svg></svg>")._repr_mimebundle_()
    assert forms == {MYST: directive, "text/html": "<svg></svg>"}


def test_roles_become_words():
    assert plain_markdown("{download}`data </figures/x.csv>` and {cite}`a,b`") == "data and [a,b]"
    assert plain_markdown("```{only} html\nOn the site.\n```\n") == "On the site.\n"


def test_a_reason_that_rows_share_is_said_once_below_the_table():
    def lines(*reasons):
        rows = [[f"row {i}", MissingCell("unsupported", why)] for i, why in enumerate(reasons)]
        return grid(["Quantity", "Value"], rows, "C", "n").markdown.splitlines()[5:]

    assert lines("no peer.") == ["| row 0 | unsupported: no peer. |", ":::"]
    assert lines("no peer.", "no fio", "no peer.") == [
        "| row 0 | unsupported |",
        "| row 1 | unsupported: no fio |",
        "| row 2 | unsupported |",
        ":::",
        "",
        "Unsupported: no peer.",
    ]
    assert lines("no peer", "no fio", "no peer", "no fio")[1:] == [
        "| row 1 | unsupported (b) |",
        "| row 2 | unsupported (a) |",
        "| row 3 | unsupported (b) |",
        ":::",
        "",
        "- Unsupported (a): no peer.",
        "- Unsupported (b): no fio.",
    ]


def test_a_table_without_rows_is_a_sentence():
    """Sphinx's LaTeX ends with StopIteration at a table that has only a header."""
    shown = grid(["Quantity", "Value"], [], "What TCP did", "tcp").markdown
    assert "table" not in shown and shown.startswith("What TCP did: nothing")
