"""Reading and writing runs and records.

A run is a folder: `run.json` (what machine this is) and one JSON file an experiment, at the
experiment's own path. Files are checked on reading against the models, and written whole: to a
temporary file, then renamed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import operator
import os
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pydantic

from reckon import config
from reckon.config import ReckonError
from reckon.records.models import FORMAT, Quantity, Record, Run
from reckon.text import first_fault


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def run_dir(name: str | Path) -> Path:
    """The folder of the run of that name, in the folder of runs; a path is returned as it is."""
    if isinstance(name, Path):
        return name
    if not name or name != os.path.basename(name) or name.startswith("."):
        raise ReckonError(f"{name!r} cannot name a run; use letters, digits, - and _.")
    return config.runs_dir() / name


def runs() -> tuple[dict[str, Path], list[str]]:
    """The folders of all runs by name, the one opened last first; and why others are unreadable."""
    base = config.runs_dir()
    opened, unreadable = [], []
    note_read(f"{base}/*/run.json")
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
    known = ", ".join(sorted(path.parent.name for path in config.runs_dir().glob("*/run.json")))
    raise ReckonError(
        f"There is no run {run}; {config.runs_dir()} has {known or 'none'}, and a folder that "
        "lies elsewhere is given with a / in it."
    )


def record_path(run: str | Path, experiment: str) -> Path:
    return run_dir(run) / f"{experiment}.json"


def _version(path: Path) -> tuple[int, int, int]:
    """Inode, modification time and size: they differ for two contents: files are replaced."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read(path: Path, model):
    """The file's content as a `model`; None without a file. Callers share it: do not change it."""
    try:
        return _parsed(path, model, _version(path))
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
    raise ReckonError(
        f"{path} is not a whole record ({what}); move it away, and it is measured again."
    )


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


def note_read(what: str) -> None:
    """Append to the page's log of what it was made from, which decides whether it is out of date.

    what: PATH, a file; PATH#QUANTITY, the samples of one quantity in a record; PATH#*, those of
    all; FOLDER/*/..., the names of the files that match."""
    log = config.reads_log()
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{what}\n")


def read_record(run: str | Path, experiment: str, *, only_measured: bool = False) -> Record:
    """The experiment's record; an empty one if there is none yet.

    With `only_measured` the reader does not depend on predictions, as with read_measured().
    """
    path = record_path(run, experiment)
    note_read(f"{path}#*" if only_measured else str(path))
    found = _read(path, Record)
    if found is None:
        return Record(experiment=experiment)
    # With a dictionary of its own: the caller may add quantities.
    return found.model_copy(update={"quantities": dict(found.quantities)})


def read_measured(run: str, quantity: str) -> Quantity | None:
    """One quantity, read for what was measured: the reader does not depend on the record's
    predictions, so editing those makes no other page stale."""
    path = record_path(run, quantity.rsplit("/", 1)[0])
    note_read(f"{path}#{quantity}")
    found = _read(path, Record)
    return found.quantities.get(quantity) if found else None


def digest(what: str) -> str:
    """A digest of what an entry of note_read() stands for, to see whether it changed."""
    path, _, quantity = what.partition("#")
    base, wanted, pattern = path.partition("*")
    if wanted:
        return _hash("\n".join(sorted(map(str, Path(base).glob(wanted + pattern)))).encode())
    try:
        version = _version(Path(path))
        if quantity:
            return _digest_of_measured(path, quantity, version)
        return _digest_of_file(path, version)
    except FileNotFoundError:
        return "none"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@functools.lru_cache(maxsize=4096)
def _digest_of_file(path: str, version: tuple[int, int, int]) -> str:
    return _hash(Path(path).read_bytes())


@functools.lru_cache(maxsize=4096)
def _digest_of_measured(path: str, quantity: str, version: tuple[int, int, int]) -> str:
    """The digest of one quantity's samples, or of all ("*"); of the file if it is no record."""
    try:
        digests = _measured_digests(path, version)
    except ValueError:  # reading the broken record reports it
        return _digest_of_file(path, version)
    if quantity == "*":
        return _hash("".join(f"{name} {digests[name]}\n" for name in sorted(digests)).encode())
    return digests.get(quantity, "none")


@functools.lru_cache(maxsize=256)
def _measured_digests(path: str, version: tuple[int, int, int]) -> dict[str, str]:
    quantities = json.loads(Path(path).read_bytes()).get("quantities", {})
    return {
        name: _hash(json.dumps(one.get("measurement")).encode()) for name, one in quantities.items()
    }


def write_record(run: str, record: Record) -> None:
    record = record.model_copy(update={"format": FORMAT})
    write_whole(record_path(run, record.experiment), record.model_dump_json() + "\n")


def read_run(name: str | Path) -> Run | None:
    """The run in that folder, or None.

    It has the folder's name, whatever the file says: a folder may have been copied or renamed, and
    what is written to the run must not go to the original.
    """
    path = run_dir(name) / "run.json"
    note_read(str(path))
    found = _read(path, Run)
    if found is None:
        return None
    return found.model_copy(update={"name": Path(os.path.abspath(path)).parent.name})


def write_run(run: Run) -> None:
    write_whole(run_dir(run.name) / "run.json", run.model_dump_json(indent=1) + "\n")


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReckonError(f"{path} cannot be made ({error.strerror}).") from None


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that it exists whole or not at all, also after a crash."""
    temporary = None
    try:
        make_folder(path.parent)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            temporary = file.name
            file.write(text)
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
    note_read(f"{base}/*/*.json")
    return sorted(
        str(path.relative_to(base).with_suffix(""))
        for path in base.rglob("*.json")
        if path.name != "run.json" and not path.name.startswith(".")
    )


def schema() -> str:
    """The JSON schema of both files, as published in book/record.schema.json."""
    _, definitions = pydantic.json_schema.models_json_schema(
        [(Record, "validation"), (Run, "validation")],
        title="Reckon: a run's record of an experiment (Record) and its machine (Run)",
    )
    return json.dumps(definitions, indent=1, ensure_ascii=False) + "\n"
