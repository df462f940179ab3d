"""Round trips where something is missing, lost, wrong or goes away: one sentence, nothing left."""

import contextlib
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.capabilities import captures, need, other_users
from helpers.network import NCAT, RTT, SILENT, Running, own, possible
from helpers.peers import FakePeer, Peer
from helpers.probe_script import attempt
from helpers.probes import NOBODY_ELSE, NOTHING, in_python, preloaded
from helpers.processes import is_serving, living_children, until

from reckon.measurement import library

GONE = "ProbeFailed: The other end went away in the middle; is it still running there?"


def test_hold_idle_needs_the_right_to_write_to_its_device():
    other_users()
    need(os.path.exists("/dev/cpu_dma_latency"), "there is no /dev/cpu_dma_latency")
    outcome = in_python(
        f"become({NOBODY_ELSE})\nsay([attempt('network/rtt/tcp', {{'hold_idle': n}}) for n in (0, 1)])"
    )
    assert outcome == [
        "ran",
        "ProbeUnsupported: hold_idle needs the right to write to /dev/cpu_dma_latency, which root has",
    ]


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            None,
            "ProbeUnsupported: needs ncat, which is not installed (on Debian and Ubuntu the package "
            "ncat, on others nmap)",
        ),
        ("#!/bin/sh\nexit 3\n", "ProbeFailed: ncat does not start: it ended with exit status 3."),
    ],
)
def test_an_ncat_that_is_missing_or_fails_is_reported(tmp_path, program, sentence):
    if program:
        (tmp_path / "ncat").write_text(program)
        (tmp_path / "ncat").chmod(0o755)
    script = f"say([attempt({NCAT!r}, isolated=False), left_behind()])"
    assert in_python(script, PATH=str(tmp_path)) == [sentence, NOTHING]


# --- lost, late, twice -------------------------------------------------------------------------


def udp_probe(answer, **params):
    """What the UDP probe gives whose peer answers by answer(socket, bytes, sender): ns, or the error."""

    def serve(control, service):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as echo:
            echo.bind(("127.0.0.1", 0))
            control.sendall(b"ok %d\n" % echo.getsockname()[1])
            answering = threading.Thread(target=answers, args=[echo])
            answering.start()
            control.recv(1)  # until the probe ends
            with contextlib.suppress(OSError):  # it is connected to nobody, and wakes all the same
                echo.shutdown(socket.SHUT_RDWR)
            answering.join()

    def answers(echo):
        while True:
            datagram, sender = echo.recvfrom(65536)
            if not sender:  # it was shut down
                return
            answer(echo, datagram, sender)

    with FakePeer(serve) as peer:
        try:
            params = {"peer": "other", **params}
            samples = library.run(RTT + "udp", params, peer.locations, samples=4, warmup=0)
        except library.ReckonError as error:
            return f"{type(error).__name__}: {error}"
    return samples.ticks / library.tick_hz() * 1e9


def test_a_lost_datagram_fails_the_probe_and_is_no_fast_one():
    received = []
    assert udp_probe(lambda echo, datagram, sender: received.append(datagram)) == SILENT
    assert len(received) == 1


@pytest.mark.parametrize("size", [1, 64])
def test_an_answer_that_comes_twice_is_not_taken_for_the_next_one(size):
    """Each answer is sent again while the next question waits for its own."""
    received = []

    def answer(echo, datagram, sender):
        received.append(datagram)
        if len(received) > 1:
            echo.sendto(received[-2], sender)
        time.sleep(0.02)
        echo.sendto(datagram, sender)

    took_ns = udp_probe(answer, size_bytes=size)
    assert len(received) == 5 and {len(datagram) for datagram in received} == {size}
    assert min(took_ns) > 15_000_000


def test_an_echo_request_that_nobody_answers_fails_the_probe():
    deaf = "ip link set lo up && echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all"
    assert in_python("say(attempt('network/rtt/icmp', samples=1))", prefix=own(deaf)) == SILENT


# --- gone --------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "t470", "i7_10750h", "hpe_i7_860"])
def test_a_server_that_is_killed_fails_the_probe(probe):
    possible(RTT + probe)
    with Running(RTT + probe) as running:
        for pid in running.servers:
            with contextlib.suppress(ProcessLookupError):  # a child of one just killed ends with it
                os.kill(pid, signal.SIGKILL)
        running.thread.join()
    assert running.outcome == GONE


def test_another_host_s_peer_that_ends_fails_the_probe():
    with Peer() as peer, ThreadPoolExecutor() as pool:
        params = {"peer": "other", "rounds": 1_000_000}
        outcome = pool.submit(attempt, RTT + "tcp", params, samples=1000, locations=peer.locations)
        assert until(lambda: any(map(is_serving, living_children(peer.pid))))
        peer.end()
        assert outcome.result() == GONE


# --- a clock that is set ------------------------------------------------------------------------


def test_a_clock_that_was_set_in_between_fails_the_probe(tmp_path):
    """The caller's clock an hour behind the capture's, as if it had been set in between."""
    captures()
    behind = preloaded(tmp_path, "behind")
    script = "say(attempt('network/rtt/tcp_wire', isolated=False))"
    assert in_python(script) == "ran"
    assert in_python(script, LD_PRELOAD=behind).endswith(
        "the clock was set in between; measure again."
    )
