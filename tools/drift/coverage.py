"""coverage.py [FILE]: how often an interval holds the same quantity when it is measured again.

FILE (visits.json) holds the medians of fresh processes by quantity and visit, visits six minutes
apart. Each interval is taken from consecutive visits and tested on the visit 12 minutes after the
last of them. Its width is compared with the oracle's, the 95 % prediction interval from all visits.

The pooled interval estimates the variance between visits of each quantity with the help of all
others (Smyth, Linear models and empirical Bayes methods for assessing differential expression,
2004, section 6).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import optimize, special, stats

from reckon.statistics.inference import median_interval

LEVEL = 0.95
VISITS_AHEAD = 2  # 12 minutes


@dataclass(frozen=True)
class Interval:
    """The intervals of all quantities at one moment, as centre and half width of logarithms."""

    centre: np.ndarray
    half: np.ndarray


def pooled_variances(variances: np.ndarray, degrees: int) -> tuple[np.ndarray, float]:
    """Each quantity's variance moved towards the others', and its degrees of freedom."""
    logs = np.log(variances) - special.digamma(degrees / 2) + np.log(degrees / 2)
    excess = np.var(logs, ddof=1) - special.polygamma(1, degrees / 2)
    if excess <= 0:  # no more spread between quantities than chance explains
        return np.full(len(variances), np.exp(logs.mean())), np.inf
    prior = 2 * optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-3, 1e6)
    common = np.exp(logs.mean() + special.digamma(prior / 2) - np.log(prior / 2))
    return (prior * common + degrees * variances) / (prior + degrees), prior + degrees


def of_processes(visits: list[list[float]]) -> Interval:
    """The interval of the median over the processes of one visit."""
    ends = np.log([median_interval(np.array(processes)) for processes in visits])
    return Interval(ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2)


def of_visits(logs: np.ndarray, level: float, *, pooled: bool) -> Interval:
    """The prediction interval of one more visit, by Student's t."""
    count = logs.shape[1]
    variances, degrees = logs.var(axis=1, ddof=1), count - 1.0
    if pooled:
        variances, degrees = pooled_variances(variances, count - 1)
    half = stats.t.ppf((1 + level) / 2, degrees) * np.sqrt(variances * (1 + 1 / count))
    return Interval(logs.mean(axis=1), half)


def report(name: str, intervals: Iterator[Interval], targets: list, oracle: np.ndarray) -> None:
    """Print how many of the targets the intervals hold, and how wide they are."""
    held, widths = [], []
    for interval, target in zip(intervals, targets, strict=True):
        known = np.isfinite(interval.half)  # too few processes have no interval
        held.extend((abs(target - interval.centre) <= interval.half)[known])
        widths.extend((interval.half / oracle)[known])
    share, width = 100 * np.mean(held), np.median(widths)
    print(f"{name:40} holds {share:5.1f} % of {len(held)}; {width:.2f} times the oracle's width")


def main() -> None:
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("visits.json")
    quantities = list(json.loads(path.read_text())["quantities"].values())
    logs = np.log([[np.median(processes) for processes in visits] for visits in quantities])
    visits = logs.shape[1]
    oracle = of_visits(logs, LEVEL, pooled=False).half
    starts = range(visits - VISITS_AHEAD)
    report(
        "today: processes of one visit",
        (of_processes([visits[i] for visits in quantities]) for i in starts),
        [logs[:, i + VISITS_AHEAD] for i in starts],
        oracle,
    )
    for count in (3, 5):
        windows = [slice(i, i + count) for i in range(visits - count + 1 - VISITS_AHEAD)]
        targets = [logs[:, window.stop - 1 + VISITS_AHEAD] for window in windows]
        for level, pooled in ((0.95, False), (0.95, True), (0.98, True)):
            name = f"{count} visits, {'pooled' if pooled else 'alone'}, nominal {100 * level:.0f} %"
            intervals = (of_visits(logs[:, window], level, pooled=pooled) for window in windows)
            report(name, intervals, targets, oracle)


if __name__ == "__main__":
    main()
