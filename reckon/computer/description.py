"""What this computer is: every value with the command or file it came from.

What is unknown stays None and is printed as "not reported", never guessed.
"""

from __future__ import annotations

import glob
import math
import os
import platform
import re

from reckon import config, units
from reckon.computer import control_groups, scratch_disk
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS, Facts, from_toml
from reckon.computer.measured_cpu import default_cpu
from reckon.computer.system_files import (
    cpuinfo,
    cpus_of_list,
    lscpu,
    read_text,
    run_command,
)

_CPUS = "/sys/devices/system/cpu"
_BUS_BYTES = 8  # in a transfer: a channel of memory is 64 bits wide
_SECTOR_BYTES = 512  # of /sys/block/*/size, whatever the disk has
# Devices that are made of others, or of memory.
_NO_DISK = re.compile(r"(loop|ram|zram|dm-|md|sr|fd)")


def describe(cpu: int | None = None) -> Machine:
    """The description of this computer as it is now, with what machine.toml adds: of a processor
    with cores of several kinds as that CPU has it, or else default_cpu().

    Raises ReckonError for a fault in machine.toml.
    """
    cpu = default_cpu() if cpu is None else cpu
    facts: Facts = {field: (None, "") for field in FIELDS}
    facts |= _processor(cpu) | _caches(cpu)
    for part in (_memory, _buses, _disks, _interfaces, _scratch, _system):
        facts.update(part())
    facts.update(from_toml(config.settings().machine_toml))
    facts.update(_derived(facts))
    return Machine.of(facts)


def _derived(facts: Facts) -> Facts:
    """What follows from other facts, unless it is reported."""
    derived: Facts = {}
    clock, _ = facts["processor.base_clock"]
    if isinstance(clock, float) and clock:
        derived["processor.cycle_time"] = (1 / clock, "1 / base clock")
    rate, _ = facts["memory.transfer_rate"]
    channels, _ = facts["memory.channels"]
    is_unknown = facts["memory.bus_bandwidth"][0] is None
    if is_unknown and isinstance(rate, float) and isinstance(channels, float):
        bandwidth = rate * channels * _BUS_BYTES
        derived["memory.bus_bandwidth"] = (bandwidth, "transfer rate x channels x 8 B")
    return derived


def _hz(path: str) -> float | None:
    """The frequency in a file that states it in kHz."""
    value = _whole(read_text(path))
    return value * 1e3 if value else None


def _whole(text: str | None) -> int | None:
    """A whole number as /proc/cpuinfo writes it, such as 25 or 0xd0c; None for other text."""
    try:
        return int(text or "", 0)
    except ValueError:
        return None


def _processor(measured: int) -> Facts:
    info, cpu = cpuinfo(measured), f"{_CPUS}/cpu{measured}"
    model = info.get("model name") or lscpu().get("Model name")
    cores = {
        (read_text(f"{path}/topology/physical_package_id"), read_text(f"{path}/topology/core_id"))
        for path in glob.glob(f"{_CPUS}/cpu[0-9]*")
        if os.path.exists(f"{path}/topology/core_id")
    }
    base_file, turbo_file = f"{cpu}/cpufreq/base_frequency", f"{cpu}/cpufreq/cpuinfo_max_freq"
    base, source = _hz(base_file), base_file
    name_with_clock = re.search(r"@ (\d+(?:\.\d+)?)\s*GHz", model or "")
    if base is None and name_with_clock and float(name_with_clock[1]):
        base, source = float(name_with_clock[1]) * 1e9, "the processor's model name"
    # The first key is x86's, the second Arm's.
    vendor = info.get("vendor_id") or info.get("CPU implementer")
    family = info.get("cpu family") or info.get("CPU architecture")
    number = info.get("model") or info.get("CPU part")
    return {
        "processor.model": (model, "/proc/cpuinfo"),
        "processor.vendor": (vendor, "/proc/cpuinfo"),
        "processor.family": (_whole(family), "/proc/cpuinfo"),
        "processor.model_number": (_whole(number), "/proc/cpuinfo"),
        "processor.architecture": (platform.machine(), "uname -m"),
        "processor.cores": (len(cores) or None, f"{cpu}/topology"),
        # Those that are offline, or that this process may not use, are there all the same.
        "processor.threads": (
            len(cpus_of_list(read_text(f"{_CPUS}/present") or "")) or os.cpu_count(),
            f"{_CPUS}/present",
        ),
        "processor.base_clock": (base, source if base else ""),
        "processor.turbo_clock": (_hz(turbo_file), turbo_file),
        "processor.microcode": (info.get("microcode"), "/proc/cpuinfo"),
        "processor.cpu": (measured, "the fastest, not busy when the run was opened"),
    }


# By level and type, as the kernel names them.
_CACHES: dict[tuple[str | None, str | None], str] = {
    ("1", "Data"): "l1d",
    ("1", "Instruction"): "l1i",
    ("2", "Unified"): "l2",
    ("3", "Unified"): "l3",
}


def _caches(measured: int) -> Facts:
    facts: Facts = {}
    sharing = []
    for index in sorted(glob.glob(f"{_CPUS}/cpu{measured}/cache/index*")):
        cache = _CACHES.get((read_text(f"{index}/level"), read_text(f"{index}/type")))
        size = re.fullmatch(r"(\d+)([KM]?)", read_text(f"{index}/size") or "")
        if not cache or not size or not int(size[1]):  # a hypervisor may report 0K
            continue
        scale = {"K": 1024, "M": 1024**2}.get(size[2], 1)
        facts[f"processor.{cache}"] = (int(size[1]) * scale, f"{index}/size")
        sharing.append(f"{cache.upper()}: CPU {read_text(f'{index}/shared_cpu_list')}")
        line = _whole(read_text(f"{index}/coherency_line_size"))
        if cache == "l1d" and line:
            facts["processor.line"] = (line, f"{index}/coherency_line_size")
    if sharing:
        source = f"{_CPUS}/cpu{measured}/cache/index*/shared_cpu_list"
        facts["processor.sharing"] = ("; ".join(sharing), source)
    return facts


