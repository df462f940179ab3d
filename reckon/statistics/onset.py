"""Where a cache is full: the size of a file from which on some of its reads are slow.

ruptures and scipy take a second to import, so they are imported where they are used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_APART = (
    8  # a read that comes from a disk takes so many times as long as one that does not, or more
)
_LEAST_SHARE = 0.005  # fewer slow reads than that are no onset: other things are slow now and then
_SURE = 4  # standard deviations
_SMALL = 0.1  # if so many are slow in the smallest file already, that one does not fit
_SPREAD = np.log(2.2)  # a slow read may be so much shorter than the middle one
_GAP = 0.01  # of the highest density: as good as empty
_JUMP = np.log(1.4)  # the least rise of a time that a method without single reads can tell
_LEAST_NOISE = 0.05


@dataclass(frozen=True)
class Onset:
    """The capacity, in the unit of the sizes, with its 95 % interval; or the reason why none shows."""

    capacity: float | None
    low: float = np.nan
    high: float = np.nan
    background: float = 0.0  # share of slow reads below it
    fits: int = -1  # index of the last size that fits
    reason: str | None = None


def slow_from(times) -> float | None:
    """The time from which on a read is slow, found in the reads themselves: between the centres of two
    clusters (k-means, Lloyd 1982) the last gap before the slow one, by the density of the reads (a
    Gaussian kernel over logarithms, Scott 1992; both scipy's). The last, because one cached read in 15
    or 31 takes ten times as long: then the kernel moves a batch of pages to its list of active ones
    (mm/swap.c). None where the centres are less than eight times apart: no read is slow."""
    from scipy.cluster.vq import kmeans2
    from scipy.stats import gaussian_kde

    logs = np.log(np.maximum(np.asarray(times, dtype=float), 1e-12))
    if not len(logs) or np.ptp(logs) < np.log(_APART):
        return None
    centres, _ = kmeans2(logs, np.array([logs.min(), logs.max()]), minit="matrix")
    if np.ptp(centres) < np.log(_APART):
        return None
    between = np.linspace(centres.min(), centres.max() - _SPREAD, 200)
    some = np.random.default_rng(1).permutation(logs)[:5000]
    density = gaussian_kde(some, 0.1)(between)
    return float(np.exp(between[density <= 2 * density.min() + _GAP * density.max()][-1]))


def rise(sizes, capacity: float, background: float = 0.0) -> np.ndarray:
    """Share of slow reads by size: of independent uniformly random reads of a file, those find their
    block that the cache holds, `capacity` of `size`, whatever its policy (independent reference
    model; Coffman and Denning, Operating Systems Theory, 1973, section 6.6)."""
    missing = np.maximum(0.0, 1 - capacity / np.asarray(sizes, dtype=float))
    return background + (1 - background) * missing


def find(sizes, slow, reads) -> Onset:
    """The capacity from how many of `reads` were `slow` at each of ascending `sizes`.

    First whether and where the share changes: change points of its arcsine root, whose noise is
    known (Anscombe 1948), by PELT (Killick, Fearnhead and Eckley 2012; ruptures) with the penalty
    3 s² log n. The first change upwards parts the sizes that fit from the others. Then how much fits:
    likeliest(), all sizes taken together. Raises ValueError where sizes do not ascend.
    """
    sizes, slow, reads = (np.asarray(v, dtype=float) for v in (sizes, slow, reads))
    if len(sizes) < 3 or (np.diff(sizes) <= 0).any():
        raise ValueError("find() needs at least three sizes in ascending order")
    share = slow / reads
    first = _first_rise(slow, reads)
    if first is None and share.mean() > _SMALL:
        return Onset(None, reason="already the smallest file does not fit into the cache")
    if first is None:
        return Onset(None, reason="the cache was not filled: no jump was found")
    background = float(slow[:first].sum() / reads[:first].sum())
    if background > _SMALL:
        return Onset(None, reason="already the smallest file does not fit into the cache")
    capacity, low, high = likeliest(sizes, slow, reads, background)
    fits = int(np.searchsorted(sizes, capacity, side="right")) - 1
    return Onset(capacity, low, high, background, fits)


def likeliest(sizes, slow, reads, background: float) -> tuple[float, float, float]:
    """The capacity of greatest likelihood in rise(), and its 95 % interval (Wilks 1938)."""
    sizes, slow, reads = (np.asarray(v, dtype=float) for v in (sizes, slow, reads))
    tried = np.linspace(sizes[0], sizes[-1], 20_001)[:, None]
    expected = np.clip(rise(sizes, tried, max(background, 0.5 / reads.sum())), 0, 1 - 1e-9)
    likelihood = (slow * np.log(expected) + (reads - slow) * np.log1p(-expected)).sum(axis=1)
    inside = tried[likelihood > likelihood.max() - 1.92, 0]  # chi squared of one degree of freedom
    return float(tried[likelihood.argmax(), 0]), float(inside[0]), float(inside[-1])


def _first_rise(slow, reads) -> int | None:
    """The index of the first size from which on every piece has more slow reads than those before it."""
    z = np.arcsin(np.sqrt((slow + 0.375) / (reads + 0.75)))
    bounds = _pieces(z, 0.5 / np.sqrt(reads.min()))
    for k, i in enumerate(bounds[1:-1], 1):
        later = [
            _is_more(slow, reads, i, a, b)
            for a, b in zip(bounds[k:], bounds[k + 1 :], strict=False)
        ]
        if all(later):
            return i
    return None


def _is_more(slow, reads, i: int, a: int, b: int) -> bool:
    """Whether the sizes [a:b] have more slow reads than [:i], beyond chance and what does not matter."""
    (before, n), (after, m) = ((slow[s].sum(), reads[s].sum()) for s in (slice(i), slice(a, b)))
    apart = np.arcsin(np.sqrt(after / m)) - np.arcsin(np.sqrt(before / n))
    return after / m - before / n > _LEAST_SHARE and apart > _SURE * 0.5 * np.sqrt(1 / n + 1 / m)


def _pieces(z, noise: float) -> list[int]:
    """Bounds of the pieces of constant mean, 0 and len(z) among them."""
    import ruptures

    search = ruptures.KernelCPD(kernel="linear", min_size=1)
    penalty = 3 * noise**2 * np.log(len(z))
    return [0, *map(int, search.fit_predict(np.asarray(z, dtype=float)[:, None], pen=penalty))]


def step(sizes, times) -> Onset:
    """The last of ascending `sizes` before the time of a block rises most, and stays risen: what a
    method sees that tells no single reads. The capacity lies between it and the next, `low` and `high`."""
    sizes, z = np.asarray(sizes, dtype=float), np.log(np.asarray(times, dtype=float))
    if len(sizes) < 3 or (np.diff(sizes) <= 0).any():
        raise ValueError("step() needs at least three sizes in ascending order")
    steps = np.diff(z)
    spread = 1.4826 * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2)
    bounds = _pieces(z, max(spread, _LEAST_NOISE))
    rises = {
        i: min(np.median(z[a:b]) for a, b in zip(bounds[k:], bounds[k + 1 :], strict=False))
        - np.median(z[:i])
        for k, i in enumerate(bounds[1:-1], 1)
    }
    i = max(rises, key=rises.get, default=0)
    if not i or rises[i] <= _JUMP:
        return Onset(None, reason="the cache was not filled: no jump was found")
    return Onset(float(sizes[i - 1]), float(sizes[i - 1]), float(sizes[i]), fits=i - 1)
