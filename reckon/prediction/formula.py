"""Predictions: a plain function of inputs, traced once; its values and intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from reckon import units
from reckon.messages import join_words
from reckon.prediction import expression
from reckon.prediction.dimensions import dimension
from reckon.prediction.expression import PredictionError
from reckon.prediction.inputs import Input
from reckon.prediction.tracing import refuse_swapped, trace

# Up to this many uncertain inputs, an interval is taken over all combinations (3**8 of them).
MAX_GRID_INPUTS = 8
# Then each end is searched one input at a time, at most this many times over all inputs: a formula
# that is monotonic in each input needs two.
MAX_SEARCH_ROUNDS = 8
# An input tries this number of steps to either side: first over its whole range, then over a step,
# and so on, this number of times.
SEARCH_STEPS = 8
SEARCH_ZOOMS = 3
_STEPS = np.arange(-SEARCH_STEPS, SEARCH_STEPS + 1)[:, None] / SEARCH_STEPS

# What is said of a value that no quantity has; the what-if panels have these words as data.
IMPOSSIBLE = {
    "sentence": "{name} gives {value}{zeros}; {why}: change the formula or its inputs.",
    "zeros": ", with {names} = 0",
    "negative": "no amount is negative",
    "infinite": "a prediction is a finite number",
    "interval": "Within the intervals of its inputs it falls below 0, and no amount is negative.",
    "input": "This input is below 0, and no amount is negative.",
}

Kind = Literal["sum", "mean", "rate", "plain"]


@dataclass(frozen=True, repr=False, eq=False)
class Formula:
    """A traced prediction function, before its inputs have values."""

    quantity: str
    unit: str
    kind: Kind
    function_name: str  # in error messages
    input_names: list[str]
    hardware: expression.Node | None
    software: expression.Node | None
    predicted: expression.Node
    # Gives a prediction the inputs that a run's record has.
    in_run: Callable[[Prediction], Prediction] | None = None
    # The sentence on an input of another dimension than in the run's record of a quantity.
    unit_fault: Callable[[str, dict[str, Input]], str | None] | None = None

    def __repr__(self) -> str:
        return f"The formula {self.function_name}"

    def __call__(self, *unnamed, **inputs: Input) -> Prediction:
        if unnamed:
            raise PredictionError(
                f"The inputs of {self.function_name} are given by name: {self.call}."
            )
        return self.of(self.quantity, **inputs)

    @property
    def call(self) -> str:
        """How its prediction is made."""
        return f"{self.function_name}({', '.join(f'{name}=...' for name in self.input_names)})"

    def of(self, quantity: str, **inputs: Input) -> Prediction:
        """The prediction of another quantity by the same formula.

        Raises PredictionError for missing, unknown or plain-number inputs and for wrong dimensions.
        """
        missing = [name for name in self.input_names if name not in inputs]
        unknown = [name for name in inputs if name not in self.input_names]
        problems = (("missing", missing), ("unknown", unknown))
        faults = [f"{problem}: {', '.join(names)}" for problem, names in problems if names]
        if faults:
            raise PredictionError(
                f"{self.function_name} takes {', '.join(self.input_names)}; {'; '.join(faults)}."
            )
        for name, value in inputs.items():
            if not isinstance(value, Input):
                raise PredictionError(
                    f"{self.function_name}: {name} must say where it comes from; "
                    f"write rk.given({value!r}, unit, source), rk.guess, rk.machine, rk.measured "
                    "or rk.axis."
                )
        try:
            self.check_dimensions(inputs)
        except PredictionError:
            fault = self.unit_fault(quantity, inputs) if self.unit_fault else None
            if fault is None:
                raise
            raise PredictionError(fault) from None
        prediction = Prediction(quantity, self, inputs)
        prediction.check_value()
        return self.in_run(prediction) if self.in_run else prediction

    def check_dimensions(self, inputs: dict[str, Input]) -> None:
        """Raises PredictionError where the formula's dimension is not that of its unit."""
        dimensions = {name: units.dimension(value.unit) for name, value in inputs.items()}
        dimension_of_unit = units.dimension(self.unit)
        nodes = [self.predicted]
        if self.hardware is not None and not expression.is_zero(self.hardware):
            nodes.append(self.hardware)
        try:
            results = [dimension(node, dimensions) for node in nodes]
        except PredictionError as error:
            raise PredictionError(f"{self.function_name}: {error}") from None
        for result in results:
            if result != dimension_of_unit:
                raise PredictionError(
                    f"{self.function_name}: the formula gives {units.dimension_name(result)}, "
                    f"but {self.unit} is {units.dimension_name(dimension_of_unit)}."
                )