def _memory() -> Facts:
    total = re.search(r"MemTotal:\s+(\d+)", read_text("/proc/meminfo") or "")
    capacity = int(total[1]) * 1024 if total else None
    huge, reserved = "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/vm/nr_hugepages"
    mode = re.search(r"\[(\w+)\]", read_text(huge) or "")
    facts: Facts = {
        "memory.capacity": (capacity, "/proc/meminfo"),
        "memory.huge_pages": (mode[1] if mode else None, huge),
        "memory.reserved_huge_pages": (_whole(read_text(reserved)), reserved),
    }
    cpus = control_groups.cpus()
    if math.isfinite(cpus):
        facts["processor.time_limit"] = (cpus, "control groups of this process")
    limit = control_groups.memory_limit_bytes()
    if limit < (capacity or 0):  # the first version has a limit always, beyond all memory
        facts["memory.limit"] = (limit, "control groups of this process")
    table = run_command("dmidecode", "-t", "memory") or ""
    types = re.findall(r"^\s+Type: (\S+)", table, re.MULTILINE)
    known_types = [name for name in types if name not in ("Unknown", "RAM")]
    speeds = re.findall(r"Configured Memory Speed: (\d+) MT/s", table)
    if known_types:
        facts["memory.type"] = (known_types[0], "dmidecode -t memory")
    if speeds:
        facts["memory.transfer_rate"] = (float(speeds[0]) * 1e6, "dmidecode -t memory")
    return facts


def _joined(parts: list[str]) -> str | None:
    return "; ".join(parts) or None


def _buses() -> Facts:
    pci, virtio = (glob.glob(f"/sys/bus/{bus}/devices/*") for bus in ("pci", "virtio"))
    links = {
        f"{read_text(f'{device}/current_link_speed')} x{read_text(f'{device}/current_link_width')}"
        for device in pci
        if read_text(f"{device}/current_link_speed")
    }
    buses = []
    if pci:
        speeds = f", links at {', '.join(sorted(links))}" if links else ""
        buses.append(f"PCI, {len(pci)} devices{speeds}")
    if virtio:
        buses.append(f"virtio, {len(virtio)} devices")
    return {"io.bus": (_joined(buses), "/sys/bus/pci, /sys/bus/virtio")}


def _disks() -> Facts:
    disks = []
    for path in sorted(glob.glob("/sys/block/*")):
        name = os.path.basename(path)
        size_bytes = (_whole(read_text(f"{path}/size")) or 0) * _SECTOR_BYTES
        if not size_bytes or _NO_DISK.match(name):
            continue
        kind = "rotating" if read_text(f"{path}/queue/rotational") == "1" else "solid state"
        if "virtio" in os.path.realpath(path):
            kind = "virtual"
        model = read_text(f"{path}/device/model") or name
        disks.append(f"{model} ({kind}, {units.amount(size_bytes, 'byte')})")
    return {"disk.devices": (_joined(disks), "/sys/block")}


def _interfaces() -> Facts:
    interfaces, rates, source = [], [], "/sys/class/net/*"
    for path in sorted(glob.glob(source)):
        name = os.path.basename(path)
        if name == "lo" or not os.path.exists(f"{path}/device"):
            continue
        driver = os.path.basename(os.path.realpath(f"{path}/device/driver"))
        interfaces.append(f"{name} ({driver}, MTU {read_text(f'{path}/mtu')})")
        speed_mbit_per_s = _whole(read_text(f"{path}/speed")) or -1
        if speed_mbit_per_s > 0:
            rates.append(speed_mbit_per_s * 1e6 / 8)
    return {
        "network.interfaces": (_joined(interfaces), source),
        "network.rate": (max(rates, default=None), f"{source}/speed"),
    }


def _scratch() -> Facts:
    return {f"scratch.{key}": fact for key, fact in scratch_disk.facts().items()}


def _system() -> Facts:
    hypervisor = lscpu().get("Hypervisor vendor")
    if not hypervisor and "hypervisor" in cpuinfo().get("flags", ""):
        hypervisor = "unnamed"
    firmware = "/sys/class/dmi/id/bios_version"
    clocksource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    compiler = (read_text(str(config.settings().library_dir / "compiler.txt")) or "").splitlines()
    without_checksum = [line for line in compiler if not re.fullmatch(r"[\d ]+", line)]
    return {
        "system.os": (_os_name(), "/etc/os-release"),
        "system.kernel": (f"{platform.release()} {platform.version()}", "uname -rv"),
        "system.hypervisor": (hypervisor or "none seen", "lscpu"),
        "system.guest": (float(bool(hypervisor)), "lscpu"),
        "system.firmware": (read_text(firmware), firmware),
        "system.clocksource": (read_text(clocksource), clocksource),
        "system.compiler": (" · ".join(without_checksum) or None, "csrc/Makefile"),
        "system.libc": (os.confstr("CS_GNU_LIBC_VERSION"), "getconf GNU_LIBC_VERSION"),
        "system.mitigations": (_mitigations(), f"{_CPUS}/vulnerabilities"),
    }


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, UnicodeDecodeError):
        return platform.system()


def _mitigations() -> str:
    in_force = []
    for path in sorted(glob.glob(f"{_CPUS}/vulnerabilities/*")):
        state = read_text(path) or ""
        if state.startswith("Mitigation"):
            in_force.append(f"{os.path.basename(path)}: {state.removeprefix('Mitigation: ')}")
    return _joined(in_force) or "none"
