"""What a run's files hold: the file format, checked on reading.

A run is a folder: run.json (Run), one small JSON file an experiment (Record), and the raw samples
of each visit to a quantity in a file of their own (SamplesFile), which is never changed. The JSON
schema is published as book/record.schema.json.
"""

from __future__ import annotations

from typing import Annotated, Literal

import pydantic
from pydantic import AwareDatetime, Field

from reckon.computer.facts import Machine
from reckon.prediction.formula import Kind
from reckon.prediction.inputs import Origin
from reckon.statistics import PooledVariance, Summary

# Raised when a field changes its meaning; files of other formats are refused.
FORMAT: Literal[5] = 5


class _Strict(pydantic.BaseModel):
    # Infinities and nan are written as strings: JSON has no other way.
    model_config = pydantic.ConfigDict(extra="forbid", ser_json_inf_nan="strings")


Value = float | list[float]
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]  # a larger one is no count


class InputRecord(_Strict):
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


Role = Literal["seal", "revision", "reseal"]


class PredictionRecord(_Strict):
    """A sealed or revised prediction; values in base units."""

    made_at: AwareDatetime
    unit: str
    kind: Kind
    hardware_tree: list | None
    software_tree: list | None
    predicted_tree: list
    formula_id: str
    inputs: list[InputRecord]
    hardware: Value | None
    software: Value | None
    predicted: Value
    low: Value | None = None
    high: Value | None = None
    role: Role | None = None  # None: not written yet
    reason: str | None = None  # of a reseal; of a revision, what made it if no notebook did

    @property
    def values(self) -> dict:
        """The inputs' values by name; later predictions may have others."""
        return {given.name: given.value for given in self.inputs}


# Where the CPU of the probe's partner is, as seen from its own: enum rk_relation in
# csrc/probe/topology.h. "" is not known, or that there is none.
Relation = Literal["sibling", "same_cache", "same_socket", "other_socket", ""]


class Conditions(_Strict):
    """What happened while a process took its samples. -1 means not known."""

    cpu: Int64
    nice: Int64
    policy: Int64
    # Of the process that the probe talks to, where it chose another CPU for it.
    partner_cpu: Int64 = -1
    partner_relation: Relation = ""
    wall_ns: Int64
    minor_faults: Int64
    major_faults: Int64
    voluntary_switches: Int64
    involuntary_switches: Int64
    migrations: Int64
    steal_ms: Int64
    retransmits: Int64 = -1  # these four of probes that use the network
    listen_overflows: Int64 = -1
    listen_drops: Int64 = -1
    time_wait: Int64 = -1
    cycles_per_tick_before: float
    cycles_per_tick_after: float
    seed: int

    @property
    def cycles_per_tick(self) -> float:
        """The core's clock over the counter's, as calibrated before and after the samples."""
        return (self.cycles_per_tick_before + self.cycles_per_tick_after) / 2


class Process(Conditions):
    """The samples of one fresh process."""

    ticks: Annotated[list[Int64], Field(min_length=1)]
    ops: Int64 | list[Int64]  # one number where every trial covered the same
    # For each trial the ticks of an add when the core was looked at (struct rk_witness in
    # csrc/reckon.h); None where another program measured, and in older runs.
    chain_ticks: list[float] | None = None
    wide_ticks: list[float] | None = None
    started_s: float  # since the measurement began; in a samples file, since the visit began
    visit: Int64 = 0  # the number of its visit; 0 until it is written

    @pydantic.model_validator(mode="after")
    def _counts_fit_the_ticks(self) -> Process:
        if isinstance(self.ops, list) and len(self.ops) != len(self.ticks):
            raise ValueError(f"{len(self.ops)} counts of operations for {len(self.ticks)} trials")
        for witnesses in (self.chain_ticks, self.wide_ticks):
            if witnesses is not None and len(witnesses) != len(self.ticks):
                raise ValueError(f"{len(witnesses)} witnesses for {len(self.ticks)} trials")
        return self


WithoutSamples = Literal["unsupported", "failed"]
State = Literal["measured", "unsupported", "failed"]
Stop = Literal["precise", "time", "processes", "unsupported", "failed"]


def _of_countable(summary: Summary | None) -> Summary | None:
    if summary and abs(summary.n) >= 2**63:
        raise ValueError("a summary of more samples than can be counted")
    return summary


