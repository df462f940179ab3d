"""The published reports as data: their machines, their predictions and their measurements.

A report is one file, book/reports/NAME.toml, with three kinds of entries: `[[fact]]`, an attribute
of the machine or of its peer; `[[figure]]`, a value that was predicted and measured, with every
other place where the report prints it; `[[derivation]]`, a prediction as a formula of stated
inputs, which derivations.py computes. The models below are the format: book/report-format.md
explains it, book/report.schema.json publishes it.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pydantic

from reckon import config, units
from reckon.config import ReckonError
from reckon.reports import quantity_names, toml

FOLDER = config.ROOT / "book" / "reports"
# A report that prints a value in two places, perhaps in two units, may round one of them.
_ROUNDED = 0.02
_SIDES = ("hardware", "software", "predicted", "measured", "sd")
CONTRADICTS = "contradicts"  # in a note: its value does not fit another one


def half_a_digit(value: float) -> float:
    """The rounding error of a printed value: half of its last digit that is not 0.

    All digits of a whole number may be meant, so its error is at most a tenth of it.
    """
    if not value:
        return 0.0
    exponent = int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    half = 0.5 * 10.0**exponent
    return min(half, 0.1 * abs(value)) if exponent >= 0 else half


def rounding_explains(
    printed: float, other: float, share: float, half: float | None = None
) -> bool:
    """Whether the two differ by no more than `half` (of the last printed digit) or that share."""
    half = half_a_digit(printed) if half is None else half
    return abs(printed - other) <= max(share * abs(other), 1.001 * half)


def _unit_faults(*names: str) -> Iterator[str]:
    for name in names:
        try:
            units.parse(name)
        except ReckonError as error:
            yield str(error)


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
    # The note in a few words, where the value misleads without it.
    brief: str = pydantic.Field("", max_length=25)
    also: list[FactPrinted] = []

    @property
    def label(self) -> str:
        """The host, component and attribute, in words."""
        return f"{'' if self.of == 'machine' else f'{self.of}, '}{self.component}, {self.attribute}"

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        where = f"{self.component} {self.attribute}"
        for printed in [self, *self.also]:
            if isinstance(printed.value, float) and not printed.unit:
                yield f"{where}: a number needs a unit"
            yield from (f"{where}: {fault}" for fault in _unit_faults(printed.unit))


class Printed(_Strict):
    """The numbers of one quantity as one place of the report prints them, in `unit`."""

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
    max_deviation: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    median: float | None = None
    n: int | None = None
    note: str = ""

    def numbers(self) -> list[float]:
        """Every number of this printing."""
        values = (getattr(self, name) for name in Printed.model_fields)
        return [value for value in values if isinstance(value, (int, float))]


class ReportedValue(Printed):
    """A value that a report predicted, measured, or both: a `[[figure]]` of its file."""

    quantity: str = ""  # of the book, where it has one
    what: str = ""
    at: float | None = None  # position on a curve's axis
    at_unit: str = ""
    printed_unit: str = ""  # where the print differs from how it has to be read
    clock_ghz: float | None = None  # instead of the report's
    # It repeats what other values say, or is not the report's: no score counts it.
    aside: bool = False
    derived: bool = False  # the report works it out from other values of its own
    slope: bool = False  # of a straight line through a curve
    method_differs: bool = False  # this book measures the quantity by another method
    also: list[Printed] = []
    _report: Report = pydantic.PrivateAttr()

    @property
    def report(self) -> str:
        """The report's name."""
        return self._report.name

    @property
    def machine(self) -> str:
        """The report's machine, in words."""
        return self._report.machine

    @property
    def cite(self) -> str:
        """The report's key in book/references.bib."""
        return self._report.cite

    @property
    def clock_hz(self) -> float:
        """The clock that converts the value's cycles to time, in Hz."""
        return 1e9 * (self.clock_ghz or self._report.clock_ghz)

    @property
    def core_hz(self) -> float:
        """The clock of the core, in Hz."""
        return 1e9 * self._report.core_ghz if self._report.core_ghz else self.clock_hz

    @property
    def label(self) -> str:
        """The report's words for it, or the quantity's name."""
        return self.what or self.quantity

    def measured_in(self, unit: str) -> float:
        """The measured value in base units of `unit`; nan for a prediction alone."""
        return math.nan if self.measured is None else self.base(self.measured, unit)

    def predicted_in(self, unit: str) -> float:
        """The predicted value in base units of `unit`; nan for a measurement alone."""
        return math.nan if self.predicted is None else self.base(self.predicted, unit)

    def base(self, value: float, unit: str, printed_in: str | None = None) -> float:
        """A number printed in `printed_in` (by default `self.unit`) in base units of `unit`.

        Cycles become time by the report's clock, and time cycles. Raises ReckonError for other
        units.
        """
        printed_in = printed_in or self.unit
        in_base_units, second = float(units.to_base(value, printed_in)), units.dimension("s")
        if units.dimension(printed_in) == units.dimension(unit):
            return in_base_units
        if printed_in == "cycle" and units.dimension(unit) == second:
            return in_base_units / self.clock_hz
        if unit == "cycle" and units.dimension(printed_in) == second:
            return in_base_units * self.clock_hz
        raise ReckonError(f"{self.report}: {self.label} is in {printed_in}, not in {unit}.")

    @property
    def core_cycles(self) -> float:
        """The measured time, or number of ticks, in cycles of the core; nan if not measured."""
        return self.measured_in("s") * self.core_hz

    def positions(self) -> list[float]:
        """The numbers by which a table may print `at`: 1024 KiB is 1 MiB too."""
        if self.at is None:
            return []
        if units.dimension(self.at_unit) != units.dimension("byte"):
            return [self.at]
        size = units.to_base(self.at, self.at_unit)
        return [float(units.from_base(size, unit)) for unit in ("KiB", "MiB", "GiB")]

    def _differing(self, other: Printed) -> Iterator[tuple[str, float]]:
        """The sides of another printing that rounding does not explain, each with its ratio to the
        main one."""
        for side in _SIDES:
            number, other_number = getattr(self, side), getattr(other, side)
            if not number or other_number is None:
                continue
            value = self.base(number, self.unit)
            other_value = self.base(other_number, self.unit, other.unit)
            half = max(
                self.base(half_a_digit(number), self.unit),
                self.base(half_a_digit(other_number), self.unit, other.unit),
            )
            if not rounding_explains(value, other_value, _ROUNDED, half):
                yield side, other_value / value

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        where = f"{self.label or 'a figure'}, {self.place}"
        if not self.label:
            yield f"{where}: say quantity or what"
        if (self.at is None) != (not self.at_unit):
            yield f"{where}: at and at_unit belong together"
        if self.quantity and not quantity_names.exists(self.quantity):
            yield f"{where}: this book has no quantity {self.quantity}"
        if not self.note:
            needing = [name for name in ("printed_unit", "aside") if getattr(self, name)]
            yield from (f"{where}: {name} needs a note" for name in needing)
        unit_faults = [*_unit_faults(self.unit, self.at_unit, *(again.unit for again in self.also))]
        yield from (f"{where}: {fault}" for fault in unit_faults)
        if not unit_faults:
            yield from (f"{where}: {fault}" for fault in self._contradictions_without_a_note())

    def _contradictions_without_a_note(self) -> Iterator[str]:
        for other in self.also:
            if CONTRADICTS in other.note:
                continue
            try:
                for side, ratio in self._differing(other):
                    yield (
                        f"{side} in {other.place} is {ratio:.3f} of it, and its note has no "
                        f"'{CONTRADICTS}'"
                    )
            except ReckonError as error:  # units of two kinds
                yield str(error)


