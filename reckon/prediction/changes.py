"""A prediction with what a person changes of it: amounts of inputs, and the formula, as texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from reckon.prediction import variations
from reckon.prediction.amounts import FORMULA, changed_input
from reckon.prediction.expression import Node, PredictionError
from reckon.prediction.formula import PARTS, Formula, Prediction
from reckon.prediction.grammar import parse_parts
from reckon.prediction.printing import text


def changed(prediction: Prediction, changes: Iterable[str]) -> Prediction:
    """The prediction with changes such as "kernel_path=550 cycle" or "formula=mode_switch / clock".

    Raises PredictionError, also for dimensions that do not fit and a value that no quantity has.
    """
    formula = prediction.formula
    values: dict[str, float] = {}
    for change in changes:
        name, _, stated = change.partition("=")
        if name.strip() == FORMULA and FORMULA not in prediction.inputs:
            formula = _with_text(formula, stated)
            formula.check_dimensions(prediction.inputs)
        else:
            values.update([changed_input(prediction, change)])
    new = dataclasses.replace(variations.with_values(prediction, values), formula=formula)
    new.check_value()
    return new


def changed_inputs(before: Prediction, after: Prediction) -> list[str]:
    """The names of the inputs whose value is another."""
    return [name for name in after.inputs if after.inputs[name] != before.inputs[name]]


def formula_text(formula: Formula) -> str:
    """What a prediction function of this formula returns, as it may be stated again."""
    return ", ".join(text(getattr(formula, part)) for part in PARTS[formula.kind])


def _with_text(formula: Formula, stated: str) -> Formula:
    """The formula by a text: what its function returns, or the predicted value alone."""
    parts = PARTS[formula.kind]
    try:
        nodes = parse_parts(stated, formula.input_names)
    except PredictionError as error:
        raise PredictionError(f"{formula.function_name}: {error}") from None
    if len(nodes) == 1 < len(parts):
        nodes = _parts_of(nodes[0], formula)
    if len(nodes) != len(parts):
        wanted = "the predicted value" if len(parts) == 1 else f"it as {', '.join(parts)}"
        raise PredictionError(
            f"{formula.function_name}: {stated!r} has {len(nodes)} parts; write {wanted}."
        )
    trees = dict(zip(parts, nodes, strict=True))
    if "predicted" not in trees:
        trees["predicted"] = trees["hardware"] + trees["software"]
    return dataclasses.replace(
        formula,
        hardware=trees.get("hardware"),
        software=trees.get("software"),
        predicted=trees["predicted"],
    )


def _parts_of(predicted: Node, formula: Formula) -> list[Node]:
    """The parts of a predicted value: of a sum, the hardware's and the software's stand left and
    right of its last +; without one all of it is the hardware's. A rate keeps its hardware's part.
    """
    if "software" not in PARTS[formula.kind]:
        assert formula.hardware is not None
        return [formula.hardware, predicted]
    if predicted.op == "add":
        return list(predicted.args)
    return [predicted, Node("const", 0.0)]
