"""The probes of loops, calls, tasks and switches: counted where that can be done."""

import contextlib
import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
from helpers.capabilities import installed, raised_priority, x86_only
from helpers.everything import check_outcome
from helpers.probes import (
    ACROSS,
    PROBES,
    answers,
    assert_unsupported,
    control_group,
    disassembled,
    endless,
    in_python,
    preloaded,
)
from helpers.processes import CPU, probes_of, stat
from helpers.programs import attempts
from helpers.project import finished, make_library
from helpers.traces import calls_of, strace

from reckon.measurement import library

# --- calls: what the compiler made, and how often they are entered -----------------------------

ARGUMENTS = {"edi": 1, "esi": 2, "edx": 3, "ecx": 4, "r8d": 5, "r9d": 6}  # System V ABI


def instructions_of(name, function):
    return [text for _, text in disassembled(name)[function]]


def passed(instructions):
    """The arguments that are put into place: their numbers, each with its value."""
    put = []
    for text in instructions:
        if move := re.match(r"mov +\$0x(\w+),%(\w+)$", text):
            if move[2] in ARGUMENTS:
                put.append((ARGUMENTS[move[2]], int(move[1], 16)))
        elif stack := re.match(r"(?:push +\$0x(\w+)|mov[lq] +\$0x(\w+),\(%rsp\))$", text):
            put.append((7, int(stack[1] or stack[2], 16)))
    return sorted(put)


def test_what_distributions_switch_on_in_their_compilers_is_no_part_of_a_call(tmp_path):
    """Such as endbr64 at the start of each procedure, Ubuntu's default."""
    name, compiler = "cpu/call.o0.o", "gcc -fcf-protection=full -fstack-protector-all"
    done = make_library(tmp_path, f"CC={compiler}", names=[name])
    assert done.returncode == 0, done.stderr
    assert disassembled(tmp_path / name) == disassembled(name)


def calls_in(instructions):
    """(procedure, arguments put into place since the call before) of every call of ours."""
    since = []
    for text in instructions:
        call = re.match(r"call +\w+ <(\w+)", text)
        if call and re.match("take|variadic", call[1]):
            yield call[1], passed(since)
        since = [] if call else [*since, text]


@pytest.mark.parametrize(("file", "function"), [("call.o", "run_o2"), ("call.o0.o", "run_o0")])
def test_a_group_is_fifty_calls_each_with_all_its_arguments(file, function):
    calls = Counter(map(repr, calls_in(instructions_of(f"cpu/{file}", function))))
    assert calls == {repr((f"take{k}", [(i, i) for i in range(1, k + 1)])): 50 for k in range(8)}


def test_the_reports_probes_call_once_in_their_loop():
    for function in ("run_alone", "run_t470", "run_hpe"):
        called = list(calls_in(instructions_of("cpu/call.o0.o", function)))
        assert called == [(f"take{k}", [(i, i) for i in range(1, k + 1)]) for k in range(8)]


def test_the_procedure_is_there_and_does_nothing():
    for k in range(8):
        body = instructions_of("cpu/call.o", f"take{k}")
        assert [i for i in body if not re.match("endbr64|.*nop|xchg +%ax,%ax", i)] == ["ret"]


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """The library with a hook in every function, the counter behind it, and where take3 is."""
    installed("nm")
    out = tmp_path_factory.mktemp("counted")
    done = make_library(out, "EXTRA=-finstrument-functions", names=["libreckon.so"])
    assert done.returncode == 0, done.stderr
    preloaded(out, "entries")
    symbols = finished("nm", out / "libreckon.so").stdout
    return out, [line.split() for line in symbols.splitlines()]


@pytest.mark.parametrize(
    ("probe", "name", "times"),
    [
        ("o2", "take3", 3 * 100),
        ("o0", "take3", 3 * 100),
        ("mbp2016", "variadic", 3 * (100 + 200)),
        ("t470", "take3", 3 * 100),
        ("hpe_i7_860", "take3", 3 * 100),
        ("x510uq", "take3", 3),
        ("i7_10750h", "take3", 3),
    ],
)
def test_a_procedure_is_entered_as_often_as_the_samples_say(counted, tmp_path, probe, name, times):
    out, symbols = counted
    if probe not in ("o2", "o0", "mbp2016"):
        x86_only()
    in_python(
        f"params = few('cpu/call/{probe}', arguments=3, calls=100)\n"
        f"library.run('cpu/call/{probe}', params, samples=3, warmup=0, isolated=False)",
        RECKON_LIB=out,
        LD_PRELOAD=out / "entries",
        ENTRIES=tmp_path / "counts",
    )
    entries = {
        int(line.split()[1], 16): int(line.split()[2])
        for line in (tmp_path / "counts").read_text().splitlines()
        if line.startswith(str(out / "libreckon.so "))
    }

    def entered(function):  # take0 to take7 are in both files
        return sum(entries.get(int(s[0], 16), 0) for s in symbols if s[-1] == function)

    assert entered(name) == times
    assert sum(entered(f"take{k}") for k in range(8)) + entered("variadic") == times


