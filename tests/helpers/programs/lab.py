"""What tests run with a lab host (helpers.labs.in_lab): it enters the hosts, each by a child that it forks.

Another user may not be allowed to read Python's files, so all imports are at the top.
"""

import codecs
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import time
from pathlib import Path

from helpers.peers import exactly
from helpers.processes import until
from reckon.errors import ReckonError
from reckon.hosts import lab as labs
from reckon.hosts.lab import Lab, LabUnavailable

codecs.lookup("idna")  # else Python imports it with the first address of a socket
libc = ctypes.CDLL(None, use_errno=True)
SLEEP = ["sleep", "1000"]


def same(pid, kind):
    return os.readlink(f"/proc/{pid}/ns/{kind}") == os.readlink(f"/proc/self/ns/{kind}")


def enter(pid):
    kinds = [kind for kind in ("user", "net") if not same(pid, kind)]
    for fd in [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in kinds]:
        assert libc.setns(fd, 0) == 0, os.strerror(ctypes.get_errno())


class Inside:
    """work() in a child that has entered; a line "ready" comes first, result() is what it returned."""

    def __init__(self, pid, work):
        reader, writer = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            signal.alarm(30)
            try:
                enter(pid)
                answer = [work(lambda: os.write(writer, b"ready\n")), None]
            except Exception as error:
                answer = [None, f"{type(error).__name__}: {error}"]
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
        os.close(writer)
        self.pipe = os.fdopen(reader)

    def ready(self):
        first_line = self.pipe.readline()
        assert first_line == "ready\n", first_line
        return self

    def result(self):
        answer, error = json.loads(self.pipe.read() or '[null, "ended by its alarm"]')
        os.waitpid(self.child, 0)
        self.pipe.close()
        assert error is None, error
        return answer


def inside(pid, work):
    return Inside(pid, lambda ready: work()).result()


def echo(ready, address="10.77.0.2"):
    """TCP in the second host: sends back what it receives, 64 bytes at a time."""
    listening = socket.create_server(
        (address, 9000), family=socket.AF_INET6 if ":" in address else 2
    )
    ready()
    connection, who = listening.accept()
    turns = 0
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while len(got := connection.recv(64, socket.MSG_WAITALL)) == 64:
            connection.sendall(got)
            turns += 1
    return [turns, who[0]]


