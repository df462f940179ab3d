"""Which CPUs belong to a core that already works: its threads take a share of it from each other.

Looked at once, when a run is opened, and kept in it: all processes of a run, minutes apart, have to
run on the same CPU.
"""

from __future__ import annotations

from pathlib import Path

import psutil

from reckon.computer.system_files import cpus_of_list, read_text

_WINDOW_S = 1.0
_BUSY_PERCENT = 20  # of the window; less is what any idle system does now and then


def cpus_of_busy_cores() -> list[int]:
    """The CPUs of cores of several threads with a busy one; takes a second if there are such."""
    siblings = siblings_of(Path("/sys"))
    if not any(siblings.values()):
        return []
    shares = psutil.cpu_percent(_WINDOW_S, percpu=True)  # of the online CPUs, as siblings are
    online = zip(sorted(siblings), shares, strict=False)  # one may come or go
    busy = {cpu for cpu, percent in online if percent > _BUSY_PERCENT}
    return sorted(cpu for cpu, others in siblings.items() if others and busy & {cpu, *others})


def siblings_of(sys: Path) -> dict[int, set[int]]:
    """The other threads of each CPU's core, as the kernel reports them."""
    siblings = {}
    for path in sys.glob("devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list"):
        cpu = int(path.parent.parent.name.removeprefix("cpu"))
        siblings[cpu] = cpus_of_list(read_text(str(path)) or "") - {cpu}
    return siblings
