"""What the chapter cpu/task concludes of made-up results: the names of its findings."""

import numpy as np
from helpers import made_up

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


def test_cpuids_are_offered_only_for_most_of_the_difference():
    found = off(started("posix_spawn", 360, 100), 6)
    assert found.name == "CPUIDs not counted" and found.strength == "not explained"
    assert "258 µs, 98 % of the difference" in found
    assert off(started("posix_spawn", 360, 100), 1).name == "faults guessed"
    assert off(started("posix_spawn", 360, 100), 6, "guess").name == "faults guessed"
    assert off(started("posix_spawn", 40, 100), 6).name == "faults guessed"
    cpuid = Input("measured", 6e-6, "us", "made up")
    assert TASK.before_the_list([found], [], cpuid).name == "CPUIDs left out"
    assert not TASK.before_the_list([off(started("fork", 360, 100), 6)], [], cpuid)


def test_counted_faults_are_said_beside_the_guessed_ones():
    thread, fork = started("thread", 40, 100), started("fork", 40, 100)
    for process in (*thread.points[0].processes, *fork.points[0].processes):
        process.ops, process.minor_faults = 1, 30  # ten trials
    found = off(thread, 6)
    assert "100 page faults; the kernel counted 3.0 of the creating" in found
    assert "new process" not in found and "new process were not counted" in off(fork, 6)


def test_a_page_s_cost_is_judged_at_the_last_point_as_the_miss_is():
    mib = [0, 16, 64, 256, 1024]
    us = [57.0, *(57 + 256 * x * 0.17 for x in mib[1:])]
    fork = made_up.curve(
        "cpu/task/fork_resident", mib, us, "us", "MiB", predicted=[u / 2.1 for u in us]
    )
    page, entry = (
        guess(4, "KiB", "made up", low=4, high=4),
        guess(80, "ns", "made up", low=1, high=99),
    )
    assert "1 times the prediction at the last point): a page adds 171 ns there" in TASK.off_slope(
        fork, page, entry
    )


def test_more_alive_cost_more_only_where_the_ends_are_apart():
    """Of two processes a difference of a fifth may be chance, however straight the line is."""

    def alive(processes, step=0):
        others = np.array([0, 1, 4, 16, 64, 256])
        us = 10 + 2 * others / 256 if not step else 10 + step * (others > 0)
        return made_up.curve("cpu/task/fork_alive", others, us, "us", "1", processes=processes)

    assert TASK.with_others_alive(alive(2), "a process").name == "growth unclear"
    assert TASK.with_others_alive(alive(8), "a process").name == "grows"
    found = TASK.one_more(alive(2), alive(2))
    assert found.name == "one more costs no more" and "Up to 256 others" in found
    assert TASK.one_more(alive(2), alive(8)).name == "one more costs more"
    stepped = TASK.with_others_alive(alive(8, 2), "a process")
    assert stepped.name == "grows on no line" and "with one other alive" in stepped
    assert "a new thread costs 19 % more with 256 others" in TASK.one_more(alive(2), alive(8, 2))
