"""One quantity in two runs: when a change is named, and when the quantity is not judged."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import made_up
from helpers.made_up import NAMES, compared, results

from reckon.comparison.two_runs import compare
from reckon.presentation import run_comparison


def names(comparison):
    return [quantity.quantity for quantity in comparison.changed]


def scale(result, factor, processes=slice(None)):
    """Multiplies all trials of some processes."""
    for process in result.measurement.points[0].processes[processes]:
        process.ticks[:] = [round(factor * tick) for tick in process.ticks]


def test_changes_are_listed_from_largest_to_smallest(folders):
    comparison = compared(results(1), results(2, {NAMES[3]: 1.3, NAMES[7]: 0.5}))
    directions = [(quantity.quantity, quantity.direction) for quantity in comparison.changed]
    assert directions == [(NAMES[7], "faster"), (NAMES[3], "slower")]
    low, high = comparison.changed[1].largest.interval
    assert low < 1.3 < high and high / low < 1.15
    assert len(comparison.same) == 18 and not comparison.unjudged


def test_a_rate_that_grew_is_faster(folders):
    def rate(factor):
        return [made_up.single("memory/made/rate", 5 * factor, "GB/s", seed=factor)]

    assert compared(rate(1), rate(2)).changed[0].direction == "faster"
    assert compared(rate(2), rate(1)).changed[0].direction == "slower"


@pytest.mark.parametrize(
    ("unit", "op", "direction"), [("Gtick/s", "ns", "more"), ("Gcycle/s", "cycle", "faster")]
)
def test_a_counter_that_counts_more_often_is_not_faster(folders, unit, op, direction):
    def rate(factor):
        result = made_up.single(NAMES[0], factor, "ns" if op == "ns" else "GB/s", seed=factor)
        result.measurement.op, result.entry.predictions[0].unit = op, unit
        return [result]

    assert compared(rate(1), rate(2)).changed[0].direction == direction


def test_two_runs_of_one_machine_have_no_changes(folders):
    pairs = [compared(results(2 * seed), results(2 * seed + 1)) for seed in range(8)]
    assert sum(len(comparison.changed) for comparison in pairs) <= 1  # of 160


def test_runs_that_differ_as_much_as_processes_are_unchanged(folders):
    """Each run has a level of its own, as minutes have: the test across processes sees changes."""
    random, seen_by_test, changed = np.random.default_rng(3), 0, 0
    for seed in range(4):
        levels = [
            dict(zip(NAMES, np.exp(random.normal(0, 0.02, len(NAMES))), strict=True))
            for _ in range(2)
        ]
        runs = [results(2 * seed + k, level) for k, level in enumerate(levels)]
        comparison = compared(*runs)
        seen_by_test += sum(quantity.p < 0.05 for quantity in comparison.judged)
        changed += len(comparison.changed)
    assert seen_by_test >= 10 and changed <= 2  # of 80


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_range_of_six_processes_includes_a_seventh(folders, order):
    """One trial in each of six processes: the two runs' values are apart, their ranges are not."""
    runs = [made_up.single(NAMES[0], value, "ns", processes=6) for value in (100, 125)]
    for result, value in zip(runs, (100, 125), strict=True):
        for k, process in enumerate(result.measurement.points[0].processes):
            process.ticks[:] = [round(10_000 * value * (0.93 + 0.028 * k))]
    lower, upper = (result.measurement.points[0].processes for result in runs)
    assert lower[-1].ticks < upper[0].ticks
    comparison = compared(*([runs[k]] for k in order))
    assert comparison.judged[0].p < 0.01 and not comparison.changed


def test_a_longer_run_resolves_smaller_changes(folders):
    """Every third process takes twice as long: in sixty processes such bursts average out."""

    def bursts(seed, factor, processes):
        result = made_up.single(NAMES[0], 100 * factor, "ns", processes, seed)
        scale(result, 2, slice(0, None, 3))
        return [result]

    assert not compared(bursts(1, 1, 12), bursts(2, 1.3, 12)).changed
    assert compared(bursts(1, 1, 60), bursts(2, 1.3, 60)).changed


def test_drift_slower_than_a_batch_stays_in_the_range(folders):
    before, after = (made_up.single(NAMES[0], 100, "ns", 60, seed) for seed in (1, 2))
    scale(after, 1.3)
    for result in (before, after):
        scale(result, 1.2, slice(20, 40))
    assert not compared([before], [after]).changed


def test_a_difference_that_chance_explains_is_no_change(folders):
    quantity = compared(results(1), results(2, {NAMES[3]: 2})).changed[0]
    assert quantity.p < 1e-6 and not replace(quantity, p=0.06).has_changed


def test_a_change_is_named_from_the_smallest_visible_ratio_on(folders):
    comparison = compared(results(1), results(2))
    quantity = comparison.judged[5]

    def at(factor):
        return names(compared(results(1), results(2, {quantity.quantity: factor})))

    visible = quantity.visible_from()
    assert visible > 1 and not at(1 + (visible - 1) / 3)
    assert at(visible * 1.02) == at(1 / visible / 1.02) == [quantity.quantity]
    assert comparison.resolving(1.01) == 0 < comparison.resolving(1.3)
    assert comparison.resolving(1.3) <= comparison.resolving(3) == 20
    assert "3.00× in 100 % of them" in run_comparison.resolution_sentence(comparison)


