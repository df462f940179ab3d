"""What a test left behind: processes, mounts, control groups and scratch files of this test process.

The test process adopts every orphan that descends from it, as a service manager does, and has a
scratch folder of its own, so that nothing is seen of another checkout's tests or measurements.
"""

import contextlib
import ctypes
import fnmatch
import functools
import os
import re
import tempfile
from pathlib import Path

from helpers.processes import STATE, children_of, descendants, stat, until
from reckon.computer import owners

PR_SET_CHILD_SUBREAPER = 36
LEAVING_S = 5.0  # a killed process or a control group may be on its way out for as long
GROUPS = Path("/sys/fs/cgroup")
CONTROLLERS = GROUPS / "cgroup.subtree_control"  # where control groups are of version 2


def adopt_orphans() -> None:
    """From now on orphans become children of this process, not of process 1 or of a user's manager."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@functools.cache
def scratch() -> Path:
    """The folder of this test process's scratch files, which other users may write to as well."""
    folder = Path(tempfile.mkdtemp(prefix="reckon-test-", dir="/var/tmp"))
    folder.chmod(0o1777)
    return folder


def living_owner(name: str) -> int | None:
    """The process that a group or folder is named after (csrc/probe/owner.h): SPACE-PID-STARTED.

    None if it has ended, also where another process has its number by now.
    """
    owner = re.search(r"-[0-9a-f]+-(\d+)-(\d+)(\.|$)", name)
    has_started = owner and owners._started(int(owner[1])) == owner[2]
    return int(owner[1]) if has_started else None


def controllers() -> set[str]:
    """The controllers that the root gives to the groups below it; none in version 1."""
    return set(CONTROLLERS.read_text().split()) if CONTROLLERS.exists() else set()


def take_back(controllers: set[str]) -> None:
    """The root gives these controllers no longer, unless a group of tests is left that may use them."""
    if not list(GROUPS.glob("reckon-test-*")):
        for name in controllers:
            CONTROLLERS.write_text(f"-{name}")


def _orphaned(paths) -> set[str]:
    return {str(path) for path in paths if living_owner(path.name) is None}


def _control_groups(others: set) -> list[str]:
    """Those of this process, of those below it, and of these owners."""
    folders = [folder for folder, _, _ in os.walk(GROUPS)]  # unlike rglob, while others go away
    groups = fnmatch.filter(folders, "*/reckon-*-*")
    if not groups:
        return []
    owners = others | {os.getpid(), *descendants()}
    return sorted(group for group in groups if living_owner(group) in owners)


def control_groups() -> list[str]:
    """The control groups of probes, by path, without those of living processes that are not below
    this one."""
    return _control_groups({None})


def groups_in_use() -> list[str]:
    """The control groups of this process and of those below it."""
    return _control_groups(set())


def remains(own_folder: Path) -> dict[str, set]:
    """What is there now, by kind: living children, mounts below the test's folders, control groups and
    scratch files whose owner is dead."""
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    return {
        "process": {
            pid
            for pid in children_of(os.getpid())
            if _alive_or_reaped(pid) and not _is_interpreters(pid)
        },
        "mount": {line.split()[1] for line in mounts if str(own_folder) in line},
        "control group": _orphaned(map(Path, control_groups())),
        "scratch folder": _orphaned(scratch().iterdir()),
    }


def _is_interpreters(pid: int) -> bool:
    """Whether the child is a server of Python's multiprocessing, or the tests' own (helpers.forked): they
    last as long as this process."""
    servers = (
        b"multiprocessing.forkserver",
        b"multiprocessing.resource",
        b"helpers.programs.forks",
    )
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return any(server in command for server in servers)
    return False


def _alive_or_reaped(pid: int) -> bool:
    """Whether the child lives; a dead one that was adopted is waited for."""
    with contextlib.suppress(OSError):
        if stat(f"/proc/{pid}")[STATE] != "Z":
            return True
        os.waitpid(pid, os.WNOHANG)
    return False


def added_since(before: dict[str, set], own_folder: Path) -> dict[str, set]:
    """What is there and was not before, once what is on its way out has had time to go."""
    added = {}

    def nothing_added():
        now = remains(own_folder)
        added.clear()
        added.update({kind: now[kind] - before[kind] for kind in now if now[kind] - before[kind]})
        return not added

    until(nothing_added, LEAVING_S, 0.02)
    return added


def described(added: dict[str, set]) -> str:
    """For the message of a failed check: each process with its command line."""
    lines = []
    for kind, entries in added.items():
        for entry in sorted(entries):
            command = b""
            if kind == "process":
                with contextlib.suppress(OSError):
                    command = Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ")
            lines.append(f"{kind} {entry} {command.decode(errors='replace')}".strip())
    return "\n".join(lines)
