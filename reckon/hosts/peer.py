"""The other host of the network probes: a real one on which reckon-peer runs, or the lab host.

A real one (PEER=host) is greeted as a probe greets it (csrc/network/support/client.h) and describes
itself before anything is measured, so that a missing peer gives one message and not one per probe.
Without PEER the lab host is started: a second host in namespaces of this one, behind a link whose
round trip and rate are set.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from reckon import config
from reckon.config import ReckonError
from reckon.hosts import lab

VERSION = 1  # of the protocol, as in csrc/peer/wire.h
PORT = 7325
DEADLINE_S = 5.0
MAX_LINE_BYTES = 1 << 16
TEXTS = ("system", "release", "machine", "processor", "congestion_control", "interface", "driver")
NUMBERS = ("threads", "memory_bytes", "mtu_bytes", "speed_mbit_per_s")
START = "`make peer` says how to start it there."


class PeerUnavailable(ReckonError):
    """No other host is available; the message is the reason."""


@dataclass(frozen=True)
class OtherHost:
    """The other host that this process measures against."""

    kind: str  # "real" or "lab"
    identity: str  # part of a record's key: another host's samples are not reused for this one
    places: dict[str, str]  # how a probe reaches it; the token in it is never in a record
    facts: dict[str, tuple]  # of the machine description's part "peer": value in base units, source
    describe: str
    alive: Callable[[], bool] = lambda: True  # whether one that was started still runs


def connect() -> OtherHost:
    """The other host, greeted or started once a process.

    Raises PeerUnavailable, the same each time.
    """
    found = _connect_once()
    if isinstance(found, OtherHost) and not found.alive():  # it was ended from outside: a new one
        forget()
        found = _connect_once()
    if isinstance(found, PeerUnavailable):
        raise PeerUnavailable(str(found))
    return found


def identity() -> str:
    """Which other host it is, for a record's key.

    The lab host is not started for it. A real host is greeted; an unreachable one has an identity
    of its own.
    """
    if not config.settings().peer:
        return _lab_identity()
    try:
        return connect().identity
    except PeerUnavailable:
        return f"peer {config.settings().peer}, not there"


def forget() -> None:
    """Makes the next connect() greet or start a host again."""
    _connect_once.cache_clear()


@functools.cache
def _connect_once() -> OtherHost | PeerUnavailable:
    try:
        address = config.settings().peer
        return _real(address) if address else _lab()
    except PeerUnavailable as reason:
        return reason


# --- the lab host ----------------------------------------------------------------------------


def _lab() -> OtherHost:
    try:
        made = lab.started(lab.start)
    except (lab.LabUnavailable, lab.LabEnded) as trouble:
        raise PeerUnavailable(str(trouble)) from None
    atexit.register(made.close)
    return OtherHost(
        "lab",
        _lab_identity(),
        dict(made.places),
        made.facts,
        made.describe(),
        lambda: made.running,
    )


def _lab_identity() -> str:
    return lab.identity(lab.link_rtt_s(), lab.link_rate_bit_per_s())


# --- a real one ------------------------------------------------------------------------------


def _real(where: str) -> OtherHost:
    secret = config.settings().peer_token
    if not secret:
        raise PeerUnavailable(
            f"{where} needs the token that it was started with: PEER_TOKEN=... {START}"
        )
    token = secret.get_secret_value()
    if not re.fullmatch(r"[!-~]{16,128}", token):
        raise PeerUnavailable("PEER_TOKEN must have 16 to 128 characters and no space.")
    trouble = PeerUnavailable(f"{where} has no address.")
    for address in _addresses(where):
        try:
            about = _ask_about(address, token)
        except PeerUnavailable as reason:  # its next address may do
            trouble = reason
            continue
        stable = {name: value for name, value in about.items() if name != "memory_bytes"}
        mark = hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:8]
        places = {"peer": _text(address), "peer_token": token, "peer_process": ""}
        return OtherHost(
            "real",
            f"peer {address[0]} {mark}",
            places,
            _description(_text(address), about),
            _sentence(address[0], about),
        )
    raise trouble


def _addresses(where: str) -> list[tuple]:
    match = re.fullmatch(
        r"\[([^\]]+)\](?::(\d+))?|([^:]+)(?::(\d+))?|([^\[\]]*:[^\[\]]*:[^\[\]]*)", where
    )
    port = int(match[2] or match[4] or PORT) if match else 0
    if not match or not 0 < port < 65536:
        raise ReckonError(f"PEER is {where!r}; write HOST, HOST:PORT or [IPv6]:PORT.")
    host = match[1] or match[3] or match[5]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:
        raise PeerUnavailable(
            f"{host} is not found: {getattr(error, 'strerror', error)}."
        ) from None
    return [one[4] for one in found if one[0] in (socket.AF_INET, socket.AF_INET6)]


def _host(address: tuple) -> str:
    scope = address[3] if len(address) == 4 and "%" not in address[0] else 0
    return f"{address[0]}%{socket.if_indextoname(scope)}" if scope else address[0]


def _text(address: tuple) -> str:
    host = _host(address)
    return f"[{host}]:{address[1]}" if ":" in host else f"{host}:{address[1]}"


def _ask_about(address: tuple, token: str) -> dict:
    at = _text(address)
    try:
        with socket.create_connection((_host(address), address[1]), DEADLINE_S) as connection:
            lines = _lines(connection, time.monotonic() + DEADLINE_S)
            _greet(connection, lines, at, token)
            return _facts(next(lines), at)
    except TimeoutError:
        raise PeerUnavailable(
            f"The peer at {at} did not answer within {DEADLINE_S:g} s; is it up, and does a "
            "firewall let its port through?"
        ) from None
    except ConnectionRefusedError:
        raise PeerUnavailable(
            f"Nothing listens at {at}; start reckon-peer there. {START}"
        ) from None
    except ConnectionError:
        raise PeerUnavailable(
            f"The peer at {at} closed the connection before it answered."
        ) from None
    except OSError as error:
        raise PeerUnavailable(f"There is no way to the peer at {at}: {error.strerror}.") from None


def _lines(connection: socket.socket, end: float):
    """Yields lines; raises TimeoutError at the deadline, however slowly they arrive."""
    pending = b""
    while True:
        while b"\n" not in pending:
            connection.settimeout(max(end - time.monotonic(), 1e-3))
            got = connection.recv(4096)
            if not got or len(pending) > MAX_LINE_BYTES:
                raise ConnectionResetError
            pending += got
        line, pending = pending.split(b"\n", 1)
        yield line.decode(errors="replace").strip()


def _greet(connection: socket.socket, lines, at: str, token: str) -> None:
    greeting = next(lines)
    if greeting.startswith("no "):
        raise PeerUnavailable(_clean(greeting[3:]))
    match = re.fullmatch(r"reckon-peer (\d{1,9})", greeting)
    if not match:
        raise PeerUnavailable(f"What listens at {at} is no reckon-peer.")
    same = int(match[1]) == VERSION
    words = f"{token} about" if same else ""  # another version never gets the token
    connection.sendall(f"reckon-peer {VERSION} {words}".strip().encode() + b"\n")
    if not same:
        raise PeerUnavailable(
            f"The peer at {at} speaks version {match[1]} of the protocol and this Reckon version "
            f"{VERSION}; build both from the same commit."
        )
    answer = next(lines)
    if answer.startswith("no "):
        raise PeerUnavailable(_clean(answer[3:]))
    if answer != "ok":
        raise PeerUnavailable(f"The peer at {at} answered neither yes nor no.")


def _clean(text: str, max_length: int = 200) -> str:
    """Another host's text without characters that a terminal or a page would act on."""
    return re.sub(r"[^A-Za-z0-9 .,:;()+/@#%=_'?\"-]", "?", text)[:max_length]


