"""Which host is the other one: greeted once, reached by probes, and part of what is reused."""

import os
import subprocess
from types import SimpleNamespace

import pytest
from helpers.peers import TOKEN, about, choice
from helpers.project import ROOT, finished

from reckon.hosts import HostUnavailable, lab, real_peer
from reckon.hosts import peer as other
from reckon.measurement import library

pytestmark = pytest.mark.usefixtures("no_host_is_set")


def test_a_real_peer_is_greeted_once_and_reached_by_probes(peer, monkeypatch):
    monkeypatch.setenv("RECKON_PEER_AT", "192.0.2.1:1")  # a parent's
    monkeypatch.setenv("RECKON_PEER_SPACE", "1")
    chosen = choice(peer.at)
    assert chosen.lab is None
    assert chosen.locations == {"peer": peer.at, "peer_token": TOKEN, "peer_process": ""}
    facts = about(peer)
    for fact, name in (
        ("processor", "processor"),
        ("cores", "threads"),
        ("mtu", "mtu_bytes"),
        ("congestion", "congestion_control"),
        ("memory", "memory_bytes"),
    ):
        assert chosen.facts[fact][0] == facts[name], fact
    assert chosen.identity.startswith("peer 127.0.0.1 ") and len(chosen.identity.split()[2]) == 8
    assert "its interface lo (MTU" in chosen.description and TOKEN not in repr(chosen.facts)
    assert other.identity() == chosen.identity
    assert other.connect() is chosen
    library.run("test/peer_echo", {"peer": "other"}, chosen.locations, samples=2)
    assert os.environ["RECKON_PEER_AT"] == "192.0.2.1:1"


def test_another_kernel_on_the_other_host_is_another_host(monkeypatch):
    facts = {**dict.fromkeys((*real_peer.TEXTS, *real_peer.NUMBERS, "guest")), "release": "6.1"}
    monkeypatch.setenv("RECKON_PEER", "127.0.0.1")
    monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
    results = []
    for release, memory in (("6.1", 1), ("6.2", 1), ("6.2", 2)):
        changed = {**facts, "release": release, "memory_bytes": memory}
        monkeypatch.setattr(real_peer, "_ask_about", lambda *_, changed=changed: changed)
        other.forget()
        results.append(other.connect().identity)
    assert results[0] != results[1] == results[2]


def test_what_the_other_host_says_of_itself_is_taken_with_care():
    text = '{"system": "<b>\\u0001é", "threads": -1, "guest": "yes", "release": 5, "more": [1]}'
    facts = real_peer._facts(text, "there")
    assert facts["system"] == "?b???" and "more" not in facts
    assert facts["threads"] is facts["guest"] is facts["release"] is None
    for nonsense in ("", "[]", "{", "7"):
        with pytest.raises(HostUnavailable, match="The peer at there did not say what it is."):
            real_peer._facts(nonsense, "there")


def test_without_a_peer_it_is_the_lab_host_and_that_is_ended(monkeypatch):
    closed = []

    def start():
        return SimpleNamespace(
            facts={"kind": ("made up", "a test")},
            describe=lambda: "made up",
            locations={"peer": "10.77.0.2:7325", "peer_process": "123"},
            close=lambda: closed.append(1),
            running=True,
        )

    monkeypatch.setattr(lab, "start", start)
    monkeypatch.setattr(lab.atexit, "register", lambda end: end())
    monkeypatch.setenv("RECKON_LINK_RTT", "10 ms")
    monkeypatch.setenv("RECKON_LINK_RATE", "0.1 Gbit/s")
    assert other.identity().startswith("lab 10 ms 100 Mbit/s ") and not closed, "nothing is started"
    chosen = other.connect()
    assert chosen.lab and chosen.identity == other.identity()
    assert chosen.description == "made up" and chosen.facts["kind"][0] == "made up"
    assert chosen.locations["peer_process"] == "123" and closed == [1]


def test_a_host_that_is_not_there_is_another_host(monkeypatch):
    monkeypatch.setenv("RECKON_PEER", "127.0.0.1:1")
    monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
    assert other.identity() == "peer 127.0.0.1:1, not there"


def test_a_lab_host_that_does_not_start_gives_the_same_reason_each_time(monkeypatch):
    requests = []

    def start():
        requests.append(1)
        raise lab.LabUnavailable("this kernel has no such thing", "Use another.")

    monkeypatch.setattr(lab, "start", start)
    outcomes = []
    for _ in range(2):
        with pytest.raises(HostUnavailable) as failure:
            other.connect()
        outcomes.append(str(failure.value))
    assert (
        outcomes[0] == outcomes[1]
        and "no such thing; use another." in outcomes[0]
        and requests == [1, 1]
    )


@pytest.mark.parametrize(
    ("trouble", "temporary"),
    [
        (lab.LabUnavailable("forbidden", "Allow it."), False),
        (lab.LabUnavailable("fork: try again", "Allow more.", temporary=True), True),
        (lab.LabEnded("The lab host has ended."), True),
    ],
)
def test_whether_another_attempt_may_succeed(monkeypatch, trouble, temporary):
    def start():
        raise trouble

    monkeypatch.setattr(lab, "start", start)
    with pytest.raises(HostUnavailable) as failure:
        other.connect()
    assert failure.value.temporary is temporary


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("no.such.host.invalid", "HostUnavailable: no.such.host.invalid is not found: "),
        ("[::1", "ReckonError: PEER is '[::1'; write HOST, HOST:PORT or [IPv6]:PORT."),
        ("host:99999", "ReckonError: PEER is 'host:99999'; write"),
        ("host:", "ReckonError: PEER is 'host:'; write"),
    ],
)
def test_a_peer_that_cannot_be_an_address_is_reported(where, sentence):
    assert choice(where).startswith(sentence)


def test_a_missing_or_short_token_is_reported():
    assert "needs the token that it was started with: PEER_TOKEN=" in choice("127.0.0.1", "")
    assert "must have 16 to 128 characters" in choice("127.0.0.1", "short")


def test_make_builds_it_says_how_to_start_it_and_passes_the_settings_on():
    def make(*arguments, **environment):
        done = finished("make", "-s", *arguments, cwd=ROOT, env={**os.environ, **environment})
        return done.stdout

    output = make("peer")
    assert "reckon-peer is built" in output and "--listen ADDRESS --allow HOST" in output
    database = make("-pn", "help", PEER="there", PEER_TOKEN="secret", RECKON_LINK_RTT="5 ms")
    assert "RECKON_PEER := there\n" in database and "RECKON_LINK_RTT := 5 ms\n" in database
    assert "RECKON_PEER_TOKEN := secret\n" in database
    # On make's own command line it reaches the makefile of the library too.
    done = subprocess.run(["make", "-n", "lib", "PEER=192.0.2.7"], cwd=ROOT, capture_output=True)
    assert done.returncode == 0
