"""Limits, refused calls and missing rights: each is reported, and nothing is left behind."""

import os
import platform
import re

import pytest
from helpers.capabilities import other_users, raised_priority, x86_only
from helpers.everything import check_outcome
from helpers.probes import (
    MIB,
    NOBODY_ELSE,
    NOTHING,
    PROBES,
    ROUND_ROBIN,
    control_group,
    huge_pages,
    in_python,
    kills_in,
    median_ns,
    started,
)
from helpers.processes import descendants, pids_gone, probes_of, until

from reckon.measurement import library

# --- limits ------------------------------------------------------------------------------------


def limited(processes):
    """The script's user may have that number of processes beside the script itself."""
    other_users()
    return f"most = threads_before + {processes}\n" + (
        f"resource.setrlimit(resource.RLIMIT_NPROC, (most, most))\nbecome({NOBODY_ELSE})\n"
    )


# Probes that have many tasks at a time, and the call that is refused half-way.
MANY_TASKS = [
    ("cpu/task/fork", {"alive": 200}, "fork"),
    ("cpu/task/thread", {"alive": 200}, "pthread_create"),
    ("cpu/switch/ring", {"processes": 32}, "fork"),
    ("cpu/task/t470_fork", {"tasks": 1000}, "fork"),
]
START_MANY = f"""
say([[probe, call, attempt(probe, params, isolated=isolated), left_behind()]
     for probe, params, call in {MANY_TASKS} for isolated in (1, 0)])
"""


def check_refused_and_ended(said):
    for probe, call, outcome, left in said:
        assert left == NOTHING, probe
        if platform.machine() == "x86_64" or "t470" not in probe:
            assert outcome.startswith(f"ProbeUnsupported: {call} is refused: more processes"), probe
    assert len(said) == 2 * len(MANY_TASKS)


def test_a_limit_on_processes_is_reported_and_started_tasks_are_ended():
    check_refused_and_ended(in_python(limited(20) + START_MANY))


def test_a_control_groups_limit_on_processes_is_reported():
    with control_group("pids", max=25) as group:
        check_refused_and_ended(in_python(START_MANY, group))
        assert (group / "cgroup.procs").read_text() == ""


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
    """It runs within a limit of exactly that number, and is unsupported with one less."""
    if probe == "t470_fork":
        x86_only()
    script = f"say(attempt('cpu/task/{probe}', {params}, samples=5))"
    assert in_python(limited(most) + script) == "ran"
    assert in_python(limited(most - 1) + script).endswith("control group)")


def test_a_probe_without_enough_descriptors_leaves_nothing_behind():
    probes = ["ring", "process_less_pipe", "thread", "eventfd_process", "t470_process"]
    outcomes = in_python(
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE)\nsaid = []\n"
        "for limit in range(files_before, files_before + 12):\n"
        f"    for probe in {probes}:\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))\n"
        "        outcome = attempt('cpu/switch/' + probe, isolated=False)\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
        "        said.append([outcome, left_behind()])\n"
        "say(said)"
    )
    assert all(left == NOTHING for _, left in outcomes)
    refused = [outcome for outcome, _ in outcomes if outcome != "ran"]
    assert len(refused) > 15 and len(refused) < len(outcomes)
    assert all("Too many open files" in outcome for outcome in refused)


def test_in_this_process_no_probe_leaves_anything_behind():
    outcomes = in_python(
        f"say([[probe, attempt(probe, isolated=False), left_behind()] for probe in {PROBES}])"
    )
    for probe, outcome, left in outcomes:
        assert left == NOTHING, probe
        check_outcome(probe, outcome)


@pytest.mark.parametrize(
    ("probe", "params"),
    [
        ("cpu/task/fork", {"alive": 8}),
        ("cpu/switch/process", {"turns": 100_000_000}),
        ("cpu/switch/futex_process_across", {"turns": 100_000_000}),
        ("cpu/switch/ring", {"processes": 5, "laps": 1_000_000}),
    ],
)
def test_no_partner_outlives_a_killed_caller(probe, params):
    script = f"attempt({probe!r}, {params}, samples=10_000_000, deadline_s=60)"
    with started(script) as caller:
        until(lambda: any(map(probes_of, probes_of(caller.pid))))
        running = descendants(caller.pid)
        caller.kill()
    assert len(running) >= 2 and pids_gone(running)


