"""The staircase of a curve with levels."""

import numpy as np
import pytest
from helpers import made_up
from helpers.staircases import CAPACITIES, SIZES, stairs

import reckon as rk

LOAD = "memory/latency/load"


def latency(jumps=(21, 41, 61), heights=(1.1, 3.8, 13, 110), quantity=LOAD, **changes):
    return made_up.curve(quantity, SIZES / 1024, stairs(list(jumps), heights), **changes)


def test_a_staircase_names_its_levels_in_the_alt_text_and_has_all_data(data):
    steps = np.select([SIZES <= 32768, SIZES <= 2**20, SIZES <= 2**25], [1, 4, 12], 90.0)
    ring = latency(missing=[30], predicted=steps)
    other = latency(heights=(1, 2, 5, 30), quantity="memory/latency/stride", processes=2)
    gone = made_up.unmeasured("memory/latency/huge", ring)
    block = rk.draw.levels(
        [ring, other, gone],
        ring,
        "mem-stairs",
        "Caption",
        {LOAD: "random loads"},
        reported=CAPACITIES,
    )
    alt = block.markdown.split(":alt: ")[1].splitlines()[0]
    assert "from 1 KiB to 256 MiB" in alt and " up to 32 KiB; L2 " in alt and "main memory 1" in alt
    rows = data("mem-stairs")
    assert len(rows) == 1 + 72 + 73 and rows[0][:3] == [
        "quantity",
        "size of the region [KiB]",
        "median [ns]",
    ]
    assert rows[1][0] == LOAD and float(rows[1][2]) == pytest.approx(1.1, rel=0.03)
    assert float(rows[1][-1]) == 1 and block.svg.startswith("<svg")


def test_a_staircase_without_reported_capacities_or_levels_is_drawn(build):
    short = made_up.curve(LOAD, [1, 2, 4], [1, 1, 3])
    assert rk.draw.levels([short], short, "mem-short", "C", {}, {}).svg
    ring = latency()
    assert "level 3" in rk.draw.levels([ring], ring, "mem-bare", "C", {}, {}).markdown
    gone = made_up.unmeasured(LOAD, ring)
    assert rk.draw.levels([ring], gone, "mem-gone", "C", {}, CAPACITIES).svg
    assert "nothing to draw" in rk.draw.levels([gone], gone, "mem-none", "C", {}, {}).markdown
