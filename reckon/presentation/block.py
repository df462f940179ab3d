"""Pieces of a page: MyST Markdown for the book, plain Markdown for JupyterLab."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reckon import config


@dataclass(frozen=True, repr=False)
class Block:
    """A piece of a page. `svg` is its picture, where it is a figure."""

    markdown: str
    svg: str | None = None

    def __repr__(self) -> str:
        return f"<{len(self.markdown)} characters of Markdown>"

    def _ipython_display_(self) -> None:
        """Nothing to say is not displayed at all; the rest is left to the method below (IPython's protocol)."""
        if self.markdown:
            raise NotImplementedError

    def _repr_mimebundle_(self, include=None, exclude=None):
        if config.for_the_book():
            return {"text/markdown": self.markdown}
        if self.svg is not None:
            return {"text/html": self.svg}
        return {"text/markdown": plain(self.markdown)}


def plain(markdown: str) -> str:
    """MyST's directives and roles as Markdown that JupyterLab renders."""
    text = re.sub(r"^:::\{table\} (.*)$", r"*\1*", markdown, flags=re.M)
    text = re.sub(r"^:::.*\n?|^:[a-z]+:.*\n", "", text, flags=re.M)
    text = re.sub(r"\{cite\}`([^`]*)`", r"[\1]", text)
    return re.sub(r"\{download\}`([^`<]*?) ?<[^`]*>`", r"\1", text)


def say(*sentences: str) -> Block:
    """Prose whose numbers were computed; Markdown."""
    return Block(" ".join(filter(None, sentences)))


def grid(
    header: list[str],
    rows: list[list[str]],
    caption: str,
    name: str,
    widths: list[int] | None = None,
) -> Block:
    """A numbered table. Cells are Markdown; `name` is its label for references; a column that says
    nothing ("–" all the way down) is left out. Without rows it is a sentence: LaTeX knows no such table."""
    if not rows:
        return say(f"{caption}: nothing, because nothing of it was measured.")
    kept = [i for i, title in enumerate(header) if i == 0 or any(row[i] != "–" for row in rows)]
    header, *rows = ([row[i] for i in kept] for row in [header, *rows])
    escape = lambda cell: str(cell).replace("|", "\\|").replace("\n", " ")  # noqa: E731
    lines = [f"| {' | '.join(map(escape, row))} |" for row in [header, *rows]]
    lines.insert(1, "|" + " --- |" * len(header))
    options = f":name: {name}\n"
    # In the PDF a long table may break across pages; a short one stays whole.
    options += ":class: longtable\n" if len(rows) > 12 else ""
    options += f":widths: {' '.join(str(widths[i]) for i in kept)}\n" if widths else ""
    return Block(f":::{{table}} {caption}\n{options}\n" + "\n".join(lines) + "\n:::")


def label(quantity: str) -> str:
    """The last part of a quantity's name, in words."""
    return quantity.rsplit("/", 1)[-1].replace("_", " ")
