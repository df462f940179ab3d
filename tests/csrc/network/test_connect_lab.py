"""The probes of network/connect over a link whose round trip is known."""

import re
import threading
import time

import numpy as np
import pytest
from helpers.capabilities import need
from helpers.connections import ACROSS, PART, PROBES, WIRE
from helpers.labs import name_places
from helpers.processes import running, until

from reckon.hosts.lab import Lab, LabUnavailable
from reckon.measurement import library

RTT_S = 0.01
OVER_THE_LINK = [probe for probe in PROBES if probe not in ACROSS]
LASTING = [probe for probe in OVER_THE_LINK if re.search("connect|setup|teardown", probe)]


@pytest.fixture(scope="module")
def lab():
    try:
        lab = Lab(RTT_S, 100e6)
    except LabUnavailable as error:
        need(False, str(error))
    with lab, pytest.MonkeyPatch.context() as patch:
        name_places(patch, lab.places)
        yield lab
    assert until(lambda: not running("reckon-probe") + running("reckon-peer"))


def run(probe, samples=8, **how):
    return library.run(PART + probe, {"peer": "other"}, samples=samples, warmup=1, **how)


def seconds(one):
    return one.ticks / one.ops / library.tick_hz()


@pytest.fixture(scope="module")
def over_the_link(lab):
    return {probe: run(probe) for probe in OVER_THE_LINK}


def test_nothing_that_waits_for_the_other_host_is_faster_than_the_link(over_the_link):
    assert len(LASTING) == 9 and set(WIRE) < set(LASTING)
    for probe in LASTING:
        assert seconds(over_the_link[probe]).min() >= RTT_S, probe


def test_a_close_does_not_wait_for_the_other_host(over_the_link):
    connect = np.median(seconds(over_the_link["connect"]))
    for probe in set(OVER_THE_LINK) - set(LASTING):
        assert np.median(seconds(over_the_link[probe])) < connect / 5, probe


def test_nothing_is_lost_or_turned_away(over_the_link):
    for probe, one in over_the_link.items():
        assert (one.retransmits, one.listen_overflows, one.listen_drops) == (0, 0, 0), probe


def test_when_the_other_host_vanishes_the_probe_says_so(monkeypatch, lab):
    told = []

    def long():
        try:
            run("connect", samples=1000)
        except library.ReckonError as error:
            told.append(f"{type(error).__name__}: {error}")

    with Lab(RTT_S, 100e6) as other:
        name_places(monkeypatch, other.places)
        runner = threading.Thread(target=long)
        runner.start()
        while runner.is_alive() and other.counters()["to_peer"]["packets"] < 100:
            time.sleep(0.05)  # until it is well under way
    runner.join()
    # the one or the other, as it was waiting for the SYN-ACK or for the byte after it
    sentences = "Nobody answered the SYN of a connection|A connection was made but not accepted"
    assert re.match(f"ProbeFailed: ({sentences})", told[0]), told
