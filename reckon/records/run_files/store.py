"""Reading and writing runs and records.

A run is a folder: `run.json` (what machine this is), one small JSON file an experiment at the
experiment's own path, and the raw samples (sample_files.py).
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pydantic

from reckon import config
from reckon.errors import ReckonError
from reckon.messages import did_you_mean
from reckon.records.read_log import note_read
from reckon.records.run_files import chain
from reckon.records.run_files.files import read_model, write_whole
from reckon.records.run_files.locks import lock, machine_lock
from reckon.records.run_files.models import Quantity, Record, Run, SamplesFile
from reckon.records.run_files.sample_files import remove_unnamed, with_samples, with_visit

# The prefix of an experiment's name for its probes as the page `methods` measured them side by
# side. These are other values of the same quantities, so they are no part of all results.
METHODS_PREFIX = "methods/"
# What a record leaves out, because it is in the samples files.
_PROCESSES = {"quantities": {"__all__": {"measurement": {"points": {"__all__": {"processes"}}}}}}


def experiment_of(name: str) -> str:
    """The experiment, PART/NAME, of a quantity or a probe, PART/NAME/QUANTITY."""
    return name.rsplit("/", 1)[0]


def now() -> datetime:
    """The time in UTC, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def run_dir(name: str | Path) -> Path:
    """The folder of the run of that name, in the folder of runs; a path is returned as it is."""
    if isinstance(name, Path):
        return name
    if not name or name != os.path.basename(name) or name.startswith("."):
        raise ReckonError(f"{name!r} cannot name a run; use letters, digits, - and _.")
    return config.settings().runs_dir / name


def runs() -> tuple[dict[str, Path], list[str]]:
    """The folders of all runs by name, the one opened last first; and why others are unreadable."""
    base = config.settings().runs_dir
    opened, unreadable = [], []
    note_read(base, "/*/run.json")
    for path in base.glob("*/run.json"):
        try:
            run = read_run(path.parent)
        except ReckonError as error:
            unreadable.append(str(error))
        else:
            if run:
                opened.append((run.opened_at, path.parent))
    opened.sort(key=operator.itemgetter(0), reverse=True)
    return {folder.name: folder for _, folder in opened}, unreadable


def run_names() -> list[str]:
    return sorted(path.parent.name for path in config.settings().runs_dir.glob("*/run.json"))


def find(run: str) -> Path:
    """The folder of an existing run, given by name or as a folder (with a / in it).

    Raises ReckonError if there is none.
    """
    folder = Path(os.path.abspath(run)) if "/" in run else run_dir(run)
    if (folder / "run.json").is_file():
        return folder
    known = run_names()
    listed = (
        f"{config.settings().runs_dir} has {', '.join(known) or 'none'}, and a folder that lies "
        "elsewhere is given with a / in it."
    )
    raise ReckonError(f"There is no run {run}; {did_you_mean(run, known, listed)}")


def record_path(run: str | Path, experiment: str) -> Path:
    return run_dir(run) / f"{experiment}.json"


def read_record(
    run: str | Path, experiment: str, *, only_measured: bool = False, samples: bool = True
) -> Record:
    """The experiment's record; an empty one if there is none yet.

    With `only_measured` the reader does not depend on predictions, as with read_measured().
    Without `samples` no samples file is opened: points have their summaries alone.
    """
    path = record_path(run, experiment)
    note_read(path, "#*" if only_measured else "")
    return _read_stored(path, experiment, None, samples=samples)


def read_measured(run: str | Path, quantity: str, *, samples: bool = True) -> Quantity | None:
    """One quantity, read for what was measured: the reader does not depend on the record's
    predictions, so editing those makes no other page stale. samples: as of read_record()."""
    experiment = experiment_of(quantity)
    path = record_path(run, experiment)
    note_read(path, f"#{quantity}")
    return _read_stored(path, experiment, quantity, samples=samples).quantities.get(quantity)


