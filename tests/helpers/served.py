"""What the tests of files/remote share: an NFS server on a lab host, and what is left of it."""

import contextlib
import os

import numpy as np

from helpers.capabilities import need
from helpers.probes import in_python
from reckon.hosts import ganesha, nfs
from reckon.hosts.connections import Host
from reckon.measurement import library

KIB, MIB = 1024, 1 << 20
FILE_BYTES = 8 * MIB
REMOTE = [name for name in library.probes() if name.startswith("files/remote/")]
SERVED = [name for name in REMOTE if "server" in {p.name for p in library.probe(name).parameters}]
VARIABLES = [f"RECKON_NFS{mark}" for mark in ("", "_AT", "_SPACE", "_LIBRARY")]


def can_serve():
    why = ganesha.why_not("/var/tmp")
    need(not why, f"no NFS server: {why}")


def server_labs():
    """The lab hosts on which this process has started servers: pairs of the server's name and its lab."""
    outcomes = nfs._connections._outcomes.items()
    return [(server, host.lab) for (server, _), host in outcomes if isinstance(host, Host)]


def lab_of(server):
    """The lab host on which that server runs."""
    return next(lab for name, lab in server_labs() if name == server)


class Served:
    """The folder that is exported, and its file."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "data-0"

    def run(self, probe, samples=20, **params):
        takes = {p.name for p in library.probe(f"files/remote/{probe}").parameters}
        if "file_bytes" in takes:
            params.setdefault("file_bytes", FILE_BYTES)
        locations = {"files": str(self.folder)}
        if "server" in takes:
            locations |= self.start(params.setdefault("server", "near")).locations
        return library.run(f"files/remote/{probe}", params, locations, samples=samples)

    def start(self, server):
        """Again, where somebody has ended it."""
        return nfs.connect(server, self.folder)

    def us(self, probe, **params):
        """The median over some processes of each one's median."""
        runs = [self.run(probe, **params) for _ in range(5)]
        return np.median([np.median(run.ticks / run.ops) for run in runs]) / library.tick_hz() * 1e6


@contextlib.contextmanager
def clean_environment():
    """No server and no files of a run are set; a scratch folder that the block sets is put back."""
    before = {name: os.environ.pop(name, None) for name in [*VARIABLES, "RECKON_FILES"]}
    before["RECKON_SCRATCH"] = os.environ["RECKON_SCRATCH"]
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def in_client(lab, script, **environment):
    """What a script says that runs on the lab's client, to which the server is just another host."""
    prefix = ["nsenter", f"--net=/proc/{lab.pid}/ns/net"]
    return in_python(script, prefix=prefix, **environment)
