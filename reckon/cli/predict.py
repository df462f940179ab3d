"""`reckon predict`: what a recorded prediction would be with other inputs. Nothing is executed."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from reckon import records, units
from reckon.cli.output import print_json
from reckon.cli.runs import chosen_run
from reckon.config import ReckonError
from reckon.prediction import what_if
from reckon.prediction.formula import PARTS, Prediction
from reckon.prediction.inputs import Input
from reckon.presentation.formulas import source_text
from reckon.presentation.verdicts import how_far
from reckon.records.lookup import all_results
from reckon.records.predictions import needed_guesses, ratio, to_prediction
from reckon.records.result import Result
from reckon.text import did_you_mean

_AMOUNT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")
_WHOLE = 1e-9  # nearer to a whole number than this share of it, it is one


def predict(arguments) -> int:
    """Prints the prediction with the given inputs, its ratio, and what would meet the result."""
    result = _result(chosen_run(arguments), arguments.quantity)
    recorded = to_prediction(result.quantity, result.current)
    values = dict(_changed_input(recorded, text) for text in arguments.inputs)
    prediction = what_if.changed(recorded, values)
    if not np.all(np.isfinite(prediction.predicted)):
        raise ReckonError(
            f"{result.quantity}: the formula gives {_predicted(prediction)} for these inputs."
        )
    if arguments.json:
        print_json(_to_json(result, prediction, values))
    else:
        print("\n".join(_lines(result, recorded, prediction, values)))
    return 0


def _result(run: str | Path, quantity: str) -> Result:
    """The quantity as the run has it. Raises ReckonError for an unknown one."""
    experiment = quantity.rpartition("/")[0]
    if experiment in records.experiments(run):
        for result in all_results(run, experiment):
            if result.quantity == quantity:
                return result
    known = [result.quantity for result in all_results(run)]
    hint = did_you_mean(quantity, known, "`reckon results` lists all.")
    raise ReckonError(f"The run {run} has no quantity {quantity}: {hint}")


# --- the inputs -------------------------------------------------------------------------------


def _changed_input(prediction: Prediction, text: str) -> tuple[str, float]:
    """The name and value, in base units, of `name=value`. Raises ReckonError."""
    name, has_value, amount = text.partition("=")
    if not has_value:
        raise ReckonError(f"{text!r} is not input=value; write for example {_example(prediction)}.")
    given = prediction.inputs.get(name)
    if given is None:
        names = list(prediction.inputs)
        hint = did_you_mean(name, names, f"it has {', '.join(names)}.")
        raise ReckonError(f"{prediction.quantity} has no input {name}: {hint}")
    if given.origin == "axis":
        raise ReckonError(f"{name} is the axis of the curve: it has all of its values already.")
    return name, _value(prediction, name, amount)


def _value(prediction: Prediction, name: str, text: str) -> float:
    """The value of an amount such as "550 cycle", in base units; without a unit, in the input's."""
    unit = prediction.inputs[name].unit
    example = _example(prediction, name)
    parsed = _AMOUNT.fullmatch(text)
    if not parsed:
        raise ReckonError(f"{text!r} is not a number with its unit; write for example {example}.")
    stated = parsed[2] or unit
    if units.dimension(stated) != units.dimension(unit):
        raise ReckonError(
            f"{name} is {units.kind(units.dimension(unit))}, but {text} is "
            f"{units.kind(units.dimension(stated))}; write for example {example}."
        )
    value = float(units.to_base(float(parsed[1]), stated))
    if not math.isfinite(value):
        raise ReckonError(f"{name}={text} is too large for a number; write for example {example}.")
    return value


def _example(prediction: Prediction, name: str | None = None) -> str:
    """How one input is given on the command line."""
    inputs = prediction.inputs
    name = name or next(name for name, given in inputs.items() if given.origin != "axis")
    return f'{name}="{_amount(inputs[name].value, inputs[name])}"'


def _amount(value: float | list[float], given: Input) -> str:
    """A value of an input with its unit, or the ends of an axis, as it may be typed again."""
    ends = [value[0], value[-1]] if isinstance(value, list) else [value]
    return f"{' to '.join(_number(end, given) for end in ends)} {given.unit}".removesuffix(" 1")


def _number(value: float, given: Input) -> str:
    """A value in the input's unit without spaces: a whole number in full, another in 4 digits."""
    shown = units.from_base(value, given.unit)
    is_whole = abs(shown - round(shown)) <= _WHOLE * abs(shown)
    return f"{round(shown)}" if is_whole else f"{shown:.4g}"


# --- what is printed --------------------------------------------------------------------------


