"""Whoever is killed, a probe or its caller, no process of theirs lives on."""

import os
import signal

import pytest
from helpers.capabilities import installed, two_cpus
from helpers.network import possible
from helpers.probes import MIB, started
from helpers.processes import descendants, pids_gone, probes_of, until

READERS = {"files": 3, "blocks": 6000, "file_bytes": 24 * MIB}
MANY = 1_000_000
# Each would go on for long: its parameters and samples, and how many processes it has at least.
LASTING = {
    "cpu/task/fork": ({"alive": 8}, MANY, 9),
    "cpu/switch/futex_process_across": ({"turns": 100 * MANY}, MANY, 2),
    "cpu/switch/ring": ({"processes": 5, "laps": MANY}, MANY, 5),
    "memory/bandwidth/i7_10750h_two_read": ({}, 100_000, 2),
    "files/contention/slowest": (READERS, 1, 4),
    "files/contention/fio": ({"files": 3, "file_bytes": 24 * MIB, "span_ms": 5000}, 50, 2),
    "network/connect/connect": ({}, MANY, 3),
    "network/rtt/tcp": ({"rounds": MANY}, MANY, 3),
    "network/rtt/mbp2016": ({"rounds": MANY}, MANY, 1),  # its server is a thread
    "network/rtt/i7_10750h": ({}, MANY, 4),  # ncat, which hands on to cat
    "network/rtt/ping": ({"interval_ms": 1000}, 50, 2),
    "network/rtt/sockperf": ({"span_ms": 5000}, 50, 3),
    "network/throughput/iperf3": ({"span_ms": 30_000}, 50, 3),
}
PROGRAMS = {"fio", "ping", "sockperf", "iperf3"}


@pytest.mark.parametrize("victim", ["probe", "caller"])
@pytest.mark.parametrize("probe", LASTING)
def test_no_process_outlives_a_killed_probe_or_caller(probe, victim):
    installed(*PROGRAMS & {probe.rpartition("/")[2]})
    possible(probe)
    two_cpus()
    params, samples, count = LASTING[probe]
    script = f"say(attempt({probe!r}, {params}, samples={samples}, deadline_s=60))"

    def complete():
        pids = descendants(caller.pid)
        return pids if len(pids) >= count else []

    with started(script) as caller:
        running = until(complete, 20)
        assert running, f"no {count} processes"
        os.kill(probes_of(caller.pid)[0] if victim == "probe" else caller.pid, signal.SIGKILL)
        output = caller.communicate(timeout=30)[0]
    assert output == (
        "" if victim == "caller" else f'"ProbeFailed: {probe} died of signal 9 (Killed)."\n'
    )
    assert pids_gone(running)


# A partner that dies is a failure of the run: parameters and samples, what it says, and how many
# children the probe has (the first of two removes the control group).
PARTNERS = {
    "cpu/switch/process": ({"turns": MANY}, 10, "the token was lost: Broken pipe", 1),
    "files/cache/limited": (
        {"limit_bytes": 32 * MIB, "file_bytes": 64 * MIB},
        MANY,
        "the reader in the control group died of signal 9 (Killed)",
        2,
    ),
}


@pytest.mark.parametrize("probe", PARTNERS)
def test_a_killed_partner_is_a_failure_that_says_what_was_lost(probe):
    possible(probe)
    params, samples, sentence, count = PARTNERS[probe]
    script = f"say(attempt({probe!r}, {params}, samples={samples}, deadline_s=60))"

    def complete():
        children = [pid for probe in probes_of(caller.pid) for pid in descendants(probe)]
        return children if len(children) == count else []

    with started(script) as caller:
        children = until(complete, 20)
        assert children
        os.kill(max(children), signal.SIGKILL)
        output = caller.communicate(timeout=30)[0]
    assert output == f'"ProbeFailed: {sentence}"\n'
