"""Predictions: inputs with their origin, a plain function traced once, values and intervals."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import expr, records, units
from .expr import PredictionError
from .results import result
from .session import session
from .settings import ReckonError

# More inputs with intervals than this are sampled instead of put on a full grid (3**8 points).
_GRID_MOST = 8

AT_END = ", at its last place"  # of an input's source


@dataclass(frozen=True)
class Input:
    """One input; values in base units. Make it with given(), machine(), measured(), guess() or
    axis()."""

    origin: str
    value: float | list[float]
    unit: str
    source: str
    low: float | None = None
    high: float | None = None
    cite: str | None = None
    reference: str | None = None
    instead_of: str | None = None

    def __post_init__(self):
        if self.low is None and self.high is None:
            return
        if self.low is None or self.high is None or not self.low <= self.value <= self.high:
            raise PredictionError(
                f"The interval of an input ({self.source}) needs low <= value <= high."
            )


def _base(value, unit: str):
    return None if value is None else float(units.to_base(value, unit))


def given(value: float, unit: str, source: str, *, cite=None, low=None, high=None) -> Input:
    """A value that a source states: a data sheet, a manual, a standard. `cite` is a key of
    book/references.bib; low and high, in the same unit, bound it where the source leaves room."""
    return Input("given", _base(value, unit), unit, source, _base(low, unit), _base(high, unit), cite)


def guess(value: float, unit: str, why: str, *, low: float, high: float, cite=None) -> Input:
    """A labelled guess; its interval, which the truth should hit 19 times of 20, is scored."""
    return Input("guess", _base(value, unit), unit, why, _base(low, unit), _base(high, unit), cite)


def axis(values, unit: str, what: str) -> Input:
    """The variable of a curve: the sizes, strides or counts that are measured."""
    return Input("axis", [float(units.to_base(v, unit)) for v in values], unit, what)


def octaves(least: float, most: float, per_octave: int, unit: str, what: str) -> Input:
    """An axis of amounts of data, so many to each doubling, from `least` (in `unit`) to the last that
    does not exceed `most`, rounded to whole multiples of 64 bytes. Raises PredictionError for an empty
    range."""
    if not 0 < least <= most:
        raise PredictionError(f"{what}: from {least} to {most} {unit} there is nothing.")
    steps = int(np.floor(per_octave * np.log2(most / least) + 1e-9))
    lines = units.to_base(least, unit) / 64 * 2 ** (np.arange(steps + 1) / per_octave)
    return axis(units.from_base(64 * np.unique(np.maximum(1, np.round(lines))), unit).tolist(), unit, what)


def machine(field_name: str, otherwise: Input) -> Input:
    """A value of the machine description, such as "processor.base_clock", told in the unit of
    `otherwise`: the guess that stands in, and says so, where it is not reported."""
    section, key = field_name.split(".")
    entry = session().run.machine.get(section, {}).get(key)
    if entry is None:
        raise PredictionError(f"The machine description has no field {field_name}.")
    if entry["value"] is None:
        return _instead(otherwise, f"{field_name} is not reported", field_name)
    return Input("machine", float(entry["value"]), otherwise.unit, entry["source"],
                 reference=field_name)  # fmt: skip


def measured(quantity: str, otherwise: Input, at_end: bool = False) -> Input:
    """The median of an earlier measurement, with its interval, told in the unit of `otherwise`:
    the guess that stands in, and says so, where it could not run or has not run yet. Of a curve that at
    its first place, or at its last (`at_end`), if it came so far."""
    unit = otherwise.unit
    found = result(session().run.name, quantity)
    if found is None or found.summary is None:
        known = found is not None and found.reason
        why = f"could not be measured ({found.reason})" if known else "has not been measured yet"
        return _instead(otherwise, f"{quantity} {why}", quantity)
    if units.dimension(found.unit) != units.dimension(unit):
        raise PredictionError(
            f"{quantity} is measured in {found.unit}, which is "
            f"{units.kind(units.dimension(found.unit))}; it cannot be an input in {unit}."
        )
    if at_end and not found.is_curve:
        raise PredictionError(f"{quantity} is no curve, so it has no last place.")
    one = found.at_end if at_end else found.summary
    if one is None:
        return _instead(otherwise, f"{quantity} did not come to its last place", quantity)
    known = np.isfinite(one.low) and np.isfinite(one.high)
    return Input("measured", one.median, unit, f"measured in this run{AT_END if at_end else ''}",
                 one.low if known else None, one.high if known else None,
                 reference=quantity)  # fmt: skip


def _instead(otherwise: Input, why: str, reference: str) -> Input:
    if otherwise.origin != "guess":
        raise PredictionError(f"What stands in for {reference} must be a guess.")
    return Input("guess", otherwise.value, otherwise.unit, otherwise.source, otherwise.low,
                 otherwise.high, otherwise.cite, reference, why)  # fmt: skip


@dataclass
class Formula:
    """A traced prediction function, before its inputs have values."""

    quantity: str
    unit: str
    kind: str
    name: str
    names: list[str]
    hardware: expr.Node | None
    software: expr.Node | None
    predicted: expr.Node

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
                + (f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(surplus)}")
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
            found = expr.dimension(self.predicted, dimensions)
            parts = [expr.dimension(p, dimensions) for p in (self.hardware,)
                     if p is not None and not expr.is_zero(p)]  # fmt: skip
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
    derived. kind "plain": it returns one value (a clock, a capacity, a ratio). The function is traced once; see expr.trace for what it may
    contain. Raises PredictionError.
    """
    units.parse(unit)
    if kind not in ("sum", "mean", "rate", "plain"):
        raise PredictionError(f"A prediction is of kind sum, mean, rate or plain, not {kind!r}.")

    def decorate(function) -> Formula:
        names, nodes = expr.trace(function)
        expected = 1 if kind == "plain" else 2
        if len(nodes) != expected:
            raise PredictionError(
                f"{function.__name__} returns {len(nodes)} value(s); kind {kind!r} needs "
                + {"sum": "(hardware, software)", "mean": "(hardware, software)", "rate": "(hardware, predicted)",
                   "plain": "one"}[kind] + "."
            )  # fmt: skip
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

    def value(self, node: expr.Node | None):
        """A part's value in base units: a float, or an array along the axis."""
        if node is None:
            return None
        values = {name: np.asarray(one.value, float) for name, one in self.inputs.items()}
        found = expr.evaluate(node, values)
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
        levels = np.array([[self.inputs[n].low, self.inputs[n].value, self.inputs[n].high]
                           for n in loose])  # fmt: skip
        if len(loose) <= _GRID_MOST:
            picks = np.stack(np.meshgrid(*[range(3)] * len(loose), indexing="ij"), -1)
            picks = picks.reshape(-1, len(loose))
        else:
            picks = np.random.default_rng(0).integers(0, 3, (3**_GRID_MOST, len(loose)))
        values = {name: np.asarray(one.value, float) for name, one in self.inputs.items()}
        for column, name in enumerate(loose):
            values[name] = levels[column][picks[:, column]][:, None]  # along rows; axis in columns
        found = np.atleast_2d(expr.evaluate(self.formula.predicted, values))
        low, high = found.min(axis=0), found.max(axis=0)
        if not self.curve_axis:
            return float(low[0]), float(high[0])
        size = len(self.curve_axis[1].value)
        return np.broadcast_to(low, (size,)), np.broadcast_to(high, (size,))

    def to_record(self) -> records.Prediction:
        f = self.formula
        plain = lambda v: v if v is None else np.asarray(v, float).tolist()  # noqa: E731
        tree = lambda n: None if n is None else expr.to_json(n)  # noqa: E731
        low, high = self.interval()
        predicted = plain(self.predicted)
        if not np.all(np.isfinite(predicted)):
            raise PredictionError(f"{f.name}: the formula gives {predicted} for these inputs.")
        trees = [tree(f.hardware), tree(f.software), tree(f.predicted)]
        return records.Prediction(
            made_at=records.now(),
            unit=f.unit,
            kind=f.kind,
            hardware_tree=trees[0],
            software_tree=trees[1],
            predicted_tree=trees[2],
            formula_id=expr.identity(trees, f.unit),
            inputs=[
                records.Input(
                    name=name, origin=one.origin, value=one.value, low=one.low, high=one.high,
                    unit=one.unit, source=one.source, cite=one.cite, reference=one.reference,
                    instead_of=one.instead_of,
                )
                for name, one in self.inputs.items()
            ],
            hardware=plain(self.value(f.hardware)),
            software=plain(self.value(f.software)),
            predicted=predicted,
            low=plain(low),
            high=plain(high),
        )  # fmt: skip


def current(quantity: str) -> Prediction:
    """The prediction this notebook made. Raises ReckonError where there is none."""
    if quantity not in _current:
        raise ReckonError(
            f"{quantity} has no prediction; predict it with @rk.predict before it is measured."
        )
    return _current[quantity]
