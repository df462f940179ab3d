"""Where processes or descriptors are limited, a probe says so, and what it had started is ended."""

import platform

import pytest
from helpers.capabilities import other_users, x86_only
from helpers.network import FEW, WITH_ANOTHER_HOST
from helpers.network import PROBES as NETWORK
from helpers.peers import TOKEN, Peer
from helpers.probe_script import few, known
from helpers.probes import MIB, NOBODY_ELSE, NOTHING, control_group, in_python
from helpers.programs import attempts
from helpers.readers import BARRIER
from helpers.readers import NAME as CONTENTION

# A failure, which the next build tries again: the limit may be gone by then.
NO_PROCESS = "ProbeFailed: no new process: the limit on processes was reached"
FILES = {"files": 30, "blocks": 4, "file_bytes": 64 * 1024}
# Probes that have many tasks at a time, and the call that is refused half-way.
MANY_TASKS = {
    "cpu/task/fork": ({"alive": 200}, "fork"),
    "cpu/task/thread": ({"alive": 200}, "pthread_create"),
    "cpu/switch/ring": ({"processes": 32}, "fork"),
    "cpu/task/t470_fork": ({"tasks": 1000}, "fork"),
    **{
        probe: (known(probe, FILES), "")
        for probe in (*BARRIER, f"{CONTENTION}/hpe_i7_860", f"{CONTENTION}/t470")
    },
    # Long enough for all of them to be there at once.
    f"{CONTENTION}/mbp2016": ({"threads": 64, "blocks": 256, "file_bytes": MIB}, ""),
}


def limited(processes):
    """The script's user may have that number of processes beside the script itself."""
    other_users()
    return (
        f"most = threads_before + {processes}\n"
        f"resource.setrlimit(resource.RLIMIT_NPROC, (most, most))\nbecome({NOBODY_ELSE})"
    )


def check_refused_and_ended(**how):
    requests = [[probe, params] for probe, (params, _) in MANY_TASKS.items()]
    for probe, outcome, left in in_python(attempts.checked, requests, **how):
        assert left == NOTHING, probe
        if platform.machine() == "x86_64" or "t470_fork" not in probe:
            call = MANY_TASKS[probe][1]
            assert outcome.startswith(NO_PROCESS) and f"({call}" in outcome, (probe, outcome)


def test_a_limit_on_processes_is_reported_and_started_tasks_are_ended():
    check_refused_and_ended(before=limited(20))


def test_a_control_groups_limit_on_processes_is_reported():
    with control_group("pids", max=25) as group:
        check_refused_and_ended(group=group)
        assert (group / "cgroup.procs").read_text() == ""


@pytest.mark.parametrize(
    ("probe", "params", "most"),
    [
        ("cpu/syscall/getpid", {}, 1),
        ("cpu/task/fork", {"alive": 8}, 1 + 8 + 1),  # the probe, the eight, and the one timed
        ("cpu/task/fork", {}, 1 + 1),
        ("cpu/task/mbp2016_process", {"tasks": 20}, 1 + 1),
        ("cpu/task/t470_fork_exec", {"tasks": 20}, 1 + 1),
        ("cpu/task/t470_fork", {"tasks": 200}, 1 + 64),  # dead ones count until they are reaped
    ],
)
def test_no_probe_has_more_processes_than_it_says(probe, params, most):
    """It runs within a limit of exactly that number, and fails with one less."""
    if probe.endswith("t470_fork"):
        x86_only()
    script = f"say(attempt({probe!r}, {params}, samples=5))"
    assert in_python(script, before=limited(most)) == "ran"
    assert in_python(script, before=limited(most - 1)).startswith(NO_PROCESS)


SWITCHES = ["ring", "process_less_pipe", "thread", "eventfd_process", "t470_process"]


@pytest.mark.parametrize(
    "requests",
    [
        [[f"cpu/switch/{probe}", few(f"cpu/switch/{probe}")] for probe in SWITCHES],
        [[name, FEW[name]] for name in NETWORK],
        [[name, {**FEW[name], "peer": "other"}] for name in WITH_ANOTHER_HOST],
    ],
    ids=["switches", "loopback", "another host"],
)
def test_without_enough_descriptors_no_thread_child_or_descriptor_is_left(requests):
    """Wherever in a probe they run out; with all of them the same process runs it again."""
    with Peer() as peer:
        where = {"RECKON_PEER_AT": peer.at, "RECKON_PEER_TOKEN": TOKEN}
        outcomes = in_python(attempts.with_few_descriptors, requests, timeout_s=300, **where)
    assert [outcome for outcome in outcomes if outcome[2] != NOTHING] == []
    # A few need no more descriptors than are free below the lowest limit.
    assert len({name for name, outcome, _ in outcomes if outcome != "ran"}) > len(requests) / 2
    assert any("Too many open files" in outcome for _, outcome, _ in outcomes)
    last = {name: outcome for name, outcome, _ in outcomes}
    assert "ran" in last.values()
    for name, outcome in last.items():
        assert "Too many open files" not in outcome, (name, outcome)
