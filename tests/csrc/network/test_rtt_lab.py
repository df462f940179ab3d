"""The probes of round trips over a link whose round trip and rate are known: never faster than it."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.labs import started_lab
from helpers.network import CAPTURING, RTT, WITH_ANOTHER_HOST, of_part, possible
from helpers.probe_script import attempt
from helpers.processes import until

from reckon.measurement import library

RTT_S, RATE = 0.01, 100e6
OVER_THE_LINK = of_part(RTT, WITH_ANOTHER_HOST)


@pytest.fixture
def lab():
    """Of each test's own, so that none is alive when the next one looks for what was left."""
    with started_lab(RTT_S, RATE) as lab:
        yield lab


def run(lab, probe, samples=8, **params):
    possible(RTT + probe)
    params = {"peer": "other", **params}
    return library.run(RTT + probe, params, lab.places, samples=samples, warmup=1)


def seconds(one):
    return one.ticks / one.ops / library.tick_hz()


def test_no_round_trip_is_faster_than_the_link(lab):
    took = {}
    for probe in OVER_THE_LINK:
        samples = run(lab, probe, **({"rounds": 5} if probe == "mbp2016" else {}))
        assert (samples.retransmits, samples.listen_overflows, samples.listen_drops) == (0, 0, 0), (
            probe
        )
        took[probe] = seconds(samples)
        if probe != "mbp2016":  # which subtracts
            assert took[probe].min() >= RTT_S, probe
        assert RTT_S * 0.8 < np.median(took[probe]) < RTT_S * 5, probe
    assert len(took) == 7 and set(of_part(RTT, CAPTURING)) < set(took)


@pytest.mark.timed
def test_the_wires_round_trip_is_within_the_callers(lab):
    """In turn, because the machine differs from moment to moment. Within a run, the probe itself compares
    each captured trip with its caller's."""
    probes = ["tcp_wire", "tcp"]
    wire, caller = np.hstack([[seconds(run(lab, probe)) for probe in probes] for _ in range(5)])
    assert wire.min() < np.median(caller)


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "icmp"])
def test_a_large_message_takes_the_links_time_for_all_its_bits(lab, probe):
    """The other end answers when it has all of it; the capture sees the first of it leave."""
    size = 60_000
    ways = 1 if probe == "tcp_wire" else 2  # to the first segment of the answer, or to its last
    assert seconds(run(lab, probe, size_bytes=size)).min() >= RTT_S + ways * size * 8 / RATE


def test_rounds_over_the_link_take_as_many_of_its_round_trips(lab):
    samples = run(lab, "tcp", samples=3, rounds=10)
    assert set(samples.ops) == {10} and samples.ticks.min() / library.tick_hz() >= 10 * RTT_S


def test_an_echo_reply_to_another_is_not_taken_for_ones_own(lab):
    """Raw sockets each get the replies to all three, and the next reply of another is always near."""
    possible(RTT + "tcp_wire")  # as root, for whom a ping socket is not allowed in the lab
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(run, lab, "icmp", 40) for _ in range(3)]
    assert min(seconds(samples.result()).min() for samples in running) >= RTT_S


def test_a_probe_fails_when_the_other_host_vanishes(lab):
    params, how = {"peer": "other", "rounds": 1000}, {"samples": 100, "places": lab.places}
    running = {}
    with ThreadPoolExecutor() as pool:
        for probe in ("tcp", "udp", "icmp"):
            packets = lab.counters()["to_peer"]["packets"]
            running[probe] = pool.submit(attempt, RTT + probe, params, **how)
            assert until(lambda: lab.counters()["to_peer"]["packets"] >= packets + 200)  # noqa: B023
        lab.close()
    for probe, outcome in running.items():
        assert re.match(
            "ProbeFailed: (Nothing came back|The other end went away)", outcome.result()
        ), probe
