"""The predictions that the reports derive, run again on the inputs that they state.

A formula of book/reports/NAME.toml is text; it becomes the same traced tree as a prediction of a notebook
(expression.py), so that value, dimension check and LaTeX are the book's own.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.config import ReckonError
from reckon.prediction import expression
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.reports.published import Derivation, Report, rounded_alike

# A published value that was rounded, at the end or on the way, still follows.
FOLLOWS = 0.01
_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
    ast.UAdd,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.Load,
)


def _node(text: str, names: list[str]) -> expression.Node:
    """The formula as a tree. Raises ReckonError for anything but arithmetic of the inputs."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ReckonError(f"{text!r} is no formula ({error.msg}).") from None
    for one in ast.walk(tree):
        attribute = isinstance(one, ast.Attribute)
        if not isinstance(one, _NODES) or (attribute and getattr(one.value, "id", "") != "np"):
            raise ReckonError(
                f"{text!r}: a formula holds arithmetic, np.functions and its inputs alone."
            )
        if isinstance(one, ast.Name) and one.id not in (*names, "np"):
            raise ReckonError(f"{text!r}: {one.id} is no input.")
        if isinstance(one, ast.Constant) and type(one.value) not in (int, float):
            raise ReckonError(f"{text!r}: {one.value!r} is no number.")
    inputs = {name: expression.Node("input", name) for name in names}
    found = eval(compile(tree, "<formula>", "eval"), {"__builtins__": {}, "np": np}, inputs)  # noqa: S307
    return found if isinstance(found, expression.Node) else expression.Node("const", float(found))


def prediction(one: Derivation) -> Prediction:
    """The derivation as a prediction that has its values. Raises ReckonError (PredictionError where its
    dimensions do not fit)."""
    names = list(one.inputs)
    hardware, software, whole = (
        _node(text or "0", names) for text in (one.hardware, one.software, one.predicted)
    )
    if one.kind == "sum":
        whole = (
            software
            if expression.is_zero(hardware)
            else hardware
            if expression.is_zero(software)
            else hardware + software
        )
    elif not one.predicted:
        raise ReckonError(f"{one.what}: kind {one.kind} needs a formula `predicted`.")
    formula = Formula(
        one.quantity or one.what,
        one.unit,
        one.kind,
        one.what,
        names,
        None if one.kind == "plain" else hardware,
        software if one.kind == "sum" else None,
        whole,
    )
    inputs = {}
    for name, given in one.inputs.items():
        axis = given.values is not None
        base = (
            [float(units.to_base(v, given.unit)) for v in given.values]
            if axis
            else float(units.to_base(given.value, given.unit))
        )
        inputs[name] = Input("axis" if axis else "given", base, given.unit, given.source)
    return formula.bind(formula.quantity, inputs)


@dataclass(frozen=True)
class Recomputed:
    """One published value beside the same, computed from the report's inputs; both in `unit`."""

    report: Report
    derivation: Derivation
    side: str  # hardware, software or predicted
    at: str  # the place on the axis, with its unit; "" where there is none
    published: float
    recomputed: float

    @property
    def ratio(self) -> float:
        """Published over recomputed."""
        return (
            self.published / self.recomputed
            if self.recomputed
            else np.inf
            if self.published
            else 1.0
        )

    @property
    def follows(self) -> bool:
        return rounded_alike(self.published, self.recomputed, FOLLOWS)


def recomputed(report: Report, one: Derivation) -> list[Recomputed]:
    """Every published value of a derivation with what its inputs give. Raises ReckonError where the
    formula, its dimensions or the number of values do not fit."""
    made = prediction(one)
    trees = {
        "hardware": made.formula.hardware,
        "software": made.formula.software,
        "predicted": made.formula.predicted,
    }
    axis = made.curve_axis
    places = (
        [""]
        if axis is None
        else [
            f"{value:g} {units.spoken(axis[1].unit)}".strip()
            for value in one.inputs[axis[0]].values
        ]
    )
    found = []
    for side in ("hardware", "software", "predicted"):
        published = getattr(one.published, side)
        if published is None:
            continue
        if trees[side] is None:
            raise ReckonError(
                f"{report.name}: {one.what}: a prediction of kind {one.kind} has no {side}."
            )
        printed = np.atleast_1d(np.asarray(published, float))
        again = np.atleast_1d(units.from_base(made.value(trees[side]), one.unit))
        if len(printed) != len(places):
            raise ReckonError(
                f"{report.name}: {one.what}: {len(printed)} published values of {side} for "
                f"{len(places)} places."
            )
        found += [
            Recomputed(report, one, side, at, float(p), float(a))
            for at, p, a in zip(places, printed, again, strict=True)
        ]
    return found
