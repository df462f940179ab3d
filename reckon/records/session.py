"""The run that this process works on."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from reckon import config, records
from reckon.computer import fitness
from reckon.computer.description import default_run_name, describe, identity
from reckon.config import ReckonError
from reckon.records.models import Run


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
    name = config.run_name() or default_run_name(described)
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
        if config.fresh():
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
    return {
        key: entry if entry["value"] is not None else recorded.get(key, entry)
        for key, entry in described.items()
    }
