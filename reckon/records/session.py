"""The run that this process works on.

The session is handed over: functions take it, or what they need of it. Only an entry point looks it
up by current_session(): what a notebook calls as `rk.NAME`, `rk.show.NAME` or `rk.draw.NAME`, what
JupyterLab calls after a cell, a command, and the process of a later visit. A test lists them.
"""

from __future__ import annotations

import functools
import os
import uuid
from dataclasses import dataclass

from reckon import build_context, config, records
from reckon.computer import fitness
from reckon.computer.description import describe
from reckon.computer.facts import Machine
from reckon.computer.identity import changes, default_run_name, host, identity
from reckon.computer.measured_cpu import cpus_of_busy_cores, default_cpu
from reckon.errors import ReckonError
from reckon.messages import join_words, nearest
from reckon.records.quantities.revisions import Variants
from reckon.records.run_files.models import Run

_MISSPELT = 0.8  # of a name's letters are those of another in a slip (difflib)


@dataclass(eq=False)
class Session:
    """The run that a process works on, and whether and how it is measured there."""

    run: Run
    # Why the run is read and never measured: recorded elsewhere, or marked; None: it is measured.
    read_only_reason: str | None
    visits: int = 1  # how many the build makes to each quantity; the notebook's own is the first
    renders: bool = False  # the page shows what the run holds; only what it lacks is measured
    follows: bool = False  # a cell of JupyterLab is executed again because another was edited
    variants: Variants | None = None  # what a person tries in JupyterLab; None: all is written

    @property
    def is_replay(self) -> bool:
        """Whether the run is read and never measured."""
        return self.read_only_reason is not None

    @property
    def only_shows(self) -> bool:
        """Whether what was measured is shown as it is, and never measured again."""
        return self.is_replay or self.renders


@functools.cache
def current_session() -> Session:
    """The requested run, or this machine's own; a new one is made.

    A run belongs to one machine and kernel: if the requested one was recorded elsewhere, or is
    marked as read-only, its samples are read and nothing is measured. Raises ReckonError if it was
    to be measured again.
    """
    machine = describe()
    name = requested_run(machine)
    run = records.read_run(name)
    if run is None:
        if config.settings().run:
            _refuse_misspelt(name, machine)
        with records.writing(name):
            run = records.read_run(name) or _open_run(name, machine)
    machine = _by_measured_cpu(run, machine)
    reason = _read_only_reason(run, machine)
    if reason and config.settings().fresh:
        raise ReckonError(f"{reason}; measure into a run of its own with another RUN=.")
    build = build_context.current()
    return Session(
        run if reason else _update(run, machine),
        reason,
        visits=build.visits if build else 1,
        renders=build is not None and build.renders,
        variants=Variants() if config.settings().tries else None,
    )


def _refuse_misspelt(name: str, machine: Machine) -> None:
    """Raises ReckonError for a new run that is called almost like one that is only read here: who
    wants to see the example is not to measure for an hour. `before2` is no slip for `before`."""
    folders, _ = records.runs()
    meant = nearest(name, folders, _MISSPELT)
    if meant is None or _letters(meant) == _letters(name) or records.run_dir(name).exists():
        return
    run = records.read_run(folders[meant])
    if run and _read_only_reason(run, machine):
        raise ReckonError(
            f"There is no run {name}; did you mean {meant}? (`mkdir {records.run_dir(name)}` "
            "allows a new run of this name.)"
        )


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name))


def requested_run(machine: Machine | None = None) -> str:
    """The name of the requested run, or of this machine's own, whether it exists or not."""
    return config.settings().run or default_run_name(machine or describe())


def _open_run(name: str, machine: Machine) -> Run:
    busy = cpus_of_busy_cores()
    cpu = default_cpu(busy)
    if cpu != machine.value("processor.cpu"):
        machine = describe(cpu)
    run = Run(
        name=name,
        id=uuid.uuid4().hex,
        identity=identity(machine),
        host=host(),
        opened_at=records.now(),
        machine=machine,
        fitness=fitness.check_all(),
        cpus_of_busy_cores=busy,
    )
    records.write_run(run)
    return run


def _read_only_reason(run: Run, machine: Machine) -> str | None:
    """Why the run may not be written here; None if it may."""
    if run.read_only:
        return f"The run {run.name} is marked as read_only in its run.json"
    if run.identity != identity(machine):
        return f"The run {run.name} was recorded {_elsewhere(run, machine)}"
    cpu = run.measured_cpu
    if cpu is not None and cpu not in os.sched_getaffinity(0):
        return f"The run {run.name} measures CPU {cpu}, which this process may not use now"
    return None


def _elsewhere(run: Run, machine: Machine) -> str:
    """Where the run of another configuration was recorded: here, too, if only the state differs."""
    is_here = run.host is not None and run.host == host()
    state = changes(run.machine, machine) if is_here else []
    if state:
        return f"in another state of this machine: {join_words(state)}"
    return "on another machine or kernel"


def _by_measured_cpu(run: Run, machine: Machine) -> Machine:
    """The description by the CPU that the run measures, which may be another than a new run's."""
    cpu = run.measured_cpu
    return machine if cpu in (None, machine.value("processor.cpu")) else describe(cpu)


def _update(run: Run, machine: Machine) -> Run:
    """The run with the machine as it is now; machine.toml may be edited, a device come or go."""
    if run.machine == _with_other_hosts(machine, run):
        return run
    with records.writing(run.name):
        run = records.read_run(run.name) or run  # another process may have changed it since
        run = run.model_copy(update={"machine": _with_other_hosts(machine, run)})
        records.write_run(run)
    return run


def _with_other_hosts(machine: Machine, run: Run) -> Machine:
    for part in ("peer", "nfs"):
        machine = machine.with_recorded(part, run.machine)
    return machine
