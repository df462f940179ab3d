"""The same probes where something is limited, refused or not there: told, and nothing left behind."""

import os
import platform
import re
from pathlib import Path

import pytest
from helpers.capabilities import other_users, raised_priority, x86_only
from helpers.probes import (
    FILTER,
    MIB,
    NOBODY_ELSE,
    NOTHING,
    PROBES,
    ROUND_ROBIN,
    control_group,
    in_python,
    kills_in,
    median_ns,
    started,
)
from helpers.processes import descendants, pids_gone, probes_of, until

from reckon.measurement import library

# --- limits ------------------------------------------------------------------------------------


def limited(processes):
    """The script's user may have so many processes beside the script itself."""
    other_users()
    return f"most = threads_before + {processes}\n" + (
        f"resource.setrlimit(resource.RLIMIT_NPROC, (most, most))\nbecome({NOBODY_ELSE})\n"
    )


# Probes that have many at a time, and the call that is refused half-way.
CROWDS = [
    ("cpu/task/fork", {"alive": 200}, "fork"),
    ("cpu/task/thread", {"alive": 200}, "pthread_create"),
    ("cpu/switch/ring", {"processes": 32}, "fork"),
    ("cpu/task/t470_fork", {"tasks": 1000}, "fork"),
]
CROWDED = f"""
say([[probe, call, attempt(probe, params, isolated=isolated), left_behind()]
     for probe, params, call in {CROWDS} for isolated in (1, 0)])
"""


def told_and_cleared_up(said):
    for probe, call, what, left in said:
        assert left == NOTHING, probe
        if platform.machine() == "x86_64" or "t470" not in probe:
            assert what.startswith(f"ProbeUnsupported: {call} is refused: more processes"), probe
    assert len(said) == 2 * len(CROWDS)


def test_a_limit_on_processes_is_told_and_what_was_started_is_ended():
    told_and_cleared_up(in_python(limited(20) + CROWDED))


def test_a_control_group_that_limits_processes_is_told_as_well():
    with control_group("pids", max=25) as group:
        told_and_cleared_up(in_python(CROWDED, group))
        assert (group / "cgroup.procs").read_text() == ""


@pytest.mark.parametrize(
    ("probe", "params", "most"),
    [
        ("fork", {"alive": 8}, 1 + 8 + 1),  # the probe, the eight, and the one that is timed
        ("fork", {}, 1 + 1),
        ("mbp2016_process", {"tasks": 20}, 1 + 1),
        ("t470_fork_exec", {"tasks": 20}, 1 + 1),
        ("t470_fork", {"tasks": 200}, 1 + 64),  # dead ones count until they are reaped
    ],
)
def test_no_probe_has_more_processes_than_it_says(probe, params, most):
    """Held by a limit of exactly so many; with one less, the probe cannot."""
    if probe == "t470_fork":
        x86_only()
    script = f"say(attempt('cpu/task/{probe}', {params}, samples=5))"
    assert in_python(limited(most) + script) == "ran"
    assert in_python(limited(most - 1) + script).endswith("control group)")


def test_a_probe_that_fails_for_want_of_descriptors_leaves_nothing_behind():
    probes = ["ring", "process_less_pipe", "thread", "eventfd_process", "t470_process"]
    said = in_python(
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE)\nsaid = []\n"
        "for limit in range(files_before, files_before + 12):\n"
        f"    for probe in {probes}:\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))\n"
        "        what = attempt('cpu/switch/' + probe, isolated=False)\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
        "        said.append([what, left_behind()])\n"
        "say(said)"
    )
    assert all(left == NOTHING for _, left in said)
    refused = [what for what, _ in said if what != "ran"]
    assert len(refused) > 15 and len(refused) < len(said)
    assert all("Too many open files" in what for what in refused)


def test_in_this_process_no_probe_leaves_anything_behind():
    said = in_python(
        f"say([[probe, attempt(probe, isolated=False), left_behind()] for probe in {PROBES}])"
    )
    for probe, what, left in said:
        assert left == NOTHING, probe
        assert what == "ran" or what.startswith("ProbeUnsupported"), probe
    assert sum(what == "ran" for _, what, _ in said) > len(PROBES) / 2


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


