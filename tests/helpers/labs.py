"""What the tests of the lab host share: labs that this user may start, and what is left of one."""

import contextlib
import functools
import os
from pathlib import Path

from helpers.capabilities import given, need, other_users
from helpers.probes import HEAD, in_python
from helpers.processes import alive, until
from helpers.programs import lab
from helpers.project import LIBRARY
from reckon.computer.locations import VARIABLES
from reckon.hosts.lab import Lab, LabUnavailable

NOBODY = 54329  # a user that nobody else is


def name_locations(monkeypatch, locations):
    """The environment names these locations, as a parent's does."""
    for name, location in locations.items():
        monkeypatch.setenv(VARIABLES[name], location)


LAB = LIBRARY / "reckon-lab"


@contextlib.contextmanager
def started_lab(rtt_s, rate_bit_per_s):
    """A lab host with that link; skip where this machine has none."""
    try:
        started = Lab(rtt_s, rate_bit_per_s)
    except LabUnavailable as error:
        need(False, str(error))
    with started:
        yield started


USERS = ["current", "nobody"]
PATHS = ["tun", "packet"]


def in_lab(program, *arguments, user="current", before="", **how):
    """What a function of programs/lab.py says, run as this user or as one without any rights."""
    if user == "nobody":
        other_users()
        before = f"become({NOBODY})\n{before}"
    return in_python(program, *arguments, head=HEAD, before=before, **how)


@functools.cache
def why_not(path, user):
    """Why no lab of that path starts for that user; empty if one does."""
    [(outcome, _)] = in_lab(lab.starts, [path], user=user)
    return "" if outcome == path else outcome


def startable(path, user="current"):
    """Skip where no lab of that path starts for that user."""
    reason = why_not(path, user)
    # Some machines keep it for root.
    given("this user may not open /dev/net/tun" not in reason, f"for {user}: {reason}")
    need(not reason, f"no lab host by {path}: {reason}")


# --- what is left ------------------------------------------------------------------------------

KINDS = ("net", "pid", "mnt", "user")
SOON_S = 10


class Opened:
    """A namespace that does not end while this lives: the kernel gives its number to none that begins,
    as another test's may at any time."""

    def __init__(self, pid, kind):
        path = f"/proc/{pid}/ns/{kind}"
        self.link = os.readlink(path)
        self.fd = os.open(path, os.O_RDONLY)

    def __del__(self):
        if hasattr(self, "fd"):
            os.close(self.fd)


def spaces_of(*pids):
    """The namespaces that these processes have and we have not, by their links; kept open."""
    spaces = {}
    for pid in pids:
        for kind in KINDS:
            with contextlib.suppress(OSError):
                opened = Opened(pid, kind)
                if opened.link != os.readlink(f"/proc/self/ns/{kind}"):
                    spaces[opened.link] = opened
    return spaces


def living_in(spaces):
    """Every process but this that has one of these namespaces, whether its own or open."""
    pids = set()
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        with contextlib.suppress(OSError):
            held = {os.readlink(link) for link in process.glob("ns/*")}
            for link in process.glob("fd/*"):
                with contextlib.suppress(OSError):
                    held.add(os.readlink(link))
            if held & {*spaces}:
                pids.add(int(process.name))
    return pids


def gone(spaces, pids):
    """Wait until nothing has these namespaces and none of these processes lives."""
    return until(lambda: not living_in(spaces) and not any(map(alive, pids)), SOON_S)
