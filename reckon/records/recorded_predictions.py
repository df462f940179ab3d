"""A prediction of a record, made into one that can be evaluated again; compared with a result."""

from __future__ import annotations

import math

import numpy as np

from reckon.prediction import expression, variations
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.prediction.ratios import median_ratio
from reckon.records.models import PredictionRecord
from reckon.records.result import Result


def to_prediction(quantity: str, recorded: PredictionRecord) -> Prediction:
    """The recorded formula with the recorded inputs."""
    formula = Formula(
        quantity=quantity,
        unit=recorded.unit,
        kind=recorded.kind,
        function_name=quantity,
        input_names=[input_.name for input_ in recorded.inputs],
        hardware=_node(recorded.hardware_tree),
        software=_node(recorded.software_tree),
        predicted=expression.from_json(recorded.predicted_tree),
    )
    inputs = {
        input_.name: Input(**input_.model_dump(exclude={"name"})) for input_ in recorded.inputs
    }
    return Prediction(quantity, formula, inputs)


def _node(tree: list | None) -> expression.Node | None:
    return None if tree is None else expression.from_json(tree)


def measured_indices(result: Result, prediction: Prediction) -> list[int]:
    """The indices of the points of the prediction's axis that were measured; [0] of a single
    value."""
    axis = prediction.curve_axis
    if axis is None:
        return [0]
    values = np.atleast_1d(axis[1].value).tolist()
    return [values.index(point.x) for point in result.points]


def ratio(result: Result, prediction: Prediction) -> float:
    """Measured over predicted; of a curve the median over its points. nan if not measured."""
    if not result.has_samples:
        return math.nan
    predicted = np.atleast_1d(prediction.predicted)[measured_indices(result, prediction)]
    return median_ratio(result.medians, predicted)


def needed_guesses(result: Result, prediction: Prediction) -> dict[str, float]:
    """Of each guessed input, the value with which alone the prediction would meet the result."""
    if not result.has_samples:
        return {}
    indices = measured_indices(result, prediction)
    values = {
        name: variations.needed_value(prediction, name, result.medians, indices)
        for name, input_ in prediction.inputs.items()
        if input_.origin == "guess"
    }
    return {name: value for name, value in values.items() if value is not None}
