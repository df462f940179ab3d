"""Limits, refused calls and missing rights: each is reported, and nothing is left behind."""

import os
import platform
import re

import pytest
from helpers.capabilities import other_users, raised_priority, x86_only
from helpers.probe_script import few
from helpers.probes import (
    MIB,
    NOBODY_ELSE,
    NOTHING,
    PROBES,
    ROUND_ROBIN,
    control_group,
    huge_pages,
    in_python,
    median_ns,
)
from helpers.programs import attempts

# --- limits ------------------------------------------------------------------------------------


def limited(processes):
    """The script's user may have that number of processes beside the script itself."""
    other_users()
    return (
        f"most = threads_before + {processes}\n"
        f"resource.setrlimit(resource.RLIMIT_NPROC, (most, most))\nbecome({NOBODY_ELSE})"
    )


# Probes that have many tasks at a time, and the call that is refused half-way.
MANY_TASKS = [
    ("cpu/task/fork", {"alive": 200}, "fork"),
    ("cpu/task/thread", {"alive": 200}, "pthread_create"),
    ("cpu/switch/ring", {"processes": 32}, "fork"),
    ("cpu/task/t470_fork", {"tasks": 1000}, "fork"),
]


# A failure, which the next build tries again: the limit may be gone by then.
NO_PROCESS = "ProbeFailed: no new process: the limit on processes was reached"


def check_refused_and_ended(**how):
    requests = [[probe, params] for probe, params, _ in MANY_TASKS]
    refused = {probe: call for probe, _, call in MANY_TASKS}
    for probe, outcome, left in in_python(attempts.checked, requests, **how):
        assert left == NOTHING, probe
        if platform.machine() == "x86_64" or "t470" not in probe:
            assert outcome.startswith(NO_PROCESS), probe
            assert outcome.endswith(f"({refused[probe]})"), probe


def test_a_limit_on_processes_is_reported_and_started_tasks_are_ended():
    check_refused_and_ended(before=limited(20))


def test_a_control_groups_limit_on_processes_is_reported():
    with control_group("pids", max=25) as group:
        check_refused_and_ended(group=group)
        assert (group / "cgroup.procs").read_text() == ""


def test_a_limit_that_leaves_no_process_for_a_probe_is_reported():
    outcome = in_python("say(attempt('cpu/syscall/getpid'))", before=limited(0))
    assert outcome.startswith(NO_PROCESS) and outcome.endswith("(reckon-probe)")


@pytest.mark.parametrize(
    ("probe", "params", "most"),
    [
        ("fork", {"alive": 8}, 1 + 8 + 1),  # the probe, the eight, and the one that is timed
        ("fork", {}, 1 + 1),
        ("mbp2016_process", {"tasks": 20}, 1 + 1),
        ("t470_fork_exec", {"tasks": 20}, 1 + 1),
        ("t470_fork", {"tasks": 200}, 1 + 64),  # dead ones count until they are waited for
    ],
)
def test_no_probe_has_more_processes_than_it_says(probe, params, most):
    """It runs within a limit of exactly that number, and fails with one less."""
    if probe == "t470_fork":
        x86_only()
    script = f"say(attempt('cpu/task/{probe}', {params}, samples=5))"
    assert in_python(script, before=limited(most)) == "ran"
    assert in_python(script, before=limited(most - 1)).startswith(NO_PROCESS)


def test_a_probe_without_enough_descriptors_leaves_nothing_behind():
    probes = ["ring", "process_less_pipe", "thread", "eventfd_process", "t470_process"]
    requests = [[f"cpu/switch/{probe}", few(f"cpu/switch/{probe}")] for probe in probes]
    outcomes = in_python(attempts.with_few_descriptors, requests)
    assert all(left == NOTHING for *_, left in outcomes)
    refused = [outcome for _, outcome, _ in outcomes if outcome != "ran"]
    assert 15 < len(refused) < len(outcomes) - len(probes)
    assert all("Too many open files" in outcome for outcome in refused)


