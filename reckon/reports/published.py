"""The five reports as data: what their machines were, what they predicted and what they measured.

One file a report, book/reports/NAME.toml, in three kinds of entries: `[[fact]]`, one attribute of the
machine or of its peer; `[[figure]]`, one predicted and measured quantity, with every other place where the
report prints it; `[[derivation]]`, a prediction written as a formula of stated inputs (derivations.py runs
it). The models below are the format; book/report-format.md explains it, book/report.schema.json publishes it.
"""

from __future__ import annotations

import functools
import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pydantic

from reckon import config, units
from reckon.config import ReckonError

FOLDER = config.ROOT / "book" / "reports"
# A figure printed twice, in two units too, may be rounded on the way.
_ROUNDED = 0.02
_SIDES = ("hardware", "software", "predicted", "measured", "sd")
# The word of a note that says that its figure does not fit another.
CONTRADICTS = "contradicts"


def half_a_digit(value: float) -> float:
    """By how much rounding may have moved a printed value: half of its last digit that is not 0; of a whole
    number, whose digits may all be meant, no more than a tenth."""
    exponent = Decimal(repr(float(value))).normalize().as_tuple().exponent
    half = 0.5 * 10.0**exponent if value else 0.0
    return min(half, 0.1 * abs(value)) if exponent >= 0 else half


def rounded_alike(printed: float, other: float, share: float, half: float | None = None) -> bool:
    """Whether rounding explains that they differ: half of the last printed digit, or that share besides."""
    half = half_a_digit(printed) if half is None else half
    return abs(printed - other) <= max(share * abs(other), 1.001 * half)


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")


class FactPrinted(_Strict):
    """The same fact printed again, or in another unit."""

    value: float | str
    unit: str = ""
    place: str
    note: str = ""


class Fact(FactPrinted):
    """One attribute of the machine, or of the host at the other end."""

    of: str = "machine"
    component: str
    attribute: str
    brief: str = pydantic.Field(
        "", max_length=25
    )  # the note in a few words, where the value misleads without
    also: list[FactPrinted] = []

    @property
    def label(self) -> str:
        return f"{'' if self.of == 'machine' else f'{self.of}, '}{self.component}, {self.attribute}"

    def contradictions(self) -> list[tuple[FactPrinted, float | None]]:
        """Where else it stands with a value whose note says that it contradicts: (printing, ratio to the main
        one, None where they are not two amounts of one kind)."""
        found = []
        for other in (one for one in self.also if CONTRADICTS in one.note):
            amounts = not isinstance(self.value, str) and not isinstance(other.value, str)
            alike = amounts and units.dimension(self.unit) == units.dimension(other.unit)
            found.append(
                (
                    other,
                    units.to_base(other.value, other.unit) / units.to_base(self.value, self.unit)
                    if alike and self.value
                    else None,
                )
            )
        return found


class Printed(_Strict):
    """The numbers of one figure as they stand in one place, in `unit`."""

    place: str
    unit: str
    hardware: float | None = None
    software: float | None = None
    predicted: float | None = None
    predicted_low: float | None = None
    predicted_high: float | None = None
    measured: float | None = None
    sd: float | None = None  # across trials
    sd_within: float | None = None  # within a trial
    deviation_most: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    median: float | None = None
    n: int | None = None
    note: str = ""

    def numbers(self) -> list[float]:
        """Every number of this printing."""
        return [
            v for name in Printed.model_fields if isinstance(v := getattr(self, name), (int, float))
        ]


