"""The run that this process works on."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from . import fitness, nfs, peer, records, settings
from .machine import default_run_name, describe, identity
from .records import Run
from .settings import ReckonError


@dataclass(frozen=True)
class Session:
    run: Run
    replay: bool  # a run recorded on another machine or kernel: read, never measured


@functools.cache
def session() -> Session:
    """Open the run asked for (RECKON_RUN), or this machine's own, making it where it is new.

    A run belongs to one machine and kernel: where the one asked for was recorded elsewhere, its
    samples are read and nothing is measured.
    """
    described = describe()
    here = identity(described)
    name = settings.run_name() or default_run_name(described)
    found = records.read_run(name)
    if found is None:
        found = Run(
            name=name,
            identity=here,
            opened_at=records.now(),
            machine=described,
            fitness=[check.to_dict() for check in fitness.check_all()],
        )
        records.write_run(found)
        return Session(found, replay=False)
    if found.identity != here:
        if settings.fresh():
            raise ReckonError(
                f"The run {name} was recorded on another machine or kernel; measure into a run of "
                "its own with another RUN=."
            )
        return Session(found, replay=True)
    for part in ("peer", "nfs"):
        described[part] = _kept(described[part], found.machine.get(part, {}))
    if found.machine != described:  # machine.toml was edited, or a device came or went
        found = found.model_copy(update={"machine": described})
        records.write_run(found)
    return Session(found, replay=False)


def _kept(described: dict, recorded: dict) -> dict:
    """What is known of the other host: what machine.toml says, else what the run holds."""
    return {key: entry if entry["value"] is not None else recorded.get(key, entry)
            for key, entry in described.items()}  # fmt: skip


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
