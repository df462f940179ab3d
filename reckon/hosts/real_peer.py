"""A real host on which reckon-peer runs: its address, its greeting, and what it reports of itself.

It is greeted as a probe greets it (csrc/network/support/client.h).
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import time
from collections.abc import Iterator

from reckon import config
from reckon.errors import ReckonError
from reckon.hosts import DEADLINE_S, HostUnavailable
from reckon.hosts.connections import Peer
from reckon.hosts.lab import PORT

VERSION = 1  # of the protocol, as in csrc/peer/wire.h
MAX_LINE_BYTES = 1 << 16
MAX_TEXT = 200  # characters of what a peer says
TEXTS = ("system", "release", "machine", "processor", "congestion_control", "interface", "driver")
NUMBERS = ("threads", "memory_bytes", "mtu_bytes", "speed_mbit_per_s")
_START = "`make peer` says how to start it there."
_ADDRESS = re.compile(r"\[([^\]]+)\](?::(\d+))?|([^:]+)(?::(\d+))?|([^\[\]]*:[^\[\]]*:[^\[\]]*)")


def greet(peer: str) -> Peer:
    """The host that PEER names: HOST, HOST:PORT or [IPv6]:PORT.

    Raises HostUnavailable, and ReckonError for another text.
    """
    token = _token(peer)
    reason = HostUnavailable(f"{peer} has no address.")
    for address in _addresses(peer):
        try:
            about = _ask_about(address, token)
        except HostUnavailable as error:  # its next address may do
            reason = error
            continue
        stable = {name: value for name, value in about.items() if name != "memory_bytes"}
        digest = hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:8]
        return Peer(
            locations={"peer": _text(address), "peer_token": token, "peer_process": ""},
            description=_sentence(address[0], about),
            identity=f"peer {address[0]} {digest}",
            facts=_machine_facts(_text(address), about),
        )
    raise reason


def _token(peer: str) -> str:
    secret = config.settings().peer_token
    if not secret:
        raise HostUnavailable(
            f"{peer} needs the token that it was started with: PEER_TOKEN=... {_START}"
        )
    token = secret.get_secret_value()
    if not re.fullmatch(r"[!-~]{16,128}", token):
        raise HostUnavailable("PEER_TOKEN must have 16 to 128 characters and no space.")
    return token


# --- its address -----------------------------------------------------------------------------


def _addresses(peer: str) -> list[tuple]:
    """The socket addresses of that host, IPv4 and IPv6, in the order of the resolver."""
    match = _ADDRESS.fullmatch(peer)
    port = int(match[2] or match[4] or PORT) if match else 0
    if not match or not 0 < port < 65536:
        raise ReckonError(f"PEER is {peer!r}; write HOST, HOST:PORT or [IPv6]:PORT.")
    host = match[1] or match[3] or match[5]
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:
        raise HostUnavailable(
            f"{host} is not found: {getattr(error, 'strerror', error)}."
        ) from None
    families = (socket.AF_INET, socket.AF_INET6)
    return [address for family, *_, address in entries if family in families]


def _host(address: tuple) -> str:
    """The address without its port, with the zone of a link-local one."""
    scope = address[3] if len(address) == 4 and "%" not in address[0] else 0
    return f"{address[0]}%{socket.if_indextoname(scope)}" if scope else address[0]


def _text(address: tuple) -> str:
    host = _host(address)
    return f"[{host}]:{address[1]}" if ":" in host else f"{host}:{address[1]}"


# --- its greeting ----------------------------------------------------------------------------


def _ask_about(address: tuple, token: str) -> dict:
    """What the peer at that address reports of itself. Raises HostUnavailable."""
    at = _text(address)
    try:
        with socket.create_connection((_host(address), address[1]), DEADLINE_S) as connection:
            lines = _lines(connection, time.monotonic() + DEADLINE_S)
            _greet(connection, lines, at, token)
            return _facts(next(lines), at)
    except TimeoutError:
        reason = (
            f"The peer at {at} did not answer within {DEADLINE_S:g} s; is it up, and does a "
            "firewall let its port through?"
        )
    except ConnectionRefusedError:
        reason = f"Nothing listens at {at}; start reckon-peer there. {_START}"
    except ConnectionError:
        reason = f"The peer at {at} closed the connection before it answered."
    except OSError as error:
        reason = f"There is no way to the peer at {at}: {error.strerror}."
    raise HostUnavailable(reason)


def _lines(connection: socket.socket, end_s: float) -> Iterator[str]:
    """Yields lines; raises TimeoutError at the deadline, however slowly they arrive."""
    pending = b""
    while True:
        while b"\n" not in pending:
            connection.settimeout(max(end_s - time.monotonic(), 1e-3))
            data = connection.recv(4096)
            if not data or len(pending) > MAX_LINE_BYTES:
                raise ConnectionResetError
            pending += data
        line, pending = pending.split(b"\n", 1)
        yield line.decode(errors="replace").strip()


def _greet(connection: socket.socket, lines: Iterator[str], at: str, token: str) -> None:
    greeting = next(lines)
    if greeting.startswith("no "):
        raise HostUnavailable(_clean(greeting[3:]))
    match = re.fullmatch(r"reckon-peer (\d{1,9})", greeting)
    if not match:
        raise HostUnavailable(f"What listens at {at} is no reckon-peer.")
    is_same = int(match[1]) == VERSION
    request = f"{token} about" if is_same else ""  # another version never gets the token
    connection.sendall(f"reckon-peer {VERSION} {request}".strip().encode() + b"\n")
    if not is_same:
        raise HostUnavailable(
            f"The peer at {at} speaks version {match[1]} of the protocol and this Reckon version "
            f"{VERSION}; build both from the same commit."
        )
    answer = next(lines)
    if answer.startswith("no "):
        raise HostUnavailable(_clean(answer[3:]))
    if answer != "ok":
        raise HostUnavailable(f"The peer at {at} answered neither yes nor no.")


def _clean(text: str) -> str:
    """A peer's text without characters that a terminal or a page would act on."""
    return re.sub(r"[^A-Za-z0-9 .,:;()+/@#%=_'?\"-]", "?", text)[:MAX_TEXT]


