"""What the other host and the NFS server say of themselves, as the run's machine description holds it."""

from __future__ import annotations

from reckon import records
from reckon.computer.description import describe
from reckon.hosts import nfs, peer
from reckon.records.session import Session, session


def other_host() -> dict[str, dict]:
    """The other host of the network: the built-in one is started, a real one (PEER=) is greeted; what
    it says of itself goes into the run's machine description, and is returned. Where there is none,
    `kind` has no value, and its source says why. Of a run recorded elsewhere: as recorded."""
    now = session()
    if now.replay:
        recorded = now.run.machine.get("peer", {})
        return {key: recorded.get(key, {"value": None, "source": ""}) for key in describe()["peer"]}
    try:
        facts = peer.chosen().facts
    except peer.PeerCannot as error:
        facts = {"kind": (None, str(error))}
    return _told(now, "peer", facts)


def nfs_server() -> dict[str, dict]:
    """The server of remote files, as it will be used: nothing is started for it. It goes into the run's
    machine description, and is returned. Of a run recorded elsewhere: as recorded."""
    now = session()
    if now.replay:
        recorded = now.run.machine.get("nfs", {})
        return {key: recorded.get(key, {"value": None, "source": ""}) for key in describe()["nfs"]}
    return _told(now, "nfs", nfs.facts())


def _told(now: Session, part: str, facts: dict[str, tuple]) -> dict[str, dict]:
    """What is known of that part of the machine, also written into the run."""
    known = {key: {"value": value, "source": source} for key, (value, source) in facts.items()}
    found = {**describe()[part], **known}
    if found != now.run.machine.get(part):
        records.write_run(now.run.model_copy(update={"machine": {**now.run.machine, part: found}}))
        session.cache_clear()
    return found
