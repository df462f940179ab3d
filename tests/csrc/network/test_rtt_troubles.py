"""Round trips where something is refused, lost, wrong or goes away: one sentence, nothing left."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

import pytest
from helpers.capabilities import need
from helpers.peers import TOKEN, Peer, line
from helpers.probes import NOBODY_ELSE, NOTHING, in_python
from helpers.processes import pids_gone
from helpers.project import ROOT
from helpers.trips import CAPTURED, LOOPBACK_ALONE, PROBES, SPACE, Running, can_run, root

from reckon.measurement import library

EACH = f"say({{probe: attempt(probe, {{}}) for probe in {PROBES}}})"
SILENT = "ProbeFailed: Nothing came back within 5 s: lost on the way, or the other end hangs."
GONE = "ProbeFailed: The other end went away in the middle; is it still running there?"


# --- refused -----------------------------------------------------------------------------------

NO_CAPTURE = "ProbeUnsupported: needs root (CAP_NET_RAW) to capture packets"
NO_ECHO = (
    "ProbeUnsupported: echo requests need root (CAP_NET_RAW), or a group of this user in the range of "
    "sysctl net.ipv4.ping_group_range"
)


def test_without_a_loopback_each_probe_says_so():
    root()
    said = in_python(
        """
say({probe: attempt(probe, {}) for probe in library.probes() if probe.startswith("network/")
     and "peer" in [p.name for p in library.probe(probe).parameters]})
""",
        prefix=["unshare", "-n"],
    )
    reason = "ProbeUnsupported: needs a loopback interface that is up, 127.0.0.1 or ::1"
    missing = {probe: what for probe, what in said.items() if what != reason}
    assert not {
        probe: what for probe, what in missing.items() if "ncat" not in what and "CPU" not in what
    }


@pytest.mark.parametrize("groups", ["1 0", "0 2147483647"])
def test_an_ordinary_user_has_ping_where_it_is_allowed_and_no_capture(groups):
    root()
    prefix = (*SPACE[:4], f"echo {groups} > /proc/sys/net/ipv4/ping_group_range; {SPACE[4]}", "sh")
    said = in_python(f"become({NOBODY_ELSE})\n{EACH}", prefix=prefix)
    for probe, what in said.items():
        refused = NO_CAPTURE if probe in CAPTURED else NO_ECHO if probe.endswith("/icmp") else "ran"
        assert what == ("ran" if refused is NO_ECHO and groups != "1 0" else refused), probe


def test_idle_states_are_not_held_by_whom_the_device_is_closed_to():
    root()
    need(os.path.exists("/dev/cpu_dma_latency"), "there is no /dev/cpu_dma_latency")
    said = in_python(
        f"become({NOBODY_ELSE})\nsay([attempt('network/rtt/tcp', {{'hold_idle': n}}) for n in (0, 1)])"
    )
    assert said[0] == "ran"
    assert said[1] == (
        "ProbeUnsupported: hold_idle needs the right to write to /dev/cpu_dma_latency, which root has"
    )


def test_without_ncat_its_probe_says_what_to_install(tmp_path):
    can_run("network/rtt/t470")
    script = "say([attempt('network/rtt/i7_10750h', isolated=False), left_behind()])"
    what, left = in_python(script, PATH=str(tmp_path))
    assert what.startswith("ProbeUnsupported: needs ncat, which is not installed (on Debian")
    assert left == NOTHING


def test_an_ncat_that_does_not_start_is_told(tmp_path):
    can_run("network/rtt/t470")
    (tmp_path / "ncat").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "ncat").chmod(0o755)
    script = "say([attempt('network/rtt/i7_10750h', isolated=False), left_behind()])"
    what, left = in_python(script, PATH=str(tmp_path))
    assert what == "ProbeFailed: ncat does not start: it ended with exit status 3."
    assert left == NOTHING


def test_with_one_cpu_the_probes_across_say_that_they_cannot():
    said = in_python(f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n{EACH}")
    for probe, what in said.items():
        if probe.endswith("_across"):
            assert "ProbeUnsupported: needs a second CPU" in what, probe
        elif what != "ran":
            assert what.startswith("ProbeUnsupported"), probe


# --- another host that is none -----------------------------------------------------------------


def test_a_peer_is_loopback_or_other():
    for probe in PROBES:
        can_run(probe)
        with pytest.raises(library.ProbeFailed, match='peer is loopback or other, not "nowhere"'):
            library.run(probe, {"peer": "nowhere"})


def others(probe_filter=lambda probe: probe not in LOOPBACK_ALONE, **environment):
    probes = [probe for probe in PROBES if probe_filter(probe)]
    script = f"say({{probe: attempt(probe, {{'peer': 'other'}}) for probe in {probes}}})"
    return in_python(script, **{"RECKON_PEER_AT": "", "RECKON_PEER_TOKEN": "", **environment})


def with_a_connection(probe):
    return probe not in LOOPBACK_ALONE and not probe.endswith("/icmp")


def test_without_another_host_the_probes_say_that_they_need_one():
    for probe, what in others().items():
        assert what.startswith("ProbeUnsupported: needs another host"), probe


def test_where_nothing_listens_or_the_token_is_wrong_the_sentence_says_so():
    with Peer() as peer:
        wrong = others(with_a_connection, RECKON_PEER_AT=peer.at, RECKON_PEER_TOKEN="x" * 20)
    gone = others(with_a_connection, RECKON_PEER_AT=peer.at, RECKON_PEER_TOKEN=TOKEN)
    assert len(gone) == len(wrong) == len(PROBES) - len(LOOPBACK_ALONE) - 1
    for probe in gone:
        assert gone[probe].startswith(f"ProbeFailed: Nothing listens at {peer.at}"), probe
        assert wrong[probe].startswith("ProbeFailed: The token is not the one"), probe


# --- lost, late, twice -------------------------------------------------------------------------


class FakePeer:
    """Greets like a reckon-peer and sends datagrams back in its own way: answer(socket, bytes, to)."""

    def __init__(self, answer):
        self.answer, self.listening = answer, socket.create_server(("127.0.0.1", 0))
        self.door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.door.bind(("127.0.0.1", 0))
        self.at = "%s:%d" % self.listening.getsockname()
        self.threads = [threading.Thread(target=work) for work in (self.greet, self.serve)]

    def greet(self):
        with contextlib.suppress(OSError):
            self.held = []  # each as long as its probe holds it
            while True:
                connection = self.listening.accept()[0]
                connection.sendall(b"reckon-peer 1\n")
                line(connection)
                connection.sendall(b"ok %d\n" % self.door.getsockname()[1])
                self.held.append(connection)

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                what, to = self.door.recvfrom(65536)
                if not to:  # it was shut down
                    return
                self.answer(self.door, what, to)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.listening.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):  # it is connected to nobody, and wakes all the same
            self.door.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        for each in (self.listening, self.door, *self.held):
            each.close()

    def run(self, **params):
        script = f"""
