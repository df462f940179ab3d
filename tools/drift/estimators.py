"""estimators.py [FILE]: how far a run's value of a quantity lies from the next half hour's.

FILE (visits.json) holds the medians of fresh processes by quantity and visit, visits six minutes
apart. A value is taken from consecutive visits and compared with the geometric mean of the five
visits that follow. Then the same where something slows the first visit, as a busy sibling of the
core does: its processes take SLOWED times as long.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

Visits = list[list[float]]
AHEAD = 5  # visits: half an hour
FIRST, LATER = 20, 6  # processes of a visit, where the first has most of them
MOST = 5  # visits of a run
FAR = 0.1
SLOWED = 1.4  # as much as one visit to a system call came out slower than the others


def of_all_processes(visits: Visits) -> float:
    """The median over the processes of all visits, of which the first has the most."""
    return float(np.median([*visits[0][:FIRST], *(x for each in visits[1:] for x in each[:LATER])]))


def of_visits(visits: Visits) -> float:
    """The median of the visits' medians, of as many processes each."""
    return float(np.median([np.median(each[:LATER]) for each in visits]))


def mean_of_visits(visits: Visits) -> float:
    """The geometric mean of the visits' medians, of as many processes each."""
    return float(np.exp(np.mean([np.log(np.median(each[:LATER])) for each in visits])))


ESTIMATORS: dict[str, tuple[Callable[[Visits], float], int]] = {
    f"3 visits of {FIRST}, {LATER} and {LATER} processes, median of all processes": (
        of_all_processes,
        3,
    ),
    f"3 visits of {LATER} processes, median of their medians": (of_visits, 3),
    f"5 visits of {LATER} processes, mean of their medians": (mean_of_visits, MOST),
    f"5 visits of {LATER} processes, median of their medians": (of_visits, MOST),
}


def errors(
    quantities: list[Visits], value: Callable[[Visits], float], count: int, times: float = 1.0
) -> np.ndarray:
    """How far the value lies from the next half hour, relative, of each quantity and moment.

    times: how many times as long the first visit of each run takes."""
    found = []
    for visits in quantities:
        logs = np.log([np.median(processes) for processes in visits])
        for end in range(MOST, len(visits) - AHEAD + 1):
            later = logs[end : end + AHEAD].mean()
            first = [times * median for median in visits[end - count]]
            found.append(abs(np.log(value([first, *visits[end - count + 1 : end]])) - later))
    return np.expm1(found)


def main() -> None:
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("visits.json")
    quantities = list(json.loads(path.read_text("utf-8"))["quantities"].values())
    for name, (value, count) in ESTIMATORS.items():
        off, slowed = (errors(quantities, value, count, times) for times in (1.0, SLOWED))
        mean, far = 100 * off.mean(), 100 * np.mean(off > FAR)
        print(
            f"{name:58} off by {mean:.1f} %; beyond {100 * FAR:.0f} %: {far:.1f} % of {len(off)}; "
            f"first visit slowed: off by {100 * slowed.mean():.1f} %"
        )


if __name__ == "__main__":
    main()
