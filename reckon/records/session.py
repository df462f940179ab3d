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
    """The run, and whether it can be measured here."""

    run: Run
    replay: bool  # a run recorded on another machine or kernel: read, never measured


@functools.cache
def session() -> Session:
    """The requested run, or this machine's own; a new one is made.

    A run belongs to one machine and kernel: if the requested one was recorded elsewhere, its
    samples are read and nothing is measured. Raises ReckonError if it was to be measured again.
    """
    described = describe()
    here = identity(described)
    name = config.run_name() or default_run_name(described)
    run = records.read_run(name)
    if run is None:
        run = Run(
            name=name,
            identity=here,
            opened_at=records.now(),
            machine=described,
            fitness=[check.to_dict() for check in fitness.check_all()],
        )
        records.write_run(run)
        return Session(run, replay=False)
    if run.identity != here:
        if config.fresh():
            raise ReckonError(
                f"The run {name} was recorded on another machine or kernel; measure into a run of "
                "its own with another RUN=."
            )
        return Session(run, replay=True)
    for part in ("peer", "nfs"):
        described[part] = _of_host(described[part], run.machine.get(part, {}))
    if run.machine != described:  # machine.toml was edited, or a device came or went
        run = run.model_copy(update={"machine": described})
        records.write_run(run)
    return Session(run, replay=False)


def _of_host(described: dict, recorded: dict) -> dict:
    """The facts of the other host by machine.toml, else as the run holds them."""
    return {
        key: entry if entry["value"] is not None else recorded.get(key, entry)
        for key, entry in described.items()
    }
