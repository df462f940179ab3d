"""predictions.toml, as the site's What if? panels give it, laid over the predictions of a run.

The run itself is not written: the file is read whenever predictions are.
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


def laid_over(name: str, quantity: Quantity) -> Quantity:
    """The quantity with the prediction that the file in use makes of it, as a revision."""
    path = config.settings().predictions
    if path is None:
        return quantity
    note_read(path)
    last = quantity.predictions[-1]
    recorded = to_prediction(name, last)
    values = dict(changed_input(recorded, text) for text in changes(path).get(name, []))
    prediction = variations.with_values(recorded, values)
    for changed in values:
        input_ = prediction.inputs[changed]
        prediction.inputs[changed] = replace(
            input_,
            origin="given" if input_.low is None else "guess",
            source=path.name,
            reference=None,  # it is no longer what was measured
            instead_of=None,
            cite=None,
        )
    revised = prediction_record(prediction)
    if not differences(last, revised):
        return quantity
    revised = revised.model_copy(update={"role": "revision", "reason": path.name})
    return quantity.model_copy(update={"predictions": [*quantity.predictions, revised]})
