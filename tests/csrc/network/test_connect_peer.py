"""The probes of network/connect with a peer that does not do as it should: told in a sentence, and
never a fast or a slow sample."""

import os
import socket
import subprocess
import time

import pytest
from helpers.capabilities import captures
from helpers.connections import (
    ACROSS,
    PART,
    PROBES,
    TOKEN,
    FalsePeer,
    accept_one,
    done,
    door,
    in_own_network,
)
from helpers.project import LIBRARY

from reckon.measurement import library


def ask(probe="connect", samples=3, **how):
    return library.run(PART + probe, {"peer": "other"}, samples=samples, warmup=0, **how)


def fails(behave, monkeypatch, sentence, probe="connect", kind=library.ProbeFailed, **how):
    with FalsePeer(behave, monkeypatch), pytest.raises(kind, match=sentence):
        ask(probe, **how)


def test_a_peer_that_counts_fewer_than_were_made_is_not_believed(monkeypatch):
    def behave(control, count):
        with door(control) as listening:
            ended = [accept_one(listening) for _ in range(count)]
        done(control, count - 1, 0, 0, sum(ended))

    fails(behave, monkeypatch, "3 connections were made, 2 were accepted and 0 closed in order")


@pytest.mark.parametrize(("probe", "claimed"), [("close", 0), ("close_reset", 3)])
def test_an_end_that_was_not_as_it_should_be_fails_the_probe(monkeypatch, probe, claimed):
    def behave(control, count):
        with door(control) as listening:
            ended = [accept_one(listening) for _ in range(count)]
        assert ended == [probe == "close"] * count
        done(control, count, 0, 0, claimed)

    fails(behave, monkeypatch, f"3 were accepted and {claimed} closed in order, not by", probe)


def full_queue(behave_then):
    """A door whose accept queue is full when the probe comes, for 1.2 s: a SYN is dropped, and sent
    again after a second."""

    def behave(control, count):
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
            listening.settimeout(20)
            with socket.create_connection(listening.getsockname()):
                control.sendall(f"ok {listening.getsockname()[1]}\n".encode())
                time.sleep(1.2)
                listening.accept()[0].close()
                for _ in range(count):
                    accept_one(listening)
        behave_then(control, count)

    return behave


@pytest.mark.parametrize(
    ("counted", "sentence"),
    [
        ((1, 1), "A full accept queue on the peer's host dropped a SYN"),
        ((0, 1), "A full accept queue on the peer's host dropped a SYN"),
        ((-1, -1), "the peer cannot tell whether its accept queue was full"),
    ],
)
def test_a_full_accept_queue_fails_the_probe_and_is_never_a_slow_sample(
    monkeypatch, counted, sentence
):
    behave = full_queue(lambda control, count: done(control, count, *counted, 0))
    fails(behave, monkeypatch, sentence)


def test_a_syn_that_was_lost_on_the_way_is_a_sample_and_is_counted(monkeypatch):
    behave = full_queue(lambda control, count: done(control, count, 0, 0, 0))
    with FalsePeer(behave, monkeypatch):
        one = ask()
    assert one.retransmits >= 1
    assert one.ticks.max() / library.tick_hz() > 0.9 > 100 * one.ticks.min() / library.tick_hz()


def test_a_full_queue_of_somebody_else_fails_nothing(monkeypatch):
    def behave(control, count):
        with door(control) as listening:
            for _ in range(count):
                accept_one(listening)
        done(control, count, 5, 5, 0)

    with FalsePeer(behave, monkeypatch):
        ask()


def test_a_door_that_nobody_opens_is_told_after_the_deadline(monkeypatch):
    """Queued but never accepted; or the queue full for good, so that no SYN is answered."""

    def queued(control, count):
        with door(control):
            control.recv(1)

    def silent(control, count):
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
            with socket.create_connection(listening.getsockname()):
                control.sendall(f"ok {listening.getsockname()[1]}\n".encode())
                control.recv(1)

    fails(queued, monkeypatch, r"made but not accepted within 5 s; does the peer still run\?")
    for probe in ("connect", "socket_connect"):
        fails(silent, monkeypatch, "Nobody answered the SYN of a connection; is the peer", probe)


