"""What the chapter cpu/timer concludes of made-up results: the names of its findings."""

from helpers import made_up
from helpers.findings import names

from reckon.book import contents

TIMER = contents.findings_of("cpu/timer")


def steps_of(result, step_ticks, least):
    """The result, whose single readings are 1 to 3 of such steps of the counter above the least one."""
    for process in result.measurement.points[0].processes:
        process.ops = 1
        process.ticks = [least + step_ticks * (1 + at % 3) for at in range(len(process.ticks))]
    return result


def test_a_pair_is_known_to_its_own_step():
    """Not to the finer step of another method."""
    pair = steps_of(made_up.single("cpu/timer/pair", 20, "ns"), 10, 0)
    finer = made_up.single("cpu/timer/t470", 12, "ns")
    found = TIMER.steps(pair, {"the T470's": finer})
    assert "step limits what a pair shows" in names(found)
    assert "steps of 10.0 ns" in found[0]
    assert "steps of 10.0 ns" in TIMER.operation_of_3_ns(pair)[1]
    # A pair of 20 ns is 1 % of 2 µs, which is 667 times 3 ns.
    assert "667 repetitions" in TIMER.operation_of_3_ns(pair)[1]


def test_a_fine_step_limits_nothing():
    pair = steps_of(made_up.single("cpu/timer/pair", 20, "ns"), 1, 100)
    assert names(TIMER.steps(pair, {})) == {"pairs in steps"}


def test_a_library_that_is_a_little_faster_does_not_enter_the_kernel():
    library = made_up.single("cpu/timer/clock_gettime", 400, "ns")
    kernel = made_up.single("cpu/timer/clock_gettime_syscall", 473, "ns", seed=2)
    assert TIMER.without_the_kernel(library, kernel).name == "user mode"
    assert TIMER.without_the_kernel(kernel, library).name == "kernel"


def test_pairs_in_coarse_steps_are_compared_by_means():
    """Both have a median of 20 ns; of the other one's readings a third are a step shorter."""
    pair, other = (made_up.single(f"cpu/timer/{name}", 20, "ns") for name in ("pair", "t470"))
    for result, ticks in ((pair, [20] * 8 + [30] * 2), (other, [10] * 4 + [20] * 6)):
        for process in result.measurement.points[0].processes:
            process.ops, process.ticks = 1, ticks
    *_, found = TIMER.steps(pair, {"the T470's": other})
    assert found.name == "no agreement" and "adds 22.0 ns" in found and "T470's 16.0 ns" in found
    caption = TIMER.distribution(pair, other, pair)
    assert "22.0 ns with LFENCE, 16.0 ns without" in caption and "means" in caption


def test_at_most_is_rounded_down():
    cpuid, fenced = (
        made_up.single(f"cpu/timer/{name}", ns, "ns")
        for name, ns in (("cpuid", 971), ("fenced", 68))
    )
    for process in cpuid.measurement.points[0].processes:
        process.ticks = [9_710_000] * 10
    assert "at most 510,000 operations" in TIMER.one_cpuid(cpuid, fenced)
