"""What a page predicts while it shows a run of another machine: stored beside the book and added to
the run's predictions when they are read. The run itself is not written."""

from __future__ import annotations

from pathlib import Path

from reckon import config
from reckon.records.files import read_model, write_whole
from reckon.records.models import FORMAT, PredictionRecord, Quantity, Record
from reckon.records.read_log import note_read
from reckon.records.revisions import differences
from reckon.records.store import experiment_of, record_path


def folder(run: str) -> Path:
    """Where the files of a run are, in the folder of the build."""
    return config.settings().build_dir / "replay" / run


def overlay_path(run: str, experiment: str) -> Path:
    """The file of an experiment."""
    return folder(run) / f"{experiment}.json"


def _read(run: str, experiment: str) -> dict[str, Quantity]:
    path = overlay_path(run, experiment)
    note_read(path)
    record = read_model(path, Record)
    return record.quantities if record else {}


def write(run: str, quantity: str, prediction: PredictionRecord) -> None:
    """Store the prediction if it differs from the last one of the run's record; else remove it."""
    experiment = experiment_of(quantity)
    recorded = read_model(record_path(run, experiment), Record)
    stored = recorded.quantities.get(quantity) if recorded else None
    before = _read(run, experiment)
    after = {name: entry for name, entry in before.items() if name != quantity}
    if stored and differences(stored.predictions[-1], prediction):
        entry = before.get(quantity)
        if entry is None or differences(entry.predictions[-1], prediction):
            entry = Quantity(predictions=[prediction.model_copy(update={"role": "revision"})])
        after[quantity] = entry
    if after != before:
        overlay = Record(format=FORMAT, experiment=experiment, quantities=after)
        write_whole(overlay_path(run, experiment), overlay.model_dump_json() + "\n")


def remove(run: str, experiment: str) -> None:
    """Remove what was predicted while the run was shown on another machine."""
    overlay_path(run, experiment).unlink(missing_ok=True)


def with_overlay(run: str, experiment: str, quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities of an experiment, with what was predicted while the run was shown here."""
    complete = dict(quantities)
    for name, overlay in _read(run, experiment).items():
        if name in complete:
            predictions = [*complete[name].predictions, *overlay.predictions]
            complete[name] = complete[name].model_copy(update={"predictions": predictions})
    return complete