def test_changes_below_the_minimum_are_not_named(folders):
    runs = results(1), results(2, {NAMES[3]: 1.4})
    assert len(compared(*runs, minimum_change=0.3).changed) == 1
    assert not compared(*runs, minimum_change=0.6).changed


def test_few_processes_and_negative_values_are_not_judged(folders):
    few, negative = results(1, processes=5), results(1)[0]
    made_up.negate(negative, processes=3)
    with np.errstate(all="raise"):
        comparison = compared([negative, *few[1:3]], results(2, {NAMES[1]: 9, NAMES[2]: 9}))
    assert not comparison.judged and not comparison.changed
    reasons = [quantity.why for quantity in comparison.quantities]
    assert reasons == ["not positive", "too few fresh processes", "too few fresh processes"]
    assert "2 (too few fresh processes)" in run_comparison.count_sentence(comparison)


def test_a_curve_is_reported_at_its_largest_change(folders):
    x, y = [1, 2, 4, 8, 16], np.array([5.0, 5, 20, 80, 90])

    def curve(seed, y):
        return [made_up.curve("memory/made/curve", x, y, seed=seed)]

    [quantity] = compared(curve(1, y), curve(2, y * [1, 1, 1, 1.5, 1.3])).changed
    assert quantity.largest.x == 8 * 1024
    assert quantity.largest.ratio == pytest.approx(1.5, rel=0.06)
    assert [point.is_apart for point in quantity.points] == [False, False, False, True, True]
    assert run_comparison.where(quantity, quantity.largest) == " at 8 KiB"
    assert run_comparison.curve_summary(quantity).startswith("2 of 5 points apart")
    assert not compared(curve(1, y), curve(2, y)).changed


def test_a_place_has_the_widest_spread_of_its_curve(folders):
    """A mode that comes and goes was missed at this point, and seen at the others."""
    steady, unsteady = (
        made_up.curve("memory/made/curve", [1, 2, 4], [5, 5, 5], seed=seed) for seed in (1, 2)
    )
    for result in (steady, unsteady):
        for process in result.measurement.points[0].processes:
            process.ticks[:5] = [2 * tick for tick in process.ticks[:5]]
    for process in unsteady.measurement.points[2].processes:
        process.ticks[:] = [round(1.6 * tick) for tick in process.ticks]
    assert not compared([steady], [unsteady]).changed


def test_other_parameters_or_places_are_not_compared(folders):
    plain, other = (made_up.single("cpu/made/one", 50, "ns", seed=seed) for seed in (1, 2))
    other.measurement.points[0].params["calls"] = 7
    curve, elsewhere = (made_up.curve("cpu/made/two", x, [5, 5], seed=1) for x in ([1, 2], [4, 8]))
    reasons = [quantity.why for quantity in compared([plain, curve], [other, elsewhere]).quantities]
    assert reasons == ["measured with other parameters", "measured at other points"]
    scalar = made_up.single("cpu/made/two", 50, "ns")
    assert compared([curve], [scalar]).quantities[0].why == "another kind of quantity"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"probe": "cpu/made/other"}, "measured by another method"),
        ({"timed": "another loop"}, "measured by another method"),
        ({"priority": "rr"}, "measured by another method"),
        ({"warmup": 0}, "measured by another method"),
        ({"peer": "The other host is 192.0.2.7."}, "measured with another peer"),
        ({"profile": "full", "samples": 40, "key": "1"}, ""),
    ],
)
def test_other_methods_or_peers_are_not_compared(folders, fields, why):
    def before():
        return [made_up.single(NAMES[0], 50, "ns", seed=1)]

    other = made_up.single(NAMES[0], 150, "ns", seed=2)
    for name, value in fields.items():
        setattr(other.measurement, name, value)
    comparison = compared(before(), [other])
    assert comparison.quantities[0].why == why and bool(comparison.changed) == (not why)
    # As a control it is not used either.
    made_up.run("again", [other])
    comparison = compared(before(), [made_up.single(NAMES[0], 150, "ns", seed=3)], control="again")
    assert len(comparison.changed) == (1 if why else 0)
    assert comparison.control_judged == (0 if why else 1)


def test_runs_are_compared_by_the_version_of_meaning_where_both_have_one(folders):
    def run(name, **how):
        single = made_up.single("cpu/made/one", 50, "ns", seed=len(name))
        single.measurement.version, single.measurement.timed = how["version"], how["timed"]
        made_up.run(name, [single])

    def why(a, b):
        return [quantity.why for quantity in compare(a, b).quantities]

    run("a", version=1, timed="the call")
    run("worded", version=1, timed="one call, from before to after")
    run("changed", version=2, timed="the call")
    run("before", version=None, timed="the call")
    run("before-other", version=None, timed="other words")
    assert why("a", "worded") == [""] and why("a", "before") == [""]
    assert why("a", "changed") == why("a", "before-other") == ["measured by another method"]
