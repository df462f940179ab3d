"""Whose a file or folder is, by the process in its name, so that what a killed one left is known.

csrc/probe/owner.h names control groups alike. The start is in ticks since boot, because the time
that psutil gives moves with the clock.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from pathlib import Path


def _started(pid: int) -> str | None:
    """When that process started, in ticks since boot (proc_pid_stat(5)).

    None where there is none, or one that has ended and was not waited for."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rsplit(")", 1)[1].split()  # from the third, the state
    return None if fields[0] in "ZX" else fields[19]


def _space() -> str:
    """What a process's number is unique in: this boot of this machine, and its PID namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    return boot + re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))


def process_name() -> str:
    """The name of this process, which no other process has or will have."""
    return f"{_space()}-{os.getpid()}-{_started(os.getpid())}"


def _has_ended(path: Path, prefix: str) -> bool:
    """Whether the path is this user's and named after the prefix and a process that has ended.

    False for a process of another PID namespace: whether it has ended is not known here.
    """
    owner = re.fullmatch(
        rf"{re.escape(prefix)}{_space()}-([0-9]{{1,9}})-([0-9]+)(?:[.].*)?", path.name
    )
    try:
        is_own = path.lstat().st_uid == os.geteuid()
    except OSError:  # removed by another process
        return False
    return is_own and owner is not None and _started(int(owner[1])) != owner[2]


def sweep(folder: Path, prefix: str) -> None:
    """Removes from the folder what is named after the prefix and a process that has ended."""
    for path in folder.glob(f"{glob.escape(prefix)}*"):
        if _has_ended(path, prefix):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