class Point(_Strict):
    """All processes at one setting of the parameters."""

    x: float | None  # position on the axis, base units; None for a single quantity
    params: dict[str, Int64 | str]
    processes: list[Process] = Field(default_factory=list)  # kept in the samples files
    stopped: Stop
    reason: str | None = None  # why a point of a curve has no processes
    # Of all visits, in base units of the measurement's unit.
    summary: Annotated[Summary | None, pydantic.AfterValidator(_of_countable)] = None

    @property
    def has_samples(self) -> bool:
        """Whether it was measured, also where its samples have not been read."""
        return bool(self.processes) or self.summary is not None


class Visit(_Strict):
    """One period in which samples of a quantity were taken."""

    number: Int64  # names the samples file; never used again
    started_at: AwareDatetime
    seconds: float
    profile: str
    tick_hz: float
    digest: str  # sha256 of the samples file


class Measurement(_Strict):
    """What was measured of a quantity, and how."""

    probe: str
    version: Int64 | None = None  # the probe's version of meaning
    op: str
    timed: str  # in words: what lies between the two clock reads
    reports: list[str]  # the reports whose method this is
    axis: str | None
    params: dict[str, Int64 | str]
    peer: str | None = None  # a description of the peer or the NFS server, if one is used
    samples: Int64  # trials in each process
    warmup: Int64
    priority: str
    profile: str
    key: str
    tick_hz: float
    started_at: AwareDatetime  # of the first visit
    seconds: float  # of all visits; 0 of derived values, for which nothing was timed
    state: State
    reason: str | None
    points: list[Point]
    visits: list[Visit] = []
    # What the points' summaries are of: the prediction's unit and kind, the version of statistics.
    unit: str | None = None
    kind: Kind | None = None
    statistics: Int64 | None = None

    @property
    def is_derived(self) -> bool:
        """Whether its values were computed from the samples of another quantity."""
        return self.seconds == 0

    def tick_hz_of(self, process: Process) -> float:
        """The counter's rate as calibrated in the visit of that process."""
        rates = {visit.number: visit.tick_hz for visit in self.visits}
        return rates.get(process.visit, self.tick_hz)


class Attempt(_Strict):
    """A later attempt to measure again that gave no samples."""

    at: AwareDatetime
    state: WithoutSamples
    reason: str | None
    profile: str


EventName = Role | Literal["visit", "attempt", "discard"]


class ChainEvent(_Strict):
    """One event in the life of a quantity; its hash includes that of the event before."""

    at: AwareDatetime
    event: EventName
    digest: str  # of the prediction, the samples file or the attempt
    hash: str


class Quantity(_Strict):
    """A quantity of an experiment: its predictions and what was measured."""

    # In the order they were made; the last is the current one.
    predictions: Annotated[list[PredictionRecord], Field(min_length=1)]
    measurement: Measurement | None = None  # the last one that gave samples, if any did
    attempt: Attempt | None = None
    chain: list[ChainEvent] = []

    @property
    def seal(self) -> PredictionRecord:
        """The prediction that is scored: the first, or the last that took its place."""
        reseals = [prediction for prediction in self.predictions if prediction.role == "reseal"]
        return reseals[-1] if reseals else self.predictions[0]

    @property
    def has_samples(self) -> bool:
        """Whether it was measured, also where its samples have not been read."""
        measurement = self.measurement
        return measurement is not None and any(point.has_samples for point in measurement.points)


class Record(_Strict):
    """The quantities of one experiment in one run."""

    format: Literal[5] = FORMAT
    experiment: str
    quantities: dict[str, Quantity] = {}


class SamplesFile(_Strict):
    """The raw samples of one visit, with all that is needed to interpret them."""

    format: Literal[5] = FORMAT
    quantity: str
    visit: Int64
    measurement: Measurement


class Run(_Strict):
    """What machine a run measured, when it was opened and whether the machine was fit."""

    format: Literal[5] = FORMAT
    name: str
    id: str  # random, made when the run was opened
    identity: str  # hash of processor, microcode, kernel release, mitigations and the machine id
    # Hash of the machine id alone, the same under each kernel; None without one.
    host: str | None = None
    read_only: bool = False  # by its owner's choice: an example, or what was published
    opened_at: AwareDatetime
    machine: Machine
    fitness: list[dict]
    cpus_of_busy_cores: list[Int64] = []  # when it was opened; it is measured on another
    between_visits: PooledVariance | None = None  # of its quantities, when they were last visited

    @property
    def measured_cpu(self) -> int | None:
        """The CPU on which all its processes run; None of a run that does not say so."""
        cpu = self.machine.number("processor.cpu")
        return None if cpu is None else int(cpu)
