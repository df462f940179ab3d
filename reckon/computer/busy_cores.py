"""Which CPUs belong to a core that already works: its threads take a share of it from each other.

Looked at once, when a run is opened, and kept in it: all processes of a run, minutes apart, have to
run on the same CPU.
"""

from __future__ import annotations

import time
from pathlib import Path

from reckon.computer.system_files import cpus_of_list, read_text

_WINDOW_S = 1.0
_BUSY = 0.2  # of the window; less is what any idle system does now and then
# user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)); guests' times are in user
_TIMES = 8
_IDLE = (3, 4)


def cpus_of_busy_cores() -> list[int]:
    """The CPUs of cores of several threads with a busy one; takes a second if there are such."""
    siblings = siblings_of(Path("/sys"))
    if not any(siblings.values()):
        return []
    before = _stat()
    time.sleep(_WINDOW_S)
    busy = busy_cpus(before, _stat())
    return sorted(cpu for cpu, others in siblings.items() if others and busy & {cpu, *others})


def siblings_of(sys: Path) -> dict[int, set[int]]:
    """The other threads of each CPU's core, as the kernel reports them."""
    siblings = {}
    for path in sys.glob("devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list"):
        cpu = int(path.parent.parent.name.removeprefix("cpu"))
        siblings[cpu] = cpus_of_list(read_text(str(path)) or "") - {cpu}
    return siblings


def busy_cpus(before: str, after: str) -> set[int]:
    """The CPUs that worked for more than a fifth of the time between two texts of /proc/stat."""
    first, last = _times(before), _times(after)
    busy = set()
    for cpu in first.keys() & last.keys():
        spent = [late - early for early, late in zip(first[cpu], last[cpu], strict=True)]
        if sum(spent) and 1 - sum(spent[i] for i in _IDLE) / sum(spent) > _BUSY:
            busy.add(cpu)
    return busy


def _stat() -> str:
    return read_text("/proc/stat") or ""


def _times(stat: str) -> dict[int, list[int]]:
    times = {}
    for line in stat.splitlines():
        name, *values = line.split()
        number = name.removeprefix("cpu")
        if number != name and number.isdecimal():
            times[int(number)] = [int(value) for value in values[:_TIMES]]
    return times
