"""Settings: where things are, and what the environment requests.

No other module reads this process's environment.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
)

from reckon.errors import ReckonError
from reckon.messages import first_fault
from reckon.profiles import PROFILES, Profile, profile_named

_PACKAGE = Path(__file__).resolve().parent
# An installed package carries a copy of what a book is made of: C sources, notebooks, prose, data.
INSTALLED = (_PACKAGE / "source").is_dir()
ROOT = _PACKAGE / "source" if INSTALLED else _PACKAGE.parent
# Where a book, its runs and machine.toml go.
WORK = Path.cwd() if INSTALLED else ROOT


_PREFIX = "RECKON_"
_Folder = Annotated[Path, AfterValidator(Path.resolve)]


def _questions(blind: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The quantities that a blind book asks for, () for all; None if it is not blind."""
    if not isinstance(blind, str):
        return blind
    try:
        return () if TypeAdapter(bool).validate_python(blind) else None
    except ValidationError:
        return tuple(blind.replace(",", " ").split())


class Settings(BaseModel):
    """What the variables RECKON_... request."""

    model_config = ConfigDict(
        alias_generator=lambda name: f"{_PREFIX}{name.upper()}",
        populate_by_name=True,
        validate_default=True,
        frozen=True,
    )

    profile: Annotated[Profile, BeforeValidator(profile_named)] = PROFILES["standard"]
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
    # The site covers what was measured until its reader has predicted it, and there is no PDF.
    # Which quantities it asks for, () for all; how often; whether Reckon's prediction is covered.
    blind: Annotated[tuple[str, ...] | None, BeforeValidator(_questions)] = None
    votes: Literal["1", "2"] | None = None
    own: Literal["covered", "shown"] | None = None
    # The edition that also has the solutions of analyses and projects.
    instructor: bool = False
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

    @property
    def output_dir(self) -> Path:
        """Where pages are staged, and site and PDFs made: a folder of its own for each edition."""
        return self.build_dir / "instructor" if self.instructor else self.build_dir

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
            "profile": profile_named(profile) if profile else None,
            "run": run or None,
            "fresh": fresh,
            "pages": pages or None,
        }
        return self.model_copy(
            update={name: value for name, value in choices.items() if value is not None}
        )


@functools.cache
def _read(variables: frozenset[tuple[str, str]]) -> Settings:
    """The settings of these variables; an empty one is an unset one."""
    try:
        return Settings.model_validate({name: value for name, value in variables if value})
    except ValidationError as error:
        raise ReckonError(f"In the environment, {first_fault(error)}.") from None


_in_use: Settings | None = None


def settings() -> Settings:
    """The settings of this process: those in use, else the environment's as it is now.

    Raises ReckonError where a variable has no valid value.
    """
    variables = ((name, os.environ[name]) for name in os.environ if name.startswith(_PREFIX))
    return _in_use or _read(frozenset(variables))


def use(settings: Settings | None) -> None:
    """Work by these settings from now on; None: by the environment again."""
    global _in_use
    _in_use = settings


def notebook_in_jupyter() -> Path | None:
    """The notebook of this process, a kernel that Jupyter's server started; None of any other."""
    name = os.environ.get("JPY_SESSION_NAME", "")
    return Path(name) if name.endswith(".ipynb") else None


def child_environment(**more: str) -> dict[str, str]:
    """The environment for a program that is started, with some variables added."""
    return {**os.environ, **more}


def set_environment(**values: str) -> None:
    os.environ.update(values)