# What a prediction function returns, and a page prints, by the kind of its prediction.
PARTS = {
    "sum": ("hardware", "software"),
    "mean": ("hardware", "software"),
    "rate": ("hardware", "predicted"),
    "plain": ("predicted",),
}


def predict(quantity: str = "", *, unit: str, kind: Kind = "sum"):
    """A decorator that turns a plain function of named inputs into a formula for `quantity`.

    - kind "sum": the function returns (hardware, software), whose sum is predicted;
    - kind "mean": likewise, for a mixture of short and long operations: the mean over all
      operations of a process is predicted, and so measured;
    - kind "rate": it returns (hardware, predicted); the software's share is derived;
    - kind "plain": it returns one value (a clock, a capacity, a ratio).

    The function is traced once; tracing.py says what it may contain. Raises PredictionError.
    """
    units.parse(unit)
    if kind not in PARTS:
        raise PredictionError(f"A prediction is of kind sum, mean, rate or plain, not {kind!r}.")
    parts_of_kind = PARTS[kind]

    def decorate(function) -> Formula:
        names, nodes = trace(function)
        refuse_swapped(function, parts_of_kind)
        if len(nodes) != len(parts_of_kind):
            count = f"{len(nodes)} value{'s' if len(nodes) > 1 else ''}"
            raise PredictionError(
                f"{function.__name__} returns {count}, not {len(parts_of_kind)}; "
                f"end it with return {', '.join(parts_of_kind)}."
            )
        parts = dict(zip(parts_of_kind, nodes, strict=True))
        if "predicted" not in parts:
            parts["predicted"] = parts["hardware"] + parts["software"]
        return Formula(
            quantity=quantity,
            unit=unit,
            kind=kind,
            function_name=function.__name__,
            input_names=names,
            hardware=parts.get("hardware"),
            software=parts.get("software"),
            predicted=parts["predicted"],
        )

    return decorate


def refuse_other(value: object, taker: str) -> None:
    """Raises PredictionError, with what to write, for a value that is no prediction.

    taker: what takes predictions."""
    if isinstance(value, Formula):
        raise PredictionError(f"{value!r} is no prediction; write {taker}({value.call}).")
    if not isinstance(value, Prediction):
        raise PredictionError(
            f"{value!r} is no prediction; {taker} takes what the function under @rk.predict "
            "returns."
        )


