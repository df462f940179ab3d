"""The published reports as data: their machines, their predictions and their measurements.

A report is one file, book/reports/NAME.toml, with three kinds of entries: `[[fact]]`, an attribute
of the machine or of its peer; `[[figure]]`, a quantity that was predicted and measured, with every
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
from typing import Literal, overload

import pydantic

from reckon import config, units
from reckon.config import ReckonError
from reckon.reports import quantities, toml

FOLDER = config.ROOT / "book" / "reports"
# A report that prints a figure in two places, perhaps in two units, may round one of them.
_ROUNDED = 0.02
_SIDES = ("hardware", "software", "predicted", "measured", "sd")
CONTRADICTS = "contradicts"  # in a note: its figure does not fit another one


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
        return f"{'' if self.of == 'machine' else f'{self.of}, '}{self.component}, {self.attribute}"

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        where = f"{self.component} {self.attribute}"
        for printed in [self, *self.also]:
            if isinstance(printed.value, float) and not printed.unit:
                yield f"{where}: a number needs a unit"
            yield from (f"{where}: {fault}" for fault in _unit_faults(printed.unit))


class Printed(_Strict):
    """The numbers of one figure as one place of the report prints them, in `unit`."""

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


class Figure(Printed):
    """One quantity that a report predicted, measured, or both."""

    quantity: str = ""  # of the book, where it has one
    what: str = ""
    at: float | None = None  # position on a curve's axis
    at_unit: str = ""
    printed_unit: str = ""  # where the print differs from how it has to be read
    clock_ghz: float | None = None  # instead of the report's
    # It repeats what other figures say, or is not the report's: no score counts it.
    aside: bool = False
    derived: bool = False  # the report works it out from other figures of its own
    slope: bool = False  # of a straight line through a curve
    method_differs: bool = False  # this book measures the quantity by another method
    also: list[Printed] = []
    _report: Report = pydantic.PrivateAttr()

    @property
    def report(self) -> str:
        return self._report.name

    @property
    def machine(self) -> str:
        return self._report.machine

    @property
    def cite(self) -> str:
        return self._report.cite

    @property
    def clock_hz(self) -> float:
        """The clock that converts the figure's cycles to time."""
        return 1e9 * (self.clock_ghz or self._report.clock_ghz)

    @property
    def core_hz(self) -> float:
        """The clock of the core."""
        return 1e9 * self._report.core_ghz if self._report.core_ghz else self.clock_hz

    @property
    def label(self) -> str:
        return self.what or self.quantity

    def measured_in(self, unit: str) -> float:
        """The measured value in base units of `unit`; nan for a prediction alone."""
        return math.nan if self.measured is None else self.base(self.measured, unit)

    @overload
    def base(self, value: None, unit: str, given: str | None = None) -> None: ...
    @overload
    def base(self, value: float, unit: str, given: str | None = None) -> float: ...
    def base(self, value: float | None, unit: str, given: str | None = None) -> float | None:
        """A value printed in `given` (else the figure's unit) in base units of `unit`.

        Cycles become time by the report's clock, and time cycles. Raises ReckonError for other
        units.
        """
        if value is None:
            return None
        given = given or self.unit
        in_base_units, second = float(units.to_base(value, given)), units.dimension("s")
        if units.dimension(given) == units.dimension(unit):
            return in_base_units
        if given == "cycle" and units.dimension(unit) == second:
            return in_base_units / self.clock_hz
        if unit == "cycle" and units.dimension(given) == second:
            return in_base_units * self.clock_hz
        raise ReckonError(f"{self.report}: {self.label} is in {given}, not in {unit}.")

    @overload
    def core_cycles(self, value: None) -> None: ...
    @overload
    def core_cycles(self, value: float) -> float: ...
    def core_cycles(self, value: float | None) -> float | None:
        """A printed time, or number of ticks, in cycles of the machine's core."""
        return None if value is None else self.base(value, "s") * self.core_hz

    def places(self) -> list[float]:
        """The numbers by which a table may print the place on the axis: 1024 KiB is 1 MiB too."""
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
            here, there = getattr(self, side), getattr(other, side)
            if not here or there is None:
                continue
            first, again = self.base(here, self.unit), self.base(there, self.unit, other.unit)
            half = max(
                self.base(half_a_digit(here), self.unit),
                self.base(half_a_digit(there), self.unit, other.unit),
            )
            if not rounding_explains(first, again, _ROUNDED, half):
                yield side, again / first

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        where = f"{self.label or 'a figure'}, {self.place}"
        if not self.label:
            yield f"{where}: say quantity or what"
        if (self.at is None) != (not self.at_unit):
            yield f"{where}: at and at_unit belong together"
        if self.quantity and not quantities.exists(self.quantity):
            yield f"{where}: this book has no quantity {self.quantity}"
        if not self.note:
            needing = [name for name in ("printed_unit", "aside") if getattr(self, name)]
            yield from (f"{where}: {name} needs a note" for name in needing)
        unknown = [*_unit_faults(self.unit, self.at_unit, *(other.unit for other in self.also))]
        yield from (f"{where}: {fault}" for fault in unknown)
        if not unknown:
            yield from (f"{where}: {fault}" for fault in self._unsaid_contradictions())

    def _unsaid_contradictions(self) -> Iterator[str]:
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
        return any(value.inferred for value in self.inputs.values())

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        if self.quantity and not quantities.exists(self.quantity):
            yield f"{self.what}, {self.place}: this book has no quantity {self.quantity}"


