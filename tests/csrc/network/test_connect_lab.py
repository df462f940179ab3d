"""The probes of network/connect over a link whose round trip is known."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.labs import started_lab
from helpers.network import CAPTURING, CONNECT, WITH_ANOTHER_HOST, of_part
from helpers.probe_script import attempt
from helpers.processes import running, until

from reckon.measurement import library

RTT_S = 0.01
OVER_THE_LINK = of_part(CONNECT, WITH_ANOTHER_HOST)
LASTING = [probe for probe in OVER_THE_LINK if re.search("connect|setup|teardown", probe)]


@pytest.fixture(scope="module")
def lab():
    with started_lab(RTT_S, 100e6) as lab:
        yield lab
    assert until(lambda: not running("reckon-probe") + running("reckon-peer"))


def run(lab, probe, samples=8):
    return library.run(CONNECT + probe, {"peer": "other"}, lab.places, samples=samples, warmup=1)


def seconds(one):
    return one.ticks / one.ops / library.tick_hz()


@pytest.fixture(scope="module")
def over_the_link(lab):
    return {probe: run(lab, probe) for probe in OVER_THE_LINK}


def test_nothing_that_waits_for_the_other_host_is_faster_than_the_link(over_the_link):
    assert len(LASTING) == 9 and set(of_part(CONNECT, CAPTURING)) < set(LASTING)
    for probe in LASTING:
        assert seconds(over_the_link[probe]).min() >= RTT_S, probe


def test_a_close_does_not_wait_for_the_other_host(over_the_link):
    connect = np.median(seconds(over_the_link["connect"]))
    for probe in set(OVER_THE_LINK) - set(LASTING):
        assert np.median(seconds(over_the_link[probe])) < connect / 5, probe


def test_nothing_is_lost_or_turned_away(over_the_link):
    for probe, one in over_the_link.items():
        assert (one.retransmits, one.listen_overflows, one.listen_drops) == (0, 0, 0), probe


def test_a_probe_fails_when_the_other_host_vanishes():
    with started_lab(RTT_S, 100e6) as other, ThreadPoolExecutor() as pool:
        params = {"peer": "other"}
        how = {"samples": 1000, "places": other.places}
        outcome = pool.submit(attempt, CONNECT + "connect", params, **how)
        assert until(lambda: other.counters()["to_peer"]["packets"] >= 100)
        other.close()
    # As it waited for the SYN-ACK, or for the byte after it.
    sentences = "No answer to the SYN of a connection|A connection was made but not accepted"
    assert re.match(f"ProbeFailed: ({sentences})", outcome.result()), outcome.result()