# Hashed by identity: settings of a measurement are keyed by it.
@dataclass(frozen=True, repr=False, eq=False)
class Prediction:
    """A formula with its inputs: the value is known, nothing is measured yet."""

    quantity: str
    formula: Formula
    inputs: dict[str, Input] = field(default_factory=dict)
    later: Prediction | None = None  # of a sealed one: with what its inputs are in the run now

    def __repr__(self) -> str:
        values = [
            "a curve" if each.curve_axis else units.amount(float(each.predicted), self.unit)
            for each in (self, self.later or self)
        ]
        later = f"; with the later values of its inputs {values[1]}"
        return f"{self.quantity} predicted: {values[0]}{later if values[1] != values[0] else ''}"

    @property
    def name(self) -> str:
        """The quantity's name within its experiment."""
        return self.quantity.rsplit("/", 1)[-1]

    @property
    def unit(self) -> str:
        """The unit in which the value is printed; the value itself is in base units."""
        return self.formula.unit

    @property
    def curve_axis(self) -> tuple[str, Input] | None:
        """The name and values of the variable of a curve; None for a single value."""
        axes = [(name, value) for name, value in self.inputs.items() if value.origin == "axis"]
        if len(axes) > 1:
            raise PredictionError(f"{self.quantity}: a curve has one axis, not {len(axes)}.")
        return axes[0] if axes else None

    def _along_axis(self, values):
        """The values repeated to the length of the curve; of a single value, as they are."""
        if not self.curve_axis:
            return values
        return np.broadcast_to(values, np.shape(self.curve_axis[1].value))

    def _input_values(self) -> dict[str, np.ndarray]:
        return {name: np.asarray(input_.value, float) for name, input_ in self.inputs.items()}

    def value(self, node: expression.Node | None):
        """A part's value in base units: a float, or an array along the axis."""
        if node is None:
            return None
        return self._along_axis(expression.evaluate(node, self._input_values()))

    @property
    def predicted(self):
        """The predicted value in base units: a float, or an array along the axis."""
        return self.value(self.formula.predicted)

    def predicted_with(self, name: str, value: float):
        """The same with another value of one input, which is not the axis."""
        values = {**self._input_values(), name: np.float64(value)}
        return self._along_axis(expression.evaluate(self.formula.predicted, values))

    def check_value(self) -> None:
        """Raises PredictionError for an infinite value, and for a time or rate below 0."""
        predicted = np.atleast_1d(self.predicted)
        is_amount = units.dimension(self.unit) != units.dimension("1")
        wrong = predicted[~np.isfinite(predicted) | (is_amount & (predicted < 0))]
        if not len(wrong):
            return
        zeros = [name for name, input_ in self.inputs.items() if input_.value == 0]
        raise PredictionError(
            IMPOSSIBLE["sentence"].format(
                name=self.formula.function_name,
                value=units.amount(float(wrong[0]), self.unit),
                zeros=IMPOSSIBLE["zeros"].format(names=join_words(zeros)) if zeros else "",
                why=IMPOSSIBLE["negative" if wrong[0] < 0 else "infinite"],
            )
        )

    def interval(self) -> tuple:
        """(low, high) of the predicted value in base units; (None, None) without uncertain inputs.

        The range of the formula over the inputs' intervals. All combinations of the low, given and
        high values give where each end is begun, or the given values where these are too many;
        from there one input at a time moves to the best of ever closer values. So a hump or a step
        inside of an interval is found, unless it is narrower than a sixteenth of it.
        book/static/formulas.js follows the same rule.
        """
        levels = {
            name: (input_.low, input_.value, input_.high)
            for name, input_ in self.inputs.items()
            if input_.low is not None
        }
        if not levels:
            return None, None
        low, high = -self._greatest_of(levels, -1.0), self._greatest_of(levels, 1.0)
        if not self.curve_axis:
            return float(low), float(high)
        return self._along_axis(low), self._along_axis(high)

    def _greatest_of(self, levels: dict[str, tuple], sign: float) -> np.ndarray:
        """The greatest of sign times the value over these inputs' intervals, by position (n,)."""
        values = {name: np.atleast_1d(value) for name, value in self._input_values().items()}
        if len(levels) <= MAX_GRID_INPUTS:
            values |= self._greatest_of_grid(values, levels, sign)
        best = sign * self._values_at(values)
        for _ in range(MAX_SEARCH_ROUNDS):
            before = best
            for name, (low, _, high) in levels.items():
                reach = high - low
                for _ in range(SEARCH_ZOOMS):
                    tried = np.clip(values[name] + _STEPS * reach, low, high)
                    level, found = _greatest(tried, sign * self._values_at(values | {name: tried}))
                    improves = found > best
                    values[name] = np.where(improves, level, values[name])
                    best = np.where(improves, found, best)
                    reach /= SEARCH_STEPS
            if np.array_equal(best, before, equal_nan=True):
                break
        return best if self.curve_axis else best[0]

    def _greatest_of_grid(self, values: dict, levels: dict[str, tuple], sign: float) -> dict:
        """The combination of levels that gives it, by input, at each position (n,)."""
        choices = np.indices((3,) * len(levels)).reshape(len(levels), -1)
        tried = {
            name: np.array(levels_of_input, dtype=float)[chosen][:, None]
            for chosen, (name, levels_of_input) in zip(choices, levels.items(), strict=True)
        }
        results = np.atleast_2d(sign * self._values_at(values | tried))
        at = results.argmax(axis=0)  # a nan, if there is one
        return {name: column[at, 0] for name, column in tried.items()}

    def _values_at(self, values: dict) -> np.ndarray:
        """The predicted values of these inputs' values, whose last dimension is the axis."""
        return np.atleast_1d(expression.evaluate(self.formula.predicted, values))


def _greatest(tried: np.ndarray, results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What was tried (k, n or 1) with the greatest result (k, n or 1), and that; by position."""
    results = np.broadcast_to(results, np.broadcast_shapes(tried.shape, results.shape))
    tried = np.broadcast_to(tried, results.shape)
    known = np.where(np.isnan(results), -np.inf, results)
    at, positions = known.argmax(axis=0), np.arange(results.shape[1])
    return tried[at, positions], known[at, positions]
