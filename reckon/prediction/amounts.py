"""Amounts of inputs as a person writes them: kernel_path="550 cycle"."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.errors import ReckonError
from reckon.messages import did_you_mean
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import IMPOSSIBLE, PARTS, Prediction
from reckon.prediction.inputs import Input

FORMULA = "formula"  # stands for the formula where inputs are named


def changed_input(prediction: Prediction, text: str) -> tuple[str, float]:
    """The name and value, in base units, of `name=value`. Raises PredictionError."""
    name, has_value, stated = (part.strip() for part in text.partition("="))
    if not has_value or not name:
        raise PredictionError(
            f"{text!r} is not input=value; write for example {_example(prediction)}, without "
            "spaces around the =."
        )
    entry = prediction.inputs.get(name)
    if entry is None:
        names = list(prediction.inputs)
        of_formula = [FORMULA, *PARTS[prediction.formula.kind]]
        hint = did_you_mean(name, [*names, *of_formula], f"it has {', '.join(names)}.")
        raise PredictionError(f"{prediction.quantity} has no input {name}: {hint}")
    if entry.origin == "axis":
        raise PredictionError(f"{name} is the axis of the curve: it has all of its values already.")
    try:
        return name, _value(entry, stated)
    except ReckonError as error:
        raise PredictionError(f"{prediction.quantity}: {name}: {error}") from None


def _value(entry: Input, text: str) -> float:
    """The value of an amount such as "550 cycle", in base units; without a unit, in the input's."""
    value = units.amount_in_base(text, entry.unit, example(entry))
    if value < 0 and np.all(np.asarray(entry.value) >= 0):
        raise PredictionError(IMPOSSIBLE["input"])
    return value


def example(entry: Input) -> str:
    """The input's value as a sentence shows how one is written."""
    return units.with_unit(_number(np.ravel(entry.value)[0], entry), entry.unit)


def _example(prediction: Prediction) -> str:
    """How an input is given on the command line."""
    inputs = prediction.inputs
    name = next(name for name, entry in inputs.items() if entry.origin != "axis")
    return f'{name}="{amount(inputs[name].value, inputs[name])}"'


_PLURALS = {"cycle": "cycles", "byte": "bytes"}


def amount(value: float | list[float], entry: Input) -> str:
    """A value of an input with its unit, or the ends of an axis, as it may be typed again."""
    ends = [value[0], value[-1]] if isinstance(value, list) else [value]
    text = " to ".join(_number(end, entry) for end in ends)
    unit = entry.unit if text == "1" or entry.unit not in _PLURALS else _PLURALS[entry.unit]
    return f"{text} {unit}".removesuffix(" 1")


def _number(value: float, entry: Input) -> str:
    """A value in the input's unit without spaces, as JavaScript's: a whole number in full, unless
    it is too long, another in 4 digits."""
    shown = units.from_base(value, entry.unit)
    if units.is_whole(shown) and abs(shown) < 1e21:
        return f"{round(shown)}"
    return f"{float(f'{shown:.4g}'):.15g}"
