"""The peer of the network probes: a real host on which reckon-peer runs, or the lab host.

A real one (PEER=host) is greeted before anything is measured, so that a missing peer gives one
message and not one per probe. Without PEER the lab host is started: a second host in namespaces of
this one, behind a link whose round trip and rate are set.
"""

from __future__ import annotations

from reckon import config
from reckon.hosts import HostUnavailable, lab, link, named_by_the_user, real_peer
from reckon.hosts.connections import Connections, Peer


def connect() -> Peer:
    """The peer, greeted or started once a process.

    Raises HostUnavailable, with the same reason each time, and ReckonError for a PEER that is no
    address.
    """
    return _connections.host()


def identity() -> str:
    """Which peer it is, for a record's key.

    The lab host is not started for it. A real host is greeted; an unreachable one has an identity
    of its own.
    """
    address = config.settings().peer
    if not address:
        return _lab_identity()
    try:
        return connect().identity
    except HostUnavailable:
        return f"peer {address}, not there"


def forget() -> None:
    """Makes the next connect() greet or start a host again."""
    _connections.forget()


def _connect() -> Peer:
    address = config.settings().peer
    if not address:
        return _start_lab()
    with named_by_the_user():
        return real_peer.greet(address)


_connections = Connections(_connect)


def _start_lab() -> Peer:
    running = lab.run_until_exit(lab.start)
    return Peer(
        locations=dict(running.locations),
        description=running.describe(),
        lab=running,
        identity=_lab_identity(),
        facts=running.facts,
    )


def _lab_identity() -> str:
    return lab.identity(link.rtt_s(), link.rate_bit_per_s())
