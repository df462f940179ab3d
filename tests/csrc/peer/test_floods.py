"""reckon-peer among floods, under the sanitizers, and at an IPv6 address."""

import os
import time

import pytest
from helpers.capabilities import need
from helpers.peers import TOKEN, Peer, about, choice, exactly, line, probe
from helpers.processes import living_children, until

from reckon.measurement import library


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
        # Before the next question, which costs a process that lives on for a moment after its answer.
        assert len(living_children(peer.pid)) == 1, "those cost no process"
        assert peer.files() < 64 + 20
        assert about(peer)
        for connection in crowd:
            connection.close()
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
    assert time.monotonic() - begin > 1.5


def test_a_host_gets_at_most_64_connections(peer):
    connections = [peer.ask("echo 8") for _ in range(64)]
    assert {answer for _, answer in connections} == {"ok"}
    assert "serves as many connections as it may already" in peer.answer("echo 8")
    assert peer.answer("echo 8", here="127.0.0.2") == "ok", "another host has its own"
    for connection, _ in connections:
        connection.close()
    assert until(lambda: not living_children(peer.pid))
    assert about(peer)


@pytest.mark.long_csrc
def test_the_services_are_clean_under_the_sanitizers(sanitized, leaks_are_errors):
    """The services themselves, through the probe's client."""
    with Peer(program=sanitized / "reckon-peer") as peer:
        large = {"peer": "other", "size_bytes": 1 << 20}
        library.run("test/peer_echo", large, peer.locations, samples=2)
        library.run("network/rtt/udp", {"peer": "other"}, peer.locations, samples=2)
        library.run("test/peer_ask", {"peer": "other"}, peer.locations, samples=2)
        for service in ("sink 1000 4096", "accept 3"):
            assert peer.answer(service).startswith("ok")
        assert until(lambda: not living_children(peer.pid))
    assert peer.program.returncode == 0 and peer.log == ""


# --- IPv6 --------------------------------------------------------------------------------------


def test_a_peer_at_an_ipv6_address_serves_probes_and_the_choice():
    need(os.path.exists("/proc/net/if_inet6"), "this kernel has no IPv6")
    with Peer(listen="[::1]:0") as peer:
        assert peer.at.startswith("[::1]:")
        assert probe(peer.at) == "ran"
        chosen = choice(peer.at)
        assert chosen.locations["peer"] == peer.at
        for name in ("test/peer_echo", "network/rtt/udp"):
            library.run(name, {"peer": "other"}, chosen.locations, samples=2)
        assert about(peer)["interface"] == "lo"
