"""Predictions that were edited after measuring: what differs, and where it is kept.

On its own machine an edited prediction is a revision in the run's record. Three others are added to
the record's predictions when they are read, and not written to the run: what a page predicts while
it shows a run of another machine (an overlay beside the book), what a person tries in JupyterLab
(in memory, until they keep it), and a predictions.toml that the site gave.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pydantic

from reckon import config, toml_files
from reckon.errors import ReckonError
from reckon.messages import join_words
from reckon.prediction.formula import Prediction
from reckon.prediction.inputs import Input
from reckon.prediction.variations import changed, changed_inputs
from reckon.records.quantities.recorded_predictions import prediction_record, to_prediction
from reckon.records.read_log import PREDICTIONS, note_read
from reckon.records.run_files.files import read_model, write_whole
from reckon.records.run_files.models import (
    InputRecord,
    PredictionRecord,
    Quantity,
    Record,
    Value,
)
from reckon.records.run_files.store import experiment_of, record_path


def differences(before: PredictionRecord, after: PredictionRecord) -> list[str]:
    """What a person changed, in words: the formula, its kind, or which inputs.

    An input that was measured or read from the machine and has moved since is no change of the
    prediction."""
    old, new = ({input_.name: input_ for input_ in p.inputs} for p in (before, after))
    changed = [name for name in new if name not in old or _is_revised(old[name], new[name])]
    changed += [name for name in old if name not in new]
    sentences = []
    if before.formula_id != after.formula_id:
        sentences.append("formula revised")
    if before.kind != after.kind:
        sentences.append(f"kind {before.kind} revised to {after.kind}")
    if changed:
        sentences.append("inputs revised: " + ", ".join(changed))
    return sentences


def revisions(sealed: PredictionRecord, current: PredictionRecord) -> list[str]:
    """What a person changed since the seal, in words; nothing where it moves neither the value nor
    its interval, nor what is measured."""
    if current is sealed:
        return []
    ends = ("predicted", "low", "high")
    is_moved = any(_differ(getattr(sealed, end), getattr(current, end)) for end in ends)
    is_other = (sealed.formula_id, sealed.kind) != (current.formula_id, current.kind)
    return differences(sealed, current) if is_moved or is_other else []


def _differ(before: Value | None, after: Value | None) -> bool:
    if before is None or after is None:
        return before is not after
    has_shape = np.shape(before) == np.shape(after)
    return not (has_shape and np.allclose(before, after, rtol=_ROUNDING, atol=0))


_ROUNDING = 1e-12  # 0.25 us is not quite 250 ns


def _is_revised(before: InputRecord, after: InputRecord | Input) -> bool:
    if "measured" in (before.origin, after.origin):
        # Before the first measurement a guess stands in, with the same reference.
        has_same_source = before.source == after.source or before.origin != after.origin
        return before.reference != after.reference or not has_same_source
    if "machine" in (before.origin, after.origin):  # or the guess that stands in for it
        return before.reference != after.reference
    if before.origin != after.origin:
        return True
    return (before.value, before.low, before.high) != (after.value, after.low, after.high)


def has_other_sources(before: PredictionRecord, after: PredictionRecord) -> bool:
    """Whether a person states another source of an input; that of a field or a result is none's."""
    old, new = (
        {(input_.name, input_.source, input_.cite) for input_ in p.inputs if not input_.reference}
        for p in (before, after)
    )
    return old != new


def as_recorded(recorded: PredictionRecord, prediction: Prediction) -> Prediction:
    """The prediction with each input as recorded, but for those that a person has changed.

    One that was measured may have another value since: an edit must not change it, too."""
    before = {input_.name: input_ for input_ in recorded.inputs}
    inputs = {
        name: _input_as_recorded(before.get(name), input_)
        for name, input_ in prediction.inputs.items()
    }
    return replace(prediction, inputs=inputs)