# --- tasks: what is created, executed and waited for -------------------------------------------


def created(log):
    """{probe: Counter of what succeeded}, of a log in which a look at /probe/NAME begins a probe."""
    counts, probe = {}, None
    for _, text in calls_of(log):
        if mark := re.search(r'"/probe/([^"]+)"', text):
            counts[probe := mark[1]] = Counter()
        call = re.match(r"(fork|vfork|clone3?|execve|wait4|waitid)\((.*)= \d+$", text)
        if call and probe:
            counts[probe][kind_of(call[1], call[2])] += 1
    return counts


def kind_of(call, given):
    """fork, vfork, spawn, thread, wait, or the program that is executed."""
    if call == "execve":
        return given.split('"')[1].rsplit("/", 1)[1]
    if call == "vfork" or "CLONE_VFORK" in given:
        # vfork() and posix_spawn() differ in who chooses the child's stack.
        return "spawn" if "stack=" in given and "stack=NULL" not in given else "vfork"
    if call.startswith("clone"):
        return "thread" if "CLONE_THREAD" in given else "memory" if "CLONE_VM" in given else "fork"
    return "wait" if call.startswith("wait") else call


def processes(times, kind="fork", **more):
    return {kind: times, "wait": times, **more}


# What three samples create, by each probe's `.timed`.
CREATED = {
    "cpu/syscall/getuid": ({}, {}),
    "cpu/task/fork": ({"alive": 2}, processes(3 + 2)),
    "cpu/task/vfork": ({}, processes(3, "vfork")),
    "cpu/task/posix_spawn": ({}, processes(3, "spawn", **{"reckon-blank": 3})),
    "cpu/task/fork_return": ({}, processes(3)),
    "cpu/task/fork_exec": ({}, processes(3, **{"reckon-blank": 3})),
    "cpu/task/fork_exec_static": ({}, processes(3, **{"reckon-blank-static": 3})),
    "cpu/task/vfork_exec": ({}, processes(3, "vfork", **{"reckon-blank": 3})),
    "cpu/task/thread": ({"alive": 2}, {"thread": 3 + 2}),
    "cpu/task/thread_return": ({}, {"thread": 3}),
    "cpu/task/mbp2016_process": ({"tasks": 4}, processes(3 * (4 + 8))),
    "cpu/task/mbp2016_thread": ({"tasks": 4}, {"thread": 3 * (4 + 8)}),
    "cpu/task/t470_fork": ({"tasks": 70}, processes(3 * 70)),  # more than the 64 of one go
    "cpu/task/t470_fork_exec": ({"tasks": 4}, processes(3 * 4, **{"reckon-blank": 3 * 4})),
    "cpu/task/t470_thread": ({"tasks": 4}, {"thread": 3 * 4}),
    "cpu/task/x510uq_fork": ({}, processes(3)),
    "cpu/task/x510uq_thread": ({}, {"thread": 3}),
    "cpu/task/i7_10750h_fork": ({}, processes(3)),
    "cpu/task/i7_10750h_thread": ({}, {"thread": 3}),
    "cpu/task/hpe_i7_860_process": ({}, processes(3)),
    "cpu/task/hpe_i7_860_thread": ({}, {"thread": 3}),
}


TRACED = "?fork,?vfork,clone,?clone3,execve,wait4,waitid,?stat,?newfstatat"


def test_each_probe_creates_what_it_says(tmp_path):
    """Counted by strace, probe after probe in one process of Python."""
    raised_priority()
    assert set(CREATED) - {"cpu/syscall/getuid"} == {r for r in PROBES if r.startswith("cpu/task/")}
    requests = [[probe, params] for probe, (params, _) in CREATED.items()]
    outcomes = in_python(
        attempts.announced,
        requests,
        prefix=strace(tmp_path / "log", TRACED, "-e", "signal=none"),
    )
    calls = created(tmp_path / "log")
    for probe, outcome in outcomes:
        check_outcome(probe, outcome)
        if outcome == "ran":
            assert calls[probe] == CREATED[probe][1], probe


# --- switches: that they happen, and where -----------------------------------------------------


