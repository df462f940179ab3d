"""Which CPU is measured: one of the fastest that this process may use.

The partner of a probe is chosen by the same order (csrc/probe/topology.c).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from reckon.computer.system_files import cpus_of_list, read_text


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
