"""Pieces of a page: MyST Markdown for the book, HTML for JupyterLab."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """A piece of a page in two spellings."""

    markdown: str
    html: str | None = None

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"text/markdown": self.markdown}
        if self.html is not None:
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
    """A numbered table. Cells are Markdown; `name` is its label for references."""
    escape = lambda cell: str(cell).replace("|", "\\|").replace("\n", " ")  # noqa: E731
    lines = [f"| {' | '.join(map(escape, row))} |" for row in [header, *rows]]
    lines.insert(1, "|" + " --- |" * len(header))
    options = f":name: {name}\n" + (f":widths: {' '.join(map(str, widths))}\n" if widths else "")
    markdown = f":::{{table}} {caption}\n{options}\n" + "\n".join(lines) + "\n:::"
    plain = lambda cell: re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(str(cell)))  # noqa: E731
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{plain(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in [("th", header), *(("td", row) for row in rows)]
    )
    return Block(markdown, f"<table><caption>{html.escape(caption)}</caption>{body}</table>")
