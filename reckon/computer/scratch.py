"""The disk that is measured (SCRATCH=), and the files of random data that the probes read there.

They are made once a run, in a folder named after the process that owns them, and removed with it:
the builder shares its folder with the notebooks that it executes; in JupyterLab each notebook has
its own. The files of a killed owner are removed by the next one.
"""

from __future__ import annotations

import atexit
import errno
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from reckon import config, units
from reckon.computer import owners
from reckon.config import Unavailable

SHARE_OF_FREE = 0.25  # the files take at most this share of the free space
SMALLEST_FILE_BYTES = 4096  # written only to have a folder to export
_CHUNK_BYTES = 1 << 22
_PREFIX = "reckon-files-"
IN_MEMORY = ("tmpfs", "ramfs")
# As the kernel names them in /proc/filesystems.
_ON_ANOTHER_HOST = ("9p", "afs", "ceph", "cifs", "nfs", "nfs4", "smb3", "virtiofs")
_MOUNTS = Path("/proc/self/mountinfo")
# What a disk reports that became full or fails; another time it may not.
_TEMPORARY = (errno.ENOSPC, errno.EIO)


class ScratchUnavailable(Unavailable):
    """The files cannot be made; the message is the reason."""


def _mount() -> tuple[str, str]:
    """The type and source of the file system below the scratch folder (proc_pid_mountinfo(5))."""
    folder, kind, source = os.path.realpath(config.settings().scratch_dir), "unknown", "unknown"
    longest = -1
    for line in _MOUNTS.read_text(encoding="utf-8").splitlines():
        before, after = line.split(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split()[4])
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:  # of two on one point the later one is seen
            longest = len(point)
            kind, source = after.split()[:2]
    return kind, source


def identity() -> str:
    """Which disk it is, for a record's key: samples of another disk are not reused.

    Two USB sticks under one device name differ in their f_fsid (statvfs(3)).
    """
    try:
        mark = f"{os.statvfs(config.settings().scratch_dir).f_fsid:x}"
    except OSError:
        mark = "not there"
    return " ".join(["scratch", *_mount(), mark])


def _lies_on(kind: str, source: str) -> str:
    """What the reads of a file system of that type and source need."""
    if kind in IN_MEMORY:
        return "in memory, not on a disk"
    if kind == "overlay":
        return "layers over another file system"
    if kind in _ON_ANOTHER_HOST:
        return f"on another host ({source}), not on a disk of this machine"
    if kind == "zfs":
        return f"the ZFS {source}, whose own cache answers reads that pass the page cache"
    if kind == "fuse" or kind.startswith("fuse."):
        return f"a file system in user space ({kind}), which may need no disk"
    return f"a file system on {source}"


def facts() -> dict[str, tuple]:
    """The fields of the machine description: value in base units, source."""
    folder = config.settings().scratch_dir
    kind, source = _mount()
    size = None
    with suppress(OSError):
        filesystem = os.statvfs(folder)
        size = float(filesystem.f_blocks * filesystem.f_frsize)
    read_ahead = _read_ahead(folder)
    return {
        "folder": (str(folder), "SCRATCH"),
        "filesystem": (kind, "/proc/self/mountinfo"),
        "lies_on": (_lies_on(kind, source), "/proc/self/mountinfo"),
        "size": (size, "statvfs"),
        "read_ahead": (read_ahead, "read_ahead_kb" if read_ahead is not None else ""),
    }


def _read_ahead(folder: Path) -> float | None:
    """The bytes that the kernel reads at most for one fault or read without advice.

    None if there is no block device below, or it does not report them. A partition has the queue
    of its disk (sysfs-block(5)).
    """
    try:
        device = os.stat(folder).st_dev
        entry = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
        queue = next(path for path in (entry / "queue", entry.parent / "queue") if path.is_dir())
        return float((queue / "read_ahead_kb").read_text()) * 1024
    except (OSError, StopIteration, ValueError):
        return None


# --- whose files they are ------------------------------------------------------------------------


def sweep() -> None:
    """Removes the files that killed owners of this PID namespace left in the scratch folder."""
    owners.sweep(config.settings().scratch_dir, _PREFIX)


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a forked child that happens to end in Python
        shutil.rmtree(path, ignore_errors=True)


class _State:
    """The folder of this process, once it has one."""

    folder: Path | None = None


def _path_of_this_process() -> Path:
    return config.settings().scratch_dir / f"{_PREFIX}{owners.process_name()}"


@contextmanager
def shared() -> Iterator[Path]:
    """The folder of files that all processes started inside share; it is removed at the end."""
    before = _State.folder
    path = _State.folder = _path_of_this_process()
    try:
        yield path
    finally:
        _remove(path, os.getpid())
        _State.folder = before


def folder() -> Path | None:
    """The folder of files that this process has made or shares; None so far."""
    return _State.folder


def use(folder: Path | None) -> None:
    """Make it the folder of this process; another process made it and removes it."""
    _State.folder = folder


def _named_folder() -> Path | None:
    """The folder that the environment names."""
    named = config.locations().get("files")
    return Path(named) if named else None


def _folder() -> Path:
    """The folder that a parent shares with this process, or one of its own until it ends."""
    path = _State.folder or _named_folder()
    if path is None or path.parent != config.settings().scratch_dir:
        path = _State.folder = _path_of_this_process()
        atexit.register(_remove, path, os.getpid())
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


def prepare(
    files: int, size_bytes: int, on_progress: Callable[[str], object] = lambda text: None
) -> list[Path]:
    """The paths of at least `files` files of at least `size_bytes` of random data, on the disk.

    Existing data are kept. `on_progress` is called with what is being written.
    Raises ScratchUnavailable.
    """
    where = config.settings().scratch_dir
    try:
        paths = [_folder() / f"data-{index}" for index in range(files)]
        missing = [max(0, size_bytes - _size(path)) for path in paths]
        filesystem = os.statvfs(where)
        free = filesystem.f_bavail * filesystem.f_frsize
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
            temporary=error.errno in _TEMPORARY or config.is_limit(error),
        ) from None
    return paths


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _grow(path: Path, size_bytes: int) -> None:
    """Appends random data: holes and unwritten extents would be read without the disk, and
    repeated blocks might be stored once. An interrupted file is cut back: its end may not be on
    the disk.
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
