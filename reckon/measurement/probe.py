"""A probe, as the registry of the C library describes it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from reckon.records.run_files.store import experiment_of


class Needs(enum.IntFlag):
    """What a probe needs besides a CPU and memory: enum rk_needs."""

    DISK = 1 << 0
    PEER = 1 << 1
    SERVER = 1 << 2
    ROOT = 1 << 3
    STAMPS = 1 << 4
    COMMON_COUNTER = 1 << 5
    PROGRAM = 1 << 6


@dataclass(frozen=True)
class Parameter:
    name: str  # the unit is its suffix
    text: bool
    default: int | str
    minimum: int
    maximum: int
    help: str


@dataclass(frozen=True)
class DataFiles:
    """Files that are written before a probe reads them."""

    count: int
    bytes_each: int

    @property
    def bytes_of_all(self) -> int:
        return self.count * self.bytes_each


@dataclass(frozen=True)
class Probe:
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
        return experiment_of(self.name)

    @property
    def defaults(self) -> dict[str, int | str]:
        return {parameter.name: parameter.default for parameter in self.parameters}

    # What enum rk_needs in csrc/reckon.h says of parameters, for all probes alike.

    def file_count(self, parameters: dict) -> int:
        """How many files the probe uses at once with these parameters; 1 if it uses none."""
        return int((self.defaults | parameters).get("files", 1))

    def files(self, parameters: dict) -> DataFiles | None:
        """The files that the probe reads with these parameters; None if it makes its own."""
        values = self.defaults | parameters
        if "file_bytes" not in values:
            return None
        return DataFiles(self.file_count(parameters), int(values["file_bytes"]))

    def server(self, parameters: dict) -> str | None:
        """The NFS server that it reads from with these parameters, of nfs.SERVERS."""
        return (self.defaults | parameters)["server"] if Needs.SERVER in self.needs else None

    def uses_peer(self, parameters: dict) -> bool:
        """Whether it talks to the peer with these parameters, not to this machine."""
        return Needs.PEER in self.needs and (self.defaults | parameters)["peer"] == "other"
