"""What the other host and the NFS server report of themselves, for the machine description."""

from __future__ import annotations

from reckon import records
from reckon.computer.description import describe
from reckon.computer.facts import Fact, Machine
from reckon.hosts import HostUnavailable, nfs, peer
from reckon.records.session import Session, current_session


def other_host() -> Machine:
    """The description with what the other host of the network reports; also written to the run.

    The built-in host is started, a real one (PEER=) is greeted. Without one, "peer.kind" has no
    value, and its source says why. A run recorded elsewhere gives what it recorded.
    """
    session = current_session()
    if session.is_replay:
        return session.run.machine
    try:
        facts = peer.connect().facts
    except HostUnavailable as error:
        facts = {"kind": (None, str(error))}
    return _with_facts(session, "peer", facts)


def nfs_server() -> Machine:
    """The description with the server of remote files, as it will be used; also written to the run.

    Nothing is started for it. A run recorded elsewhere gives what it recorded.
    """
    session = current_session()
    if session.is_replay:
        return session.run.machine
    return _with_facts(session, "nfs", nfs.facts())


def _with_facts(session: Session, part: str, facts: dict[str, tuple]) -> Machine:
    """The run's description with these facts of that part, also written to the run."""
    reported = {key: Fact(value=value, source=source) for key, (value, source) in facts.items()}
    machine = session.run.machine.with_facts(part, {**describe().root[part], **reported})
    if machine != session.run.machine:
        records.write_run(session.run.model_copy(update={"machine": machine}))
        current_session.cache_clear()
    return machine
