"""Whether this computer is fit to be measured: passes and warnings, each with what to do."""

from __future__ import annotations

import glob
import os
import resource
import shutil
from typing import NamedTuple

import psutil

from reckon import config
from reckon.computer import control_groups, power
from reckon.computer.privileges import CAP_SYS_NICE, is_capable
from reckon.computer.system_files import cpuinfo, lscpu, read_text

_CPUS = "/sys/devices/system/cpu"


class Finding(NamedTuple):
    """What was found of one property of this computer, and what to do if it disturbs."""

    state: str  # "pass", "warn" or "unknown"
    found: str
    advice: str = ""


def check_all() -> list[dict[str, str]]:
    """Every check of this computer, done now, as JSON has it; it takes a quarter of a second."""
    return [{"name": name, **check()._asdict()} for name, check in _CHECKS.items()]


def _contents(pattern: str) -> set[str]:
    """The different contents of the files that match, without empty and unreadable ones."""
    return {text for path in glob.glob(pattern) if (text := read_text(path))}


def _ticks() -> Finding:
    flags = cpuinfo().get("flags", "").split()
    if os.uname().machine == "aarch64":
        return Finding("pass", "the architected counter is constant")
    missing = [flag for flag in ("constant_tsc", "nonstop_tsc") if flag not in flags]
    if missing:
        return Finding(
            "warn",
            f"no {' and no '.join(missing)}",
            "The TSC may change its rate or stop; do not trust intervals across sleeps.",
        )
    return Finding("pass", "the TSC is constant and does not stop")


def _clocksource() -> Finding:
    now = read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    if now is None:
        return Finding("unknown", "not reported")
    if now in ("tsc", "kvm-clock", "arch_sys_counter"):
        return Finding("pass", now)
    return Finding(
        "warn", now, "Reading this clock is slow; boot with clocksource=tsc if the TSC is stable."
    )


def _governor() -> Finding:
    governors = _contents(f"{_CPUS}/cpu*/cpufreq/scaling_governor")
    if not governors:
        return Finding(
            "unknown",
            "not reported",
            "The firmware or the hypervisor controls the clock, so the book "
            "measures the clock again next to every sample.",
        )
    if governors == {"performance"}:
        return Finding("pass", "performance")
    return Finding(
        "warn",
        ", ".join(sorted(governors)),
        "Run `cpupower frequency-set -g performance`.",
    )


def _turbo() -> Finding:
    no_turbo = read_text(f"{_CPUS}/intel_pstate/no_turbo")  # of Intel's driver alone
    boost = read_text(f"{_CPUS}/cpufreq/boost")
    if no_turbo is None and boost is None:
        return Finding(
            "unknown",
            "not reported",
            "Values in cycles use the clock that is measured next to each sample.",
        )
    if no_turbo == "1" or boost == "0":
        return Finding("pass", "off")
    return Finding(
        "warn",
        "on",
        "The core clock follows load and heat; switch turbo off in "
        "/sys/devices/system/cpu/intel_pstate/no_turbo or cpufreq/boost.",
    )


def _throttling() -> Finding:
    advice = (
        "Let the machine cool down, and keep its air inlets free; the clock is lower than usual."
    )
    if power.is_throttled_now():
        return Finding("warn", "slowed down by heat now", advice)
    count = power.throttle_count()
    if count is None:
        return Finding("unknown", "not reported")
    if count:
        return Finding("warn", f"{count} times since it was booted", advice)
    return Finding("pass", "not since it was booted")


def _power() -> Finding:
    charge = power.battery_charge()
    if charge is None:
        return Finding("pass", "mains")
    advice = "Firmware may lower the clock on a battery; connect the machine to the mains."
    return Finding("warn", f"on battery ({charge} %)", advice)


def _siblings() -> Finding:
    lists = _contents(f"{_CPUS}/cpu*/topology/thread_siblings_list")
    if any("," in siblings or "-" in siblings for siblings in lists):
        return Finding(
            "warn",
            "cores are shared by several threads (SMT)",
            "Keep the sibling idle, or boot with nosmt.",
        )
    kernels_view = "one a core, as far as the kernel knows"
    if lscpu().get("Hypervisor vendor"):
        advice = "A guest's two CPUs may be siblings of one core."
        return Finding("unknown", kernels_view, advice)
    return Finding("pass", kernels_view)


