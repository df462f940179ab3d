"""reckon-peer among random bytes and floods, and at an IPv6 address."""

import contextlib
import os
import random
import socket
import time

import pytest
from helpers.capabilities import need
from helpers.network import own
from helpers.peers import TOKEN, Peer, about, choice, exactly, line, probe
from helpers.probes import in_python
from helpers.processes import living_children, until
from helpers.project import ROOT

from reckon.measurement import library


@pytest.fixture
def clean(sanitized, leaks_are_errors):
    """A reckon-peer that the sanitizers check."""
    return sanitized / "reckon-peer"


def half_open(peer, count, words=b""):
    """Connections that greet slowly, never, or with garbage."""
    connections = []
    for _ in range(count):
        connection = peer.connect()
        connection.sendall(words)
        connections.append(connection)
    return connections


@pytest.mark.parametrize("words", [b"", b"reckon-peer 1 ", b"x" * 511])
def test_500_connections_without_a_greeting_keep_no_caller_out(peer, words):
    connection, _ = peer.ask("echo 64")
    crowd = []
    with connection:
        for _ in range(10):
            crowd += half_open(peer, 50, words)
            connection.sendall(b"x" * 64)
            assert exactly(connection, 64) == b"x" * 64
        assert about(peer)
        assert len(living_children(peer.pid)) == 1, "those cost no process"
        assert peer.files() < 64 + 20
        for one in crowd:
            one.close()
    assert until(lambda: peer.files() < 10)


def test_a_greeting_that_takes_longer_than_two_seconds_is_over(peer):
    """However it comes: a byte now and then does not lengthen it."""
    begin = time.monotonic()
    with peer.connect() as slow:
        line(slow)
        slow.settimeout(0.2)
        answer = b""
        for byte in (f"reckon-peer 1 {TOKEN}" + "x" * 100).encode():
            try:
                slow.sendall(bytes([byte]))
                answer += slow.recv(1000)
                break
            except TimeoutError:
                continue
    assert answer == b"no The greeting took longer than 2 s.\n"
    assert 1.5 < time.monotonic() - begin < 20


def test_a_host_gets_at_most_64_connections(peer):
    connections = [peer.ask("echo 8") for _ in range(64)]
    assert {answer for _, answer in connections} == {"ok"}
    connection, answer = peer.ask("echo 8")
    connection.close()
    assert "serves as many connections as it may already" in answer
    connection, answer = peer.ask("echo 8", here="127.0.0.2")
    connection.close()
    assert answer == "ok", "another host has its own"
    for connection, _ in connections:
        connection.close()
    assert until(lambda: not living_children(peer.pid))
    assert about(peer)


def test_services_end_when_the_network_to_their_caller_does():
    """No packet reports that: the peer's keep-alive probes get no answer."""
    script = f"""
import subprocess, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
from helpers.peers import Peer
from helpers.processes import living_children, until
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
with Peer() as peer:
    services = ["echo 64", "sink 1000 4096", "accept 5", "udp-echo", "quickack"]
    connections = [peer.ask(service)[0] for service in services]
    before = len(living_children(peer.pid))
    time.sleep(0.5)  # until nothing is on its way any more
    subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
    say([before, until(lambda: not living_children(peer.pid), 90)])
"""
    assert in_python(script, prefix=own("true")) == [5, True]


def random_greeting(random, number):
    """A random greeting: bytes, the beginning of a true one, or a true one with something wrong."""
    true = f"reckon-peer 1 {TOKEN} echo 64\n".encode()
    kind = number % 5
    if kind == 0:
        return random.randbytes(random.randrange(1500))
    if kind == 1:
        return true[: random.randrange(len(true))]
    if kind == 2:
        at = random.randrange(len(true))
        return true[:at] + random.randbytes(random.randrange(4)) + true[at + 1 :]
    if kind == 3:
        words = [
            b"reckon-peer",
            b"1",
            TOKEN.encode(),
            b"sink",
            b"accept",
            b"echo",
            b" ",
            b"99999999999999999999",
            b"-1",
            b"0",
            b"\0",
            b"%n%s",
            b"7" * 300,
        ]
        return b" ".join(random.choices(words, k=random.randrange(8))) + b"\n"
    services = [b"echo", b"sink", b"accept", b"udp-echo", b"about", b"%s%n", b"x" * 200]
    numbers = [b"", b" 0", b" 1", b" 64 64", b" 4096", b" 1 4194304", b" 99999999999999999999 1"]
    return true[:-8] + random.choice(services) + random.choice(numbers) + b"\n" + bytes(70)


def test_2000_random_greetings_do_no_harm(clean):
    dice = random.Random(20)
    with Peer(program=clean) as peer:
        for number in range(2000):
            with peer.connect() as connection, contextlib.suppress(OSError):  # it closed first
                connection.sendall(random_greeting(dice, number))
                if number % 3 == 0:
                    connection.shutdown(socket.SHUT_WR)
                if number % 7 == 0:
                    line(connection)
        assert about(peer)["system"] == "Linux"
        connection, _ = peer.ask("echo 8")
        connection.close()
        assert until(lambda: not living_children(peer.pid))
    assert peer.program.returncode == 0, "neither it nor one of its services failed"
    assert "runtime error" not in peer.said and "Sanitizer" not in peer.said, peer.said[-3000:]


def test_the_services_are_clean_under_the_sanitizers(clean):
    """The services themselves, through the probe's client."""
    with Peer(program=clean) as peer:
        large = {"peer": "other", "size_bytes": 1 << 20}
        library.run("test/peer_echo", large, peer.places, samples=2)
        library.run("test/peer_udp", {"peer": "other"}, peer.places, samples=2)
        library.run("test/peer_ask", {"peer": "other"}, peer.places, samples=2)
        for service in ("sink 1000 4096", "accept 3"):
            connection, answer = peer.ask(service)
            assert answer.startswith("ok")
            connection.close()
        assert until(lambda: not living_children(peer.pid))
    assert peer.program.returncode == 0 and peer.said == ""


# --- IPv6 --------------------------------------------------------------------------------------


def test_a_peer_at_an_ipv6_address_serves_probes_and_the_choice():
    need(os.path.exists("/proc/net/if_inet6"), "this kernel has no IPv6")
    with Peer(listen="[::1]:0") as peer:
        assert peer.at.startswith("[::1]:")
        assert probe(peer.at) == "ran"
        chosen = choice(peer.at)
        assert chosen.places["peer"] == peer.at
        for name in ("test/peer_echo", "test/peer_udp"):
            library.run(name, {"peer": "other"}, chosen.places, samples=2)
        assert about(peer)["interface"] == "lo"
