"""What the chapter cpu/task concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up
from helpers.findings import names

from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import Input, guess

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


def off(task, cpuid_us, origin="measured"):
    cpuid = Input(origin, cpuid_us * 1e-6, "us", "made up")
    return TASK.off_tasks([task], cpuid)[0]


def test_how_many_cpuids_would_explain_a_program_is_no_explanation():
    found = off(started("posix_spawn", 360, 100), 6)
    assert found.name == "CPUIDs not counted" and found.strength == "not explained"
    assert "44 CPUIDs would take" in found
    assert off(started("posix_spawn", 360, 100), 6, "guess").name == "faults guessed"
    assert off(started("posix_spawn", 40, 100), 6).name == "faults guessed"


def test_counted_faults_are_said_beside_the_guessed_ones():
    thread, fork = started("thread", 40, 100), started("fork", 40, 100)
    for process in (*thread.points[0].processes, *fork.points[0].processes):
        process.ops, process.minor_faults = 1, 30  # ten trials
    found = off(thread, 6)
    assert "100 page faults; the kernel counted 3.0 of the creating" in found
    assert "new process" not in found and "new process were not counted" in off(fork, 6)


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
