"""The probes of network/connect: what is on the wire, what is counted, and how the server waits."""

import os
import re

import pytest
from helpers.capabilities import installed, two_cpus, x86_only
from helpers.network import ACROSS, CAPTURING, CONNECT, of_part, own
from helpers.probes import disassembled, in_python

from reckon.measurement import library

PROBES, WIRE = of_part(CONNECT), of_part(CONNECT, CAPTURING)
HELD = [probe for probe in WIRE if "hpe" in probe]
IN_ORDER = [
    probe for probe in PROBES if re.search("hpe|teardown|(?<!_)close(?!_reset)|_close$", probe)
]
BY_RESET = [probe for probe in PROBES if probe not in IN_ORDER]
PATIENT = ["close", "close_reset", "connect", "setup_wire", "socket_connect", "teardown_wire"]


def test_each_list_of_this_file_has_its_probes():
    assert len(IN_ORDER) == 8 and len(BY_RESET) == 8 and set(PATIENT) <= set(PROBES)


def in_own_network(script, settings="true"):
    """What the script says in a network of its own with these settings."""
    head = f"from helpers import connections\nPART = {CONNECT!r}\n"
    return in_python(head + script, prefix=own(f"ip link set lo up && {settings}"))


# --- on the wire -------------------------------------------------------------------------------

SEE = """
seen = {}
for probe in %s:
    if probe.endswith("_across") and len(os.sched_getaffinity(0)) < 2:
        continue
    capture = connections.Capture()
    one = library.run(PART + probe, %s, samples=12, warmup=0)
    found = connections.connections(capture.packets())
    ns = (one.ticks / library.tick_hz() * 1e9).tolist()
    seen[probe] = [{**vars(c), "ns": t, "setup": c.established and c.setup_ns,
                  "teardown": c.over and c.teardown_ns, "held": c.fin and c.held_ns}
                 for c, t in zip(found, ns, strict=True)]
say(seen)
"""


@pytest.fixture(scope="module")
def seen():
    """{probe: its connections, each with the probe's own time of it}, by a capture beside the probe.
    Not of socket_connect, which makes a connection before anything is timed."""
    probes = [probe for probe in PROBES if not re.search("socket_connect|mbp2016_setup", probe)]
    return in_own_network(SEE % (probes, {}))


def test_a_connection_ends_in_order_or_by_reset(seen):
    two_cpus()
    for probe, connections in seen.items():
        for connection in connections:
            if probe in IN_ORDER:
                assert (connection["fins"], connection["resets"]) == ([1, 1], [0, 0]), probe
            else:
                assert (connection["fins"], connection["resets"]) == ([0, 0], [1, 0]), probe
    assert len(seen) == len(PROBES) - 2


def test_the_handshake_on_the_wire_is_within_the_callers_time(seen):
    callers = [probe for probe in seen if re.search("connect", probe)]
    assert len(callers) == 4
    for probe in callers:
        for connection in seen[probe]:
            assert 0 < connection["setup"] <= connection["ns"] * 1.001, probe


@pytest.mark.parametrize("probe", WIRE)
def test_the_probe_finds_the_same_packets_as_another_capture(seen, probe):
    part = "setup" if "setup" in probe else "teardown"
    for connection in seen[probe]:
        assert connection["ns"] == pytest.approx(
            connection[part], rel=0.002
        )  # the same stamps, another clock


def test_a_held_connection_is_held(seen):
    for probe in HELD:
        assert all(connection["held"] >= 1_000_000 for connection in seen[probe])
    held = in_own_network(SEE % (HELD, {"hold_us": 5000}))
    assert all(held_ns["held"] >= 5_000_000 for probe in HELD for held_ns in held[probe])


# --- what is counted ---------------------------------------------------------------------------

COUNT = """
def tcp():
    lines = [line.split() for line in open("/proc/net/snmp") if line.startswith("Tcp:")]
    counted = dict(zip(lines[0][1:], map(int, lines[1][1:])))
    return [counted["ActiveOpens"], counted["PassiveOpens"]]
def time_wait():
    words = next(line for line in open("/proc/net/sockstat") if line.startswith("TCP:")).split()
    return int(words[words.index("tw") + 1])
found = {}
for probe in %s:
    for _ in range(4):  # a busy machine acknowledges late, and what is on its way is counted late
        time.sleep(0.05)
        before, waiting = tcp(), time_wait()
        one = library.run(PART + probe, {}, samples=25, warmup=0)
        grown = one.time_wait - waiting
        if one.retransmits == 0 and grown in (0, 25):
            break
    found[probe] = [after - b for after, b in zip(tcp(), before)] + [
        one.retransmits, one.listen_overflows, one.listen_drops, int(one.ops.sum()), grown]
say(found)
"""


@pytest.mark.parametrize("most_waiting", [None, 1])
def test_as_many_are_accepted_as_are_made_and_time_wait_has_the_orderly_ones(most_waiting):
    """Also where the accept queue takes one alone. The probe counts TIME_WAIT before it ends the
    connection that requested the service."""
    two_cpus()
    settings = f"sysctl -qw net.core.somaxconn={most_waiting}" if most_waiting else "true"
    for probe, (active, passive, *counted) in in_own_network(COUNT % PROBES, settings).items():
        first = probe in ("socket_connect", "mbp2016_setup")
        assert active == passive == 25 + 1 + first, probe
        assert counted == [0, 0, 0, 25, 25 if probe in IN_ORDER else 0], probe