def _input_as_recorded(recorded: InputRecord | None, input_: Input) -> Input:
    if recorded is None or _is_revised(recorded, input_) or recorded.value == input_.value:
        return input_
    return Input(**recorded.model_dump(exclude={"name"}))


def edited(name: str, recorded: PredictionRecord, new: PredictionRecord) -> PredictionRecord:
    """The new record of a quantity's prediction, with its inputs as as_recorded() has them."""
    return prediction_record(as_recorded(recorded, to_prediction(name, new)))


def is_same(a: PredictionRecord, b: PredictionRecord) -> bool:
    """Whether two predictions are the same in all but when and as what they were written."""
    ignored = {"made_at", "role", "reason"}
    return a.model_dump(exclude=ignored) == b.model_dump(exclude=ignored)


# --- tried in JupyterLab -------------------------------------------------------------------------


class Variants:
    """The predictions of measured quantities that a session has tried, by quantity."""

    def __init__(self) -> None:
        self.by_quantity: dict[str, PredictionRecord] = {}
        # Those that became revisions, each after the last prediction before it.
        self.kept: dict[str, tuple[PredictionRecord, PredictionRecord]] = {}

    def tried_last(self, name: str, stored: Quantity | None, new: PredictionRecord) -> Quantity:
        """The quantity of a record with this prediction as its last one; remembered if it
        differs."""
        self.by_quantity.pop(name, None)
        if stored is None:
            return Quantity(predictions=[new])
        if not stored.has_samples:
            return stored.model_copy(update={"predictions": [new]})
        if not differences(stored.predictions[-1], new):
            return stored
        variant = self.by_quantity[name] = edited(name, stored.predictions[-1], new)
        return stored.model_copy(update={"predictions": [*stored.predictions, variant]})

    def take(self) -> dict[str, PredictionRecord]:
        """The variants by quantity; none is left."""
        taken = dict(self.by_quantity)
        self.by_quantity.clear()
        return taken

    def forget(self, name: str) -> None:
        self.by_quantity.pop(name, None)


# --- beside a run of another machine -------------------------------------------------------------


def overlay_folder(run: str) -> Path:
    """Where the files of a run are, in the folder of the build."""
    return config.settings().build_dir / "replay" / run


def overlay_path(run: str, experiment: str) -> Path:
    return overlay_folder(run) / f"{experiment}.json"


def _read_overlay(run: str, experiment: str) -> dict[str, Quantity]:
    path = overlay_path(run, experiment)
    note_read(path)
    record = read_model(path, Record)
    return record.quantities if record else {}


def write_overlay(run: str, quantity: str, prediction: PredictionRecord) -> None:
    """Store the prediction if it differs from the last one of the run's record; else remove it."""
    experiment = experiment_of(quantity)
    recorded = read_model(record_path(run, experiment), Record)
    stored = recorded.quantities.get(quantity) if recorded else None
    before = _read_overlay(run, experiment)
    after = {name: entry for name, entry in before.items() if name != quantity}
    if stored and differences(stored.predictions[-1], prediction):
        prediction = edited(quantity, stored.predictions[-1], prediction)
        entry = before.get(quantity)
        if entry is None or differences(entry.predictions[-1], prediction):
            entry = Quantity(predictions=[prediction.model_copy(update={"role": "revision"})])
        after[quantity] = entry
    if after != before:
        overlay = Record(experiment=experiment, quantities=after)
        write_whole(overlay_path(run, experiment), overlay.model_dump_json() + "\n")


def remove_overlay(run: str, experiment: str) -> None:
    """Remove what was predicted while the run was shown on another machine."""
    overlay_path(run, experiment).unlink(missing_ok=True)


