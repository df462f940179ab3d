"""Predictions of a notebook, with the inputs that its run's record has of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reckon import records, units
from reckon.prediction import formula
from reckon.prediction.amounts import amount, example
from reckon.prediction.formula import Formula, Kind, Prediction
from reckon.prediction.inputs import Input
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.quantities.revisions import as_recorded
from reckon.records.session import current_session, requested_run


def predict(quantity: str = "", *, unit: str, kind: Kind = "sum") -> Callable[..., Formula]:
    """A decorator as formula.predict(), whose predictions have their inputs as recorded."""
    decorate = formula.predict(quantity, unit=unit, kind=kind)
    return lambda function: replace(decorate(function), in_run=_in_run, unit_fault=_unit_fault)


def _in_run(prediction: Prediction) -> Prediction:
    """The prediction with each input as the run's record has it, but for those that a person has
    changed since it was sealed."""
    quantity = prediction.quantity
    entry = _recorded(quantity) if quantity else None
    if entry is None:
        return prediction
    recorded = entry.predictions[-1]
    if not entry.has_samples:
        if not current_session().only_shows:  # it is sealed again with the inputs of now
            return prediction
        # A guess may still give way to what it stood in for.
        measured = [input_ for input_ in recorded.inputs if input_.origin == "measured"]
        recorded = recorded.model_copy(update={"inputs": measured})
    return replace(as_recorded(recorded, prediction), later=prediction)


def _recorded(quantity: str) -> records.Quantity | None:
    return records.read_measured(requested_run(), quantity, samples=False)


def _unit_fault(quantity: str, inputs: dict[str, Input]) -> str | None:
    """The sentence on the first input that had another dimension in the run's last prediction."""
    entry = _recorded(quantity) if quantity else None
    recorded = to_prediction(quantity, entry.predictions[-1]).inputs if entry else {}
    for name, given in inputs.items():
        before = recorded.get(name, given)
        if units.dimension(before.unit) != units.dimension(given.unit):
            fault = units.wrong_dimension(
                amount(given.value, given), given.unit, before.unit, example(before)
            )
            return f"{quantity}: {name}: {fault}"
    return None
