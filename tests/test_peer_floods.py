"""reckon-peer among garbage and floods, with IPv6 alone, and how the other host is chosen."""

import os
import random
import shutil
import socket
import time
from types import SimpleNamespace

import pytest

from conftest import ROOT, need
from peers import (  # two fixtures act on every test of this file
    TOKEN,
    Peer,
    about,
    everything,
    exactly,
    line,
    living_children,
    no_peer_is_left,
    peer,
    peers_running,
    until,
)
from reckon import clib, lab
from reckon import peer as other
from rows import in_python, nothing_is_left_behind
from test_peer_refused import choice, nothing_is_chosen, row
from test_sanitizers import sanitized


def half_open(peer, count, words=b""):
    """Connections that greet slowly, never, or with garbage."""
    found = []
    for _ in range(count):
        one = peer.connect()
        one.sendall(words)
        found.append(one)
    return found


@pytest.mark.parametrize("words", [b"", b"reckon-peer 1 ", b"x" * 511])
def test_five_hundred_that_do_not_greet_keep_nobody_out(peer, words):
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
        said = b""
        for byte in (f"reckon-peer 1 {TOKEN}" + "x" * 100).encode():
            try:
                slow.sendall(bytes([byte]))
                said += slow.recv(1000)
                break
            except TimeoutError:
                continue
    assert said == b"no The greeting took longer than 2 s.\n"
    assert 1.5 < time.monotonic() - begin < 5


def test_there_is_an_end_to_what_one_host_is_served(peer):
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


def garbage(random, number):
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
        words = [b"reckon-peer", b"1", TOKEN.encode(), b"sink", b"source", b"accept", b"echo", b" ",
                 b"99999999999999999999", b"-1", b"0", b"\0", b"%n%s", b"7" * 300]  # fmt: skip
        return b" ".join(random.choices(words, k=random.randrange(8))) + b"\n"
    services = [b"echo", b"sink", b"source", b"accept", b"udp-echo", b"about", b"%s%n", b"x" * 200]
    numbers = [b"", b" 0", b" 1", b" 64 64", b" 4096", b" 1 4194304", b" 99999999999999999999 1"]
    return true[:-8] + random.choice(services) + random.choice(numbers) + b"\n" + bytes(70)


def test_two_thousand_random_greetings_do_it_no_harm(sanitized, monkeypatch):
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    dice = random.Random(20)
    with Peer(program=sanitized / "reckon-peer") as one:
        for number in range(2000):
            with one.connect() as connection:
                connection.sendall(garbage(dice, number))
                if number % 3 == 0:
                    connection.shutdown(socket.SHUT_WR)
                if number % 7 == 0:
                    line(connection)
        assert about(one)["system"] == "Linux"
        connection, _ = one.ask("echo 8")
        connection.close()
        assert until(lambda: not living_children(one.pid))
    assert one.program.returncode == 0, "neither it nor one of its services failed"
    assert "runtime error" not in one.said and "Sanitizer" not in one.said, one.said[-3000:]


def test_the_rows_peer_is_clean_under_the_sanitizers(sanitized, monkeypatch):
    """The services themselves, through the row's client."""
    with Peer(program=sanitized / "reckon-peer") as one:
        monkeypatch.setenv("RECKON_PEER_AT", one.at)
        monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
        clib.run("test/peer_echo", {"peer": "other", "size_bytes": 1 << 20}, samples=2)
        clib.run("test/peer_udp", {"peer": "other"}, samples=2)
        clib.run("test/peer_ask", {"peer": "other"}, samples=2)
        for service in ("source 100000 777", "accept 3 1000"):
            connection, answer = one.ask(service)
            assert answer.startswith("ok")
            if service.startswith("source"):
                assert len(everything(connection)) == 100_000
            connection.close()
        assert until(lambda: not living_children(one.pid))
    assert one.program.returncode == 0 and one.said == ""


# --- IPv6 --------------------------------------------------------------------------------------


def test_ipv6_alone_is_enough_for_a_row_and_its_own_peer():
    need(os.geteuid() == 0 and shutil.which("unshare") and shutil.which("ip"),
         "a network namespace needs root, and iproute2")  # fmt: skip
    alone = "ip link set lo up; ip addr del 127.0.0.1/8 dev lo; exec \"$@\""
    said = in_python(
        "import socket\n"
        "try:\n    socket.socket().bind(('127.0.0.1', 0)); there = True\n"
        "except OSError:\n    there = False\n"
        "say([there, attempt('test/peer_echo'), attempt('test/peer_udp')])",
        prefix=("unshare", "-n", "sh", "-c", alone, "sh"),
    )
    assert said == [False, "ran", "ran"]


def test_without_any_loopback_the_row_says_so():
    need(os.geteuid() == 0 and shutil.which("unshare"), "a network namespace needs root")
    said = in_python("say(attempt('test/peer_echo'))", prefix=("unshare", "-n"))
    assert said.startswith("ProbeCannot: needs a loopback interface that is up")


def test_an_ipv6_peer_serves_both(peer):
    need(os.path.exists("/proc/net/if_inet6"), "this kernel has no IPv6")
    with Peer(listen="[::1]:0") as one:
        assert one.at.startswith("[::1]:")
        assert row(one.at) == "ran"
        chosen = choice(one.at)
        assert chosen.environment["RECKON_PEER_AT"] == one.at
        for name in ("test/peer_echo", "test/peer_udp"):
            clib.run(name, {"peer": "other"}, samples=2)
        assert about(one)["interface"] == "lo"


