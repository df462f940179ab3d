"""The rows of round trips over a link whose round trip and rate are known: never faster than it."""

import re
import threading
import time

import numpy as np
import pytest
from helpers.capabilities import need
from helpers.labs import name_places
from helpers.trips import CAPTURED, LOOPBACK_ALONE, ROWS, can_run

from reckon.hosts.lab import Lab, LabUnavailable
from reckon.measurement import library

RTT_S, RATE = 0.01, 100e6
OVER_THE_LINK = [row for row in ROWS if row not in LOOPBACK_ALONE]


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


def run(row, samples=8, **params):
    return library.run(row, {"peer": "other", **params}, samples=samples, warmup=1)


def seconds(one):
    return one.ticks / one.ops / library.tick_hz()


def test_no_round_trip_is_faster_than_the_link(lab):
    took = {}
    for row in OVER_THE_LINK:
        can_run(row)
        one = run(row, **({"rounds": 5} if row.endswith("mbp2016") else {}))
        assert (one.retransmits, one.listen_overflows, one.listen_drops) == (0, 0, 0), row
        took[row] = seconds(one)
        if not row.endswith("mbp2016"):  # which subtracts
            assert took[row].min() >= RTT_S, row
        assert RTT_S * 0.8 < np.median(took[row]) < RTT_S * 5, row
    assert len(took) == 7 and set(CAPTURED) < set(took)


@pytest.mark.timed
def test_the_wires_round_trip_is_within_the_callers(lab):
    """In turn, since one run after the other falls into different moments of the machine. Of one run, the row
    itself holds each captured trip against its caller's."""
    rows = ["network/rtt/tcp_wire", "network/rtt/tcp"]
    can_run(rows[0])
    wire, caller = np.hstack([[seconds(run(row)) for row in rows] for _ in range(5)])
    assert wire.min() < np.median(caller)


@pytest.mark.parametrize("row", ["tcp", "udp", "tcp_wire", "icmp"])
def test_a_large_message_takes_the_links_time_for_all_its_bits(lab, row):
    """The other end answers when it has all of it; the capture sees the first of it leave."""
    row, size = f"network/rtt/{row}", 60_000
    can_run(row)
    ways = 1 if row.endswith("wire") else 2  # to the first segment of the answer, or to its last
    assert seconds(run(row, size_bytes=size)).min() >= RTT_S + ways * size * 8 / RATE


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


def test_when_the_other_host_vanishes_the_rows_say_so(lab):
    told = {}

    def long(row):
        try:
            run(row, samples=100, rounds=1000)
        except library.ReckonError as error:
            told[row] = f"{type(error).__name__}: {error}"

    rows = [f"network/rtt/{row}" for row in ("tcp", "udp", "icmp")]
    running = [threading.Thread(target=long, args=[row]) for row in rows]
    for runner in running:
        before = lab.counters()["to_peer"]["packets"]
        runner.start()
        while runner.is_alive() and lab.counters()["to_peer"]["packets"] < before + 200:
            time.sleep(0.05)  # until it is well under way
    lab.close()
    for runner in running:
        runner.join()
    for row in rows:
        assert re.match("ProbeFailed: (Nothing came back|The other end went away)", told[row]), told
