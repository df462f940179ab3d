"""Inputs that a run holds: a field of the machine description, an earlier measurement."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.prediction.expression import PredictionError
from reckon.prediction.inputs import Input
from reckon.records.result import result
from reckon.records.session import session

AT_END = ", at its last place"  # of an input's source


def machine(field_name: str, otherwise: Input) -> Input:
    """A value of the machine description, such as "processor.base_clock", told in the unit of
    `otherwise`: the guess that stands in, and says so, where it is not reported."""
    section, key = field_name.split(".")
    entry = session().run.machine.get(section, {}).get(key)
    if entry is None:
        raise PredictionError(f"The machine description has no field {field_name}.")
    if entry["value"] is None:
        return _stand_in(otherwise, f"{field_name} is not reported", field_name)
    return Input(
        "machine", float(entry["value"]), otherwise.unit, entry["source"], reference=field_name
    )


def measured(quantity: str, otherwise: Input, at_end: bool = False) -> Input:
    """The median of an earlier measurement, with its interval, told in the unit of `otherwise`:
    the guess that stands in, and says so, where it could not run or has not run yet. Of a curve that at
    its first place, or at its last (`at_end`), if it came so far."""
    unit = otherwise.unit
    found = result(session().run.name, quantity)
    if found is None or found.summary is None:
        known = found is not None and found.reason
        why = f"could not be measured ({found.reason})" if known else "has not been measured yet"
        return _stand_in(otherwise, f"{quantity} {why}", quantity)
    if units.dimension(found.unit) != units.dimension(unit):
        raise PredictionError(
            f"{quantity} is measured in {found.unit}, which is "
            f"{units.kind(units.dimension(found.unit))}; it cannot be an input in {unit}."
        )
    if at_end and not found.is_curve:
        raise PredictionError(f"{quantity} is no curve, so it has no last place.")
    one = found.at_end if at_end else found.summary
    if one is None:
        return _stand_in(otherwise, f"{quantity} did not come to its last place", quantity)
    known = np.isfinite(one.low) and np.isfinite(one.high)
    return Input(
        "measured",
        one.median,
        unit,
        f"measured in this run{AT_END if at_end else ''}",
        one.low if known else None,
        one.high if known else None,
        reference=quantity,
    )


def _stand_in(otherwise: Input, why: str, reference: str) -> Input:
    if otherwise.origin != "guess":
        raise PredictionError(f"What stands in for {reference} must be a guess.")
    return Input(
        "guess",
        otherwise.value,
        otherwise.unit,
        otherwise.source,
        otherwise.low,
        otherwise.high,
        otherwise.cite,
        reference,
        why,
    )
