"""The log of what a page was made from, and digests by which a change of that is noticed.

An entry is PATH, a file; PATH#QUANTITY, the samples of one quantity in a record; PATH#*, those of
all; NOTEBOOK#NAME, the title of a quantity, or without a name the heading; PREDICTIONS=#QUANTITY,
what the file of predictions in use says of a quantity; or FOLDER/*/..., the names of the files that
match. In PATH and FOLDER, # and * are quoted.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from urllib.parse import quote, unquote

from reckon import build_context, config, toml_files
from reckon.errors import ReckonError
from reckon.records import notebook_cells

_NOTEBOOK = ".ipynb"
PREDICTIONS = "PREDICTIONS="


def note_read(path: str | Path, part: str = "") -> None:
    """Append an entry to the page's log.

    part: what follows the path in the entry: "#QUANTITY", "#*", or "/*/..." of a folder."""
    build = build_context.current()  # looked up, because every reader of a file would hand it on
    if build:
        with open(build.reads, "a", encoding="utf-8") as file:
            file.write(f"{quote(str(path))}{part}\n")


def entry_path(entry: str) -> str:
    """The file or the pattern that an entry of the log names."""
    return unquote(entry.partition("#")[0])


def version_of(path: Path) -> tuple[int, int, int]:
    """Inode, modification time and size: they differ for two contents: files are replaced."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def digest(entry: str) -> str:
    """A digest of what an entry of the log stands for; "none" if it does not exist."""
    location, is_part, quantity = entry.partition("#")
    base, wildcard, pattern = location.partition("*")
    if wildcard:
        names = sorted(map(str, Path(unquote(base)).glob(wildcard + pattern)))
        return _hash("\n".join(names).encode())
    path = unquote(location)
    if not is_part:
        return file_digest(path)
    try:
        if path == PREDICTIONS:
            return _digest_of_predicted(quantity)
        if path.endswith(_NOTEBOOK):
            titles = notebook_cells.titles(Path(path), version_of(Path(path)))
            return _hash(str(titles.get(quantity, "")).encode())
        return _digest_of_measured(path, quantity, version_of(Path(path)))
    except FileNotFoundError:
        return "none"


def file_digest(path: str | Path) -> str:
    """A digest of the file's content; "none" if it does not exist."""
    try:
        return _digest_of_file(str(path), version_of(Path(path)))
    except FileNotFoundError:
        return "none"


def _digest_of_predicted(quantity: str) -> str:
    path = config.settings().predictions
    if path is None:
        return "none"
    predicted = _predictions(path, version_of(path)).get(quantity)
    return "none" if predicted is None else _hash(f"{path.name} {predicted}".encode())


@functools.lru_cache(maxsize=1)
def _predictions(path: Path, version: tuple[int, int, int]) -> dict[str, object]:
    return toml_files.load(path)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@functools.lru_cache(maxsize=4096)
def _digest_of_file(path: str, version: tuple[int, int, int]) -> str:
    return _hash(_content(path))


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ReckonError(f"{path} cannot be read ({error.strerror}).") from None


@functools.lru_cache(maxsize=4096)
def _digest_of_measured(path: str, quantity: str, version: tuple[int, int, int]) -> str:
    """The digest of one quantity's samples, or of all ("*"); of the file if it is no record."""
    try:
        digests = _measured_digests(path, version)
    except (ValueError, AttributeError, RecursionError):  # reading the broken record reports it
        return _digest_of_file(path, version)
    if quantity == "*":
        return _hash("".join(f"{name} {digests[name]}\n" for name in sorted(digests)).encode())
    return digests.get(quantity, "none")


@functools.lru_cache(maxsize=256)
def _measured_digests(path: str, version: tuple[int, int, int]) -> dict[str, str]:
    quantities = json.loads(_content(path)).get("quantities", {})
    return {
        name: _hash(json.dumps([entry.get("measurement"), entry.get("attempt")]).encode())
        for name, entry in quantities.items()
    }
