"""Which quantities this book has."""

from __future__ import annotations

import functools
import json
import re

from reckon import config
from reckon.reports import method_groups


@functools.cache
def _code(experiment: str) -> str:
    """The code of an experiment's notebook; nothing where there is no such notebook."""
    path = config.ROOT / "notebooks" / f"{experiment}.ipynb"
    if not path.is_file():
        return ""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def exists(quantity: str) -> bool:
    """Whether book/methods.toml lists the quantity or the code of its experiment's notebook names
    it.
    """
    experiment, _, name = quantity.rpartition("/")
    is_listed = method_groups.method_of(quantity) is not None
    return is_listed or bool(name and re.search(rf'["/]{re.escape(name)}"', _code(experiment)))
