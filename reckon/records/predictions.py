"""A prediction of a record, made into one that can be evaluated again."""

from __future__ import annotations

from reckon.prediction import expression
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.records.models import PredictionRecord


def from_record(quantity: str, recorded: PredictionRecord) -> Prediction:
    """The recorded formula with the recorded inputs."""
    formula = Formula(
        quantity=quantity,
        unit=recorded.unit,
        kind=recorded.kind,
        function_name=quantity,
        input_names=[given.name for given in recorded.inputs],
        hardware=_node(recorded.hardware_tree),
        software=_node(recorded.software_tree),
        predicted=expression.from_json(recorded.predicted_tree),
    )
    inputs = {given.name: Input(**given.model_dump(exclude={"name"})) for given in recorded.inputs}
    return Prediction(quantity, formula, inputs)


def _node(tree: list | None) -> expression.Node | None:
    return None if tree is None else expression.from_json(tree)