def turns(count, address="10.77.0.2"):
    """The seconds of each of a number of round trips, as the client sees them."""
    with socket.create_connection((address, 9000), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        took = []
        for _ in range(count):
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


def sink(ready):
    """TCP in the second host: when the first byte and the last one arrived, and the number of bytes."""
    listening = socket.create_server(("10.77.0.2", 9001))
    ready()
    connection, _ = listening.accept()
    first = last = size = 0
    while got := connection.recv(1 << 16):
        last = time.monotonic()
        first = first or last
        size += len(got)
    return [first, last, size]


def flood(count, size):
    """Datagrams to the second host, sent as fast as the client can."""
    with socket.socket(type=socket.SOCK_DGRAM) as connection:
        for _ in range(count):
            connection.sendto(bytes(size), ("10.77.0.2", 9))


def counted(lab, packets):
    """The counters towards the second host once they include that number of packets."""

    def counters():
        counts = lab.counters()["to_peer"]
        return (
            counts
            if sum(counts[name] for name in ("packets", "dropped", "missed")) >= packets
            else None
        )

    return until(counters) or lab.counters()["to_peer"]


def send(size):
    with socket.create_connection(("10.77.0.2", 9001), timeout=20) as connection:
        connection.sendall(bytes(size))


def bulk(lab, size):
    """When the first and the last byte arrived in the second host, and the number of bytes."""
    server = Inside(lab.peer_pid, sink).ready()
    assert inside(lab.pid, lambda: send(size)) is None
    return server.result()


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


# --- what the tests call -----------------------------------------------------------------------


def starts(paths, program=SLEEP):
    """[[path, round trips]] of labs that start by these paths (None: any), or [reason, remedy]."""
    return [_start(path, program) for path in paths]


def _start(path, program):
    try:
        with Lab(0.001, 1e9, program, path=path) as lab:
            return [lab.path, len(round_trips(lab, 3))]
    except LabUnavailable as cannot:
        assert str(cannot).startswith(f"Cannot start the lab host: {cannot.reason}; ")
        return [cannot.reason, cannot.remedy]


def ended_by_a_limit(group, processes):
    """What starting a lab says in a control group that allows a number of further processes."""
    pids = Path(group)
    most = int((pids / "pids.current").read_text()) + processes
    (pids / "pids.max").write_text(str(most))
    try:
        Lab(0.001, 1e9, SLEEP).close()
    except labs.LabEnded as ended:
        return str(ended)


def why_silent(deadline_s):
    """What starting a lab says whose first line does not come within that time."""
    labs.START_S = deadline_s
    try:
        Lab(0, 1e9).close()
    except ReckonError as error:
        return str(error)


def trips(path, rtt_s, count, address="10.77.0.2"):
    """[round trips, counters, settings] of a lab at 100 Mbit/s; None if it has no such address."""
    with Lab(rtt_s, 1e8, SLEEP, path=path) as lab:
        if ":" in address and not lab.ipv6:
            return None
        took = round_trips(lab, count, address)
        settings = [lab.path, lab.congestion, lab.client, lab.peer, lab.link]
        return [took, lab.counters(), settings]


def transferred(path, rtt_s, rate, size):
    """[[first, last, bytes], the counters towards the second host, whether the lab and its device take
    large packets] of a bulk transfer."""

    def takes_large_packets():  # ethtool's tcp-segmentation-offload
        value = ctypes.create_string_buffer(struct.pack("II", 0x1E, 7))
        request = struct.pack("16sP", b"lab0", ctypes.addressof(value))
        with socket.socket() as device:
            fcntl.ioctl(device, 0x8946, request)
        return struct.unpack("II", value.raw[:8])[1]

    with Lab(rtt_s, rate, SLEEP, path=path) as lab:
        arrived = bulk(lab, size)
        offloads = [lab.offload, inside(lab.pid, takes_large_packets)]
        return [arrived, lab.counters()["to_peer"], offloads]


def flooded(path, rate, count, size, stopped=False):
    """[the counters towards the second host, the link] of datagrams, sent while the relay is stopped."""
    with Lab(0, rate, SLEEP, path=path) as lab:
        if stopped:
            os.kill(lab.relay_pid, signal.SIGSTOP)
        inside(lab.pid, lambda: flood(count, size))
        if stopped:
            os.kill(lab.relay_pid, signal.SIGCONT)
        return [counted(lab, count), lab.link]


def outside(path):
    """[the devices of the lab's client, the error of a connection to elsewhere]."""

    def look():
        try:
            socket.create_connection(("192.0.2.1", 80), timeout=5)
        except OSError as error:
            return [[name for _, name in socket.if_nameindex()], error.strerror]

    with Lab(0, 1e9, SLEEP, path=path) as lab:
        return inside(lab.pid, look)


def quiet_and_busy(path):
    """The counters while nothing is sent, and after a datagram of 5 bytes."""
    with Lab(0, 1e9, SLEEP, path=path) as lab:
        time.sleep(2)
        quiet = lab.counters()
        assert inside(lab.pid, lambda: flood(1, 5)) is None
        time.sleep(0.5)
        return [quiet, lab.counters()]


def machine_during_trips(path):
    """What belongs to the machine while a lab is used."""
    with Lab(0, 1e9, path=path) as lab:
        round_trips(lab, 2)
        return machine()


def under_load(path):
    """[bytes of a bulk transfer, the counters, last words] of a lab that also gets a flood."""
    with Lab(0.002, 2e8, SLEEP, path=path) as lab:
        round_trips(lab, 20)
        size = bulk(lab, 20_000_000)[2]
        inside(lab.pid, lambda: flood(3000, 1200))
        time.sleep(0.3)
        return [size, lab.counters(), lab.last_words()]


def abandoned(path, program):
    """[processes, namespaces] of a lab whose caller ends without closing it."""
    lab = Lab(0.001, 1e9, program, path=path)
    pids = [lab.pid, lab.relay_pid, lab.peer_pid]
    time.sleep(0.2)
    kinds = [(pid, "pid") for pid in pids[1:]]
    kinds += [(pid, kind) for pid in pids for kind in ("net", "mnt")]
    spaces = [os.readlink(f"/proc/{pid}/ns/{kind}") for pid, kind in kinds]
    print(json.dumps([pids, spaces]), flush=True)
    os._exit(0)


def hold(program, has_child):
    """Prints the processes of a lab and waits for its end, with a child that holds the lab's pipe open."""
    lab = Lab(0.001, 1e9, program)
    if has_child and os.fork() == 0:
        time.sleep(20)
        os._exit(0)
    print(json.dumps([lab.pid, lab.relay_pid, lab.peer_pid]), flush=True)
    time.sleep(1000)


def reached_when_ready(program, port):
    """Connects to the program of a lab as soon as the lab is ready."""
    with Lab(0, 1e9, program, wait_port=port) as lab:
        inside(lab.pid, lambda: socket.create_connection(("10.77.0.2", port), timeout=5).close())


def words_of(command, count):
    """The first words that a shell in the second host prints."""
    out = Path(f"/tmp/words-{os.getpid()}")
    with Lab(0, 1e9, ["sh", "-c", f"({command}) > {out}; sleep 1000"]):
        until(lambda: out.exists() and len(out.read_text().split()) == count)
        words = out.read_text().split()
        out.unlink()
        return words