def with_overlay(run: str, experiment: str, quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities of an experiment, with what was predicted while the run was shown here."""
    complete = dict(quantities)
    for name, overlay in _read_overlay(run, experiment).items():
        if name in complete:
            predictions = [*complete[name].predictions, *overlay.predictions]
            complete[name] = complete[name].model_copy(update={"predictions": predictions})
    return complete


# --- predictions.toml ----------------------------------------------------------------------------


class _PredictionsFile(pydantic.RootModel[dict[str, dict[str, str]]]):
    """Amounts by quantity and input; a quantity's own are under _STATED, a changed formula is under
    "formula"."""


_LINES = '; write lines such as ["PART/NAME/QUANTITY"] and input = "550 cycles"'
_READER = "reader"  # the table on the reader
_LONGEST_NAME = 200  # characters: pages print it
# What a reader predicted as a value, not by inputs; the same before a discussion; where on a curve.
_VOTE = ("predicted", "low", "high", "reason")
_FIRST = "first_"
_STATED = (*_VOTE, *(f"{_FIRST}{name}" for name in _VOTE), "at")


@dataclass(frozen=True)
class QuantityPrediction:
    changes: list[str]  # "name=amount" of each changed input, "formula=text"
    stated: dict[str, str]  # by _STATED

    @property
    def first_vote(self) -> QuantityPrediction | None:
        """What was predicted before a discussion; None without one."""
        if f"{_FIRST}predicted" not in self.stated:
            return None
        votes = {name: self.stated.get(f"{_FIRST}{name}") for name in _VOTE}
        votes["at"] = self.stated.get("at")
        return QuantityPrediction([], {name: text for name, text in votes.items() if text})


@dataclass(frozen=True)
class PredictionsFile:
    reader: str  # "" without a name
    browser: str  # which one gave the file; "" where that is not known
    written: str  # when, as ISO 8601 in UTC; "" where that is not known
    quantities: dict[str, QuantityPrediction]


def read_file(path: Path) -> PredictionsFile:
    """The file's predictions. Raises ReckonError."""
    tables = dict(toml_files.read(path, _PredictionsFile, _LINES).root)
    about = tables.pop(_READER, {})
    reader = about.get("name", "")
    if len(reader) > _LONGEST_NAME:
        raise ReckonError(f"{path}: the reader's name has over {_LONGEST_NAME} characters.")
    quantities = {
        quantity: QuantityPrediction(
            [f"{name}={amount}" for name, amount in amounts.items() if name not in _STATED],
            {name: amount for name, amount in amounts.items() if name in _STATED},
        )
        for quantity, amounts in tables.items()
    }
    for quantity, each in quantities.items():
        if not (each.changes or each.stated):
            raise ReckonError(
                f"{path}: {quantity} has nothing under it; leave it out, or take the whole file "
                "again."
            )
        if each.stated and not {"predicted", f"{_FIRST}predicted"} & each.stated.keys():
            raise ReckonError(
                f"{path}: {quantity} has {join_words(each.stated)}, but no predicted."
            )
    return PredictionsFile(
        reader.strip(), about.get("browser", ""), about.get("written", ""), quantities
    )


def predictions_in(path: Path) -> dict[str, QuantityPrediction]:
    """What the file predicts, by quantity. Raises ReckonError, also where that is nothing."""
    quantities = read_file(path).quantities
    if not quantities:
        raise ReckonError(f"{path} has no prediction; keep one on the site, or name a quantity.")
    return quantities


@contextlib.contextmanager
def naming(path: Path | None) -> Iterator[None]:
    """Errors within it begin with the file's path, if there is a file."""
    try:
        yield
    except ReckonError as error:
        raise ReckonError(f"{path}: {error}" if path else str(error)) from None


def with_file(quantities: dict[str, Quantity]) -> dict[str, Quantity]:
    """The quantities by name; of those that the file in use names, its prediction is a revision."""
    for name in quantities:
        note_read(PREDICTIONS, f"#{name}")
    path = config.settings().predictions
    if path is None:
        return quantities
    predictions = read_file(path).quantities
    with naming(path):
        return quantities | {
            name: _revised(name, quantities[name], in_file.changes, path.name)
            for name, in_file in predictions.items()
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
