"""Probes of the network in a network of their own: what the kernel counts of them, what is on the wire, and
where their servers run."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from helpers.peers import FakePeer, Peer, line, service_port
from helpers.probe_script import attempt
from helpers.processes import living_children
from helpers.programs import connections
from reckon.measurement import library

CONNECT = "network/connect/"


def _counters():
    """{name: value} of this network's counters (proc(5): net/snmp, net/netstat, net/snmp6)."""
    counts = {}
    for file in ("snmp", "netstat"):
        text = Path(f"/proc/self/net/{file}").read_text()
        lines = [line.split() for line in text.splitlines()]
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            pairs = zip(names[1:], values[1:], strict=True)
            counts |= {names[0] + name: int(value) for name, value in pairs}
    of_ipv6 = Path("/proc/self/net/snmp6").read_text().splitlines()
    return counts | {name: int(value) for name, value in map(str.split, of_ipv6)}


def grown(requests):
    """[[what each counter grew by, operations of each sample]] of these [probe, parameters, samples]."""
    results = []
    for probe, params, samples in requests:
        before = _counters()
        run = library.run(probe, params, samples=samples, warmup=0)
        after = _counters()
        growth = {name: value - before.get(name, 0) for name, value in after.items()}
        results.append([growth, run.ops.tolist()])
    return results


def connections_of(probes, params):
    """{probe: its connections as a capture beside it sees them, with the probe's own time `ns` of each}."""
    seen = {}
    for probe in probes:
        if probe.endswith("_across") and len(os.sched_getaffinity(0)) < 2:
            continue
        capture = connections.Capture()
        run = library.run(CONNECT + probe, params, samples=12, warmup=0)
        captured = connections.connections(capture.packets())
        ns = (run.ticks / library.tick_hz() * 1e9).tolist()
        seen[probe] = [
            {**c.as_dict(), "ns": time_ns} for c, time_ns in zip(captured, ns, strict=True)
        ]
    return seen


CLONE_NEWNET = 0x40000000


def _enter_network(settings):
    """From now on this process has a network that is new, set up by this command."""
    assert ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0
    subprocess.run(["sh", "-c", settings], check=True)


def accepted(probes, samples, settings):
    """{probe: [connections opened, accepted, what the probe says of retransmits, overflows, drops and
    operations, and how many it left in TIME_WAIT]}, each in a network with these settings."""
    results = {}
    for probe in probes:
        _enter_network(settings)
        before = _counters()
        run = library.run(CONNECT + probe, {}, samples=samples, warmup=0)
        after = _counters()
        opened = [after[name] - before[name] for name in ("Tcp:ActiveOpens", "Tcp:PassiveOpens")]
        counted = [run.retransmits, run.listen_overflows, run.listen_drops, int(run.ops.sum())]
        results[probe] = [*opened, *counted, run.time_wait]
    return results


def closed_while_ports_return(after_s):
    """[outcomes of three runs that close in order, seconds that the last one took], where the kernel
    gives ports back after a while (ss --kill)."""
    kill = ["ss", "-H", "-K", "-tan", "state", "time-wait"]
    outcomes = [attempt(CONNECT + "close", {}, samples=20) for _ in range(2)]
    threading.Timer(after_s, subprocess.run, [kill], {"stdout": subprocess.DEVNULL}).start()
    begin = time.monotonic()
    outcomes.append(attempt(CONNECT + "close", {"ports_wait_ms": 8000}, samples=20))
    return [outcomes, time.monotonic() - begin]


def close_without_a_port(first, last):
    """What the probe says whose peer takes all local ports from `first` to `last` before it answers."""
    held = []

    def serve(control, service, count):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            for port in range(first, last + 1):
                held.append(socket.socket())
                with contextlib.suppress(OSError):  # held already
                    held[-1].bind(("127.0.0.1", port))
            control.sendall(b"ok %d\n" % listening.getsockname()[1])
            with listening.accept()[0] as connection:
                connection.sendall(b"\1")
                assert connection.recv(1) == b""
            control.recv(1)

    with FakePeer(serve) as peer:
        return attempt(CONNECT + "close", {"peer": "other"}, 3, locations=peer.locations)


def drops_of_an_accept_queue(crowds):
    """The last answer of "accept 3" for each number of simultaneous connections, while it accepted none."""
    answers = []
    with Peer() as peer:
        for crowd in crowds:
            control, address = service_port(peer, "accept 3")
            (service,) = living_children(peer.pid)
            os.kill(service, signal.SIGSTOP)
            callers = [socket.socket() for _ in range(crowd)]
            for caller in callers:
                caller.setblocking(False)
                caller.connect_ex(address)
            time.sleep(0.3)
            os.kill(service, signal.SIGCONT)
            for caller in callers[:3]:
                caller.setblocking(True)
                assert caller.recv(1) == b"\1"
            for caller in callers:
                caller.close()
            answers.append(line(control).split())
    return answers
