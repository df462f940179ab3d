"""What a reader predicted of a quantity, compared with what was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reckon import units
from reckon.errors import NoOneValue, ReckonError
from reckon.prediction.inputs import INTERVAL_FAULTS
from reckon.prediction.ratios import factor_off, is_comparable
from reckon.prediction.variations import changed
from reckon.records.quantities import revisions
from reckon.records.quantities.recorded_predictions import index_on_axis
from reckon.records.quantities.result import Result


@dataclass(frozen=True)
class Guess:
    """What one reader predicted of a quantity, of a curve at one of its points; in base units."""

    reader: str
    predicted: float
    interval: tuple[float, float] | None
    point: int  # the index of the point that was measured
    measured: float
    saw_measured: bool = False  # it changed inputs on the page, which shows what was measured
    reason: str = ""
    first: Guess | None = None  # what the reader predicted before a discussion
    is_first_alone: bool = False  # predicted before a discussion, and not again

    @property
    def ratio(self) -> float:
        return self.measured / self.predicted

    @property
    def factor_off(self) -> float:
        """By what factor it was off, up or down; at least 1."""
        return float(factor_off(self.ratio))

    @property
    def is_inside(self) -> bool | None:
        """Whether its interval holds the measured value; None without one."""
        if self.interval is None:
            return None
        low, high = self.interval
        return low <= self.measured <= high


def compared(
    reader: str,
    quantity: str,
    prediction: revisions.QuantityPrediction,
    result: Result | None,
) -> Guess:
    """What a reader predicts of a quantity, with what was measured. Raises ReckonError."""
    if result is None:
        raise ReckonError(f"the run has no {quantity}.")
    if not result.has_samples:
        raise ReckonError(f"{quantity} was not measured.")
    stated, first = prediction.stated, prediction.first_vote
    if first and "predicted" not in stated:
        return replace(compared(reader, quantity, first, result), is_first_alone=True)
    point = _point(result, stated.get("at"))
    if result.summaries[point].groups:
        raise NoOneValue(quantity)
    interval = None
    if "predicted" in stated:
        predicted = _in_base(quantity, stated, "predicted", result.unit)
        interval = _interval(quantity, stated, predicted, result.unit)
    else:
        predicted, interval = _by_formula(result, prediction.changes, point)
    measured = result.summaries[point].median
    if not (is_comparable(predicted) and is_comparable(measured)):
        raise ReckonError(f"{quantity}: a prediction has to be larger than 0.")
    return Guess(
        reader,
        predicted,
        interval,
        point,
        measured,
        saw_measured="predicted" not in stated,
        reason=stated.get("reason", ""),
        first=compared(reader, quantity, first, result) if first else None,
    )


def _point(result: Result, at: str | None) -> int:
    """The index of the measured point at that position; the last one without a position."""
    if at is None:
        return len(result.points) - 1
    amount = units.number_and_unit(at)
    if amount is None or not result.is_curve:
        raise ReckonError(f"{result.quantity} has no point at {at}.")
    number, unit = amount
    index = result.point_index(number, unit or result.axis_unit)
    if index is None:
        raise ReckonError(f"{result.quantity} was not measured at {at}.")
    return index


def _in_base(quantity: str, stated: dict[str, str], name: str, unit: str) -> float:
    """What is stated under that name, in base units; without a unit it has the quantity's."""
    try:
        return units.amount_in_base(stated[name], unit, units.with_unit("150", unit))
    except ReckonError as error:
        raise ReckonError(f"{quantity}: {name}: {error}") from None


def _interval(
    quantity: str, stated: dict[str, str], predicted: float, unit: str
) -> tuple[float, float] | None:
    """The stated interval in base units; None without one. Raises ReckonError for one that no value
    has."""
    ends = [end for end in ("low", "high") if end in stated]
    if not ends:
        return None
    low, high = (_in_base(quantity, stated, ends[k], unit) for k in (0, -1))
    is_amount = units.dimension(unit) != units.dimension("1")
    faults = (
        (len(ends) == 1, "half"),
        (low > high, "swapped"),
        (not low <= predicted <= high, "outside"),
        (is_amount and low < 0, "negative"),
    )
    for is_so, fault in faults:
        if is_so:
            texts = {"value": stated["predicted"], "low": stated[ends[0]], "high": stated[ends[-1]]}
            raise ReckonError(f"{quantity}: {INTERVAL_FAULTS[fault].format(**texts)}")
    return (low, high) if low < high else None  # from 3 to 3 is a value


def _by_formula(
    result: Result, changes: list[str], point: int
) -> tuple[float, tuple[float, float] | None]:
    """What the book's formula predicts at that point with these changes, and its interval."""
    prediction = changed(result.prediction, changes)
    x = result.points[point].x
    index = index_on_axis(prediction, x)
    if index is None:
        at = units.position(x or 0.0, result.axis_unit)
        raise ReckonError(f"{result.quantity} is not predicted at {at} any more.")
    low, high = prediction.interval()
    interval = None
    if low is not None:
        interval = (float(np.atleast_1d(low)[index]), float(np.atleast_1d(high)[index]))
    return float(np.atleast_1d(prediction.predicted)[index]), interval
