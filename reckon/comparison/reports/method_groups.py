"""The methods of measuring that are compared with one another, as book/methods.toml lists them.

Each group names a quantity of this book, the baseline, and other methods of measuring it, most of
them the reports'. reckon/measurement/side_by_side.py measures them.
"""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

import numpy as np
import pydantic

from reckon import config, records, statistics, toml_files, units
from reckon.records.quantities.result import Result, groups_text
from reckon.toml_files import Entry

FILE = config.ROOT / "book" / "methods.toml"
BLOCK_BYTES = 4096  # files are compared by blocks of 4 KiB, the size that most reports read


class Method(Entry):
    """One method; book/methods.toml explains the fields."""

    quantity: str = ""
    report: str = ""
    differs: str = ""
    why_not: str = ""
    includes: str = ""
    includes_times: float = 1.0
    at: float | Literal["last"] | None = None
    per: float = 1.0
    blocks_of: str = ""
    label: str = ""

    def divisor(self, point: records.Point) -> float:
        """What its value at that point is divided by: `per`, or the blocks of the whole file."""
        if not self.blocks_of:
            return self.per
        return float(point.params[self.blocks_of]) / BLOCK_BYTES

    @pydantic.model_validator(mode="after")
    def _a_quantity_or_a_reason(self):
        if bool(self.quantity and self.differs) == bool(self.report and self.why_not):
            raise ValueError("give either quantity and differs, or report and why_not")
        return self


class Group(Entry):
    name: str
    title: str
    baseline: str
    at: float | None = None
    from_page: str = ""
    method: tuple[Method, ...]


class NotComparable(Entry):
    """An experiment that the reports did on another scale than this book."""

    experiment: str
    why: str


class NotRanked(Entry):
    """Quantities that are compared between machines, though no machine is faster by them."""

    why: str
    quantities: tuple[str, ...]


class Place(Entry):
    """Where a quantity is shown: itself, or a curve's point at `at` in its axis's unit."""

    quantity: str
    at: float | None = None


class Same(Entry):
    """Two quantities that a reader takes for one, and what differs between their measurements."""

    values: tuple[Place, Place]
    differs: str


class _File(Entry):
    not_comparable: tuple[NotComparable, ...] = ()
    not_ranked: tuple[NotRanked, ...] = ()
    same: tuple[Same, ...] = ()
    group: tuple[Group, ...]


def _read() -> _File:
    records.note_read(FILE)
    return toml_files.read_once(FILE, _File)


def groups() -> tuple[Group, ...]:
    """All groups, in the order of the page. Raises ReckonError for a file that does not fit."""
    return _read().group


def method_of(quantity: str) -> Method | None:
    """The method that measures the quantity, if book/methods.toml lists it."""
    methods = (method for group in groups() for method in group.method)
    return next((method for method in methods if method.quantity == quantity), None)


def not_comparable() -> dict[str, str]:
    """Why, by experiment, no value of the reports is compared with this book's."""
    return {entry.experiment: entry.why for entry in _read().not_comparable}


def not_ranked() -> dict[str, str]:
    """Why, by quantity, no machine is faster or slower than another by it."""
    return {name: entry.why for entry in _read().not_ranked for name in entry.quantities}


def same_quantities() -> tuple[Same, ...]:
    """The pairs of quantities that a reader takes for one, though their probes differ."""
    return _read().same


@dataclass(frozen=True)
class MethodResult:
    """What a method gives on this machine, in base units of the baseline's quantity."""

    entry: Method
    reports: tuple[str, ...]  # whose method it is; none: Reckon's
    _: KW_ONLY
    page: Result | None = None  # as its page measured it
    point: records.Point | None = None  # of its curve, the one that is compared
    repeated: Result | None = None  # measured side by side with the others of its group
    reason: str = ""  # why it has no value, or why it was not measured side by side
    divisor: float = 1.0  # how many operations of the baseline one of its operations holds
    included: Result | None = None  # a known cost inside its value
    rounds: int | None = None  # how many processes of `repeated` count; None: all

    @property
    def has_value(self) -> bool:
        """Whether its page measured it at the point that is compared."""
        return self.point is not None

    @functools.cached_property
    def values(self) -> np.ndarray:
        """One value for each process: side by side with the others, or else the page's."""
        if self.repeated:
            medians = self.repeated.process_medians(self.repeated.points[0])[: self.rounds]
        elif self.page and self.point:
            medians = self.page.process_medians(self.point)
        else:
            medians = np.array([])
        return medians / self.divisor

    @functools.cached_property
    def groups(self) -> tuple[statistics.Group, statistics.Group] | None:
        """The two groups that its processes fall into; None if they are of one."""
        return statistics.two_values(self.values)

    @property
    def page_summary(self) -> statistics.Summary | None:
        """What its page measured at the point that is compared; None without a value."""
        if not (self.page and self.point):
            return None
        return self.page.summaries[self.page.points.index(self.point)]

    @property
    def _of_page(self) -> statistics.Summary | None:
        """What the page measured; None if it was measured side by side, or not at all."""
        return None if self.repeated else self.page_summary

    @property
    def step(self) -> float:
        """By how much a value changes with a step of the counter, measured side by side."""
        summary = self.repeated.summary if self.repeated else None
        return summary.step / self.divisor if summary else 0.0

    @property
    def within_a_step(self) -> np.ndarray:
        """The least and the most that the median may be, by the counter's step."""
        return self.median + self.step / 2 * np.array([-1, 1])

    @property
    def median(self) -> float:
        """Side by side, the median over the processes; else the page's value; in base units, nan
        without a value."""
        if self._of_page:
            return self._of_page.median / self.divisor
        return float(np.median(self.values)) if len(self.values) else math.nan

    def text(self) -> str:
        """The value with its interval, as a cell of a table; "" without a value."""
        if not self.page or not self.has_value:
            return ""
        if self.groups:
            return groups_text(self.groups, self.page.unit)
        ends = statistics.median_interval(self.values)
        low, high = statistics.Interval(*ends, "median").at_least(self.step).ends
        if self._of_page:
            low, high = (end / self.divisor for end in self._of_page.interval.ends)
        return units.amount_with_interval(self.median, low, high, self.page.unit)


