"""What the peer and the NFS server report of themselves, for the machine description."""

from __future__ import annotations

from collections.abc import Callable

from reckon import records
from reckon.computer.description import describe
from reckon.computer.facts import Fact, Machine
from reckon.hosts import HostUnavailable, nfs, peer
from reckon.records.session import Session, current_session


def other_host() -> Machine:
    """The description with what the peer reports; also written to the run.

    The built-in host is started, a real one (PEER=) is greeted. Without one, "peer.kind" has no
    value, and its source says why. A run recorded elsewhere gives what it recorded.
    """
    return _described(current_session(), "peer", _peer_facts)


def nfs_server() -> Machine:
    """The description with the server of remote files, as it will be used; also written to the run.

    Nothing is started for it. A run recorded elsewhere gives what it recorded.
    """
    return _described(current_session(), "nfs", nfs.facts)


def _peer_facts() -> dict[str, tuple]:
    try:
        return peer.connect().facts
    except HostUnavailable as error:
        return {"kind": (None, str(error))}


def _described(session: Session, part: str, report: Callable[[], dict[str, tuple]]) -> Machine:
    """The run's description with the reported facts of that part, also written to the run.

    Of a run that is only read it is what was recorded; nothing is reported then."""
    run = session.run
    if session.is_replay:
        return run.machine
    facts = {key: Fact(value=value, source=source) for key, (value, source) in report().items()}
    with records.writing(run.name):
        run = records.read_run(run.name) or run  # another process may have changed it since
        machine = run.machine.with_facts(part, {**describe().root[part], **facts})
        session.run = run.model_copy(update={"machine": machine})
        if machine != run.machine:
            records.write_run(session.run)
    return machine
