"""The figures of the chapter on latency: the staircase of a curve with levels, and the mountain."""

import numpy as np
import pytest
from helpers import figures, made_up
from helpers.staircases import CAPACITIES, SIZES, stairs

from reckon.book import contents
from reckon.show.figure_files import PRINT

FIGURES = contents.findings_of("memory/latency_figures")
LOAD = "memory/latency/load"


def latency(jumps=(21, 41, 61), heights=(1.1, 3.8, 13, 110), quantity=LOAD, **changes):
    return made_up.curve(quantity, SIZES / 1024, stairs(list(jumps), heights), **changes)


def test_a_staircase_names_its_levels_in_the_alt_text_and_has_all_data(data):
    steps = np.select([SIZES <= 32768, SIZES <= 2**20, SIZES <= 2**25], [1, 4, 12], 90.0)
    ring = latency(missing=[30], predicted=steps)
    other = latency(heights=(1, 2, 5, 30), quantity="memory/latency/stride", processes=2)
    gone = made_up.unmeasured("memory/latency/huge", ring)
    block = FIGURES.levels(
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
    assert FIGURES.levels([short], short, "mem-short", "C", {}, {}).svg
    ring = latency()
    assert "level 3" in FIGURES.levels([ring], ring, "mem-bare", "C", {}, {}).markdown
    gone = made_up.unmeasured(LOAD, ring)
    assert FIGURES.levels([ring], gone, "mem-gone", "C", {}, CAPACITIES).svg
    assert "nothing to draw" in FIGURES.levels([gone], gone, "mem-none", "C", {}, {}).markdown


def mountain(strides, **changes):
    x = 2.0 ** np.arange(4, 18)
    return [
        made_up.curve(
            f"memory/mountain/{s}",
            x,
            np.where(x < 1024, 40, 10) / (s / 8) ** 0.3,
            unit="GB/s",
            **changes,
        )
        for s in strides
    ]


def test_the_mountain_is_drawn_with_a_stride_and_a_point_missing(build, data):
    strides = [64, 8, 16, 32]
    results = mountain(strides, missing=[3])
    results[3] = made_up.unmeasured(results[3].quantity, results[3])
    given = dict(zip([result.quantity for result in results], strides, strict=True))
    block = FIGURES.mountain(results, "mem-mountain", "Caption", given)
    assert "stride 8 bytes and lowest" in block.markdown and "stride 64 bytes" in block.markdown
    rows = data("mem-mountain")
    assert rows[0][:3] == ["stride [bytes]", "size [bytes]", "median [GB/s]"]
    assert len(rows) == 1 + 3 * 13 and {row[0] for row in rows[1:]} == {"8", "16", "64"}
    assert rows[1][:2] == ["8", "16384"] and float(rows[1][2]) == pytest.approx(40, rel=0.03)
    assert figures.file("mem-mountain", PRINT).exists()
