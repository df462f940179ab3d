"""The probes of throughput where something is in the way, and through the lab: told, nothing left."""

import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.capabilities import installed, need, other_users, own_network, two_cpus, x86_only
from helpers.labs import name_places
from helpers.peers import TOKEN, Peer
from helpers.probes import MIB, NOBODY_ELSE, NOTHING, control_group, in_python, kills_in
from helpers.processes import living_children, probes_of, until
from helpers.receivers import FEW, LONG, PART, PROBES, Receiver, possible, run

from reckon.hosts.lab import Lab, LabUnavailable
from reckon.measurement import library

# --- the other end goes away, or stops ---------------------------------------------------------


@pytest.fixture
def other(monkeypatch):
    """A reckon-peer of the test's own, as the other host."""
    with Peer() as one:
        monkeypatch.setenv("RECKON_PEER_AT", one.at)
        monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
        monkeypatch.delenv("RECKON_PEER_SPACE", raising=False)
        yield one


def attempt(probe, **params):
    try:
        run(probe, 1000, 40.0, **params)
    except library.ReckonError as error:
        return f"{type(error).__name__}: {error}"
    return "ran"


@pytest.mark.parametrize("probe", LONG)
def test_a_probe_whose_receiver_dies_fails_at_once(other, probe):
    possible(probe)
    with ThreadPoolExecutor() as pool:
        said = pool.submit(attempt, probe, **LONG[probe], peer="other")
        assert until(lambda: len(living_children(other.pid)) == LONG[probe].get("streams", 1))
        time.sleep(0.2)  # in the middle of it
        began = time.monotonic()
        os.kill(living_children(other.pid)[0], signal.SIGKILL)
        what = said.result()
    assert what == "ProbeFailed: The receiver went away before it had everything."
    assert time.monotonic() - began < 4  # not the 60 s that are left, nor a time limit of 5 s


def test_a_probe_whose_receiver_stalls_fails_by_its_time_limit(monkeypatch):
    """The other end takes nothing, and stays. All probes at a time, because each waits."""
    probes = [possible(probe) for probe in LONG]
    leave = threading.Event()
    with (
        Receiver(monkeypatch, serve=lambda connection: leave.wait()),
        ThreadPoolExecutor(8) as pool,
    ):
        began = time.monotonic()
        sayings = pool.map(lambda probe: attempt(probe, **LONG[probe], peer="other"), probes)
        said = dict(zip(probes, sayings, strict=True))
        took = time.monotonic() - began
        leave.set()
    told = (
        "ProbeFailed: The receiver took nothing for 5 s; is the other host busy, or the link down?"
    )
    assert said == dict.fromkeys(probes, told)
    assert took < 30  # the probes' own limits, not the 40 s of their callers


def test_a_receiver_that_is_stopped_while_it_should_tell_fails_the_probe(monkeypatch):
    """It has taken everything, and says nothing."""
    leave = threading.Event()

    def take_all(connection):
        while connection.recv(1 << 20):
            pass
        leave.wait()

    with Receiver(monkeypatch, serve=take_all):
        said = attempt("i7_10750h", span_ms=20, peer="other")
        leave.set()
    assert "took nothing for 5 s" in said


def test_what_is_no_peer_or_refuses_is_told(monkeypatch, other):
    monkeypatch.setenv("RECKON_PEER_TOKEN", "another-token-than-theirs")
    assert "both need the same RECKON_PEER_TOKEN" in attempt("tcp", peer="other")
    other.end()
    assert "Nothing listens at" in attempt("tcp", peer="other")
    monkeypatch.delenv("RECKON_PEER_AT")
    said = {probe: attempt(probe, peer="other", **FEW[probe]) for probe in LONG if possible(probe)}
    assert {what.split(":")[0] for what in said.values()} == {"ProbeUnsupported"}
    assert all("needs another host" in what for what in said.values())
    assert "peer is loopback or other" in attempt("mbp2016", peer="nobody")


# --- what this machine does not have -----------------------------------------------------------


def test_without_another_cpu_nothing_is_across():
    said = in_python(
        f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
        f"say({{probe: attempt('{PART}' + probe, params, samples=1) for probe, params in {FEW}.items()}})"
    )
    assert said.pop("tcp_across").startswith("ProbeUnsupported: needs a second CPU")
    assert said["tcp"] == said["mbp2016"] == "ran"
    assert "peer must be loopback" in attempt("tcp_across", peer="other")


