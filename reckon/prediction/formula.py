"""Predictions: a plain function of inputs, traced once; its values and intervals."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reckon import units
from reckon.config import ReckonError
from reckon.prediction import expression
from reckon.prediction.expression import PredictionError
from reckon.prediction.inputs import Input

# More inputs with intervals than this are sampled instead of put on a full grid (3**8 points).
_GRID_MOST = 8


@dataclass
class Formula:
    """A traced prediction function, before its inputs have values."""

    quantity: str
    unit: str
    kind: str
    name: str
    names: list[str]
    hardware: expression.Node | None
    software: expression.Node | None
    predicted: expression.Node

    def __call__(self, **inputs: Input) -> Prediction:
        return self.of(self.quantity, **inputs)

    def of(self, quantity: str, **inputs: Input) -> Prediction:
        """The same reasoning for another quantity."""
        _current[quantity] = made = self.put_in(quantity, inputs)
        return made

    def put_in(self, quantity: str, inputs: dict[str, Input]) -> Prediction:
        """The prediction with these inputs, which nobody means to measure here."""
        missing = [name for name in self.names if name not in inputs]
        surplus = [name for name in inputs if name not in self.names]
        if missing or surplus:
            raise PredictionError(
                f"{self.name} takes {', '.join(self.names)}; "
                + (
                    f"missing: {', '.join(missing)}"
                    if missing
                    else f"unknown: {', '.join(surplus)}"
                )
                + "."
            )
        for name, value in inputs.items():
            if not isinstance(value, Input):
                raise PredictionError(
                    f"{self.name}: {name} must say where it comes from; write rk.given({value!r}, "
                    "unit, source), rk.guess, rk.machine, rk.measured or rk.axis."
                )
        self._check_dimensions(inputs)
        return Prediction(quantity, self, inputs)

    def _check_dimensions(self, inputs: dict[str, Input]) -> None:
        dimensions = {name: units.dimension(one.unit) for name, one in inputs.items()}
        wanted = units.dimension(self.unit)
        try:
            found = expression.dimension(self.predicted, dimensions)
            parts = [
                expression.dimension(p, dimensions)
                for p in (self.hardware,)
                if p is not None and not expression.is_zero(p)
            ]
        except PredictionError as error:
            raise PredictionError(f"{self.name}: {error}") from None
        for one in [found, *parts]:
            if one != wanted:
                raise PredictionError(
                    f"{self.name}: the formula gives {units.kind(one)}, but {self.unit} is "
                    f"{units.kind(wanted)}."
                )


# The predictions this notebook has made, by quantity; measure() looks here.
_current: dict[str, Prediction] = {}


def predict(quantity: str = "", *, unit: str, kind: str = "sum"):
    """Turn a plain function of named inputs into a prediction of `quantity` in `unit`.

    kind "sum": the function returns (hardware, software), which add up. kind "mean": likewise, of a
    mixture of short and long operations: what is predicted, and so what is measured, is the mean over
    all of a process. kind "rate": it returns (hardware, predicted), and the software's share is
    derived. kind "plain": it returns one value (a clock, a capacity, a ratio). The function is traced once; see expression.trace for what it may
    contain. Raises PredictionError.
    """
    units.parse(unit)
    if kind not in ("sum", "mean", "rate", "plain"):
        raise PredictionError(f"A prediction is of kind sum, mean, rate or plain, not {kind!r}.")

    def decorate(function) -> Formula:
        names, nodes = expression.trace(function)
        expected = 1 if kind == "plain" else 2
        if len(nodes) != expected:
            raise PredictionError(
                f"{function.__name__} returns {len(nodes)} value(s); kind {kind!r} needs "
                + {
                    "sum": "(hardware, software)",
                    "mean": "(hardware, software)",
                    "rate": "(hardware, predicted)",
                    "plain": "one",
                }[kind]
                + "."
            )
        if kind in ("sum", "mean"):
            hardware, software, whole = *nodes, nodes[0] + nodes[1]
        elif kind == "rate":
            hardware, software, whole = nodes[0], None, nodes[1]
        else:
            hardware, software, whole = None, None, nodes[0]
        return Formula(quantity, unit, kind, function.__name__, names, hardware, software, whole)

    return decorate


@dataclass(repr=False)
class Prediction:
    """A formula with its inputs: the value is known, nothing is measured yet."""

    quantity: str
    formula: Formula
    inputs: dict[str, Input] = field(default_factory=dict)

    def __repr__(self) -> str:
        value = "a curve" if self.curve_axis else units.amount(float(self.predicted), self.unit)
        return f"{self.quantity} predicted: {value}"

    @property
    def unit(self) -> str:
        return self.formula.unit

    @property
    def curve_axis(self) -> tuple[str, Input] | None:
        axes = [(name, one) for name, one in self.inputs.items() if one.origin == "axis"]
        if len(axes) > 1:
            raise PredictionError(f"{self.quantity}: a curve has one axis, not {len(axes)}.")
        return axes[0] if axes else None

    def value(self, node: expression.Node | None):
        """A part's value in base units: a float, or an array along the axis."""
        if node is None:
            return None
        values = {name: np.asarray(one.value, float) for name, one in self.inputs.items()}
        found = expression.evaluate(node, values)
        if self.curve_axis:
            found = np.broadcast_to(found, (len(self.curve_axis[1].value),))
        return found

    @property
    def predicted(self):
        return self.value(self.formula.predicted)

    def interval(self) -> tuple:
        """(low, high) of the predicted value: every input with an interval takes its low, given
        and high value, all combinations; (None, None) where no input has one."""
        loose = [name for name, one in self.inputs.items() if one.low is not None]
        if not loose:
            return None, None
        levels = np.array(
            [[self.inputs[n].low, self.inputs[n].value, self.inputs[n].high] for n in loose]
        )
        if len(loose) <= _GRID_MOST:
            picks = np.stack(np.meshgrid(*[range(3)] * len(loose), indexing="ij"), -1)
            picks = picks.reshape(-1, len(loose))
        else:
            picks = np.random.default_rng(0).integers(0, 3, (3**_GRID_MOST, len(loose)))
        values = {name: np.asarray(one.value, float) for name, one in self.inputs.items()}
        for column, name in enumerate(loose):
            values[name] = levels[column][picks[:, column]][:, None]  # along rows; axis in columns
        found = np.atleast_2d(expression.evaluate(self.formula.predicted, values))
        low, high = found.min(axis=0), found.max(axis=0)
        if not self.curve_axis:
            return float(low[0]), float(high[0])
        size = len(self.curve_axis[1].value)
        return np.broadcast_to(low, (size,)), np.broadcast_to(high, (size,))


def current(quantity: str) -> Prediction:
    """The prediction this notebook made. Raises ReckonError where there is none."""
    if quantity not in _current:
        raise ReckonError(
            f"{quantity} has no prediction; predict it with @rk.predict before it is measured."
        )
    return _current[quantity]
