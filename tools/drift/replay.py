"""replay.py [FILE]: what the rule of `reckon compare` names between visits of an unchanged machine.

FILE (visits.json) holds the medians of fresh processes by quantity and visit, visits six minutes
apart. Three consecutive visits are one run. Each run is compared with every later one that shares
no visit with it: by ranges of processes, as if their visits were not known, and by visits.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from reckon import records, statistics
from reckon.comparison.quantities import Side, compare_point, sides_of
from reckon.comparison.two_runs import MIN_CHANGE
from reckon.records.quantities.result import Result

VISITS = 5
CHANGES = (1.2, 1.5, 2.0)
OPS = 10_000  # in a trial, so that rounding to ticks of 1 ns is no step


def process(median_ns: float, visit: int) -> records.Process:
    """A process of one trial that took that long."""
    return records.Process.model_construct(
        ticks=[round(median_ns * OPS)],
        ops=OPS,
        visit=visit,
        cycles_per_tick_before=1.0,
        cycles_per_tick_after=1.0,
    )


def result(name: str, visits: list[list[float]]) -> Result:
    """The quantity measured in these visits."""
    processes = [
        process(median_ns, number)
        for number, medians_ns in enumerate(visits, 1)
        for median_ns in medians_ns
    ]
    point = records.Point.model_construct(x=None, params={}, processes=processes, summary=None)
    measurement = records.Measurement.model_construct(
        probe=name, op="call", timed="", warmup=0, priority="", tick_hz=1e9, points=[point]
    )
    seal = records.PredictionRecord.model_construct(unit="ns", kind="plain", predicted=1.0)
    entry = records.Quantity.model_construct(predictions=[seal], measurement=measurement)
    return Result(name, entry, "measured")


def sides(results: list[Result], pooled: statistics.PooledVariance | None) -> list[Side]:
    """Each quantity of a run as the rule takes it."""
    return [sides_of(result, pooled)[None] for result in results]


def pooled_variance(results: list[Result]) -> statistics.PooledVariance | None:
    """What the run's quantities say of the variance between visits."""
    summaries = [result.summaries[0] for result in results]
    return statistics.pooled_variance(
        [summary.visit_medians for summary in summaries],
        [summary.visit_spread for summary in summaries],
    )


def report(rule: str, runs: list[list[Side]]) -> None:
    """Print how many changes the rule names, and in how many pairs it would name these."""
    points = [
        compare_point(None, a, b, None, MIN_CHANGE)
        for first, before in enumerate(runs)
        for after in runs[first + VISITS :]
        for a, b in zip(before, after, strict=True)
    ]
    named = sum(point.is_apart for point in points)
    visible = np.array([point.visible_from(MIN_CHANGE) for point in points])
    shares = [f"{ratio:g}× in {100 * np.mean(visible <= ratio):.0f} %" for ratio in CHANGES]
    print(f"{rule}: {named} of {len(points)} named; visible: {', '.join(shares)}")


def main() -> None:
    path = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("visits.json")
    quantities = json.loads(path.read_text("utf-8"))["quantities"]
    count = len(next(iter(quantities.values())))
    runs = [
        [result(name, visits[first : first + VISITS]) for name, visits in quantities.items()]
        for first in range(count - VISITS + 1)
    ]
    report("processes", [sides(results, None) for results in runs])
    report("visits", [sides(results, pooled_variance(results)) for results in runs])


if __name__ == "__main__":
    main()