def test_the_receiver_is_where_the_probe_says():
    two_cpus()
    cpu = library.default_cpu()
    for probe, place in (("tcp", cpu), ("tcp_across", min(os.sched_getaffinity(0) - {cpu}))):
        with ThreadPoolExecutor() as pool:
            ended = pool.submit(
                library.run, PART + probe, {"streams": 2}, samples=30, warmup=0, priority="none"
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


def test_memory_that_is_not_there_is_not_touched():
    x86_only()
    script = (
        f"say([attempt('{PART}t470', dict(size_bytes=size << 20), samples=1)"
        " for size in (512, 16)])"
    )
    with control_group("memory", max=512 * MIB) as group:
        large, small = in_python(script, group)
        assert large.startswith(
            "ProbeUnsupported: 512 MiB with their page tables do not fit into the "
        )
        assert small == "ran"
        assert kills_in(group) == 0


def test_a_congestion_control_is_taken_or_refused_by_name(tmp_path):
    installed("strace")
    said = in_python(
        f"say([attempt('{PART}' + probe, dict(congestion=name), samples=1, isolated=False)"
        " for probe in ('tcp', 'start') for name in ('reno', 'nosuch', '')])",
        prefix=["strace", "-f", "-qq", "-o", tmp_path / "log", "-e", "trace=setsockopt"],
    )
    refused = "ProbeUnsupported: the congestion control nosuch is not available here: No such file"
    assert [what[: len(refused)] for what in said] == 2 * ["ran", refused, "ran"]
    log = (tmp_path / "log").read_text().splitlines()
    chosen = [text for text in log if "TCP_CONGESTION" in text]
    assert ["nosuch" in text for text in chosen] == 2 * [
        False,
        True,
    ]  # four letters look like an int
    assert [text.endswith("= 0") for text in chosen] == 2 * [True, False]
    gathered = [text for text in log if "TCP_NODELAY, [0]" in text]
    assert len(gathered) == 6  # as a connection is by itself, once for each


def test_an_ordinary_user_can_run_all_but_the_capture():
    other_users()
    x86_only()
    said = in_python(
        f"become({NOBODY_ELSE})\n"
        f"say({{probe: attempt('{PART}' + probe, params, samples=1) for probe, params in {FEW}.items()}})"
    )
    assert said.pop("hpe_i7_860") == "ProbeUnsupported: needs root (CAP_NET_RAW) to capture packets"
    if len(os.sched_getaffinity(0)) < 2:
        said.pop("tcp_across")
    assert set(said.values()) == {"ran"}


def test_where_loopback_has_ipv6_alone_the_probes_run():
    own_network()
    two_cpus(), x86_only()
    alone = 'ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec "$@"'
    said = in_python(
        f"say({{probe: attempt('{PART}' + probe, params, samples=1) for probe, params in {FEW}.items()}})",
        prefix=["unshare", "-n", "sh", "-c", alone, "sh"],
    )
    assert said == dict.fromkeys(PROBES, "ran")


def test_in_this_process_no_probe_leaves_anything_behind():
    x86_only()
    wrong = [
        ("tcp", {"congestion": "nosuch"}),
        ("t470", {"peer": "nobody"}),
        ("mbp2016", {"peer": "x"}),
    ]
    said = in_python(
        f"say([[attempt('{PART}' + probe, params, isolated=False), left_behind()]"
        f" for probe, params in {[*FEW.items(), *wrong]}])"
    )
    assert [left for _, left in said] == [NOTHING] * (len(FEW) + 3)
    assert [what for what, _ in said].count("ran") >= len(FEW) - 2


def test_a_probe_that_runs_out_of_descriptors_leaves_none_behind():
    probes = [probe for probe in FEW if probe != "tcp_across"]
    said = in_python(
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE)\nsaid = []\n"
        "for limit in range(files_before, files_before + 12):\n"
        f"    for probe, params in [(probe, {FEW}[probe]) for probe in {probes}]:\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))\n"
        f"        what = attempt('{PART}' + probe, params, samples=1, isolated=False)\n"
        "        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))\n"
        "        said.append([what, left_behind()])\n"
        "say(said)"
    )
    assert all(left == NOTHING for _, left in said)
    assert said[0][0] != "ran" and said[-len(probes)][0] == "ran", said


# --- through the lab ---------------------------------------------------------------------------


@pytest.fixture
def lab(monkeypatch):
    """lab(rate) is a second host behind 10 ms and that rate, and what the probes then talk to."""
    labs = []

    def start(rate_bit_per_s):
        try:
            labs.append(Lab(rtt_s=0.010, rate_bit_per_s=rate_bit_per_s))
        except LabUnavailable as cannot:
            need(False, str(cannot))
        name_places(monkeypatch, labs[-1].places)
        return labs[-1]

    yield start
    for one in labs:
        one.close()


@pytest.mark.timed
def test_twice_the_rate_is_twice_the_throughput(lab):
    """Of what the receiver has, in its own time; and what the queue dropped was sent again."""
    rates = {}
    for megabit in (10, 20):
        link = lab(megabit * 1e6)
        one = run("tcp", 10, peer="other", congestion="reno", skip_ms=300, window_ms=200)
        rates[megabit] = one.ops.sum() / (one.ticks.sum() / library.tick_hz()) * 8
        dropped = link.counters()["to_peer"]["dropped"]
        assert dropped > 0 and one.retransmits >= dropped / 2
    assert 1.8 < rates[20] / rates[10] < 2.2
    assert 0.9 < rates[10] / (10e6 * 1448 / 1500) < 1.02


def test_every_probe_runs_through_the_lab(lab):
    lab(100e6)
    for probe in LONG:
        one = run(possible(probe), 2, **FEW[probe], peer="other")
        assert (one.ops > 0).all() and (one.ticks > 0).all(), probe


@pytest.mark.timed
def test_throughput_grows_after_the_first_byte(lab):
    lab(100e6)
    # The most of each: another's load only takes bytes away.
    first, later = (
        run("start", 9, peer="other", congestion="reno", after_ms=after).ops.max()
        for after in (0, 40)
    )
    assert 10_000 < first < later / 3
