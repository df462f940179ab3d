"""What the tests of network/rtt share: its probes, networks of their own, and a probe while it runs."""

import os
import re
import signal
import threading
from pathlib import Path

import pytest

from helpers.capabilities import captures, need, own_network, two_cpus, x86_only
from helpers.processes import descendants, probes_of, until
from reckon.measurement import library

# Those of other programs have tests of their own.
PROBES = [
    name
    for name, probe in library.probes().items()
    if re.match(r"network/rtt\.(o0\.)?c", probe.file)
]
CAPTURED = ["network/rtt/tcp_wire", "network/rtt/hpe_i7_860"]
STAMPED = ["network/rtt/t470", "network/rtt/i7_10750h"]
LOOPBACK_ALONE = ["network/rtt/tcp_across", "network/rtt/udp_across", "network/rtt/i7_10750h"]
# A network of the test's own, with a loopback and nothing else; and one without IPv4.
SPACE = ("unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh")
SIX = (
    "unshare",
    "-n",
    "sh",
    "-c",
    'ip link set lo up; ip -4 address flush dev lo; exec "$@"',
    "sh",
)


def root():
    captures()
    own_network()


def can_run(probe):
    """What no package can provide is skipped in CI too."""
    if probe in STAMPED:
        x86_only()
    if probe.endswith("_across"):
        two_cpus()
    if probe == "network/rtt/i7_10750h":
        need(Path("/usr/bin/ncat").exists(), "ncat is not installed")
    if probe in CAPTURED:
        root()


def endless(probe):
    names = [p.name for p in library.probe(f"network/rtt/{probe}").parameters]
    return {"rounds": 1_000_000} if "rounds" in names else {}


class Running:
    """A probe that runs until it is done with; `servers` are the processes that it talks to."""

    def __init__(self, probe, **params):
        self.probe, self.params, self.said = probe, {**endless(probe), **params}, "ran"
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            library.run(
                f"network/rtt/{self.probe}",
                self.params,
                samples=1_000_000,
                warmup=0,
                deadline_s=60,
                priority="none",
            )
        except library.ReckonError as error:
            self.said = f"{type(error).__name__}: {error}"

    def __enter__(self):
        self.thread.start()
        found = until(self.busy, 20)
        if not found:
            self.__exit__()
            pytest.fail(f"{self.probe} {self.said}: its server was not seen")
        self.probe, *self.servers = found
        return self

    def __exit__(self, *_):
        for pid in probes_of(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        self.thread.join()

    def busy(self):
        """The probe and what serves it, once the probe has got so far."""
        probe = probes_of(os.getpid())
        servers = descendants(probe[0]) if probe else []
        wanted = {"mbp2016": 0, "i7_10750h": 3}.get(self.probe, 2)  # ncat, which hands on to cat
        return probe + servers if probe and len(servers) == wanted else []
