"""The inputs of a prediction, each with its origin."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NoReturn

import numpy as np

from reckon import units
from reckon.messages import join_words
from reckon.prediction.expression import PredictionError

_LINE_BYTES = 64

Origin = Literal["given", "machine", "measured", "guess", "axis"]

AT_END = ", at its last place"  # what a measured input's source ends in, if it was read there

# What is said of an interval and its value.
INTERVAL_FAULTS = {
    "swapped": "low={low} is larger than high={high}; exchange the two.",
    "half": "an interval has both ends, low and high.",
    "outside": "the value {value} is not between low={low} and high={high}; write "
    "low <= value <= high.",
    "negative": "low={low} is below 0, and no amount is negative.",
}
FAR_OUTSIDE = "Far outside its interval of {interval}."


@dataclass(frozen=True, repr=False)
class Input:
    """One input, in base units. Made by given(), machine(), measured(), guess() or axis()."""

    origin: Origin
    value: float | list[float]  # of an axis, its positions
    unit: str  # as the author gave it
    source: str  # where it comes from, in words
    _: KW_ONLY
    low: float | None = None
    high: float | None = None
    cite: str | None = None  # a key of book/references.bib
    reference: str | None = None  # the quantity or the machine's field that it is read from
    instead_of: str | None = None  # why a guess stands in

    def __repr__(self) -> str:
        value = (
            "a curve's axis"
            if isinstance(self.value, list)
            else units.amount(self.value, self.unit)
        )
        return f"The input {self.source!r} ({value})"

    def _refuse_arithmetic(self, *_) -> NoReturn:
        raise PredictionError(
            f"The input {self.source!r} is used outside of a formula: change its own number, or "
            'compute with it in the function under @rk.predict("PART/EXPERIMENT/QUANTITY", ...).'
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse_arithmetic
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = _refuse_arithmetic

    def __post_init__(self):
        if self.low is None and self.high is None:
            return
        if not _is_ascending(self.low, self.value, self.high):
            low, value, high = (
                "nothing" if number is None else f"{units.from_base(number, self.unit):g}"
                for number in (self.low, self.value, self.high)
            )
            ends = {"low": low, "high": f"{high} ({self.unit})"}
            is_swapped = None not in (self.low, self.high) and self.low > self.high  # type: ignore
            kind = "swapped" if is_swapped else "outside"
            fault = INTERVAL_FAULTS[kind].format(value=value, **ends)
            raise PredictionError(f"{self.source!r}: {fault}")

    @property
    def at_end(self) -> bool:
        """Whether it was read at the last point of a curve. Sealed records have it in words alone:
        a field that is new in them would break their seals."""
        return self.source.endswith(AT_END)

    def has_inside(self, value: float) -> bool:
        """Whether the value, in base units, is within the input's interval."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


def _is_ascending(low: float | None, value, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def _stated_input(origin: Origin, value: float, unit: str, source: str, **details) -> Input:
    numbers_given = {"the value": value, "low": details["low"], "high": details["high"]}
    missing = [name for name, number in numbers_given.items() if number is None]
    if "the value" in missing or len(missing) == 1 or (missing and origin == "guess"):
        raise PredictionError(
            f"{source!r} lacks {join_words(missing)}; write rk.{origin}({value}, {unit!r}, "
            f"{source!r}, low=..., high=...)."
        )
    for name, number in numbers_given.items():
        if number is not None and not isinstance(number, numbers.Real):
            raise PredictionError(
                f"{source!r}: {name} is {number!r}, not a number; the unit is written apart, as in "
                f'rk.{origin}(90, "{unit}", ...).'
            )
    low = details["low"]
    if low is not None and low < 0 and units.dimension(unit) != units.dimension("1"):
        raise PredictionError(f"{source!r}: {INTERVAL_FAULTS['negative'].format(low=low)}")
    for end in ("low", "high"):
        if details[end] is not None:
            details[end] = float(units.to_base(details[end], unit))
    return Input(origin, units.to_base(float(value), unit), unit, source, **details)


def given(value: float, unit: str, source: str, *, cite=None, low=None, high=None) -> Input:
    """A value that a source states: a data sheet, a manual, a standard.

    `cite` is a key of book/references.bib; `low` and `high`, in the same unit, bound the value if
    the source leaves room.
    """
    return _stated_input("given", value, unit, source, cite=cite, low=low, high=high)


def guess(value: float, unit: str, why: str, *, low=None, high=None, cite=None) -> Input:
    """A labelled guess. Its interval, which should hold the truth 19 times of 20, is scored.

    Raises PredictionError without `low` and `high`."""
    return _stated_input("guess", value, unit, why, cite=cite, low=low, high=high)


def axis(values, unit: str, description: str) -> Input:
    """The variable of a curve: the sizes, strides or counts that are measured.

    Raises PredictionError for what is no list of numbers."""
    values = list(values) if np.iterable(values) else []
    if not values or not all(isinstance(each, numbers.Real) for each in values):
        raise PredictionError(
            f"{description!r} needs a list of numbers, as in rk.axis([1, 2, 4], {unit!r}, ...)."
        )
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
