"""Reads that were timed one by one: which of them waited for a disk, and how long they took."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reckon import statistics, units
from reckon.measurement.capacity import in_reads
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say
from reckon.show.text import literal, percent, ratio_text
from reckon.statistics import onset

_FEW = 0.005  # a smaller share of cached reads that are slow is not named


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


@dataclass(frozen=True)
class _HitsAndMisses:
    """The mean times of a cached read and of another one, in base units; nan without one.

    A read is slow above the limit; of the files that fit, that share is.
    """

    hit: float
    miss: float = math.nan
    limit: float = math.nan
    slow_while_fitting: float = math.nan


def hit_and_miss_times(curve: Result) -> Block:
    """How long a read takes whose block is cached, and one whose block is not.

    The curve mixes the two. Predicted are its minimum, and its input `disk` more.
    """
    if not curve.has_samples:
        reason = literal(curve.reason)
        return say(f"The time of a read whose block is cached could not be measured: {reason}.")
    means, minimum = _hits_and_misses(curve), float(np.nanmin(curve.sealed("predicted")))
    hit_text = _mean_time(means.hit, minimum, curve.unit)
    if math.isnan(means.miss):
        return say(f"A read whose block is cached {hit_text}; no other read was seen.")
    miss_text = _mean_time(means.miss, minimum + curve.sealed_input("disk"), curve.unit)
    both = f"A read whose block is cached {hit_text}; one whose block is not {miss_text}."
    if not means.slow_while_fitting >= _FEW:
        return say(both)
    return say(
        both,
        f"While the file fits, {percent(means.slow_while_fitting)} of the reads take more than "
        f"{units.amount(means.limit, curve.unit)}, without the disk. As many cached reads of "
        "a larger file are taken to do so.",
    )


def hit_and_miss(curve: Result) -> tuple[float, float]:
    """The mean time of a read whose block is cached, and of one whose block is not; nan without."""
    if not curve.has_samples:
        return math.nan, math.nan
    means = _hits_and_misses(curve)
    return means.hit, means.miss


def _hits_and_misses(curve: Result) -> _HitsAndMisses:
    """By the reads of files that fit, which are all cached; without any, by a gap between reads."""
    by_size = [np.concatenate(curve.single_trials(point)) for point in curve.points]
    times = np.concatenate(by_size)
    limit = onset.slow_from(times)
    if limit is None:
        return _HitsAndMisses(float(times.mean()))
    fit = in_reads(curve)[0]
    if not fit.capacity or not 0 <= fit.fits < len(by_size) - 1:
        return _HitsAndMisses(
            float(times[times < limit].mean()), float(times[times >= limit].mean())
        )
    cached, mixed = np.concatenate(by_size[: fit.fits + 1]), np.concatenate(by_size[fit.fits + 1 :])
    slow = float((cached >= limit).mean())
    missing = ((mixed >= limit).mean() - slow) / (1 - slow)
    hit = float(cached.mean())
    miss = float(mixed.mean() - (1 - missing) * hit) / missing if missing > 0 else math.nan
    return _HitsAndMisses(hit, float(miss), limit, slow)


def _mean_time(mean: float, predicted: float, unit: str) -> str:
    return (
        f"takes {units.amount(mean, unit)} on average, predicted {units.amount(predicted, unit)} "
        f"({ratio_text(mean / predicted)})"
    )