def test_memory_that_the_control_group_does_not_have_is_not_touched():
    script = "say([attempt('cpu/task/fork', {'resident_bytes': n << 20}) for n in (1024, 64, 384)])"
    with control_group("memory", max=512 * MIB) as group:
        large, small, near = in_python(script, group)
        told = "ProbeUnsupported: 1024 MiB with their page tables do not fit into the "
        assert large.startswith(told) and large.endswith(" MiB available")
        assert small == near == "ran"
        assert kills_in(group) == 0


def test_more_than_the_memory_available_is_told():
    meminfo = Path("/proc/meminfo").read_text()
    available = int(re.search(r"MemAvailable:\s*(\d+)", meminfo)[1]) * 1024
    for probe in ("fork", "vfork", "posix_spawn"):
        with pytest.raises(
            library.ProbeUnsupported, match=r"do not fit into the \d+ MiB available"
        ):
            library.run(f"cpu/task/{probe}", {"resident_bytes": int(available * 1.1)})


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
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    huge = {"resident_bytes": 64 * MIB, "pages": "huge"}
    if not setting.exists() or "[never]" in setting.read_text():
        with pytest.raises(library.ProbeUnsupported, match="huge pages are not available here"):
            library.run("cpu/task/fork", huge)
        return
    small = median_ns("cpu/task/fork", {**huge, "pages": "small"}, 3)
    assert median_ns("cpu/task/fork", huge, 3) < small / 3


def test_a_ring_does_not_touch_memory_that_is_not_there():
    script = "say(attempt('cpu/switch/ring', {'processes': 8, 'working_set_bytes': 128 << 20}))"
    with control_group("memory", max=512 * MIB) as group:
        said = in_python(script, group)
        assert said.startswith("ProbeUnsupported") and "MiB available" in said
        assert kills_in(group) == 0


def test_pages_are_small_or_huge():
    for probe in ("fork", "vfork", "posix_spawn"):
        with pytest.raises(library.ProbeUnsupported, match="pages are small or huge"):
            library.run(f"cpu/task/{probe}", {"pages": "giant"})


# --- what a filter or a missing right refuses --------------------------------------------------

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
    said = in_python(
        FILTER + f"forbid({rules})\nsay({{probe: attempt(probe) for probe in {probes}}})"
    )
    for probe, what in said.items():
        if re.match(f"cpu/({needing})", probe):
            assert re.match(f"ProbeUnsupported: {sentence}", what), probe
        else:
            assert what == "ran", probe


def test_an_ordinary_user_cannot_run_the_probes_under_round_robin_and_can_run_the_rest():
    other_users()
    x86_only()
    said = in_python(f"become({NOBODY_ELSE})\nsay({{probe: attempt(probe) for probe in {PROBES}}})")
    assert len(ROUND_ROBIN) == 4
    for probe, what in said.items():
        if probe in ROUND_ROBIN:
            assert what.startswith("ProbeUnsupported: SCHED_RR needs root, CAP_SYS_NICE"), probe
        else:
            assert what == "ran", probe


@pytest.mark.parametrize("refused", [[], [(PIPE, EPERM, 0, 0), (PIPE2, EPERM, 0, 0)]])
def test_after_a_probe_under_round_robin_the_caller_is_scheduled_as_before(refused):
    """Also after one that could not go on."""
    raised_priority()
    x86_only()
    said = in_python(
        FILTER + f"forbid({refused})\nos.nice(3)\n"
        f"os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))\n"
        f"say([[attempt(probe, isolated=False), os.sched_getscheduler(0), os.sched_getparam(0)[0],"
        f" os.nice(0)] for probe in {ROUND_ROBIN}])"
    )
    nice = os.nice(0)
    assert [after for _, *after in said] == 4 * [[os.SCHED_BATCH, 0, nice + 3]]
    assert sum(what == "ran" for what, *_ in said) == (2 if refused else 4)
