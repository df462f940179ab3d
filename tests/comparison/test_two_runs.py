"""Two runs compared: changes are named, and two runs of one machine have none."""

import math
import shutil

import numpy as np
import pytest
from helpers import made_up
from helpers.made_up import NAMES, results

from reckon import records, statistics
from reckon.cli.compare import text, to_dict
from reckon.comparison.two_runs import compare
from reckon.config import ReckonError
from reckon.presentation import changes, machines_page
from reckon.reports import other_machines


def pair(a, b, **how):
    """The comparison of two lists of results, as runs `a` and `b`."""
    made_up.run("a", a)
    made_up.run("b", b)
    return compare("a", "b", **how)


def test_changes_are_listed_from_largest_to_smallest(folders):
    found = pair(results(1), results(2, {NAMES[3]: 1.3, NAMES[7]: 0.5}))
    assert [(one.quantity, one.direction) for one in found.changed] == [
        (NAMES[7], "faster"),
        (NAMES[3], "slower"),
    ]
    low, high = found.changed[1].largest.interval
    assert low < 1.3 < high and high / low < 1.15
    assert len(found.same) == 18 and not found.unjudged and found.only == ([], [])


def test_a_rate_that_grew_is_faster_and_an_amount_is_more(folders):
    def made(times):
        return [made_up.single("memory/made/rate", 5 * times, "GB/s", seed=times)]

    assert pair(made(1), made(2)).changed[0].direction == "faster"
    assert pair(made(2), made(1)).changed[0].direction == "slower"


def test_a_counter_that_counts_more_often_is_not_faster(folders):
    def made(times, unit, op):
        one = made_up.single("cpu/made/rate", times, "ns" if op == "ns" else "GB/s", seed=times)
        one.measurement.op, one.record.predictions[0].unit = op, unit
        return [one]

    def way(*how):
        return pair(made(1, *how), made(2, *how)).changed[0].direction

    assert way("Gtick/s", "ns") == "more" and way("Gcycle/s", "cycle") == "faster"


def test_the_same_machine_twice_has_no_changes(folders):
    named = [
        one.quantity
        for seed in range(8)
        for one in pair(results(2 * seed), results(2 * seed + 1)).changed
    ]
    assert len(named) <= 1  # of 160


def test_runs_that_differ_as_much_as_processes_are_unchanged(folders):
    """Each run has a level of its own, as minutes have: the test across processes is taken in by that."""
    random, taken_in, named = np.random.default_rng(3), 0, 0
    for seed in range(4):
        levels = [
            dict(zip(NAMES, np.exp(random.normal(0, 0.02, len(NAMES))), strict=True))
            for _ in range(2)
        ]
        found = pair(*(results(2 * seed + k, level) for k, level in enumerate(levels)))
        taken_in += sum(one.p < 0.05 for one in found.judged)
        named += len(found.changed)
    assert taken_in >= 10 and named <= 2  # of 80


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_seventh_process_may_lie_beyond_the_first_six(folders, order):
    """One trial in each of six processes: their ends lie apart, and where a seventh may come out does not."""
    made = [made_up.single(NAMES[0], value, "ns", processes=6) for value in (100, 125)]
    for one, value in zip(made, (100, 125), strict=True):
        for k, process in enumerate(one.measurement.points[0].processes):
            process.ticks[:] = [round(10_000 * value * (0.93 + 0.028 * k))]
    assert (
        made[0].measurement.points[0].processes[-1].ticks
        < made[1].measurement.points[0].processes[0].ticks
    )
    found = pair(*([made[k]] for k in order))
    assert found.judged[0].p < 0.01 and not found.changed