def _read_stored(path: Path, experiment: str, quantity: str | None, *, samples: bool) -> Record:
    """The record, or one quantity of it; its dictionary is a copy, to which the caller may add."""
    record = read_model(path, Record)
    if record is None:
        return Record(experiment=experiment)
    names = record.quantities if quantity is None else record.quantities.keys() & {quantity}
    folder = path.parents[experiment.count("/")]
    quantities = {}
    try:
        for name in names:
            stored = record.quantities[name]
            quantities[name] = with_samples(folder, name, stored) if samples else stored
    except FileNotFoundError as error:
        if read_model(path, Record) is not record:  # another process has measured again
            return _read_stored(path, experiment, quantity, samples=samples)
        raise ReckonError(
            f"{error.filename} is missing; restore it, or measure {experiment} again."
        ) from None
    except OSError as error:  # a quantity's name that is too long for a file
        raise ReckonError(f"{error.filename} cannot be read ({error.strerror}).") from None
    return record.model_copy(update={"quantities": quantities})


@contextlib.contextmanager
def updating(run: str, experiment: str) -> Iterator[Record]:
    """The record to be changed, under the run's lock; written if a quantity was replaced.

    At the end it holds the quantities as they were written."""
    with writing(run):
        record = read_record(run, experiment)
        before = dict(record.quantities)
        yield record
        new = [name for name, each in record.quantities.items() if each is not before.get(name)]
        if new:
            record.quantities.update(write_record(run, record, new).quantities)


def writing(run: str | Path) -> contextlib.AbstractContextManager[None]:
    """Holds the lock for changing the run's files."""
    return lock(run_dir(run) / ".writing", f"writes to the run {run}")


@contextlib.contextmanager
def measuring(run: str | Path, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Holds the locks for measuring into the run and on this machine.

    Two that measure at once would disturb each other."""
    path, machine = run_dir(run) / ".measuring", config.settings().machine_lock
    with (
        lock(path, f"measures in the run {run}", on_wait),
        machine_lock(machine, on_wait),
    ):
        yield


def write_record(run: str | Path, record: Record, changed: Collection[str] | None = None) -> Record:
    """The record as it was written: new samples in files of their own, then the record that names
    them; then samples that it no longer names are removed. A crash leaves the former state or the
    new one.

    changed: the quantities that are not as the record has them; default: all."""
    folder = run_dir(run)
    description = read_model(folder / "run.json", Run)
    run_id, at = description.id if description else "", now()
    quantities = {}
    for name in record.quantities if changed is None else changed:
        quantity = record.quantities[name]
        measurement = with_visit(folder, name, quantity)
        quantity = quantity.model_copy(update={"measurement": measurement})
        quantities[name] = chain.extend(quantity, run_id, at)
    complete = record.model_copy(update={"quantities": record.quantities | quantities})
    text = complete.model_dump_json(exclude=_PROCESSES) + "\n"
    write_whole(record_path(run, record.experiment), text)
    for name, quantity in quantities.items():
        remove_unnamed(folder, name, quantity)
    return complete


def read_run(name: str | Path) -> Run | None:
    """The run in that folder, or None.

    It has the folder's name, whatever the file says: a folder may have been copied or renamed, and
    what is written to the run must not go to the original.
    """
    path = run_dir(name) / "run.json"
    note_read(path)
    run = read_model(path, Run)
    if run is None:
        return None
    return run.model_copy(update={"name": Path(os.path.abspath(path)).parent.name})


def write_run(run: Run) -> None:
    """Writes the run's description, under the run's lock. Raises ReckonError."""
    with writing(run.name):
        write_whole(run_dir(run.name) / "run.json", run.model_dump_json(indent=1) + "\n")


def experiments(run: str | Path) -> list[str]:
    base = run_dir(run)
    # A new record puts pages about the whole run out of date. Records below methods/ lie one level
    # deeper and do not: that page is built after them.
    note_read(base, "/*/*.json")
    return sorted(
        str(path.relative_to(base).with_suffix(""))
        for pattern in ("*.json", "*/*.json", f"{METHODS_PREFIX}*/*.json")  # not below samples/
        for path in base.glob(pattern)
        if path.name != "run.json" and not path.name.startswith(".")
    )


def own_experiments(run: str | Path) -> list[str]:
    """The run's experiments without what the page on methods measured again."""
    return [name for name in experiments(run) if not name.startswith(METHODS_PREFIX)]


def schema() -> str:
    """The JSON schema of a run's files, as published in book/record.schema.json."""
    _, definitions = pydantic.json_schema.models_json_schema(
        [(Record, "validation"), (Run, "validation"), (SamplesFile, "validation")],
        title="Reckon: a run's records (Record), machine (Run) and samples (SamplesFile)",
    )
    return json.dumps(definitions, indent=1, ensure_ascii=False) + "\n"
