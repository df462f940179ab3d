"""The probes of round trips: counted by the kernel, where their servers are, what lies on the wire."""

import os
from pathlib import Path

import pytest
from helpers.capabilities import need
from helpers.network import RTT, Running, of_part, own, possible
from helpers.probe_script import known
from helpers.probes import in_python
from helpers.programs import network

from reckon.measurement import library

# --- counts ------------------------------------------------------------------------------------

DATA, DATAGRAMS = "TcpExt:TCPOrigDataSent", "Udp:OutDatagrams"
# What one round trip of a sample adds to which counter, and how many a sample has of it.
COUNTED = {
    "tcp": (DATA, 2),
    "tcp_across": (DATA, 2),
    "tcp_wire": (DATA, 2),
    "t470": (DATA, 2),
    "i7_10750h": (DATA, 2),
    "mbp2016": (DATA, 2 * 3),
    "hpe_i7_860": (DATA, 1),
    "udp": (DATAGRAMS, 2),
    "udp_across": (DATAGRAMS, 2),
    "icmp": ("Icmp:InEchoReps", 1),
}


def test_every_probe_is_counted():
    assert sorted(COUNTED) == of_part(RTT)


def given(probe, **params):
    """These parameters, as far as the probe has them, and each within its maximum."""
    maximum = {p.name: p.maximum for p in library.probe(RTT + probe).parameters}
    return {name: min(value, maximum[name]) for name, value in known(RTT + probe, params).items()}


def grown(probe, params, *samples):
    """What each counter of a network grows by when the probe alone uses it, and the operations of each
    sample: of runs with these numbers of samples."""
    possible(RTT + probe)
    requests = [[RTT + probe, params, count] for count in samples]
    return in_python(network.grown, requests, prefix=own())


@pytest.mark.parametrize("probe", COUNTED)
def test_a_sample_has_its_number_of_round_trips(probe):
    counter, each = COUNTED[probe]
    params = given(probe, rounds=4)
    rounds = params.get("rounds", 1)
    (few, _), (many, ops) = grown(probe, params, 3, 13)
    assert ops == [rounds] * 13
    assert many[counter] - few[counter] == (13 - 3) * rounds * each


def test_hold_idle_sets_the_kernel_s_latency_limit_to_0():
    device = Path("/dev/cpu_dma_latency")
    need(os.access(device, os.W_OK), "this user may not write to /dev/cpu_dma_latency")

    def most_us():
        with device.open("rb") as file:
            return int.from_bytes(file.read(4), "little", signed=True)

    before = most_us()
    if before == 0:
        pytest.skip("somebody else holds them")
    with Running(RTT + "tcp", hold_idle=1):
        held = most_us()
    assert (held, most_us()) == (0, before)
