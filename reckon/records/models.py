"""What a record and a run hold: the file format, checked on reading.

Its JSON schema is published as book/record.schema.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import pydantic

from reckon.prediction.formula import Kind
from reckon.prediction.inputs import Origin

# Format 1 had samples at every point of a curve, and no reasons. Format 2 had nothing of the
# network: neither a process's TCP counters nor a measurement's peer.
FORMAT: Literal[3] = 3


class _Strict(pydantic.BaseModel):
    # Infinities and nan are written as strings: JSON has no other way.
    model_config = pydantic.ConfigDict(extra="forbid", ser_json_inf_nan="strings")


Value = float | list[float]


class Input(_Strict):
    """One input of a prediction; values in base units (s, byte, cycle, tick, 1)."""

    name: str
    origin: Origin
    value: Value
    low: float | None = None
    high: float | None = None
    unit: str  # as the author gave it
    source: str
    cite: str | None = None
    reference: str | None = None  # the quantity or the machine's field it was read from
    instead_of: str | None = None  # why a fallback stands in


class Prediction(_Strict):
    """A sealed or revised prediction; values in base units."""

    made_at: datetime
    unit: str
    kind: Kind
    hardware_tree: list | None
    software_tree: list | None
    predicted_tree: list
    formula_id: str
    inputs: list[Input]
    hardware: Value | None
    software: Value | None
    predicted: Value
    low: Value | None = None
    high: Value | None = None


class Conditions(_Strict):
    """What happened while a process took its samples. -1 means not known."""

    cpu: int
    nice: int
    policy: int
    wall_ns: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    migrations: int
    steal_ms: int
    retransmits: int = -1  # these four of probes that use the network
    listen_overflows: int = -1
    listen_drops: int = -1
    time_wait: int = -1
    cycles_per_tick_before: float
    cycles_per_tick_after: float
    seed: int

    @property
    def cycles_per_tick(self) -> float:
        """The core's clock over the counter's, as calibrated before and after the samples."""
        return (self.cycles_per_tick_before + self.cycles_per_tick_after) / 2


class Process(Conditions):
    """The samples of one fresh process."""

    ticks: list[int]
    ops: int | list[int]  # one number where every trial covered the same
    started_s: float  # since the measurement began


class Point(_Strict):
    """All processes at one setting of the parameters."""

    x: float | None  # position on the axis, base units; None for a single quantity
    params: dict[str, int | str]
    processes: list[Process]
    stopped: Literal["precise", "time", "processes", "cannot", "failed"]
    reason: str | None = None  # why a point of a curve has no processes


class Measurement(_Strict):
    probe: str
    op: str
    timed: str  # in words: what lies between the two clock reads
    reports: list[str]  # the reports whose method this is
    axis: str | None
    params: dict[str, int | str]
    peer: str | None = None  # the other host, if the probe uses one
    samples: int  # trials in each process
    warmup: int
    priority: str
    profile: str
    key: str
    tick_hz: float
    started_at: datetime
    seconds: float
    state: Literal["measured", "cannot", "failed"]
    reason: str | None
    points: list[Point]


class Quantity(_Strict):
    predictions: list[Prediction]  # the first is the seal; the last is the current one
    measurement: Measurement | None = None


class Record(_Strict):
    format: Literal[1, 2, 3] = FORMAT
    experiment: str
    quantities: dict[str, Quantity] = {}


class Run(_Strict):
    format: Literal[1, 2, 3] = FORMAT
    name: str
    identity: str  # hash of processor, microcode, kernel release and mitigations
    opened_at: datetime
    machine: dict[str, dict[str, dict]]
    fitness: list[dict]
