"""Inferred capacities on a page: table, interval, and the figure of the filling."""

import numpy as np
import pytest
from helpers import made_up
from helpers.cached_reads import MIB, reads

import reckon as rk
from reckon.measurement.capacity import in_reads
from reckon.show.sentences.capacities import interval


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
    low, high = interval(size, result)
    assert low <= size.median <= high < 1.03 * low and low <= 99 * MIB <= high
    text = rk.show.inferred_capacity(size, true, result, "There", "More.").markdown
    assert text.startswith("There the inferred capacity is 9")
    assert "kernel's 99.00 MiB is inside the interval. More." in text
    drawn = rk.draw.cache_capacity(result, "cache-interval", "Caption", true).markdown
    assert f"inferred capacity: {rk.amount(size.median, 'byte', 4)}" in drawn


def test_the_page_shows_inferred_and_true_capacities_and_the_filling(folders):
    curve, true = reads(), made_up.single("files/cache/left", 99, "MiB")
    small = made_up.curve(
        "files/cache/t470", 1024 * np.arange(1.0, 9), [1, 1, 1, 1, 1, 1, 9, 9], unit="µs"
    )
    result = made_up.single("files/cache/t470_size", 6, "MiB")
    none = made_up.nothing("files/cache/size", "needs root")
    table = rk.show.inferred_capacities(
        [(result, true, small), (none, true, small)], "C", "t"
    ).markdown
    assert (
        "6.000 MiB to 7.000 MiB" in table
        and "unsupported: needs root" in table
        and "nan" not in table
    )
    assert (
        "not be inferred: needs root"
        in rk.show.inferred_capacity(none, true, curve, "There").markdown
    )
    for drawn in (curve, reads(capacity=9), reads(processes=1)):
        block = rk.draw.cache_capacity(drawn, "cache-test", "Caption", true)
        assert block.svg.startswith("<svg") and "nan" not in block.markdown
    assert (
        "nothing to draw" in rk.draw.cache_capacity(none, "cache-none", "C", true).markdown.lower()
    )
