"""Capacities that were found in times, beside what they truly are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.measurement.capacity import in_reads, in_times
from reckon.presentation.block import Block, grid, label, say
from reckon.records.result import Result, process_values
from reckon.statistics import onset


def _size(value: float) -> str:
    return units.amount(float(value), "byte", 4)


def interval(one: Result, curve: Result) -> tuple[float, float] | None:
    """Where a capacity that was found in `curve` lies, in base units: between what its rounds of fresh
    processes say, where there are enough; else by the likelihood of single reads, or between the two sizes
    that the curve's step cannot tell apart."""
    if not one.summary or not curve.has_samples:
        return None
    in_single_reads = curve.seal.kind == "mean"
    if in_single_reads and np.isfinite(one.summary.low):
        return one.summary.low, one.summary.high
    found = in_reads(curve)[0] if in_single_reads else in_times(curve)
    return (found.low, found.high) if found.capacity else None


def _between(one: Result, curve: Result) -> str:
    found = interval(one, curve)
    return f"{_size(found[0])} to {_size(found[1])}" if found else "–"


def found_against_true(
    pairs: list[tuple], caption: str, name: str, titles: dict | None = None
) -> Block:
    """Each capacity that was found beside the true one, by the kernel's own count: (found, true,
    curve it was found in)."""
    rows = []
    for one, true, curve in pairs:
        title = (titles or {}).get(one.quantity, label(one.quantity))
        told = [
            f"{other:±}" if other.summary else f"{other.state}: {other.reason}"
            for other in (one, true)
        ]
        known = one.summary and true.summary
        rows.append(
            [
                title,
                units.amount(one.seal.predicted, one.unit),
                told[0],
                _between(one, curve),
                told[1],
                f"{units.number(one.median / true.median)}×" if known else "–",
            ]
        )
    return grid(
        ["Cache", "Predicted", "Found, median (95 %)", "Lies between", "True", "Found / true"],
        rows,
        caption,
        name,
        [22, 13, 22, 17, 16, 10],
    )


def size_found(one: Result, true: Result, curve: Result, where: str, *more: str) -> Block:
    """The capacity that was found in `curve`, with its interval, and whether the true one lies in it: a
    sentence that begins with `where`; then `more` of them."""
    if not one.summary or not true.summary:
        return say(f"{where} it could not be found: {one.reason or true.reason}.", *more)
    ends = interval(one, curve)
    if ends is None:
        return say(
            f"{where} {_size(one.median)} were found; the kernel counts {_size(true.median)}.",
            *more,
        )
    inside = ends[0] <= true.median <= ends[1]
    return say(
        f"{where} {_size(one.median)} ({_size(ends[0])} to {_size(ends[1])}) were found; the kernel's "
        f"{_size(true.median)} lies {'inside' if inside else 'outside'}.",
        *more,
    )


def rise(one: Result) -> Block:
    """Whether the share of slow reads rises as it has to where independent random reads meet a cache of
    the size that was found: a sentence."""
    if not one.has_samples:
        return say(f"It could not be measured: {one.reason}.")
    found, _, shares = in_reads(one)
    if found.capacity is None:
        return say(f"There is no rise to compare: {found.reason}.")
    expected = onset.rise(one.axis, found.capacity, found.background)
    below, above = shares[: found.fits + 1], slice(found.fits + 1, None)
    text = [
        f"Of the reads of files that fit, {units.number(100 * below.max(), 2)} % or fewer were slow."
        if len(below)
        else "No file that was read fits."
    ]
    if len(shares[above]):
        off = np.abs(shares - expected)[above]
        text.append(
            f"At {_size(one.axis[-1])} {units.number(100 * shares[-1])} % were, where a cache of "
            f"{_size(found.capacity)} lets expect {units.number(100 * expected[-1])} %; over all files that "
            f"do not fit, measured and expected differ by {units.number(100 * off.max(), 2)} points at most."
        )
    return say(*text)


@dataclass(frozen=True)
class SingleReads:
    """Reads of several quantities, each timed alone, in base units; those above the limit waited for a disk."""

    processes: dict[str, list[np.ndarray]]
    limit: float
    has_gap: bool  # between long and short ones: the limit lies in it

    @property
    def times(self) -> dict[str, np.ndarray]:
        return {name: np.concatenate(each) for name, each in self.processes.items()}

    def median(self, quantity: str) -> float:
        """Of the processes' medians, as everywhere."""
        return float(np.median([np.median(each) for each in self.processes[quantity]]))

    def waited(self, quantity: str) -> float:
        return float((self.times[quantity] > self.limit).mean())

    def time_waited(self, quantity: str) -> float:
        """The share of all reads' time that is of those that waited."""
        times = self.times[quantity]
        return float(times[times > self.limit].sum() / times.sum())


def single_reads(found: list[Result], otherwise: float) -> SingleReads:
    """The reads of all that have samples; `otherwise` is the limit where no gap parts them."""
    processes = {
        one.quantity: [
            process_values(p, one.measurement, one.unit) for p in one.points[0].processes
        ]
        for one in found
        if one.has_samples
    }
    gap = onset.slow_from(np.concatenate(sum(processes.values(), []))) if processes else None
    return SingleReads(processes, gap or otherwise, gap is not None)


def costs(one: Result, miss: float) -> Block:
    """What a read costs that finds its block, and one that does not, each against what the prediction of
    the curve puts in for it: for the first the least of the curve, for the second so much more, `miss`, in
    base units. The curve is a mixture of the two: a sentence."""
    if not one.has_samples:
        return say(f"What a read costs that finds its block could not be measured: {one.reason}.")
    times = np.concatenate(
        [
            process_values(p, one.measurement, one.unit)
            for point in one.points
            for p in point.processes
        ]
    )
    limit = onset.slow_from(times)
    least = float(np.nanmin(one.sealed("predicted")))
    kinds = [("that finds its block", times if limit is None else times[times < limit], least)]
    if limit is not None:
        kinds.append(("that does not", times[times >= limit], least + miss))
    told = [
        f"one {which} takes {units.amount(float(found.mean()), one.unit)} on average, predicted "
        f"{units.amount(expected, one.unit)} ({units.number(float(found.mean()) / expected)}×)"
        for which, found, expected in kinds
    ]
    why = "." if limit is None else "; while the file fits, the first alone decides."
    return say(
        f"A read is one of two: {', and '.join(told)}{why}"
        if told[1:]
        else f"Of the reads, {told[0]}; no other was seen."
    )
