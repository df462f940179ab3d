"""reckon-peer: each service does exactly what it promises, for the host that requested it alone."""

import os
import random
import socket
import time
from pathlib import Path

import pytest
from helpers.network import own
from helpers.peers import TOKEN, about, everything, exactly, line, service_port
from helpers.probes import in_python
from helpers.processes import living_children, until
from helpers.programs import network

from reckon.measurement import library

MIB = 1 << 20


# --- echo --------------------------------------------------------------------------------------


def test_an_echo_comes_back_whole_however_it_was_cut(peer):
    connection, answer = peer.ask("echo 1000")
    assert answer == "ok"
    message = random.Random(1).randbytes(3000)
    with connection:
        for byte in message[:1000]:
            connection.sendall(bytes([byte]))
        assert exactly(connection, 1000) == message[:1000]
        connection.sendall(message[1000:2500])
        assert exactly(connection, 1000) == message[1000:2000]
        connection.sendall(message[2500:])
        assert exactly(connection, 1000) == message[2000:]


def test_bytes_that_come_with_the_greeting_are_the_service_s(peer):
    with peer.connect() as connection:
        line(connection)
        connection.sendall(f"reckon-peer 1 {TOKEN} echo 8\nearliest".encode())
        assert line(connection) == "ok"
        assert exactly(connection, 8) == b"earliest"


def test_a_caller_who_has_not_greeted_yet_is_not_in_the_way(peer):
    with peer.connect() as first, peer.connect() as second:
        line(first), line(second)
        first.sendall(f"reckon-peer 1 {TOKEN} echo 4\nabcd".encode())
        assert line(first) == "ok" and exactly(first, 4) == b"abcd"


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("size", [1, 64, MIB])
def test_a_probe_has_a_peer_of_its_own(size, isolated):
    """The probe compares every byte that comes back."""
    ran = library.run(
        "test/peer_echo", {"size_bytes": size, "turns": 3}, samples=4, isolated=isolated
    )
    assert list(ran.ops) == [3] * 4 and (ran.ticks > 0).all()


def test_what_a_signal_cuts_short_is_sent_and_received_whole():
    """The probe compares a mebibyte with what came back."""
    ran = library.run("test/peer_whole", samples=1, warmup=0)
    assert ran.ticks[0] > 50, "signals that came during the echo"


# --- sink --------------------------------------------------------------------------------------


def sink(peer, service, parts):
    connection, answer = peer.ask(service)
    assert answer == "ok"
    with connection:
        for part in parts:
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        *notes, end, rest = everything(connection).decode().split("\n")
    assert (end, rest) == ("end", "")
    return [tuple(map(int, note.split())) for note in notes]


def monotone(notes):
    return all(a[0] <= b[0] and a[1] < b[1] for a, b in zip(notes, notes[1:], strict=False))


@pytest.mark.parametrize("buffer", [1024, 65536, MIB])
def test_the_notes_of_a_sink_end_with_as_many_bytes_as_were_sent(peer, buffer):
    before = time.monotonic_ns()
    notes = sink(peer, f"sink 100 {buffer}", [bytes(777_777)] * 9)
    assert notes[-1][0] == 9 * 777_777 and 0 < notes[0][0] <= buffer
    assert monotone(notes)
    assert before < notes[0][1] and notes[-1][1] < time.monotonic_ns()
    # By the same clock: each but the last at least 100 us after the one before.
    assert all(b[1] - a[1] >= 100_000 for a, b in zip(notes[:-1], notes[1:-1], strict=False))
    assert len(notes) > 2


def test_a_sink_of_nothing_has_one_note(peer):
    ((sent, _),) = sink(peer, "sink 0 1024", [])
    assert sent == 0


