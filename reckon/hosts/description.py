"""What the other host and the NFS server report of themselves, for the machine description."""

from __future__ import annotations

from reckon import records
from reckon.computer.description import describe
from reckon.hosts import nfs, peer
from reckon.records.session import Session, session


def other_host() -> dict[str, dict]:
    """What the other host of the network reports; also written to the run's machine description.

    The built-in host is started, a real one (PEER=) is greeted. Without one, `kind` has no value,
    and its source says why. A run recorded elsewhere gives what it recorded.
    """
    now = session()
    if now.replay:
        recorded = now.run.machine.get("peer", {})
        return {key: recorded.get(key, {"value": None, "source": ""}) for key in describe()["peer"]}
    try:
        facts = peer.chosen().facts
    except peer.PeerCannot as error:
        facts = {"kind": (None, str(error))}
    return _recorded(now, "peer", facts)


def nfs_server() -> dict[str, dict]:
    """The server of remote files, as it will be used; also written to the machine description.

    Nothing is started for it. A run recorded elsewhere gives what it recorded.
    """
    now = session()
    if now.replay:
        recorded = now.run.machine.get("nfs", {})
        return {key: recorded.get(key, {"value": None, "source": ""}) for key in describe()["nfs"]}
    return _recorded(now, "nfs", nfs.facts())


def _recorded(now: Session, part: str, facts: dict[str, tuple]) -> dict[str, dict]:
    """The facts of that part of the machine, also written to the run."""
    known = {key: {"value": value, "source": source} for key, (value, source) in facts.items()}
    found = {**describe()[part], **known}
    if found != now.run.machine.get(part):
        records.write_run(now.run.model_copy(update={"machine": {**now.run.machine, part: found}}))
        session.cache_clear()
    return found
