"""Where a cache is full: the size of a file from which on some of its reads are slow.

scipy takes half a second to import, so it is imported where it is used.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from reckon.statistics import change_points
from reckon.statistics.cache import cached

_MIN_RATIO = 8  # of a read from a disk to a cached one: the fastest disks take ten times as long
_MIN_SHARE = 0.005  # fewer slow reads have other causes, such as interrupts
_STANDARD_DEVIATIONS = 4  # that two shares differ by: chance does that once in 30,000 sizes
_MAX_BACKGROUND = 0.1  # of slow reads in a file that fits; with more the cache is already too small
_SPREAD = np.log(2.2)  # by how much a slow read may be faster than the median slow read
_EMPTY = 0.01  # of the highest density: below it there is no cluster
_JUMP = np.log(1.4)  # a smaller rise of a file's time is taken for noise
_CHI_SQUARED_95 = 1.92  # half the 95 % quantile, one degree of freedom
_READS_FOR_A_DENSITY = 5000  # the density takes 200 times as many exponentials
_DOES_NOT_FIT = "already the smallest file does not fit into the cache"
_NO_JUMP = "the cache was not filled: no jump was found"


@dataclass(frozen=True)
class Onset:
    """The capacity, in the unit of the sizes, with its 95 % interval; or why none shows."""

    capacity: float | None
    _: KW_ONLY
    low: float = np.nan
    high: float = np.nan
    background: float = 0.0  # share of slow reads below it
    fits: int = -1  # index of the last size that fits
    reason: str | None = None


def slow_from(times) -> float | None:
    """The time from which on a read is slow; None if no read is slow.

    Found in the reads themselves: between the centres of two clusters (k-means, Lloyd 1982) the
    last gap before the slow one, by the density of the reads (a Gaussian kernel over logarithms,
    Scott 1992; both scipy's). The last gap, because one cached read in 15 or 31 takes ten times as
    long: then the kernel moves a batch of pages to its list of active ones (mm/swap.c). If the
    centres are less than eight times apart, no read is slow.
    """
    from scipy.cluster.vq import kmeans2
    from scipy.stats import gaussian_kde

    logs = np.log(np.maximum(np.asarray(times, dtype=float), 1e-12))
    if not len(logs) or np.ptp(logs) < np.log(_MIN_RATIO):
        return None
    centres, _ = kmeans2(logs, np.array([logs.min(), logs.max()]), minit="matrix")
    if np.ptp(centres) < np.log(_MIN_RATIO):
        return None
    between = np.linspace(centres.min(), centres.max() - _SPREAD, 200)
    some = np.random.default_rng(1).permutation(logs)[:_READS_FOR_A_DENSITY]
    density = gaussian_kde(some, 0.1)(between)
    empty = density <= 2 * density.min() + _EMPTY * density.max()
    return float(np.exp(between[empty][-1]))


def rise(sizes, capacity, background: float = 0.0) -> np.ndarray:
    """The share of slow reads by size.

    Independent uniformly random reads of a file find what the cache holds: `capacity` of `size`,
    whatever its policy (independent reference model; Coffman and Denning, Operating Systems
    Theory, 1973, section 6.6). `background` is the share of reads that are slow anyway.
    """
    missing = np.maximum(0.0, 1 - capacity / np.asarray(sizes, dtype=float))
    return background + (1 - background) * missing


def _check_ascending(sizes: np.ndarray, caller: str) -> None:
    if len(sizes) < 3 or (np.diff(sizes) <= 0).any():
        raise ValueError(f"{caller}() needs at least three sizes in ascending order")


@cached
def find(sizes, slow, reads) -> Onset:
    """The capacity from how many of `reads` were `slow` at each of ascending `sizes`.

    First whether and where the share changes: change points of its arcsine root, whose noise is
    known (Anscombe 1948). The first change upwards parts the sizes that fit from the others. Then
    how much fits: likeliest(), all sizes taken together. Raises ValueError if sizes do not ascend.
    """
    sizes, slow, reads = (np.asarray(v, dtype=float) for v in (sizes, slow, reads))
    _check_ascending(sizes, "find")
    first = _first_rise(slow, reads)
    if first is None:
        reason = _DOES_NOT_FIT if (slow / reads).mean() > _MAX_BACKGROUND else _NO_JUMP
        return Onset(None, reason=reason)
    background = float(slow[:first].sum() / reads[:first].sum())
    if background > _MAX_BACKGROUND:
        return Onset(None, reason=_DOES_NOT_FIT)
    capacity, low, high = likeliest(sizes, slow, reads, background)
    fits = int(np.searchsorted(sizes, capacity, side="right")) - 1
    return Onset(capacity, low=low, high=high, background=background, fits=fits)


def likeliest(sizes, slow, reads, background: float) -> tuple[float, float, float]:
    """The capacity of greatest likelihood in rise(), and its 95 % interval (Wilks 1938)."""
    sizes, slow, reads = (np.asarray(v, dtype=float) for v in (sizes, slow, reads))
    candidates = np.linspace(sizes[0], sizes[-1], 20_001)[:, None]
    expected = rise(sizes, candidates, max(background, 0.5 / reads.sum()))
    expected = np.clip(expected, 0, 1 - 1e-9)
    likelihood = (slow * np.log(expected) + (reads - slow) * np.log1p(-expected)).sum(axis=1)
    inside = candidates[likelihood > likelihood.max() - _CHI_SQUARED_95, 0]
    return float(candidates[likelihood.argmax(), 0]), float(inside[0]), float(inside[-1])


def _first_rise(slow, reads) -> int | None:
    """The first size from which on every piece has more slow reads than the sizes before it."""
    z = np.arcsin(np.sqrt((slow + 0.375) / (reads + 0.75)))
    noise = 0.5 / np.sqrt(reads.min())
    bounds = change_points.pieces(z, change_points.penalty(noise, len(z)))
    for k, first in enumerate(bounds[1:-1], 1):
        pieces = zip(bounds[k:], bounds[k + 1 :], strict=False)
        if all(_is_more(slow, reads, first, piece) for piece in pieces):
            return first
    return None


def _is_more(slow, reads, first: int, piece: tuple[int, int]) -> bool:
    """True if a piece has more slow reads than the sizes before `first`, beyond chance."""
    inside = slice(*piece)
    reads_before, reads_after = reads[:first].sum(), reads[inside].sum()
    before, after = slow[:first].sum() / reads_before, slow[inside].sum() / reads_after
    apart = np.arcsin(np.sqrt(after)) - np.arcsin(np.sqrt(before))
    deviation = 0.5 * np.sqrt(1 / reads_before + 1 / reads_after)
    return bool(after - before > _MIN_SHARE and apart > _STANDARD_DEVIATIONS * deviation)


@cached
def step(sizes, times) -> Onset:
    """The last size before the time of a block rises most, and stays high.

    For methods that report no single reads. The capacity lies between that size and the next,
    `low` and `high`. Raises ValueError if sizes do not ascend.
    """
    sizes, z = np.asarray(sizes, dtype=float), np.log(np.asarray(times, dtype=float))
    _check_ascending(sizes, "step")
    bounds = change_points.pieces(z, change_points.penalty(change_points.noise(z), len(z)))
    largest, first = _JUMP, 0
    for k, bound in enumerate(bounds[1:-1], 1):
        pieces = zip(bounds[k:], bounds[k + 1 :], strict=False)
        lowest = min(np.median(z[start:end]) for start, end in pieces)
        height = lowest - np.median(z[:bound])
        if height > largest:
            largest, first = height, bound
    if not first:
        return Onset(None, reason=_NO_JUMP)
    last_before, next_size = float(sizes[first - 1]), float(sizes[first])
    return Onset(last_before, low=last_before, high=next_size, fits=first - 1)
