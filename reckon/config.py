"""Settings: where things are, and what the environment requests.

No other module reads this process's environment.
"""

from __future__ import annotations

import errno
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from reckon.messages import did_you_mean, first_fault, join_words

_PACKAGE = Path(__file__).resolve().parent
# An installed package carries a copy of what a book is made of: C sources, notebooks, prose, data.
INSTALLED = (_PACKAGE / "source").is_dir()
ROOT = _PACKAGE / "source" if INSTALLED else _PACKAGE.parent
# Where a book, its runs and machine.toml go.
WORK = Path.cwd() if INSTALLED else ROOT


class ReckonError(Exception):
    """A fault that one sentence explains; command line and notebook show that sentence alone."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints of it: lines."""
        return [str(self)]


class Unavailable(ReckonError):
    """What a measurement needs is not available; the message is the reason.

    temporary: the next attempt may succeed; else this machine, as it is set up, does not have it.
    """

    def __init__(self, reason: str, *, temporary: bool = False):
        super().__init__(reason)
        self.temporary = temporary


# What helps against most limits that is_limit() knows.
ALLOW_MORE = "allow more processes (ulimit -u, pids.max) or memory."
# What a system call reports where a limit (of processes, memory, open files) is reached.
_LIMITS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def is_limit(error: OSError) -> bool:
    """Whether a limit was reached, which another attempt may not meet."""
    return error.errno in _LIMITS


@dataclass(frozen=True, kw_only=True)
class Profile:
    """How long to measure."""

    name: str
    rank: int  # a record of a higher rank serves a lower one
    precision: float  # stop when the 95 % interval is within +- this share of the median ...
    min_processes: int  # ... and at least this many fresh processes have run
    max_processes: int
    budget_s: float  # ... or when this time is up, per quantity
    max_budgets: float  # after this many also with too few processes for an interval
    span_s: float  # the first min_processes are spread over this time
    samples_factor: float  # a process takes this multiple of the samples that a notebook requests
    visits: int  # periods, minutes apart, in which the build measures a quantity; they share time


PROFILES = {
    p.name: p
    for p in (
        Profile(
            name="quick",
            rank=0,
            precision=0.02,
            min_processes=6,
            max_processes=12,
            budget_s=0.4,
            max_budgets=2,
            span_s=0.1,
            samples_factor=0.5,
            visits=1,
        ),
        Profile(
            name="standard",
            rank=1,
            precision=0.01,
            min_processes=10,
            max_processes=60,
            budget_s=3.0,
            max_budgets=4,
            span_s=2.0,
            samples_factor=1.0,
            visits=3,
        ),
        Profile(
            name="full",
            rank=2,
            precision=0.005,
            min_processes=20,
            max_processes=500,
            budget_s=60.0,
            max_budgets=4,
            span_s=20.0,
            samples_factor=2.0,
            visits=3,
        ),
    )
}


def _profile(name: str | Profile) -> Profile:
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"choose {join_words(PROFILES, 'or')}.")
        raise ReckonError(f"There is no profile {name!r}; {hint}")
    return PROFILES[name]


_Folder = Annotated[Path, AfterValidator(Path.resolve)]


