"""What a reader sees instead of a quantity's name.

The names stand in the experiment's notebook, in the cells tagged "titles": dictionaries of strings,
by the last part of the quantity's name. A quantity without an entry is called by that last part.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path

from reckon import config, records
from reckon.presentation.block import short_name
from reckon.reports import published
from reckon.reports.other_machines import Row

_TAG = "titles"


def title_of(quantity: str) -> str:
    """What tables and sentences call the quantity; of a report's method, also whose it is."""
    quantity = quantity.removeprefix(records.METHODS_PREFIX)
    experiment, _, name = quantity.rpartition("/")
    titles = _notebook(experiment)[1]
    if name in titles:
        return titles[name]
    for report in published.all_reports():
        if name == report.name:
            return f"method of the report on the {report.machine}"
        if name.startswith(f"{report.name}_"):
            of_reckon = name.removeprefix(f"{report.name}_")
            return f"{titles.get(of_reckon, short_name(of_reckon))} (method: {report.machine})"
    return short_name(quantity)


def with_titles(text: str) -> str:
    """The text with titles in the place of quantities' names between backticks."""
    return re.sub(r"`((?:[a-z]+/){2}\w+)`", lambda name: title_of(name[1]), text)


def machines_of(reports: Iterable[str]) -> list[str]:
    """The machines of the reports with these names."""
    return [report.machine for report in published.all_reports() if report.name in reports]


def page_title(experiment: str) -> str:
    """The heading of the experiment's page; the experiment's name without a notebook."""
    return _notebook(experiment)[0] or experiment


def row_title(row: Row) -> str:
    """The page of a row of several machines, and which of its quantities the row is of."""
    what = f": {title_of(f'{row.experiment}/{row.name}')}" if row.name else ""
    return f"{page_title(row.experiment)}{what}{row.method_note}"


def link(quantity: str) -> str:
    """The page's heading and the quantity's title, linked to the page."""
    experiment = records.experiment_of(quantity.removeprefix(records.METHODS_PREFIX))
    return page_link(experiment, f": {title_of(quantity)}")


def page_link(experiment: str, more: str = "") -> str:
    """The heading of the experiment's page, followed by `more`, linked to the page."""
    return f"[{page_title(experiment)}{more}](/notebooks/{experiment}.ipynb)"


def every_title() -> str:
    """All headings and titles as one text, by which a change of any is noticed."""
    folder = config.ROOT / "notebooks"
    experiments = [path.relative_to(folder).with_suffix("") for path in folder.glob("*/*.ipynb")]
    return json.dumps({name: _notebook(name) for name in sorted(map(str, experiments))})


def _notebook(experiment: str) -> tuple[str, dict[str, str]]:
    """The heading and the titles of an experiment's notebook; empty where it cannot be read."""
    path = config.ROOT / "notebooks" / f"{experiment}.ipynb"
    try:
        return _parsed(path, records.version_of(path))
    except (OSError, ValueError, LookupError, SyntaxError):  # executing the notebook reports it
        return "", {}


@functools.lru_cache(maxsize=64)
def _parsed(path: Path, version: tuple[int, int, int]) -> tuple[str, dict[str, str]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    heading = "".join(cells[0]["source"]).partition("\n")[0].removeprefix("# ")
    titles: dict[str, str] = {}
    for cell in cells:
        if _TAG in cell["metadata"].get("tags", []):
            titles |= _literal_dictionaries("".join(cell["source"]))
    return heading, titles


def _literal_dictionaries(source: str) -> dict[str, str]:
    """The entries of the dictionaries that the cell's statements assign as they are."""
    entries: dict[str, str] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            entries |= ast.literal_eval(statement.value)
    return entries
