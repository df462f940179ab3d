"""The fields of a machine description, and those that a person fills in by hand in `machine.toml`.

The firmware hides what only a datasheet says; a field that nobody filled in stays unknown.
"""

from __future__ import annotations

import math
from pathlib import Path

from reckon import toml_files, units
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words

# By field: label and unit ("" for text). The order is the order of the printed table.
FIELDS = {
    "processor.model": ("Model", ""),
    "processor.vendor": ("Vendor", ""),
    "processor.family": ("Family", "count"),
    "processor.model_number": ("Model number in its family", "count"),
    "processor.architecture": ("Architecture", ""),
    "processor.cores": ("Cores", "count"),
    "processor.threads": ("Hardware threads", "count"),
    "processor.base_clock": ("Base clock", "Gcycle/s"),
    "processor.turbo_clock": ("Turbo clock", "Gcycle/s"),
    "processor.cycle_time": ("Cycle time at base clock", "ns/cycle"),
    "processor.l1i": ("L1 instruction cache", "byte"),
    "processor.l1d": ("L1 data cache", "byte"),
    "processor.l2": ("L2 cache", "byte"),
    "processor.l3": ("L3 cache", "byte"),
    "processor.sharing": ("Caches shared by", ""),
    "processor.line": ("Cache line", "byte"),
    "processor.microcode": ("Microcode", ""),
    "processor.cpu": ("CPU that is measured", "count"),
    "processor.time_limit": ("CPUs' time for this process", "count"),
    "memory.capacity": ("Capacity", "byte"),
    "memory.limit": ("Limit for this process", "byte"),
    "memory.huge_pages": ("Transparent huge pages", ""),
    "memory.reserved_huge_pages": ("Reserved huge pages", "count"),
    "memory.type": ("Type", ""),
    "memory.transfer_rate": ("Transfer rate", "GT/s"),
    "memory.channels": ("Channels", "count"),
    "memory.bus_bandwidth": ("Theoretical bandwidth of the bus", "GB/s"),
    "io.bus": ("I/O bus", ""),
    "disk.devices": ("Disks", ""),
    "disk.read_bandwidth": ("Rated sequential read", "MB/s"),
    "disk.random_read_rate": ("Rated random reads", "IO/s"),
    "scratch.folder": ("Folder", ""),
    "scratch.filesystem": ("File system", ""),
    "scratch.lies_on": ("Lies on", ""),
    "scratch.size": ("Size of the file system", "byte"),
    "scratch.read_ahead": ("Read ahead, at most", "byte"),
    "network.interfaces": ("Interfaces", ""),
    "network.rate": ("Rated speed", "Mbit/s"),
    "peer.kind": ("What it is", ""),
    "peer.address": ("Address", ""),
    "peer.link_rtt": ("Round trip that the link is set to", "ms"),
    "peer.link_rate": ("Rate that the link is set to", "Mbit/s"),
    "peer.queue": ("Queue at the link", "byte"),
    "peer.mtu": ("Largest packet (MTU)", "byte"),
    "peer.path": ("Packets are carried by", ""),
    "peer.congestion": ("Congestion control", ""),
    "peer.hops": ("Hops", "count"),
    "peer.distance": ("Distance", "km"),
    "peer.processor": ("Processor", ""),
    "peer.cores": ("Processors it may use", "count"),
    "peer.memory": ("Memory", "byte"),
    "peer.os": ("Operating system", ""),
    "peer.kernel": ("Kernel", ""),
    "peer.hypervisor": ("Hypervisor", ""),
    "peer.interface": ("Network interface", ""),
    "nfs.kind": ("NFS server", ""),
    "nfs.address": ("Its export", ""),
    "nfs.link_rtt": ("Round trip that its link is set to", "ms"),
    "nfs.far_rtt": ("Round trip of a longer link", "ms"),
    "nfs.link_rate": ("Rate that its link is set to", "Mbit/s"),
    "system.os": ("Operating system", ""),
    "system.kernel": ("Kernel", ""),
    "system.hypervisor": ("Hypervisor", ""),
    "system.guest": ("Runs as a guest (1) or not (0)", "count"),
    "system.firmware": ("Firmware", ""),
    "system.clocksource": ("Clock source", ""),
    "system.libc": ("C library", ""),
    "system.compiler": ("Compiler and flags", ""),
    "system.mitigations": ("Mitigations in force", ""),
}
SECTIONS = {
    "processor": "Processor",
    "memory": "Memory",
    "io": "I/O",
    "disk": "Disks",
    "scratch": "Disk that is measured",
    "network": "Network",
    "system": "Operating system",
}

# A machine without such a limit is not one of which it is unknown; earlier runs lack the others.
ONLY_WHERE_SET = (
    "memory.limit",
    "processor.time_limit",
    "processor.cpu",
    "memory.huge_pages",
    "memory.reserved_huge_pages",
    "system.firmware",
)
# What a person may fill in: the datasheet's values, which feed predictions.
_NEVER_BY_HAND = ("system.", "scratch.", "peer.", "nfs.", "processor.cycle_time", *ONLY_WHERE_SET)
TOML_FIELDS = [field for field in FIELDS if not field.startswith(_NEVER_BY_HAND)]
TOML_FIELDS += ["peer.distance", "peer.hops"]

# By field: a value in base units, None if it is not reported, and the command or file it came from.
Facts = dict[str, tuple[int | float | str | None, str]]


def from_toml(path: Path) -> Facts:
    """The fields filled in by hand; none without the file.

    Raises ReckonError for an unreadable file, a misspelt key or a wrong unit.
    """
    sections = toml_files.load(path) if path.exists() else {}
    facts: Facts = {}
    for section, entries in sections.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            field = f"{section}.{key}" if key else section
            if field not in TOML_FIELDS:
                hint = did_you_mean(field, TOML_FIELDS, f"known are {join_words(TOML_FIELDS)}.")
                raise ReckonError(f"{path}: there is no field {field}; {hint}")
            facts[field] = (_in_base_units(path, field, value), path.name)
    return facts


def _in_base_units(path: Path, field: str, value) -> float | str:
    """A value of machine.toml: text, or a number in base units."""
    _, unit = FIELDS[field]
    if not unit:
        return str(value)
    is_count = unit == "count"
    text = f"{value} count" if is_count and isinstance(value, (int, float)) else str(value)
    quoted = f'a number and a unit, such as "3 {units.symbol(unit)}"'
    example = "a number, such as 3" if is_count else quoted
    needs = f"{path}: {field} needs {example}"
    number, stated_unit = units.number_and_unit(text) or (-1.0, "")
    if number < 0 or not stated_unit:
        raise ReckonError(f"{needs}, not {value!r}.")
    if units.dimension(stated_unit) != units.dimension(unit):
        raise ReckonError(
            f"{needs}; {stated_unit} is {units.dimension_name(units.dimension(stated_unit))}."
        )
    in_base_units = float(units.to_base(number, stated_unit))
    if not math.isfinite(in_base_units):
        raise ReckonError(f"{needs}, not {value!r}.")
    return in_base_units