class Settings(BaseSettings):
    """What the variables RECKON_... request; an empty variable is an unset one."""

    model_config = SettingsConfigDict(
        env_prefix="RECKON_",
        env_ignore_empty=True,
        populate_by_name=True,
        validate_default=True,
        frozen=True,
    )

    profile: Annotated[Profile, NoDecode, BeforeValidator(_profile)] = PROFILES["standard"]
    run: str | None = None  # None: this machine's own
    fresh: bool = False  # measure again what a record already holds
    tries: bool = False  # predictions of measured quantities are written when a person keeps them
    # Patterns of the notebooks that the book is made of ("cpu/* summary"); None: all.
    pages: str | None = None
    # Everything that is generated; the C library and its programs; recorded runs.
    build_dir: _Folder = Field(default=WORK / "_build", validation_alias="RECKON_BUILD")
    library_dir: _Folder = Field(
        default_factory=lambda settings: settings["build_dir"] / "lib",
        validation_alias="RECKON_LIB",
    )
    runs_dir: _Folder = Field(default=WORK / "book" / "runs", validation_alias="RECKON_RUNS")
    machine_toml: Path = WORK / "machine.toml"  # the user's own facts about the machine
    # A folder on the disk that is measured.
    scratch_dir: Annotated[Path, AfterValidator(Path.absolute)] = Field(
        default=Path("/var/tmp"), validation_alias="RECKON_SCRATCH"
    )
    # A predictions.toml that is laid over the run's predictions.
    predictions: Annotated[Path, AfterValidator(Path.absolute)] | None = None
    # The site covers what was measured until its reader has predicted it; there is no PDF.
    blind: bool = False
    author: str = ""  # on the title page of the PDFs, with the course it was written for
    course: str = ""
    # The address at which the site will be published: previews of links to it want whole addresses.
    url: str = ""
    peer: str | None = None  # HOST or HOST:PORT; None: the lab host
    peer_token: SecretStr | None = None  # both hosts know it: the peer serves nobody else
    nfs: str | None = None  # HOST:/EXPORT; None: nfs-ganesha on a lab host
    link_rtt: str = "0.2 ms"  # of the lab host's link
    link_rate: str = "1 Gbit/s"
    # The name that a process has while it measures: one at a time on a machine.
    machine_lock: str = "reckon-measuring"

    def with_choices(
        self,
        *,
        profile: str | None = None,
        run: str | None = None,
        fresh: bool | None = None,
        pages: str | None = None,
    ) -> Settings:
        """These settings with the choices that are not None."""
        choices = {
            "profile": _profile(profile) if profile else None,
            "run": run or None,
            "fresh": fresh,
            "pages": pages or None,
        }
        return self.model_copy(
            update={name: value for name, value in choices.items() if value is not None}
        )


@functools.cache
def _read(_variables: frozenset[tuple[str, str]]) -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        raise ReckonError(f"In the environment, {first_fault(error)}.") from None


_in_use: Settings | None = None


def settings() -> Settings:
    """The settings of this process: those in use, else the environment's as it is now.

    Raises ReckonError where a variable has no valid value.
    """
    return _in_use or _read(frozenset(os.environ.items()))


def use(settings: Settings | None) -> None:
    """Work by these settings from now on; None: by the environment again."""
    global _in_use
    _in_use = settings


def notebook_in_jupyter() -> Path | None:
    """The notebook of this process, a kernel that Jupyter's server started; None of any other."""
    name = os.environ.get("JPY_SESSION_NAME", "")
    return Path(name) if name.endswith(".ipynb") else None


@dataclass(frozen=True)
class BuildContext:
    """What the build of the book hands to the process of a page."""

    events: Path  # takes what a measurement reports of its progress, one line an event
    reads: Path  # takes the list of the records that the page was made from
    files: Path | None = None  # the folder of the files that the pages' probes read
    visits: int = 1  # how many the build makes to each quantity; the notebook's own is the first
    renders: bool = False  # the notebook is to show what the records hold, and to measure nothing


_build_context: BuildContext | None = None


def build_context() -> BuildContext | None:
    """What the build handed to this process; None outside of a build, as in JupyterLab."""
    return _build_context


def set_build_context(context: BuildContext | None) -> None:
    """Make it what build_context() returns in this process."""
    global _build_context
    _build_context = context


def child_environment(**more: str) -> dict[str, str]:
    """The environment for a program that is started, with some variables added."""
    return {**os.environ, **more}


def set_environment(**values: str) -> None:
    """Set variables for the processes that this one starts."""
    os.environ.update(values)


@dataclass(frozen=True, kw_only=True)
class ByProfile:
    """A setting of a measurement that depends on the profile."""

    quick: float
    standard: float
    full: float

    def at(self, name: str) -> float:
        """The value under the profile of that name."""
        return getattr(self, name)


def value_at(setting, *, profile: str):
    """The value of a setting under that profile, on which it may depend."""
    return setting.at(profile) if isinstance(setting, ByProfile) else setting


# --- where probes find the hosts and files -----------------------------------------------------

# The variables in which a parent or a user may name a location, by the probes' name for it
# (rk_location() in csrc/probe/probe.h).
LOCATIONS = {
    "peer": "RECKON_PEER_AT",
    "peer_token": "RECKON_PEER_TOKEN",
    "peer_process": "RECKON_PEER_SPACE",
    "nfs": "RECKON_NFS_AT",
    "nfs_process": "RECKON_NFS_SPACE",
    "nfs_library": "RECKON_NFS_LIBRARY",
    "files": "RECKON_FILES",
}


def locations() -> dict[str, str]:
    """The scratch folder, and the locations that the environment names."""
    named = {name: os.environ.get(variable, "") for name, variable in LOCATIONS.items()}
    scratch = {"scratch": str(settings().scratch_dir)}
    return scratch | {name: location for name, location in named.items() if location}
