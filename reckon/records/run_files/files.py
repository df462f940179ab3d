"""Whole files: checked against a model on reading, written to a temporary file that is renamed."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pydantic

from reckon.computer import owners
from reckon.errors import ReckonError
from reckon.messages import first_fault
from reckon.records.read_log import version_of
from reckon.records.run_files.models import FORMAT, Record, Run


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
        fault = f"line {error.lineno}: {error.msg}"
    except pydantic.ValidationError as error:
        fault = first_fault(error)
    except (ValueError, RecursionError) as error:  # a number too long, brackets too deep
        fault = str(error)
    raise ReckonError(f"{path} {_FAULTS[model].format(fault)}")


def forget() -> None:
    """Forgets what was read, for a reader of more files than memory holds."""
    _parsed.cache_clear()


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
    if isinstance(version, int) and version != FORMAT:
        raise ReckonError(
            f"{path} is of format {version}, and this version of Reckon reads format {FORMAT}; "
            "use the version that wrote it, or choose another RUN=."
        )


def make_folder(path: Path) -> None:
    """Makes the folder and those above it. Raises ReckonError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReckonError(f"{path} cannot be made ({error.strerror}).") from None


@contextlib.contextmanager
def temporary_folder(folder: Path, prefix: str) -> Iterator[Path]:
    """A folder in that folder, removed at the end; if the process was killed, by the next one."""
    make_folder(folder)
    owners.sweep(folder, prefix)
    own = f"{prefix}{owners.process_name()}."
    with tempfile.TemporaryDirectory(dir=folder, prefix=own) as made:
        yield Path(made)


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that it exists whole or not at all, also after a crash.

    Raises ReckonError."""
    data = content.encode() if isinstance(content, str) else content
    temporary, prefix = None, f".{path.name}."
    try:
        make_folder(path.parent)
        with tempfile.NamedTemporaryFile(
            "wb", dir=path.parent, prefix=f"{prefix}{owners.process_name()}.", delete=False
        ) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(temporary, path)
        temporary = None
        owners.sweep(path.parent, prefix)  # what SIGKILL left of earlier attempts
    except OSError as error:
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
