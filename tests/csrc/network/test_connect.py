"""The probes of network/connect: what is on the wire, and what is counted."""

import re

import pytest
from helpers.capabilities import installed, two_cpus
from helpers.network import CAPTURING, CONNECT, of_part, own
from helpers.probes import disassembled, in_python
from helpers.programs import attempts, network

PROBES, WIRE = of_part(CONNECT), of_part(CONNECT, CAPTURING)
HELD = [probe for probe in WIRE if "hpe" in probe]
IN_ORDER = [
    probe for probe in PROBES if re.search("hpe|teardown|(?<!_)close(?!_reset)|_close$", probe)
]


def in_own_network(program, *arguments, settings="true"):
    """What the program says in a network of its own with these settings."""
    return in_python(program, *arguments, prefix=own(f"ip link set lo up && {settings}"))


# --- on the wire -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seen():
    """{probe: its connections, each with the probe's own time of it}, by a capture beside the probe.
    Not of socket_connect, which makes a connection before anything is timed."""
    probes = [probe for probe in PROBES if not re.search("socket_connect|mbp2016_setup", probe)]
    return in_own_network(network.connections_of, probes, {})


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
    held = in_own_network(network.connections_of, HELD, {"hold_us": 5000})
    assert all(held_ns["held"] >= 5_000_000 for probe in HELD for held_ns in held[probe])


# --- what is counted ---------------------------------------------------------------------------


@pytest.mark.timed  # a segment that a busy machine acknowledges late is sent again, and counted
@pytest.mark.parametrize("most_waiting", [None, 1])
def test_every_connection_is_accepted_and_counted_by_how_it_ended(most_waiting):
    """Also where the accept queue takes one alone. The probe counts TIME_WAIT before it ends the
    connection that requested the service."""
    two_cpus()
    settings = "ip link set lo up"
    if most_waiting:
        settings += f" && sysctl -qw net.core.somaxconn={most_waiting}"
    results = in_own_network(network.accepted, PROBES, 25, settings)
    for probe, (active, passive, *counted, time_wait) in results.items():
        first = probe in ("socket_connect", "mbp2016_setup")
        assert active == passive == 25 + 1 + first, probe
        assert counted == [0, 0, 0, 25], probe
        # The peer's answer to the last FIN may come after the probe has counted.
        assert time_wait in ((24, 25) if probe in IN_ORDER else (0,)), probe


def test_a_process_closes_at_most_a_thousand_connections_in_order():
    runs = (("connect", 1001), ("close", 1000), ("close", 1001))
    script = f"say([attempt({CONNECT!r} + probe, {{}}, samples=n) for probe, n in {runs}])"
    outcomes = in_own_network(script)
    assert outcomes[:2] == ["ran", "ran"]
    assert outcomes[2].startswith(
        "ProbeUnsupported: A process closes at most 1000 connections in order"
    )


FEW_PORTS = "sysctl -qw net.ipv4.ip_local_port_range='40000 40099'"


def test_closing_in_order_is_unsupported_with_half_of_the_ports_in_time_wait():
    """Of 100 ports, 20 in TIME_WAIT and 20 more are not yet half; 60 are."""
    requests = 3 * [[CONNECT + "close_reset", {}]] + 3 * [[CONNECT + "close", {"ports_wait_ms": 0}]]
    outcomes = in_own_network(attempts.outcomes, requests, [True], 20, settings=FEW_PORTS)
    *ran, (_, last) = outcomes
    assert {outcome for _, outcome in ran} == {"ran"}
    assert re.match(
        r"ProbeUnsupported: 4\d connections in TIME_WAIT and 20 more would hold over half of "
        r"the 100 local ports; wait a minute\.$",
        last,
    )


def test_a_probe_waits_for_ports_that_are_in_time_wait():
    """They are given back early here, where the kernel can do so (ss --kill)."""
    installed("ss")
    outcomes, waited = in_own_network(network.closed_while_ports_return, 1, settings=FEW_PORTS)
    if "TIME_WAIT" in outcomes[2]:
        pytest.skip("this kernel does not give ports back early")
    assert outcomes == 3 * ["ran"] and waited > 0.9


# --- what the compiler made --------------------------------------------------------------------


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
