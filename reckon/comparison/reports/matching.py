"""Which values are of the same quantity: a report's, and this run's by the report's method."""

from __future__ import annotations

import math
import re

from reckon import records
from reckon.comparison.reports import method_groups, published
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.records.quantities.result import Result


def comparable_values(quantity: str) -> list[ReportedValue]:
    """The reports' values of a quantity; none where this book measures it on another scale."""
    if records.experiment_of(quantity) in method_groups.not_comparable():
        return []
    return published.measured_values(quantity)


def row_label(quantity: str) -> tuple[str, str]:
    """The experiment, and what is measured: quantities with equal labels share a row.

    The label is that of book/methods.toml, or the quantity's last part without a report's name.
    """
    experiment, _, name = quantity.rpartition("/")
    method = method_groups.method_of(quantity)
    if method and method.label:
        return experiment, method.label
    for report in published.all_reports():
        name = re.sub(rf"(^|_){report.name}(_|$)", "_", name).strip("_")
    return experiment, name


def is_decided(result: Result, reported: ReportedValue) -> bool:
    """Whether a report's value lies outside what another visit may give of this run's."""
    index = result.point_index(reported.at, reported.at_unit)
    if index is None:
        return True
    return not result.may_give(index, reported.measured_in(result.unit))


def value_here(result: Result, reported: ReportedValue) -> float:
    """This run's value of what a report's value is of, in base units; nan where there is none, or
    two groups of processes."""
    if result.is_curve and reported.slope:
        return result.line.slope if result.line else math.nan
    index = result.point_index(reported.at, reported.at_unit)
    if index is None or result.summaries[index].groups:
        return math.nan
    return float(result.medians[index])
