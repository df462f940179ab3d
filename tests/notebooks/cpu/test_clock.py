"""What the chapter cpu/clock concludes of made-up results: the names of its findings."""

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
