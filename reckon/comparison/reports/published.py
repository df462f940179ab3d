"""The published reports, read from book/reports, and their values by quantity."""

from __future__ import annotations

import functools
from pathlib import Path

from reckon import config, toml_files
from reckon.comparison.reports.report import Report
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.errors import ReckonError

FOLDER = config.ROOT / "book" / "reports"


def read(path: Path) -> Report:
    """The report in that file. Raises ReckonError with the first entry that does not fit the
    schema.
    """
    if not path.exists():
        raise ReckonError(f"There is no report {path.stem} in {path.parent}.")
    return toml_files.read(path, Report)


def _read_and_check(path: Path) -> Report:
    report = read(path)
    for fault in report.faults():
        raise ReckonError(f"{path}: {fault}.")
    return report


@functools.cache
def all_reports() -> tuple[Report, ...]:
    """Every report, in alphabetical order. Raises ReckonError with the first fault of any."""
    return tuple(_read_and_check(path) for path in sorted(FOLDER.glob("*.toml")))


@functools.cache
def reported_values() -> tuple[ReportedValue, ...]:
    return tuple(value for report in all_reports() for value in report.values)


def measured_values(quantity: str) -> list[ReportedValue]:
    """What the reports measured of a quantity, in alphabetical order of the reports."""
    return [
        value
        for value in reported_values()
        if value.quantity == quantity and value.measured is not None
    ]
