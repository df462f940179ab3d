"""The predictions that the reports derive, computed again from the inputs that they state.

A formula of book/reports/NAME.toml is text. It becomes the same expression tree as a prediction of
a notebook, so that its value, dimension check and LaTeX are the book's own.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.config import ReckonError
from reckon.prediction import expression
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.reports.published import Derivation, Report, Value, rounding_explains

# A published value that was rounded, at the end or on the way, still follows.
FOLLOWS = 0.01
_SIDES = ("hardware", "software", "predicted")
_ARITHMETIC = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.Load,
)


def _check_syntax(text: str, tree: ast.Expression, names: list[str]) -> None:
    """Raises ReckonError for anything but arithmetic of the inputs."""
    for node in ast.walk(tree):
        foreign = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") != "np"
        if foreign or not isinstance(node, _ARITHMETIC):
            raise ReckonError(
                f"{text!r}: a formula holds arithmetic, np.functions and its inputs alone."
            )
        if isinstance(node, ast.Name) and node.id not in (*names, "np"):
            raise ReckonError(f"{text!r}: {node.id} is no input.")
        if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
            raise ReckonError(f"{text!r}: {node.value!r} is no number.")


def _tree(text: str, names: list[str]) -> expression.Node:
    """The formula as an expression tree. Raises ReckonError where it cannot become one."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ReckonError(f"{text!r} is no formula ({error.msg}).") from None
    _check_syntax(text, tree, names)
    inputs = {name: expression.Node("input", name) for name in names}
    scope = {"__builtins__": {}, "np": np}
    try:
        value = eval(compile(tree, "<formula>", "eval"), scope, inputs)
        return (
            value if isinstance(value, expression.Node) else expression.Node("const", float(value))
        )
    except (AttributeError, TypeError, ValueError, ArithmeticError) as error:
        raise ReckonError(f"{text!r} is no formula ({error}).") from None


def _sum(hardware: expression.Node, software: expression.Node) -> expression.Node:
    if expression.is_zero(hardware):
        return software
    return hardware if expression.is_zero(software) else hardware + software


def _input(given: Value) -> Input:
    if given.values is None:
        base = float(units.to_base(given.value, given.unit))
        return Input("given", base, given.unit, given.source)
    values = [float(units.to_base(value, given.unit)) for value in given.values]
    return Input("axis", values, given.unit, given.source)


def prediction(derivation: Derivation) -> Prediction:
    """The derivation as a prediction of this book.

    Raises ReckonError for text that is no formula, PredictionError if its dimensions do not fit.
    """
    names = list(derivation.inputs)
    hardware, software, predicted = (
        _tree(getattr(derivation, side) or "0", names) for side in _SIDES
    )
    if derivation.kind == "sum":
        predicted = _sum(hardware, software)
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
    inputs = {name: _input(given) for name, given in derivation.inputs.items()}
    return formula(**inputs)


@dataclass(frozen=True)
class Recomputed:
    """A published value and the same value computed from the report's inputs, both in `unit`."""

    report: Report
    derivation: Derivation
    side: str  # hardware, software or predicted
    at: str  # the place on the axis, with its unit; "" where there is none
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
        return rounding_explains(self.published, self.recomputed, FOLLOWS)


def _places(derivation: Derivation) -> list[str]:
    """The places on the axis of a derivation's curve, each with its unit; "" if there is none."""
    for given in derivation.inputs.values():
        if given.values is not None:
            unit = units.spoken(given.unit)
            return [f"{value:g} {unit}".strip() for value in given.values]
    return [""]


def _recomputed(report: Report, derivation: Derivation) -> list[Recomputed]:
    computed, places = prediction(derivation), _places(derivation)
    recomputed_values = []
    for side in _SIDES:
        published = getattr(derivation.published, side)
        if published is None:
            continue
        tree = getattr(computed.formula, side)
        if tree is None:
            raise ReckonError(f"a prediction of kind {derivation.kind} has no {side}.")
        printed = np.atleast_1d(np.asarray(published, float))
        again = np.atleast_1d(units.from_base(computed.value(tree), derivation.unit))
        if len(printed) != len(places):
            raise ReckonError(
                f"{len(printed)} published values of {side} for {len(places)} places."
            )
        if not np.isfinite(again).all():
            raise ReckonError(
                f"{side} comes out as {again[~np.isfinite(again)][0]}, which is no number; "
                "a divisor of its formula may be 0."
            )
        recomputed_values += [
            Recomputed(report, derivation, side, *values)
            for values in zip(places, printed.tolist(), again.tolist(), strict=True)
        ]
    return recomputed_values


def recomputed(report: Report, derivation: Derivation) -> list[Recomputed]:
    """Every published value of a derivation beside the value that its inputs give.

    Raises ReckonError where the formula, its dimensions, its inputs or the number of values do not
    fit.
    """
    try:
        return _recomputed(report, derivation)
    except ReckonError as error:
        raise ReckonError(
            f"{report.name}.toml: {derivation.what}, {derivation.place}: {error}"
        ) from None
