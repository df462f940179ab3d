"""A receiver of the test's own for the probes of network/throughput."""

from helpers.network import FEW, THROUGHPUT
from helpers.peers import FakePeer
from helpers.probes import MIB
from reckon.measurement import library

# So much that each probe would go on for long; those that can have another host.
LONG = {
    "tcp": {"window_ms": 60_000, "streams": 2},
    "start": {"after_ms": 60_000},
    "mbp2016": {"size_bytes": 64 * MIB},
    "t470": {"size_bytes": 64 * MIB},
    "i7_10750h": {"span_ms": 60_000},
    "i7_10750h_exchange": {"span_ms": 60_000},
    "hpe_i7_860": {"best_ms": 60_000},
}


def run(probe, locations, samples=3, deadline_s=30.0, **params):
    """One run with another host, as little as shows that the probe runs unless `params` say more."""
    params = {**FEW[THROUGHPUT + probe], "peer": "other", **params}
    how = {"samples": samples, "warmup": 0, "deadline_s": deadline_s}
    return library.run(THROUGHPUT + probe, params, locations, **how)


def read_all(connection):
    """Read to the end of the stream; the number of bytes."""
    received = 0
    with memoryview(bytearray(1 << 20)) as buffer:
        while part := connection.recv_into(buffer):
            received += part
    return received


def notes_of(pairs):
    """What a sink sends of these (bytes, ns)."""
    return "".join(f"{received} {ns}\n" for received, ns in pairs).encode()


def true_notes(received, number):
    return notes_of([(0, 10**9), (received, 10**9 + 10**10)]) + b"end\n"


class Receiver(FakePeer):
    """Receives and counts all bytes of each connection. notes(bytes, the connection's number) are what
    its sink sends of them; an echo sends back what it gets."""

    def __init__(self, notes=true_notes):
        super().__init__(self._receive)
        self.notes, self.received = notes, []

    def _receive(self, connection, service, *_):
        number = len(self.requests) - 1
        connection.sendall(b"ok\n")
        self.received.append(0)
        if service == "sink":
            self.received[number] = read_all(connection)
            connection.sendall(self.notes(self.received[number], number))
        else:
            while part := connection.recv(1 << 20):
                self.received[number] += len(part)
                connection.sendall(part)
