"""What the tests of throughput share: its probes, and a receiver of the test's own making."""

import socket
import threading
from itertools import count

from helpers.capabilities import captures, two_cpus, x86_only
from helpers.peers import TOKEN, line
from helpers.probes import MIB
from reckon.measurement import library

PART = "network/throughput/"
PROBES = [
    name.removeprefix(PART)
    for name, probe in library.probes().items()
    if name.startswith(PART) and ".tools." not in probe.file
]  # other programs' have tests elsewhere
# As little of each as shows that it runs; and so much that it would go on for long.
FEW = {
    "tcp": {},
    "tcp_across": {},
    "start": {},
    "mbp2016": {"size_bytes": MIB},
    "t470": {"size_bytes": MIB},
    "i7_10750h": {"span_ms": 20},
    "i7_10750h_exchange": {"span_ms": 20},
    "hpe_i7_860": {"size_bytes": MIB, "best_ms": 20},
}
FEW = {
    probe: {**given, **({"skip_ms": 10, "window_ms": 10} if probe[:3] == "tcp" else {})}
    for probe, given in FEW.items()
}
LONG = {
    "tcp": {"window_ms": 60_000, "streams": 2},
    "start": {"after_ms": 60_000},
    "mbp2016": {"size_bytes": 64 * MIB},
    "t470": {"size_bytes": 64 * MIB},
    "i7_10750h": {"span_ms": 60_000},
    "i7_10750h_exchange": {"span_ms": 60_000},
    "hpe_i7_860": {"best_ms": 60_000},
}
ELSEWHERE = sorted(LONG)  # probes that can have the other host


def possible(probe):
    if probe.startswith(("t470", "i7_10750h", "hpe")):
        x86_only()
    if probe == "hpe_i7_860":
        captures()
    if probe == "tcp_across":
        two_cpus()
    return probe


def run(probe, samples=3, deadline_s=30.0, **params):
    return library.run(PART + probe, params, samples=samples, warmup=0, deadline_s=deadline_s)


# --- a receiver of the test's own --------------------------------------------------------------


def count_all(connection):
    got = 0
    with memoryview(bytearray(1 << 20)) as buffer:
        while part := connection.recv_into(buffer):
            got += part
    return got


def told(notes):
    return "".join(f"{got} {ns}\n" for got, ns in notes).encode()


class Receiver:
    """Greets as reckon-peer does; notes(bytes, connection's number) are what its sink answers, or
    serve(connection) does all of it. `room` is what its socket takes before it reads."""

    def __init__(self, monkeypatch, notes=None, serve=None, room=None):
        self.notes, self.serve, self.asked, self.got = notes, serve, [], {}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        if room:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        monkeypatch.setenv("RECKON_PEER_AT", "127.0.0.1:%d" % self.listener.getsockname()[1])
        monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
        monkeypatch.delenv("RECKON_PEER_SPACE", raising=False)

    def __enter__(self):
        self.threads = [threading.Thread(target=self._accept)]
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join()

    def _accept(self):
        for number in count():
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            self.threads.append(threading.Thread(target=self._one, args=(connection, number)))
            self.threads[-1].start()

    def _one(self, connection, number):
        with connection:
            connection.sendall(b"reckon-peer 1\n")
            service = line(connection).split()[3:]
            self.asked.append(service)
            connection.sendall(b"ok\n")
            try:
                if self.serve:
                    self.serve(connection)
                elif service[0] == "sink":
                    self.got[number] = got = count_all(connection)
                    connection.sendall(self.notes(got, number))
                else:
                    self.got[number] = 0
                    while part := connection.recv(1 << 20):
                        self.got[number] += len(part)
                        connection.sendall(part)
            except OSError:
                pass  # the probe has gone, as it should where something is wrong


def honest(got, number):
    return told([(0, 10**9), (got, 10**9 + 10**10)]) + b"end\n"
