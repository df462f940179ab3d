"""The servers that network probes start: on which CPU they run, and by which scheduling policy."""

import os

import pytest
from helpers.capabilities import two_cpus
from helpers.network import ACROSS, CONNECT, PROBES, RTT, THROUGHPUT, Running, possible

from reckon.measurement import library

# Those that run for long: a process closes few connections in order.
BY_RESET = [CONNECT + name for name in ("connect", "close_reset", "setup_wire", "socket_connect")]
LASTING = [
    *BY_RESET,
    *(CONNECT + name for name in ("connect_across", "t470_connect", "i7_10750h_connect")),
    *(RTT + name for name in ("tcp", "udp", "tcp_wire", "t470", "i7_10750h", "hpe_i7_860")),
    *(RTT + name for name in ("tcp_across", "udp_across")),
    *(THROUGHPUT + name for name in ("tcp", "tcp_across")),
]


@pytest.mark.parametrize("name", ["tcp", "tcp_across"])
def test_both_ends_of_several_streams_may_use_every_cpu(name):
    """Four senders on one CPU would show what that CPU sends, not what the link carries."""
    two_cpus()
    with Running(THROUGHPUT + name, streams=3) as running:
        senders = [int(thread) for thread in os.listdir(f"/proc/{running.probe}/task")]
        senders.remove(running.probe)
        places = [os.sched_getaffinity(pid) for pid in [*senders, *running.servers]]
        own = os.sched_getaffinity(running.probe)
    assert own == {library.default_cpu()}
    assert len(senders) == 3 and places == [os.sched_getaffinity(0)] * len(places)


@pytest.mark.parametrize("name", LASTING)
def test_a_server_is_on_the_probes_cpu_or_on_the_lowest_other_one(name):
    two_cpus()
    possible(name)
    with Running(name) as running:
        places = [os.sched_getaffinity(pid) for pid in running.servers]
        policy = os.sched_getscheduler(running.servers[-1])
    cpu = library.default_cpu()
    expected = min(os.sched_getaffinity(0) - {cpu}) if name in ACROSS else cpu
    assert places == [{expected}] * len(places)
    assert name in PROBES and (policy == os.SCHED_BATCH) == (name in BY_RESET)
