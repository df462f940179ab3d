"""However a lab ends, nothing of it is left; which programs run in the second host, and when it is ready."""

import contextlib
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from helpers.labs import SOON_S, USERS, gone, in_lab, living_in, name_locations, spaces_of
from helpers.probes import started
from helpers.processes import alive, children_of, name_of, until
from helpers.programs import lab as program

from reckon.errors import ReckonError
from reckon.hosts import lab as labs
from reckon.measurement import library

# A program that does all it can to stay: deaf, in a session of its own, its parent gone.
STUBBORN = ["sh", "-c", "trap '' HUP INT TERM; (setsid sleep 1000 &); sleep 1000 & wait"]

# chown, dac_override, dac_read_search, setgid, setuid, setpcap, net_bind_service and sys_admin, by
# their numbers in capabilities(7).
KEPT = {0, 1, 2, 6, 7, 8, 10, 21}


@pytest.fixture(autouse=True)
def the_machine_is_as_it_was():
    before = program.machine()
    yield
    assert program.machine() == before


def everything_of(lab):
    """Its namespaces and processes, once the stubborn program has two sleepers."""
    pids = {lab.pid, lab.relay_pid, lab.peer_pid}
    spaces = spaces_of(*pids)
    # By name: the subshell that starts the first sleeper lives for a moment as well.
    assert until(lambda: [name_of(pid) for pid in living_in(spaces)].count("sleep") == 2)
    living = living_in(spaces)
    assert pids <= living and len(living) == len(pids) + 2
    # The first process and the program have networks of their own, all but the first a pid space.
    assert len({link for link in spaces if link.startswith("net:")}) >= 2
    assert len({link for link in spaces if link.startswith("pid:")}) == 1
    return spaces, living


@pytest.mark.parametrize("how", ["close", "with"])
def test_a_closed_lab_leaves_nothing(how, path):
    if how == "close":
        lab = labs.Lab(0.001, 1e9, STUBBORN, path=path)
        spaces, pids = everything_of(lab)
        lab.close()
        lab.close()  # and once more does no harm
    else:
        with pytest.raises(ZeroDivisionError), labs.Lab(0.001, 1e9, STUBBORN, path=path) as lab:
            spaces, pids = everything_of(lab)
            _ = 1 / 0
    # At once: close() waits for it.
    assert not living_in(spaces) and not any(map(alive, pids)) and not lab.running


@pytest.mark.parametrize("part", ["pid", "relay_pid", "peer_pid"])
def test_when_a_part_is_killed_the_others_end(part, path):
    lab = labs.Lab(0.001, 1e9, STUBBORN, path=path)
    try:
        spaces, pids = everything_of(lab)
        os.kill(getattr(lab, part), signal.SIGKILL)
        assert gone(spaces, pids - {lab.pid})
        with pytest.raises(labs.LabEnded, match="The lab host has ended.*; start it again."):
            for _ in range(2):  # the first may still find the pipe open
                lab.counters()
    finally:
        lab.close()
    assert gone(spaces, pids)


@pytest.mark.parametrize(
    ("whose", "reason"),
    [
        ("relay_pid", "the relay died of signal 9 (Killed)"),
        ("peer_pid", "a program of the second host died of signal 9 (Killed)"),
    ],
)
def test_the_reason_why_a_lab_died_is_reported(whose, reason):
    with labs.Lab(0.001, 1e9) as lab:
        os.kill(getattr(lab, whose), signal.SIGKILL)
        with pytest.raises(labs.LabEnded, match=re.escape(reason)):
            until(lambda: not lab.counters())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("has_child", [False, True])
def test_when_the_caller_is_killed_its_lab_ends(number, has_child):
    with started(program.hold, STUBBORN, has_child, start_new_session=True) as caller:
        try:
            pids = set(json.loads(caller.stdout.readline()))
            spaces = spaces_of(*pids)
            assert len(pids) == 3 and len(spaces) >= 4
            caller.send_signal(number)
            assert gone(spaces, pids)
        finally:
            os.killpg(caller.pid, signal.SIGKILL)  # the child too


