"""Pieces of a page: MyST Markdown for the book, HTML for JupyterLab."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from . import settings


@dataclass(frozen=True, repr=False)
class Block:
    """A piece of a page in two spellings."""

    markdown: str
    html: str | None = None

    def __repr__(self) -> str:
        return f"<{len(self.markdown)} characters of Markdown>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/markdown": self.markdown}
        if self.html is not None and not settings.for_the_book():
            bundle["text/html"] = self.html
        return bundle

    def __add__(self, other: Block) -> Block:
        both = None if self.html is None and other.html is None else self._html() + other._html()
        return Block(f"{self.markdown}\n\n{other.markdown}", both)

    def _html(self) -> str:
        return self.html if self.html is not None else f"<p>{html.escape(self.markdown)}</p>"


def say(*sentences: str) -> Block:
    """Prose whose numbers were computed; Markdown."""
    return Block(" ".join(sentences))


def grid(header: list[str], rows: list[list[str]], caption: str, name: str,
         widths: list[int] | None = None) -> Block:  # fmt: skip
    """A numbered table. Cells are Markdown; `name` is its label for references; a column that says
    nothing ("–" all the way down) is left out."""
    kept = [i for i, title in enumerate(header) if i == 0 or any(row[i] != "–" for row in rows)]
    header, *rows = ([row[i] for i in kept] for row in [header, *rows])
    widths = [widths[i] for i in kept] if widths else None
    escape = lambda cell: str(cell).replace("|", "\\|").replace("\n", " ")  # noqa: E731
    lines = [f"| {' | '.join(map(escape, row))} |" for row in [header, *rows]]
    lines.insert(1, "|" + " --- |" * len(header))
    options = f":name: {name}\n"
    # In the PDF a long table may break across pages; a short one stays whole.
    options += ":class: longtable\n" if len(rows) > 12 else ""
    options += f":widths: {' '.join(map(str, widths))}\n" if widths else ""
    markdown = f":::{{table}} {caption}\n{options}\n" + "\n".join(lines) + "\n:::"
    plain = lambda cell: re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(str(cell)))  # noqa: E731
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{plain(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in [("th", header), *(("td", row) for row in rows)]
    )
    return Block(markdown, f"<table><caption>{html.escape(caption)}</caption>{body}</table>")
