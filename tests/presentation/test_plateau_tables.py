"""The table of a curve's levels, and the figures of latency, mountain and load."""

import csv

import numpy as np
import pytest
from helpers import made_up
from helpers.staircases import CAPACITIES, FOUR, SIZES, stairs, with_ramps
from helpers.tables import rows

import reckon as rk

LOAD = "memory/latency/load"


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    return tmp_path


def latency(jumps=(21, 41, 61), heights=(1.1, 3.8, 13, 110), quantity=LOAD, **changes):
    return made_up.curve(quantity, SIZES / 1024, stairs(list(jumps), heights), **changes)


def data(build, name):
    with open(build / "figures" / f"{name}.csv") as file:
        return list(csv.reader(file))


def regimes(curve, reported=CAPACITIES):
    """The rows of the table, without its header."""
    return rows(rk.show.levels(curve, FOUR, reported, "Caption", "tab-levels"))[1:]


def names(curve):
    return [row[0] for row in regimes(curve)]


def levels_verdict(curve, reported=CAPACITIES):
    return rk.show.levels_verdict(curve, FOUR, reported).markdown


def test_the_table_has_each_regime_beside_the_reported_capacity():
    first, *_ = table = regimes(latency())
    assert [row[0] for row in table] == FOUR
    assert first[1:3] == ["1 KiB", "32 KiB"] and first[5] == "32 KiB"
    assert first[3].endswith(" ns") and float(first[3].split()[0]) == pytest.approx(1.1, rel=0.03)
    assert float(first[4]) == pytest.approx(3.3, rel=0.03)  # three cycles a tick of 1 ns


@pytest.mark.parametrize(("jump", "agrees"), [(40, True), (42, True), (39, False), (43, False)])
def test_a_level_may_end_one_step_beside_the_capacity(jump, agrees):
    text = levels_verdict(latency((21, jump, 61)))
    assert ("L1, L2 and L3 each end where" in text) == agrees


def test_a_level_that_ends_early_and_one_that_is_not_reported():
    early = latency((21, 41, 53))
    assert regimes(early, {**CAPACITIES, "L2": None})[1][5] == "–"
    assert levels_verdict(early) == (
        "L1 and L2 each end where the machine reports, within one step. The data show L3 "
        "ending at 8 MiB, the machine reports 32 MiB: it keeps its speed for 25 % of that."
    )


def test_a_climb_is_a_regime():
    curve = made_up.curve(LOAD, SIZES / 1024, with_ramps(2))
    (row,) = (row for row in regimes(curve) if row[0] == "climb to main memory")
    low, high = (float(part.split()[0]) for part in row[3].split(" to "))
    assert 13 < low < high < 110 and row[4:] == ["–", "–"]


def test_another_number_of_levels_is_reported():
    curve = latency((21, 53), (1.1, 3.8, 110))
    assert names(curve) == ["L1", "L2", "main memory"]
    text = levels_verdict(curve)
    assert "No level of its own is seen for L3 (32 MiB reported)." in text
    assert "The data show 3 levels where 4 were expected (L1, L2, L3, main memory)." in text
    assert "reports no capacities" in levels_verdict(curve, {"L1": None})


def test_a_level_inside_a_cache_is_not_taken_for_l3():
    curve = latency((21, 34, 39), (1.1, 3.8, 5.5, 110))
    assert names(curve) == ["L1", "another level", "L2", "main memory"]
    text = levels_verdict(curve)
    assert "No level of its own is seen for L3 (32 MiB reported)." in text
    assert "another level before L2's own, 3.8" in text and text.endswith(" ns up to 304 KiB.")


def test_missing_points_are_named_and_nothing_is_nan():
    curve = latency(missing=[5, 30, 72], processes=2)  # too few processes for an interval
    text = levels_verdict(curve)
    assert "Not measured at 2.38 KiB and 2 more points, up to 256 MiB: no memory for it." in text
    assert "nan" not in text + str(regimes(curve)) and names(curve) == FOUR


def test_a_curve_without_levels_has_a_sentence():
    curve, short = latency(), made_up.curve(LOAD, [1, 2, 4], [1, 1, 3])
    table = rk.show.levels(made_up.unmeasured(LOAD, curve), FOUR, CAPACITIES, "C", "n").markdown
    assert "needs huge pages" in table
    assert "needs huge pages" in levels_verdict(made_up.unmeasured(LOAD, curve))
    assert "has 3 points, and a curve with levels needs 6" in levels_verdict(short)


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
    assert rk.draw.levels([short], short, "mem-short", "C").svg
    one = latency()
    assert "level 3" in rk.draw.levels([one], one, "mem-bare", "C").markdown
    gone = made_up.unmeasured(LOAD, one)
    assert rk.draw.levels([one], gone, "mem-gone", "C", reported=CAPACITIES).svg
    assert "nothing to draw" in rk.draw.levels([gone], gone, "mem-none", "C").markdown


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


def test_notes_of_a_curve_have_their_places():
    """Every second process of four points takes twice as long: that is more than a tenth apart."""
    one = latency(processes=8)
    noisy = (3, 10, 40, 60)
    for k in noisy:
        for p in one.measurement.points[k].processes[::2]:
            p.ticks[:] = [2 * t for t in p.ticks]
    text = rk.show.verdict(one, "a load").markdown
    notes = [point.warnings[0] for point in one.summaries if point.warnings]
    modes = next(warning for warning in notes if "two modes" in warning)
    assert (
        notes.count(modes) >= 4
        and f"at {notes.count(modes)} of its {len(one.points)} points {modes}" in text
    )
    assert text.count("Note:") == 1


def curve_verdict(*ratios):
    curve = made_up.curve(LOAD, 2.0 ** np.arange(len(ratios)), ratios)
    return rk.show.verdict(curve, "a load").markdown


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([1.0] * 10, "came out as predicted, by the median over its points."),
        ([1.0] * 9 + [3], "It is farthest off at 512 KiB, with "),
        ([1.0] * 8 + [3, 9], "came out as predicted in part: 8 of 10 points lie within 1.25"),
        ([1.67] * 10, "67 % higher"),
        ([0.8, 1, 1, 1.2, 1.2], "on both sides of the prediction, from 0.8"),
        ([0.8, *[1] * 18, 1.2], "as predicted, by the median"),  # two of twenty, and near
    ],
)
def test_the_verdict_on_a_curve_hides_no_points_behind_their_median(ratios, words):
    assert words in curve_verdict(*ratios)
