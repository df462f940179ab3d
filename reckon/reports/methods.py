"""The ways of measuring that are held against one another, as book/methods.toml lists them: each group names
a quantity of this book, the yardstick, and the ways of the reports. paired.py measures them."""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pydantic

from reckon import config, records, statistics, units
from reckon.config import ReckonError
from reckon.records.result import Result, told_trials
from reckon.text import first_fault, joined

FILE = config.ROOT / "book" / "methods.toml"
BLOCK_BYTES = 4096  # files are compared by blocks of 4 KiB, the size that most reports read


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class Row(_Strict):
    """One way, as book/methods.toml describes it."""

    of: str = ""
    report: str = ""
    differs: str = ""
    why_not: str = ""
    costs: str = ""
    times: float = 1.0
    at: float | Literal["last"] | None = None
    per: float = 1.0
    blocks_of: str = ""
    label: str = ""
    reads_bytes: float | Literal["at"] | None = None

    def divisor(self, point: records.Point) -> float:
        """What its value at that point is divided by: `per`, or the blocks of the whole file."""
        if not self.blocks_of:
            return self.per
        return float(point.params[self.blocks_of]) / BLOCK_BYTES

    @pydantic.model_validator(mode="after")
    def _a_quantity_or_a_reason(self):
        if bool(self.of and self.differs) == bool(self.report and self.why_not):
            raise ValueError("give either of and differs, or report and why_not")
        return self


class Group(_Strict):
    """The ways to one figure."""

    name: str
    title: str
    ours: str
    at: float | None = None
    from_page: str = ""
    way: tuple[Row, ...]


class NotComparable(_Strict):
    """An experiment that the reports did on another scale than this book."""

    experiment: str
    why: str


class NotRanked(_Strict):
    """Quantities that are compared between machines, though no machine is faster by them."""

    why: str
    quantities: tuple[str, ...]


class Cost(_Strict):
    """A quantity whose time lies inside the figures of some methods."""

    of: str
    name: str = "that"  # as a sentence has it
    in_a_row: tuple[str, ...] = ()  # parameters of a yardstick that has it once for many operations
    traps_above_cycles: float = math.inf  # so slow, it is the hypervisor that answers


class _File(_Strict):
    counter_readings: tuple[str, ...] = ()
    cost: tuple[Cost, ...] = ()
    not_comparable: tuple[NotComparable, ...] = ()
    not_ranked: tuple[NotRanked, ...] = ()
    group: tuple[Group, ...]


