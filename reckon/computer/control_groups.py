"""What control groups leave this process: CPUs and memory (cgroups(7), versions 1 and 2)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from reckon.computer.system_files import read_text

OWN_GROUPS = Path("/proc/self/cgroup")
MOUNTED_AT = Path("/sys/fs/cgroup")


def cpus() -> float:
    """How many CPUs' time the groups allow this process; infinite without a limit."""
    return min(map(_cpus_of, _folders("cpu")), default=math.inf)


def memory_left_bytes() -> float:
    """What the memory limits leave, with the page cache that can be given back; infinite without
    a limit. The same as csrc/probe/available.c."""
    return min(map(_memory_left_in, _folders("memory")), default=math.inf)


def memory_limit_bytes() -> float:
    """The lowest memory limit; infinite without one."""
    return min(map(_memory_limit_of, _folders("memory")), default=math.inf)


def _folders(controller: str) -> Iterator[Path]:
    """The folder of this process's group and of each above it, where that controller is.

    In a container only the topmost may exist: its own group, whose name is the one outside."""
    for line in (read_text(str(OWN_GROUPS)) or "").splitlines():
        _, controllers, group = line.split(":", 2)
        if not controllers or controller in controllers.split(","):
            mount = MOUNTED_AT / controllers
            path = Path(group.lstrip("/"))
            yield from (mount / each for each in (path, *path.parents))


def _number_in(path: Path) -> float:
    """The number in a file; infinite for "max", -1 and a file that cannot be read."""
    text = read_text(str(path)) or ""
    return float(text) if text.isdecimal() else math.inf


def _cpus_of(folder: Path) -> float:
    quota, _, period = (read_text(str(folder / "cpu.max")) or "").partition(" ")
    if quota.isdecimal() and period.isdecimal():
        return int(quota) / int(period)
    quota_us = _number_in(folder / "cpu.cfs_quota_us")
    return math.inf if math.isinf(quota_us) else quota_us / _number_in(folder / "cpu.cfs_period_us")


def _memory_limit_of(folder: Path) -> float:
    return min(_number_in(folder / "memory.max"), _number_in(folder / "memory.limit_in_bytes"))


def _memory_left_in(folder: Path) -> float:
    limit = _number_in(folder / "memory.max")
    use, prefix = "memory.current", ""
    if math.isinf(limit):
        limit = _number_in(folder / "memory.limit_in_bytes")
        use, prefix = "memory.usage_in_bytes", "total_"
    used = _number_in(folder / use)
    if math.isinf(limit) or math.isinf(used):
        return limit
    statistics = read_text(str(folder / "memory.stat")) or ""
    cached_bytes = re.findall(rf"^{prefix}(?:in)?active_file (\d+)$", statistics, re.M)
    return max(0.0, limit - used + sum(map(int, cached_bytes)))
