"""A probe, as the registry of the C library describes it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from reckon.records.store import experiment_of


class Needs(enum.IntFlag):
    """What a probe needs besides a CPU and memory: enum rk_needs."""

    DISK = 1 << 0
    PEER = 1 << 1
    SERVER = 1 << 2
    ROOT = 1 << 3
    STAMPS = 1 << 4
    COMMON_COUNTER = 1 << 5


@dataclass(frozen=True)
class Parameter:
    """A parameter of a probe, with its bounds."""

    name: str  # the unit is its suffix
    text: bool
    default: int | str
    minimum: int
    maximum: int
    help: str


@dataclass(frozen=True)
class Probe:
    """One entry of the registry."""

    name: str
    op: str
    timed: str
    reports: tuple[str, ...]
    version: int  # raised when what is timed changes its meaning
    needs: Needs
    parameters: tuple[Parameter, ...]
    file: str  # its source, relative to csrc/

    @property
    def experiment(self) -> str:
        """The experiment that the probe belongs to, PART/NAME."""
        return experiment_of(self.name)

    @property
    def defaults(self) -> dict[str, int | str]:
        """The default of each parameter, by its name."""
        return {parameter.name: parameter.default for parameter in self.parameters}
