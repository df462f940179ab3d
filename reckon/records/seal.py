"""The seal: a prediction written down before the first sample, and what later ones changed."""

from __future__ import annotations

from collections.abc import Collection

from reckon import records
from reckon.errors import ReckonError
from reckon.prediction.formula import Prediction
from reckon.records.quantities import revisions
from reckon.records.quantities.recorded_predictions import prediction_record
from reckon.records.quantities.revisions import (
    Variants,
    differences,
    has_other_sources,
    is_same,
)
from reckon.records.run_files.models import PredictionRecord, Quantity
from reckon.records.session import Session


def _is_new(prediction: records.PredictionRecord, quantity: Quantity) -> bool:
    """Whether the prediction is to be written: as a revision, or as a seal before any sample."""
    last = quantity.predictions[-1]
    if quantity.has_samples:
        return bool(differences(last, prediction)) or has_other_sources(last, prediction)
    return not is_same(last, prediction)


def seal(predictions: Collection[Prediction], session: Session) -> dict[str, Quantity]:
    """The quantities as their records hold them, by name, with these predictions written down.

    Before the first sample a prediction is the seal; afterwards one that differs is added to it.
    In JupyterLab that one is not written before keep(). Raises PredictionError if a prediction's
    value is not finite.
    """
    tried: dict[str, Quantity] = {}
    if session.variants:
        quantities = as_tried(predictions, session.run.name, session.variants)
        tried = {
            prediction.quantity: quantity
            for prediction, quantity in zip(predictions, quantities, strict=True)
            if quantity.has_samples or session.follows
        }
    new = [
        (prediction.quantity, prediction_record(prediction))
        for prediction in predictions
        if prediction.quantity not in tried
    ]
    sealed = tried | revisions.with_file(_write_all(session, new))
    return {prediction.quantity: sealed[prediction.quantity] for prediction in predictions}


def as_tried(predictions: Collection[Prediction], run: str, variants: Variants) -> list[Quantity]:
    """The quantity of each prediction as the record holds it, with the prediction as its last one.

    Nothing is written."""
    stored: dict[str, Quantity] = {}
    for name in {prediction.quantity for prediction in predictions}:
        quantity = records.read_measured(run, name)
        if quantity:
            stored |= revisions.with_overlay(run, records.experiment_of(name), {name: quantity})
    stored = revisions.with_file(stored)
    return [
        variants.tried_last(
            prediction.quantity, stored.get(prediction.quantity), prediction_record(prediction)
        )
        for prediction in predictions
    ]


def keep(session: Session) -> list[str]:
    """Write what was tried as revisions; the names of the quantities."""
    if session.variants is None:
        return []
    run, before = session.run.name, {}
    for name in session.variants.by_quantity:
        experiment = records.experiment_of(name)
        recorded = records.read_record(run, experiment, samples=False).quantities
        before[name] = revisions.with_overlay(run, experiment, recorded)[name].predictions[-1]
    written = _write_all(session, session.variants.by_quantity.items())
    session.variants.take()  # not earlier: a full disk loses nothing
    session.variants.kept |= {
        name: (before[name], quantity.predictions[-1]) for name, quantity in written.items()
    }
    return list(written)


def take_back(session: Session) -> list[str]:
    """Remove the revisions that were kept in this session, unless something happened to their
    quantities since; the names of these. The run's chains say that there were some."""
    run, taken = session.run.name, []
    kept = session.variants.kept if session.variants else {}
    for name, (before, revision) in kept.items():
        if session.is_replay:
            revisions.write_overlay(run, name, before)
            taken.append(name)
            continue
        with records.updating(run, records.experiment_of(name)) as record:
            stored = record.quantities[name]
            events = " ".join(each.event for each in stored.chain)
            is_last = stored.predictions[-1] == revision and revision.role == "revision"
            if is_last and "visit" not in events.rpartition("revision")[2]:
                update = {"predictions": stored.predictions[:-1]}
                record.quantities[name] = stored.model_copy(update=update)
                taken.append(name)
    kept.clear()
    return taken


def reseal(name: str, new: PredictionRecord | None, reason: str, session: Session) -> Quantity:
    """Make a prediction the one that is scored, in the place of one with a mistake.

    The earlier seal stays in the record and its chain. new: None: the record's last prediction.
    Raises ReckonError, also if the quantity has samples and there is no reason.
    """
    run, experiment = session.run.name, records.experiment_of(name)
    if session.is_replay:
        raise ReckonError(f"{session.read_only_reason}, so nothing in it is sealed again.")
    stored = records.read_record(run, experiment).quantities.get(name)
    if stored is None:
        raise ReckonError(f"{name} is not sealed yet; measuring it seals its prediction.")
    new = new or stored.predictions[-1]
    if stored.has_samples:
        new = revisions.edited(name, stored.predictions[-1], new)
    if not differences(stored.seal, new):
        raise ReckonError(f"The sealed prediction of {name} is this one already.")
    if not stored.has_samples:
        return _write(session, experiment, [(name, new)])[name]
    if not reason.strip():
        raise ReckonError(f"{name} has been measured; add the reason for sealing it again.")
    update = {"role": "reseal", "reason": reason.strip(), "made_at": records.now()}
    with records.updating(run, experiment) as record:
        stored = record.quantities[name]
        predictions = [*stored.predictions, new.model_copy(update=update)]
        record.quantities[name] = stored.model_copy(update={"predictions": predictions})
        return record.quantities[name]


def _write_all(
    session: Session, new: Collection[tuple[str, PredictionRecord]]
) -> dict[str, Quantity]:
    """The quantities with these predictions, by name; each record is read and written once."""
    by_experiment: dict[str, list[tuple[str, PredictionRecord]]] = {}
    for name, prediction in new:
        by_experiment.setdefault(records.experiment_of(name), []).append((name, prediction))
    written: dict[str, Quantity] = {}
    for experiment, of_it in by_experiment.items():
        written |= _write(session, experiment, of_it)
    return written


def _write(
    session: Session, experiment: str, new: Collection[tuple[str, PredictionRecord]]
) -> dict[str, Quantity]:
    """The quantities of an experiment with these predictions, by name.

    A run of another machine is never written: what differs there goes to a file of its own, see
    revisions.py."""
    run = session.run.name
    if session.is_replay:
        for name, prediction in new:
            revisions.write_overlay(run, name, prediction)
        recorded = records.read_record(run, experiment).quantities
        quantities = revisions.with_overlay(run, experiment, recorded)
        return {
            name: quantities.get(name, Quantity(predictions=[prediction]))
            for name, prediction in new
        }
    revisions.remove_overlay(run, experiment)
    with records.updating(run, experiment) as record:
        for name, prediction in new:
            record.quantities[name] = _with_prediction(
                name, record.quantities.get(name), prediction
            )
    return {name: record.quantities[name] for name, _ in new}


def _with_prediction(name: str, quantity: Quantity | None, new: PredictionRecord) -> Quantity:
    if quantity is None:
        return Quantity(predictions=[new.model_copy(update={"role": "seal"})])
    if not _is_new(new, quantity):
        return quantity
    earlier = quantity.predictions if quantity.has_samples else []
    if earlier:
        new = revisions.edited(name, earlier[-1], new)
    new = new.model_copy(update={"role": "revision" if earlier else "seal"})
    return quantity.model_copy(update={"predictions": [*earlier, new]})
