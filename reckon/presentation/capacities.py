"""Capacities that were inferred from times, beside the true ones; what single reads show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.measurement.capacity import in_reads, in_times
from reckon.presentation.block import Block, label, say, table
from reckon.presentation.text import NONE, ratio
from reckon.records.result import Result, process_values
from reckon.statistics import onset


def _size(size_bytes: float) -> str:
    return units.amount(float(size_bytes), "byte", 4)


def interval(capacity: Result, curve: Result) -> tuple[float, float] | None:
    """Where a capacity that was inferred from `curve` lies, in base units.

    Between the values of its rounds of fresh processes, if there are enough; else by the likelihood
    of single reads, or between the two sizes that the curve's step cannot tell apart.
    """
    if not capacity.summary or not curve.has_samples:
        return None
    in_single_reads = curve.seal.kind == "mean"
    if in_single_reads and np.isfinite(capacity.summary.low):
        return capacity.summary.low, capacity.summary.high
    fit = in_reads(curve)[0] if in_single_reads else in_times(curve)
    return (fit.low, fit.high) if fit.capacity else None


def _figure(result: Result) -> str:
    return f"{result:±}" if result.summary else f"{result.state}: {result.reason}"


def found_against_true(
    pairs: list[tuple], caption: str, name: str, titles: dict | None = None
) -> Block:
    """Each inferred capacity beside the true one, by the kernel's count: (inferred, true,
    curve)."""
    rows = []
    for capacity, true, curve in pairs:
        ends = interval(capacity, curve)
        known = capacity.summary and true.summary
        rows.append(
            [
                (titles or {}).get(capacity.quantity, label(capacity.quantity)),
                units.amount(capacity.seal.predicted, capacity.unit),
                _figure(capacity),
                " to ".join(map(_size, ends)) if ends else NONE,
                _figure(true),
                ratio(capacity.median / true.median) if known else NONE,
            ]
        )
    columns = {
        "Cache": 22,
        "Predicted": 13,
        "Found, median (95 %)": 22,
        "Lies between": 17,
        "True": 16,
        "Found / true": 10,
    }
    return table(columns, rows, caption, name)


def size_found(capacity: Result, true: Result, curve: Result, where: str, *more: str) -> Block:
    """The inferred capacity with its interval, and whether the true one lies in it.

    The sentence begins with `where`; the sentences `more` follow.
    """
    if not capacity.summary or not true.summary:
        reason = capacity.reason or true.reason
        return say(f"{where} it could not be found: {reason}.", *more)
    ends = interval(capacity, curve)
    size, counted = _size(capacity.median), _size(true.median)
    if ends is None:
        return say(f"{where} {size} were found; the kernel counts {counted}.", *more)
    low, high = ends
    side = "inside" if low <= true.median <= high else "outside"
    return say(
        f"{where} {size} ({_size(low)} to {_size(high)}) were found; the kernel's {counted} lies "
        f"{side}.",
        *more,
    )


def rise(curve: Result) -> Block:
    """Whether the share of slow reads rises as it must where independent random reads meet a cache
    of the inferred size."""
    if not curve.has_samples:
        return say(f"It could not be measured: {curve.reason}.")
    fit, _, shares = in_reads(curve)
    if fit.capacity is None:
        return say(f"There is no rise to compare: {fit.reason}.")
    percent = 100 * shares
    expected = 100 * onset.rise(curve.axis, fit.capacity, fit.background)
    below, above = slice(0, fit.fits + 1), slice(fit.fits + 1, None)
    fits = "No file that was read fits."
    if len(percent[below]):
        most = units.number(percent[below].max(), 2)
        fits = f"Of the reads of files that fit, {most} % or fewer were slow."
    if not len(percent[above]):
        return say(fits)
    off = units.number(np.abs(percent - expected)[above].max(), 2)
    return say(
        fits,
        f"At {_size(curve.axis[-1])} {units.number(percent[-1])} % were, where a cache of "
        f"{_size(fit.capacity)} lets expect {units.number(expected[-1])} %; over all files that do "
        f"not fit, measured and expected differ by {off} points at most.",
    )


@dataclass(frozen=True)
class SingleReads:
    """Reads of several quantities, each timed alone, in base units, by quantity and process; those
    above the limit waited for a disk."""

    processes: dict[str, list[np.ndarray]]
    limit: float
    has_gap: bool  # between short and long reads: the limit lies in it

    @property
    def times(self) -> dict[str, np.ndarray]:
        return {name: np.concatenate(each) for name, each in self.processes.items()}

    def median(self, quantity: str) -> float:
        """The median of the processes' medians."""
        return float(np.median([np.median(each) for each in self.processes[quantity]]))

    def waited(self, quantity: str) -> float:
        """The share of reads that waited."""
        return float((self.times[quantity] > self.limit).mean())

    def time_waited(self, quantity: str) -> float:
        """The share of all reads' time that those that waited took."""
        times = self.times[quantity]
        return float(times[times > self.limit].sum() / times.sum())


def _times(result: Result, point) -> list[np.ndarray]:
    """The times of each process at a point, in base units."""
    return [process_values(p, result.measurement, result.unit) for p in point.processes]


def single_reads(results: list[Result], otherwise: float) -> SingleReads:
    """The reads of all that have samples; without a gap between short and long ones the limit is
    `otherwise`."""
    processes = {r.quantity: _times(r, r.points[0]) for r in results if r.has_samples}
    every = [times for each in processes.values() for times in each]
    gap = onset.slow_from(np.concatenate(every)) if every else None
    return SingleReads(processes, gap or otherwise, gap is not None)


def costs(curve: Result, miss: float) -> Block:
    """What a read takes that finds its block, and one that does not: the curve mixes the two.

    The first is predicted by the least of the curve, the second by `miss` more, in base units.
    """
    if not curve.has_samples:
        return say(f"What a read costs that finds its block could not be measured: {curve.reason}.")
    times = np.concatenate([each for point in curve.points for each in _times(curve, point)])
    limit = onset.slow_from(times)
    least = float(np.nanmin(curve.sealed("predicted")))
    if limit is None:
        hit = _cost(times, least, curve.unit)
        return say(f"Of the reads, one that finds its block {hit}; no other was seen.")
    hit = _cost(times[times < limit], least, curve.unit)
    missed = _cost(times[times >= limit], least + miss, curve.unit)
    return say(
        f"A read is one of two: one that finds its block {hit}, and one that does not {missed}; "
        "while the file fits, the first alone decides."
    )


def _cost(times: np.ndarray, predicted: float, unit: str) -> str:
    mean = float(times.mean())
    return (
        f"takes {units.amount(mean, unit)} on average, predicted {units.amount(predicted, unit)} "
        f"({ratio(mean / predicted)})"
    )