def test_a_process_closes_at_most_a_thousand_connections_in_order():
    outcomes = in_own_network(
        "say([attempt(PART + probe, {}, samples=n) for probe, n in"
        " (('connect', 1001), ('close', 1000), ('close', 1001))])"
    )
    assert outcomes[:2] == ["ran", "ran"]
    assert outcomes[2].startswith(
        "ProbeUnsupported: A process closes at most 1000 connections in order"
    )


FEW_PORTS = "sysctl -qw net.ipv4.ip_local_port_range='40000 40099'"


def test_closing_in_order_is_unsupported_where_half_of_the_ports_would_be_in_time_wait():
    """Of 100 ports, 20 in TIME_WAIT and 20 more are not yet half; 60 are."""
    outcomes = in_own_network(
        "say({probe: [attempt(PART + probe, {'ports_wait_ms': wait} if wait is not None else {},"
        " samples=20) for _ in range(3)]"
        " for probe, wait in (('close_reset', None), ('close', 0))})",
        FEW_PORTS,
    )
    assert outcomes["close_reset"] == 3 * ["ran"]
    assert outcomes["close"][:2] == 2 * ["ran"]
    assert re.match(
        r"ProbeUnsupported: 4\d connections in TIME_WAIT and 20 more would hold over half of "
        r"the 100 local ports; wait a minute\.$",
        outcomes["close"][2],
    )


def test_a_probe_waits_for_ports_that_are_in_time_wait():
    """They are given back early here, where the kernel can do so (ss --kill)."""
    installed("ss")
    said, waited = in_own_network(
        "import subprocess, threading\n"
        "kill = ['ss', '-H', '-K', '-tan', 'state', 'time-wait']\n"
        "said = [attempt(PART + 'close', {}, samples=20) for _ in range(2)]\n"
        "threading.Timer(1, subprocess.run, [kill], {'stdout': subprocess.DEVNULL}).start()\n"
        "begin = time.monotonic()\n"
        "said.append(attempt(PART + 'close', {'ports_wait_ms': 8000}, samples=20))\n"
        "say([said, time.monotonic() - begin])",
        FEW_PORTS,
    )
    if "TIME_WAIT" in said[2]:
        pytest.skip("this kernel does not give ports back early")
    assert said == 3 * ["ran"] and waited > 0.9


# --- where the server is, and how it waits -----------------------------------------------------


WATCH = """
import contextlib
from pathlib import Path
import threading
def children(parent):
    files = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(pid) for file in files for pid in file.read_text().split()]
def seen(probe, samples):
    found = set()
    runner = threading.Thread(target=attempt, args=(PART + probe, {}), kwargs=dict(
        samples=samples, deadline_s=0.5, priority="none"))
    runner.start()
    while runner.is_alive():
        with contextlib.suppress(OSError):
            for probe in children(os.getpid()):
                for server in children(probe):
                    for service in children(server):
                        found.add((*os.sched_getaffinity(service), os.sched_getscheduler(service)))
    runner.join()
    return sorted(found)
def seen_in_some_run(probe, samples):  # a busy machine may be done before it was looked at
    return next(filter(None, (seen(probe, samples) for _ in range(4))), [])
say({probe: seen_in_some_run(probe, samples) for probe, samples in %s.items()})
"""


def test_the_server_has_the_cpu_and_the_scheduling_policy_of_the_probe():
    """The one that is watched is a child of the probe's own reckon-peer."""
    two_cpus()
    x86_only()
    samples = {
        probe: 1000 if probe in IN_ORDER else 100_000 for probe in PROBES if probe not in WIRE
    }
    cpu = library.default_cpu()
    other = min(os.sched_getaffinity(0) - {cpu})
    for probe, outcome in in_own_network(WATCH % samples).items():
        policy = os.SCHED_BATCH if probe in PATIENT else os.SCHED_OTHER
        expected_cpu = other if CONNECT + probe in ACROSS else cpu
        assert outcome == [[expected_cpu, policy]], probe


@pytest.mark.parametrize(
    ("function", "instructions"),
    [
        ("run_t470_connect", ["rdtsc", "rdtscp", "rdtsc", "rdtscp"]),
        ("run_t470_close", ["rdtsc", "rdtscp", "rdtsc", "rdtscp"]),
        ("run_i7_10750h_connect", ["cpuid", "rdtsc", "rdtscp", "cpuid"]),
        ("run_i7_10750h_close", ["cpuid", "rdtsc", "rdtscp", "cpuid"]),
    ],
)
def test_the_reports_stamps_stand_around_the_call_alone(function, instructions):
    code = disassembled("network/connect.o0.o")[function]
    words = [text.split()[0] for _, text in code]
    body = [word for word in words if word in ("cpuid", "rdtsc", "rdtscp", "call")]
    stamps = [i for i, word in enumerate(body) if word != "call"]
    assert [body[i] for i in stamps] == instructions
    between = body[stamps[-2 if "t470" in function else -3] : stamps[-1]]
    assert between.count("call") == 1  # connect() or close()