def test_a_door_without_anybody_behind_it_is_told(monkeypatch):
    def behave(control, count):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        control.sendall(f"ok {port}\n".encode())
        control.recv(1)

    for probe in ("connect", "socket_connect", "close"):
        fails(
            behave, monkeypatch, "The peer went away, or a firewall refuses all but its own", probe
        )


def test_a_peer_that_goes_away_in_the_middle_is_told(monkeypatch):
    def leaves(control, count):
        with door(control) as listening:
            accept_one(listening)
            listening.accept()[0].close()

    def leaves_at_the_end(control, count):
        with door(control) as listening:
            for _ in range(count):
                accept_one(listening)

    before = len(os.listdir("/proc/self/fd"))
    for probe in ("connect", "socket_connect", "close", "close_reset"):
        fails(leaves, monkeypatch, "The peer went away", probe, samples=50, isolated=False)
    assert len(os.listdir("/proc/self/fd")) == before
    fails(leaves_at_the_end, monkeypatch, "The peer went away before it had answered")


def test_the_last_acknowledgement_is_waited_for(monkeypatch):
    """The kernel acknowledges our FIN at once; the program closes 40 ms later."""
    captures()

    def behave(control, count):
        with door(control) as listening:
            ended = [accept_one(listening, hold_s=0.04) for _ in range(count)]
        done(control, count, 0, 0, sum(ended))

    for probe in ("teardown_wire", "hpe_i7_860_teardown"):
        with FalsePeer(behave, monkeypatch):
            assert ask(probe).ticks.min() / library.tick_hz() >= 0.04
    with FalsePeer(behave, monkeypatch):
        assert ask("close").ticks.max() / library.tick_hz() < 0.04  # and close() does not


def test_a_peer_that_closes_first_is_told(monkeypatch):
    captures()

    def behave(control, count):
        with door(control) as listening:
            connection = listening.accept()[0]
            connection.sendall(b"\1")
            connection.close()
            control.recv(1)

    fails(
        behave,
        monkeypatch,
        "The peer closed a connection before this side did",
        "hpe_i7_860_teardown",
    )


USED_UP = """
import socket
from pytest import MonkeyPatch
held = []
def behave(control, count):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for port in range(40000, 40100):
            held.append(socket.socket())
            try:
                held[-1].bind(("127.0.0.1", port))
            except OSError:
                pass  # held already
        control.sendall(f"ok {listening.getsockname()[1]}\\n".encode())
        assert connections.accept_one(listening)
        control.recv(1)
with connections.FalsePeer(behave, MonkeyPatch()):
    say(attempt(PART + "close", {"peer": "other"}, samples=3))
"""


def test_where_no_port_is_left_the_probe_cannot():
    """But the one of the connection on which the service was asked for, which goes elsewhere: that
    one is then in TIME_WAIT."""
    said = in_own_network(USED_UP, "sysctl -qw net.ipv4.ip_local_port_range='40000 40099' && ")
    assert said.startswith("ProbeUnsupported: No local port is left for another connection; wait")


def test_where_no_peer_is_or_the_token_is_another_each_probe_says_so(monkeypatch):
    monkeypatch.setenv("RECKON_PEER_AT", "127.0.0.1:1")
    monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
    probes = [probe for probe in PROBES if probe not in ACROSS]
    for probe in probes:
        with pytest.raises(library.ProbeFailed, match="Nothing listens at 127.0.0.1:1; start"):
            ask(probe)
    with subprocess.Popen(
        [LIBRARY / "reckon-peer", "--listen", "127.0.0.1:0", "--until-eof"],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RECKON_PEER_TOKEN": "another-token-of-the-tests"},
    ) as other:
        monkeypatch.setenv("RECKON_PEER_AT", other.stdout.readline().split()[-1])
        for probe in probes:
            with pytest.raises(
                library.ProbeFailed, match="The token is not the one of this reckon-p"
            ):
                ask(probe)
        other.stdin.close()