def _facts(line: str, at: str) -> dict:
    """The known fields of the peer's description, checked: they go into records and pages."""
    try:
        said = json.loads(line)
        texts = {name: said.get(name) for name in TEXTS}
        numbers = {name: said.get(name) for name in NUMBERS}
        guest = said.get("guest")
    except (ValueError, AttributeError):
        raise PeerUnavailable(f"The peer at {at} did not say what it is.") from None
    for name, text in texts.items():
        texts[name] = _clean(text) if isinstance(text, str) and text else None
    for name, number in numbers.items():
        numbers[name] = number if type(number) is int and number >= 0 else None
    return {**texts, **numbers, "guest": guest if isinstance(guest, bool) else None}


def _sentence(host: str, about: dict) -> str:
    what = [
        about["processor"] or about["machine"],
        about["threads"] and f"{about['threads']} hardware threads",
        about["guest"] and "a virtual machine",
        " ".join(filter(None, (about["system"], about["release"]))),
    ]
    link = [
        about["driver"],
        about["mtu_bytes"] and f"MTU {about['mtu_bytes']} bytes",
        about["speed_mbit_per_s"] and f"{about['speed_mbit_per_s']} Mbit/s",
    ]
    end = f"its interface {about['interface'] or 'is not known'}"
    if any(link):
        end += f" ({', '.join(filter(None, link))})"
    return f"The other host is {host} ({', '.join(filter(None, what))}), reached at {end}."


def _description(at: str, about: dict) -> dict[str, tuple]:
    """The fields of the machine description: value in base units, source."""
    source = "reckon-peer there"
    kernel = " ".join(filter(None, (about["system"], about["release"], about["machine"])))
    speed = about["speed_mbit_per_s"]
    interface = [about["interface"], about["driver"], speed and f"{speed} Mbit/s"]
    guest = {True: "seen", False: "none seen", None: None}[about["guest"]]
    found = {
        "kind": "a real host",
        "address": at,
        "processor": about["processor"],
        "cores": about["threads"],
        "memory": about["memory_bytes"],
        "kernel": kernel or None,
        "hypervisor": guest,
        "interface": ", ".join(filter(None, interface)) or None,
        "mtu": about["mtu_bytes"],
        "congestion": about["congestion_control"],
    }
    numbers = ("cores", "memory", "mtu")
    return {
        key: (float(value) if key in numbers and value is not None else value, source)
        for key, value in found.items()
    }