class StatedInput(_Strict):
    """An input of a derivation; `values` makes it the axis."""

    value: float | None = None
    values: list[float] | None = None
    unit: str
    source: str
    inferred: bool = False  # the report does not print it: it was solved from what is published

    @pydantic.model_validator(mode="after")
    def _check_value_or_values(self):
        if (self.value is None) == (self.values is None):
            raise ValueError("give either value or values")
        return self


class PublishedParts(_Strict):
    """What a report prints of a prediction, in the derivation's unit; a list along an axis."""

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
    published: PublishedParts
    reading: str = "as stated"
    note: str = ""
    inputs: dict[str, StatedInput]

    @property
    def has_inferred_input(self) -> bool:
        """Whether an input is not the report's, but solved from the published value."""
        return any(stated.inferred for stated in self.inputs.values())

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        if self.quantity and not quantity_names.exists(self.quantity):
            yield f"{self.what}, {self.place}: this book has no quantity {self.quantity}"


class Report(_Strict):
    """A published report: its machine, its facts, its values and its derivations."""

    name: str
    machine: str
    cite: str
    course: str = ""
    year: int | None = None
    clock_ghz: float  # what converts its cycles to time
    # The core's own clock, where the report's cycles are ticks of another clock.
    core_ghz: float | None = None
    cycles_are: Literal["tick", "cycle"]
    cycles_note: str
    # A file has a table of TOML for each, [[fact]], so its key is the singular.
    facts: list[Fact] = pydantic.Field([], alias="fact")
    values: list[ReportedValue] = pydantic.Field(alias="figure")
    derivations: list[Derivation] = pydantic.Field([], alias="derivation")

    @pydantic.model_validator(mode="after")
    def _set_report_of_values(self):
        for value in self.values:
            value._report = self
        return self

    def numbers(self) -> dict[str, list[float]]:
        """Every number of facts and values, by the place that prints it."""
        by_place: dict[str, list[float]] = {}
        for fact in self.facts:
            for printed_fact in [fact, *fact.also]:
                if not isinstance(printed_fact.value, str):
                    by_place.setdefault(printed_fact.place, []).append(printed_fact.value)
        for value in self.values:
            for printed in [value, *value.also]:
                numbers = [*value.positions(), *printed.numbers()]
                by_place.setdefault(printed.place, []).extend(numbers)
        return by_place

    def faults(self) -> list[str]:
        """What the schema cannot see, a sentence each."""
        entries: list[Fact | ReportedValue | Derivation]
        entries = [*self.facts, *self.values, *self.derivations]
        return [*self._duplicates(), *(fault for entry in entries for fault in entry.faults())]

    def _duplicates(self) -> Iterator[str]:
        """A sentence on each entry whose name another entry of its kind has too."""
        names = Counter(f"the fact {fact.label}" for fact in self.facts)
        names.update(
            f"the derivation {derivation.what}, {derivation.reading}"
            for derivation in self.derivations
        )
        for value in self.values:
            at = "" if value.at is None else f" at {value.at:g} {value.at_unit}"
            names[f"the figure {value.quantity or value.what}{at}"] += 1
        yield from (f"{name} is given {n} times" for name, n in names.items() if n > 1)


def read(path: Path) -> Report:
    """The report in that file. Raises ReckonError with the first entry that does not fit the
    schema.
    """
    if not path.exists():
        raise ReckonError(f"There is no report {path.stem} in {path.parent}.")
    return toml.read(path, Report)


def _read_and_check(path: Path) -> Report:
    report = read(path)
    for fault in report.faults():
        raise ReckonError(f"{path}: {fault}.")
    return report


@functools.cache
def all_reports() -> tuple[Report, ...]:
    """Every report, in alphabetical order. Raises ReckonError with the first fault of any."""
    return tuple(_read_and_check(path) for path in sorted(FOLDER.glob("*.toml")))


@functools.cache
def reported_values() -> tuple[ReportedValue, ...]:
    """Every value of every report."""
    return tuple(value for report in all_reports() for value in report.values)


def measured_values(quantity: str) -> list[ReportedValue]:
    """What the reports measured of a quantity, in alphabetical order of the reports."""
    return [
        value
        for value in reported_values()
        if value.quantity == quantity and value.measured is not None
    ]


def schema() -> str:
    """The JSON schema of a report's file, as published in book/report.schema.json."""
    return json.dumps(Report.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