def _virtual() -> Finding:
    vendor = lscpu().get("Hypervisor vendor")
    if not vendor:
        return Finding("pass", "none seen")
    return Finding(
        "warn",
        vendor,
        "This is a guest: CPUID leaves it, caches and disks are shared with others, and "
        "memory is slow at first touch. Read every value as the guest's.",
    )


_STEAL_WINDOW_S = 0.2  # 20 ticks of a kernel's clock of 100 Hz
_MAX_STEAL_PERCENT = 1  # more shifts a median by more than the standard profile's precision
_MAX_LOAD_PER_CPU = 0.5  # with more, a probe may share its CPU


def _steal() -> Finding:
    percent = getattr(psutil.cpu_times_percent(_STEAL_WINDOW_S), "steal", None)
    if percent is None:
        return Finding("unknown", "not reported")
    if percent > _MAX_STEAL_PERCENT:
        return Finding(
            "warn",
            f"{percent:.0f} % of {_STEAL_WINDOW_S} s",
            "The hypervisor gives the CPU to others; measure at a quieter time.",
        )
    return Finding("pass", f"none in {_STEAL_WINDOW_S} s")


def _load() -> Finding:
    load, cpus = os.getloadavg()[0], len(os.sched_getaffinity(0))
    sentence = f"{load:.1f} over the last minute on {cpus} CPU{'s' if cpus > 1 else ''}"
    if load > _MAX_LOAD_PER_CPU * cpus:
        return Finding("warn", sentence, "Stop other programs, or wait.")
    return Finding("pass", sentence)


def _cpu_limit() -> Finding:
    cpus = control_groups.cpus()
    if cpus >= len(os.sched_getaffinity(0)):
        return Finding("pass", "none")
    return Finding(
        "warn",
        f"that of {cpus:.3g} CPUs",
        "The kernel stops the container once its share of a period is used up, in the middle of "
        "a trial; measure without that limit.",
    )


def _priority() -> Finding:
    allowed = 20 - resource.getrlimit(resource.RLIMIT_NICE)[0]
    if is_capable(CAP_SYS_NICE) or allowed <= -20:
        return Finding("pass", "nice -20 is allowed")
    return Finding(
        "warn",
        "raising priority is not allowed",
        "Measure as root, or raise `nice` in /etc/security/limits.conf.",
    )


def _counters() -> Finding:
    if glob.glob("/sys/bus/event_source/devices/cpu*"):
        return Finding("pass", "the kernel shows a CPU counter unit")
    advice = "Cycles are calibrated with a chain of one-cycle instructions instead."
    return Finding("unknown", "none", advice)


_ROOM_BYTES = 2 * 1024**3  # for the largest regions, and for the pages and their figures


def _room(free_bytes: int, advice: str) -> Finding:
    amount = f"{free_bytes / 1024**3:.1f} GiB"
    if free_bytes > _ROOM_BYTES:
        return Finding("pass", amount)
    return Finding("warn", amount, advice)


def _memory() -> Finding:
    free_bytes = int(min(psutil.virtual_memory().available, control_groups.memory_left_bytes()))
    return _room(free_bytes, "Large regions cannot be measured; close programs.")


def _disk() -> Finding:
    folder = config.settings().build_dir
    while not os.path.exists(folder):  # also False where it may not be looked at
        folder = folder.parent
    return _room(shutil.disk_usage(folder).free, "Make room under _build.")


_CHECKS = {
    "tick counter": _ticks,
    "clock source": _clocksource,
    "frequency governor": _governor,
    "turbo": _turbo,
    "throttling": _throttling,
    "power": _power,
    "hardware threads": _siblings,
    "virtualisation": _virtual,
    "steal time": _steal,
    "load": _load,
    "limit on CPU time": _cpu_limit,
    "priority": _priority,
    "performance counters": _counters,
    "free memory": _memory,
    "free disk": _disk,
}
