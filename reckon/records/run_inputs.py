"""Inputs that depend on the run: a field of the machine description, a constant of its processor,
an earlier measurement."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

from reckon import units
from reckon.computer import processors
from reckon.messages import did_you_mean
from reckon.prediction.expression import PredictionError
from reckon.prediction.inputs import AT_END, Input, Origin
from reckon.records.known_quantities import refuse_unknown
from reckon.records.quantities.lookup import read_result
from reckon.records.read_log import note_read
from reckon.records.session import current_session


def machine(field_name: str, otherwise: Input | None = None) -> Input:
    """A value of the machine description, such as "processor.base_clock".

    In the unit of `otherwise`, the guess that is used instead if the machine does not report it.
    Raises PredictionError for an unknown field, or if `otherwise` is no guess.
    """
    description = current_session().run.machine
    fields = description.fields()
    if field_name not in fields:
        nearest = [field for field in fields if field.endswith(field_name)]
        hint = did_you_mean(field_name, fields, f"it has {', '.join(fields)}.")
        hint = f"did you mean {nearest[0]}?" if nearest else hint
        raise PredictionError(f"The machine description has no field {field_name}; {hint}")
    otherwise = _required(otherwise, f'rk.machine("{field_name}", ...)')
    value, source = description.number(field_name), description.fact(field_name).source
    if value is None:
        return _as_fallback(otherwise, f"{field_name} is not reported", field_name)
    return Input("machine", value, otherwise.unit, source, reference=field_name)


def processor(name: str, otherwise: Input) -> Input:
    """A constant of this machine's processor in core cycles, as book/processors.toml has it.

    `otherwise`, which says whose value it is, stands in for a processor without a known one.
    """
    note_read(processors.FILE)
    machine = current_session().run.machine
    core = processors.core_of(machine)
    constant = core.constants.get(name) if core else None
    if core is None or constant is None:
        return dataclasses.replace(otherwise, instead_of=processors.why_unknown(machine))
    value, low, high = (
        float(units.to_base(number, processors.UNIT))
        for number in (constant.value, constant.low, constant.high)
    )
    origin: Origin = "guess" if constant.guess else "given"
    source = f"{constant.source}, {core.name}"
    cite = constant.cite
    return Input(origin, value, processors.UNIT, source, low=low, high=high, cite=cite)


def measured(quantity: str, otherwise: Input | None = None, *, at_end: bool = False) -> Input:
    """The median of an earlier measurement, with its interval; of two groups see Summary.input.

    In the unit of `otherwise`, the guess that is used instead without a measurement. Of a curve
    it is the median at the first point, or at the last (`at_end`), if that was measured.
    Raises PredictionError for another dimension, for a quantity that no notebook makes, or if
    `otherwise` is no guess.
    """
    otherwise = _required(otherwise, f'rk.measured("{quantity}", ...)')
    unit, run = otherwise.unit, current_session().run.name
    result = read_result(run, quantity, samples=False)
    if result is None:
        refuse_unknown(run, quantity)
    if result is None or result.summary is None:
        reason = result.reason if result else None
        why = f"could not be measured ({reason})" if reason else "has not been measured yet"
        return _as_fallback(otherwise, f"{quantity} {why}", quantity)
    dimension = units.dimension(result.unit)
    if dimension != units.dimension(unit):
        raise PredictionError(
            f"{quantity} is measured in {result.unit}, which is "
            f"{units.dimension_name(dimension)}; it cannot be an input in {unit}."
        )
    if at_end and not result.is_curve:
        raise PredictionError(f"{quantity} is no curve, so it has no last point.")
    summary = result.at_end if at_end else result.summary
    if summary is None:
        return _as_fallback(otherwise, f"{quantity} did not come to its last point", quantity)
    value, low, high = summary.input
    has_interval = math.isfinite(low) and math.isfinite(high)
    return Input(
        "measured",
        value,
        unit,
        f"measured in this run{AT_END if at_end else ''}",
        low=low if has_interval else None,
        high=high if has_interval else None,
        reference=quantity,
    )


def later_values(run: str | Path, inputs: dict[str, Input]) -> dict[str, float]:
    """The run's values, in base units, of the measured inputs that have another one since."""
    values = {}
    for name, input_ in inputs.items():
        if input_.origin != "measured":
            continue
        result = read_result(run, str(input_.reference), samples=False)
        summary = result and (result.at_end if input_.at_end else result.summary)
        if summary and summary.input[0] != input_.value:
            values[name] = summary.input[0]
    return values


def _required(otherwise: Input | None, call: str) -> Input:
    if isinstance(otherwise, Input):
        return otherwise
    raise PredictionError(
        f'{call} needs a guess for where there is no such value: otherwise=rk.guess(3, "GHz", '
        '"why", low=2, high=5).'
    )


def _as_fallback(otherwise: Input, why: str, reference: str) -> Input:
    """The guess, with what it is used instead of and why."""
    if otherwise.origin != "guess":
        raise PredictionError(f"What stands in for {reference} must be a guess.")
    return dataclasses.replace(otherwise, reference=reference, instead_of=why)
