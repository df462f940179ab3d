"""What the chapter cpu/clock concludes of made-up results: the names of its findings."""

import pytest
from helpers import made_up
from helpers.findings import names, with_more_processes

from reckon.book import contents

CLOCK = contents.findings_of("cpu/clock")


def rate(name, ghz, processes=8, seed=1):
    result = made_up.single(f"cpu/clock/{name}", ghz, "Gcycle/s", processes, seed)
    result.measurement.op = "cycle"
    return result


def test_two_clocks_are_two_groups_and_the_rulers_agree_by_the_faster():
    """Most additions ran at the fast clock, most multiplications at the slow one."""
    core = with_more_processes(rate("core", 4), rate("core", 2.9, 3, seed=2))
    check = with_more_processes(rate("core_multiply", 4, 3, seed=3), rate("core_multiply", 2.9))
    assert {"not steady", "two groups"} <= names(CLOCK.steady_clock(core))
    assert CLOCK.second_ruler(check, core).name == "rulers agree"
    assert CLOCK.series(check, core).name == "not the same clock"


def test_rulers_that_agree_show_a_ratio_only():
    found = CLOCK.second_ruler(rate("core_multiply", 4, seed=2), rate("core", 4))
    assert found.name in {"rulers agree", "rulers within spread"}
    assert found.strength == "consistent with" and "three times as long" in found


def test_a_ruler_that_is_off_by_a_third_disagrees():
    core, check = rate("core", 4), rate("core_multiply", 3, seed=2)
    assert CLOCK.second_ruler(check, core).name == "rulers disagree"


def in_visits(name, *visits_ghz):
    """A clock of ten processes in each visit, each by the same rate."""
    result = rate(name, visits_ghz[0], processes=0)
    for number, ghz in enumerate(visits_ghz):
        result = with_more_processes(result, rate(name, ghz, 10, seed=number), number)
        for process in result.points[0].processes[-10:]:
            process.ticks = [round(made_up.BYTES / ghz)] * len(process.ticks)
    return result


def test_two_clocks_are_compared_visit_by_visit():
    core = in_visits("core", 3.787, 4.087, 4.087)
    check = in_visits("core_multiply", 3.689, 4.087, 4.087)
    assert "in one visit, by 2.6 % at most" in CLOCK.second_ruler(check, core)


def test_one_process_of_many_does_not_make_the_others_unsteady():
    found = CLOCK.steadiness([2.44e9, *[2.54e9] * 24, 2.99e9])
    assert names(found) == {"not steady", "faster outliers"}
    assert "25 of the 26 fresh processes lie between 2.44 GHz and 2.54 GHz, 4.1 % apart" in found[0]
    assert "2.99 GHz; something else" in found[1]
    assert names(CLOCK.steadiness([*[2.54e9] * 25, 1.9e9])) == {"not steady", "outliers"}


@pytest.mark.parametrize(
    ("whose", "end"),
    [("fresh processes", "else used the core."), ("fresh processes alone", "not steady.")],
)
def test_a_core_that_was_alone_was_not_slowed_by_another_program(whose, end):
    found = CLOCK.steadiness([2.44e9, 2.47e9, 2.49e9, 2.51e9, 2.54e9], whose)
    assert found[0].endswith(end), found


def test_a_clock_whose_values_lie_on_steps_has_stepped():
    stepped = names(CLOCK.steady_clock(in_visits("core", 3.787, 4.087, 3.987)))
    assert {"not steady", "clock stepped"} <= stepped
    drifting = names(CLOCK.steady_clock(in_visits("core", 3.787, 4.02, 4.13)))
    assert {"not steady", "clock by visit"} <= drifting and "clock stepped" not in drifting
