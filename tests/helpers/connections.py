"""What the tests of network/connect share: what is on the wire, seen by a capture of their own; a
peer that behaves as a test says; a network namespace of a test's own."""

import contextlib
import re
import socket
import struct
import threading
import time
from collections import defaultdict

from helpers.capabilities import own_network
from helpers.probes import in_python
from helpers.project import ROOT
from reckon.measurement import library

PART = "network/connect/"
PROBES = [name.removeprefix(PART) for name in library.probes() if name.startswith(PART)]
WIRE = ["hpe_i7_860_setup", "hpe_i7_860_teardown", "setup_wire", "teardown_wire"]
ACROSS = ["close_across", "connect_across"]
TOKEN = "made-up-token-of-the-tests"
FIN, SYN, RST, ACK = 1, 2, 4, 16

# A namespace of its own has its own counters, ports, settings and TIME_WAIT, and nobody else's.
ALONE = ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "--kill-child", "sh", "-c"]
UP = "ip link set lo up && "


def alone(before=""):
    """What in_python() takes as prefix; `before` runs in the shell first."""
    return [*ALONE, f'{UP}{before}exec "$@"', "sh"]


def root():
    own_network()


def in_own_network(script, before="", **environment):
    root()
    head = "from helpers import connections\nfrom helpers.connections import PART\n"
    return in_python(head + script, prefix=alone(before), **environment)


# --- a capture of all TCP on lo, by Python -----------------------------------------------------


class Capture:
    """Each packet once: (time in ns, source port, destination port, flags, seq, ack, payload)."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.socket.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS

    def packets(self):
        time.sleep(0.05)
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                data, extra, _, address = self.socket.recvmsg(256, 256, socket.MSG_DONTWAIT)
                if address[2] == 4:  # PACKET_OUTGOING: on lo the other one is the same again
                    found.append((stamp(extra), *parsed(data, address[1])))
        lost = struct.unpack("II", self.socket.getsockopt(263, 6, 8))[1]  # PACKET_STATISTICS
        assert lost == 0 and found
        return found


def stamp(extra):
    seconds, ns = struct.unpack("qq", extra[0][2][:16])
    return seconds * 10**9 + ns


def parsed(data, protocol):
    six = protocol == 0x86DD
    start = 40 if six else (data[0] & 15) * 4
    whole = struct.unpack_from("!H", data, 4 if six else 2)[0] + (40 if six else 0)
    source, target, seq, ack, offset, flags = struct.unpack_from("!HHIIBB", data, start)
    payload = whole - start - (offset >> 4) * 4
    return source, target, flags & (FIN | SYN | RST | ACK), seq, ack, payload


class Seen:
    """One connection: who sent what when. Times are None where that was not seen."""

    def __init__(self, packets):
        client = packets[0][1]
        self.client, self.port = client, packets[0][2]
        ours = [p for p in packets if p[1] == client]
        theirs = [p for p in packets if p[1] != client]
        self.resets = [sum(bool(p[3] & RST) for p in side) for side in (ours, theirs)]
        self.fins = [sum(bool(p[3] & FIN) for p in side) for side in (ours, theirs)]
        self.syn = next((p[0] for p in ours if p[3] == SYN), None)
        answer = next((p for p in theirs if p[3] == SYN | ACK), None)
        self.established = answer and next(
            (p[0] for p in ours if p[3] == ACK and p[5] == after(answer[4], 1)), None
        )
        fin = next((p for p in theirs if p[3] & FIN), None)
        self.fin = next((p[0] for p in ours if p[3] & FIN), None)
        self.over = fin and next(
            (p[0] for p in ours if p[3] == ACK and p[5] == after(fin[4], fin[6] + 1)), None
        )

    setup_ns = property(lambda self: self.established - self.syn)
    teardown_ns = property(lambda self: self.over - self.fin)
    held_ns = property(lambda self: self.fin - self.established)


def after(seq, count):
    return (seq + count) % 2**32


def connections(packets):
    """Those that begin here, in that order (of the probe before, a last packet may come late), without
    the one on which the service was asked for: the first, to the port at which the peer listens."""
    found = defaultdict(list)
    for packet in packets:
        found[tuple(sorted(packet[1:3]))].append(packet)
    seen = [one for one in map(Seen, found.values()) if one.syn]
    return [one for one in seen if one.port != seen[0].port]


# --- a peer that does as it is told ------------------------------------------------------------


def version():
    return re.search(r"PEER_VERSION (\d+)", (ROOT / "csrc/peer/wire.h").read_text())[1]


def a_line(connection):
    read = b""
    while not read.endswith(b"\n") and (byte := connection.recv(1)):
        read += byte
    return read.decode().strip()


class FalsePeer:
    """Greets as reckon-peer does; `behave(control, count, told)` does the rest, for one probe."""

    def __init__(self, behave, monkeypatch):
        self.listening = socket.create_server(("127.0.0.1", 0))
        monkeypatch.setenv("RECKON_PEER_AT", f"127.0.0.1:{self.listening.getsockname()[1]}")
        monkeypatch.setenv("RECKON_PEER_TOKEN", TOKEN)
        monkeypatch.delenv("RECKON_PEER_SPACE", raising=False)
        self.behave = behave
        self.thread = threading.Thread(target=self.serve)
        self.error = None

    def serve(self):
        try:
            with self.listening, self.listening.accept()[0] as control:
                control.settimeout(20)
                control.sendall(f"reckon-peer {version()}\n".encode())
                *_, token, service, count = a_line(control).split()
                assert (token, service) == (TOKEN, "accept")
                self.behave(control, int(count))
        except BaseException as error:
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join(30)
        assert not self.thread.is_alive()
        if self.error:
            raise self.error


def door(control, backlog=128):
    """A listening socket, told to the probe."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=backlog)
    listening.settimeout(20)
    control.sendall(f"ok {listening.getsockname()[1]}\n".encode())
    return listening


def accept_one(listening, hold_s=0.0):
    """Accepts, says so, waits for the end and closes; whether that end was in order."""
    connection = listening.accept()[0]
    with connection:
        connection.sendall(b"\1")
        try:
            in_order = connection.recv(1) == b""
        except ConnectionResetError:
            in_order = False
        time.sleep(hold_s)
    return in_order


def done(control, *numbers):
    control.sendall(("done " + " ".join(map(str, numbers)) + "\n").encode())
