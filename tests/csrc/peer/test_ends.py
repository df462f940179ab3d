"""When the caller or reckon-peer goes away, no process, descriptor or incomplete sample is left."""

import os
import signal
import socket
import struct
import subprocess

import pytest
from helpers.peers import Peer, about
from helpers.probes import started
from helpers.processes import is_serving, living_children, pids_gone, running, until

PEER = "reckon-peer"
SERVICES = [
    "echo 64",
    "echo 1048576",
    "sink 1000 65536",
    "accept 10",
    "udp-echo",
    "about",
    "quickack",
]


@pytest.mark.parametrize("how", ["closes", "resets", "stops sending"])
def test_clients_that_vanish_leave_no_process_and_no_descriptor(peer, how):
    files = peer.files()
    connections = []
    for service in SERVICES * 3:
        connection, _ = peer.ask(service)
        connections.append(connection)
        if service.startswith(("echo", "sink")):
            connection.send(bytes(30))
        if how == "resets":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if how == "stops sending":
            connection.shutdown(socket.SHUT_RDWR)
        else:
            connection.close()
    assert until(lambda: not living_children(peer.pid))
    for connection in connections:
        connection.close()
    assert until(lambda: peer.files() == files)
    assert about(peer)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGHUP, 0), (signal.SIGKILL, -9)],
)
def test_a_signal_ends_it_with_all_its_services(number, status):
    with Peer() as peer:
        connections = [peer.ask(service)[0] for service in SERVICES]
        children = living_children(peer.pid)
        assert len(children) >= len(SERVICES) - 2
        half_open = peer.connect()
        peer.program.send_signal(number)
        assert peer.program.wait(5) == status
        assert pids_gone(children, 0 if status == 0 else 3)
        for connection in [*connections, half_open]:
            connection.close()
    assert peer.log == ""


def test_with_until_eof_it_ends_with_its_standard_input():
    with Peer("--until-eof") as peer:
        connection, _ = peer.ask("echo 64")
        peer.program.stdin.close()
        assert peer.program.wait(5) == 0
        assert connection.recv(1) == b""
        connection.close()
        peer.program.stdin = None


def test_it_and_its_services_stay_on_the_given_cpu():
    for cpu in sorted(os.sched_getaffinity(0))[:2]:
        with Peer("--cpu", str(cpu)) as peer:
            connection, _ = peer.ask("echo 8")
            with connection:
                for pid in (peer.pid, *living_children(peer.pid)):
                    assert os.sched_getaffinity(pid) == {cpu}


# --- probes --------------------------------------------------------------------------------------


def in_the_middle(how, isolated, probe="test/peer_echo", params="{'turns': 100_000_000}"):
    """A probe that would go on for minutes, in a process of its own, while its peer serves it."""
    script = f"say(attempt({probe!r}, {params}, isolated={isolated}, deadline_s=50))"
    with started(script, stderr=subprocess.PIPE) as caller:
        try:
            assert until(lambda: any(map(is_serving, running(PEER))), 20)
            how(caller)
            return caller.communicate(timeout=20)[0]
        finally:
            caller.kill()


def test_the_peer_of_a_probe_in_its_caller_ends_with_the_caller():
    """Of probes in a process of their own: csrc/test_killed.py."""

    def kill(caller):
        os.kill(caller.pid, signal.SIGKILL)
        assert until(lambda: not running(PEER))

    assert in_the_middle(kill, isolated=False) == ""


@pytest.mark.parametrize("which", ["the one that listens", "the service"])
@pytest.mark.parametrize("isolated", [True, False])
def test_a_probe_whose_peer_dies_fails_at_once_and_has_no_sample(which, isolated):
    def end_the_peer(caller):
        peers = running(PEER)
        (listening,) = [pid for pid in peers if living_children(pid)]
        (service,) = living_children(listening)
        os.kill(service if which == "the service" else listening, signal.SIGKILL)

    outcome = in_the_middle(end_the_peer, isolated)
    # By what it received, not by a time limit.
    assert outcome.startswith('"ProbeFailed: the echo: Connection reset by peer')


def test_a_probe_whose_peer_stops_answering_fails_by_its_time_limit():
    """Stopped, not ended: the connection is still there."""

    def stop_the_peer(caller):
        for pid in running(PEER):
            os.kill(pid, signal.SIGSTOP)

    outcome = in_the_middle(stop_the_peer, True)
    assert outcome.startswith('"ProbeFailed: the echo: Connection timed out')
