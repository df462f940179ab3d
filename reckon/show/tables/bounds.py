"""The plausibility check of a page: values outside the bounds of what is possible."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reckon import units
from reckon.comparison.reports import published
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.records.quantities.result import Result
from reckon.show.block import Block, items, join_blocks, say
from reckon.show.text import counted_position
from reckon.show.titles import title_of

_LISTED = 3  # values of a curve outside their bounds that are printed one by one


@dataclass(frozen=True)
class Bounds:
    minimum: float
    unit: str
    why: str
    maximum: float = math.inf
    with_reports: bool = True  # the reports' machines have the same bounds
    block_bytes: int = 0  # the bounds are for this many bytes; more bytes are scaled down
    because: str = ""  # the sentence that explains values outside
    which: str = "here"  # the values meant, where a page has others too

    def rule(self) -> str:
        text = f"No median {self.which} can be below {self.text(self.minimum)}"
        if math.isfinite(self.maximum):
            text += f" or above {self.text(self.maximum)}"
        if self.block_bytes:
            text += f" for {units.size(self.block_bytes, 'byte')}"
        return f"{text}: {self.why}."

    def text(self, value: float) -> str:
        return units.with_unit(units.number(value), self.unit)


@dataclass(frozen=True)
class _Value:
    """A value in the bounds' unit, and its position on a curve in words."""

    value: float
    where: str


def plausibility(results: list[Result], minimum: float, unit: str, why: str, **options) -> Block:
    """The bounds and the values outside them: of this run and, if they hold there, of the reports.

    `options` are the other fields of Bounds.
    """
    bounds = Bounds(minimum, unit, why, **options)
    outside, count = [], 0
    for result in results:
        curves = {"measured in this run": _values_of_run(result, bounds)}
        for reported in published.measured_values(result.quantity) if bounds.with_reports else []:
            value = _value_of_report(reported, result, bounds)
            curves.setdefault(f"measured on the {reported.machine}", []).append(value)
        for owner, curve in curves.items():
            count += len(curve)
            outside += _outside(title_of(result.quantity), owner, curve, bounds)
    if not outside:
        none = "No median is outside." if count else "Nothing was measured that could be outside."
        return say(bounds.rule(), none)
    rule = say(bounds.rule(), "These values are outside:")
    return join_blocks([rule, items(outside), say(bounds.because)])


def _values_of_run(result: Result, bounds: Bounds) -> list[_Value]:
    """The values at all points; of two groups of processes both."""
    in_cycles = bounds.unit == "cycle"
    values = []
    summaries = result.cycles if in_cycles else result.summaries
    for point, summary in zip(result.points, summaries, strict=False):
        where = f" at {counted_position(result, point.x)}" if result.is_curve else ""
        share = _share(result, bounds.block_bytes, point.x)
        for each in summary.groups or [summary]:
            value = each.median if in_cycles else units.from_base(each.median, bounds.unit)
            values.append(_Value(value * share, where))
    return values


def _value_of_report(reported: ReportedValue, result: Result, bounds: Bounds) -> _Value:
    value = reported.measured_in(result.unit)
    in_cycles = bounds.unit == "cycle"
    value = value * reported.core_hz if in_cycles else units.from_base(value, bounds.unit)
    if reported.at is None:
        return _Value(value * _share(result, bounds.block_bytes, None), "")
    at = units.to_base(reported.at, result.axis_unit) if bounds.block_bytes else None
    is_count = result.axis_unit == "1"
    at_text = counted_position(result, reported.at) if is_count else units.as_given(reported.at)
    where = f" at {at_text}"
    return _Value(value * _share(result, bounds.block_bytes, at), where)


def _share(result: Result, block_bytes: int, at: float | None) -> float:
    """The share that `block_bytes` are of what one operation reads at that position."""
    measurement = result.measurement
    if not block_bytes or measurement is None:
        return 1.0
    # A probe that reads OPs of a size has the parameter OP_bytes, or size_bytes.
    size_names = (f"{measurement.op}_bytes", "size_bytes")
    if at is not None and measurement.axis in size_names:
        return block_bytes / at
    sizes = [float(value) for name, value in measurement.params.items() if name in size_names]
    return block_bytes / sizes[0] if sizes else 1.0


def _outside(quantity: str, owner: str, values: list[_Value], bounds: Bounds) -> list[str]:
    """The values of one curve outside: each by itself or, of many, their number and the worst."""
    outside = [v for v in values if not bounds.minimum <= v.value <= bounds.maximum]
    if len(outside) <= _LISTED:
        return [f"{quantity}{v.where}, {owner}: {bounds.text(v.value)}" for v in outside]
    lowest, *_, highest = sorted(outside, key=lambda value: value.value)
    worst = lowest if lowest.value < bounds.minimum else highest
    worst_text = f"the farthest is {bounds.text(worst.value)}{worst.where}"
    return [f"{quantity}, {owner}: {len(outside)} values; {worst_text}"]
