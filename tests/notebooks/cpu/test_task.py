"""What the chapter cpu/task concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up
from helpers.findings import names

from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import guess

TASK = contents.findings_of("cpu/task")


def started(name, value_us, predicted_us):
    """A task that takes this, whose prediction has 100 faults of 0.6 µs."""
    result = made_up.single(f"cpu/task/{name}", value_us, "us")
    result.seal.predicted = predicted_us * 1e-6
    inputs = {"faults": (100.0, "1"), "fault": (0.6e-6, "us")}
    result.seal.inputs = [
        records.InputRecord(name=name, origin="guess", value=value, unit=unit, source="made up")
        for name, (value, unit) in inputs.items()
    ]
    return result


def off(task, fault_us, cpuid_us):
    given = (guess(value, "us", "made up", low=0, high=100) for value in (fault_us, cpuid_us))
    return TASK.off_by_faults(task, *given)


def test_guessed_counts_explain_nothing():
    """43 trapped CPUIDs of 6 µs would make 358 µs of 100, and 360 were measured."""
    found = off(started("posix_spawn", 360, 100), 0.6, 6)
    assert found.name == "consistent with trapped CPUID"
    assert found.strength == "consistent with"


def test_a_task_that_starts_no_program_has_no_cpuids():
    found = off(started("fork", 160, 100), 1.2, 6)
    assert found.name == "consistent with slow faults"


def test_what_the_corrections_do_not_reach_is_not_explained():
    assert off(started("fork_exec", 620, 100), 0.6, 0.03).name == "not explained"
    assert off(started("fork_exec", 600, 100), 0.6, 6).name == "explained in part"


def test_values_that_make_the_model_worse_explain_nothing():
    found = off(started("thread", 40, 100), 0.9, 6)
    assert found.name == "worse with both" and found.strength == "not explained"
    given = (guess(value, "us", "made up", low=0, high=100) for value in (0.9, 6))
    assert "speaks against" in TASK.speaks_against(started("fork", 101, 100), *given)


def test_a_fault_that_does_not_fit_a_fork_is_left_out_for_programs():
    """43 CPUIDs make 358 µs of 100; with the faults it would be 418, which was measured."""
    given = [guess(value, "us", "made up", low=0, high=100) for value in (1.2, 6)]
    fits, off = started("fork", 160, 100), started("fork", 90, 100)
    program = started("posix_spawn", 418, 100)
    assert "418 µs" in TASK.off_by_faults(program, *given, fits)
    found = TASK.off_by_faults(program, *given, off)
    assert found.name == "consistent with trapped CPUID"
    assert "with the CPUIDs alone the model gives 358 µs" in found


def test_two_thirds_of_a_difference_are_a_part():
    """43 CPUIDs make 518 µs of 260; 637 was measured."""
    found = off(started("fork_exec", 637, 260), 0.6, 6)
    assert found.name == "explained in part"


def test_a_page_costs_more_only_by_the_intervals():
    def parent(last, processes):
        mib = [0, 16, 64, 256, 1024]
        us = [57.0, 57 + 16 * 10, 57 + 64 * 10, 57 + 256 * 10, 57 + 1024 * last]
        return made_up.curve("cpu/task/fork_resident", mib, us, "us", "MiB", processes=processes)

    page = guess(4, "KiB", "made up", low=4, high=4)
    assert "page dearer" in names(TASK.growth_of_fork(parent(20, 8), page))
    assert "page dearer" not in names(TASK.growth_of_fork(parent(20, 3), page))


def test_more_alive_cost_more_only_where_the_ends_are_apart():
    """Of two processes a difference of a fifth may be chance, however straight the line is."""

    def alive(processes):
        others = np.array([0, 1, 4, 16, 64, 256])
        us = 10 + 2 * others / 256
        return made_up.curve("cpu/task/fork_alive", others, us, "us", "1", processes=processes)

    assert TASK.with_others_alive(alive(2), "a process").name == "growth unclear"
    assert TASK.with_others_alive(alive(8), "a process").name == "grows"
    found = TASK.one_more(alive(2), alive(2))
    assert found.name == "one more costs no more" and "Up to 256 others" in found
    assert TASK.one_more(alive(2), alive(8)).name == "one more costs more"
