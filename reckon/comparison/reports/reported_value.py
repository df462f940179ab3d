"""A value that a report predicted or measured, as a report's file holds it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import pydantic

from reckon import units
from reckon.errors import ReckonError
from reckon.records.known_quantities import is_in_book
from reckon.toml_files import Entry

if TYPE_CHECKING:
    from reckon.comparison.reports.report import Report

# A report that prints a value in two places, perhaps in two units, may round one of them.
_ROUNDED = 0.02
_SIDES = ("hardware", "software", "predicted", "measured", "sd")
CONTRADICTS = "contradicts"  # in a note: its value does not fit another one


def unit_faults(*names: str) -> Iterator[str]:
    """A sentence on each of these that is no unit."""
    for name in names:
        try:
            units.parse(name)
        except ReckonError as error:
            yield str(error)


class Printed(Entry):
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
        values = (getattr(self, name) for name in Printed.model_fields)
        return [value for value in values if isinstance(value, (int, float))]


class ReportedValue(Printed):
    """A value that a report predicted, measured, or both: a `[[value]]` of its file."""

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
        return self._report.name

    @property
    def machine(self) -> str:
        return self._report.machine

    @property
    def cite(self) -> str:
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
            if not rounding_explains(value, other_value, half):
                yield side, other_value / value

    def faults(self) -> Iterator[str]:
        """What the schema cannot see, a sentence each."""
        where = f"{self.label or 'a value'}, {self.place}"
        if not self.label:
            yield f"{where}: say quantity or what"
        if (self.at is None) != (not self.at_unit):
            yield f"{where}: at and at_unit belong together"
        if self.quantity and not is_in_book(self.quantity):
            yield f"{where}: this book has no quantity {self.quantity}"
        if not self.note:
            needing = [name for name in ("printed_unit", "aside") if getattr(self, name)]
            yield from (f"{where}: {name} needs a note" for name in needing)
        not_units = [*unit_faults(self.unit, self.at_unit, *(again.unit for again in self.also))]
        yield from (f"{where}: {fault}" for fault in not_units)
        if not not_units:
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


def half_a_digit(value: float) -> float:
    """The rounding error of a printed value: half of its last digit that is not 0.

    All digits of a whole number may be meant, so its error is at most a tenth of it.
    """
    if not value:
        return 0.0
    exponent = int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    half = 0.5 * 10.0**exponent
    return min(half, 0.1 * abs(value)) if exponent >= 0 else half


def rounding_explains(printed: float, other: float, half: float) -> bool:
    """Whether the two differ by no more than `half` (of the last printed digit) or 2 %."""
    return abs(printed - other) <= max(_ROUNDED * abs(other), 1.001 * half)