def test_notes_that_would_be_too_many_thin_out_and_still_end_exactly(peer):
    size = 160 * MIB  # more receives of 1 KiB than there are notes
    notes = sink(peer, "sink 0 1024", [bytes(MIB)] * (size // MIB))
    assert 50_000 <= len(notes) <= 100_000
    assert notes[-1][0] == size and notes[0][0] <= 1024 and monotone(notes)


# --- services with a port of their own ---------------------------------------------------------


def test_datagrams_come_back_to_each_sender_on_the_host_that_requested_them(peer):
    control, address = service_port(peer, "udp-echo")
    with control:
        for size in (1, 1472, 65000):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
                here.settimeout(5)
                here.sendto(bytes(size), address)
                assert here.recvfrom(65536) == (bytes(size), address)


def test_datagrams_of_another_host_are_not_answered(peer):
    control, address = service_port(peer, "udp-echo")
    with control, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
            other.bind(("127.0.0.2", 0))
            other.sendto(b"other", address)
            here.settimeout(5)
            here.sendto(b"asking", address)  # behind it in the queue, and answered
            assert here.recv(100) == b"asking"
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.recv(100)


def test_the_port_for_datagrams_closes_with_the_connection_that_requested_it(peer):
    control, address = service_port(peer, "udp-echo")
    control.close()
    assert until(lambda: not living_children(peer.pid))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.connect(address)
        here.send(b"late")
        with pytest.raises(ConnectionRefusedError):
            here.settimeout(5)
            here.recv(100)


def test_accept_sends_a_byte_at_once_and_counts(peer):
    control, address = service_port(peer, "accept 50")
    with control:
        for _ in range(30):  # one after the other
            with socket.create_connection(address) as connection:
                assert exactly(connection, 1) == b"\1"
                connection.sendall(b"and something that it reads")
        together = [socket.create_connection(address) for _ in range(20)]
        assert [exactly(connection, 1) for connection in together] == [b"\1"] * 20
        for connection in together:
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b""
            connection.close()
        done = line(control).split()
    assert done[:2] == ["done", "50"] and done[4] == "50", "each of them ended in order"


def test_accept_ends_with_the_connection_that_requested_it_and_gives_its_count(peer):
    control, address = service_port(peer, "accept 1000")
    with control, socket.create_connection(address) as connection:
        exactly(connection, 1)
        control.shutdown(socket.SHUT_WR)
        assert line(control).split()[:2] == ["done", "1"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


def test_accept_counts_how_often_its_queue_was_full():
    """In a network of the test's own, where nobody else's connections count."""
    short = own("ip link set lo up && echo 2 > /proc/sys/net/core/somaxconn")
    few, many = in_python(network.drops_of_an_accept_queue, [3, 9], prefix=short)
    assert few[:4] == ["done", "3", "0", "0"]
    assert many[:2] == ["done", "3"] and int(many[2]) >= 6 and int(many[3]) >= int(many[2])


def test_a_connection_of_another_host_is_not_accepted(peer):
    control, address = service_port(peer, "accept 1")
    with control:
        with socket.create_connection(address, 5, ("127.0.0.2", 0)) as other:
            assert other.recv(1) == b""
        with socket.create_connection(address) as connection:
            assert exactly(connection, 1) == b"\1"
        assert line(control).split()[:2] == ["done", "1"]


# --- about -------------------------------------------------------------------------------------


def test_about_describes_the_host(peer):
    described, system = about(peer), os.uname()
    assert (described["system"], described["release"], described["machine"]) == (
        system.sysname,
        system.release,
        system.machine,
    )
    assert (
        described["interface"] == "lo"
        and described["mtu_bytes"] > 1000
        and described["threads"] >= 1
    )
    control = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
    assert described["congestion_control"] == control
    assert described == about(peer)


# --- what it does not do -----------------------------------------------------------------------


REFUSED = [
    ("", 'no service ""'),
    ("ech", 'no service "ech"'),
    ("echoo 1", 'no service "echoo"'),
    ("echo", "echo takes SIZE"),
    ("echo 0", "echo takes SIZE"),
    ("echo -1", "echo takes SIZE"),
    ("echo 1 2", "echo takes SIZE"),
    ("echo 99999999999999999999", "echo takes SIZE"),
    ("echo 1x", "echo takes SIZE"),
    ("echo  1", "echo takes SIZE"),
    ("sink 1 1023", "sink takes EVERY_US"),
    ("sink 1", "sink takes EVERY_US"),
    ("source 1 1", 'no service "source"'),
    ("accept 0", "accept takes COUNT"),
    ("udp-echo 1", "udp-echo takes no number"),
    ("a\x01\x7f", 'no service "a??"'),
]


def test_a_request_that_is_no_service_is_refused(peer):
    for service, sentence in REFUSED:
        connection, answer = peer.ask(service)
        with connection:
            assert answer.startswith("no ") and sentence in answer and answer.endswith("."), service
            assert connection.recv(1) == b""
