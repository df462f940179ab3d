"""The seal: a prediction written down before the first sample, and what later ones changed."""

from __future__ import annotations

from reckon import records
from reckon.prediction.formula import Prediction
from reckon.records import overlay, predictions_file, variants
from reckon.records.models import Quantity
from reckon.records.recorded_predictions import prediction_record
from reckon.records.revisions import differences, is_same
from reckon.records.session import current_session


def _is_new(prediction: records.PredictionRecord, quantity: Quantity) -> bool:
    """Whether the prediction is to be written: as a revision, or as a seal before any sample."""
    if quantity.has_samples:
        return bool(differences(quantity.predictions[-1], prediction))
    return not is_same(quantity.predictions[-1], prediction)


def seal(prediction: Prediction) -> Quantity:
    """The quantity as the record holds it, with the prediction written down.

    Before the first sample the prediction is the seal; afterwards one that differs is added to it.
    In JupyterLab that one is not written before keep(). Raises PredictionError if the prediction's
    value is not finite.
    """
    if variants.are_tried():
        tried = as_tried(prediction)
        if tried.has_samples:
            return tried
    quantity = _write(prediction.quantity, prediction_record(prediction))
    return predictions_file.laid_over(prediction.quantity, quantity)


def as_tried(prediction: Prediction) -> Quantity:
    """The quantity as the record holds it, with the prediction beside it; nothing is written."""
    run, name = current_session().run.name, prediction.quantity
    stored = records.read_measured(run, name)
    if stored:
        stored = overlay.with_overlay(run, records.experiment_of(name), {name: stored})[name]
    return variants.with_variant(name, stored, prediction_record(prediction))


def keep() -> list[str]:
    """Write what was tried as revisions; the names of the quantities."""
    kept = variants.take()
    for name, new in kept.items():
        _write(name, new)
    return list(kept)


def _write(name: str, new: records.PredictionRecord) -> Quantity:
    """A run of another machine is never written: what differs there goes to a file of its own, see
    overlay.py."""
    run, experiment = current_session().run.name, records.experiment_of(name)
    if current_session().is_replay:
        overlay.write(run, name, new)
        recorded = records.read_record(run, experiment).quantities
        quantities = overlay.with_overlay(run, experiment, recorded)
        return quantities.get(name, Quantity(predictions=[new]))
    overlay.remove(run, experiment)
    with records.updating(run, experiment) as record:
        quantity = record.quantities.get(name)
        if quantity is None:
            new = new.model_copy(update={"role": "seal"})
            quantity = record.quantities[name] = Quantity(predictions=[new])
        elif _is_new(new, quantity):
            earlier = quantity.predictions if quantity.has_samples else []
            new = new.model_copy(update={"role": "revision" if earlier else "seal"})
            quantity = quantity.model_copy(update={"predictions": [*earlier, new]})
            record.quantities[name] = quantity
    return quantity
