"""The disk that is measured (SCRATCH=), and the files of real data that the rows read there.

They are made once a run, in a folder named after the process that owns them, and go with it: the
builder shares its folder with the notebooks that it executes; in JupyterLab each notebook has its
own. What a killed owner left behind is removed by the next one.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from reckon import config, units
from reckon.config import ReckonError

SHARE_OF_FREE = 0.25  # the most that the files may take of what is free
_CHUNK_BYTES = 1 << 22
_NAME = "reckon-files-"
IN_MEMORY = ("tmpfs", "ramfs")


class ScratchCannot(ReckonError):
    """The files cannot be made; the message is the reason."""


def _mount() -> tuple[str, str]:
    """File system type and source of what the scratch folder lies on (proc_pid_mountinfo(5))."""
    folder, found = os.path.realpath(config.scratch_dir()), ("unknown", "unknown")
    longest = -1
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, after = line.split(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split()[4])
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:  # of two on one point the later one is seen
            longest, found = len(point), tuple(after.split()[:2])
    return found


def identity() -> str:
    """Which disk it is, for a record's key: samples of another one do not serve. Two sticks at one
    device's name differ in what statvfs(3) calls f_fsid."""
    try:
        mark = f"{os.statvfs(config.scratch_dir()).f_fsid:x}"
    except OSError:
        mark = "not there"
    return " ".join(["scratch", *_mount(), mark])


def facts() -> dict[str, tuple]:
    """As the machine description has it: value in base units, source."""
    folder = config.scratch_dir()
    kind, source = _mount()
    what = (
        "in memory, not on a disk"
        if kind in IN_MEMORY
        else "layers over another file system"
        if kind == "overlay"
        else "a file system on " + source
    )
    try:
        about = os.statvfs(folder)
        size = float(about.f_blocks * about.f_frsize)
    except OSError:
        size = None
    ahead = _read_ahead(folder)
    return {
        "folder": (str(folder), "SCRATCH"),
        "filesystem": (kind, "/proc/self/mountinfo"),
        "lies_on": (what, "/proc/self/mountinfo"),
        "size": (size, "statvfs"),
        "read_ahead": (ahead, "read_ahead_kb" if ahead is not None else ""),
    }


def _read_ahead(folder: Path) -> float | None:
    """How many bytes the kernel reads at most for one fault or read without advice; None where no block device
    is below, or it does not say. A partition has the queue of its disk (sysfs-block(5))."""
    try:
        device = os.stat(folder).st_dev
        at = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
        queue = next(path for path in (at / "queue", at.parent / "queue") if path.is_dir())
        return float((queue / "read_ahead_kb").read_text()) * 1024
    except (OSError, StopIteration, ValueError):
        return None


# --- whose files they are ------------------------------------------------------------------------


def _started(pid: int) -> str | None:
    """When that process started, in ticks since boot; None where there is none (proc_pid_stat(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return stat.rsplit(")", 1)[1].split()[19]


def _space() -> str:
    """Where a process has its number: this boot of this machine, and the PID namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    return boot + re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))


def _own_name() -> str:
    return f"{_NAME}{_space()}-{os.getpid()}-{_started(os.getpid())}"


def sweep() -> None:
    """Remove what killed owners of this PID namespace left in the scratch folder."""
    for path in config.scratch_dir().glob(f"{_NAME}{_space()}-*"):
        pid, _, started = path.name.removeprefix(f"{_NAME}{_space()}-").partition("-")
        ours = path.lstat().st_uid == os.geteuid()
        if ours and re.fullmatch(r"[0-9]{1,9}", pid) and _started(int(pid)) != started:
            shutil.rmtree(path, ignore_errors=True)


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a forked child that happens to end in Python
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def shared() -> Iterator[None]:
    """All that is started meanwhile shares one folder of files, which is removed at the end."""
    path = config.scratch_dir() / _own_name()
    before = config.files_dir()
    os.environ["RECKON_FILES"] = str(path)
    try:
        yield
    finally:
        _remove(path, os.getpid())
        os.environ.pop("RECKON_FILES")
        if before:
            os.environ["RECKON_FILES"] = str(before)


def _folder() -> Path:
    """The folder of whoever shares one with this process, or one of its own until it ends."""
    path = config.files_dir()
    if path is None or path.parent != config.scratch_dir():
        path = config.scratch_dir() / _own_name()
        os.environ["RECKON_FILES"] = str(path)  # what the rows read (csrc/probe/scratch.h)
        atexit.register(_remove, path, os.getpid())
    if not path.exists():
        sweep()
    path.mkdir(mode=0o700, exist_ok=True)
    # Its name can be foreseen, and others may write beside it: what they put there is not ours to use.
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise ScratchCannot(f"{path} is there already and another user's; remove it.")
    return path


# --- the files -----------------------------------------------------------------------------------


def prepare(
    files: int, size_bytes: int, told: Callable[[str], None] = lambda text: None
) -> list[Path]:
    """At least so many files of at least so many bytes of random data, written to the disk; what is
    there already is kept. `told` hears what is being written. Raises ScratchCannot."""
    where = config.scratch_dir()
    try:
        paths = [_folder() / f"data-{index}" for index in range(files)]
        missing = [max(0, size_bytes - _size(path)) for path in paths]
        about = os.statvfs(where)
        free = about.f_bavail * about.f_frsize
        if sum(missing) > SHARE_OF_FREE * free:
            raise ScratchCannot(
                f"Files of {units.amount(sum(missing), 'byte')} would take more than a quarter of the "
                f"{units.amount(free, 'byte')} that are free in {where}; choose another disk with SCRATCH=."
            )
        for path, more in zip(paths, missing, strict=True):
            if more:
                told(f"writing {units.amount(more, 'byte')} to {where}")
                _grow(path, size_bytes)
    except OSError as error:
        raise ScratchCannot(f"No file can be written in {where}: {error.strerror}.") from None
    return paths


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _grow(path: Path, size_bytes: int) -> None:
    """Append random data: holes and unwritten extents would be read without the disk, and what
    repeats might be stored once. What is interrupted is taken back: it may not be on the disk."""
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
