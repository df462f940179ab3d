"""What the tests of the lab host share: scripts that enter its hosts, and what is left of one."""

import contextlib
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

from helpers.capabilities import given, need, other_users
from helpers.probes import MERE_FOLDER
from helpers.processes import alive, until
from helpers.project import LIBRARY, ROOT
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


# A script's child enters a host of the lab, by a process that lives in it, and returns what it finds
# there. By fork alone: another user may not be allowed to read Python's files, so all imports are here.
HEAD = (
    MERE_FOLDER
    + """
import json, os, time
import ctypes, encodings.idna, fcntl, socket, signal, struct, tempfile
sys.path.insert(0, "tests")
from helpers.processes import until
from reckon.hosts.lab import Lab, LabUnavailable
from reckon.config import ReckonError
libc = ctypes.CDLL(None, use_errno=True)
SLEEP = ["sleep", "1000"]
def become(user):
    os.setgroups([]); os.setgid(user); os.setuid(user)
def say(what):
    print(json.dumps(what))
def same(pid, kind):
    return os.readlink(f"/proc/{pid}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}")
def enter(pid):
    kinds = [kind for kind in ("user", "net") if not same(pid, kind)]
    for fd in [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in kinds]:
        assert libc.setns(fd, 0) == 0, os.strerror(ctypes.get_errno())
class Inside:
    # work() in a child that has entered; a line "ready" comes first, result() is what it returned
    def __init__(self, pid, work):
        ours, theirs = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            signal.alarm(30)
            try:
                enter(pid)
                said = [work(lambda: os.write(theirs, b"ready\\n")), None]
            except Exception as error:
                said = [None, f"{type(error).__name__}: {error}"]
            os.write(theirs, json.dumps(said).encode())
            os._exit(0)
        os.close(theirs)
        self.pipe = os.fdopen(ours)
    def ready(self):
        said = self.pipe.readline()
        assert said == "ready\\n", said
        return self
    def result(self):
        found, error = json.loads(self.pipe.read() or '[null, "ended by its alarm"]')
        os.waitpid(self.child, 0)
        self.pipe.close()
        assert error is None, error
        return found
def inside(pid, work):
    return Inside(pid, lambda ready: work()).result()
def exactly(connection, size):
    got = b""
    while len(got) < size:
        more = connection.recv(size - len(got))
        assert more, "the other end went away"
        got += more
    return got
# TCP in the second host: sends back what it receives, 64 bytes at a time
def echo(ready, address="10.77.0.2", port=9000):
    listening = socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else 2)
    ready()
    connection, who = listening.accept()
    turns = 0
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while len(got := connection.recv(64, socket.MSG_WAITALL)) == 64:
            connection.sendall(got)
            turns += 1
    return [turns, who[0]]
# seconds of each of `turns` round trips, as the client sees them
def turns(count, address="10.77.0.2", port=9000):
    with socket.create_connection((address, port), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        took = []
        for turn in range(count):
            before = time.monotonic()
            message = os.urandom(64)
            connection.sendall(message)
            assert exactly(connection, 64) == message
            took.append(time.monotonic() - before)
    return took
def round_trips(lab, count, address="10.77.0.2"):
    server = Inside(lab.peer_pid, lambda ready: echo(ready, address)).ready()
    took = inside(lab.pid, lambda: turns(count, address))
    assert server.result()[0] == count
    return took
# TCP in the second host: when the first byte and the last one arrived, and the number of bytes
def sink(ready):
    listening = socket.create_server(("10.77.0.2", 9001))
    ready()
    connection, _ = listening.accept()
    first = last = size = 0
    while got := connection.recv(1 << 16):
        last = time.monotonic()
        first = first or last
        size += len(got)
    return [first, last, size]
# Datagrams to the second host, sent as fast as the client can.
def flood(count, size):
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        for _ in range(count):
            one.sendto(bytes(size), ("10.77.0.2", 9))
# The counters towards the second host once they include that number of packets.
def counted(lab, packets):
    def counters():
        found = lab.counters()["to_peer"]
        return found if sum(found[name] for name in ("packets", "dropped", "missed")) >= packets else None
    return until(counters) or lab.counters()["to_peer"]
def send(size):
    with socket.create_connection(("10.77.0.2", 9001), timeout=20) as connection:
        connection.sendall(bytes(size))
def bulk(lab, size):
    server = Inside(lab.peer_pid, sink).ready()
    assert inside(lab.pid, lambda: send(size)) is None
    return server.result()
"""
)

USERS = ["ours", "nobody"]
PATHS = ["tun", "packet"]


def in_lab(script, user="ours", prefix=(), **environment):
    """What a script says that can use the above, as this user or as one without any rights."""
    if user == "nobody":
        other_users()
        need(
            readable_by_all(LIBRARY / "reckon-lab"),
            "another user cannot reach this checkout",
        )
        script = f"become({NOBODY})\n{script}"
    done = subprocess.run(
        [*prefix, sys.executable, "-c", HEAD + script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


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


def startable(path, user="ours"):
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