# --- what it reports of itself ---------------------------------------------------------------


def _facts(line: str, at: str) -> dict:
    """The known fields of the peer's description, checked: they go into records and pages."""
    try:
        description = json.loads(line)
        texts = {name: description.get(name) for name in TEXTS}
        numbers = {name: description.get(name) for name in NUMBERS}
        guest = description.get("guest")
    except (ValueError, AttributeError, RecursionError):
        raise HostUnavailable(f"The peer at {at} did not say what it is.") from None
    for name, text in texts.items():
        texts[name] = _clean(text) if isinstance(text, str) and text else None
    for name, number in numbers.items():
        numbers[name] = number if type(number) is int and 0 <= number < 2**63 else None
    return {**texts, **numbers, "guest": guest if isinstance(guest, bool) else None}


def _list(parts: list, separator: str = ", ") -> str:
    return separator.join(filter(None, parts))


def _sentence(host: str, about: dict) -> str:
    computer = [
        about["processor"] or about["machine"],
        about["threads"] and f"{about['threads']} hardware threads",
        about["guest"] and "a virtual machine",
        _list([about["system"], about["release"]], " "),
    ]
    link = [
        about["driver"],
        about["mtu_bytes"] and f"MTU {about['mtu_bytes']} bytes",
        about["speed_mbit_per_s"] and f"{about['speed_mbit_per_s']} Mbit/s",
    ]
    interface = f"its interface {about['interface'] or 'is not known'}"
    if any(link):
        interface += f" ({_list(link)})"
    return f"The other host is {host} ({_list(computer)}), reached at {interface}."


def _machine_facts(address: str, about: dict) -> dict[str, tuple]:
    """The fields of the machine description: value in base units, source."""
    speed, kernel = about["speed_mbit_per_s"], [about["system"], about["release"], about["machine"]]
    interface = [about["interface"], about["driver"], speed and f"{speed} Mbit/s"]
    numbers = {"cores": "threads", "memory": "memory_bytes", "mtu": "mtu_bytes"}
    facts: dict[str, float | str | None] = {
        "kind": "a real host",
        "address": address,
        "processor": about["processor"],
        "kernel": _list(kernel, " ") or None,
        "hypervisor": {True: "seen", False: "none seen", None: None}[about["guest"]],
        "interface": _list(interface) or None,
        "congestion": about["congestion_control"],
    }
    for field, name in numbers.items():
        facts[field] = None if about[name] is None else float(about[name])
    return {field: (value, "reckon-peer there") for field, value in facts.items()}
