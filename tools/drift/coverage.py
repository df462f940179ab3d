"""coverage.py [FILE]: how often an interval holds the same quantity when it is measured again.

FILE (visits.json) holds the medians of fresh processes by quantity and visit, visits six minutes
apart. Each interval is taken from consecutive visits and tested on the visit 12 minutes after the
last of them. Its width is compared with the oracle's, the 95 % prediction interval from all visits.

The intervals of visits are those of reckon/statistics/visits.py.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon import statistics

LEVEL = 0.95
VISITS_AHEAD = 2  # 12 minutes


@dataclass(frozen=True)
class Interval:
    """The intervals of all quantities at one moment, as centre and half width of logarithms."""

    centre: np.ndarray
    half: np.ndarray


def of_ends(ends: list[tuple[float, float]]) -> Interval:
    low, high = np.log(ends).T
    return Interval((low + high) / 2, (high - low) / 2)


def of_processes(visits: list[list[float]]) -> Interval:
    """The interval of the median over the processes of one visit."""
    return of_ends([statistics.median_interval(np.array(processes)) for processes in visits])


def of_visits(
    medians: np.ndarray,
    level: float,
    spreads: list[float] | None = None,
    extremes: list | None = None,
    *,
    pooled: bool = False,
) -> Interval:
    """The interval for one more visit; the pooled variance follows the spreads, if given, and the
    extremes of the processes bound it."""
    known = spreads or [math.nan] * len(medians)
    ends = extremes or [None] * len(medians)
    variance = statistics.pooled_variance(medians, known) if pooled else None
    return of_ends(
        [
            statistics.revisit_interval(visit_medians, variance, level, spread=spread, extremes=end)
            for visit_medians, spread, end in zip(medians, known, ends, strict=True)
        ]
    )


def report(name: str, intervals: Iterator[Interval], targets: list, oracle: np.ndarray) -> None:
    """Print how many of the targets the intervals hold, and how wide they are."""
    held, widths = [], []
    for interval, target in zip(intervals, targets, strict=True):
        known = np.isfinite(interval.half)  # too few processes have no interval
        held.extend((abs(target - interval.centre) <= interval.half)[known])
        widths.extend((interval.half / oracle)[known])
    share, width = 100 * np.mean(held), np.median(widths)
    print(f"{name:50} holds {share:5.1f} % of {len(held)}; {width:.2f} times the oracle's width")


def main() -> None:
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("visits.json")
    quantities = list(json.loads(path.read_text("utf-8"))["quantities"].values())
    medians = np.array([[np.median(processes) for processes in visits] for visits in quantities])
    visits, logs = medians.shape[1], np.log(medians)
    oracle = of_visits(medians, LEVEL).half
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
        spreads = [
            [statistics.spread_within(processes[window]) for processes in quantities]
            for window in windows
        ]
        extremes = [
            [
                (min(map(min, visits[window])), max(map(max, visits[window])))
                for visits in quantities
            ]
            for window in windows
        ]
        for level, kind in (
            (0.95, "alone"),
            (0.95, "pooled"),
            (0.995, "pooled"),
            (0.995, "pooled by spread"),
            (0.995, "pooled by spread, bounded"),
        ):
            intervals = (
                of_visits(
                    medians[:, window],
                    level,
                    spread if "spread" in kind else None,
                    ends if "bounded" in kind else None,
                    pooled="pooled" in kind,
                )
                for window, spread, ends in zip(windows, spreads, extremes, strict=True)
            )
            name = f"{count} visits, {kind}, nominal {100 * level:g} %"
            report(name, intervals, targets, oracle)


if __name__ == "__main__":
    main()
