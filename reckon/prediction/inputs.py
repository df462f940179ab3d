"""The inputs of a prediction, each with its origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reckon import units
from reckon.prediction.expression import PredictionError

_LINE_BYTES = 64


Origin = Literal["given", "machine", "measured", "guess", "axis"]


@dataclass(frozen=True)
class Input:
    """One input, in base units. Made by given(), machine(), measured(), guess() or axis()."""

    origin: Origin
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
        if not _ascending(self.low, self.value, self.high):
            raise PredictionError(
                f"The interval of an input ({self.source}) needs low <= value <= high."
            )


def _ascending(low: float | None, value, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def _base(value: float | None, unit: str) -> float | None:
    return None if value is None else float(units.to_base(value, unit))


def given(value: float, unit: str, source: str, *, cite=None, low=None, high=None) -> Input:
    """A value that a source states: a data sheet, a manual, a standard.

    `cite` is a key of book/references.bib; `low` and `high`, in the same unit, bound the value if
    the source leaves room.
    """
    low, high = _base(low, unit), _base(high, unit)
    return Input("given", units.to_base(float(value), unit), unit, source, low, high, cite)


def guess(value: float, unit: str, why: str, *, low: float, high: float, cite=None) -> Input:
    """A labelled guess. Its interval, which should hold the truth 19 times of 20, is scored."""
    bounds = _base(low, unit), _base(high, unit)
    return Input("guess", units.to_base(float(value), unit), unit, why, *bounds, cite)


def axis(values, unit: str, description: str) -> Input:
    """The variable of a curve: the sizes, strides or counts that are measured."""
    return Input("axis", [float(units.to_base(v, unit)) for v in values], unit, description)


def octaves(minimum: float, maximum: float, per_octave: int, unit: str, description: str) -> Input:
    """An axis of sizes from `minimum` to `maximum`, `per_octave` of them in each doubling.

    Each is rounded to whole cache lines (64 bytes). Raises PredictionError for an empty range.
    """
    if not 0 < minimum <= maximum:
        raise PredictionError(
            f"{description}: no size lies between {minimum} and {maximum} {unit}; "
            "give 0 < minimum <= maximum."
        )
    steps = int(np.floor(per_octave * np.log2(maximum / minimum) + 1e-9))
    lines = units.to_base(minimum, unit) / _LINE_BYTES * 2 ** (np.arange(steps + 1) / per_octave)
    whole_lines = np.unique(np.maximum(1, np.round(lines)))
    return axis(units.from_base(_LINE_BYTES * whole_lines, unit).tolist(), unit, description)