class Figure(Printed):
    """One quantity that a report predicted, measured, or both."""

    quantity: str = ""  # of the book, where it has one
    what: str = ""
    at: float | None = None  # position on a curve's axis
    at_unit: str = ""
    printed_unit: str = ""  # where the print differs from how it has to be read
    clock_ghz: float | None = None  # instead of the report's
    aside: bool = (
        False  # it says again what other figures say, or is ours: no prediction to be counted
    )
    derived: bool = False  # the report works it out from other figures of its own
    slope: bool = False  # of a straight line through a curve
    method_differs: bool = False  # this book measures the quantity by another method
    also: list[Printed] = []
    _report: Report = pydantic.PrivateAttr()

    report = property(lambda self: self._report.name)
    machine = property(lambda self: self._report.machine)
    cite = property(lambda self: self._report.cite)
    clock_hz = property(lambda self: 1e9 * (self.clock_ghz or self._report.clock_ghz))
    core_hz = property(
        lambda self: 1e9 * self._report.core_ghz if self._report.core_ghz else self.clock_hz
    )

    def base(self, value: float | None, unit: str, given: str | None = None) -> float | None:
        """A printed value in base units of `unit`; cycles become time by the report's clock."""
        if value is None:
            return None
        given = given or self.unit
        found, is_time = units.to_base(value, given), units.dimension("s")
        if units.dimension(given) == units.dimension(unit):
            return found
        if given == "cycle" and units.dimension(unit) == is_time:
            return found / self.clock_hz
        if unit == "cycle" and units.dimension(given) == is_time:
            return found * self.clock_hz
        raise ReckonError(f"{self.report}: {self.label} is in {given}, not in {unit}.")

    def core_cycles(self, value: float | None) -> float | None:
        """A printed time, or so many ticks of the report's counter, in cycles of its machine's core."""
        return None if value is None else self.base(value, "s") * self.core_hz

    @property
    def label(self) -> str:
        return self.what or self.quantity

    def places(self) -> list[float]:
        """The place on the axis as the label of a row may say it: 1024 KiB is 1 MiB too."""
        if self.at is None or units.dimension(self.at_unit) != units.dimension("byte"):
            return [] if self.at is None else [self.at]
        size = units.to_base(self.at, self.at_unit)
        return [units.from_base(size, unit) for unit in ("KiB", "MiB", "GiB")]

    def contradictions(self) -> list[tuple[Printed, str, float]]:
        """Where else it is printed with a value that rounding does not explain, or that its note says to
        contradict: (printing, side, ratio to the main one)."""
        found = []
        for other in self.also:
            unexplained, slight, least = [], [], []
            for side in _SIDES:
                here, there = getattr(self, side), getattr(other, side)
                if here and there is not None:
                    base = units.to_base(here, self.unit)
                    again, half = (
                        self.base(v, self.unit, other.unit) for v in (there, half_a_digit(there))
                    )
                    half = max(
                        half, units.to_base(half_a_digit(here), self.unit)
                    )  # the coarser print's
                    if not rounded_alike(base, again, _ROUNDED, half):
                        unexplained.append((other, side, again / base))
                    elif CONTRADICTS in other.note and not rounded_alike(base, again, 0, half):
                        slight.append((other, side, again / base))
                    elif CONTRADICTS in other.note and other.unit == self.unit and here != there:
                        least.append((other, side, again / base))
            found += unexplained or slight or least
        return found

    def said_to_contradict(self) -> list[Printed]:
        """The printings whose note says that they contradict something else than another printing."""
        told = [other for other, _, _ in self.contradictions()]
        return [
            one
            for one in (self, *self.also)
            if CONTRADICTS in one.note and not any(one is other for other in told)
        ]


class Value(_Strict):
    """An input of a derivation; `values` makes it the axis."""

    value: float | None = None
    values: list[float] | None = None
    unit: str
    source: str
    inferred: bool = False  # the report does not print it: it was solved from what is published

    @pydantic.model_validator(mode="after")
    def _one_of_both(self):
        if (self.value is None) == (self.values is None):
            raise ValueError("give either value or values")
        return self


class Published(_Strict):
    hardware: float | list[float] | None = None
    software: float | list[float] | None = None
    predicted: float | list[float] | None = None


