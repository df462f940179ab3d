"""Which CPU is measured: one of the fastest that this process may use.

The partner of a probe is chosen by the same order (csrc/probe/topology.c). Cores that already work
are avoided, because their threads take a share from each other. They are looked at once, when a run
is opened, and kept in it: all processes of a run, minutes apart, have to run on the same CPU.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import psutil

from reckon.computer.system_files import cpus_of_list, read_text

_WINDOW_S = 1.0
_BUSY_PERCENT = 20  # of the window; less is what any idle system does now and then


def default_cpu(avoided: Collection[int] = ()) -> int:
    """The fastest CPU that this process may use; one of `avoided` only if all of them are. Of
    several it is the last, because interrupts tend to go to the first."""
    fastest = fastest_of(os.sched_getaffinity(0))
    return ([cpu for cpu in fastest if cpu not in avoided] or fastest)[-1]


def fastest_of(cpus: Collection[int], sys: Path = Path("/sys")) -> list[int]:
    """Those of the CPUs that are the fastest, so no efficiency core of a hybrid processor."""
    performance_cores = cpus_of_list(read_text(f"{sys}/devices/cpu_core/cpus") or "")

    def speed(cpu: int) -> tuple[int, bool, int]:
        """In order of weight; 0 if not known."""
        folder = sys / f"devices/system/cpu/cpu{cpu}"
        # Relative to the fastest: AArch64, and hybrid x86 since Linux 6.12.
        capacity = int(read_text(f"{folder}/cpu_capacity") or 0)
        highest_khz = int(read_text(f"{folder}/cpufreq/cpuinfo_max_freq") or 0)
        return capacity, cpu in performance_cores, highest_khz

    speeds = {cpu: speed(cpu) for cpu in sorted(cpus)}
    return [cpu for cpu, each in speeds.items() if each == max(speeds.values())]


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
