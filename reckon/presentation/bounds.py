"""The plausibility check of a page: figures outside the bounds of what is possible."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reckon import units
from reckon.presentation.block import Block, say
from reckon.presentation.text import place
from reckon.records.result import Result
from reckon.reports import published

_LISTED = 3  # figures of a curve outside their bounds that are printed one by one


@dataclass(frozen=True)
class Bounds:
    """What is possible, in `unit`, and why."""

    minimum: float
    unit: str
    why: str
    maximum: float = math.inf
    with_reports: bool = True  # the reports' machines have the same bounds
    block_bytes: int = 0  # the bounds are for this many bytes; more bytes are scaled down
    because: str = ""  # the sentence that explains figures outside
    which: str = "here"  # the figures meant, where a page has others too

    def rule(self) -> str:
        """The sentence that states the bounds."""
        text = f"No figure {self.which} can be below {self.text(self.minimum)}"
        if math.isfinite(self.maximum):
            text += f" or above {self.text(self.maximum)}"
        if self.block_bytes:
            text += f" for {units.size(self.block_bytes, 'byte')}"
        return f"{text}: {self.why}."

    def text(self, value: float) -> str:
        """A value with the bounds' unit."""
        return f"{units.number(value)} {units.spoken(self.unit)}"


@dataclass(frozen=True)
class _Figure:
    """A figure in the bounds' unit, and its place on a curve in words."""

    value: float
    where: str


def plausibility(results: list[Result], minimum: float, unit: str, why: str, **more) -> Block:
    """The bounds and the figures outside them: of this run and, if they hold there, of the reports.

    `more` are the other fields of Bounds.
    """
    bounds = Bounds(minimum, unit, why, **more)
    outside = []
    for result in results:
        figures = {"this run": _of_this_run(result, bounds)}
        for reported in published.of(result.quantity) if bounds.with_reports else []:
            figure = _of_report(reported, result, bounds)
            figures.setdefault(reported.report, []).append(figure)
        for owner, curve in figures.items():
            outside += _outside(f"`{result.quantity}`", owner, curve, bounds)
    if not outside:
        return say(bounds.rule(), "None is.")
    return say(bounds.rule(), f"Outside: {'; '.join(outside)}.", bounds.because)


def _of_this_run(result: Result, bounds: Bounds) -> list[_Figure]:
    medians = [units.from_base(value, bounds.unit) for value in result.medians]
    if bounds.unit == "cycle":
        medians = [summary.median for summary in result.cycles]
    figures = []
    for point, median in zip(result.points, medians, strict=False):
        where = f" at {place(result, point.x)}" if result.is_curve else ""
        figures.append(_Figure(median * _share(result, bounds.block_bytes, point.x), where))
    return figures


def _of_report(reported: published.Figure, result: Result, bounds: Bounds) -> _Figure:
    value = reported.measured_in(result.unit)
    in_cycles = bounds.unit == "cycle"
    value = value * reported.core_hz if in_cycles else units.from_base(value, bounds.unit)
    if reported.at is None:
        return _Figure(value * _share(result, bounds.block_bytes, None), "")
    at = units.to_base(reported.at, result.axis_unit) if bounds.block_bytes else None
    return _Figure(value * _share(result, bounds.block_bytes, at), f" at {reported.at:g}")


def _share(result: Result, block_bytes: int, at: float | None) -> float:
    """The share that `block_bytes` are of what one operation reads at that place of its axis."""
    measurement = result.measurement
    if not block_bytes or measurement is None:
        return 1.0
    is_file = measurement.op == "file"
    size_name = "file_bytes" if is_file else "block_bytes"
    if at is not None and (is_file or measurement.axis == size_name):
        return block_bytes / at
    return block_bytes / float(measurement.params.get(size_name, block_bytes))


def _outside(what: str, owner: str, figures: list[_Figure], bounds: Bounds) -> list[str]:
    """The figures of one curve outside: each by itself or, of many, their number and the worst."""
    outside = [f for f in figures if not bounds.minimum <= f.value <= bounds.maximum]
    if len(outside) <= _LISTED:
        return [f"{what}{f.where} of {owner}: {bounds.text(f.value)}" for f in outside]
    lowest, *_, highest = sorted(outside, key=lambda figure: figure.value)
    worst = lowest if lowest.value < bounds.minimum else highest
    worst_text = f"the worst {bounds.text(worst.value)}{worst.where}"
    return [f"{what} of {owner}: {len(outside)} figures, {worst_text}"]
