"""Statistics that take milliseconds each, stored on disk by the hash of their samples.

A page shows hundreds of summaries and is made again whenever its prose changes. Only pages of the
book, the build that arranges them, notebooks in JupyterLab and commands that print results are
served from here, because their process says where: store_in().
In a test all is computed. (joblib.Memory writes a folder of two files for each of them.)
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sqlite3
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_LIBRARIES = ("numpy", "scipy", "diptest", "ruptures")
_WAIT_S = 10.0  # for another page that is writing

_folder: Path | None = None  # of the stored results


def store_in(folder: Path | None) -> None:
    """Store results in that folder from now on; None: compute all."""
    global _folder
    _folder = folder


def cached(function: Callable[P, R]) -> Callable[P, R]:
    """A pure function whose results for a page of the book are stored between executions."""

    @functools.wraps(function)
    def from_disk(*args: P.args, **kwargs: P.kwargs) -> R:
        if _folder is None:
            return function(*args, **kwargs)
        content = pickle.dumps((function.__module__, function.__name__, args, kwargs))
        key = hashlib.sha256(content).digest()
        try:
            database = _open(_folder, os.getpid())
            row = database.execute("SELECT result FROM results WHERE key = ?", [key]).fetchone()
            if row:
                return pickle.loads(row[0])
            result = function(*args, **kwargs)
            database.execute(
                "INSERT OR REPLACE INTO results VALUES (?, ?)", [key, pickle.dumps(result)]
            )
            return result
        except (sqlite3.Error, OSError):  # a full disk, or a file that is broken
            return function(*args, **kwargs)

    return from_disk


@functools.cache
def _open(folder: Path, _process: int) -> sqlite3.Connection:
    """The results of this version of the code. A connection does not outlive a fork."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"statistics-{_code_version()}.sqlite"
    for other in set(folder.glob("statistics-*.sqlite*")) - set(folder.glob(f"{path.name}*")):
        other.unlink(missing_ok=True)
    database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = OFF")  # what a power cut loses is computed again
    database.execute("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, result BLOB)")
    return database


@functools.cache
def _code_version() -> str:
    """Of this package's sources and the libraries that it uses."""
    content = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        content.update(path.read_bytes())
    for library in _LIBRARIES:
        content.update(version(library).encode())
    return content.hexdigest()[:16]
