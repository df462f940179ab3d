"""The files of figures: which are drawn beside the page's, and which of them are still to be drawn.

A page draws each figure for the site, and keeps the drawing. The build draws from it, on all CPUs,
what the book that is made needs besides: pictures for a phone or for print, twice the work.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reckon import config, records
from reckon.show.block import NARROW

PHONE, PRINT = f"{NARROW}.svg", ".pdf"  # what the names of these files end in
PLACES = "-places.json"  # likewise of where the predictions lie in the site's and the phone's
LATER = (PHONE, PRINT)


def path(name: str, ending: str) -> Path:
    return config.settings().build_dir / "figures" / f"{name}{ending}"


def keep(name: str, drawing: Any, version: str) -> None:
    """Keep the drawing for what is drawn later, unless the last one was of the same version."""
    digest = _kept(name).with_suffix(".digest")
    is_whole = _kept(name).exists() or not missing(name, LATER)
    if is_whole and digest.exists() and digest.read_text("utf-8") == version:
        return
    for ending in (*LATER, PLACES):
        path(name, ending).unlink(missing_ok=True)
    records.make_folder(digest.parent)
    records.write_whole(_kept(name), pickle.dumps(drawing))
    records.write_whole(digest, version)


def missing(name: str, endings: Iterable[str]) -> list[str]:
    """Those of the endings of which the figure has no file."""
    return [ending for ending in endings if not path(name, ending).exists()]


def undrawn(endings: Iterable[str]) -> list[str]:
    """The names of the figures that lack such a file, those of the largest drawings first; a kept
    drawing alone, whose page is not made here, is none."""
    endings = [*endings]
    drawings = sorted(_kept("").parent.glob("*.drawing"), key=_size, reverse=True)
    names = [each.stem for each in drawings if path(each.stem, ".svg").exists()]
    return [name for name in names if missing(name, endings)]


def kept(name: str) -> Any:
    return pickle.loads(_kept(name).read_bytes())


def forget(name: str) -> None:
    """Remove the kept drawing, of which all is drawn."""
    if not missing(name, LATER):
        _kept(name).unlink()


def _kept(name: str) -> Path:
    return config.settings().build_dir / "drawings" / f"{name}.drawing"


def _size(file: Path) -> int:
    return file.stat().st_size


def record_copy(experiment: str) -> str:
    """Where the staged book has a copy of the experiment's record."""
    return f"figures/record-{experiment.replace('/', '-')}.json"
