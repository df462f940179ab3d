"""One quantity in two runs: when a change is named, and when the quantity is not judged."""

import itertools
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from helpers import made_up
from helpers.made_up import NAMES, compared, results
from helpers.project import ROOT, output_of

from reckon import statistics
from reckon.comparison.quantities import compare_all
from reckon.comparison.two_runs import compare
from reckon.show.tables import run_comparison


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
    assert 1.1 < low < 1.3 < high < 1.5
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
    assert comparison.judged and not comparison.changed


def test_drift_slower_than_a_batch_stays_in_the_range(folders):
    before, after = (made_up.single(NAMES[0], 100, "ns", 60, seed) for seed in (1, 2))
    scale(after, 1.3)
    for result in (before, after):
        scale(result, 1.2, slice(20, 40))
    assert not compared([before], [after]).changed


def in_visits(seed, factors=None):
    """Twenty quantities in three visits of eight processes; each visit has a level of its own.

    In every process some trials take four times as long, and a visit is slower by up to a fifth."""
    random, visits, each = np.random.default_rng(seed), 3, 8
    run = results(seed, factors, processes=visits * each)
    for result in run:
        levels = random.uniform(1, 1.2, visits)
        for number, process in enumerate(result.measurement.points[0].processes):
            process.visit = 1 + number // each
            slow = 4 * (random.random(len(process.ticks)) < 0.2) + 1
            ticks = levels[process.visit - 1] * slow * process.ticks
            process.ticks[:] = ticks.round().astype(int).tolist()
    summaries = [result.summaries[0] for result in run]
    pooled = statistics.pooled_variance([summary.visit_medians for summary in summaries])
    return [replace(result, between_visits=pooled) for result in run]


def of_visits(a, b, minimum_change=0.05):
    """The changes that are named between two such runs."""
    runs = ({result.quantity: result for result in run} for run in (a, b))
    return [
        quantity.quantity
        for quantity in compare_all(*runs, {}, minimum_change)
        if quantity.has_changed
    ]


def test_a_doubled_quantity_whose_trials_have_a_tail_is_named(folders):
    a, b = in_visits(1), in_visits(2, {NAMES[3]: 2})
    assert of_visits(a, b) == of_visits(b, a) == [NAMES[3]]
    single = ([replace(result, between_visits=None) for result in run] for run in (a, b))
    assert of_visits(*single) == []  # the ranges of its trials and processes touch


def test_visits_that_drift_are_no_change(folders):
    runs = [in_visits(seed) for seed in range(4)]
    pairs = [of_visits(a, b) for a, b in itertools.combinations(runs, 2)]
    assert pairs == [[]] * 6


def test_the_interval_of_a_ratio_is_the_one_that_decides(folders):
    a, b = ({result.quantity: result for result in in_visits(s)} for s in (1, 2))
    for quantity in compare_all(a, b, {}, 0.0):
        [point] = quantity.points
        low, high = point.interval
        assert low < point.ratio < high and point.is_apart == (low > 1 or high < 1)


def test_the_method_page_prints_what_the_rule_does_to_an_unchanged_machine():
    out = output_of(sys.executable, ROOT / "tools/drift/replay.py", cwd=ROOT)
    numbers = [re.findall(r"\d+ of \d+|\d+ %", line) for line in out.splitlines()]
    table = re.findall(
        r"^\| [^|]+ \| \**(\d+ of \d+)\** \| \**(\d+ %)\** \| \**(\d+ %)\** \| \**(\d+ %)\** \|$",
        (ROOT / "book/method.md").read_text(),
        re.M,
    )
    assert [list(row) for row in table] == numbers and len(numbers) == 2
    assert numbers[1][0] == "0 of 2112"
    shares = np.array([[int(share.split()[0]) for share in row[1:]] for row in numbers])
    assert (shares[1] > shares[0]).all()


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
