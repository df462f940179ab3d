"""What this user may do on this machine, and what is installed: what is missing skips a test and says why.

CI has the packages and is root, so there what lacks a package or a right fails. What neither provides (a
device, an instruction set) is a property of the machine and skips in CI as well. pytest prints a
reason once, with the number of tests that it skipped.
"""

import functools
import os
import platform
import shutil
from pathlib import Path

import pytest

from helpers.project import ROOT

# capabilities(7), by the number of their bit
CAPABILITIES = {
    "setuid": 7,
    "net_raw": 13,
    "ipc_lock": 14,
    "sys_admin": 21,
    "sys_nice": 23,
}


def need(condition, reason: str) -> None:
    """Skip with the reason unless what can be installed is there; in CI fail."""
    if condition:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI must be able to run this: {reason}")
    pytest.skip(reason)


def installed(*programs: str) -> None:
    """Skip unless all these programs are installed; in CI fail."""
    for program in programs:
        installed_any(program)


def installed_any(*programs: str) -> str:
    """The path of the first of these programs that is installed; without one, skip, and in CI fail."""
    path = next(filter(None, map(shutil.which, programs)), None)
    need(path, f"{programs[0]} is not installed; as root, `tools/setup tests` installs it")
    return path


def given(condition, reason: str) -> None:
    """Skip with the reason unless the machine gives it, in CI too."""
    if not condition:
        pytest.skip(reason)


@functools.cache
def _effective() -> int:
    """The effective capabilities of this process as a bit set (proc(5), status)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16)


def has_capability(name: str) -> bool:
    """Whether this process has the capability."""
    return bool(_effective() >> CAPABILITIES[name] & 1)


def capable(name: str, purpose: str) -> None:
    """Skip unless this process has the capability; `purpose` begins the reason."""
    need(has_capability(name), f"{purpose} needs CAP_{name.upper()}; as root, `make test` has it")


def other_users() -> None:
    """Skip unless this process may become another user, who can reach the library."""
    capable("setuid", "becoming another user")
    is_reached = all(folder.stat().st_mode & 1 for folder in [ROOT, *ROOT.parents])
    need(is_reached, f"another user cannot reach {ROOT}; a clone below /srv can be reached")


def own_mounts() -> None:
    """Skip unless mounts, and namespaces for them, can be made without a user namespace."""
    installed("unshare")
    capable("sys_admin", "a mount of the test's own")


def own_network() -> None:
    """Skip unless a network namespace can be made and set up without a user namespace."""
    installed("unshare", "ip")
    capable("sys_admin", "a network namespace of the test's own")


def captures() -> None:
    """Skip unless this process may capture packets."""
    capable("net_raw", "capturing packets")


def raised_priority() -> None:
    """Skip unless this process may take a real-time policy or a negative nice value."""
    capable("sys_nice", "a raised priority")


def x86_only() -> None:
    """Skip on other instruction sets."""
    given(platform.machine() == "x86_64", "x86-64 instructions and system calls")


def two_cpus() -> None:
    """Skip where this process may use one CPU alone."""
    given(len(os.sched_getaffinity(0)) >= 2, "one CPU alone")