def test_a_stopped_relay_and_program_do_not_keep_it_from_ending():
    lab = labs.Lab(0.001, 1e9, STUBBORN)
    spaces, pids = everything_of(lab)
    os.kill(lab.peer_pid, signal.SIGSTOP)
    os.kill(lab.relay_pid, signal.SIGSTOP)
    lab.counters()  # which fails where it has ended; a stop is no end
    lab.close()
    assert not living_in(spaces) and not any(map(alive, pids))


def test_an_interrupted_start_leaves_nothing(monkeypatch):
    """As by Ctrl-C while one waits for the first line."""

    def interrupted(self, deadline_s):
        raise KeyboardInterrupt

    monkeypatch.setattr(labs.Lab, "_answer", interrupted)
    before = children_of(os.getpid())
    with pytest.raises(KeyboardInterrupt):
        labs.Lab(0.001, 1e9, STUBBORN)
    assert children_of(os.getpid()) == before


@pytest.mark.parametrize("user", USERS)
def test_nothing_is_left_of_an_ordinary_user_s_lab(user, path):
    """The fixture of every test looks for processes of that user."""
    pids, spaces = in_lab(program.abandoned, path, STUBBORN, user=user)
    own = {os.readlink(link) for link in Path("/proc/self/ns").iterdir()}
    assert len(set(spaces) - own) >= 4
    assert gone(set(spaces) - own, pids)


def test_a_lab_keeps_no_capability():
    with labs.Lab(0.001, 1e9) as lab:
        for pid in (lab.pid, lab.relay_pid, lab.peer_pid):
            status = Path(f"/proc/{pid}/status").read_text()
            assert re.search(r"CapEff:\s*0+\n", status), (pid, status)


def test_a_program_of_the_second_host_keeps_no_capability_over_the_machine():
    """What a server needs it keeps; by the others root loads modules, opens devices, traces processes."""
    with labs.Lab(0.001, 1e9, ["sleep", "1000"]) as lab:
        status = Path(f"/proc/{lab.peer_pid}/status").read_text()
    for field in ("CapPrm", "CapEff", "CapBnd"):
        held = int(re.search(rf"{field}:\s*(\w+)", status)[1], 16)
        assert {bit for bit in range(64) if held >> bit & 1} <= KEPT, (field, status)


# --- what runs in there ------------------------------------------------------------------------


def test_the_second_host_runs_reckon_peer_and_a_probe_reaches_it(monkeypatch, path):
    with labs.Lab(0.005, 1e9, path=path) as lab:
        name_locations(monkeypatch, lab.locations)
        # Once a warm-up and once the samples: the probe enters twice, and is already there.
        samples = library.run("test/peer_echo", {"peer": "other", "turns": 4}, samples=3, warmup=2)
        assert min(samples.ticks / samples.ops) / library.tick_hz() >= 0.005
        with pytest.raises(library.ProbeUnsupported, match="by an isolated probe alone"):
            library.run("test/peer_echo", {"peer": "other"}, isolated=False)
        packets = lab.counters()["to_peer"]["packets"]
        assert packets >= 2 * 5
        library.run("test/peer_echo", {"peer": "loopback", "turns": 50}, samples=3)
        # None of those 150; what still came were the last connection's acknowledgements.
        assert lab.counters()["to_peer"]["packets"] <= packets + 10
    with pytest.raises(library.ProbeFailed, match="the lab host has ended; start it again"):
        library.run("test/peer_echo", {"peer": "other"})
    monkeypatch.setenv("RECKON_PEER_SPACE", str(os.getpid()))  # its pid, now of another process
    with pytest.raises(library.ProbeFailed, match="the lab host has ended; start it again"):
        library.run("test/peer_echo", {"peer": "other"})


def names_in(lab):
    """What runs in the lab's pid space."""
    space = os.readlink(f"/proc/{lab.relay_pid}/ns/pid")
    names = []
    for pid in living_in({space}):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/ns/pid") == space:  # the first process only starts them
                names.append(Path(f"/proc/{pid}/comm").read_text().strip())
    return sorted(names)


