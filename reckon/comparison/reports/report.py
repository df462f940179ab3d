"""A published report as data: its machine, its predictions and its measurements.

A report is one file, book/reports/NAME.toml, with two kinds of entries: `[[fact]]`, an attribute
of the machine or of its peer; `[[value]]`, a value that was predicted and measured, with every
other place where the report prints it. The models are the format: docs/report-format.md explains
it, book/report.schema.json publishes it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import pydantic

from reckon import units
from reckon.comparison.reports.reported_value import ReportedValue, unit_faults
from reckon.toml_files import Entry


class PrintedFact(Entry):
    """The same fact printed again, or in another unit."""

    value: float | str
    unit: str = ""
    place: str
    note: str = ""


class ReportedFact(PrintedFact):
    """One attribute of the machine, or of its peer."""

    of: str = "machine"
    component: str
    attribute: str
    # The note in a few words, where the value misleads without it.
    brief: str = pydantic.Field("", max_length=25)
    is_lower_bound: bool = False  # the report states that it is this or more
    also: list[PrintedFact] = []

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
            yield from (f"{where}: {fault}" for fault in unit_faults(printed.unit))


class Report(Entry):
    """A published report: its machine, its facts and its values."""

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
    facts: list[ReportedFact] = pydantic.Field([], alias="fact")
    values: list[ReportedValue] = pydantic.Field(alias="value")

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
        entries: list[ReportedFact | ReportedValue] = [*self.facts, *self.values]
        return [*self._duplicates(), *(fault for entry in entries for fault in entry.faults())]

    def _duplicates(self) -> Iterator[str]:
        """A sentence on each entry whose name another entry of its kind has too."""
        names = Counter(f"the fact {fact.label}" for fact in self.facts)
        for value in self.values:
            at = "" if value.at is None else f" at {units.as_given(value.at)} {value.at_unit}"
            names[f"the value {value.quantity or value.what}{at}"] += 1
        yield from (f"{name} is given {n} times" for name, n in names.items() if n > 1)


def schema() -> str:
    """The JSON schema of a report's file, as published in book/report.schema.json."""
    return json.dumps(Report.model_json_schema(), indent=1, ensure_ascii=False) + "\n"
