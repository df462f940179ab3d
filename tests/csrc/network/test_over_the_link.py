"""Network probes over a link whose round trip and rate are known: never faster than it."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.capabilities import x86_only
from helpers.labs import started_lab
from helpers.network import (
    CONNECT,
    FEW,
    RTT,
    SILENT,
    THROUGHPUT,
    WITH_ANOTHER_HOST,
    possible,
    refused_to_this_user,
)
from helpers.probe_script import attempt
from helpers.processes import until

from reckon.measurement import library

RTT_S, RATE = 0.01, 100e6
OF_CONNECT, OF_RTT, OF_THROUGHPUT = (
    [name for name in WITH_ANOTHER_HOST if name.startswith(part)]
    for part in (CONNECT, RTT, THROUGHPUT)
)
SUBTRACTS = RTT + "mbp2016"
# Their samples wait for an answer of the other host.
WAITING = [
    name for name in OF_CONNECT if re.search("connect|setup|teardown", name.removeprefix(CONNECT))
]
WAITING += [name for name in OF_RTT if name != SUBTRACTS]


@pytest.fixture(scope="module")
def lab():
    with started_lab(RTT_S, RATE) as lab:
        yield lab


def run(lab, name, samples=8, warmup=1, **params):
    possible(name)
    params = {**FEW[name], "peer": "other", **params}
    return library.run(name, params, lab.locations, samples=samples, warmup=warmup)


def seconds(samples):
    return samples.ticks / samples.ops / library.tick_hz()


@pytest.fixture(scope="module")
def over_the_link(lab):
    x86_only()
    refused = refused_to_this_user()
    little = dict.fromkeys(OF_THROUGHPUT, {"samples": 1, "warmup": 0})  # they run, which is all
    little[SUBTRACTS] = {"rounds": 5}
    return {
        name: run(lab, name, **little.get(name, {}))
        for name in WITH_ANOTHER_HOST
        if name not in refused
    }


def measured(over_the_link, names):
    """The samples of these probes by name, without those that this user may not run."""
    samples = {name: over_the_link[name] for name in names if name in over_the_link}
    assert samples.keys() == set(names) - set(refused_to_this_user())
    return samples


# Alone, because the tests that assert times share its samples.
@pytest.mark.alone
def test_nothing_that_waits_for_the_other_host_is_faster_than_the_link(over_the_link):
    for name, samples in measured(over_the_link, WAITING).items():
        assert seconds(samples).min() >= RTT_S, name


@pytest.mark.timed
def test_a_round_trip_takes_about_the_links(over_the_link):
    for name, samples in measured(over_the_link, OF_RTT).items():
        assert RTT_S * 0.8 < np.median(seconds(samples)) < RTT_S * 5, name


@pytest.mark.timed
def test_a_close_does_not_wait_for_the_other_host(over_the_link):
    connect = np.median(seconds(over_the_link[CONNECT + "connect"]))
    for name, samples in measured(over_the_link, set(OF_CONNECT) - set(WAITING)).items():
        assert np.median(seconds(samples)) < connect / 5, name


@pytest.mark.alone
def test_nothing_is_lost_or_turned_away(over_the_link):
    for name, samples in measured(over_the_link, OF_CONNECT + OF_RTT).items():
        assert (samples.retransmits, samples.listen_overflows, samples.listen_drops) == (0, 0, 0), (
            name
        )


@pytest.mark.timed
def test_the_wires_round_trip_is_within_the_callers(lab):
    """In turn, because the machine differs from moment to moment. Within a run, the probe itself compares
    each captured trip with its caller's."""
    names = [RTT + "tcp_wire", RTT + "tcp"]
    wire, caller = np.hstack([[seconds(run(lab, name)) for name in names] for _ in range(5)])
    assert wire.min() < np.median(caller)


@pytest.mark.parametrize("probe", ["tcp", "udp", "tcp_wire", "icmp"])
def test_a_large_message_takes_the_links_time_for_all_its_bits(lab, probe):
    """The other end answers when it has all of it; the capture sees the first of it leave."""
    size = 60_000
    ways = 1 if probe == "tcp_wire" else 2  # to the first segment of the answer, or to its last
    took = seconds(run(lab, RTT + probe, size_bytes=size))
    assert took.min() >= RTT_S + ways * size * 8 / RATE


def test_rounds_over_the_link_take_as_many_of_its_round_trips(lab):
    samples = run(lab, RTT + "tcp", samples=3, rounds=10)
    assert set(samples.ops) == {10} and samples.ticks.min() / library.tick_hz() >= 10 * RTT_S


def test_an_echo_reply_to_another_is_not_taken_for_ones_own(lab):
    """Raw sockets each get the replies to all three, and the next reply of another is always near."""
    possible(RTT + "tcp_wire")  # as root: a ping socket is not allowed in the lab
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(run, lab, RTT + "icmp", 40) for _ in range(3)]
    assert min(seconds(samples.result()).min() for samples in running) >= RTT_S


@pytest.mark.parametrize("probe", ["tcp", "udp", "icmp"])
def test_a_probe_fails_when_its_link_is_cut(lab, probe):
    possible(RTT + probe)
    params, enough = {"peer": "other", "rounds": 1000}, lab.counters()["to_peer"]["packets"] + 200
    how = {"samples": 1000, "locations": lab.locations}
    with ThreadPoolExecutor() as pool:
        outcome = pool.submit(attempt, RTT + probe, params, **how)
        assert until(lambda: lab.counters()["to_peer"]["packets"] >= enough)
        os.kill(lab.relay_pid, signal.SIGSTOP)
        try:
            assert outcome.result() == SILENT
        finally:
            os.kill(lab.relay_pid, signal.SIGCONT)


# --- throughput --------------------------------------------------------------------------------


@pytest.mark.timed
def test_twice_the_rate_is_twice_the_throughput():
    """Of what the receiver has, in its own time; and what the queue dropped was sent again."""
    rates = {}
    for megabit in (10, 20):
        with started_lab(RTT_S, megabit * 1e6) as lab:
            windows = {"skip_ms": 300, "window_ms": 200, "congestion": "reno"}
            samples = run(lab, THROUGHPUT + "tcp", 10, 0, **windows)
            dropped = lab.counters()["to_peer"]["dropped"]
        rates[megabit] = samples.ops.sum() / (samples.ticks.sum() / library.tick_hz()) * 8
        assert dropped > 0 and samples.retransmits >= dropped / 2
    assert 1.8 < rates[20] / rates[10] < 2.2
    assert 0.9 < rates[10] / (10e6 * 1448 / 1500) < 1.02


@pytest.mark.timed
def test_throughput_grows_after_the_first_byte(lab):
    # The most of each: another's load only takes bytes away.
    first, later = (
        run(lab, THROUGHPUT + "start", 5, 0, congestion="reno", after_ms=after).ops.max()
        for after in (0, 40)
    )
    assert 10_000 < first < later / 3
