"""The glossary's definitions as plain text, which the site shows beside its terms."""

from __future__ import annotations

import re
import textwrap

from reckon.config import ROOT
from reckon.show.block import plain_markdown

_GLOSSARY = re.compile(r"^```\{glossary\}\n(?P<entries>.*?)^```", re.MULTILINE | re.DOTALL)
# Its terms, each on a line, and the indented lines that define them.
_ENTRY = re.compile(
    r"^(?P<terms>(?:\S.*\n)+)(?P<definition>(?:[ ]+\S.*\n|\n(?=[ ]))+)", re.MULTILINE
)
_LINK = re.compile(r"\[([^][]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[`*]")


def definitions() -> dict[str, str]:
    """The definition of each term, by the identifier of its entry in the page's address."""
    text = (ROOT / "book" / "glossary.md").read_text("utf-8")
    glossary = _GLOSSARY.search(text)
    entries = _ENTRY.finditer(glossary["entries"]) if glossary else []
    return {
        _identifier(term): _plain(entry["definition"])
        for entry in entries
        for term in entry["terms"].splitlines()
    }


def _identifier(term: str) -> str:
    """As Sphinx makes it of a term."""
    return "term-" + re.sub(r"[^\w]+", "-", term).strip("-")


def _plain(definition: str) -> str:
    words = _LINK.sub(r"\1", plain_markdown(textwrap.dedent(definition)))
    return " ".join(_MARKUP.sub("", words).split())
