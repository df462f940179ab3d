"""The probes of throughput where the receiver or the machine fails them."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.network import THROUGHPUT, possible
from helpers.peers import FakePeer, Peer
from helpers.probes import in_python
from helpers.processes import is_serving, living_children, until
from helpers.receivers import LONG, read_all, run
from helpers.traces import strace

from reckon.measurement import library

# --- the receiver goes away, or stops ----------------------------------------------------------


def failure(probe, locations, **params):
    """The sentence with which a long run of the probe fails."""
    with pytest.raises(library.ProbeFailed) as failed:
        run(probe, locations, 1000, 40.0, **params)
    return str(failed.value)


def serving(peer, streams):
    """The processes that receive these streams, once all of them do."""
    services = living_children(peer.pid)
    return services if len(services) == streams and all(map(is_serving, services)) else []


@pytest.mark.parametrize("probe", LONG)
def test_a_receiver_that_dies_fails_the_probe(probe):
    possible(THROUGHPUT + probe)
    with Peer() as peer, ThreadPoolExecutor() as pool:
        outcome = pool.submit(failure, probe, peer.locations, **LONG[probe])
        services = until(lambda: serving(peer, LONG[probe].get("streams", 1)))
        os.kill(services[0], signal.SIGKILL)
        # Not the sentence of a time limit.
        assert outcome.result() == "The receiver went away before it had everything."


def take_nothing(connection):
    """As a receiver that is stopped."""


def test_a_receiver_that_stalls_fails_the_probe_by_its_time_limit():
    """It takes nothing; or everything, and sends no notes. All probes at a time, because each waits."""
    cases = [(probe, take_nothing, LONG[probe]) for probe in LONG]
    cases.append(("i7_10750h", read_all, {}))

    def outcome(case):
        probe, receive, params = case
        possible(THROUGHPUT + probe)
        leave = threading.Event()

        def serve(connection, *_):
            connection.sendall(b"ok\n")
            receive(connection)
            leave.wait(60)

        with FakePeer(serve) as peer:
            sentence = failure(probe, peer.locations, **params)
            leave.set()
        return sentence

    # The probe's own limit, not that of its caller.
    sentence = "The receiver took nothing for 5 s; is the other host busy, or the link down?"
    with ThreadPoolExecutor(len(cases)) as pool:
        assert list(pool.map(outcome, cases)) == [sentence] * len(cases)


# --- this machine ------------------------------------------------------------------------------


def test_the_congestion_control_is_set_or_unsupported(tmp_path):
    log = tmp_path / "log"
    outcomes = in_python(
        f"say([attempt('{THROUGHPUT}' + probe, dict(congestion=name), samples=1, isolated=False)"
        " for probe in ('tcp', 'start') for name in ('reno', 'nosuch', '')])",
        # By seccomp-bpf no other call is slowed down: a stream that began late would have no sample.
        prefix=strace(log, "setsockopt", "--seccomp-bpf"),
    )
    refused = "ProbeUnsupported: the congestion control nosuch is not available here: No such file"
    assert [outcome[: len(refused)] for outcome in outcomes] == 2 * ["ran", refused, "ran"]
    calls = log.read_text().splitlines()
    chosen = [text for text in calls if "TCP_CONGESTION" in text]
    # Four letters look like an int.
    assert ["nosuch" in text for text in chosen] == 2 * [False, True]
    assert [text.endswith("= 0") for text in chosen] == 2 * [True, False]
    gathered = [text for text in calls if "TCP_NODELAY, [0]" in text]
    assert len(gathered) == 6  # as a connection is by itself, once for each
