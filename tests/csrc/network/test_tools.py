"""The probes of other programs: what they print is read correctly, and nothing else becomes a sample."""

import os
import re

import pytest
from helpers.capabilities import need
from helpers.everything import why_not
from helpers.probes import median_ns
from helpers.tools import (
    IPERF3,
    LISTEN,
    NETWORK,
    PING,
    PROGRAM,
    REAL,
    SOCKPERF,
    outcome_of,
    outcomes_in_turn,
)

from reckon.measurement import library

# --- what they measure -------------------------------------------------------------------------

pytestmark = pytest.mark.usefixtures("programs")


def pings():
    """Skip where this user may send no echo request (ping_group_range)."""
    reason = why_not(library.probe(PING))
    need(not reason, f"ping does not run: {reason}")


def us_of(samples):
    return samples.ticks / library.tick_hz() * 1e6


@pytest.mark.parametrize("samples", [1, 7, 50])
@pytest.mark.parametrize("probe", [PING, SOCKPERF])
def test_each_requested_round_trip_is_a_sample(probe, samples):
    if probe == PING:
        pings()
    outcome = library.run(probe, samples=samples, warmup=0)
    assert len(outcome.ticks) == samples and (outcome.ops == 1).all()
    assert (outcome.ticks > 0).all() and us_of(outcome).sum() < outcome.wall_ns / 1e3


@pytest.mark.parametrize(
    ("probe", "reckons", "factor"),
    [
        (PING, "network/rtt/icmp", 10),  # the CPU sleeps between ping's echoes
        (SOCKPERF, "network/rtt/tcp", 3),
        (IPERF3, "network/throughput/tcp_across", 5),
    ],
)
@pytest.mark.timed
def test_a_program_s_figure_is_that_of_reckon_s_probe_within_a_factor(probe, reckons, factor):
    if probe == PING:
        pings()
    results = [
        median_ns(name, processes=1, warmup=0, samples=2 if name == IPERF3 else 20)
        for name in (probe, reckons)
    ]
    assert 1 / factor < results[0] / results[1] < factor, results


@pytest.mark.timed
def test_a_longer_span_is_rounded_up_to_whole_seconds():
    samples = library.run(IPERF3, {"span_ms": 1001}, samples=1, warmup=0)
    assert 1.5 < us_of(samples)[0] / 1e6 < 3


def test_the_counters_of_tcp_are_noted_where_it_is_tcp():
    assert library.run(SOCKPERF, samples=1, warmup=0).retransmits >= 0
    assert library.run(IPERF3, samples=1, warmup=0).listen_overflows >= 0
    pings()
    assert library.run(PING, samples=1, warmup=0).retransmits == -1


@pytest.mark.parametrize(
    ("probe", "params", "expected"),
    [
        (
            PING,
            {"size_bytes": 100, "interval_ms": 30},
            r"-n -i 0\.030 -s 100 -c 2 -w \d+ 127\.0\.0\.1\n",
        ),
        (
            SOCKPERF,
            {"size_bytes": 200, "span_ms": 1500},
            r"server --tcp -i 127\.0\.0\.1 -p (\d+)\n(?:.*\n)+ping-pong --tcp --full-rtt -i 127\.0\.0\.1 "
            r"-p \1 -t 2 --msg-size 200 --full-log /proc/self/fd/\d+\n",
        ),
        (
            IPERF3,
            {"size_bytes": 300},
            r"-s -1 -B 127\.0\.0\.1 -p (\d+)\n(?:.*\n)+-c 127\.0\.0\.1 -p \1 -l 300 -t 1 -J\n",
        ),
    ],
)
def test_parameters_reach_the_program_and_the_peers_token_does_not(
    pretend, tmp_path, monkeypatch, probe, params, expected
):
    monkeypatch.setenv("RECKON_PEER_TOKEN", "nobody else's business")
    note = f'printf "%s\\n" "$*" >> {tmp_path}/noted; env >> {tmp_path}/noted; exec "$REAL" "$@"'
    assert outcome_of(probe, pretend(PROGRAM[probe], note, note), params=params, samples=1) == "ran"
    text = (tmp_path / "noted").read_text()
    assert re.search(expected, text)
    assert "business" not in text
    programs = 1 if probe == PING else 2
    assert text.count("LC_ALL=C\n") == text.count("PATH=/usr/bin:/bin\n") == programs


@pytest.mark.parametrize("probe", NETWORK)
def test_client_and_server_are_where_the_probe_says(pretend, tmp_path, probe):
    look = f'grep Cpus_allowed_list /proc/self/status >> {tmp_path}/$1; exec "$REAL" "$@"'
    cpu = library.default_cpu()
    assert outcome_of(probe, pretend(PROGRAM[probe], look, look)) == "ran"

    def where(word):
        return {int(line.split()[1]) for line in (tmp_path / word).read_text().splitlines()}

    if probe == PING:
        assert where("-n") == {cpu}
    if probe == SOCKPERF:
        assert where("ping-pong") == where("server") == {cpu}
    if probe == IPERF3:
        assert where("-c") == {cpu} and where("-s") == {min(os.sched_getaffinity(0) - {cpu})}


# --- read correctly, and nothing implausible ----------------------------------------------------