@dataclass(frozen=True)
class Ratio:
    """A method's value over the baseline's, round by round."""

    middle: float  # the median over the rounds
    _: KW_ONLY
    low: float = math.nan  # 95 % interval of the median; nan below six rounds
    high: float = math.nan
    minimum: float = math.nan  # over the rounds
    maximum: float = math.nan
    rounds: int = 0  # 0: not side by side, but from the records of two pages
    is_apart: bool = False  # of two pages: whether the intervals that they print do not overlap

    @property
    def is_known(self) -> bool:
        return self.middle > 0 and math.isfinite(self.middle)

    @property
    def factor(self) -> float:
        """The factor between the two, at least 1; nan for an unknown ratio."""
        return max(self.middle, 1 / self.middle) if self.is_known else math.nan


@dataclass(frozen=True)
class GroupResult:
    group: Group
    baseline: MethodResult
    methods: tuple[MethodResult, ...]

    @property
    def title(self) -> str:
        return self.group.title

    @property
    def is_side_by_side(self) -> bool:
        """Whether the methods ran in rounds, rather than on pages minutes apart."""
        return self.baseline.repeated is not None

    def ratio(self, method: MethodResult) -> Ratio:
        """Paired by the round in which both ran, so that a slow period of the machine cancels.

        Unknown where two groups are left."""
        baseline = self.baseline
        if not (method.has_value and baseline.has_value) or not baseline.median:
            return Ratio(math.nan)
        if not (method.repeated and baseline.repeated):
            is_one = not (method.groups or baseline.groups)
            ratio = method.median / baseline.median if is_one else math.nan
            return Ratio(ratio, is_apart=self._is_apart_by_pages(method))
        rounds = min(len(method.values), len(baseline.values))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = method.values[:rounds] / baseline.values[:rounds]
            by_steps = method.within_a_step / np.maximum(baseline.within_a_step[::-1], 0)
            if statistics.two_values(ratios):
                return Ratio(math.nan, rounds=rounds)
        low, high = statistics.median_interval(ratios)
        return Ratio(
            float(np.median(ratios)),
            low=float(np.minimum(low, by_steps[0])),
            high=float(np.maximum(high, by_steps[1])),
            minimum=float(ratios.min()),
            maximum=float(ratios.max()),
            rounds=rounds,
        )

    def _is_apart_by_pages(self, method: MethodResult) -> bool:
        """Whether the intervals that the two pages print are known and do not overlap."""
        pages = [(m.page_summary, m.divisor) for m in (self.baseline, method)]
        ends = [[end / by for end in page.interval.ends] for page, by in pages if page]
        if len(ends) < len(pages):
            return False
        (low, high), (other_low, other_high) = ends
        return high < other_low or other_high < low

    @property
    def ranked(self) -> list[MethodResult]:
        """The methods with a ratio, from the one nearest to the baseline to the farthest."""
        ranked = [method for method in self.methods if self.ratio(method).is_known]
        return sorted(ranked, key=lambda method: self.ratio(method).factor)

    @property
    def unranked(self) -> list[MethodResult]:
        return [method for method in self.methods if not self.ratio(method).is_known]

    def whole_rounds(self) -> GroupResult:
        """The same without the round that was under way when the time was up."""
        results = (self.baseline, *self.methods)
        rounds = min((len(result.values) for result in results if result.repeated), default=0)
        baseline, *methods = (replace(result, rounds=rounds) for result in results)
        return GroupResult(self.group, baseline, tuple(methods))
