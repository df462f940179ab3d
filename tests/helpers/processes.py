"""Which processes live, whose they are, and waiting until something holds.

A test looks at processes of its own alone: the test process adopts every orphan that descends from
it (helpers/leaks.py), so whatever else this machine tests or measures is not among its descendants.
"""

import contextlib
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from helpers.project import LIBRARY

# Of a process or thread (proc(5), stat), counted after its name.
STATE, PARENT, CPU = 0, 1, 36


def until(condition: Callable, seconds: float = 10.0, pause_s: float = 0.01):
    """What the condition gave as soon as it held; what it gave last if it did not in that time. Its
    pauses are counted, not the clock: a machine that stood still for a while has not used them up."""
    for _ in range(round(seconds / pause_s)):
        if held := condition():
            return held
        time.sleep(pause_s)
    return condition()


def stat(path) -> list[str]:
    """The fields of a process or thread, by its folder in /proc, after its name."""
    return (Path(path) / "stat").read_text().rsplit(")", 1)[1].split()


def alive(pid) -> bool:
    """Whether the process runs; one that is dead and not yet waited for does not."""
    with contextlib.suppress(OSError):
        return stat(f"/proc/{pid}")[STATE] not in "ZX"
    return False


def name_of(pid: int) -> str:
    """The name of the program that a process runs; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


# More than reckon-peer waits before it has answered the hello: a service lives before that.
_WAITS_OF_THE_HELLO = 10


def is_serving(pid: int) -> bool:
    """Whether a server is in the middle of its work: it has waited for messages (voluntary context
    switches, proc(5)) more often than the hello takes."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        waits = int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.M)[1])
        return waits > _WAITS_OF_THE_HELLO
    return False


def pids_gone(pids, seconds: float = 3.0) -> bool:
    """Whether none of the processes runs any more, after a moment."""
    return until(lambda: not any(alive(pid) for pid in pids), seconds)


def _parents() -> dict[int, int]:
    """The parent of every process, dead ones too."""
    parents = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parents[int(name)] = int(file.read().rpartition(b")")[2].split(None, 2)[PARENT])
    return parents


def children_of(parent: int) -> list[int]:
    """Every child of a process, dead ones too."""
    return [pid for pid, its_parent in _parents().items() if its_parent == parent]


def living_children(parent: int) -> list[int]:
    """The children of a process that run."""
    return [pid for pid in children_of(parent) if alive(pid)]


def descendants(parent: int | None = None) -> list[int]:
    """The living children of a process (of this one), then theirs, and so on."""
    parents, generation, pids = _parents(), {parent or os.getpid()}, []
    while generation:
        generation = {pid for pid, its_parent in parents.items() if its_parent in generation}
        pids += sorted(generation)
    return [pid for pid in pids if alive(pid)]


def _program(pid: int) -> str:
    """The path of the program that a process runs; empty if it has ended."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/exe")
    return ""


def running(program: str) -> list[int]:
    """The descendants of this process that run that program of this checkout's library."""
    return [pid for pid in descendants() if _program(pid) == str(LIBRARY / program)]


def probes_of(parent: int) -> list[int]:
    """The children of a process that are this checkout's reckon-probe."""
    program = str(LIBRARY / "reckon-probe")
    return [pid for pid in living_children(parent) if _program(pid) == program]


def descendants_named(word: str) -> list[int]:
    """The living descendants of this process with that word in their command line."""
    pids = []
    for pid in descendants():
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                pids.append(pid)
    return pids
