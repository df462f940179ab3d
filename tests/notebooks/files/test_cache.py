"""Hits and misses, and inferred capacities: table, interval, and the figure of the filling."""

import numpy as np
import pytest
from helpers import made_up
from helpers.cached_reads import MIB, reads

import reckon as rk
from reckon import records
from reckon.book import contents
from reckon.measurement.capacity import in_reads

CACHE = contents.findings_of("files/cache")


def _disk(time_s):
    """The input of what the disk adds."""
    return records.InputRecord(name="disk", origin="guess", value=time_s, unit="s", source="made")


def test_slow_reads_of_files_that_fit_are_no_reads_from_the_disk():
    result = reads()
    result.seal.inputs.append(_disk(80e-6))
    for point in result.points:
        for process in point.processes:  # one cached read in 25 is slow without the disk
            process.ticks = [
                20_000 if ticks < 10_000 and not number % 25 else ticks
                for number, ticks in enumerate(process.ticks)
            ]
    hit, miss, *_ = CACHE.hits_and_misses(result)
    assert (hit, miss) == pytest.approx((1.8e-6, 82e-6), rel=0.05)
    text = CACHE.hit_and_miss_times(result).markdown
    assert "81.0 µs were predicted" in text
    assert "While the file fits, 4.0 % of the reads take more than" in text


@pytest.mark.parametrize("processes", [1, 8])
def test_an_inferred_capacity_has_its_interval(folders, processes):
    """That of its rounds where they are enough, else by the likelihood of one round's reads."""
    result = reads(processes=processes)
    size, true = (
        made_up.single(f"files/cache/{name}", 99, "MiB", processes) for name in ("size", "left")
    )
    for process, ops in zip(size.measurement.points[0].processes, in_reads(result)[1], strict=True):
        process.ops = round(ops)
    for process in true.measurement.points[0].processes:
        process.ops = 99 * MIB
    low, high = CACHE.interval_of(size, result)
    assert low <= size.median <= high < 1.03 * low and low <= 99 * MIB <= high
    text = CACHE.inferred_capacity(size, true, result, "There", "More.").markdown
    assert text.startswith("There the inferred capacity is 9")
    assert "kernel's 99.00 MiB is inside the interval. More." in text
    drawn = CACHE.draw_filling(result, "cache-interval", "Caption", true).markdown
    assert f"inferred capacity: {rk.amount(size.median, 'byte', 4)}" in drawn


def test_the_page_shows_inferred_and_true_capacities_and_the_filling(folders):
    curve, true = reads(), made_up.single("files/cache/left", 99, "MiB")
    small = made_up.curve(
        "files/cache/t470", 1024 * np.arange(1.0, 9), [1, 1, 1, 1, 1, 1, 9, 9], unit="µs"
    )
    result = made_up.single("files/cache/t470_size", 6, "MiB")
    none = made_up.nothing("files/cache/size", "needs root")
    table = CACHE.inferred_capacities(
        [(result, true, small), (none, true, small)], "C", "t"
    ).markdown
    assert (
        "6.000 MiB to 7.000 MiB" in table
        and "unsupported: needs root" in table
        and "nan" not in table
    )
    assert (
        "not be inferred: needs root"
        in CACHE.inferred_capacity(none, true, curve, "There").markdown
    )
    for drawn in (curve, reads(capacity=9), reads(processes=1)):
        block = CACHE.draw_filling(drawn, "cache-test", "Caption", true)
        assert block.svg.startswith("<svg") and "nan" not in block.markdown
    assert "nothing to draw" in CACHE.draw_filling(none, "cache-none", "C", true).markdown.lower()
