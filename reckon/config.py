"""Settings: where things are, and what the environment requests.

No other module reads or sets Reckon's variables of this process's environment."""

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
    """A fault that one sentence explains; the command line prints that sentence alone."""


@dataclass(frozen=True)
class Profile:
    """How long to measure."""

    name: str
    rank: int  # a record of a higher rank serves a lower one
    precision: float  # stop when the 95 % interval is within +- this share of the median ...
    processes_least: int  # ... and at least this many fresh processes have run
    processes_most: int
    budget_s: float  # ... or when this time is up, per quantity
    patience: float  # after this many budgets also with too few processes for an interval
    span_s: float  # the least number of processes is spread over this time
    trials: float  # multiple of the trials in each process that a notebook requests


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


def _path(variable: str) -> Path | None:
    return Path(os.environ[variable]) if os.environ.get(variable) else None


def set_environment(**values: str | None) -> None:
    """Set variables for the processes that this one starts, or remove those that are None.

    The probes' processes inherit what says where the peer, the server and the files are
    (csrc/runner/run.c); the notebooks' processes inherit the choices of the command line."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def profile(name: str | None = None) -> Profile:
    """The profile of that name, or the requested one. Raises ReckonError if there is none."""
    name = name or _choice("RECKON_PROFILE", "standard")
    if name not in PROFILES:
        raise ReckonError(f"There is no profile {name!r}; choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]


@dataclass(frozen=True)
class ByProfile:
    """A setting of a measurement that depends on the profile."""

    quick: float
    standard: float
    full: float

    def at(self, name: str) -> float:
        return getattr(self, name)


def value_at(profile: str, setting):
    """The value of a setting under that profile, on which it may depend."""
    return setting.at(profile) if isinstance(setting, ByProfile) else setting


def build_dir() -> Path:
    """The folder of everything that is generated."""
    return Path(_choice("RECKON_BUILD", str(WORK / "_build"))).resolve()


def library_dir() -> Path:
    """The folder of the C library and its programs."""
    return Path(_choice("RECKON_LIB", str(build_dir() / "lib"))).resolve()


def runs_dir() -> Path:
    """The folder of recorded runs."""
    return Path(_choice("RECKON_RUNS", str(WORK / "book" / "runs"))).resolve()


def run_name() -> str | None:
    """The requested run; None is this machine's own."""
    return os.environ.get("RECKON_RUN") or None


def other_host() -> list[str]:
    """The settings of the other host and of the NFS server as the user wrote them."""
    return [_choice(f"RECKON_{name}", "") for name in ("PEER", "LINK_RTT", "LINK_RATE", "NFS")]


def fresh() -> bool:
    """Whether to measure again what a record already holds."""
    return _choice("RECKON_FRESH", "0") not in ("", "0", "no")


def for_the_book() -> bool:
    """Whether the builder executes this notebook, rather than a person in JupyterLab."""
    return _choice("RECKON_BOOK", "0") == "1"


def events_log() -> Path | None:
    """The file to which a measurement reports its progress, if a builder watches one."""
    return _path("RECKON_EVENTS")


def reads_log() -> Path | None:
    """The file that lists what a page was made from, if a builder wants to know."""
    return _path("RECKON_READS")


def machine_toml() -> Path:
    """The user's own file of facts about the machine."""
    return Path(_choice("RECKON_MACHINE_TOML", str(WORK / "machine.toml")))


def scratch_dir() -> Path:
    """A folder on the disk that is measured (SCRATCH=)."""
    return Path(_choice("RECKON_SCRATCH", "/var/tmp")).absolute()


def files_dir() -> Path | None:
    """The folder of the files that probes read, if it is made already."""
    return _path("RECKON_FILES")


def peer() -> str | None:
    """The other host of the network pages, HOST or HOST:PORT; None is the lab host."""
    return os.environ.get("RECKON_PEER") or None


def peer_token() -> str | None:
    """The secret that both hosts know, so that the peer serves nobody else."""
    return os.environ.get("RECKON_PEER_TOKEN") or None


def nfs() -> str | None:
    """The NFS server, HOST:/EXPORT; None is nfs-ganesha on a lab host."""
    return os.environ.get("RECKON_NFS") or None


def nfs_address() -> str | None:
    """Where a server that another process has started is found."""
    return os.environ.get("RECKON_NFS_AT") or None


def link_rtt() -> str:
    """The round trip of the lab host's link as the user wrote it."""
    return _choice("RECKON_LINK_RTT", "0.2 ms")


def link_rate() -> str:
    """The rate of the lab host's link as the user wrote it."""
    return _choice("RECKON_LINK_RATE", "1 Gbit/s")