class Report(_Strict):
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
    fact: list[Fact] = []
    figure: list[Figure]
    derivation: list[Derivation] = []

    @pydantic.model_validator(mode="after")
    def _figures_know_their_report(self):
        for figure in self.figure:
            figure._report = self
        return self

    def numbers(self) -> dict[str, list[float]]:
        """Every number of facts and figures, by the place that prints it."""
        found: dict[str, list[float]] = {}
        for fact in self.fact:
            for again in [fact, *fact.also]:
                if not isinstance(again.value, str):
                    found.setdefault(again.place, []).append(again.value)
        for figure in self.figure:
            for printed in [figure, *figure.also]:
                found.setdefault(printed.place, []).extend([*figure.places(), *printed.numbers()])
        return found

    def faults(self) -> list[str]:
        """What the schema cannot see, a sentence each."""
        entries: list[Fact | Figure | Derivation] = [*self.fact, *self.figure, *self.derivation]
        return [*self._given_twice(), *(fault for entry in entries for fault in entry.faults())]

    def _given_twice(self) -> Iterator[str]:
        """Entries that have a name which must be given once, and have it twice."""
        names = Counter(f"the fact {one.label}" for one in self.fact)
        names.update(f"the derivation {one.what}, {one.reading}" for one in self.derivation)
        for one in self.figure:
            at = "" if one.at is None else f" at {one.at:g} {one.at_unit}"
            names[f"the figure {one.quantity or one.what}{at}"] += 1
        yield from (f"{name} is given {n} times" for name, n in names.items() if n > 1)


def read(path: Path) -> Report:
    """The report in that file. Raises ReckonError with the first entry that does not fit the
    schema.
    """
    if not path.exists():
        raise ReckonError(f"There is no report {path.stem} in {path.parent}.")
    return toml.read(path, Report)


def _checked(path: Path) -> Report:
    report = read(path)
    for fault in report.faults():
        raise ReckonError(f"{path}: {fault}.")
    return report


@functools.cache
def all_reports() -> tuple[Report, ...]:
    """Every report, in alphabetical order. Raises ReckonError with the first fault of any."""
    return tuple(_checked(path) for path in sorted(FOLDER.glob("*.toml")))


@functools.cache
def figures() -> tuple[Figure, ...]:
    """Every figure of every report."""
    return tuple(figure for report in all_reports() for figure in report.figure)


def of(quantity: str) -> list[Figure]:
    """The measured figures of a quantity, in alphabetical order of the reports."""
    return [
        figure
        for figure in figures()
        if figure.quantity == quantity and figure.measured is not None
    ]


def schema() -> str:
    """The JSON schema of a report's file, as published in book/report.schema.json."""
    return json.dumps(Report.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
