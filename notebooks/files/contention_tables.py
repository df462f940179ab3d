"""The tables of the chapter on contention: each reader's share, and the rates of all readers together."""

from typing import NamedTuple

import numpy as np

import reckon as rk
from reckon import units
from reckon.comparison.reports import published
from reckon.show.text import NONE, ratio_text


class ReaderShare(NamedTuple):
    """The slowest and the fastest reader over their mean: medians over all trials."""

    readers: float
    slowest: float
    fastest: float


def reader_shares(times):
    """How evenly the readers of a trial are served, by their number."""
    return [share_of(point) for point in times.points]


def share_of(point):
    slowest, fastest = [], []
    for process in point.processes:
        # A trial has a sample of each reader; an unfinished last trial is left out.
        readers = min(int(point.x or 1), len(process.ticks))
        whole_trials = len(process.ticks) // readers
        trials = np.array(process.ticks[: whole_trials * readers]).reshape(whole_trials, readers)
        slowest += list(trials.max(axis=1) / trials.mean(axis=1))
        fastest += list(trials.min(axis=1) / trials.mean(axis=1))
    return ReaderShare(point.x or 1, float(np.median(slowest)), float(np.median(fastest)))


def reader_shares_table(shares, slowest, start, caption, name):
    """The same as a table, with when the last reader begins, as a share of the trial."""
    header = ["Readers", "Slowest / mean", "Fastest / mean", "Start of the last reader / duration of the trial"]
    rows = [[f"{share.readers:g}", ratio_text(share.slowest), ratio_text(share.fastest), last_start(share.readers, slowest, start)]
            for share in shares]
    return rk.blocks.grid(header, rows, caption, name)


def last_start(readers, slowest, start):
    start_index, trial_index = start.point_index(readers), slowest.point_index(readers)
    if start_index is None or trial_index is None or slowest.measurement is None:
        return NONE
    trial_s = float(slowest.measurement.params["blocks"]) * slowest.medians[trial_index]
    return rk.percent(start.medians[start_index] / trial_s)


def total_rates(results, block_bytes, limit, caption, name):
    """The rate of N readers together, N blocks in a reader's time for one, and the drive's limit.

    limit: of this run's drive, in bytes a second. A report is compared with what it states of its own drive, and left out if it
    states none.
    """
    rows = []
    maximum = float(np.max(limit.value if limit.high is None else limit.high))
    limit_source = limit.source if limit.high is None else f"at most, {limit.source}"
    for result in results:
        title = rk.title_of(result.quantity)
        if result.has_samples:
            rates = {count: count * block_bytes / time for count, time in zip(result.axis, result.medians, strict=True)}
            rows.append([f"{title}, this run", *rate_cells(rates, maximum, limit_source)])
        for report in published.all_reports():
            rates = {reported.at: reported.at * block_bytes / reported.measured_in(result.unit)
                     for reported in published.measured_values(result.quantity)
                     if reported.report == report.name and reported.at is not None}
            stated = stated_maximum(report)
            if rates and stated:
                source = f"as its report states {{cite}}`{report.cite}`"
                rows.append([f"{title}, its report", *rate_cells(rates, stated, source)])
    columns = {"Values of": 26, "Maximum, and its number of readers": 24, "The drive's limit": 36, "Above it": 14}
    return rk.blocks.table(columns, rows, caption, name)


def stated_maximum(report):
    """The maximum that a report states of its drive's rate, in bytes a second."""
    values = [units.to_base(fact.value, fact.unit) for fact in report.facts
              if fact.label == "disk, read bandwidth" and not isinstance(fact.value, str) and not fact.is_lower_bound]
    return max(values, default=None)


def rate_cells(rates, limit, source):
    """rates: bytes a second of all readers together, by their number."""
    fastest = max(rates, key=rates.get)
    above = sum(rate > limit for rate in rates.values())
    return [f"{rk.amount(rates[fastest], 'MB/s')} with {units.as_given(fastest)}", f"{rk.amount(limit, 'MB/s')}: {source}",
            f"{above} of {len(rates)}" if above else "none"]


@rk.finding(needs=())
def first_begins(start, guessed):
    """guessed: the input of when the first reader wakes."""
    if start.point_index(1) != 0:
        return []
    begins, predicted = start.medians[0], start.sealed("predicted")[0]
    if not rk.is_miss(begins / predicted):
        return []
    return rk.unexplained("first reader off", f"A single reader begins after {rk.amount(begins, 'µs')}. The prediction was {rk.amount(predicted, 'µs')}, of which "
                          f"{rk.amount(guessed.value, 'µs')} are the guessed time until the first reader wakes. The difference is not explained.")


@rk.finding
def least_even(shares):
    """shares: how evenly the readers of a trial are served, as reader_shares() has them."""
    several = {share.slowest: share for share in shares if share.readers > 1}
    if not several:
        return rk.unexplained("fairness not measured", "It could not be measured.")
    worst = several[max(several)]
    least = (f"The shares are least equal with {worst.readers:g} readers: there the slowest reader takes {rk.number(worst.slowest)} times the "
             "mean time for its blocks.")
    if worst.slowest < 1.2:
        return rk.shown("served in turn", f"{least} So the readers get equal shares.")
    return rk.shown("some served first", f"{least} So some readers are served before others.")
