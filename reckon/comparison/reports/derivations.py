"""The predictions that the reports derive, computed again from the inputs that they state.

A formula of book/reports/NAME.toml is text; reckon/prediction/grammar.py reads it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.comparison.reports.report import Derivation, Report, StatedInput
from reckon.comparison.reports.reported_value import rounding_explains
from reckon.errors import ReckonError
from reckon.prediction import expression
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.grammar import parse
from reckon.prediction.inputs import Input

# A published value that was rounded, at the end or on the way, still follows.
FOLLOWS = 0.01
_PARTS = ("hardware", "software", "predicted")


def _add(hardware: expression.Node, software: expression.Node) -> expression.Node:
    """Their sum, without a part that is 0."""
    if expression.is_zero(hardware):
        return software
    return hardware if expression.is_zero(software) else hardware + software


def _input(stated: StatedInput) -> Input:
    if stated.values is None:
        base = float(units.to_base(stated.value, stated.unit))
        return Input("given", base, stated.unit, stated.source)
    values = [float(units.to_base(value, stated.unit)) for value in stated.values]
    return Input("axis", values, stated.unit, stated.source)


def prediction(derivation: Derivation) -> Prediction:
    """The derivation as a prediction of this book.

    Raises ReckonError for text that is no formula, PredictionError if its dimensions do not fit.
    """
    names = list(derivation.inputs)
    hardware, software, predicted = (
        parse(getattr(derivation, part) or "0", names) for part in _PARTS
    )
    if derivation.kind == "sum":
        predicted = _add(hardware, software)
    elif not derivation.predicted:
        raise ReckonError(f"kind {derivation.kind} needs a formula `predicted`.")
    formula = Formula(
        quantity=derivation.quantity or derivation.what,
        unit=derivation.unit,
        kind=derivation.kind,
        function_name="the formula",
        input_names=names,
        hardware=None if derivation.kind == "plain" else hardware,
        software=software if derivation.kind == "sum" else None,
        predicted=predicted,
    )
    inputs = {name: _input(stated) for name, stated in derivation.inputs.items()}
    return formula(**inputs)


@dataclass(frozen=True)
class Recomputed:
    """A published value and the value that the report's inputs give, in the derivation's unit."""

    derivation: Derivation
    part: str  # hardware, software or predicted
    at: str  # the position on the axis, with its unit; "" where there is none
    published: float
    recomputed: float

    @property
    def ratio(self) -> float:
        """Published over recomputed."""
        if self.recomputed:
            return self.published / self.recomputed
        return math.inf if self.published else 1.0

    @property
    def follows(self) -> bool:
        """Whether rounding explains the difference."""
        return rounding_explains(self.published, self.recomputed, FOLLOWS)


def _positions(derivation: Derivation) -> list[str]:
    """The positions on the axis of a derivation's curve, each with its unit; [""] without axis."""
    for stated in derivation.inputs.values():
        if stated.values is not None:
            return [units.with_unit(f"{value:,g}", stated.unit) for value in stated.values]
    return [""]


def _recompute(derivation: Derivation) -> list[Recomputed]:
    computed, positions = prediction(derivation), _positions(derivation)
    recomputed_values = []
    for part in _PARTS:
        printed = getattr(derivation.published, part)
        if printed is None:
            continue
        tree = getattr(computed.formula, part)
        if tree is None:
            raise ReckonError(f"a prediction of kind {derivation.kind} has no {part}.")
        published = np.atleast_1d(np.asarray(printed, float))
        values = np.atleast_1d(units.from_base(computed.value(tree), derivation.unit))
        if len(published) != len(positions):
            raise ReckonError(
                f"{len(published)} published values of {part} for {len(positions)} positions."
            )
        if not np.isfinite(values).all():
            raise ReckonError(
                f"{part} comes out as {values[~np.isfinite(values)][0]}, which is no number; "
                "a divisor of its formula may be 0."
            )
        recomputed_values += [
            Recomputed(derivation, part, *pair)
            for pair in zip(positions, published.tolist(), values.tolist(), strict=True)
        ]
    return recomputed_values


def recompute(report: Report, derivation: Derivation) -> list[Recomputed]:
    """Every published value of a derivation, with the value that its inputs give.

    Raises ReckonError where the formula, its dimensions, its inputs or the number of values do not
    fit.
    """
    try:
        return _recompute(derivation)
    except ReckonError as error:
        raise ReckonError(
            f"{report.name}.toml: {derivation.what}, {derivation.place}: {error}"
        ) from None
