"""The disk that is measured: what the scratch folder (SCRATCH=) lies on."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from reckon import config

IN_MEMORY = ("tmpfs", "ramfs")
# As the kernel names them in /proc/filesystems.
_ON_ANOTHER_HOST = ("9p", "afs", "ceph", "cifs", "nfs", "nfs4", "smb3", "virtiofs")
_MOUNTS = Path("/proc/self/mountinfo")


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
        return float((queue / "read_ahead_kb").read_text("ascii")) * 1024
    except (OSError, StopIteration, ValueError):
        return None
