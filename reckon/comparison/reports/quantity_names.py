"""Which quantities this book has."""

from __future__ import annotations

import functools
import re

from reckon import config
from reckon.comparison.reports import method_groups
from reckon.records import notebook_cells


@functools.cache
def _code(experiment: str) -> str:
    """The code of an experiment's notebook; of one that is broken, all; without one, nothing."""
    path = config.ROOT / "notebooks" / f"{experiment}.ipynb"
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8")
    cells = notebook_cells.sources(text) or [text.replace('\\"', '"')]  # executing it reports that
    return "\n".join(cells)


def exists(quantity: str) -> bool:
    """Whether book/methods.toml lists the quantity or the code of its experiment's notebook names
    it.
    """
    experiment, _, name = quantity.rpartition("/")
    is_listed = method_groups.method_of(quantity) is not None
    return is_listed or bool(name and re.search(rf'["/]{re.escape(name)}"', _code(experiment)))