# --- memory ------------------------------------------------------------------------------------


@pytest.mark.timed
def test_a_fork_grows_with_what_its_parent_holds_and_a_vfork_does_not():
    def ratio(probe):
        return median_ns(f"cpu/task/{probe}", {"resident_bytes": 64 * MIB}, 3) / median_ns(
            f"cpu/task/{probe}", {}, 3
        )

    assert ratio("vfork") < 2 < ratio("fork")
    assert ratio("posix_spawn") < 2


@pytest.mark.timed
def test_with_huge_pages_a_fork_has_less_to_copy():
    huge_pages()
    huge = {"resident_bytes": 64 * MIB, "pages": "huge"}
    small = median_ns("cpu/task/fork", {**huge, "pages": "small"}, 3)
    assert median_ns("cpu/task/fork", huge, 3) < small / 3


# --- calls that a filter or a missing right refuses --------------------------------------------------

PIPE, CLONE, VFORK, SETSCHEDULER, PIPE2, EVENTFD2, CLONE3 = 22, 56, 58, 144, 293, 290, 435  # x86-64
EPERM, ENOSYS, CLONE_VM, CLONE_THREAD = 1, 38, 0x100, 0x10000
NO_CLONE3 = (CLONE3, ENOSYS, 0, 0)  # so that the C library uses clone, whose flags can be seen

FILTERS = {
    "pipe": (
        [(PIPE, EPERM, 0, 0), (PIPE2, EPERM, 0, 0)],
        "pipe is refused here",
        "switch/(?!eventfd|futex|i7_10750h_thread|hpe_i7_860_thread)|task/hpe_i7_860_process",
    ),
    "eventfd": ([(EVENTFD2, EPERM, 0, 0)], "eventfd is refused here", "switch/eventfd"),
    "priority": ([(SETSCHEDULER, EPERM, 0, 0)], "SCHED_RR needs", "(task|switch)/hpe_i7_860"),
    "fork": (
        [NO_CLONE3, (CLONE, EPERM, CLONE_VM, 0)],
        "(fork|creating a process) is refused here",
        "switch/(.*process|ring)|task/(fork|(mbp2016|hpe_i7_860)_process|.*_fork)",
    ),
    "vfork": ([(VFORK, EPERM, 0, 0)], "(vfork|creating a process) is refused here", "task/vfork"),
    "thread": (
        [NO_CLONE3, (CLONE, EPERM, CLONE_THREAD, 1)],
        "pthread_create is refused here",
        "(task|switch)/.*thread",
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_refused_call_is_named_and_the_other_probes_run(name):
    x86_only()
    raised_priority()
    rules, sentence, needing = FILTERS[name]
    requests = [[probe, few(probe)] for probe in PROBES if re.match("cpu/(task|switch)", probe)]
    outcomes = in_python(attempts.outcomes, requests, [True], before=f"forbid({rules})")
    for probe, outcome in outcomes:
        if re.match(f"cpu/({needing})", probe):
            assert re.match(f"ProbeUnsupported: {sentence}", outcome), probe
        else:
            assert outcome == "ran", probe


@pytest.mark.parametrize("refused", [[], [(PIPE, EPERM, 0, 0), (PIPE2, EPERM, 0, 0)]])
def test_after_a_probe_under_round_robin_the_caller_is_scheduled_as_before(refused):
    """Also after one that could not go on."""
    raised_priority()
    x86_only()
    outcomes = in_python(
        f"forbid({refused})\nos.nice(3)\n"
        f"os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))\n"
        f"say([[attempt(probe, isolated=False), os.sched_getscheduler(0), os.sched_getparam(0)[0],"
        f" os.nice(0)] for probe in {ROUND_ROBIN}])"
    )
    nice = os.nice(0)
    assert [after for _, *after in outcomes] == 4 * [[os.SCHED_BATCH, 0, nice + 3]]
    assert sum(outcome == "ran" for outcome, *_ in outcomes) == (2 if refused else 4)
