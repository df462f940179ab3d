"""What a prediction would be with other inputs or another formula: changes as texts, sensitivity,
needed values.

book/static/formulas.js computes the same on a page.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Iterator

import numpy as np

from reckon.prediction.amounts import FORMULA, changed_input
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import PARTS, Formula, Prediction
from reckon.prediction.grammar import fault, parse_parts
from reckon.prediction.inputs import Input
from reckon.prediction.printing import text
from reckon.prediction.ratios import median_ratio

# A needed value is looked for in intervals on both sides of the given value, each wider by this
# factor than the one before: 40 of them reach 7500 times as far.
NEEDED_STEP = 1.25
NEEDED_STEPS = 40
NEEDED_HALVINGS = 60  # more than the bits of a double
NEEDED_ERROR = 1e-6  # a change of sign that comes no nearer is a jump or a pole


def with_values(prediction: Prediction, values: dict[str, float]) -> Prediction:
    """The prediction with these values, in base units; an interval grows to hold its value."""
    inputs = dict(prediction.inputs)
    for name, value in values.items():
        inputs[name] = _with_value(inputs[name], value)
    return dataclasses.replace(prediction, inputs=inputs)


def _with_value(input_: Input, value: float) -> Input:
    if input_.low is None or input_.high is None:
        return dataclasses.replace(input_, value=value)
    low, high = min(input_.low, value), max(input_.high, value)
    return dataclasses.replace(input_, value=value, low=low, high=high)


def sensitivity(prediction: Prediction) -> dict[str, tuple[float, float]]:
    """The prediction at the low and high end of each uncertain input, as multiples of what it is.

    Of a curve the geometric mean over its points. The input that moves most comes first.
    """
    moves = {}
    for name, input_ in prediction.inputs.items():
        if input_.low is not None and input_.high is not None:
            low, high = (_multiple(prediction, name, end) for end in (input_.low, input_.high))
            moves[name] = (low, high)
    return dict(sorted(moves.items(), key=lambda move: -_spread(*move[1])))


def _multiple(prediction: Prediction, name: str, value: float) -> float:
    with np.errstate(all="ignore"):
        predicted = np.atleast_1d(prediction.predicted)
        multiples = np.atleast_1d(prediction.predicted_with(name, value)) / predicted
        if len(multiples) == 1:
            return float(multiples[0])
        return float(np.exp(np.mean(np.log(multiples))))


def _spread(low: float, high: float) -> float:
    """How far apart two multiples are, on a logarithmic scale."""
    if low > 0 and high > 0:
        return abs(math.log(high / low))
    return 0.0 if low == high else math.inf


def needed_value(
    prediction: Prediction, name: str, measured: np.ndarray, indices: list[int]
) -> float | None:
    """The value of one input with which the prediction would meet the measurement; else None.

    Of several, the nearest to the given one. Of a curve, the median of measured over predicted is
    1; `indices` are those of the measured points of its axis ([0] of a single value).
    """

    @functools.cache  # neighbouring intervals share an end
    def excess(value: float) -> float:
        predicted = np.atleast_1d(prediction.predicted_with(name, value))
        return median_ratio(measured, predicted[indices]) - 1

    for start, end in _brackets(prediction.inputs[name]):
        value = _root(excess, start, end)
        if value is not None:
            return value
    return None


def _brackets(input_: Input) -> Iterator[tuple[float, float]]:
    """Intervals of values on both sides of the given one, the nearest first."""
    above = below = float(input_.value)  # type: ignore[arg-type]
    if above == 0:
        above = input_.high or 0.0
        yield 0.0, above
    for _ in range(NEEDED_STEPS):
        yield above, above * NEEDED_STEP
        above *= NEEDED_STEP
        if below:
            yield below, below / NEEDED_STEP
            below /= NEEDED_STEP


def _root(function, start: float, end: float) -> float | None:
    """Where the function changes its sign between the two; None if it does not reach 0 there."""
    at_start = function(start)
    if not at_start * function(end) <= 0:  # also if one is nan
        return None
    for _ in range(NEEDED_HALVINGS):
        middle = (start + end) / 2
        if middle in (start, end):  # no number lies between them
            break
        if at_start * function(middle) > 0:
            start = middle
        else:
            end = middle
    return end if abs(function(end)) < NEEDED_ERROR else None


# --- changes as texts ----------------------------------------------------------------------------


def changed(prediction: Prediction, changes: Iterable[str]) -> Prediction:
    """The prediction with changes such as "kernel_path=550 cycle" or "formula=mode_switch / clock".

    Raises PredictionError, also for dimensions that do not fit and a value that no quantity has.
    """
    formula = prediction.formula
    values: dict[str, float] = {}
    for change in changes:
        name, has_text, stated = change.partition("=")
        name = name.strip()
        if has_text and name in _text_names(formula) and name not in prediction.inputs:
            try:
                formula = _with_text(formula, name, stated)
            except PredictionError as error:
                raise PredictionError(f"{prediction.quantity}: {name}: {error}") from None
            formula.check_dimensions(prediction.inputs)
        else:
            name, value = changed_input(prediction, change)
            if name in values:
                raise PredictionError(f"{name} is given twice; leave one out.")
            values[name] = value
    new = dataclasses.replace(with_values(prediction, values), formula=formula)
    new.check_value()
    return new


def changed_inputs(before: Prediction, after: Prediction) -> list[str]:
    """The names of the inputs whose value is another."""
    return [name for name in after.inputs if after.inputs[name] != before.inputs[name]]


def formula_text(formula: Formula) -> str:
    """What a prediction function of this formula returns, as it may be stated again."""
    return ", ".join(text(getattr(formula, part)) for part in PARTS[formula.kind])


def _text_names(formula: Formula) -> list[str]:
    """What may be stated as arithmetic: the whole formula, or its hardware's or software's part."""
    return [FORMULA, *(part for part in PARTS[formula.kind] if part != "predicted")]


def _with_text(formula: Formula, name: str, stated: str) -> Formula:
    """The formula with one of _text_names() by a text. Of a rate the whole may be the predicted
    value alone."""
    parts = PARTS[formula.kind]
    nodes = parse_parts(stated, formula.input_names)
    names = parts if name == FORMULA else (name,)
    if len(nodes) == 1 and names[-1] == "predicted":
        names = ("predicted",)
    if len(nodes) != len(names):
        count = f"{len(nodes)} part{'s' if len(nodes) > 1 else ''}"
        wanted = ", ".join(names) if name == FORMULA else "one"
        raise fault("parts", text=stated.strip(), count=count, needed=len(names), wanted=wanted)
    trees = {part: getattr(formula, part) for part in parts} | dict(zip(names, nodes, strict=True))
    if "predicted" not in parts:
        trees["predicted"] = trees["hardware"] + trees["software"]
    return dataclasses.replace(formula, **trees)
