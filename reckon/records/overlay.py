"""What a page predicts while it shows a run of another machine: kept beside the book, laid over the
run when it is read. The run itself is not written."""

from __future__ import annotations

from pathlib import Path

from reckon import config
from reckon.records.files import read_model, write_whole
from reckon.records.models import FORMAT, PredictionRecord, Quantity, Record
from reckon.records.reads import note_read
from reckon.records.revisions import differences
from reckon.records.store import experiment_of, record_path


def overlay_path(run: str, experiment: str) -> Path:
    return config.settings().build_dir / "replay" / run / f"{experiment}.json"


def _read(run: str, experiment: str) -> dict[str, Quantity]:
    path = overlay_path(run, experiment)
    note_read(path)
    record = read_model(path, Record)
    return record.quantities if record else {}


def write(run: str, quantity: str, prediction: PredictionRecord) -> None:
    """Keep the prediction if it differs from the last one of the run's record; else forget it."""
    experiment = experiment_of(quantity)
    recorded = read_model(record_path(run, experiment), Record)
    stored = recorded.quantities.get(quantity) if recorded else None
    before = _read(run, experiment)
    after = {name: one for name, one in before.items() if name != quantity}
    if stored and differences(stored.predictions[-1], prediction):
        same = quantity in before and not differences(before[quantity].predictions[-1], prediction)
        revision = prediction.model_copy(update={"role": "revision"})
        after[quantity] = before[quantity] if same else Quantity(predictions=[revision])
    if after != before:
        overlay = Record(format=FORMAT, experiment=experiment, quantities=after)
        write_whole(overlay_path(run, experiment), overlay.model_dump_json() + "\n")


def forget(run: str, experiment: str) -> None:
    """Remove what was kept while the run was shown on another machine."""
    overlay_path(run, experiment).unlink(missing_ok=True)


def laid_over(run: str, experiment: str, quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities of an experiment, with what was predicted while the run was shown here."""
    added = _read(run, experiment)
    return {
        name: quantity.model_copy(
            update={"predictions": [*quantity.predictions, *added[name].predictions]}
        )
        if name in added
        else quantity
        for name, quantity in quantities.items()
    }
