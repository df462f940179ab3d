"""Which processes live, whose they are, and waiting until something holds."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from helpers.project import ROOT

# Of a process or thread (proc(5), stat), counted after its name.
STATE, PARENT, GROUP, CPU = 0, 1, 2, 36


def until(condition: Callable, seconds: float = 10.0, pause_s: float = 0.01):
    """What the condition gave as soon as it held; what it gave last if it did not in that time."""
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(pause_s)
    return held


def stat(path) -> list[str]:
    """The fields of a process or thread, by its folder in /proc, after its name."""
    return (Path(path) / "stat").read_text().rsplit(")", 1)[1].split()


def alive(pid) -> bool:
    """Whether the process runs; one that is dead and not yet waited for does not."""
    with contextlib.suppress(OSError):
        return stat(f"/proc/{pid}")[STATE] not in "ZX"
    return False


def processes_where(holds: Callable[[Path], bool]) -> list[int]:
    """Every process, dead ones too, for whose folder in /proc that is so."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if holds(path):
                found.append(int(path.name))
    return found


def children_of(parent: int) -> list[int]:
    """Every child of a process, dead ones too."""
    return processes_where(lambda path: int(stat(path)[PARENT]) == parent)


def probes_of(parent: int) -> list[int]:
    """The children of a process that are this checkout's reckon-probe."""
    program = str(ROOT / "_build/lib/reckon-probe")
    return processes_where(
        lambda path: int(stat(path)[PARENT]) == parent and os.readlink(path / "exe") == program
    )


def living_children(parent: int) -> list[int]:
    """The children of a process that run."""
    return [pid for pid in children_of(parent) if alive(pid)]


def descendants(parent: int) -> list[int]:
    """The living children of a process, and theirs."""
    direct = living_children(parent)
    return direct + [pid for child in direct for pid in descendants(child)]


def pids_gone(pids, seconds: float = 3.0) -> bool:
    """Whether none of the processes runs any more, after a moment."""
    return until(lambda: not any(alive(pid) for pid in pids), seconds)
