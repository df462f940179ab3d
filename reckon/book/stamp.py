"""The stamp of the front page: machine, run, date, commit, root hash."""

from __future__ import annotations

import importlib.metadata
import subprocess

from reckon import config, records, units
from reckon.book.build_cache import faults_of_run, read_or_compute
from reckon.config import ROOT
from reckon.presentation.block import table_row
from reckon.presentation.text import code, literal
from reckon.records import verify
from reckon.records.models import Run


def commit() -> str:
    """What `git describe` says of the sources; the version of an installed package."""
    if config.INSTALLED:
        return f"version {importlib.metadata.version('reckon')}"
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        git = subprocess.run(
            command, cwd=ROOT, timeout=10, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "not known"
    return git.stdout.strip()


def stamp(run: Run) -> str:
    """What the front page says of the run. The date is that of the newest samples."""
    machine = run.machine
    words = f"{machine.value('processor.model')}, {machine.value('processor.cores')} cores"
    memory = machine.number("memory.capacity")
    if memory:
        words += f", {units.amount(memory, 'byte')} of memory"
    date, profiles = _measured(run.name)
    rows = {
        "Machine": literal(words),
        "Kernel": literal(machine.value("system.kernel")),
        "Hypervisor": literal(machine.value("system.hypervisor")),
        "Compiler": literal(
            str(machine.value("system.compiler") or "not reported").split(" · ")[0]
        ),
        "Measured": date,
        "Profile": profiles,
        "Run": code(run.name),
        "Commit": code(commit()),
    }
    if root := verify.root_hash(run.name):
        rows["Root hash"] = code(root)
    if faults_of_run(run.name):
        rows["Changed"] = "after it was written; `reckon verify` lists what"
    table = "\n".join(table_row([f"**{name}**", value]) for name, value in rows.items())
    return f"| This run | |\n| --- | --- |\n{table}\n"


def _measured(run: str) -> tuple[str, str]:
    """The newest samples' date, and the profiles under which any were taken.

    Kept with the records' versions: parsing all of a long run takes seconds.
    """
    experiments = records.experiments(run)
    version = [[*records.version_of(records.record_path(run, name))] for name in experiments]
    date, profiles = read_or_compute(
        "measured.json", version, lambda: _date_and_profiles(run, experiments)
    )
    return date, profiles


def _date_and_profiles(run: str, experiments: list[str]) -> tuple[str, str]:
    measurements = [
        quantity.measurement
        for name in experiments
        for quantity in records.read_record(run, name).quantities.values()
        if quantity.measurement
    ]
    dates = [measurement.started_at for measurement in measurements]
    date = f"{max(dates):%Y-%m-%d}" if dates else "not yet"
    return date, ", ".join(sorted({entry.profile for entry in measurements})) or "none"
