"""Probes of loops, calls, tasks and switches against physical bounds and independent programs."""

import numpy as np
import pytest
from helpers.probes import compiled, median_ns, pinned

from reckon.measurement import library


@pytest.mark.timed
def test_a_round_of_a_loop_takes_half_a_core_cycle_at_least():
    """One cycle where each addition waits for the one before; some cores fold two of them into one
    cycle, and no core known takes more than two jumps in a cycle."""
    cycles = []
    for _ in range(7):
        samples = library.run("cpu/loop/o2")
        clock = (samples.cycles_per_tick_before + samples.cycles_per_tick_after) / 2
        cycles.append(np.median(samples.ticks / samples.ops) * clock)
    assert np.median(cycles) >= 0.45
    assert median_ns("cpu/loop/o2_across_lines") >= 0.9 * median_ns("cpu/loop/o2")


@pytest.mark.timed
def test_a_superset_of_the_work_takes_no_less():
    for more, less, room in (
        (("cpu/task/fork_exec", {}), ("cpu/task/fork", {}), 1),
        (("cpu/switch/process", {}), ("cpu/switch/pipe", {}), 1),
        (("cpu/switch/thread", {}), ("cpu/syscall/getpid", {}), 1),
        (("cpu/switch/process", {}), ("cpu/syscall/getpid", {}), 1),
        (("cpu/call/o0", {"arguments": 7}), ("cpu/call/o0", {"arguments": 0}), 0.9),
        (("cpu/loop/o0", {}), ("cpu/loop/o2", {}), 0.9),
    ):
        assert median_ns(*more) >= room * median_ns(*less), (more, less)


def first_ns(name, params):
    """The median over some processes of each one's first sample, in ns an operation."""
    return median_ns(name, params, 9, samples=1, warmup=0)


@pytest.mark.parametrize("probe", ["fork", "thread"])
@pytest.mark.timed
def test_the_start_of_blocked_tasks_is_not_timed(probe):
    """They have to block before the first task, which took ten times as long where they did not."""
    among_many = first_ns(f"cpu/task/{probe}", {"alive": 1000})
    assert among_many < 4 * first_ns(f"cpu/task/{probe}", {"alive": 0})


@pytest.mark.parametrize("probe", ["process", "eventfd_process", "futex_process"])
@pytest.mark.timed
def test_the_start_of_the_partner_is_not_timed(probe):
    """Which takes some 50 times as long as a turn; a first turn, on cold caches, takes 2.3 to 3.2."""
    once = {"turns": 1}
    assert first_ns(f"cpu/switch/{probe}", once) < 6 * median_ns(f"cpu/switch/{probe}", once)


def test_additions_in_memory_are_rounded_up_to_64():
    for requested, done in ((1, 64), (64, 64), (65, 128), (10_000, 10_048)):
        samples = library.run("cpu/loop/counter_in_memory", {"rounds": requested}, samples=2)
        assert (samples.ops == done).all()


@pytest.fixture(scope="module")
def minimal(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("minimal"), "minimal", "-pthread")


@pytest.mark.parametrize(
    ("probe", "word", "samples"),
    [("task/fork", "fork", 200), ("task/thread", "thread", 500), ("switch/process", "switch", 50)],
)
@pytest.mark.timed
def test_an_independent_program_finds_the_same(minimal, probe, word, samples):
    """In turn with the probe, on the same CPU and with the same priority, by medians."""
    by_probe, by_program = [], []
    for _ in range(9):
        by_probe.append(median_ns(f"cpu/{probe}", {}, 1, samples=samples))
        by_program.append(float(pinned(minimal, word, samples)))
    probe_ns, program_ns = np.median(by_probe), np.median(by_program)
    ratio = probe_ns / program_ns
    print(f"cpu/{probe}: {probe_ns:.0f} ns, independent {program_ns:.0f} ns, {ratio:.3f}")
    assert 0.75 <= ratio <= 1 / 0.75