@pytest.mark.parametrize(
    ("probe", "tasks", "times"),
    [
        ("process", 1, 100),
        ("eventfd_process", 1, 100),
        ("futex_process", 1, 100),
        ("process_less_pipe", 1, 100),
        ("mbp2016_process", 1, 100 + 200),
        ("t470_process", 1, 100),
        ("thread", 2, 100),
        ("eventfd_thread", 2, 100),
        ("futex_thread", 2, 100),
        ("thread_less_pipe", 2, 100),
        ("mbp2016_thread", 2, 100 + 200),
    ],
)
def test_every_turn_switches_away_and_back(probe, tasks, times):
    """Counted by the kernel: each task blocks once a turn. Of two processes it reports one."""
    if "t470" in probe:
        x86_only()
    samples = library.run(f"cpu/switch/{probe}", {"turns": 100}, samples=20, warmup=0)
    counted = samples.voluntary_switches + samples.involuntary_switches
    assert 0.95 <= counted / (20 * times * tasks) <= 1.2


@pytest.mark.parametrize(("kind", "shared_wakes"), [("thread", 0), ("process", 100)])
def test_threads_wake_each_other_by_a_private_futex(kind, shared_wakes, tmp_path):
    log, probe = tmp_path / "log", f"cpu/switch/futex_{kind}"
    outcome = in_python(f"say(attempt({probe!r}, {{'turns': 50}}, 1))", prefix=strace(log, "futex"))
    assert outcome == "ran"
    wakes = log.read_text().count("FUTEX_WAKE,")
    assert shared_wakes <= wakes <= shared_wakes + 10


def test_the_ring_switches_once_a_lap_and_member():
    samples = library.run("cpu/switch/ring", {"processes": 5, "laps": 100}, samples=20, warmup=0)
    counted = samples.voluntary_switches + samples.involuntary_switches
    assert 0.95 <= counted / (20 * 100) <= 2.2  # it may give way to the woken one, then wait
    assert (samples.ops == 100 * 5).all()


def test_a_pipe_within_one_process_does_not_switch():
    samples = library.run("cpu/switch/pipe", {"turns": 1000}, samples=20, warmup=0)
    assert samples.voluntary_switches == 0
    assert samples.involuntary_switches < 0.01 * 20 * 1000


def allowed(task):
    return re.search(r"Cpus_allowed_list:\s*(\S+)", (task / "status").read_text())[1]


SETTLED, LOOKS = 3, 30  # the first looks may come before a task has moved to its CPU


def check_places(probe, expected, **params):
    """Every process and thread of a probe that goes on is where it is expected, by the CPUs that it may use
    and the one that it ran on last: in some looks in turn."""
    looks = []
    for pids in endless(probe, params, deadline_s=20):
        with contextlib.suppress(OSError, TypeError):  # one of them has just ended
            places = [
                (int(allowed(task)), int(stat(task)[CPU]))
                for pid in pids + [child for pid in pids for child in probes_of(pid)]
                for task in Path(f"/proc/{pid}/task").iterdir()
            ]
            if len(places) == len(expected):
                looks.append(sorted(places))
            if looks[-SETTLED:] == [expected] * SETTLED or len(looks) == LOOKS:
                for pid in pids:
                    os.kill(pid, signal.SIGKILL)
    assert looks[-SETTLED:] == [expected] * SETTLED


@pytest.mark.parametrize("kind", ["process", "thread"])
@pytest.mark.parametrize("means", ["", "eventfd_", "futex_"])
def test_the_partner_is_where_the_probe_says(means, kind):
    cpu, turns = library.default_cpu(), 100_000_000
    probe = f"cpu/switch/{means}{kind}"
    check_places(probe, [(cpu, cpu)] * 2, turns=turns)
    others = sorted(os.sched_getaffinity(0) - {cpu})
    if not others:
        pytest.skip("one CPU alone")
    check_places(f"{probe}_across", sorted([(others[0], others[0]), (cpu, cpu)]), turns=turns)


def test_the_ring_is_on_one_cpu():
    cpu = library.default_cpu()
    check_places("cpu/switch/ring", [(cpu, cpu)] * 4, processes=4, laps=1_000_000)


def test_in_a_control_group_of_one_cpu_the_probes_across_two_are_unsupported():
    assert len(ACROSS) == 6
    with control_group("cpuset", cpus=min(os.sched_getaffinity(0)), mems=0) as group:
        outcomes = answers(ACROSS, {"turns": 2}, group=group)
        assert_unsupported(outcomes, "needs a second CPU, and this process may use only one")
