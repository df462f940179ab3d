"""predictions.toml, as the site's What if? panels give it, laid over the predictions of a run.

The run itself is not written: the file is read whenever predictions are, once for all of them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pydantic

from reckon import config
from reckon.prediction import variations
from reckon.prediction.amounts import changed_input
from reckon.records import toml
from reckon.records.models import Quantity
from reckon.records.read_log import note_read
from reckon.records.recorded_predictions import prediction_record, to_prediction
from reckon.records.revisions import differences


class _PredictionsFile(pydantic.RootModel[dict[str, dict[str, str]]]):
    """Amounts of inputs, by quantity and input."""


def changes(path: Path) -> dict[str, list[str]]:
    """The changed inputs of each quantity, as "name=amount". Raises ReckonError."""
    amounts = toml.read(path, _PredictionsFile).root
    return {
        quantity: [f"{name}={amount}" for name, amount in inputs.items()]
        for quantity, inputs in amounts.items()
    }


def laid_over(quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities by name; of those that the file in use names, its prediction is a revision."""
    path = config.settings().predictions
    if path is None:
        return quantities
    note_read(path)
    return quantities | {
        name: _revised(name, quantities[name], inputs, path.name)
        for name, inputs in changes(path).items()
        if name in quantities
    }


def _revised(name: str, quantity: Quantity, inputs: list[str], file_name: str) -> Quantity:
    """The quantity with its last prediction by the changed inputs, "name=amount", as a revision."""
    last = quantity.predictions[-1]
    recorded = to_prediction(name, last)
    values = dict(changed_input(recorded, text) for text in inputs)
    prediction = variations.with_values(recorded, values)
    for changed in values:
        input_ = prediction.inputs[changed]
        prediction.inputs[changed] = replace(
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
