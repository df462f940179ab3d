"""The entries of book/references.bib, and texts that cite what it lacks."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from reckon import records
from reckon.config import ROOT, ReckonError
from reckon.messages import did_you_mean

_FILE = ROOT / "book" / "references.bib"
_ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)", re.M)
_CITED = re.compile(r"\{cite\}`([^`]+)`")


@functools.lru_cache(maxsize=4)
def _keys(path: Path, version: tuple[int, int, int]) -> list[str]:
    return _ENTRY.findall(path.read_text("utf-8"))


def check(text: str, where: str) -> None:
    """Raises ReckonError, naming the nearest entry, if the text cites one that is not there."""
    for cited in _CITED.findall(text):
        keys = _keys(_FILE, records.version_of(_FILE))
        for key in re.split(r"\s*,\s*", cited.strip()):
            if key not in keys:
                hint = did_you_mean(key, keys, f"add it to book/{_FILE.name}.")
                raise ReckonError(
                    f"{where} cites {key}, but book/{_FILE.name} has no entry {key}; {hint}"
                )
