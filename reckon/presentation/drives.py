"""The plausibility check of readers that share a drive: their total rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.prediction.inputs import Input
from reckon.presentation.block import Block, label, table
from reckon.records.result import Result
from reckon.reports import published

_COLUMNS = {
    "Figures of": 26,
    "Maximum, and its number of readers": 24,
    "The drive's limit": 36,
    "Above it": 14,
}


@dataclass(frozen=True)
class _Readers:
    """How long N readers took, each for a block of its own."""

    count: float
    time_s: float
    block_bytes: float

    @property
    def rate(self) -> float:
        """Bytes a second of all readers together."""
        return self.count * self.block_bytes / self.time_s


def drives(
    results: list[Result], block_bytes: float, limit: Input, caption: str, name: str
) -> Block:
    """The rate of N readers together, N blocks in a reader's time for one, and the drive's limit.

    limit: of this run's drive, in bytes a second. A report is compared with what it states of its
    own drive, and left out if it states none.
    """
    rows = []
    maximum = float(np.max(limit.value if limit.high is None else limit.high))
    source = limit.source if limit.high is None else f"at most, {limit.source}"
    for result in results:
        title = label(result.quantity)
        if result.has_samples:
            points = zip(result.axis, result.medians, strict=True)
            curve = [_Readers(count, time_s, block_bytes) for count, time_s in points]
            rows.append([f"{title}, this run", *_cells(curve, maximum, source)])
        for report in published.all_reports():
            curve = [
                _Readers(figure.at, figure.measured_in(result.unit), block_bytes)
                for figure in published.of(result.quantity)
                if figure.report == report.name and figure.at is not None
            ]
            stated = _stated_rate(report)
            if curve and stated:
                cited = f"as its report states {{cite}}`{report.cite}`"
                rows.append([f"{title}, its report", *_cells(curve, stated, cited)])
    return table(_COLUMNS, rows, caption, name)


def _stated_rate(report: published.Report) -> float | None:
    """The maximum bytes a second that a report states for its drive."""
    rates = [
        units.to_base(fact.value, fact.unit)
        for fact in report.fact
        if (fact.of, fact.component, fact.attribute) == ("machine", "disk", "read bandwidth")
        and not isinstance(fact.value, str)
        and "least" not in fact.brief
    ]
    return max(rates, default=None)


def _cells(curve: list[_Readers], limit: float, source: str) -> list[str]:
    fastest = max(curve, key=lambda readers: readers.rate)
    above = sum(readers.rate > limit for readers in curve)
    return [
        f"{units.amount(fastest.rate, 'MB/s')} with {fastest.count:g}",
        f"{units.amount(limit, 'MB/s')}: {source}",
        f"{above} of {len(curve)}" if above else "none",
    ]
