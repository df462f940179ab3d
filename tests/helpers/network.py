"""What the tests of the network probes share: which probe needs what, networks, a probe while it runs."""

import os
import signal
import socket
import threading

import pytest

from helpers.capabilities import given, has_capability, own_network
from helpers.everything import why_not
from helpers.probe_script import attempt
from helpers.probes import MIB, in_python
from helpers.processes import descendants, is_serving, probes_of, until
from reckon.measurement import library

CONNECT, RTT, THROUGHPUT = "network/connect/", "network/rtt/", "network/throughput/"
# Those that have another end; the tests of other programs' probes are in test_tools*.py.
PROBES = [
    name
    for name, probe in library.probes().items()
    if name.startswith("network/") and "peer" in {p.name for p in probe.parameters}
]
CAPTURING = [
    *(RTT + name for name in ("tcp_wire", "hpe_i7_860")),
    *(CONNECT + name for name in ("setup_wire", "teardown_wire")),
    *(CONNECT + name for name in ("hpe_i7_860_setup", "hpe_i7_860_teardown")),
    THROUGHPUT + "hpe_i7_860",
]
ICMP, NCAT = RTT + "icmp", RTT + "i7_10750h"
ACROSS = [name for name in PROBES if name.endswith("_across")]
LOOPBACK_ONLY = [*ACROSS, NCAT]
WITH_ANOTHER_HOST = [name for name in PROBES if name not in LOOPBACK_ONLY]
# As little of each as shows that it runs.
FEW = dict.fromkeys(PROBES, {}) | {
    THROUGHPUT + "tcp": {"skip_ms": 10, "window_ms": 10},
    THROUGHPUT + "tcp_across": {"skip_ms": 10, "window_ms": 10},
    THROUGHPUT + "mbp2016": {"size_bytes": MIB},
    THROUGHPUT + "t470": {"size_bytes": MIB},
    THROUGHPUT + "i7_10750h": {"span_ms": 20},
    THROUGHPUT + "i7_10750h_exchange": {"span_ms": 20},
    THROUGHPUT + "hpe_i7_860": {"size_bytes": MIB, "best_ms": 20},
}

SILENT = "ProbeFailed: Nothing came back within 5 s: lost on the way, or the other end hangs."
NO_CAPTURE = "ProbeUnsupported: needs root (CAP_NET_RAW) to capture packets"
NO_ECHO = (
    "ProbeUnsupported: echo requests need root (CAP_NET_RAW), or a group of this user in the range "
    "of sysctl net.ipv4.ping_group_range"
)


def of_part(part, probes=PROBES):
    """The names of these probes in that part, without it."""
    return [name.removeprefix(part) for name in probes if name.startswith(part)]


def possible(name):
    """Skip where the machine cannot run the probe."""
    reason = why_not(library.probe(name))
    given(not reason, reason)


def refused_to_this_user():
    """What this user may not do, by probe."""
    if has_capability("net_raw"):
        return {}
    refused = dict.fromkeys(CAPTURING, NO_CAPTURE)
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).close()
    except PermissionError:
        refused[ICMP] = NO_ECHO
    return refused


def attempts(probes=PROBES, peer="loopback", before="", prefix=(), **environment):
    """What each of these probes says in a process of its own, after the script `before`."""
    params = {name: {**FEW[name], "peer": peer} for name in probes}
    script = f"say({{name: attempt(name, few, 1) for name, few in {params}.items()}})"
    return in_python(f"{before}\n{script}", prefix=prefix, **environment)


def own(setup="ip link set lo up"):
    """What in_python() takes as prefix for a network of the test's own: its own interfaces, counters,
    ports, settings and TIME_WAIT."""
    own_network()
    return ["unshare", "-n", "sh", "-c", f'{setup} && exec "$@"', "sh"]


ONLY_IPV6 = "ip link set lo up && ip -4 address flush dev lo"


class Running:
    """A probe that runs until it is ended; `servers` are the processes that it talks to."""

    SERVERS = {RTT + "mbp2016": 0, NCAT: 3}  # ncat, which hands on to cat; else reckon-peer's two

    def __init__(self, name, **params):
        if "rounds" in {p.name for p in library.probe(name).parameters}:
            params = {"rounds": 1_000_000, **params}
        self.name, self.params = name, params
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        how = {"samples": 1_000_000, "deadline_s": 60, "priority": "none"}
        self.outcome = attempt(self.name, self.params, **how)

    def _processes(self):
        """The probe and its servers, once it measures: the last of them serves."""
        probe = probes_of(os.getpid())
        servers = descendants(probe[0]) if probe else []
        expected = self.SERVERS.get(self.name, 1 + self.params.get("streams", 1))
        complete = probe and len(servers) == expected
        measures = complete and (not servers or is_serving(servers[-1]))
        return probe + servers if measures else []

    def __enter__(self):
        self.thread.start()
        pids = until(self._processes, 20)
        if not pids:
            self.__exit__()
            pytest.fail(f"{self.name} has no server: {self.outcome}")
        self.probe, *self.servers = pids
        return self

    def __exit__(self, *_):
        for pid in probes_of(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        self.thread.join()
