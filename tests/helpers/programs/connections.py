"""A capture of TCP on loopback by Python, beside that of the probes of network/connect."""

import contextlib
import socket
import struct
import time
from collections import defaultdict

FIN, SYN, RST, ACK = 1, 2, 4, 16


class Capture:
    """Each packet once: (time in ns, source port, destination port, flags, seq, ack, payload)."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.socket.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS

    def packets(self):
        time.sleep(0.05)
        captured = []
        with contextlib.suppress(BlockingIOError):
            while True:
                data, extra, _, address = self.socket.recvmsg(256, 256, socket.MSG_DONTWAIT)
                if address[2] == 4:  # PACKET_OUTGOING: on lo the other one is the same again
                    captured.append((stamp(extra), *parsed(data, address[1])))
        lost = struct.unpack("II", self.socket.getsockopt(263, 6, 8))[1]  # PACKET_STATISTICS
        assert lost == 0 and captured
        return captured


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
        of_client = [p for p in packets if p[1] == client]
        of_peer = [p for p in packets if p[1] != client]
        self.resets = [sum(bool(p[3] & RST) for p in side) for side in (of_client, of_peer)]
        self.fins = [sum(bool(p[3] & FIN) for p in side) for side in (of_client, of_peer)]
        self.syn = next((p[0] for p in of_client if p[3] == SYN), None)
        answer = next((p for p in of_peer if p[3] == SYN | ACK), None)
        self.established = answer and next(
            (p[0] for p in of_client if p[3] == ACK and p[5] == after(answer[4], 1)), None
        )
        fin = next((p for p in of_peer if p[3] & FIN), None)
        self.fin = next((p[0] for p in of_client if p[3] & FIN), None)
        self.over = fin and next(
            (p[0] for p in of_client if p[3] == ACK and p[5] == after(fin[4], fin[6] + 1)), None
        )

    def as_dict(self):
        """Who ended it, and how long it took; times are 0 or None where that was not seen."""
        return {
            "fins": self.fins,
            "resets": self.resets,
            "setup": self.established and self.established - self.syn,
            "teardown": self.over and self.over - self.fin,
            "held": self.fin and self.fin - self.established,
        }


def after(seq, count):
    return (seq + count) % 2**32


def connections(packets):
    """The connections that begin in the capture, in order (a last packet of the probe before may come
    late), without the first, to the port at which the peer listens: it requested the service."""
    by_ports = defaultdict(list)
    for packet in packets:
        by_ports[tuple(sorted(packet[1:3]))].append(packet)
    seen = [connection for connection in map(Seen, by_ports.values()) if connection.syn]
    return [connection for connection in seen if connection.port != seen[0].port]
