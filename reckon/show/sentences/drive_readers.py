"""Several readers of one drive: how many saturate it, their total rate, who waits longest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import records, units
from reckon.comparison.reports import published
from reckon.comparison.reports.report import Report
from reckon.prediction.inputs import Input
from reckon.records.quantities.result import Result
from reckon.show.block import Block, grid, table
from reckon.show.text import NONE, percent, ratio_text
from reckon.show.titles import title_of

_FULL = 0.9  # this share of the highest rate counts as full


@dataclass(frozen=True)
class ReaderShare:
    """The slowest and the fastest reader over their mean: medians over all trials."""

    readers: float
    slowest: float
    fastest: float


def saturating_readers(rates: Result) -> float | None:
    """The first number of readers whose rate is full; None if that is the last one, or unknown."""
    if not rates.has_samples:
        return None
    first = int((rates.medians >= _FULL * rates.medians.max()).argmax())
    return rates.axis_in_unit[first] if first < len(rates.medians) - 1 else None


def reader_shares(times: Result) -> list[ReaderShare]:
    """How evenly the readers of a trial are served, by their number."""
    return [_share(point) for point in times.points]


def _share(point: records.Point) -> ReaderShare:
    slowest, fastest = [], []
    for process in point.processes:
        # A trial has a sample of each reader; an unfinished last trial is left out.
        readers = min(int(point.x or 1), len(process.ticks))
        whole_trials = len(process.ticks) // readers
        trials = np.array(process.ticks[: whole_trials * readers]).reshape(whole_trials, readers)
        slowest += list(trials.max(axis=1) / trials.mean(axis=1))
        fastest += list(trials.min(axis=1) / trials.mean(axis=1))
    return ReaderShare(point.x or 1, float(np.median(slowest)), float(np.median(fastest)))


def reader_shares_table(
    shares: list[ReaderShare],
    slowest: Result,
    start: Result,
    caption: str,
    name: str,
    *,
    blocks_parameter: str,
) -> Block:
    """The same as a table, with when the last reader begins, as a share of the trial.

    blocks_parameter: the parameter of `slowest` with the number of blocks of a reader in a trial.
    """
    rows = [
        [
            f"{s.readers:g}",
            ratio_text(s.slowest),
            ratio_text(s.fastest),
            _late(s.readers, slowest, start, blocks_parameter),
        ]
        for s in shares
    ]
    header = [
        "Readers",
        "Slowest / mean",
        "Fastest / mean",
        "Start of the last reader / duration of the trial",
    ]
    return grid(header, rows, caption, name)


def _late(readers: float, slowest: Result, start: Result, blocks_parameter: str) -> str:
    start_index, trial_index = start.point_index(readers), slowest.point_index(readers)
    if start_index is None or trial_index is None or slowest.measurement is None:
        return NONE
    blocks = float(slowest.measurement.params[blocks_parameter])
    trial_s = blocks * slowest.medians[trial_index]
    return percent(start.medians[start_index] / trial_s)


_RATE_COLUMNS = {
    "Values of": 26,
    "Maximum, and its number of readers": 24,
    "The drive's limit": 36,
    "Above it": 14,
}


@dataclass(frozen=True)
class _TotalRate:
    """How long N readers took, each for a block of its own."""

    count: float
    time_s: float
    block_bytes: float

    @property
    def rate(self) -> float:
        """Bytes a second of all readers together."""
        return self.count * self.block_bytes / self.time_s


def total_rates(
    results: list[Result],
    block_bytes: float,
    limit: Input,
    caption: str,
    name: str,
    *,
    limit_in_reports: str,
) -> Block:
    """The rate of N readers together, N blocks in a reader's time for one, and the drive's limit.

    limit: of this run's drive, in bytes a second. A report is compared with what it states of its
    own drive as `limit_in_reports`, a component and its attribute, and left out if it states none.
    """
    rows = []
    maximum = float(np.max(limit.value if limit.high is None else limit.high))
    limit_source = limit.source if limit.high is None else f"at most, {limit.source}"
    for result in results:
        title = title_of(result.quantity)
        if result.has_samples:
            points = zip(result.axis, result.medians, strict=True)
            curve = [_TotalRate(count, time_s, block_bytes) for count, time_s in points]
            rows.append([f"{title}, this run", *_rate_cells(curve, maximum, limit_source)])
        for report in published.all_reports():
            curve = [
                _TotalRate(reported.at, reported.measured_in(result.unit), block_bytes)
                for reported in published.measured_values(result.quantity)
                if reported.report == report.name and reported.at is not None
            ]
            stated_limit = _stated_maximum(report, limit_in_reports)
            if curve and stated_limit:
                source = f"as its report states {{cite}}`{report.cite}`"
                rows.append([f"{title}, its report", *_rate_cells(curve, stated_limit, source)])
    return table(_RATE_COLUMNS, rows, caption, name)


def _stated_maximum(report: Report, label: str) -> float | None:
    """The maximum that a report states of an attribute of its machine, in base units."""
    values = [
        units.to_base(fact.value, fact.unit)
        for fact in report.facts
        if fact.label == label and not isinstance(fact.value, str) and not fact.is_lower_bound
    ]
    return max(values, default=None)


def _rate_cells(curve: list[_TotalRate], limit: float, source: str) -> list[str]:
    fastest = max(curve, key=lambda readers: readers.rate)
    above = sum(readers.rate > limit for readers in curve)
    return [
        f"{units.amount(fastest.rate, 'MB/s')} with {units.as_given(fastest.count)}",
        f"{units.amount(limit, 'MB/s')}: {source}",
        f"{above} of {len(curve)}" if above else "none",
    ]
