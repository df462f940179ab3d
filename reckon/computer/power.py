"""What slows a computer down while it is measured: running on its battery, and heat (sysfs(5))."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

from reckon.computer.system_files import read_text

_SUPPLIES = "/sys/class/power_supply"
_COOLING = "/sys/class/thermal"
_CPUS = "/sys/devices/system/cpu"
# Cooling devices that slow a CPU down, by the beginning of their type.
_SLOWS_A_CPU = ("Processor", "thermal-cpufreq", "cpufreq", "intel_powerclamp")


def _supplies() -> Iterator[tuple[str, Path]]:
    """The type and folder of each supply; that of a mouse, which is left out, has a scope."""
    for folder in map(Path, sorted(glob.glob(f"{_SUPPLIES}/*"))):
        if read_text(str(folder / "scope")) != "Device":
            yield read_text(str(folder / "type")) or "", folder


def battery_charge() -> str | None:
    """The charge in per cent ("73") of a battery that the computer runs on; None if on mains."""
    batteries = [folder for kind, folder in _supplies() if kind == "Battery"]
    for folder in batteries:
        if read_text(str(folder / "status")) == "Discharging":
            return read_text(str(folder / "capacity")) or "?"
    return None


def throttle_count() -> int | None:
    """How often the processor was slowed down because of heat since it was booted, all CPUs
    together; None where it does not report it (only Intel's do)."""
    counters = glob.glob(f"{_CPUS}/cpu*/thermal_throttle/*_throttle_count")
    counts = [text for path in counters if (text := read_text(path)) and text.isdigit()]
    return sum(map(int, counts)) if counts else None


def throttling_since(before: int | None) -> str | None:
    """A warning if throttle_count() has grown since it was `before`."""
    now = throttle_count()
    if before is None or now is None or now <= before:
        return None
    return (
        f"WARNING: heat slowed the processor down {now - before} times during the measurement; "
        "let it cool down, and measure again with FRESH=1."
    )


def is_throttled_now() -> bool:
    """Whether a device that cools by slowing a CPU down does so now."""
    return any(
        (read_text(f"{folder}/type") or "").startswith(_SLOWS_A_CPU)
        and (read_text(f"{folder}/cur_state") or "0") not in ("0", "-1")
        for folder in glob.glob(f"{_COOLING}/cooling_device*")
    )