@functools.cache
def _read() -> _File:
    try:
        return _File.model_validate(tomllib.loads(FILE.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ReckonError(f"{FILE}: {error}.") from None
    except pydantic.ValidationError as error:
        raise ReckonError(f"{FILE}: {first_fault(error)}.") from None


def groups() -> tuple[Group, ...]:
    """All groups, in the order of the page. Raises ReckonError for a file that is none."""
    records.note_read(str(FILE))
    return _read().group


def of(quantity: str) -> Row | None:
    """The method that the quantity is measured by, if book/methods.toml lists it."""
    listed = (method for group in groups() for method in group.way)
    return next((method for method in listed if method.of == quantity), None)


def cost(quantity: str) -> Cost:
    """What is known of a quantity that methods name as their cost."""
    return next((cost for cost in _read().cost if cost.of == quantity), Cost(of=quantity))


def counter_readings() -> tuple[str, ...]:
    """The quantities whose single readings show the step of the time-stamp counter."""
    records.note_read(str(FILE))
    return _read().counter_readings


def not_comparable() -> dict[str, str]:
    """Why, by experiment, no figure of the reports is compared with this book's."""
    records.note_read(str(FILE))
    return {entry.experiment: entry.why for entry in _read().not_comparable}


def not_ranked() -> dict[str, str]:
    """Why, by quantity, no machine is faster or slower than another by it."""
    records.note_read(str(FILE))
    return {name: entry.why for entry in _read().not_ranked for name in entry.quantities}


@dataclass(frozen=True)
class Way:
    """One way of a group, on this machine. Values are in base units of the yardstick's quantity."""

    row: Row
    reports: tuple[str, ...]  # none: a row of this book
    page: Result | None  # as its page measured it
    point: records.Point | None  # the place of it that is meant; None without samples
    again: Result | None  # measured here, side by side
    reason: str  # why it has no figure, or why it was not measured again
    per: float = 1.0  # so many operations of the yardstick are in one of its
    inside: Result | None = None  # what its row names as lying inside its figure
    rounds: int | None = None  # of `again`, so many count; None: all

    @property
    def title(self) -> str:
        """Whose way it is, and which of theirs: "t470, fork exec"."""
        whose = joined(self.reports) or "this book"
        row = self.row.of.rsplit("/", 1)[-1]
        for report in self.reports:
            row = row.removeprefix(report)
        return ", ".join(filter(None, [whose, row.strip("_").replace("_", " ")]))

    @property
    def has_figure(self) -> bool:
        return self.point is not None

    @functools.cached_property
    def processes(self) -> np.ndarray:
        """One value for each fresh process: those of here, else the page's."""
        if not self.has_figure:
            return np.array([])
        one = self.again or self.page
        counted = (
            self.again.points[0].processes[: self.rounds] if self.again else self.point.processes
        )
        m = one.measurement
        told = [
            told_trials(p.ticks, p.ops, m.op, m.tick_hz, one.unit, one.seal.kind) for p in counted
        ]
        return np.array([float(np.median(v)) for v in told]) / self.per

    @property
    def median(self) -> float:
        return float(np.median(self.processes)) if len(self.processes) else math.nan

    def told(self) -> str:
        """The figure with its interval, as a table says it."""
        if not self.has_figure:
            return self.reason
        unit = self.page.unit
        low, high = statistics.median_interval(self.processes)
        if math.isnan(low):
            return units.amount(self.median, unit)
        step = units.readable(self.median, unit)
        ends = (units.number(units.from_base(v, step)) for v in (low, high))
        return f"{units.amount(self.median, unit)} ({' to '.join(ends)})"


@dataclass(frozen=True)
class Ratio:
    """A way's figure over the yardstick's, round by round."""

    middle: float
    low: float  # 95 % interval of the median; nan below six rounds
    high: float
    least: float  # over the rounds
    most: float
    rounds: int  # 0: not side by side, but by two pages' records

    @property
    def known(self) -> bool:
        return self.middle > 0 and math.isfinite(self.middle)

    @property
    def off(self) -> float:
        """By what factor, whichever way; nan for none."""
        return max(self.middle, 1 / self.middle) if self.known else math.nan


@dataclass(frozen=True)
class Compared:
    """A group on this machine."""

    group: Group
    ours: Way
    ways: tuple[Way, ...]

    @property
    def side_by_side(self) -> bool:
        return self.ours.again is not None

    def ratio(self, way: Way) -> Ratio:
        """Paired by the round in which both ran, so that what slowed the machine for a while cancels."""
        none = Ratio(math.nan, math.nan, math.nan, math.nan, math.nan, 0)
        if not (way.has_figure and self.ours.has_figure) or not self.ours.median:
            return none
        if not (way.again and self.ours.again):
            return replace(none, middle=way.median / self.ours.median)
        rounds = min(len(way.processes), len(self.ours.processes))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = way.processes[:rounds] / self.ours.processes[:rounds]
        middle, (low, high) = float(np.median(found)), statistics.median_interval(found)
        return Ratio(middle, low, high, float(found.min()), float(found.max()), rounds)

    @property
    def ranked(self) -> list[Way]:
        """The ways with a ratio, from the one that does least to the figure to the one that does most."""
        known = [way for way in self.ways if self.ratio(way).known]
        return sorted(known, key=lambda way: self.ratio(way).off)

    @property
    def without(self) -> list[Way]:
        """The ways without one."""
        return [way for way in self.ways if not self.ratio(way).known]
