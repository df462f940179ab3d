"""Reading and writing runs and records.

A run is a folder: `run.json` (what machine this is), one small JSON file an experiment at the
experiment's own path, and the raw samples of each visit to a quantity at
`samples/QUANTITY/NUMBER.json.gz`. Files are checked on reading against the models, and written
whole: to a temporary file, then renamed.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import json
import operator
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pydantic

from reckon import config
from reckon.config import ReckonError
from reckon.records import chain
from reckon.records.locks import lock
from reckon.records.models import (
    FORMAT,
    Measurement,
    Point,
    Process,
    Quantity,
    Record,
    Run,
    SamplesFile,
    Visit,
)
from reckon.records.reads import note_read, version_of
from reckon.records.values import summarised
from reckon.text import first_fault

# The prefix of an experiment's name for its probes as the page `methods` measured them side by
# side. These are other figures of the same quantities, so they are no part of all results.
AGAIN = "methods/"


def now() -> datetime:
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


def find(run: str) -> Path:
    """The folder of an existing run, given by name or as a folder (with a / in it).

    Raises ReckonError if there is none.
    """
    folder = Path(os.path.abspath(run)) if "/" in run else run_dir(run)
    if (folder / "run.json").is_file():
        return folder
    runs_dir = config.settings().runs_dir
    known = ", ".join(sorted(path.parent.name for path in runs_dir.glob("*/run.json")))
    raise ReckonError(
        f"There is no run {run}; {runs_dir} has {known or 'none'}, and a folder that lies "
        "elsewhere is given with a / in it."
    )


def record_path(run: str | Path, experiment: str) -> Path:
    return run_dir(run) / f"{experiment}.json"


def read_model(path: Path, model):
    """The file's content as a `model`; None without a file. Callers share it: do not change it."""
    try:
        return _parsed(path, model, version_of(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ReckonError(f"{path} cannot be read ({error}).") from None


@functools.lru_cache(maxsize=256)
def _parsed(path: Path, model, version: tuple[int, int, int]):
    """The content of one version of a file.

    Remembered, because a page reads its record dozens of times, and parsing one of the standard
    profile takes 10 to 100 ms.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ReckonError(f"{path} cannot be read ({error}).") from None
    try:
        _check_format(path, text)
        # From JSON text, not from a dict: only then are infinities and times parsed from strings.
        return model.model_validate_json(text)
    except json.JSONDecodeError as error:
        what = f"line {error.lineno}: {error.msg}"
    except pydantic.ValidationError as error:
        what = first_fault(error)
    raise ReckonError(f"{path} {_FAULTS[model].format(what)}")


_FAULTS = {
    Record: "is not a whole record ({}); move it away, and it is measured again.",
    Run: "is not a whole description of a run ({}); restore it, or choose another RUN=.",
}


# This version writes the format first, where it can be read without parsing the whole file.
_FORMAT_FIRST = re.compile(r'\s*\{\s*"format"\s*:\s*(\d+)')


def _check_format(path: Path, text: str) -> None:
    first = _FORMAT_FIRST.match(text)
    data = {"format": int(first[1])} if first else json.loads(text)
    version = data.get("format") if isinstance(data, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ReckonError(
            f"{path} is of format {version}, newer than this version of Reckon reads "
            f"({FORMAT}); update Reckon, or choose another RUN=."
        )


def read_record(
    run: str | Path, experiment: str, *, only_measured: bool = False, samples: bool = True
) -> Record:
    """The experiment's record; an empty one if there is none yet.

    With `only_measured` the reader does not depend on predictions, as with read_measured().
    Without `samples` no samples file is opened: points have their summaries alone.
    """
    path = record_path(run, experiment)
    note_read(path, "#*" if only_measured else "")
    return _stored(path, experiment, None, samples=samples)


def read_measured(run: str | Path, quantity: str, *, samples: bool = True) -> Quantity | None:
    """One quantity, read for what was measured: the reader does not depend on the record's
    predictions, so editing those makes no other page stale."""
    experiment = quantity.rsplit("/", 1)[0]
    path = record_path(run, experiment)
    note_read(path, f"#{quantity}")
    return _stored(path, experiment, quantity, samples=samples).quantities.get(quantity)


def _stored(path: Path, experiment: str, quantity: str | None, *, samples: bool) -> Record:
    """The record, or that one quantity of it; with a dictionary of its own, so that the caller may
    add quantities."""
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
            return _stored(path, experiment, quantity, samples=samples)
        raise ReckonError(
            f"{error.filename} is missing; restore it, or measure {experiment} again."
        ) from None
    return record.model_copy(update={"quantities": quantities})


def samples_path(folder: Path, quantity: str, visit: int) -> Path:
    return folder / "samples" / quantity / f"{visit}.json.gz"


def with_samples(folder: Path, name: str, quantity: Quantity) -> Quantity:
    """The quantity with the processes of all visits at its points."""
    measurement = quantity.measurement
    if measurement is None or not measurement.visits:
        return quantity
    processes: dict[float | None, list[Process]] = {point.x: [] for point in measurement.points}
    for visit in measurement.visits:
        path = samples_path(folder, name, visit.number)
        after_s = (visit.started_at - measurement.started_at).total_seconds()
        for x, visited in _visited(path, version_of(path), visit.number, after_s).items():
            processes.setdefault(x, []).extend(visited)
    points = [
        point.model_copy(update={"processes": processes[point.x]}) for point in measurement.points
    ]
    return quantity.model_copy(
        update={"measurement": measurement.model_copy(update={"points": points})}
    )


@functools.lru_cache(maxsize=2048)
def _visited(
    path: Path, version: tuple[int, int, int], number: int, after_s: float
) -> dict[float | None, list[Process]]:
    """The processes of a visit by their point, which start so long after the measurement."""
    return {
        point.x: [
            process.model_copy(update={"visit": number, "started_s": process.started_s + after_s})
            for process in point.processes
        ]
        for point in read_samples(path).measurement.points
    }


def read_samples(path: Path) -> SamplesFile:
    """The samples of one visit. Raises FileNotFoundError, and ReckonError if they are broken."""
    try:
        return SamplesFile.model_validate_json(gzip.decompress(path.read_bytes()))
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise ReckonError(f"{path} cannot be read ({error}).") from None
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path} holds no samples ({first_fault(error)}).") from None


@contextlib.contextmanager
def updating(run: str, experiment: str) -> Iterator[Record]:
    """The record to be changed, locked meanwhile; written afterwards if a quantity was replaced.

    A record of an older format is converted first."""
    with writing(run):
        record = read_record(run, experiment)
        if record.format < FORMAT:
            write_record(run, record)
            record = read_record(run, experiment)
        before = dict(record.quantities)
        yield record
        if any(record.quantities[name] is not before.get(name) for name in record.quantities):
            write_record(run, record)


def writing(run: str | Path) -> contextlib.AbstractContextManager[None]:
    """Holds the lock for changing the run's files."""
    return lock(run_dir(run) / ".writing", f"writes to the run {run}")


def measuring(
    run: str | Path, on_wait: Callable[[str], None]
) -> contextlib.AbstractContextManager[None]:
    """Holds the lock for measuring into the run: two at once would disturb each other."""
    return lock(run_dir(run) / ".measuring", f"measures in the run {run}", on_wait)


def write_record(run: str | Path, record: Record) -> None:
    """Write the record: new samples in files of their own, then the record that names them; then
    samples that it no longer names are removed. A crash leaves the former state or the new one."""
    folder, imported = run_dir(run), record.format < FORMAT
    described = read_model(folder / "run.json", Run)
    run_id, at = (described and described.id) or "", now()
    quantities = {}
    for name, quantity in record.quantities.items():
        written = quantity.model_copy(update={"measurement": _with_visit(folder, name, quantity)})
        quantities[name] = chain.extended(written, run_id, at, imported=imported)
    kept = record.model_copy(update={"format": FORMAT, "quantities": quantities})
    without = {"quantities": {"__all__": {"measurement": {"points": {"__all__": {"processes"}}}}}}
    write_whole(record_path(run, record.experiment), kept.model_dump_json(exclude=without) + "\n")
    for name, quantity in quantities.items():
        _remove_unnamed(folder, name, quantity)


def _with_visit(folder: Path, name: str, quantity: Quantity) -> Measurement | None:
    """The measurement with its new samples written as a visit; without any, as it is."""
    measurement = quantity.measurement
    if measurement is None:
        return None
    points = [_new_processes(point) for point in measurement.points]
    if not any(point.processes for point in points):
        return _with_summaries(quantity, measurement)
    number = 1 + max(
        [*_visit_numbers(folder, name), *(v.number for v in measurement.visits)], default=0
    )
    bare = {"points": points, "visits": [], "unit": None, "kind": None, "statistics": None}
    content = SamplesFile(
        quantity=name, visit=number, measurement=measurement.model_copy(update=bare)
    )
    # Without the time of writing: the same samples give the same bytes.
    data = gzip.compress(content.model_dump_json().encode(), compresslevel=6, mtime=0)
    write_whole(samples_path(folder, name, number), data)
    visit = Visit(
        number=number,
        started_at=measurement.started_at,
        seconds=measurement.seconds,
        profile=measurement.profile,
        tick_hz=measurement.tick_hz,
        digest=hashlib.sha256(data).hexdigest(),
    )
    points = [
        point.model_copy(update={"summary": None}) if new.processes else point
        for point, new in zip(measurement.points, points, strict=True)
    ]
    visits = [*measurement.visits, visit]
    complete = measurement.model_copy(
        update={
            "visits": visits,
            "points": points,
            "started_at": min(visit.started_at for visit in visits),
            "seconds": sum(visit.seconds for visit in visits),
        }
    )
    return _with_summaries(quantity, complete)


def _with_summaries(quantity: Quantity, measurement: Measurement) -> Measurement:
    """The measurement with a summary wherever processes have been read; computed only if needed."""
    is_summarised = all(point.summary for point in measurement.points if point.processes)
    if is_summarised or not quantity.predictions:
        return measurement
    return summarised(measurement, quantity.predictions[-1].unit, quantity.seal.kind)


def _new_processes(point: Point) -> Point:
    """The point with those processes alone that belong to no visit yet."""
    new = [process for process in point.processes if not process.visit]
    return point.model_copy(update={"processes": new, "summary": None})


def _visit_numbers(folder: Path, quantity: str) -> list[int]:
    files = (folder / "samples" / quantity).glob("*.json.gz")
    return [int(file.name.partition(".")[0]) for file in files if file.name[0].isdigit()]


def _remove_unnamed(folder: Path, name: str, quantity: Quantity) -> None:
    visits = quantity.measurement.visits if quantity.measurement else []
    for number in set(_visit_numbers(folder, name)) - {visit.number for visit in visits}:
        samples_path(folder, name, number).unlink(missing_ok=True)


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
    with writing(run.name):
        write_whole(run_dir(run.name) / "run.json", run.model_dump_json(indent=1) + "\n")


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReckonError(f"{path} cannot be made ({error.strerror}).") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that it exists whole or not at all, also after a crash."""
    data = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        make_folder(path.parent)
        with tempfile.NamedTemporaryFile(
            "wb", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def experiments(run: str | Path) -> list[str]:
    """The experiments that the run holds, by name."""
    base = run_dir(run)
    # A new record puts pages about the whole run out of date. Records below methods/ lie one level
    # deeper and do not: that page is built after them.
    note_read(base, "/*/*.json")
    return sorted(
        str(path.relative_to(base).with_suffix(""))
        for pattern in ("*.json", "*/*.json", f"{AGAIN}*/*.json")  # not below samples/
        for path in base.glob(pattern)
        if path.name != "run.json" and not path.name.startswith(".")
    )


def schema() -> str:
    """The JSON schema of a run's files, as published in book/record.schema.json."""
    _, definitions = pydantic.json_schema.models_json_schema(
        [(Record, "validation"), (Run, "validation"), (SamplesFile, "validation")],
        title="Reckon: a run's records (Record), machine (Run) and samples (SamplesFile)",
    )
    return json.dumps(definitions, indent=1, ensure_ascii=False) + "\n"
