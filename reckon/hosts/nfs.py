"""The NFS servers of remote files: a real one, or nfs-ganesha on lab hosts.

A real one (NFS=host:/export) holds a file `reckon-data`, put there by its owner; Reckon writes
nothing on it. Without NFS, nfs-ganesha on a lab host exports the folder of the run's files. There
are up to three such servers, by the delay of their link: "other" (as LINK_RTT says), "near" (no
delay: the server's and the client's own work) and "far".
"""

from __future__ import annotations

import glob
import os
import re
import socket
from pathlib import Path

from reckon import config
from reckon.errors import ReckonError
from reckon.hosts import DEADLINE_S, HostUnavailable, ganesha, lab, link, named_by_the_user
from reckon.hosts.connections import Connections, Host

SERVERS = ("other", "near", "far")
FILE = "reckon-data"
_LONGER_RTT_S = 1e-3  # of the link to "far" ...
_LONGER_RTT_FACTOR = 5  # ... or this multiple of LINK_RTT, if that is more


def far_rtt_s() -> float:
    """The round trip of the link to "far", in seconds."""
    return min(max(_LONGER_RTT_S, _LONGER_RTT_FACTOR * link.rtt_s()), link.MAX_RTT_S)


def link_to(server: str) -> tuple[float, float]:
    """The round trip in s and the rate in bit/s of the lab's link to that server."""
    rtt_s = {"other": link.rtt_s(), "near": 0.0, "far": far_rtt_s()}[server]
    return rtt_s, link.rate_bit_per_s()


def is_real(server: str) -> bool:
    return server == "other" and bool(config.settings().nfs)


def connect(server: str, folder: Path) -> Host:
    """The server, greeted or started once a process; one on a lab host exports `folder`.

    Raises HostUnavailable, with the same reason each time, and ReckonError for an unknown server.
    """
    if server not in SERVERS:
        raise ReckonError(f"There is no NFS server {server!r}; choose one of {', '.join(SERVERS)}.")
    return _connections.host(server, str(folder))


def forget() -> None:
    """Ends the started servers; the next connect() greets or starts one again."""
    _connections.forget()


def identity(server: str) -> str:
    """Which server and link it is, for a record's key. Nothing is started for it."""
    if is_real(server):
        return f"nfs {config.settings().nfs} {' '.join(_libraries())}"
    return f"nfs {ganesha.identity(_libraries())} {lab.identity(*link_to(server))}"


def facts() -> dict[str, tuple]:
    """The fields of the machine description: value in base units, source.

    Nothing is started for it. A real server's link is not under Reckon's control.
    """
    settings = "LINK_RTT, LINK_RATE"
    if is_real("other"):
        return {
            "kind": ("a real host", "NFS"),
            "address": (config.settings().nfs, "NFS"),
            "far_rtt": (far_rtt_s(), settings),
        }
    rtt_s, rate_bit_per_s = link_to("other")
    return {
        "kind": (f"{ganesha.version()} on a host built into this machine", "ganesha.nfsd -v"),
        "address": (f"{ganesha.ADDRESS}:{ganesha.EXPORT}", "reckon/hosts/ganesha.py"),
        "link_rtt": (rtt_s, settings),
        "far_rtt": (far_rtt_s(), settings),
        "link_rate": (rate_bit_per_s / 8, settings),
    }


def _connect(server: str, folder: str) -> Host:
    address = config.settings().nfs
    if not (address and is_real(server)):
        return _start(server, folder)
    with named_by_the_user():
        return _greet(address)


_connections = Connections(_connect)


def _locations(server: str, address: str, process: str = "") -> dict[str, str]:
    """Where a probe reaches the server, by the names of rk_location() in csrc/probe/probe.h.

    process: one in the network from which a lab's server is reached."""
    name = "nfs" if server == "other" else f"nfs_{server}"
    return {name: address, f"{name}_process": process}


def _greet(address: str) -> Host:
    """The real server at HOST:/EXPORT, which is not mounted for it. Raises HostUnavailable."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:/]+):(/\S*)", address)
    if not match:
        raise HostUnavailable(f"NFS is {address!r}; write HOST:/EXPORT.")
    host, port = match[1].strip("[]"), ganesha.PORT
    try:
        socket.create_connection((host, port), DEADLINE_S).close()
    except TimeoutError:
        reason = (
            f"The NFS server {host} did not answer within {DEADLINE_S:g} s; is it up, and does a "
            f"firewall let port {port} through?"
        )
    except ConnectionRefusedError:
        reason = f"Nothing listens at {host} port {port}; is an NFS server running there?"
    except OSError as error:
        reason = f"There is no way to the NFS server {host}: {error.strerror}."
    else:
        return Host(
            locations=_locations("other", address),
            description=f"The NFS server is {host}, and the file {FILE} of its export {match[2]}.",
        )
    raise HostUnavailable(reason)


def _start(server: str, folder: str) -> Host:
    """The server on a lab host, which exports that folder. Raises HostUnavailable."""
    running = lab.run_until_exit(lambda: ganesha.start(*link_to(server), folder))
    description = (
        f"{ganesha.version()} on {running.describe()}; TCP by "
        f"{running.congestion or 'an unknown congestion control'}; it shares this machine's page "
        "cache"
    )
    if not ganesha.serves_version_3():
        description += "; without rpcbind it has no version 3"
    locations = _locations(server, f"{ganesha.ADDRESS}:{ganesha.EXPORT}", str(running.pid))
    return Host(locations=locations, description=description, lab=running)


def _libraries() -> list[str]:
    """The versions of libnfs that are installed, by their files' names."""
    paths = glob.glob("/usr/lib*/libnfs.so.*") + glob.glob("/usr/lib/*/libnfs.so.*")
    return sorted({os.path.basename(os.path.realpath(path)) for path in paths})
