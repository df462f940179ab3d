"""runs.py RUN RUN...: how often a run's intervals hold what the machine's other runs measured.

Each RUN is a name or a folder with a / in it. Single quantities alone, by what their interval is
made from; the runs must be of one machine with nothing changed between them.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import permutations

import numpy as np

from reckon import records
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.result import Result


def scalars(run: str) -> dict[str, Result]:
    """The quantities of the run that are single values with an interval, by name."""
    results = all_results(records.find(run))
    return {
        result.quantity: result
        for result in results
        if not result.is_curve and result.summary and result.summary.interval.is_known
    }


def main(names: list[str]) -> None:
    if len(names) < 2:
        raise ReckonError("Give at least two runs of one machine.")
    runs = [scalars(name) for name in names]
    held, widths = defaultdict(list), defaultdict(list)
    for run, other in permutations(runs, 2):
        for name in run.keys() & other.keys():
            summary, again = run[name].summary, other[name].summary
            several = len(run[name].measurement.visits) > 1
            kind = "several visits" if several else "one visit"
            held[kind].append(summary.interval.low <= again.median <= summary.interval.high)
            widths[kind].append(summary.precision)
    for kind, results in sorted(held.items()):
        share, half = 100 * np.mean(results), 100 * np.nanmedian(widths[kind])
        print(f"{kind:16} holds {share:5.1f} % of {len(results)}; half width {half:.1f} %")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ReckonError as error:
        sys.exit(f"runs.py: {error}")