class Derivation(_Strict):
    """A prediction of the report, as a formula of the inputs that it states."""

    quantity: str = ""
    what: str
    place: str
    unit: str
    kind: Literal["sum", "rate", "plain"]
    hardware: str = "0"
    software: str = "0"
    predicted: str = ""  # of kinds rate and plain; a sum is the sum
    published: Published
    reading: str = "as stated"
    note: str = ""
    inputs: dict[str, Value]

    @property
    def inferred(self) -> bool:
        """Whether an input of it is not the report's, but solved from the published value."""
        return any(one.inferred for one in self.inputs.values())


class Report(_Strict):
    name: str
    machine: str
    cite: str
    course: str = ""
    year: int | None = None
    clock_ghz: float  # what converts its cycles to time
    core_ghz: float | None = (
        None  # the core's own clock, where its cycles are another clock's ticks
    )
    cycles_are: Literal["tick", "cycle"]
    cycles_note: str
    fact: list[Fact] = []
    figure: list[Figure]
    derivation: list[Derivation] = []

    @pydantic.model_validator(mode="after")
    def _figures_know_their_report(self):
        for one in self.figure:
            one._report = self
        return self

    def numbers(self) -> dict[str, list[float]]:
        """Every number of facts and figures, by the place that it is printed in."""
        found: dict[str, list[float]] = {}
        for one in self.fact:
            for printed in [one, *one.also]:
                if not isinstance(printed.value, str):
                    found.setdefault(printed.place, []).append(printed.value)
        for figure in self.figure:
            for printed in [figure, *figure.also]:
                found.setdefault(printed.place, []).extend([*figure.places(), *printed.numbers()])
        return found

    def faults(self) -> list[str]:
        """What the schema cannot see: units that do not exist, figures of nothing, printings that
        differ without a word about it."""
        found = []
        for one in self.figure:
            where = f"{one.label or 'a figure'}, {one.place}"
            if not one.label:
                found.append(f"{where}: say quantity or what")
            if (one.at is None) != (not one.at_unit):
                found.append(f"{where}: at and at_unit belong together")
            found += [
                f"{where}: {what} needs a note"
                for what in ("printed_unit", "aside")
                if getattr(one, what) and not one.note
            ]
            try:
                for unit in [one.unit, one.at_unit, *(p.unit for p in one.also)]:
                    units.parse(unit)
                found += [
                    f"{where}: {side} in {other.place} is {ratio:.3f} of it, and its note has no 'contradicts'"
                    for other, side, ratio in one.contradictions()
                    if CONTRADICTS not in other.note
                ]
            except ReckonError as error:
                found.append(f"{where}: {error}")
        for fact in self.fact:
            for printed in [fact, *fact.also]:
                if isinstance(printed.value, float) and not printed.unit:
                    found.append(f"{fact.component} {fact.attribute}: a number needs a unit")
                try:
                    units.parse(printed.unit)
                except ReckonError as error:
                    found.append(f"{fact.component} {fact.attribute}: {error}")
        return found


def read(path: Path) -> Report:
    """The report in that file. Raises ReckonError with the first thing that is wrong."""
    try:
        return Report.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ReckonError(f"There is no report {path.stem} in {path.parent}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ReckonError(f"{path}: {error}.") from None
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ReckonError(f"{path}: {where}: {first['msg']}.") from None


@functools.cache
def all_reports() -> tuple[Report, ...]:
    """Every report, in alphabetical order."""
    return tuple(read(path) for path in sorted(FOLDER.glob("*.toml")))


@functools.cache
def figures() -> tuple[Figure, ...]:
    """Every figure of every report."""
    return tuple(one for report in all_reports() for one in report.figure)


def of(quantity: str) -> list[Figure]:
    """What the reports measured of a quantity, in alphabetical order of the reports."""
    return [one for one in figures() if one.quantity == quantity and one.measured is not None]


def schema() -> str:
    """The JSON schema of a report's file, as published in book/report.schema.json."""
    return json.dumps(Report.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
