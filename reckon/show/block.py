"""A piece of a page: MyST Markdown for the book, plain Markdown or a picture for other tools.

plain_markdown() uses regular expressions: markdown-it-py and myst-parser cannot write Markdown."""

from __future__ import annotations

import html
import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reckon.show.strength import labelled
from reckon.show.text import NONE, capitalised

# Kinds of tables: reckon.css fits the first four columns to a phone, or all of them; reckon.js
# sorts and searches.
RESULTS, COMPACT, SORTABLE = "results", "compact", "sortable"
MYST = "text/x-myst"  # the form of an output that the book shows; no other tool knows it
MEASURED = "measured"  # of an output's metadata: the quantities whose measured values it shows
PART_MARK = "% part "  # a comment in MyST, before what is of the part named behind it
FOR_INSTRUCTORS = "Solution, for instructors"  # the title of what the students' site leaves out
IN_PRINT = "in-print"  # the class of a picture that replaces the figure before it in the PDFs
NARROW = "-narrow"  # what the name of a figure's file for a phone ends in
_ROWS_ON_A_PAGE = 12  # in the PDF a longer table may break across pages


@dataclass(frozen=True, repr=False)
class Block:
    """A piece of a page; `svg` is the picture of a figure.

    measured: the quantities whose measured values it shows, if that is known. The site keeps it
    covered until its reader has predicted these (book/static/predict-first.js).
    """

    markdown: str
    svg: str | None = None
    measured: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{len(self.markdown)} characters of Markdown>"

    def _ipython_display_(self) -> None:
        """Displays nothing for an empty block.

        Otherwise raises NotImplementedError, upon which IPython calls _repr_mimebundle_().
        """
        if self.markdown:
            raise NotImplementedError

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.svg is None:
            elsewhere = {"text/markdown": plain_markdown(self.markdown)}
        else:
            elsewhere = {"text/html": self.svg}
        metadata = {MEASURED: [*self.measured]} if self.measured else {}
        return {MYST: self.markdown, **elsewhere}, metadata


def raw_html(element: str) -> str:
    """HTML of the site alone: print and JupyterLab leave it out."""
    return f"```{{raw}} html\n{element}\n```"


def what_if_anchor(quantities: Iterable[str], title: str = "") -> str:
    """Where book/static/what-if.js puts the panel that changes these quantities' predictions."""
    return raw_html(what_if_element(quantities, title))


def what_if_element(quantities: Iterable[str], title: str = "") -> str:
    """The same as an element of HTML."""
    attributes = f'data-quantities="{html.escape(" ".join(quantities))}"'
    attributes += f' data-what="{html.escape(title)}"'
    return f'<div class="reckon-what-if" {attributes}></div>'


def marked(quantity: str, text: str) -> str:
    """Text that follows from what was measured of the quantity, with the mark by which the site
    covers it outside of outputs (predict-first.js)."""
    return f'<span data-quantity="{quantity}">{text}</span>'


def for_students(markdown: str) -> str:
    """The text without the solutions that are for instructors."""
    solution = rf"^:::\{{dropdown\}} {FOR_INSTRUCTORS}\n.*?^:::$\n*"
    return re.sub(solution, "", markdown, flags=re.M | re.S)


def plain_markdown(markdown: str) -> str:
    """MyST's directives and roles as Markdown that JupyterLab renders, for students."""
    text = for_students(markdown)
    text = re.sub(r"^```\{raw\} html\n.*?^```$\n?", "", text, flags=re.M | re.S)
    text = re.sub(r"^```\{only\} html\n(.*?)^```$\n?", r"\1", text, flags=re.M | re.S)
    text = re.sub(r"^:::\{table\} (.*)$", r"*\1*", text, flags=re.M)
    text = re.sub(r"^:::.*\n?|^:[a-z]+:.*\n", "", text, flags=re.M)
    text = re.sub(r"\{cite\}`([^`]*)`", r"[\1]", text)
    text = re.sub(r"\{term\}`([^`<]*?)(?: <[^`>]*>)?`", r"\1", text)
    return re.sub(r"\{download\}`([^`<]*?) ?<[^`]*>`", r"\1", text)


