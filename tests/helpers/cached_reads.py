"""Made-up reads of files around the capacity of a cache."""

import numpy as np

from helpers import made_up
from reckon import records
from reckon.statistics import onset

SHARES = np.array([0.6, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.2])
MIB = 1 << 20


def modes(fast, slow, share, n, seed=1):
    """Times of n reads, of which that share is slow, each around one of two times."""
    random = np.random.default_rng(seed)
    times = np.where(random.random(n) < share, slow, fast)
    return times * random.lognormal(0, 0.25, n)


def reads(quantity="files/cache/limited", capacity=0.99, processes=6):
    """A curve of single reads of files around 100 MiB: 400 in each process."""
    result = made_up.curve(
        quantity, 100 * SHARES, 1 + 0 * SHARES, unit="µs", axis_unit="MiB", processes=processes
    )
    result.seal.kind = "mean"
    for k, point in enumerate(result.points):
        share = onset.rise(SHARES, capacity)[k]
        for i, process in enumerate(point.processes):
            times_s = modes(1e-6, 80e-6, share, 400, 100 * k + i)
            process.ticks, process.ops = [round(1e9 * time_s) for time_s in times_s], 1
    return result


def made_of_reads(hits_us, misses_us):
    """A curve of two sizes whose prediction is 1 and 11 µs, and single reads of these times."""
    result = made_up.curve("files/cache/made", [1, 2], [1, 1], "µs", "MiB", predicted=[1, 11])
    disk = records.InputRecord(name="disk", origin="guess", value=40e-6, unit="s", source="made")
    result.seal.inputs.append(disk)
    for point in result.points:
        for process in point.processes:
            process.ticks, process.ops = [1000 * us for us in [*hits_us, *misses_us]], 1
    return result
