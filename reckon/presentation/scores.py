"""How far predictions were off, in the same measures on every page."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.reports import published

NEAR = 1.25  # a prediction is met within this factor
WITHIN = (NEAR, 2, 10)  # factors off; the share of predictions within each is printed


def typical_factor(factors_off: np.ndarray) -> str:
    """The geometric mean of factors of at least 1."""
    return units.number(float(np.exp(np.mean(np.log(factors_off)))))


def shares_within(factors_off: np.ndarray) -> dict[float, str]:
    """The share of factors within each limit."""
    return {limit: f"{100 * np.mean(factors_off <= limit):.0f} %" for limit in WITHIN}


def report_ratios() -> list[tuple[published.Report, np.ndarray]]:
    """Measured over predicted by report, for every figure that has both and is not an aside."""
    by_report = []
    for report in published.all_reports():
        pairs = [(f.measured, f.predicted) for f in report.figure if not f.aside]
        ratios = [measured / predicted for measured, predicted in pairs if measured and predicted]
        if ratios:
            by_report.append((report, np.array(ratios)))
    return by_report