ECHO = "64 bytes from 127.0.0.1: icmp_seq={} ttl=64 time={} ms"
ECHOES = [
    "PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.",
    ECHO.format(1, 4.25),
    ECHO.format(2, "0.034"),
    ECHO.format(3, "1.07"),
    "",
    "--- 127.0.0.1 ping statistics ---",
    "3 packets transmitted, 3 received, 0% packet loss, time 4ms",
]
LOG = [
    "------------------------------",
    "test was performed using the following parameters: --full-rtt",
    "sockperf: ---> percentile 50.000 =   13.369",
    "packet, txTime(sec), rxTime(sec), rtt(usec)",
    "0, 2.100000000, 2.100011000, 11.000",
    "1, 2.200000000, 2.200022000, 22.000",
    "2, 2.300000000, 2.300033000, 33.000",
    "3, 2.400000000, 2.400044000, 44.000",
    "4, 2.500000000, 2.500055000, 55.000",
    "5, 2.600000000, 2.600066000, 66.000",
    "------------------------------",
]
SUM = '"sum_received": {"start": 0, "seconds": 1.25, "bytes": 5000000000, "bits_per_second": 32e9}'
REPORT = [
    '{"intervals": [{"sum": {"seconds": 9, "bytes": 9, "bits_per_second": 8}}], "end": {',
    '"sum_sent": {"seconds": 1.0, "bytes": 7, "bits_per_second": 56},',
    SUM,
    "}}",
]


@pytest.fixture
def printing(pretend, tmp_path):
    """[ns, operations] or the error of a probe whose program prints these lines, case after case. A little
    slow, so that the printed times are plausible."""
    shown = tmp_path / "shown"

    def build(probe, cases):
        client = f"sleep 0.05\ncat {shown}"
        if probe == SOCKPERF:
            client = (
                f'while [ "$1" != --full-log ]; do shift; done\nsleep 0.05\ncat {shown} > "$2"\n'
                "echo sockperf: Test ended"
            )
        prefix = pretend(PROGRAM[probe], client, LISTEN if probe == IPERF3 else REAL)
        texts = [
            ("\n".join(lines) + "\n", {"samples": samples, "warmup": 0}) for lines, samples in cases
        ]
        return outcomes_in_turn(probe, prefix, shown, texts)

    return build


def changed(lines, old, new):
    text = "\n".join(lines)
    assert text.count(old) == 1
    return text.replace(old, new).splitlines()


@pytest.mark.parametrize(
    ("probe", "lines", "expected"),
    [
        (PING, ECHOES, [34_000, 1_070_000]),  # without the first
        *((SOCKPERF, LOG, us) for us in ([22e3, 55e3], [22e3, 44e3, 66e3])),  # evenly spread
        (IPERF3, REPORT, [1.25e9]),  # the receiver's sum
    ],
)
def test_what_a_program_prints_is_read(printing, probe, lines, expected):
    [[ns, ops]] = printing(probe, [(lines, len(expected))])
    assert ns == pytest.approx(expected, rel=0.01)
    assert ops == ([5_000_000_000] if probe == IPERF3 else [1] * len(ns))


ROUND_TRIP = "ping printed an implausible round trip: 64 bytes from 127.0.0.1: icmp_seq=2"
LOGGED = "sockperf logged an implausible round trip: 1, 2."
NO_SUM = "iperf3 reported no sum of what was received"
REFUSED = '{"end": {}, "error": "unable to connect to server: Connection refused"}'
OTHERS_BYTES = '"x": 0}, "other": {"bytes": 5000000000'
IMPLAUSIBLE = {
    PING: [
        (["hello"], "ping printed the times of 0 echoes where 3 were requested."),
        (ECHOES[:3], "ping printed the times of 2 echoes where 3"),
        ([*ECHOES[:3], *ECHOES[2:]], "ping printed echo 2 where echo 3 of 3 was due."),
        ([*ECHOES, ECHO.format(4, 1)], "ping printed echo 4 where 3 were requested."),
        *(
            (changed(ECHOES, "0.034", time), ROUND_TRIP)
            for time in ("0.000", "-0.034", "nan", "60000")
        ),
        (changed(ECHOES, "0.034 ms", "34 us"), "ping printed echo 3 where echo 2 of 3 was due."),
    ],
    SOCKPERF: [
        (["nonsense"], "sockperf logged 0 round trips where 2 were requested; a longer span_ms"),
        (LOG[:5], "sockperf logged 1 round trips where 2 were requested"),
        (changed(LOG, " 22.000", " 11.000"), LOGGED),
        (changed(LOG, "2.200022000, 22.000", "2.200000000, 0.000"), LOGGED),
        (changed(LOG, "2.200022000, 22.000", "9.2, 7000000"), LOGGED),
        (changed(LOG, "1, 2.2", "7, 2.2"), "sockperf logged an implausible round trip: 7, 2.2"),
    ],
    IPERF3: [
        (["nonsense"], f"{NO_SUM}: nonsense"),
        (REPORT[:2], NO_SUM),
        ([*REPORT, *REPORT], NO_SUM),
        (changed(REPORT, "5000000000", '"many"'), NO_SUM),
        (changed(REPORT, '"bytes": 5000000000', OTHERS_BYTES), NO_SUM),
        *(
            (changed(REPORT, "5000000000", count), f"iperf3 reported {count} bytes in 1.25 s where")
            for count in ("0", "-5")
        ),
        (changed(REPORT, "1.25", "0.001"), "iperf3 reported 5000000000 bytes in 0.001 s where 1 s"),
        (changed(REPORT, "32e9", "64e9"), "iperf3 reported 5000000000 bytes in 1.25 s and 6.4e+10"),
        ([REFUSED], "iperf3 failed: unable to connect to server: Connection refused"),
    ],
}


@pytest.mark.parametrize("probe", IMPLAUSIBLE)
def test_what_is_implausible_is_no_sample(printing, probe):
    cases = IMPLAUSIBLE[probe]
    outcomes = printing(probe, [(lines, 2) for lines, _ in cases])
    for outcome, (lines, sentence) in zip(outcomes, cases, strict=True):
        assert isinstance(outcome, str) and outcome.startswith(f"ProbeFailed: {sentence}"), lines