# --- which one it is ---------------------------------------------------------------------------


def test_a_real_peer_is_greeted_once_and_told_to_the_rows(peer, monkeypatch):
    monkeypatch.setenv("RECKON_PEER_AT", "192.0.2.1:1")  # a parent's
    monkeypatch.setenv("RECKON_PEER_SPACE", "1")
    chosen = choice(peer.at)
    assert chosen.kind == "real" and chosen.link is None
    assert chosen.environment == {"RECKON_PEER_AT": peer.at, "RECKON_PEER_TOKEN": TOKEN}
    assert chosen.environment.items() <= os.environ.items()
    assert "RECKON_PEER_SPACE" not in os.environ
    assert chosen.about == about(peer)
    assert chosen.identity.startswith("peer 127.0.0.1 ") and len(chosen.identity.split()[2]) == 8
    assert "its interface lo (MTU" in chosen.describe() and TOKEN not in repr(chosen.about)
    assert other.chosen() is chosen
    clib.run("test/peer_echo", {"peer": "other"}, samples=2)


def test_another_kernel_on_the_other_host_is_another_host(monkeypatch):
    facts = {**dict.fromkeys((*other.TEXTS, *other.NUMBERS, "guest")), "release": "6.1"}
    monkeypatch.setenv("RECKON_PEER", "127.0.0.1")
    monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
    found = []
    for release, memory in (("6.1", 1), ("6.2", 1), ("6.2", 2)):
        said = {**facts, "release": release, "memory_bytes": memory}
        monkeypatch.setattr(other, "_ask_about", lambda *_, said=said: said)
        other.forget()
        found.append(other.chosen().identity)
    assert found[0] != found[1] == found[2]


def test_what_the_other_host_says_of_itself_is_taken_with_care():
    said = '{"system": "<b>\\u0001é", "threads": -1, "guest": "yes", "release": 5, "more": [1]}'
    facts = other._facts(said, "there")
    assert facts["system"] == "<b>??" and "more" not in facts
    assert facts["threads"] is facts["guest"] is facts["release"] is None
    for nonsense in ("", "[]", "{", "7"):
        with pytest.raises(other.PeerCannot, match="The peer at there did not say what it is."):
            other._facts(nonsense, "there")


def test_without_a_peer_it_is_the_lab_host_and_that_is_ended(monkeypatch):
    closed = []

    def start():
        return SimpleNamespace(
            link={"rtt_s": 0.01, "rate_bit_per_s": 1e8}, about={"Host": "made up"},
            environment={"RECKON_PEER_AT": "10.77.0.2:7325", "RECKON_PEER_SPACE": "123"},
            describe=lambda: "made up", close=lambda: closed.append(1))  # fmt: skip

    monkeypatch.setattr(lab, "start", start)
    monkeypatch.setattr(other.atexit, "register", lambda end: end())
    chosen = other.chosen()
    assert (chosen.kind, chosen.identity) == ("lab", "lab 10 ms 100 Mbit/s")
    assert chosen.link["rtt_s"] == 0.01 and chosen.describe() == "The other host is made up."
    assert os.environ["RECKON_PEER_SPACE"] == "123" and closed == [1]


def test_a_lab_host_that_cannot_be_is_the_same_sentence_each_time(monkeypatch):
    asked = []

    def start():
        asked.append(1)
        raise lab.LabCannot("this kernel has no such thing", "Use another.")

    monkeypatch.setattr(lab, "start", start)
    said = []
    for _ in range(2):
        with pytest.raises(other.PeerCannot) as told:
            other.chosen()
        said.append(str(told.value))
    assert said[0] == said[1] and "no such thing; use another." in said[0] and asked == [1]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("no.such.host.invalid", "PeerCannot: no.such.host.invalid is not found: "),
        ("[::1", "ReckonError: PEER is '[::1'; write HOST, HOST:PORT or [IPv6]:PORT."),
        ("host:99999", "ReckonError: PEER is 'host:99999'; write"),
        ("host:", "ReckonError: PEER is 'host:'; write"),
    ],
)
def test_a_peer_that_cannot_be_an_address_is_told(where, said):
    assert choice(where).startswith(said)


def test_without_a_token_or_with_a_short_one_it_is_told():
    assert "needs the token that it was started with: PEER_TOKEN=" in choice("127.0.0.1", "")
    assert "must have 16 to 128 characters" in choice("127.0.0.1", "short")


# --- reuse -------------------------------------------------------------------------------------


def test_an_edit_of_the_peer_measures_the_rows_of_the_network_anew_and_no_other(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "csrc", tmp_path / "csrc")
    monkeypatch.setattr(clib, "ROOT", tmp_path)
    network = [name for name in clib.probes() if name.startswith("network/")]
    rows = [*network, "cpu/syscall/getpid", "memory/latency/chase_random", "test/chain"]
    rows = [name for name in rows if name in clib.probes()]

    def keys():
        clib.source_key.cache_clear()
        return {name: clib.source_key(name) for name in rows}

    before = keys()
    for file in ("peer_stream.c", "peer.h"):
        with open(tmp_path / "csrc" / file, "a") as source:
            source.write("/* edited */\n")
        after = keys()
        assert {name for name in rows if before[name] != after[name]} == set(network)
        before = after
    clib.source_key.cache_clear()
    assert network
