"""What this computer is: every value with the command or file it came from.

What the firmware hides can be filled in by hand in `machine.toml` (see `TOML_FIELDS`); what is
unknown stays None and is printed as "not reported", never guessed.
"""

from __future__ import annotations

import glob
import hashlib
import hmac
import json
import os
import platform
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from reckon import config, units
from reckon.computer import scratch
from reckon.computer.facts import Machine
from reckon.config import ReckonError
from reckon.text import did_you_mean, joined

# By field: label and unit ("" for text). The order is the order of the printed table.
FIELDS = {
    "processor.model": ("Model", ""),
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
    "memory.capacity": ("Capacity", "byte"),
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

# What a person may fill in: the datasheet's values, which feed predictions.
_NEVER_BY_HAND = ("system.", "scratch.", "peer.", "nfs.", "processor.cycle_time")
TOML_FIELDS = [field for field in FIELDS if not field.startswith(_NEVER_BY_HAND)]
TOML_FIELDS += ["peer.distance", "peer.hops"]

# By field: a value, None if it is not reported, and the command or file it came from.
Facts = dict[str, tuple[int | float | str | None, str]]


def describe() -> Machine:
    """The description of this computer as it is now."""
    found: Facts = {field: (None, "") for field in FIELDS}
    for part in (_processor, _caches, _memory, _devices, _scratch, _system):
        found.update(part())
    found.update(from_toml(config.settings().machine_toml))
    clock = found["processor.base_clock"][0]
    if isinstance(clock, float) and clock:
        found["processor.cycle_time"] = (1 / clock, "1 / base clock")
    rate, channels = found["memory.transfer_rate"][0], found["memory.channels"][0]
    unknown = found["memory.bus_bandwidth"][0] is None
    if unknown and isinstance(rate, float) and isinstance(channels, float):
        found["memory.bus_bandwidth"] = (rate * channels * 8, "transfer rate x channels x 8 B")
    return Machine.of(found)


def from_toml(path: Path) -> Facts:
    """The fields filled in by hand. Raises ReckonError for a misspelt key or a wrong unit."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ReckonError(f"{path} cannot be read: {error}.") from None
    found: Facts = {}
    for section, entries in data.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            field = f"{section}.{key}" if key else section
            if field not in TOML_FIELDS:
                hint = did_you_mean(field, TOML_FIELDS, f"known are {joined(TOML_FIELDS)}.")
                raise ReckonError(f"{path}: there is no field {field}; {hint}")
            found[field] = (_from_text(path, field, value, FIELDS[field][1]), path.name)
    return found


def _from_text(path: Path, name: str, value, unit: str):
    if not unit:
        return str(value)
    if unit == "count" and isinstance(value, int):
        return float(value)
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?\d+)?)\s*(\S+)\s*", str(value))
    example = f'{path}: {name} needs a number and a unit, such as "3 {units.spoken(unit)}"'
    if not match:
        raise ReckonError(f"{example}, not {value!r}.")
    if units.dimension(match[2]) != units.dimension(unit):
        raise ReckonError(f"{example}; {match[2]} is {units.kind(units.dimension(match[2]))}.")
    return float(units.to_base(float(match[1]), match[2]))


def configuration(machine: Machine) -> str:
    """A hash of what samples depend on: processor, microcode, kernel and mitigations."""
    parts = [machine.value(f"processor.{key}") for key in ("model", "threads", "microcode")]
    parts += [machine.value(f"system.{key}") for key in ("kernel", "mitigations")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


# machine-id(5) asks for a keyed hash, so that nobody learns the id itself.
_MACHINE_ID, _MACHINE_ID_KEY = "/etc/machine-id", b"Reckon: the identity of a run"


def identity(machine: Machine) -> str:
    """A hash that two machines do not share, though they are alike: configuration() and machine id.

    Without a machine id it is configuration()."""
    machine_id = read_text(_MACHINE_ID)
    if not machine_id:
        return configuration(machine)
    content = f"{configuration(machine)} {machine_id}".encode()
    return hmac.digest(_MACHINE_ID_KEY, content, "sha256").hex()[:12]


def default_run_name(machine: Machine) -> str:
    """A folder's name made of the processor's model, the kernel's release and identity()."""
    model = str(machine.value("processor.model") or "machine")
    kernel = str(machine.value("system.kernel")).split()[0]
    text = re.sub(r"\((R|TM)\)|CPU|Processor|@.*", " ", model, flags=re.I)
    slug = re.sub(r"[^a-z0-9.]+", "-", f"{text} {kernel}".lower()).strip("-.")
    return f"{slug}-{identity(machine)[:6]}"


# --- where the values come from ---------------------------------------------------------------


def read_text(path: str) -> str | None:
    """The text of a file, stripped; None if it is empty or unreadable."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def run_command(*command: str) -> str | None:
    """What a command prints; None if it is missing, fails or takes too long."""
    if not shutil.which(command[0]):
        return None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=10,
            env=config.child_environment(LC_ALL="C"),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def lscpu() -> dict[str, str]:
    text = run_command("lscpu") or ""
    return {k.strip(): v.strip() for k, v in re.findall(r"^([^:\n]+):(.*)$", text, re.M)}


def cpuinfo() -> dict[str, str]:
    text = (read_text("/proc/cpuinfo") or "").split("\n\n")[0]
    return {k.strip(): v.strip() for k, v in re.findall(r"^([^:\n]+):(.*)$", text, re.M)}


def _khz(path: str):
    value = read_text(path)
    return float(value) * 1e3 if value else None


def _processor() -> Facts:
    info, listed = cpuinfo(), lscpu()
    cpu = "/sys/devices/system/cpu/cpu0"
    model = info.get("model name") or listed.get("Model name")
    cores = {
        (read_text(f"{d}/topology/physical_package_id"), read_text(f"{d}/topology/core_id"))
        for d in glob.glob("/sys/devices/system/cpu/cpu[0-9]*")
        if os.path.exists(f"{d}/topology/core_id")
    }
    base, source = _khz(f"{cpu}/cpufreq/base_frequency"), f"{cpu}/cpufreq/base_frequency"
    named = re.search(r"@ ([0-9.]+)\s*GHz", model or "")
    if base is None and named:
        base, source = float(named[1]) * 1e9, "the processor's model name"
    return {
        "processor.model": (model, "/proc/cpuinfo"),
        "processor.architecture": (platform.machine(), "uname -m"),
        "processor.cores": (len(cores) or None, f"{cpu}/topology"),
        "processor.threads": (os.cpu_count(), "nproc --all"),
        "processor.base_clock": (base, source if base else ""),
        "processor.turbo_clock": (
            _khz(f"{cpu}/cpufreq/cpuinfo_max_freq"),
            f"{cpu}/cpufreq/cpuinfo_max_freq",
        ),
        "processor.microcode": (info.get("microcode"), "/proc/cpuinfo"),
    }


def _caches() -> Facts:
    found: Facts = {}
    shared = []
    names: dict[tuple[str | None, str | None], str] = {
        ("1", "Data"): "l1d",
        ("1", "Instruction"): "l1i",
        ("2", "Unified"): "l2",
        ("3", "Unified"): "l3",
    }
    for index in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        key = names.get((read_text(f"{index}/level"), read_text(f"{index}/type")))
        size = read_text(f"{index}/size")
        if not key or not size:
            continue
        scale = {"K": 1024, "M": 1024**2}.get(size[-1], 1)
        found[f"processor.{key}"] = (int(size.rstrip("KM")) * scale, f"{index}/size")
        cpus = read_text(f"{index}/shared_cpu_list")
        shared.append(f"{key.upper()}: CPU {cpus}")
        line = read_text(f"{index}/coherency_line_size")
        if key == "l1d" and line:
            found["processor.line"] = (int(line), f"{index}/coherency_line_size")
    if shared:
        found["processor.sharing"] = (
            "; ".join(shared),
            "/sys/devices/system/cpu/cpu0/cache/index*/shared_cpu_list",
        )
    return found


def _memory() -> Facts:
    total = re.search(r"MemTotal:\s+(\d+)", read_text("/proc/meminfo") or "")
    capacity = int(total[1]) * 1024 if total else None
    found: Facts = {"memory.capacity": (capacity, "/proc/meminfo")}
    table = run_command("dmidecode", "-t", "memory") or ""
    kinds = [k for k in re.findall(r"^\s+Type: (\S+)", table, re.M) if k not in ("Unknown", "RAM")]
    speeds = re.findall(r"Configured Memory Speed: (\d+) MT/s", table)
    if kinds:
        found["memory.type"] = (kinds[0], "dmidecode -t memory")
    if speeds:
        found["memory.transfer_rate"] = (float(speeds[0]) * 1e6, "dmidecode -t memory")
    return found


def _devices() -> Facts:
    pci = glob.glob("/sys/bus/pci/devices/*")
    links = {
        f"{read_text(f'{d}/current_link_speed')} x{read_text(f'{d}/current_link_width')}"
        for d in pci
        if read_text(f"{d}/current_link_speed")
    }
    virtio = glob.glob("/sys/bus/virtio/devices/*")
    buses = []
    if pci:
        at = f", links at {', '.join(sorted(links))}" if links else ""
        buses.append(f"PCI, {len(pci)} devices{at}")
    if virtio:
        buses.append(f"virtio, {len(virtio)} devices")
    disks, names = [], []
    for path in sorted(glob.glob("/sys/block/*")):
        size = int(read_text(f"{path}/size") or 0) * 512
        if size == 0 or re.match(r"(loop|ram|zram|dm-|md|sr|fd)", os.path.basename(path)):
            continue
        kind = "rotating" if read_text(f"{path}/queue/rotational") == "1" else "solid state"
        if "virtio" in os.path.realpath(path):
            kind = "virtual"
        model = read_text(f"{path}/device/model") or os.path.basename(path)
        disks.append(f"{model} ({kind}, {units.amount(size, 'byte')})")
    rates, source = [], "/sys/class/net/*"
    for path in sorted(glob.glob("/sys/class/net/*")):
        name = os.path.basename(path)
        if name == "lo" or not os.path.exists(f"{path}/device"):
            continue
        speed = int(read_text(f"{path}/speed") or -1)
        driver = os.path.basename(os.path.realpath(f"{path}/device/driver"))
        rates += [speed * 1e6 / 8] if speed > 0 else []
        names.append(f"{name} ({driver}, MTU {read_text(f'{path}/mtu')})")
    return {
        "io.bus": ("; ".join(buses) or None, "/sys/bus/pci, /sys/bus/virtio"),
        "disk.devices": ("; ".join(disks) or None, "/sys/block"),
        "network.interfaces": ("; ".join(names) or None, source),
        "network.rate": (max(rates, default=None), f"{source}/speed"),
    }


def _scratch() -> Facts:
    return {f"scratch.{key}": fact for key, fact in scratch.facts().items()}


def _system() -> Facts:
    pretty = re.search(r'PRETTY_NAME="?([^"\n]+)', read_text("/etc/os-release") or "")
    kernel = f"{platform.release()} {platform.version()}"
    hypervisor = lscpu().get("Hypervisor vendor")
    if not hypervisor and "hypervisor" in cpuinfo().get("flags", ""):
        hypervisor = "unnamed"
    built = (read_text(str(config.settings().library_dir / "compiler.txt")) or "").splitlines()
    without_checksum = [line for line in built if not re.fullmatch(r"[\d ]+", line)]
    in_force = []
    for path in sorted(glob.glob("/sys/devices/system/cpu/vulnerabilities/*")):
        state = read_text(path) or ""
        if state.startswith("Mitigation"):
            in_force.append(f"{os.path.basename(path)}: {state.removeprefix('Mitigation: ')}")
    return {
        "system.os": (pretty[1] if pretty else platform.system(), "/etc/os-release"),
        "system.kernel": (kernel, "uname -rv"),
        "system.hypervisor": (hypervisor or "none seen", "lscpu"),
        "system.guest": (float(bool(hypervisor)), "lscpu"),
        "system.clocksource": (
            read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
        "system.compiler": (" · ".join(without_checksum) or None, "csrc/Makefile"),
        "system.libc": (os.confstr("CS_GNU_LIBC_VERSION"), "getconf GNU_LIBC_VERSION"),
        "system.mitigations": (
            "; ".join(in_force) or "none",
            "/sys/devices/system/cpu/vulnerabilities",
        ),
    }
