"""The figures of memory: the staircase, the mountain, latency against throughput."""

import csv

import numpy as np
import pytest
from helpers import made_up
from helpers.staircases import CAPACITIES, SIZES, stairs

import reckon as rk

LOAD = "memory/latency/load"


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    return tmp_path


def data(build, name):
    with open(build / "figures" / f"{name}.csv") as file:
        return list(csv.reader(file))


def latency(jumps=(21, 41, 61), heights=(1.1, 3.8, 13, 110), quantity=LOAD, **changes):
    return made_up.curve(quantity, SIZES / 1024, stairs(list(jumps), heights), **changes)


def test_the_staircase_has_its_levels_in_the_alt_text_and_every_point_in_the_data(build):
    steps = np.select([SIZES <= 32768, SIZES <= 2**20, SIZES <= 2**25], [1, 4, 12], 90.0)
    one = latency(missing=[30], predicted=steps)
    other = latency(heights=(1, 2, 5, 30), quantity="memory/latency/stride", processes=2)
    gone = made_up.unmeasured("memory/latency/huge", one)
    block = rk.draw.levels(
        [one, other, gone],
        one,
        "mem-stairs",
        "Caption",
        {LOAD: "random loads"},
        reported=CAPACITIES,
    )
    alt = block.markdown.split(":alt: ")[1].splitlines()[0]
    assert "from 1 KiB to 256 MiB" in alt and " up to 32 KiB; L2 " in alt and "main memory 1" in alt
    found = data(build, "mem-stairs")
    assert len(found) == 1 + 72 + 73 and found[0][:3] == [
        "quantity",
        "size of the region",
        "median [ns]",
    ]
    assert found[1][0] == LOAD and float(found[1][2]) == pytest.approx(1.1, rel=0.03)
    assert float(found[1][-1]) == 1 and block.svg.startswith("<svg")


def test_a_staircase_without_reported_capacities_or_levels_is_drawn(build):
    short = made_up.curve(LOAD, [1, 2, 4], [1, 1, 3])
    assert rk.draw.levels([short], short, "mem-short", "C", {}, {}).svg
    one = latency()
    assert "level 3" in rk.draw.levels([one], one, "mem-bare", "C", {}, {}).markdown
    gone = made_up.unmeasured(LOAD, one)
    assert rk.draw.levels([one], gone, "mem-gone", "C", {}, CAPACITIES).svg
    assert "nothing to draw" in rk.draw.levels([gone], gone, "mem-none", "C", {}, {}).markdown


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


def test_the_mountain_is_drawn_with_a_stride_and_a_point_missing(build):
    strides = [64, 8, 16, 32]
    found = mountain(strides, missing=[3])
    found[3] = made_up.unmeasured(found[3].quantity, found[3])
    given = dict(zip([one.quantity for one in found], strides, strict=True))
    block = rk.draw.mountain(found, "mem-mountain", "Caption", given)
    assert "stride 8 byte and lowest" in block.markdown and "stride 64 byte" in block.markdown
    rows = data(build, "mem-mountain")
    assert rows[0][:3] == ["stride [byte]", "size [byte]", "median [GB/s]"]
    assert len(rows) == 1 + 3 * 13 and {row[0] for row in rows[1:]} == {"8", "16", "64"}
    assert rows[1][:2] == ["8", "16384"] and float(rows[1][2]) == pytest.approx(40, rel=0.03)
    assert (build / "figures" / "mem-mountain.pdf").exists()


def test_a_mountain_of_one_stride_and_one_of_none(build):
    (one,) = mountain([8])
    assert rk.draw.mountain([one], "mem-ridge", "C", {one.quantity: 8}).svg
    gone = made_up.unmeasured(one.quantity, one)
    assert (
        "needs huge pages" in rk.draw.mountain([gone], "mem-flat", "C", {one.quantity: 8}).markdown
    )


def test_latency_against_throughput_leaves_out_what_one_of_them_lacks(build):
    load = np.arange(0, 101, 10.0)
    across = made_up.curve(
        "memory/loaded/throughput",
        load,
        0.1 + load / 5,
        unit="GB/s",
        axis_unit="%",
        predicted=load / 4,
        missing=[0],
    )
    up = made_up.curve("memory/loaded/latency", load, 90 + load**2 / 50, axis_unit="%", missing=[4])
    block = rk.draw.against(across, up, "mem-loaded", "Caption", "throughput", "latency")
    found = data(build, "mem-loaded")
    assert found[0][1] == "throughput: median [GB/s]" and found[0][7] == "latency: median [ns]"
    assert [row[0] for row in found[1:]] == ["10", "20", "30", "50", "60", "70", "80", "90", "100"]
    last = dict(zip(found[0], found[-1], strict=True))
    assert float(last["throughput: median [GB/s]"]) == pytest.approx(20.1, rel=0.03)
    assert float(last["latency: median [ns]"]) == pytest.approx(290, rel=0.03)
    assert float(last["throughput: predicted"]) == pytest.approx(25)
    assert "memory/loaded/latency" in block.markdown and "nan" not in block.markdown
    gone = made_up.unmeasured("memory/loaded/latency", up)
    assert "needs huge pages" in rk.draw.against(across, gone, "mem-gone", "C", "x", "y").markdown
