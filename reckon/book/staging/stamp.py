"""The stamp of the front page: machine, run, date, commit, root hash."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess

from reckon import config, records, units
from reckon.config import ROOT
from reckon.records.run_files import verify
from reckon.records.run_files.models import Run
from reckon.show.block import table_row
from reckon.show.text import brief, code, literal, processor


def made_from() -> str:
    """The commit, as `git describe` says it of the sources; the version of an installed package."""
    if config.INSTALLED:
        return f"version {importlib.metadata.version('reckon')}"
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        git = subprocess.run(
            command, cwd=ROOT, timeout=60, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "not known"
    return f"commit {git.stdout.strip()}"


def facts(run: Run, commit: str) -> dict[str, str]:
    """What the title page and the front page say of the run, as plain text. The date is that of the
    newest samples; the commit is what made_from() says."""
    machine = run.machine
    words = processor(machine)
    memory = machine.number("memory.capacity")
    if memory:
        words += f", {units.amount(memory, 'byte')} of memory"
    date, profiles = _measured(run.name)
    return {
        "Machine": words,
        "Kernel": brief(machine.value("system.kernel") or "not reported"),
        "Hypervisor": brief(machine.value("system.hypervisor") or "not reported"),
        "Compiler": brief(str(machine.value("system.compiler") or "not reported").split(" · ")[0]),
        "Measured": date,
        "Profile": profiles,
        "Run": run.name,
        "Made from": commit,
    }


def stamp(run: Run, facts_of_run: dict[str, str], faults: list[str]) -> str:
    """The table of the front page about the run; faults: what was changed in its files."""
    rows = {
        name: code(value) if name == "Run" else literal(value)
        for name, value in facts_of_run.items()
    }
    rows["Made with"] = ", ".join(f"{name} {version}" for name, version in _versions().items())
    if root := verify.root_hash(run.name):
        rows["Root hash"] = code(root)
    if faults:
        rows["Changed"] = "after it was written; `reckon verify` lists what"
    table = "\n".join(table_row([f"**{name}**", value]) for name, value in rows.items())
    return f"| This run | |\n| --- | --- |\n{table}\n"


def _versions() -> dict[str, str]:
    """What the values and the pages were computed with."""
    packages = ("numpy", "scipy", "jupyter-book")
    python = {"Python": platform.python_version()}
    return python | {name: importlib.metadata.version(name) for name in packages}


def _measured(run: str) -> tuple[str, str]:
    """The newest samples' date, and the profiles under which any were taken."""
    measurements = [
        quantity.measurement
        for name in records.experiments(run)
        for quantity in records.read_record(run, name, samples=False).quantities.values()
        if quantity.measurement
    ]
    dates = [measurement.started_at for measurement in measurements]
    date = f"{max(dates):%Y-%m-%d}" if dates else "not yet"
    return date, ", ".join(sorted({entry.profile for entry in measurements})) or "none"
