"""The table and the verdict of a curve's levels."""

import pytest
from helpers import made_up
from helpers.staircases import CAPACITIES, FOUR, SIZES, stairs
from helpers.tables import rows

import reckon as rk

LOAD = "memory/latency/load"


def latency(jumps=(21, 41, 61), heights=(1.1, 3.8, 13, 110), quantity=LOAD, **changes):
    return made_up.curve(quantity, SIZES / 1024, stairs(list(jumps), heights), **changes)


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
        "L1 and L2 each end where the machine reports, within one step. Up to 8 MiB, "
        "25 % of the reported 32 MiB, a load takes L3's 13.0 ns."
    )


def test_another_number_of_levels_is_reported():
    curve = latency((21, 53), (1.1, 3.8, 110))
    assert names(curve) == ["L1", "L2", "main memory"]
    text = levels_verdict(curve)
    assert "No level of its own is seen for L3 (32 MiB reported)." in text
    assert "The data show 3 levels where 4 were expected (L1, L2, L3, main memory)." in text
    assert "reports no capacities" in levels_verdict(curve, {"L1": None})


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
