"""Where things are and what was asked for: the only place that reads the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# An installed package carries a copy of what a book is made of: C sources, notebooks, prose, data.
INSTALLED = (_PACKAGE / "source").is_dir()
ROOT = _PACKAGE / "source" if INSTALLED else _PACKAGE.parent
# Where a book, its runs and machine.toml go.
WORK = Path.cwd() if INSTALLED else ROOT


class ReckonError(Exception):
    """A mistake or a trouble that one sentence explains; the command line prints only that."""


@dataclass(frozen=True)
class Profile:
    """How long to measure."""

    name: str
    rank: int  # a record of a higher rank serves a lower one
    precision: float  # stop when the 95 % interval is within +- this share of the median ...
    processes_least: int  # ... and at least so many fresh processes have run
    processes_most: int
    budget_s: float  # ... or when this time is up, per quantity
    patience: float  # after so many budgets even with too few processes for an interval
    span_s: float  # the least number of processes is spread over this time
    trials: float  # share of the trials that a page asks for in each process


PROFILES = {
    p.name: p
    for p in (
        Profile("quick", 0, 0.02, 6, 12, 0.4, 2, 0.1, 0.5),
        Profile("standard", 1, 0.01, 10, 60, 3.0, 4, 2.0, 1.0),
        Profile("full", 2, 0.005, 20, 500, 60.0, 4, 20.0, 2.0),
    )
}


def _choice(variable: str, preset: str) -> str:
    return os.environ.get(variable) or preset


def profile(name: str | None = None) -> Profile:
    name = name or _choice("RECKON_PROFILE", "standard")
    if name not in PROFILES:
        raise ReckonError(f"There is no profile {name!r}; choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]


@dataclass(frozen=True)
class ByProfile:
    """A setting of a measurement that depends on how long one measures."""

    quick: float
    standard: float
    full: float

    def at(self, name: str) -> float:
        return getattr(self, name)


def value_at(profile: str, setting):
    """The value of a setting under that profile, on which it may depend."""
    return setting.at(profile) if isinstance(setting, ByProfile) else setting


def build_dir() -> Path:
    """All that is generated."""
    return Path(_choice("RECKON_BUILD", str(WORK / "_build"))).resolve()


def library_dir() -> Path:
    return Path(_choice("RECKON_LIB", str(build_dir() / "lib"))).resolve()


def runs_dir() -> Path:
    return Path(_choice("RECKON_RUNS", str(WORK / "book" / "runs"))).resolve()


def run_name() -> str | None:
    """The run asked for, or None: this machine's own."""
    return os.environ.get("RECKON_RUN") or None


def other_host() -> list[str]:
    """What was asked for of the other host of the network and of files, as it was written."""
    return [_choice(f"RECKON_{name}", "") for name in ("PEER", "LINK_RTT", "LINK_RATE", "NFS")]


def fresh() -> bool:
    """Measure again what a record already holds."""
    return _choice("RECKON_FRESH", "0") not in ("", "0", "no")


def for_the_book() -> bool:
    """Whether the builder executes this notebook, rather than a person in JupyterLab."""
    return _choice("RECKON_BOOK", "0") == "1"


def _path(variable: str) -> Path | None:
    return Path(os.environ[variable]) if os.environ.get(variable) else None


def events_log() -> Path | None:
    """The file to which a measurement reports its progress, if a builder watches one."""
    return _path("RECKON_EVENTS")


def reads_log() -> Path | None:
    """The file that lists what a page was made from, if a builder wants to know."""
    return _path("RECKON_READS")


def machine_toml() -> Path:
    return Path(_choice("RECKON_MACHINE_TOML", str(WORK / "machine.toml")))


def scratch_dir() -> Path:
    """A folder on the disk that is measured (SCRATCH=)."""
    return Path(_choice("RECKON_SCRATCH", "/var/tmp")).absolute()


def files_dir() -> Path | None:
    """Where the files are that this run's rows read, if whoever started this process has some."""
    return _path("RECKON_FILES")


def peer() -> str | None:
    """The other host of the network rows, HOST or HOST:PORT; None: the lab host."""
    return os.environ.get("RECKON_PEER") or None


def peer_token() -> str | None:
    """What both hosts know, so that the other one serves nobody else."""
    return os.environ.get("RECKON_PEER_TOKEN") or None


def nfs() -> str | None:
    """The NFS server to measure, HOST:/EXPORT; None: nfs-ganesha on a lab host."""
    return os.environ.get("RECKON_NFS") or None


def link_rtt() -> str:
    """The round trip of the lab host's link, as it was written; lab.py reads it."""
    return _choice("RECKON_LINK_RTT", "0.2 ms")


def link_rate() -> str:
    """The rate of the lab host's link, as it was written; lab.py reads it."""
    return _choice("RECKON_LINK_RATE", "1 Gbit/s")