def say(*sentences: str | list[str]) -> Block:
    """A paragraph of Markdown of sentences, or lists of them; empty ones are left out.

    Findings have their strength behind them. What begins with a dash is an item of a list.
    """
    lists = ([each] if isinstance(each, str) else each for each in sentences)
    text = ""
    for sentence in filter(None, itertools.chain(*lists)):
        text += ("\n" if sentence.startswith("- ") else " ") + labelled(sentence)
    return Block(text[1:])


def join_blocks(blocks: Iterable[Block]) -> Block:
    """Several blocks, one below the other; empty ones are left out."""
    return Block("\n\n".join(block.markdown for block in blocks if block.markdown))


def items(texts: Iterable[str]) -> Block:
    return Block("\n".join(f"- {text}" for text in texts))


def table_row(cells: list[str]) -> str:
    escaped = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"


class MissingCell(str):
    """ "unsupported: no huge pages": the cell of a value that is missing, with the reason."""

    state: str
    reason: str

    def __new__(cls, state: str, reason: str) -> MissingCell:
        cell = super().__new__(cls, f"{state}: {reason}")
        cell.state, cell.reason = state, reason.rstrip(".")
        return cell


def _with_shared_reasons_below(rows: list[list[str]]) -> tuple[list[list[str]], str]:
    """The rows without the reasons that several of them share; these reasons, a line for each."""
    counts = Counter(cell for row in rows for cell in row if isinstance(cell, MissingCell))
    shared = [cell for cell, count in counts.items() if count > 1]
    # One shared reason needs no letter to be found.
    marks = dict(zip(shared, string.ascii_lowercase if len(shared) > 1 else [""], strict=False))
    short = {cell: f"{cell.state} ({mark})" if mark else cell.state for cell, mark in marks.items()}
    notes = [f"{capitalised(text)}: {cell.reason}." for cell, text in short.items()]
    rows = [
        [short.get(cell, cell) if isinstance(cell, MissingCell) else cell for cell in row]
        for row in rows
    ]
    return rows, "\n".join(f"- {note}" for note in notes) if len(notes) > 1 else "".join(notes)


def grid(
    header: list[str],
    rows: list[list[str]],
    caption: str,
    name: str,
    widths: list[int] | None = None,
    kind: str = "",
) -> Block:
    """A numbered table of Markdown cells; `name` is its label for references.

    A column that holds only dashes is left out; a reason that several rows share is said once,
    below. Without rows it is a sentence: LaTeX fails at a table that has only a header. `widths`
    are percentages of the page's width. `kind` are classes of book/static: RESULTS, COMPACT,
    SORTABLE.
    """
    if not rows:
        return say(f"{caption}: nothing was measured.")
    rows, reasons = _with_shared_reasons_below(rows)
    columns = [i for i, _ in enumerate(header) if i == 0 or any(row[i] != NONE for row in rows)]
    head, *body = (table_row([row[i] for i in columns]) for row in [header, *rows])
    options = [f":name: {name}"]
    classes = [kind] if kind else []
    if len(rows) > _ROWS_ON_A_PAGE:
        classes.append("longtable")
    if classes:
        options.append(f":class: {' '.join(classes)}")
    if widths:
        options.append(f":widths: {' '.join(str(widths[i]) for i in columns)}")
    lines = [f":::{{table}} {caption}", *options, "", head, "|" + " --- |" * len(columns), *body]
    return join_blocks([Block("\n".join([*lines, ":::"])), Block(reasons)])


def table(
    columns: dict[str, int], rows: list[list[str]], caption: str, name: str, kind: str = ""
) -> Block:
    """The same with each column's title and width, in percent, given together."""
    return grid([*columns], rows, caption, name, [*columns.values()], kind)


def sorted_by(value: float, text: str) -> str:
    """The cell of a sortable table, with the value by which its column is sorted."""
    return f'<span data-sort="{value:g}"></span>{text}' if math.isfinite(value) else text


def short_name(quantity: str) -> str:
    """The last part of a quantity's name, in words."""
    return quantity.rsplit("/", 1)[-1].replace("_", " ")
