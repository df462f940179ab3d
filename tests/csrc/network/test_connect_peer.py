"""The probes of network/connect with a peer that does wrong: one sentence, never a fast or a slow sample."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.capabilities import captures
from helpers.network import CONNECT, own
from helpers.peers import FakePeer
from helpers.probes import in_python
from helpers.programs import network

from reckon.measurement import library


def listen(control):
    """A listening socket whose port the probe gets."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    listening.settimeout(20)
    control.sendall(b"ok %d\n" % listening.getsockname()[1])
    return listening


def accept_one(listening, hold_s=0.0):
    """Accept, send the byte, wait for the end and close; whether that end was in order."""
    connection = listening.accept()[0]
    with connection:
        connection.sendall(b"\1")
        try:
            in_order = connection.recv(1) == b""
        except ConnectionResetError:
            in_order = False
        time.sleep(hold_s)
    return in_order


def done(control, *numbers):
    control.sendall(("done " + " ".join(map(str, numbers)) + "\n").encode())


def run(serve, probe="connect", samples=3, **how):
    """One run of the probe whose peer is serve(control, count)."""
    with FakePeer(lambda control, _, count: serve(control, int(count))) as peer:
        params = {"peer": "other"}
        return library.run(
            CONNECT + probe, params, peer.locations, samples=samples, warmup=0, **how
        )


def fails(serve, sentence, probe="connect", **how):
    with pytest.raises(library.ProbeFailed, match=sentence):
        run(serve, probe, **how)


@pytest.mark.parametrize(
    ("probe", "accepted", "in_order"), [("connect", 2, 0), ("close", 3, 0), ("close_reset", 3, 3)]
)
def test_counts_of_the_peer_that_differ_from_the_probe_s_fail_it(probe, accepted, in_order):
    def serve(control, count):
        with listen(control) as listening:
            ended = [accept_one(listening) for _ in range(count)]
        assert ended == [probe == "close"] * count
        done(control, accepted, 0, 0, in_order)

    sentence = f"3 connections were made, {accepted} were accepted and {in_order} closed in order"
    fails(serve, sentence, probe)


def full_queue(*counted):
    """An accept queue that is full for the probe's first 1.2 s: a SYN is dropped, and sent again after
    a second. Then the peer counts these overflows and drops."""

    def serve(control, count):
        with (
            socket.create_server(("127.0.0.1", 0), backlog=0) as listening,
            socket.create_connection(listening.getsockname()),
        ):
            control.sendall(b"ok %d\n" % listening.getsockname()[1])
            time.sleep(1.2)
            listening.accept()[0].close()
            for _ in range(count):
                accept_one(listening)
        done(control, count, *counted, 0)

    return serve


@pytest.mark.parametrize(
    ("counted", "sentence"),
    [
        ((1, 1), "A full accept queue on the peer's host dropped a SYN"),
        ((0, 1), "A full accept queue on the peer's host dropped a SYN"),
        ((-1, -1), "the peer cannot tell whether its accept queue was full"),
    ],
)
def test_a_full_accept_queue_fails_the_probe_and_is_never_a_slow_sample(counted, sentence):
    fails(full_queue(*counted), sentence)


def test_a_syn_that_was_lost_on_the_way_is_a_sample_and_is_counted():
    samples = run(full_queue(0, 0))
    assert samples.retransmits >= 1
    took_s = samples.ticks / library.tick_hz()
    assert took_s.max() > 0.9


def test_another_socket_s_full_queue_fails_nothing():
    def serve(control, count):
        with listen(control) as listening:
            for _ in range(count):
                accept_one(listening)
        done(control, count, 5, 5, 0)

    run(serve)


def never_accepts(control, count):
    with listen(control):
        control.recv(1)


def answers_no_syn(control, count):
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as listening,
        socket.create_connection(listening.getsockname()),  # the queue is full for good
    ):
        control.sendall(b"ok %d\n" % listening.getsockname()[1])
        control.recv(1)


def test_a_peer_that_does_not_accept_fails_the_probe_after_the_deadline():
    """All at once, because they are waited for."""
    no_answer = "No answer to the SYN of a connection; is the peer"
    cases = [
        (never_accepts, r"made but not accepted within 5 s; does the peer still run\?", "connect"),
        (answers_no_syn, no_answer, "connect"),
        (answers_no_syn, no_answer, "socket_connect"),
    ]
    with ThreadPoolExecutor(len(cases)) as pool:
        list(pool.map(lambda case: fails(*case), cases))


@pytest.mark.parametrize("probe", ["connect", "socket_connect", "close"])
def test_a_port_on_which_nothing_listens_fails_the_probe(probe):
    def serve(control, count):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        control.sendall(b"ok %d\n" % port)
        control.recv(1)

    fails(serve, "The peer went away, or a firewall refuses all but its own", probe)


def test_a_peer_that_goes_away_fails_the_probe_which_leaves_no_descriptor():
    def leaves(control, count):
        with listen(control) as listening:
            accept_one(listening)
            listening.accept()[0].close()

    def leaves_at_the_end(control, count):
        with listen(control) as listening:
            for _ in range(count):
                accept_one(listening)

    before = len(os.listdir("/proc/self/fd"))
    for probe in ("connect", "socket_connect", "close", "close_reset"):
        fails(leaves, "The peer went away", probe, samples=50, isolated=False)
    assert len(os.listdir("/proc/self/fd")) == before
    fails(leaves_at_the_end, "The peer went away before it had answered")


def test_a_teardown_ends_with_the_last_acknowledgement():
    """The kernel acknowledges the probe's FIN at once; the program closes 40 ms later."""
    captures()

    def serve(control, count):
        with listen(control) as listening:
            ended = [accept_one(listening, hold_s=0.04) for _ in range(count)]
        done(control, count, 0, 0, sum(ended))

    for probe in ("teardown_wire", "hpe_i7_860_teardown"):
        assert run(serve, probe).ticks.min() / library.tick_hz() >= 0.04


def test_a_peer_that_closes_first_fails_the_probe():
    captures()

    def serve(control, count):
        with listen(control) as listening:
            connection = listening.accept()[0]
            connection.sendall(b"\1")
            connection.close()
            control.recv(1)

    fails(serve, "The peer closed a connection before this side did", "hpe_i7_860_teardown")


def test_where_no_local_port_is_left_the_probe_is_unsupported():
    """But the port of the connection that requested the service, which goes elsewhere: the first
    connection gets it, and leaves it in TIME_WAIT."""
    few_ports = "ip link set lo up && sysctl -qw net.ipv4.ip_local_port_range='40000 40099'"
    outcome = in_python(network.close_without_a_port, 40000, 40099, prefix=own(few_ports))
    assert outcome.startswith(
        "ProbeUnsupported: No local port is left for another connection; wait"
    )