def _predicted(prediction: Prediction) -> str:
    return units.span(np.atleast_1d(prediction.predicted), prediction.unit)


def _lines(
    result: Result, recorded: Prediction, prediction: Prediction, values: dict[str, float]
) -> list[str]:
    width = max(map(len, prediction.inputs))
    lines = [result.quantity]
    for name, given in prediction.inputs.items():
        before = _amount(recorded.inputs[name].value, given)
        source = source_text(given)
        instead = f"instead of {before}; {source}" if name in values else source
        lines.append(f"  {name:{width}}  {_amount(given.value, given):>12}  {instead}")
    lines.append(f"Predicted  {_predicted(prediction)}{_interval(prediction)}{_parts(prediction)}")
    return [*lines, _measured(result, prediction), _sealed(result), *_effects(result, prediction)]


def _interval(prediction: Prediction) -> str:
    low, high = prediction.interval()
    if low is None or prediction.curve_axis:
        return ""
    step = units.readable(float(prediction.predicted), prediction.unit)
    return f" ({units.between(low, high, step)})"


def _parts(prediction: Prediction) -> str:
    """The hardware's and the software's part of a single value."""
    if prediction.curve_axis or PARTS[prediction.formula.kind] != PARTS["sum"]:
        return ""
    hardware, software = (
        units.amount(float(prediction.value(node)), prediction.unit)
        for node in (prediction.formula.hardware, prediction.formula.software)
    )
    return f": hardware {hardware} + software {software}"


def _measured(result: Result, prediction: Prediction) -> str:
    if not result.has_samples:
        return f"Measured   not yet ({result.reason})" if result.reason else "Measured   not yet"
    shown = units.span(result.medians, result.unit) if result.is_curve else f"{result:±}"
    now = ratio(result, prediction)
    far = f", {how_far(now)}" if 0 < now < math.inf else ""
    median = " in the median" if result.is_curve else ""
    return f"Measured   {shown}: {units.number(now)}×{median}{far}"


def _sealed(result: Result) -> str:
    seal = units.span(np.atleast_1d(result.seal.predicted), result.unit)
    return f"Sealed     {seal}" + (f": {units.number(result.ratio)}×" if result.has_samples else "")


def _effects(result: Result, prediction: Prediction) -> list[str]:
    """Which input decides, and what each guess would have to be."""
    lines = []
    for name, (low, high) in list(what_if.sensitivity(prediction).items())[:1]:
        ends = _range(prediction.inputs[name])
        moves = f"{units.number(low)} to {units.number(high)} times"
        lines.append(f"Decides    {name}: {ends} moves the prediction {moves}")
    meet = needed_guesses(result, prediction)
    for name, value in meet.items():
        given = prediction.inputs[name]
        is_inside = (given.low or 0) <= value <= (given.high or 0)
        outside = "" if is_inside else f", outside {_range(given)}"
        lines.append(f'Would meet {name}="{_amount(value, given)}" alone{outside}')
    if result.has_samples and not meet:
        lines.append("Would meet no guess alone")
    return lines


def _range(given: Input) -> str:
    return _amount([given.low or 0.0, given.high or 0.0], given)


def _to_json(result: Result, prediction: Prediction, values: dict[str, float]) -> dict:
    """The same as one object; numbers in the quantity's unit, of inputs in theirs."""

    def in_unit(value):
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return None
        converted = units.from_base(np.asarray(value, float), prediction.unit)
        return converted.tolist()

    def of_input(name: str, value: float) -> float:
        return float(units.from_base(value, prediction.inputs[name].unit))

    low, high = prediction.interval()
    inputs = {
        name: {
            "value": np.asarray(units.from_base(np.asarray(given.value), given.unit)).tolist(),
            "unit": given.unit,
            "origin": given.origin,
            "changed": name in values,
        }
        for name, given in prediction.inputs.items()
    }
    now = ratio(result, prediction)
    return {
        "quantity": result.quantity,
        "unit": prediction.unit,
        "inputs": inputs,
        "predicted": in_unit(prediction.predicted),
        "low": in_unit(low),
        "high": in_unit(high),
        "measured": in_unit(result.medians if result.is_curve else result.median)
        if result.has_samples
        else None,
        "ratio": None if math.isnan(now) else now,
        "sealed": in_unit(result.seal.predicted),
        "sealed_ratio": None if math.isnan(result.ratio) else result.ratio,
        "sensitivity": what_if.sensitivity(prediction),
        "needed": {
            name: of_input(name, value)
            for name, value in needed_guesses(result, prediction).items()
        },
    }
