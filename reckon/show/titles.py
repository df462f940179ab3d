"""What a reader sees instead of a quantity's name.

The names stand in the experiment's notebook, in the cells tagged "titles": dictionaries of strings,
by the last part of the quantity's name. A quantity without an entry is called by that last part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from reckon import config, records, units
from reckon.comparison.reports import published
from reckon.comparison.reports.other_machines import Row
from reckon.records import notebook_cells
from reckon.records.run_files.models import Measurement
from reckon.show.block import short_name
from reckon.show.text import literal

# A parameter in the words of a probe: with its unit at the end, or between backticks.
_PARAMETER = re.compile(
    r"`?\b(?P<with_unit>(?:[a-z]+_)+(?P<unit>bytes|ms|us|ns|percent))\b`?|`(?P<name>[a-z_]+)`"
)
_UNITS = {"bytes": "byte", "percent": "%", None: "1"}  # of those that are spelt in another way


def title_of(quantity: str) -> str:
    """What tables and sentences call the quantity; of a report's method, also whose it is."""
    quantity = quantity.removeprefix(records.METHODS_PREFIX)
    experiment, _, name = quantity.rpartition("/")
    if name and (title := _title(experiment, name)):
        return title
    for report in published.all_reports():
        if name == report.name:
            return f"method of the report on the {report.machine}"
        if name.startswith(f"{report.name}_"):
            of_reckon = name.removeprefix(f"{report.name}_")
            title = (of_reckon and _title(experiment, of_reckon)) or short_name(of_reckon)
            return f"{title} (method: {report.machine})"
    return short_name(quantity)


def with_titles(text: str) -> str:
    """The text with titles in the place of quantities' names between backticks."""
    return re.sub(r"`((?:[a-z]+/){2}\w+)`", lambda name: title_of(name[1]), text)


def what_is_timed(measurement: Measurement) -> str:
    """What lies between the two clock reads, as Markdown. A parameter is shown as its value, as far
    as the record has one: "4 KiB apart", else "N bytes apart"."""

    def shown(parameter: re.Match) -> str:
        name = parameter["with_unit"] or parameter["name"]
        unit = _UNITS.get(parameter["unit"], parameter["unit"])
        value = measurement.params.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and value > 0 and name != measurement.axis:
            is_count = parameter["unit"] is None
            return units.plain(value) if is_count else units.size(units.to_base(value, unit), unit)
        if parameter["with_unit"] or name == measurement.axis:
            return f"N {units.symbol(unit)}".rstrip()
        return parameter[0]

    return with_titles(literal(_PARAMETER.sub(shown, measurement.timed)))


_COUNTED = {"[information]": "bytes", "[cycle]": "cycles", "[tick]": "ticks"}


def question_of(measurement: Measurement, unit: str) -> str:
    """What a reader is asked below the quantity's title: "How long does one call take?"."""
    powers = {base: int(power) for base, power in units.dimension(unit).items()}  # type: ignore[arg-type]
    counted = next((word for base, word in _COUNTED.items() if base in powers), None)
    if powers.get("[time]", 0) > 0:
        return f"How long does one {measurement.op} take?"
    if powers.get("[time]", 0) < 0:
        return f"How many {counted or f'{measurement.op}s'} a second?"
    return f"How many {counted}?" if counted else "How large is it?"


def machines_of(reports: Iterable[str]) -> list[str]:
    return [report.machine for report in published.all_reports() if report.name in reports]


def page_title(experiment: str) -> str:
    """The heading of the experiment's page; the experiment's name without a notebook."""
    return _title(experiment, "") or experiment


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


def _title(experiment: str, name: str) -> str | None:
    """The title of a quantity, or, of "", the heading; None where the notebook has none.

    The page that shows it depends on it, and on no other title."""
    path = _notebook(experiment)
    records.note_read(path, f"#{name}")
    try:
        return notebook_cells.titles(path, records.version_of(path)).get(name)
    except OSError:
        return None


def _notebook(experiment: str) -> Path:
    return config.ROOT / "notebooks" / f"{experiment}.ipynb"
