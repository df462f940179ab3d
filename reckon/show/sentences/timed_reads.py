"""Reads that were timed one by one: which of them waited for a disk, and how long they took."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reckon import statistics, units
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say
from reckon.show.text import literal, ratio_text
from reckon.statistics import onset


@dataclass(frozen=True)
class SingleReads:
    """Reads of several quantities, each timed alone, in base units, by quantity and process.

    Those above the limit waited for a disk.
    """

    processes: dict[str, list[np.ndarray]]
    medians: dict[str, float]  # of the visits' medians
    limit: float
    has_gap: bool  # between short and long reads: the limit lies in it

    @property
    def times(self) -> dict[str, np.ndarray]:
        """Every read of each quantity."""
        return {name: np.concatenate(values) for name, values in self.processes.items()}

    def waited(self, quantity: str) -> float:
        """The share of reads that waited."""
        return float((self.times[quantity] > self.limit).mean())

    def time_waited(self, quantity: str) -> float:
        """The share of all reads' time that those that waited took."""
        times = self.times[quantity]
        return float(times[times > self.limit].sum() / times.sum())


def single_reads(results: list[Result], limit_without_gap: float) -> SingleReads:
    """The reads of all that have samples; without a gap between short and long ones the limit is
    `limit_without_gap`."""
    measured = [result for result in results if result.has_samples]
    processes = {r.quantity: r.single_trials(r.points[0]) for r in measured}
    visits = {r.quantity: [process.visit for process in r.points[0].processes] for r in measured}
    medians = {
        name: statistics.median_of_visits(of_reads, visits[name])
        for name, of_reads in processes.items()
    }
    times = [times for values in processes.values() for times in values]
    gap = onset.slow_from(np.concatenate(times)) if times else None
    return SingleReads(processes, medians, gap or limit_without_gap, gap is not None)


def hit_and_miss_times(curve: Result, miss: float) -> Block:
    """How long a read takes whose block is cached, and one whose block is not.

    The curve mixes the two. Predicted are its minimum, and `miss` more, in base units.
    """
    if not curve.has_samples:
        reason = literal(curve.reason)
        return say(f"The time of a read whose block is cached could not be measured: {reason}.")
    times, limit = _single_times(curve)
    minimum = float(np.nanmin(curve.sealed("predicted")))
    if limit is None:
        hit_text = _mean_time(times, minimum, curve.unit)
        return say(f"A read whose block is cached {hit_text}; no other read was seen.")
    hit_text = _mean_time(times[times < limit], minimum, curve.unit)
    miss_text = _mean_time(times[times >= limit], minimum + miss, curve.unit)
    return say(
        f"A read whose block is cached {hit_text}; one whose block is not {miss_text}.",
        "While the file fits, all reads are of the first kind.",
    )


def hit_and_miss(curve: Result) -> tuple[float, float]:
    """The mean time of a read whose block is cached, and of one whose block is not; nan without."""
    if not curve.has_samples:
        return math.nan, math.nan
    times, limit = _single_times(curve)
    if limit is None:
        return float(times.mean()), math.nan
    return float(times[times < limit].mean()), float(times[times >= limit].mean())


def _single_times(curve: Result) -> tuple[np.ndarray, float | None]:
    """All single reads of the curve, and from which time on they are slow; None if none is."""
    times = np.concatenate([t for point in curve.points for t in curve.single_trials(point)])
    return times, onset.slow_from(times)


def _mean_time(times: np.ndarray, predicted: float, unit: str) -> str:
    mean = float(times.mean())
    return (
        f"takes {units.amount(mean, unit)} on average, predicted {units.amount(predicted, unit)} "
        f"({ratio_text(mean / predicted)})"
    )
