"""The inputs of a prediction, each with its origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.prediction.expression import PredictionError


@dataclass(frozen=True)
class Input:
    """One input; values in base units. Make it with given(), machine(), measured(), guess() or
    axis()."""

    origin: str
    value: float | list[float]
    unit: str
    source: str
    low: float | None = None
    high: float | None = None
    cite: str | None = None
    reference: str | None = None
    instead_of: str | None = None

    def __post_init__(self):
        if self.low is None and self.high is None:
            return
        if self.low is None or self.high is None or not self.low <= self.value <= self.high:
            raise PredictionError(
                f"The interval of an input ({self.source}) needs low <= value <= high."
            )


def _base(value, unit: str):
    return None if value is None else float(units.to_base(value, unit))


def given(value: float, unit: str, source: str, *, cite=None, low=None, high=None) -> Input:
    """A value that a source states: a data sheet, a manual, a standard. `cite` is a key of
    book/references.bib; low and high, in the same unit, bound it where the source leaves room."""
    return Input(
        "given", _base(value, unit), unit, source, _base(low, unit), _base(high, unit), cite
    )


def guess(value: float, unit: str, why: str, *, low: float, high: float, cite=None) -> Input:
    """A labelled guess; its interval, which the truth should hit 19 times of 20, is scored."""
    return Input("guess", _base(value, unit), unit, why, _base(low, unit), _base(high, unit), cite)


def axis(values, unit: str, what: str) -> Input:
    """The variable of a curve: the sizes, strides or counts that are measured."""
    return Input("axis", [float(units.to_base(v, unit)) for v in values], unit, what)


def octaves(least: float, most: float, per_octave: int, unit: str, what: str) -> Input:
    """An axis of amounts of data, so many to each doubling, from `least` (in `unit`) to the last that
    does not exceed `most`, rounded to whole multiples of 64 bytes. Raises PredictionError for an empty
    range."""
    if not 0 < least <= most:
        raise PredictionError(f"{what}: from {least} to {most} {unit} there is nothing.")
    steps = int(np.floor(per_octave * np.log2(most / least) + 1e-9))
    lines = units.to_base(least, unit) / 64 * 2 ** (np.arange(steps + 1) / per_octave)
    return axis(
        units.from_base(64 * np.unique(np.maximum(1, np.round(lines))), unit).tolist(), unit, what
    )
