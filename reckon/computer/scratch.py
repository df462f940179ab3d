"""The files of random data that the probes read, in the scratch folder (SCRATCH=).

They are made once a run, in a folder named after the process that owns them, and removed with it:
the builder shares its folder with the notebooks that it executes; in JupyterLab each notebook has
its own. The files of a killed owner are removed by the next one.
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from reckon import config, units
from reckon.computer import owners
from reckon.computer.locations import named_locations
from reckon.errors import Unavailable, is_limit

SHARE_OF_FREE = 0.25  # the files take at most this share of the free space
SMALLEST_FILE_BYTES = 4096  # written only to have a folder to export
_CHUNK_BYTES = 1 << 22
_PREFIX = "reckon-files-"
# What a disk reports that became full or fails; another time it may not.
_TEMPORARY = (errno.ENOSPC, errno.EIO)


class ScratchUnavailable(Unavailable):
    """The files cannot be made; the message is the reason."""


# --- their folder --------------------------------------------------------------------------------


def sweep() -> None:
    """Removes the folders that killed owners of this PID namespace left in the scratch folder."""
    owners.sweep(config.settings().scratch_dir, _PREFIX)


class _State:
    """The folder of files that this process uses, once it has one."""

    folder: Path | None = None


@contextmanager
def shared_folder() -> Iterator[Path]:
    """The folder of files that all processes started inside share; it is removed at the end."""
    before = _State.folder
    path = _State.folder = _path_of_own_folder()
    try:
        yield path
    finally:
        _remove_own_folder(path, os.getpid())
        _State.folder = before


def folder_in_use() -> Path | None:
    """The folder of files that this process has made or was given; None so far."""
    return _State.folder


def _path_of_own_folder() -> Path:
    return config.settings().scratch_dir / f"{_PREFIX}{owners.process_name()}"


def _remove_own_folder(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a forked child that happens to end in Python
        shutil.rmtree(path, ignore_errors=True)


def use_folder(folder: Path | None) -> None:
    """Use that folder of files, which another process owns and removes."""
    _State.folder = folder


def _named_folder() -> Path | None:
    named = named_locations().get("files")
    return Path(named) if named else None


def _make_folder() -> Path:
    """The folder in use, or one of this process until it ends; it is made.

    Raises ScratchUnavailable if it is another user's."""
    path = _State.folder or _named_folder()
    if path is None or path.parent != config.settings().scratch_dir:
        path = _State.folder = _path_of_own_folder()
        atexit.register(_remove_own_folder, path, os.getpid())
    if not path.exists():
        sweep()
    path.mkdir(mode=0o700, exist_ok=True)
    # Others may write beside it, and its name is predictable: never use a folder that they made.
    status = path.lstat()
    is_private = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    if not (stat.S_ISDIR(status.st_mode) and is_private):
        raise ScratchUnavailable(f"{path} is there already and another user's; remove it.")
    return path


# --- the files -----------------------------------------------------------------------------------


def prepare_files(
    files: int, size_bytes: int, on_progress: Callable[[str], object] = lambda text: None
) -> list[Path]:
    """The paths of at least `files` files of at least `size_bytes` of random data, on the disk.

    Existing data are kept. `on_progress` is called with what is being written.
    Raises ScratchUnavailable.
    """
    where = config.settings().scratch_dir
    try:
        paths = [_make_folder() / f"data-{index}" for index in range(files)]
        missing = [max(0, size_bytes - _size(path)) for path in paths]
        free = free_bytes()
        if sum(missing) > SHARE_OF_FREE * free:
            raise ScratchUnavailable(
                f"Files of {units.amount(sum(missing), 'byte')} would take more than a quarter of "
                f"the {units.amount(free, 'byte')} that are free in {where}; choose another disk "
                "with SCRATCH=."
            )
        for path, more in zip(paths, missing, strict=True):
            if more:
                on_progress(f"writing {units.amount(more, 'byte')} to {where}")
                _grow(path, size_bytes)
    except OSError as error:
        raise ScratchUnavailable(
            f"No file can be written in {where}: {error.strerror}.",
            temporary=error.errno in _TEMPORARY or is_limit(error),
        ) from None
    return paths


def free_bytes() -> int:
    """The free space of the file system of the scratch folder. Raises OSError."""
    filesystem = os.statvfs(config.settings().scratch_dir)
    return filesystem.f_bavail * filesystem.f_frsize


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _grow(path: Path, size_bytes: int) -> None:
    """Appends random data up to that size.

    Holes and unwritten extents would be read without the disk, and repeated blocks might be stored
    once. An interrupted file is cut back: its end may not be on the disk.
    """
    random, before = np.random.default_rng(), _size(path)
    try:
        with open(path, "ab") as file:
            while (left := size_bytes - file.tell()) > 0:
                file.write(random.bytes(min(left, _CHUNK_BYTES)))
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.truncate(path, before)
        raise
