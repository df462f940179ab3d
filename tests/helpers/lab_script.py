"""What a script of in_lab() has at hand: it enters the hosts of a lab, each by a child that it forks.

Another user may not be allowed to read Python's files, so all imports of such a script are here.
"""

import ctypes
import encodings.idna
import fcntl
import json
import os
import signal
import socket
import struct
import tempfile
import time

from helpers.processes import until
from reckon.config import ReckonError
from reckon.hosts.lab import Lab, LabUnavailable

__all__ = [
    "Inside",
    "Lab",
    "LabUnavailable",
    "ReckonError",
    "SLEEP",
    "bulk",
    "counted",
    "ctypes",
    "echo",
    "encodings",
    "enter",
    "exactly",
    "fcntl",
    "flood",
    "inside",
    "libc",
    "round_trips",
    "send",
    "signal",
    "sink",
    "socket",
    "struct",
    "tempfile",
    "turns",
]

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
        ours, theirs = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            signal.alarm(30)
            try:
                enter(pid)
                answer = [work(lambda: os.write(theirs, b"ready\n")), None]
            except Exception as error:
                answer = [None, f"{type(error).__name__}: {error}"]
            os.write(theirs, json.dumps(answer).encode())
            os._exit(0)
        os.close(theirs)
        self.pipe = os.fdopen(ours)

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


def exactly(connection, size):
    got = b""
    while len(got) < size:
        more = connection.recv(size - len(got))
        assert more, "the other end went away"
        got += more
    return got


def echo(ready, address="10.77.0.2", port=9000):
    """TCP in the second host: sends back what it receives, 64 bytes at a time."""
    listening = socket.create_server(
        (address, port), family=socket.AF_INET6 if ":" in address else 2
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


def turns(count, address="10.77.0.2", port=9000):
    """The seconds of each of a number of round trips, as the client sees them."""
    with socket.create_connection((address, port), timeout=20) as connection:
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
    server = Inside(lab.peer_pid, sink).ready()
    assert inside(lab.pid, lambda: send(size)) is None
    return server.result()