def test_another_program_runs_instead_of_it_or_beside_it():
    with labs.Lab(0, 1e9, ["sleep", "1000"]) as lab:
        assert names_in(lab) == ["reckon-relay", "sleep"]
    with labs.Lab(0, 1e9, ["sleep", "1000"], beside=True) as lab:
        assert names_in(lab) == ["reckon-peer", "reckon-relay", "sleep"]
    with labs.Lab(0, 1e9) as lab:
        assert names_in(lab) == ["reckon-peer", "reckon-relay"]


LISTENER = [
    "sh",
    "-c",
    f'sleep 0.3; exec {sys.executable} -c "import socket, time; '
    "s = socket.create_server(('10.77.0.2', 9000)); time.sleep(1000)\"",
]


def test_it_is_ready_when_its_program_listens():
    assert in_lab(program.reached_when_ready, LISTENER, 9000) is None


def test_a_program_that_ends_before_it_listens_is_reported():
    with pytest.raises(
        labs.LabUnavailable, match="ended before it listened on port 9000; start it by hand"
    ):
        labs.Lab(0, 1e9, ["true"], wait_port=9000)


def test_a_program_that_never_listens_is_given_up_by_the_lab_itself():
    """By the clock: looking for the port takes the kernel some ms, most on machines with much memory."""
    with pytest.raises(labs.LabUnavailable, match="did not listen on port 9000 within 10 s"):
        labs.Lab(0, 1e9, ["sleep", "1000"], wait_port=9000)


def test_the_program_s_last_line_is_reported():
    lab = labs.Lab(0, 1e9, ["sh", "-c", "echo first >&2; echo 'no disk.' >&2; sleep 0.2; exit 1"])
    try:
        with pytest.raises(
            ReckonError, match=r"The lab host has ended \(no disk\); start it again\."
        ):
            until(lambda: not lab.counters())
    finally:
        lab.close()


@pytest.mark.parametrize("user", USERS)
def test_a_program_has_a_process_space_of_its_own_and_no_others_input(user):
    script = "readlink /proc/self/ns/pid; readlink /proc/1/ns/pid; readlink /proc/self/fd/0; cat"
    own, first, input_of = in_lab(program.words_of, script, 3, user=user, LC_ALL="C")
    assert own == first != os.readlink("/proc/self/ns/pid") and input_of == "/dev/null"


LATE = """#!/usr/bin/env python3
import json, sys, time
names = "pid peer_pid relay_pid path congestion offload client peer ipv6 rtt_us rate_bit mtu queue_bytes"
print(json.dumps(dict.fromkeys(names.split(), 1)), flush=True)
for number, _ in enumerate(sys.stdin):
    time.sleep(1 - number)
    print(json.dumps({"number": number}), flush=True)
"""


def test_an_answer_that_comes_too_late_is_not_the_next_one_s(tmp_path, monkeypatch):
    (tmp_path / "reckon-lab").write_text(LATE)
    (tmp_path / "reckon-lab").chmod(0o755)
    monkeypatch.setenv("RECKON_LIB", str(tmp_path))
    with labs.Lab(0.001, 1e9) as lab:
        with monkeypatch.context() as impatient, pytest.raises(labs.LabEnded, match="nothing for"):
            impatient.setattr(labs, "ANSWER_S", 0.1)
            lab.counters()
        assert lab.counters() == {"number": 1}
    with pytest.raises(labs.LabEnded, match="The lab host has ended; start it again"):
        lab.counters()


def test_only_the_line_counters_is_answered():
    lab = labs.Lab(0, 1e9, ["sleep", "1000"])
    try:
        lab._process.stdin.write(b"hello\n\n")
        assert set(lab.counters()) == {"to_peer", "to_client"}
        lab._process.stdin.write(b"x" * 100)  # no line is that long
        assert lab._process.wait(SOON_S) == 0
    finally:
        lab.close()
