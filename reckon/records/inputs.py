"""Inputs that a run holds: a field of the machine description, an earlier measurement."""

from __future__ import annotations

import dataclasses

import numpy as np

from reckon import units
from reckon.prediction.expression import PredictionError
from reckon.prediction.inputs import Input
from reckon.records.lookup import read_result
from reckon.records.session import current_session

AT_END = ", at its last place"  # of an input's source


def machine(field_name: str, otherwise: Input) -> Input:
    """A value of the machine description, such as "processor.base_clock".

    In the unit of `otherwise`, the guess that is used instead if the machine does not report it.
    """
    machine = current_session().run.machine
    if field_name not in machine.fields():
        raise PredictionError(f"The machine description has no field {field_name}.")
    value, source = machine.number(field_name), machine.fact(field_name).source
    if value is None:
        return _stand_in(otherwise, f"{field_name} is not reported", field_name)
    return Input("machine", value, otherwise.unit, source, reference=field_name)


def measured(quantity: str, otherwise: Input, *, at_end: bool = False) -> Input:
    """The median of an earlier measurement, with its interval.

    In the unit of `otherwise`, the guess that is used instead without a measurement. Of a curve
    it is the median at the first point, or at the last (`at_end`), if that was measured.
    """
    unit = otherwise.unit
    earlier = read_result(current_session().run.name, quantity)
    if earlier is None or earlier.summary is None:
        reason = earlier.reason if earlier else None
        why = f"could not be measured ({reason})" if reason else "has not been measured yet"
        return _stand_in(otherwise, f"{quantity} {why}", quantity)
    if units.dimension(earlier.unit) != units.dimension(unit):
        raise PredictionError(
            f"{quantity} is measured in {earlier.unit}, which is "
            f"{units.kind(units.dimension(earlier.unit))}; it cannot be an input in {unit}."
        )
    if at_end and not earlier.is_curve:
        raise PredictionError(f"{quantity} is no curve, so it has no last place.")
    summary = earlier.at_end if at_end else earlier.summary
    if summary is None:
        return _stand_in(otherwise, f"{quantity} did not come to its last place", quantity)
    known = bool(np.isfinite(summary.low) and np.isfinite(summary.high))
    return Input(
        "measured",
        summary.median,
        unit,
        f"measured in this run{AT_END if at_end else ''}",
        summary.low if known else None,
        summary.high if known else None,
        reference=quantity,
    )


def _stand_in(otherwise: Input, why: str, reference: str) -> Input:
    if otherwise.origin != "guess":
        raise PredictionError(f"What stands in for {reference} must be a guess.")
    return dataclasses.replace(otherwise, reference=reference, instead_of=why)
