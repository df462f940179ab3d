"""A prediction as a record holds it, and made from that again; compared with a result."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from reckon import records, units
from reckon.prediction import expression, variations
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.prediction.ratios import median_ratio
from reckon.records.run_files.models import PredictionRecord, Value

if TYPE_CHECKING:  # which is made of records
    from reckon.records.quantities.result import Result


def _plain(value) -> Value:
    """A value, or the values of a curve, as JSON has them."""
    return np.asarray(value, float).tolist()


def _plain_or_none(value) -> Value | None:
    return None if value is None else _plain(value)


def _tree_or_none(node: expression.Node | None) -> list | None:
    return None if node is None else expression.to_json(node)


def prediction_record(prediction: Prediction) -> records.PredictionRecord:
    """The prediction as a record holds it. Raises PredictionError if its value is not finite."""
    formula = prediction.formula
    predicted = _plain(prediction.predicted)
    if not np.all(np.isfinite(predicted)):
        raise PredictionError(
            f"{formula.function_name}: the formula gives {predicted} for these inputs."
        )
    low, high = prediction.interval()
    hardware_tree, software_tree = map(_tree_or_none, (formula.hardware, formula.software))
    predicted_tree = expression.to_json(formula.predicted)
    return records.PredictionRecord(
        made_at=records.now(),
        unit=formula.unit,
        kind=formula.kind,
        hardware_tree=hardware_tree,
        software_tree=software_tree,
        predicted_tree=predicted_tree,
        formula_id=expression.identity(
            [hardware_tree, software_tree, predicted_tree], formula.unit
        ),
        inputs=[
            records.InputRecord(name=name, **vars(input_))
            for name, input_ in prediction.inputs.items()
        ],
        hardware=_plain_or_none(prediction.value(formula.hardware)),
        software=_plain_or_none(prediction.value(formula.software)),
        predicted=predicted,
        low=_plain_or_none(low),
        high=_plain_or_none(high),
    )


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


def index_on_axis(prediction: Prediction, x: float | None) -> int | None:
    """The index of the position `x` on the prediction's axis, 0 of a single value; None if it is
    not there, such as on an axis that was shortened since."""
    axis = prediction.curve_axis
    if axis is None:
        return 0
    values = np.atleast_1d(axis[1].value).tolist()
    return values.index(x) if x in values else None


def _measured_on_axis(result: Result, prediction: Prediction) -> tuple[list[int], np.ndarray]:
    """The indices on the prediction's axis of the points that were measured, and their medians."""
    indices = [index_on_axis(prediction, point.x) for point in result.points]
    on_axis = [place for place, index in enumerate(indices) if index is not None]
    return [index for index in indices if index is not None], result.medians[on_axis]


def ratio(result: Result, prediction: Prediction) -> float:
    """Measured over predicted; of a curve the median over its points. nan if not measured."""
    if not result.has_samples:
        return math.nan
    indices, medians = _measured_on_axis(result, prediction)
    return median_ratio(medians, np.atleast_1d(prediction.predicted)[indices])


def needed_values(result: Result, prediction: Prediction, names: Iterable[str]) -> dict[str, float]:
    """Of each of these inputs, the value with which alone the prediction would meet the result."""
    if not result.has_samples:
        return {}
    indices, medians = _measured_on_axis(result, prediction)
    values = {name: variations.needed_value(prediction, name, medians, indices) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def needed_guesses(result: Result, prediction: Prediction) -> dict[str, float]:
    """The same of the guessed inputs."""
    guesses = [name for name, input_ in prediction.inputs.items() if input_.origin == "guess"]
    return needed_values(result, prediction, guesses)


# What is said where a reader changes a setting of the measurement; the what-if panels have it too.
MEASURED_AT = "The measurement stays at {amounts}."


def settings_of_measurement(result: Result, prediction: Prediction) -> list[str]:
    """The inputs that a parameter of the probe sets: a change of these does not measure again."""
    settings = {}
    for name, value in result.measurement.params.items() if result.measurement else ():
        unit = units.unit_of_parameter(name)
        if not isinstance(value, str):
            own_name = name.rpartition("_")[0] if unit else name
            settings[own_name] = units.to_base(value, unit or "1")
    return [
        name
        for name, entry in prediction.inputs.items()
        if entry.origin == "given" and entry.value == settings.get(name)
    ]


def chapter_sources(run: str, order: list[str], pages: Iterable[str]) -> dict[str, list[str]]:
    """For each chapter of these pages the chapters whose measured values enter its sealed
    predictions.

    order: the pages of the whole book."""
    recorded = records.experiments(run)
    chapters = [page for page in order if page in recorded]
    return {page: _sources(run, page, chapters) for page in pages if page in chapters}


def _sources(run: str, chapter: str, chapters: list[str]) -> list[str]:
    quantities = records.read_record(run, chapter, samples=False).quantities.values()
    inputs = [each for quantity in quantities for each in quantity.seal.inputs]
    found = {
        records.experiment_of(each.reference)
        for each in inputs
        if each.origin == "measured" and each.reference
    }
    return [each for each in chapters if each in found - {chapter}]