# --- memory ------------------------------------------------------------------------------------


def test_memory_beyond_the_control_groups_limit_is_not_touched():
    script = "say([attempt('cpu/task/fork', {'resident_bytes': n << 20}) for n in (1024, 64, 384)])"
    with control_group("memory", max=512 * MIB) as group:
        large, small, near = in_python(script, group)
        reason = r"1024 MiB with their page tables do not fit into the \d+ MiB available"
        assert re.fullmatch(f"ProbeUnsupported: {reason}", large)
        assert small == near == "ran"
        assert kills_in(group) == 0


@pytest.mark.parametrize(
    ("probe", "params", "reason"),
    [
        ("fork", {"resident_bytes": 1 << 40}, r"do not fit into the \d+ MiB available"),
        ("vfork", {"resident_bytes": 1 << 40}, r"do not fit into the \d+ MiB available"),
        ("posix_spawn", {"resident_bytes": 1 << 40}, r"do not fit into the \d+ MiB available"),
        ("fork", {"pages": "giant"}, "pages are small or huge"),
    ],
)
def test_a_value_that_makes_no_sense_is_reported(probe, params, reason):
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(f"cpu/task/{probe}", params)


@pytest.mark.timed
def test_a_fork_grows_with_what_its_parent_holds_and_a_vfork_does_not():
    def ratio(probe):
        return median_ns(f"cpu/task/{probe}", {"resident_bytes": 64 * MIB}, 3) / median_ns(
            f"cpu/task/{probe}", {}, 3
        )

    assert ratio("fork") > 2
    assert ratio("vfork") < 2
    assert ratio("posix_spawn") < 2


@pytest.mark.timed
def test_with_64_mib_a_vfork_is_much_faster_than_a_fork():
    held = {"resident_bytes": 64 * MIB}
    assert median_ns("cpu/task/vfork", held, 3) < median_ns("cpu/task/fork", held, 3) / 2


@pytest.mark.timed
def test_with_huge_pages_a_fork_has_less_to_copy():
    huge_pages()
    huge = {"resident_bytes": 64 * MIB, "pages": "huge"}
    small = median_ns("cpu/task/fork", {**huge, "pages": "small"}, 3)
    assert median_ns("cpu/task/fork", huge, 3) < small / 3


def test_a_ring_does_not_touch_memory_beyond_the_limit():
    script = "say(attempt('cpu/switch/ring', {'processes': 8, 'working_set_bytes': 128 << 20}))"
    with control_group("memory", max=512 * MIB) as group:
        reason = r"\d+ MiB with their page tables do not fit into the \d+ MiB available"
        assert re.fullmatch(f"ProbeUnsupported: {reason}", in_python(script, group))
        assert kills_in(group) == 0


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
    probes = [probe for probe in PROBES if re.match("cpu/(task|switch)", probe)]
    outcomes = in_python(f"forbid({rules})\nsay({{probe: attempt(probe) for probe in {probes}}})")
    for probe, outcome in outcomes.items():
        if re.match(f"cpu/({needing})", probe):
            assert re.match(f"ProbeUnsupported: {sentence}", outcome), probe
        else:
            assert outcome == "ran", probe


def test_an_ordinary_user_runs_all_but_the_probes_under_round_robin():
    other_users()
    x86_only()
    outcomes = in_python(
        f"become({NOBODY_ELSE})\nsay({{probe: attempt(probe) for probe in {PROBES}}})"
    )
    assert len(ROUND_ROBIN) == 4
    for probe, outcome in outcomes.items():
        if probe in ROUND_ROBIN:
            assert outcome.startswith("ProbeUnsupported: SCHED_RR needs root, CAP_SYS_NICE"), probe
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
