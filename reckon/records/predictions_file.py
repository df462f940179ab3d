"""predictions.toml, as the site gives it: changed inputs and formulas, and values that a reader
predicted.

The changes are laid over the predictions of a run. The run itself is not written: the file
is read whenever predictions are, once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pydantic

from reckon import config
from reckon.prediction.changes import changed, changed_inputs
from reckon.records import toml
from reckon.records.models import Quantity
from reckon.records.read_log import note_read
from reckon.records.recorded_predictions import prediction_record, to_prediction
from reckon.records.revisions import differences


class _PredictionsFile(pydantic.RootModel[dict[str, dict[str, str]]]):
    """Amounts by quantity and input; a quantity's own are under _STATED, a changed formula is under
    "formula"."""


_READER = "reader"  # the table with the reader's name
_STATED = ("predicted", "low", "high", "at")  # what a reader predicted as a value, not by inputs


@dataclass(frozen=True)
class QuantityPrediction:
    """What a file predicts of a quantity."""

    changes: list[str]  # "name=amount" of each changed input, "formula=text"
    stated: dict[str, str]  # amounts by _STATED: the value, its interval, the position on a curve


@dataclass(frozen=True)
class PredictionsFile:
    """What a reader predicts."""

    reader: str  # "" without a name
    quantities: dict[str, QuantityPrediction]


def read(path: Path) -> PredictionsFile:
    """The file's predictions. Raises ReckonError."""
    tables = dict(toml.read(path, _PredictionsFile).root)
    reader = tables.pop(_READER, {}).get("name", "")
    quantities = {
        quantity: QuantityPrediction(
            [f"{name}={amount}" for name, amount in amounts.items() if name not in _STATED],
            {name: amount for name, amount in amounts.items() if name in _STATED},
        )
        for quantity, amounts in tables.items()
    }
    return PredictionsFile(reader.strip(), quantities)


def changes(path: Path) -> dict[str, list[str]]:
    """What is changed of each quantity's prediction. Raises ReckonError."""
    return {quantity: each.changes for quantity, each in read(path).quantities.items()}


def laid_over(quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities by name; of those that the file in use names, its prediction is a revision."""
    path = config.settings().predictions
    if path is None:
        return quantities
    note_read(path)
    return quantities | {
        name: _revised(name, quantities[name], changes_of_it, path.name)
        for name, changes_of_it in changes(path).items()
        if name in quantities
    }


def _revised(name: str, quantity: Quantity, changes_of_it: list[str], file_name: str) -> Quantity:
    """The quantity with its last prediction changed, as a revision."""
    last = quantity.predictions[-1]
    recorded = to_prediction(name, last)
    prediction = changed(recorded, changes_of_it)
    for input_name in changed_inputs(recorded, prediction):
        input_ = prediction.inputs[input_name]
        prediction.inputs[input_name] = replace(
            input_,
            origin="given" if input_.low is None else "guess",
            source=file_name,
            reference=None,  # it is no longer what was measured
            instead_of=None,
            cite=None,
        )
    revised = prediction_record(prediction)
    if not differences(last, revised):
        return quantity
    revised = revised.model_copy(update={"role": "revision", "reason": file_name})
    return quantity.model_copy(update={"predictions": [*quantity.predictions, revised]})
