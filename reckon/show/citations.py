"""The entries of book/references.bib, and texts that cite what it lacks."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from reckon import records
from reckon.config import ROOT
from reckon.errors import ReckonError
from reckon.messages import did_you_mean

_FILE = ROOT / "book" / "references.bib"
_ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)", re.M)
_CITED = re.compile(r"\{cite\}`([^`]+)`")


@functools.lru_cache(maxsize=4)
def _keys(path: Path, version: tuple[int, int, int]) -> list[str]:
    return _ENTRY.findall(path.read_text("utf-8"))


def check(text: str, where: str) -> None:
    """Raises ReckonError, naming the nearest entry, if the text cites one that is not there."""
    for fault in without_unknown(text, where)[1]:
        raise ReckonError(fault)


def without_unknown(text: str, where: str) -> tuple[str, list[str]]:
    """The text with words in the place of citations that are not there, and a sentence on each."""
    faults = []

    def replacement(citation: re.Match) -> str:
        keys = _keys(_FILE, records.version_of(_FILE))
        cited = re.split(r"\s*,\s*", citation[1].strip())
        unknown = [key for key in cited if key not in keys]
        for key in unknown:
            hint = did_you_mean(key, keys, f"add it to book/{_FILE.name}.")
            faults.append(f"{where} cites {key}, but book/{_FILE.name} has no entry {key}; {hint}")
        known = [key for key in cited if key in keys]
        parts = [f"{{cite}}`{','.join(known)}`"] if known else []
        return " ".join([*parts, *(f"(unknown source: {key})" for key in unknown)])

    return _CITED.sub(replacement, text), faults