try:
    one = library.run("network/rtt/udp", {{"peer": "other", **{params}}}, samples=4, warmup=0)
    say([int(n) for n in one.ticks / library.tick_hz() * 1e9])
except library.ReckonError as error:
    say(f"{{type(error).__name__}}: {{error}}")
"""
        return in_python(script, RECKON_PEER_AT=self.at, RECKON_PEER_TOKEN=TOKEN)


def test_a_lost_datagram_fails_the_probe_and_is_no_fast_one():
    heard = []
    with FakePeer(lambda door, what, to: heard.append(what)) as peer:
        assert peer.run() == SILENT
    assert len(heard) == 1


@pytest.mark.parametrize("size", [1, 64])
def test_an_answer_that_comes_again_is_not_taken_for_the_next_ones(size):
    """Each answer is sent twice, the second time while the next question waits for its own."""
    heard = []

    def answer(door, what, to):
        heard.append(what)
        if len(heard) > 1:
            door.sendto(heard[-2], to)
        time.sleep(0.02)
        door.sendto(what, to)

    with FakePeer(answer) as peer:
        took_ns = peer.run(size_bytes=size)
    assert len(heard) == 5 and {len(what) for what in heard} == {size}
    assert min(took_ns) > 15_000_000


def test_what_does_not_answer_is_waited_for_and_told():
    """Three at the same time, because each takes its 5 s."""
    root()
    prefix = (*SPACE[:4], f"echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all; {SPACE[4]}", "sh")
    assert in_python("say(attempt('network/rtt/icmp', samples=1))", prefix=prefix) == SILENT
    with Running("tcp") as running:
        stopped(running)
    assert running.said == SILENT
    with Running("udp") as running:
        stopped(running)
    assert running.said == SILENT


def stopped(running):
    for pid in running.servers:
        os.kill(pid, signal.SIGSTOP)
    running.thread.join()


# --- gone --------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "t470", "i7_10750h", "hpe_i7_860"])
def test_an_end_that_goes_away_in_the_middle_is_told(probe):
    can_run(f"network/rtt/{probe}")
    with Running(probe) as running:
        for pid in running.servers:
            with contextlib.suppress(ProcessLookupError):  # a child of one just killed ends with it
                os.kill(pid, signal.SIGKILL)
        running.thread.join()
    assert running.said == GONE


def test_another_host_that_goes_away_in_the_middle_is_told(monkeypatch):
    with Peer() as peer:
        monkeypatch.setenv("RECKON_PEER_AT", peer.at)
        monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
        said = []
        thread = threading.Thread(target=lambda: said.append(endless_tcp()))
        thread.start()
        time.sleep(0.5)
        peer.end()
        thread.join()
    assert said == [GONE]


def endless_tcp():
    try:
        library.run("network/rtt/tcp", {"peer": "other", "rounds": 1_000_000}, samples=1000)
    except library.ReckonError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("probe", ["tcp", "i7_10750h", "mbp2016", "hpe_i7_860"])
def test_nothing_outlives_a_probe_that_is_killed(probe):
    can_run(f"network/rtt/{probe}")
    with Running(probe) as running:
        os.kill(running.probe, signal.SIGKILL)
        running.thread.join()
    assert running.said.startswith(f"ProbeFailed: network/rtt/{probe} died of signal 9")
    assert pids_gone(running.servers)


# --- a clock that is set ------------------------------------------------------------------------


def test_a_clock_that_was_set_meanwhile_is_told(tmp_path):
    """The caller's clock an hour behind the capture's, as if it had been set in between."""
    root()
    behind = tmp_path / "behind.so"
    build = ["gcc", "-O2", "-shared", "-fPIC", ROOT / "tests/csrc/programs/behind.c", "-o", behind]
    assert subprocess.run(build).returncode == 0
    script = "say(attempt('network/rtt/tcp_wire', isolated=False))"
    assert in_python(script) == "ran"
    assert in_python(script, LD_PRELOAD=str(behind)).endswith(
        "the clock was set in between; measure again."
    )
