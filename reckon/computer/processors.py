"""Constants of processors by vendor, family and model number, as book/processors.toml has them."""

from __future__ import annotations

import pydantic

from reckon import config, toml_files
from reckon.computer.facts import Machine
from reckon.toml_files import Entry

FILE = config.ROOT / "book" / "processors.toml"
UNIT = "cycle"  # of all constants


class Constant(Entry):
    """A value with its interval, in core cycles, and the source that states it."""

    value: float
    low: float
    high: float
    source: str
    cite: str | None = None
    guess: bool = False

    @pydantic.model_validator(mode="after")
    def _stated_or_guessed(self):
        if not self.low <= self.value <= self.high:
            raise ValueError("low <= value <= high is needed")
        if bool(self.cite) == self.guess:
            raise ValueError("give either a source's cite or guess = true")
        return self


class Core(Entry):
    """A core and the processors that have it: a vendor, a family and ranges of model numbers."""

    name: str
    vendor: str
    family: int
    models: list[tuple[int, int]]
    constants: dict[str, Constant]

    def is_of(self, machine: Machine) -> bool:
        model = machine.number("processor.model_number")
        return (
            machine.value("processor.vendor") == self.vendor
            and machine.number("processor.family") == self.family
            and model is not None
            and any(first <= model <= last for first, last in self.models)
        )


class _File(Entry):
    core: list[Core]


def cores() -> list[Core]:
    return toml_files.read_once(FILE, _File).core


def core_of(machine: Machine) -> Core | None:
    """The core of the machine's processor; None if the file does not have it."""
    return next((core for core in cores() if core.is_of(machine)), None)


def why_unknown(machine: Machine) -> str:
    """Why a constant of the machine's processor is not known, in words that follow "because"."""
    core = core_of(machine)
    if core is not None:
        return f"this book has no source for {core.name}"
    numbers = [machine.number(f"processor.{key}") for key in ("family", "model_number")]
    if None in numbers:
        return "the processor's family is not reported"
    family, model = numbers
    name = f"{machine.value('processor.vendor')} {family:g}/{model:g}"
    return f"this book has no source for {name}"
