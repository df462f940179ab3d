"""The same probes against physical bounds, and against programs that are not ours."""

import subprocess

import numpy as np
import pytest
from helpers.capabilities import raised_priority
from helpers.probes import agrees_with_perf, median_ns
from helpers.project import ROOT

from reckon.measurement import library

# --- bounds, and a program that is not ours ----------------------------------------------------


@pytest.mark.timed
def test_a_round_of_a_loop_takes_a_core_cycle_at_least():
    cycles = []
    for _ in range(7):
        one = library.run("cpu/loop/o2")
        clock = (one.cycles_per_tick_before + one.cycles_per_tick_after) / 2
        cycles.append(np.median(one.ticks / one.ops) * clock)
    assert np.median(cycles) >= 0.9
    assert median_ns("cpu/loop/o2_across_lines") >= 0.9 * median_ns("cpu/loop/o2")


@pytest.mark.timed
def test_more_takes_no_less():
    """Each does what the other does, and more."""
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
def test_those_alive_meanwhile_are_not_timed_while_they_begin(probe):
    """They have to block before the first task, which took ten times as long where they did not."""
    crowded = first_ns(f"cpu/task/{probe}", {"alive": 1000})
    assert crowded < 4 * first_ns(f"cpu/task/{probe}", {"alive": 0})


@pytest.mark.parametrize("probe", ["process", "eventfd_process", "futex_process"])
@pytest.mark.timed
def test_the_partner_is_not_timed_while_it_begins(probe):
    once = {"turns": 1}
    assert first_ns(f"cpu/switch/{probe}", once) < 3 * median_ns(f"cpu/switch/{probe}", once)


def test_additions_in_memory_are_rounded_up_to_64():
    for asked, done in ((1, 64), (64, 64), (65, 128), (10_000, 10_048)):
        one = library.run("cpu/loop/counter_in_memory", {"rounds": asked}, samples=2)
        assert (one.ops == done).all()


@pytest.fixture(scope="module")
def minimal(tmp_path_factory):
    out = tmp_path_factory.mktemp("minimal") / "minimal"
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run([*command, ROOT / "tests/csrc/programs/minimal.c", "-o", out], check=True)
    return out


@pytest.mark.parametrize(
    ("probe", "word", "samples"),
    [("task/fork", "fork", 200), ("task/thread", "thread", 500), ("switch/process", "switch", 50)],
)
@pytest.mark.timed
def test_a_program_that_is_not_ours_finds_the_same(minimal, probe, word, samples):
    """In turn with ours, on the same CPU and with the same priority, by medians."""
    raised_priority()
    cpu, ours, theirs = str(library.default_cpu()), [], []
    for _ in range(9):
        ours.append(median_ns(f"cpu/{probe}", {}, 1, samples=samples))
        command = ["nice", "-n", "-20", "taskset", "-c", cpu, minimal, word, str(samples)]
        theirs.append(float(subprocess.run(command, capture_output=True, check=True).stdout))
    ratio = np.median(ours) / np.median(theirs)
    print(
        f"cpu/{probe}: {np.median(ours):.0f} ns, not ours {np.median(theirs):.0f} ns, {ratio:.3f}"
    )
    assert 0.75 <= ratio <= 1 / 0.75


@pytest.mark.timed
def test_a_switch_agrees_with_another_tool():
    """`perf bench sched pipe` hands a token between two processes over pipes: there and back."""
    assert agrees_with_perf("cpu/switch/process", "sched", "pipe", "-l", "20000", per=2)
