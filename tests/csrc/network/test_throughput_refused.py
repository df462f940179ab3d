"""The probes of throughput where the receiver or the machine fails them, and through the lab host."""

import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.capabilities import installed, two_cpus, x86_only
from helpers.labs import started_lab
from helpers.network import THROUGHPUT, possible
from helpers.peers import FakePeer, Peer
from helpers.probes import MIB, control_group, in_python, kills_in
from helpers.processes import living_children, probes_of, until
from helpers.receivers import LONG, read_all, run

from reckon.measurement import library

# --- the receiver goes away, or stops ----------------------------------------------------------


def failure(probe, places, **params):
    """The sentence with which a long run of the probe fails."""
    with pytest.raises(library.ProbeFailed) as failed:
        run(probe, places, 1000, 40.0, **params)
    return str(failed.value)


@pytest.mark.parametrize("probe", LONG)
def test_a_receiver_that_dies_fails_the_probe_at_once(probe):
    possible(THROUGHPUT + probe)
    with Peer() as peer, ThreadPoolExecutor() as pool:
        outcome = pool.submit(failure, probe, peer.places, **LONG[probe])
        assert until(lambda: len(living_children(peer.pid)) == LONG[probe].get("streams", 1))
        time.sleep(0.2)  # in the middle of it
        began = time.monotonic()
        os.kill(living_children(peer.pid)[0], signal.SIGKILL)
        assert outcome.result() == "The receiver went away before it had everything."
    assert time.monotonic() - began < 4  # not the 60 s that are left, nor a time limit of 5 s


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
            began = time.monotonic()
            sentence = failure(probe, peer.places, **params)
            leave.set()
        return sentence, time.monotonic() - began < 30  # the probe's limit, not its caller's 40 s

    sentence = "The receiver took nothing for 5 s; is the other host busy, or the link down?"
    with ThreadPoolExecutor(len(cases)) as pool:
        assert list(pool.map(outcome, cases)) == [(sentence, True)] * len(cases)


# --- this machine ------------------------------------------------------------------------------


def test_the_receiver_is_on_the_sender_s_cpu_or_on_another():
    two_cpus()
    cpu = library.default_cpu()
    for probe, place in (("tcp", cpu), ("tcp_across", min(os.sched_getaffinity(0) - {cpu}))):
        with ThreadPoolExecutor() as pool:
            ended = pool.submit(
                library.run,
                THROUGHPUT + probe,
                {"streams": 2},
                samples=30,
                warmup=0,
                priority="none",
            )  # leaves this test some time, too
            seen = set()
            while not ended.done():
                for process in probes_of(os.getpid()):
                    for peer in living_children(process):
                        for service in living_children(peer):
                            with contextlib.suppress(ProcessLookupError):
                                seen.add(tuple(os.sched_getaffinity(service)))
                time.sleep(0.02)
            ended.result()
        assert seen == {(place,)}, probe


def test_more_memory_than_the_control_group_has_is_unsupported():
    x86_only()
    script = (
        f"say([attempt('{THROUGHPUT}t470', dict(size_bytes=size << 20), samples=1)"
        " for size in (512, 16)])"
    )
    with control_group("memory", max=512 * MIB) as group:
        large, small = in_python(script, group)
        assert large.startswith(
            "ProbeUnsupported: 512 MiB with their page tables do not fit into the "
        )
        assert small == "ran"
        assert kills_in(group) == 0


def test_the_congestion_control_is_set_or_unsupported(tmp_path):
    installed("strace")
    log = tmp_path / "log"
    outcomes = in_python(
        f"say([attempt('{THROUGHPUT}' + probe, dict(congestion=name), samples=1, isolated=False)"
        " for probe in ('tcp', 'start') for name in ('reno', 'nosuch', '')])",
        # By seccomp-bpf no other call is slowed down: a stream that began late would have no sample.
        prefix=["strace", "-f", "--seccomp-bpf", "-qq", "-o", log, "-e", "trace=setsockopt"],
    )
    refused = "ProbeUnsupported: the congestion control nosuch is not available here: No such file"
    assert [outcome[: len(refused)] for outcome in outcomes] == 2 * ["ran", refused, "ran"]
    calls = log.read_text().splitlines()
    chosen = [text for text in calls if "TCP_CONGESTION" in text]
    assert ["nosuch" in text for text in chosen] == 2 * [
        False,
        True,
    ]  # four letters look like an int
    assert [text.endswith("= 0") for text in chosen] == 2 * [True, False]
    gathered = [text for text in calls if "TCP_NODELAY, [0]" in text]
    assert len(gathered) == 6  # as a connection is by itself, once for each


# --- through the lab ---------------------------------------------------------------------------


@pytest.mark.timed
def test_twice_the_rate_is_twice_the_throughput():
    """Of what the receiver has, in its own time; and what the queue dropped was sent again."""
    rates = {}
    for megabit in (10, 20):
        with started_lab(0.010, megabit * 1e6) as lab:
            windows = {"skip_ms": 300, "window_ms": 200}
            samples = run("tcp", lab.places, 10, congestion="reno", **windows)
            dropped = lab.counters()["to_peer"]["dropped"]
        rates[megabit] = samples.ops.sum() / (samples.ticks.sum() / library.tick_hz()) * 8
        assert dropped > 0 and samples.retransmits >= dropped / 2
    assert 1.8 < rates[20] / rates[10] < 2.2
    assert 0.9 < rates[10] / (10e6 * 1448 / 1500) < 1.02


def test_every_probe_runs_through_the_lab():
    with started_lab(0.010, 100e6) as lab:
        for probe in LONG:
            possible(THROUGHPUT + probe)
            samples = run(probe, lab.places, 2)
            assert (samples.ops > 0).all() and (samples.ticks > 0).all(), probe


@pytest.mark.timed
def test_throughput_grows_after_the_first_byte():
    with started_lab(0.010, 100e6) as lab:
        # The most of each: another's load only takes bytes away.
        first, later = (
            run("start", lab.places, 9, congestion="reno", after_ms=after).ops.max()
            for after in (0, 40)
        )
    assert 10_000 < first < later / 3
