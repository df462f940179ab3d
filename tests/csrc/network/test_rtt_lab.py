"""The probes of round trips over a link whose round trip and rate are known: never faster than it."""

import re
import threading
import time

import numpy as np
import pytest
from helpers.capabilities import need
from helpers.labs import name_places
from helpers.trips import CAPTURED, LOOPBACK_ALONE, PROBES, can_run

from reckon.hosts.lab import Lab, LabUnavailable
from reckon.measurement import library

RTT_S, RATE = 0.01, 100e6
OVER_THE_LINK = [probe for probe in PROBES if probe not in LOOPBACK_ALONE]


@pytest.fixture
def lab(monkeypatch):
    """Of each test's own, so that none is alive when the next one looks for what was left."""
    try:
        lab = Lab(RTT_S, RATE)
    except LabUnavailable as error:
        need(False, str(error))
    with lab:
        name_places(monkeypatch, lab.places)
        yield lab


def run(probe, samples=8, **params):
    return library.run(probe, {"peer": "other", **params}, samples=samples, warmup=1)


def seconds(one):
    return one.ticks / one.ops / library.tick_hz()


def test_no_round_trip_is_faster_than_the_link(lab):
    took = {}
    for probe in OVER_THE_LINK:
        can_run(probe)
        one = run(probe, **({"rounds": 5} if probe.endswith("mbp2016") else {}))
        assert (one.retransmits, one.listen_overflows, one.listen_drops) == (0, 0, 0), probe
        took[probe] = seconds(one)
        if not probe.endswith("mbp2016"):  # which subtracts
            assert took[probe].min() >= RTT_S, probe
        assert RTT_S * 0.8 < np.median(took[probe]) < RTT_S * 5, probe
    assert len(took) == 7 and set(CAPTURED) < set(took)


@pytest.mark.timed
def test_the_wires_round_trip_is_within_the_callers(lab):
    """In turn, since one run after the other falls into different moments of the machine. Of one run, the probe
    itself holds each captured trip against its caller's."""
    probes = ["network/rtt/tcp_wire", "network/rtt/tcp"]
    can_run(probes[0])
    wire, caller = np.hstack([[seconds(run(probe)) for probe in probes] for _ in range(5)])
    assert wire.min() < np.median(caller)


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "icmp"])
def test_a_large_message_takes_the_links_time_for_all_its_bits(lab, probe):
    """The other end answers when it has all of it; the capture sees the first of it leave."""
    probe, size = f"network/rtt/{probe}", 60_000
    can_run(probe)
    ways = 1 if probe.endswith("wire") else 2  # to the first segment of the answer, or to its last
    assert seconds(run(probe, size_bytes=size)).min() >= RTT_S + ways * size * 8 / RATE


def test_rounds_over_the_link_take_as_many_of_its_round_trips(lab):
    one = run("network/rtt/tcp", samples=3, rounds=10)
    assert set(one.ops) == {10} and one.ticks.min() / library.tick_hz() >= 10 * RTT_S


def test_an_echo_reply_to_another_is_not_taken_for_ones_own(lab):
    """Raw sockets each get the replies to all three, and the next reply of another is always near."""
    can_run("network/rtt/tcp_wire")  # as root, for whom a ping socket is not allowed in the lab
    took = []
    running = [
        threading.Thread(target=lambda: took.append(seconds(run("network/rtt/icmp", 40))))
        for _ in range(3)
    ]
    for runner in running:
        runner.start()
    for runner in running:
        runner.join()
    assert len(took) == 3 and min(one.min() for one in took) >= RTT_S


def test_when_the_other_host_vanishes_the_probes_say_so(lab):
    told = {}

    def long(probe):
        try:
            run(probe, samples=100, rounds=1000)
        except library.ReckonError as error:
            told[probe] = f"{type(error).__name__}: {error}"

    probes = [f"network/rtt/{probe}" for probe in ("tcp", "udp", "icmp")]
    running = [threading.Thread(target=long, args=[probe]) for probe in probes]
    for runner in running:
        before = lab.counters()["to_peer"]["packets"]
        runner.start()
        while runner.is_alive() and lab.counters()["to_peer"]["packets"] < before + 200:
            time.sleep(0.05)  # until it is well under way
    lab.close()
    for runner in running:
        runner.join()
    for probe in probes:
        assert re.match("ProbeFailed: (Nothing came back|The other end went away)", told[probe]), (
            told
        )