def test_a_longer_run_resolves_smaller_changes_where_bursts_average_out(folders):
    """Every third process is twice as slow: in eight processes that is the spread, in sixty it is known."""

    def bursts(seed, times, processes):
        one = made_up.single(NAMES[0], 100 * times, "ns", processes, seed)
        for process in one.measurement.points[0].processes[::3]:
            process.ticks[:] = [2 * t for t in process.ticks]
        return [one]

    assert not pair(bursts(1, 1, 12), bursts(2, 1.3, 12)).changed
    assert pair(bursts(1, 1, 60), bursts(2, 1.3, 60)).changed
    drifts = [made_up.single(NAMES[0], 100, "ns", 60, seed) for seed in (1, 2)]
    for k, one in enumerate(drifts):  # what is slower than a batch stays in the range
        for place, process in enumerate(one.measurement.points[0].processes):
            process.ticks[:] = [
                round(t * (1 + 0.3 * k) * (1.2 if place // 20 == 1 else 1)) for t in process.ticks
            ]
    assert not pair([drifts[0]], [drifts[1]]).changed


def test_a_difference_that_chance_explains_is_no_change(folders):
    from dataclasses import replace

    one = pair(results(1), results(2, {NAMES[3]: 2})).changed[0]
    assert one.p < 1e-6 and not replace(one, p=0.06).changed


def test_a_change_is_named_from_the_resolution_that_is_reported(folders):
    found = pair(results(1), results(2))
    one = found.judged[5]

    def at(times):
        return pair(results(1), results(2, {one.quantity: times})).changed

    seen = one.visible_from()
    assert seen > 1 and not at(1 + (seen - 1) / 3)
    for times in (seen * 1.02, 1 / seen / 1.02):
        assert [c.quantity for c in at(times)] == [one.quantity]
    assert found.resolving(1.01) == 0 < found.resolving(1.3) <= found.resolving(3) == 20
    assert "3.00× in 100 % of them" in changes.power(found)


def test_changes_below_the_least_effect_are_not_named(folders):
    a, b = results(1), results(2, {NAMES[3]: 1.4})
    assert (
        len(pair(a, b, minimum_change=0.3).changed) == 1
        and not pair(a, b, minimum_change=0.6).changed
    )


def test_few_processes_and_negative_values_are_not_judged(folders):
    few, negative = results(1, processes=5), results(1)
    point = negative[0].measurement.points[0]
    for process in point.processes[:3]:
        process.ticks[:] = [-t for t in process.ticks]
    with np.errstate(all="raise"):
        found = pair([negative[0], *few[1:3]], results(2, {NAMES[1]: 9, NAMES[2]: 9}))
    assert not found.judged and not found.changed
    assert [one.why for one in found.quantities] == [
        "not positive",
        *2 * ["too few fresh processes"],
    ]
    assert "2 (too few fresh processes)" in changes.counted(found)


def test_a_curve_is_reported_at_its_largest_change(folders):
    x, y = [1, 2, 4, 8, 16], np.array([5.0, 5, 20, 80, 90])

    def curve(seed, y):
        return made_up.curve("memory/made/curve", x, y, seed=seed)

    found = pair([curve(1, y)], [curve(2, y * [1, 1, 1, 1.5, 1.3])])
    one = found.changed[0]
    assert one.largest.x == 8 * 1024 and one.largest.ratio == pytest.approx(1.5, rel=0.06)
    assert [place.apart for place in one.places] == [False, False, False, True, True]
    assert "memory/made/curve at 8 KiB" in text(found) and "2 of 5 places apart" in text(found)
    assert not pair([curve(1, y)], [curve(2, y)]).changed


def test_a_place_has_the_widest_spread_of_its_curve(folders):
    """A mode that comes and goes was missed at this place, and seen at the others."""
    steady, unsteady = (
        made_up.curve("memory/made/curve", [1, 2, 4], [5, 5, 5], seed=s) for s in (1, 2)
    )
    for one in (steady, unsteady):
        for process in one.measurement.points[0].processes:
            process.ticks[:5] = [2 * t for t in process.ticks[:5]]
    for process in unsteady.measurement.points[2].processes:
        process.ticks[:] = [round(1.6 * t) for t in process.ticks]
    assert not pair([steady], [unsteady]).changed


def test_other_parameters_or_places_are_not_compared(folders):
    plain, other = (made_up.single("cpu/made/one", 50, "ns", seed=s) for s in (1, 2))
    other.measurement.points[0].params["calls"] = 7
    curve, elsewhere = (made_up.curve("cpu/made/two", x, [5, 5], seed=1) for x in ([1, 2], [4, 8]))
    kind = made_up.single("cpu/made/two", 50, "ns")
    assert [one.why for one in pair([plain, curve], [other, elsewhere]).quantities] == [
        "measured with other parameters",
        "measured at other places",
    ]
    assert pair([curve], [kind]).quantities[0].why == "another kind of quantity"


@pytest.mark.parametrize(
    ("changes_of", "why"),
    [
        ({"probe": "cpu/made/other"}, "measured in another way"),
        ({"timed": "another loop"}, "measured in another way"),
        ({"priority": "rr"}, "measured in another way"),
        ({"warmup": 0}, "measured in another way"),
        ({"peer": "The other host is 192.0.2.7."}, "measured with another peer"),
        ({"profile": "full", "samples": 40, "key": "1"}, ""),
    ],
)
def test_other_methods_or_peers_are_not_compared(folders, changes_of, why):
    """peer="other" is the built-in host and a real one."""

    def made(seed, times=1):
        return made_up.single(NAMES[0], 50 * times, "ns", seed=seed)

    otherwise = made(2, 3)
    for name, value in changes_of.items():
        setattr(otherwise.measurement, name, value)
    found = pair([made(1)], [otherwise])
    assert found.quantities[0].why == why and bool(found.changed) == (not why)
    for name, value in changes_of.items():  # a control that was measured otherwise is none
        setattr(otherwise.measurement, name, value)
    made_up.run("again", [otherwise])
    found = pair([made(1)], [made(3, 3)], control="again")
    assert len(found.changed) == (1 if why else 0) and found.control_judged == (0 if why else 1)


def test_only_changed_quantities_have_a_direction(folders):
    negative = results(1)[0]
    for process in negative.measurement.points[0].processes:
        process.ticks[:] = [-t for t in process.ticks]
    found = pair([negative, *results(1)[1:]], results(2, {NAMES[3]: 2}))
    rows = to_dict(found)["quantities"]
    assert {one["state"]: one["direction"] for one in rows} == {
        "changed": "slower",
        "same": None,
        "not judged": None,
    }
    lines = text(found, every=True).splitlines()
    assert [line.split()[0] for line in lines if "slower" in line or "faster" in line] == [NAMES[3]]


def test_nothing_judged_is_not_reported_as_unchanged(folders):
    found = pair(results(1, processes=5)[:2], results(2)[:2])
    for shown in (text(found), changes.table(found, "What", "what").markdown):
        assert "Nothing could be judged." in shown and "Nothing changed" not in shown
    found = pair(results(1)[:2], results(2)[:2])
    for shown in (text(found), changes.table(found, "What", "what").markdown):
        assert "Nothing changed between a and b beyond the spread by 5 % or more." in shown


def test_runs_of_one_name_are_named_by_their_folders(folders):
    """A folder of another computer, copied here beside a run of that name."""
    made_up.run("here", results(1))
    made_up.run("there", results(2, {NAMES[3]: 2})[:5])
    shutil.copytree(folders / "runs/there", folders / "other/here")
    elsewhere = str(folders / "other/here")
    found = compare("here", elsewhere)
    assert (found.a, found.b) == ("here", elsewhere) and found.only == (NAMES[5:], [])
    assert text(found).startswith(f"{elsewhere} against here\n") and "Only in here: 15" in text(
        found
    )
    assert to_dict(found)["only"] == {"a": NAMES[5:], "b": []}
    assert "Only here has 15 more." in changes.verdict(found).markdown
    (folders / "runs/link").symlink_to(folders / "runs/here")
    with pytest.raises(ReckonError, match="cannot be compared with itself"):
        compare("here", "link")


def test_a_copied_run_has_the_name_of_its_folder(folders):
    made_up.run("here", results(1))
    shutil.copytree(folders / "runs/here", folders / "runs/before")
    assert (
        records.read_run("before").name
        == records.read_run(folders / "runs/before").name
        == "before"
    )
    assert compare("before", "here").a == "before"
    assert not compare("before", "here").changed


def test_a_copied_run_is_another_machine(folders):
    known = {"processor": {"model": {"value": "A processor", "source": ""}}}
    made_up.run("here", results(1), machine=known)
    made_up.run("first", results(2), "another", known)
    (folders / "runs/first").rename(folders / "runs/renamed")
    shutil.copytree(folders / "runs/here", folders / "runs/before")
    o = other_machines.others(records.read_run("before"))
    assert set(o.runs) == {"here", "renamed"} and {run.name for run in o.runs.values()} == set(
        o.runs
    )
    assert (
        "| What | This machine | renamed |"
        in machines_page.descriptions(o, "processor", "name").markdown
    )
    assert "**before against here.**" in machines_page.latest(o).markdown


def test_quantities_of_one_run_alone_are_listed_with_the_reason(folders):
    a = [*results(1)[:2], made_up.nothing("cpu/made/q2")]
    found = pair(a, results(2)[:4])
    assert found.only == ([], ["cpu/made/q2 (unsupported: needs huge pages)", "cpu/made/q3"])
    assert "Only in b: 2\n  cpu/made/q2 (unsupported: needs huge pages)" in text(found)


def test_how_the_machines_differ(folders):
    def describe(kernel, cores):
        return {
            "system": {"kernel": {"value": kernel, "source": ""}},
            "processor": {"cores": {"value": cores, "source": ""}},
        }

    def check(name, found):
        return {"name": name, "state": "pass", "found": found, "advice": ""}

    made_up.run(
        "a", results(1), "x", describe("6.1", 2), [check("load", "0.1"), check("turbo", "on")]
    )
    made_up.run(
        "b", results(2), "y", describe("6.2", 2), [check("load", "0.9"), check("turbo", "off")]
    )
    found = compare("a", "b")
    assert changes.described(*found.machines) == [
        ("Operating system: Kernel", "6.1", "6.2"),
        ("Fitness: turbo", "on", "off"),
    ]
    assert (
        "| Operating system: Kernel | 6.1 | 6.2 |"
        in changes.differences(found, "How", "how").markdown
    )


def test_a_control_removes_changes_between_runs_of_one_machine(folders):
    """One quantity has two modes and changes them between runs; another one has really changed."""
    made_up.run("again", results(3, {NAMES[3]: 1.5}))
    a, b = results(1), results(2, {NAMES[3]: 1.5, NAMES[4]: 1.5})
    assert {one.quantity for one in pair(a, b).changed} == {NAMES[3], NAMES[4]}
    found = pair(a, b, control="again")
    assert [one.quantity for one in found.changed] == [NAMES[4]] and found.control_changed == (
        NAMES[3],
    )
    assert f"the same rule names 1 of 20 ({NAMES[3]})" in changes.controlled(found)
    assert "differs from both." in changes.controlled(found)
    made_up.run("again", results(3, {NAMES[3]: 1.5}, processes=5)[4:])
    found = compare(
        "a", "b", "again"
    )  # which has the one not at all, and of the other too few processes
    assert {one.quantity for one in found.changed} == {NAMES[3], NAMES[4]}
    assert (
        "differs from both, but for 2 that could not be held against again."
        in changes.controlled(found)
    )
    made_up.run("again", results(3), identity="another machine")
    with pytest.raises(
        ReckonError, match="again is no control: it was recorded on another machine"
    ):
        compare("a", "b", "again")


def test_the_reported_resolution_includes_the_control(folders):
    """The control lies 1.5 times higher: what would be seen has to leave that behind too."""
    a, b = results(1), results(2)
    alone = pair(a, b)
    made_up.run("again", results(3, {NAMES[3]: 1.5}))
    found = compare("a", "b", "again")
    seen = {one.quantity: one.visible_from() for one in found.judged}[NAMES[3]]
    assert (
        1.5 < seen < 1.8
        and {one.quantity: one.visible_from() for one in alone.judged}[NAMES[3]] < 1.2
    )
    assert alone.resolving(1.3) == 20 and found.resolving(1.3) == 19

    def at(times):
        return [
            one.quantity for one in pair(a, results(2, {NAMES[3]: times}), control="again").changed
        ]

    assert at(seen * 1.02) == at(1 / seen / 1.02) == [NAMES[3]] and not at(1.45)
    made_up.run("again", results(3, {NAMES[3]: 1.02}))
    wide = compare("a", "b", "again", minimum_change=1.0)
    assert {one.quantity: one.visible_from(1.0) for one in wide.judged}[NAMES[3]] > 2.01


def test_a_changed_core_clock_is_reported(folders):
    b = results(2, dict.fromkeys(NAMES, 1.25))
    for one in b:
        for process in one.measurement.points[0].processes:
            process.cycles_per_tick_before = process.cycles_per_tick_after = 3.0 / 1.25
    found = pair(results(1), b)
    assert len(found.changed) == 20
    assert found.changed[0].largest.cycles_ratio == pytest.approx(
        found.changed[0].largest.ratio / 1.25
    )
    assert (
        "3.00 GHz in a and 2.40 GHz in b: a time that goes by it alone changes to 1.25×"
        in changes.clock(found)
    )
    assert "In core cycles" in changes.table(found, "What", "what").markdown


def test_the_prediction_interval_holds_the_next_one():
    random = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        *values, following = np.exp(random.normal(3, 0.2, 9))
        low, high = statistics.prediction_interval(values)
        held += low <= following <= high
    assert held == pytest.approx(950, abs=25)
    assert math.isnan(statistics.prediction_interval(values[:5])[0])


def test_equal_counts_have_an_exact_ratio():
    assert (
        statistics.same_level([7] * 6, [7] * 6) == 1
        and statistics.same_level([7] * 6, [8] * 6) < 1e-9
    )
    assert statistics.ratio_interval([7] * 6, [14] * 6) == (2, 2)
