"""What the tests of the lab host share: scripts that enter its hosts, and what is left of one."""

import contextlib
import functools
import os
from pathlib import Path

from helpers.capabilities import given, need, other_users
from helpers.probes import HEAD, in_python
from helpers.processes import alive, until
from helpers.project import LIBRARY
from reckon import config
from reckon.hosts.lab import Lab, LabUnavailable

NOBODY = 54329  # a user that nobody else is


def name_places(monkeypatch, places):
    """The environment names these places, as a parent's does."""
    for place, at in places.items():
        monkeypatch.setenv(config.PLACES[place], at)


@contextlib.contextmanager
def started_lab(rtt_s, rate_bit_per_s):
    """A lab host with that link; skip where this machine has none."""
    try:
        lab = Lab(rtt_s, rate_bit_per_s)
    except LabUnavailable as error:
        need(False, str(error))
    with lab:
        yield lab


LAB_HEAD = HEAD + "from helpers.lab_script import *\n"
USERS = ["current", "nobody"]
PATHS = ["tun", "packet"]


def in_lab(script, user="current", prefix=(), **environment):
    """What a script with helpers.lab_script says, as this user or as one without any rights."""
    if user == "nobody":
        other_users()
        need(
            readable_by_all(LIBRARY / "reckon-lab"),
            "another user cannot reach this checkout",
        )
        script = f"become({NOBODY})\n{script}"
    return in_python(script, prefix=prefix, head=LAB_HEAD, **environment)


def readable_by_all(path):
    return all(folder.stat().st_mode & 1 for folder in [path, *path.parents])


@functools.cache
def why_no_tun(user):
    """The error when that user opens a TUN device, which some machines keep for root; empty if none."""
    return in_lab(
        "try:\n    os.close(os.open('/dev/net/tun', os.O_RDWR)); say('')\n"
        "except OSError as error:\n    say(error.strerror)",
        user,
    )


@functools.cache
def why_not(path, user):
    """Why a lab of that path does not start for that user; empty if it starts."""
    return in_lab(
        "try:\n"
        f"    Lab(0, 1e9, SLEEP, path={path!r}).close(); say('')\n"
        "except LabUnavailable as cannot:\n    say(cannot.reason)",
        user,
    )


def startable(path, user="current"):
    """Skip where no lab of that path starts for that user."""
    if path == "tun":
        given(not why_no_tun(user), f"/dev/net/tun does not open for {user}: {why_no_tun(user)}")
    need(not why_not(path, user), f"no lab host by {path}: {why_not(path, user)}")


# --- what is left ------------------------------------------------------------------------------

KINDS = ("net", "pid", "mnt", "user")
SOON_S = 10


def spaces_of(pid):
    """The namespaces that this process has and we have not."""
    found = set()
    for kind in KINDS:
        with contextlib.suppress(OSError):
            link = os.readlink(f"/proc/{pid}/ns/{kind}")
            if link != os.readlink(f"/proc/self/ns/{kind}"):
                found.add(link)
    return found


def living_in(spaces):
    """Every process that has one of these namespaces, whether its own or open."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            held = {os.readlink(link) for link in process.glob("ns/*")}
            for link in process.glob("fd/*"):
                with contextlib.suppress(OSError):
                    held.add(os.readlink(link))
            if held & spaces:
                found.add(int(process.name))
    return found


def gone(spaces, pids):
    """Wait until nothing has these namespaces and none of these processes lives."""
    return until(lambda: not living_in(spaces) and not any(map(alive, pids)), SOON_S)


def machine():
    """What belongs to the machine and no lab may change: devices, addresses, routes, mounts (but those
    of other tests, below their folders)."""
    names = [
        "/proc/net/dev_mcast",
        "/proc/net/route",
        "/proc/net/fib_trie",
        "/proc/net/if_inet6",
        "/proc/sys/net/ipv4/tcp_congestion_control",
        "/proc/sys/net/ipv4/ip_forward",
    ]
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return {
        "mounts": [mount for mount in mounts if "/pytest-" not in mount],
        **{name: Path(name).read_text() for name in names if Path(name).exists()},
    }
