"""Every probe with as little work as shows that it runs, and the reason that it must give if it cannot."""

import os
import platform
import re
import shutil
import socket
import subprocess
from pathlib import Path

from helpers.capabilities import has_capability
from helpers.project import LIBRARY
from reckon.measurement import library

KIB, MIB = 1024, 1 << 20
PROBES = {name: probe for name, probe in library.probes().items() if not name.startswith("test/")}
LITTLE = {
    "rounds": 2,
    "sleep_ms": 1,
    "interval_ns": 10_000,
    "resident_bytes": MIB,
    "working_set_bytes": 4096,
    "size_bytes": MIB + 13,  # no whole page, nor a whole word
    "threads": 2,
    "window_bytes": 1000,
    "step_bytes": 64 * KIB,
    "file_bytes": 2 * MIB,
    "block_bytes": 4096,
    "loads": 1000,
    "window_ms": 50,  # on a busy machine not a byte may come in a shorter one
    "hold_idle": 0,
    "interval_ms": 200,
}
COUNT = 3  # of whatever else is counted


# The kernel charges a control group ahead for each CPU, and for the page tables and the index of the
# page cache that its reader needs: which limit is too small depends on the machine. A probe that has
# one keeps its own limit, with the size of the file that goes with it.
LIMITED = ("limit_bytes", "file_bytes")
# The walk takes tens of ms: in less the other CPU, which is to load the memory, may not be this probe's.
LOADED = {"loads": 3_000_000, "load_percent": 100}


def little(probe) -> dict:
    """The parameters of a probe that make it do as little as its bounds and its memory limit allow."""
    numbers = {parameter.name: parameter for parameter in probe.parameters if not parameter.text}
    least = {
        name: min(max(LITTLE.get(name, COUNT), parameter.minimum), parameter.maximum)
        for name, parameter in numbers.items()
    }
    if "limit_bytes" in numbers:
        least |= {name: numbers[name].default for name in LIMITED}
    if "load_percent" in numbers:
        least |= LOADED
    return least


def _two_cpus() -> bool:
    return len(os.sched_getaffinity(0)) > 1


def _own_limits() -> bool:
    group = Path("/sys/fs/cgroup/memory")
    return os.access(group if group.is_dir() else group.parent, os.W_OK)


def _huge_pages() -> bool:
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return setting.exists() and "[never]" not in setting.read_text()


def _echo_requests() -> bool:
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).close()
    except PermissionError:
        return has_capability("net_raw")
    return True


def _ping_works() -> bool:
    if not shutil.which("ping"):
        return False
    return subprocess.run(["ping", "-c1", "127.0.0.1"], capture_output=True).returncode == 0


# A pattern of names of probes, what they need, and what they say without it.
NEEDS = [
    (".*_across$|.*/iperf3$", _two_cpus, "needs a second CPU"),
    ("memory/bandwidth/.*(_two_|load)", _two_cpus, "there is (no other CPU|one CPU only)"),
    ("memory/bandwidth/(read|write|copy|modify|memset)", _two_cpus, "2 CPUs are requested"),
    ("memory/fault/huge", _huge_pages, "huge pages are not available"),
    (
        "cpu/task/fork_exec_static",
        lambda: (LIBRARY / "reckon-blank-static").exists(),
        "the C library has no static form",
    ),
    ("cpu/(task|switch)/hpe_", lambda: has_capability("sys_nice"), "SCHED_RR needs root"),
    ("files/cache/(?!whole|available)", _own_limits, "no control group can be made"),
    (
        "files/read/dropped_",
        lambda: os.access("/proc/sys/vm/drop_caches", os.W_OK),
        "needs root to drop the page cache",
    ),
    (
        "network/(.*_wire$|.*/hpe_i7_860)",
        lambda: has_capability("net_raw"),
        "needs root .CAP_NET_RAW. to capture packets",
    ),
    ("network/rtt/icmp", _echo_requests, "echo requests need root"),
    ("network/rtt/ping", _ping_works, "ping is refused here|.*not installed"),
    ("network/rtt/i7_10750h", lambda: shutil.which("ncat"), "needs ncat, which is not installed"),
    ("network/rtt/sockperf", lambda: shutil.which("sockperf"), "sockperf is not installed"),
    ("network/throughput/iperf3", lambda: shutil.which("iperf3"), "iperf3 is not installed"),
    ("files/.*/fio", lambda: shutil.which("fio"), "fio is not installed"),
    ("files/remote/mbp2016_", lambda: False, "it reads by Apple's own protocol"),
    ("files/remote/(?!mbp2016|local_)", lambda: False, "needs an NFS server: set NFS="),
]


def why_not(probe) -> str:
    """A pattern of what the probe must say here; empty if it must run."""
    if probe.needs & library.Needs.STAMPS and platform.machine() != "x86_64":
        return "RDTSC and CPUID are x86 instructions"
    missing = [
        reason
        for pattern, available, reason in NEEDS
        if re.match(pattern, probe.name) and not available()
    ]
    if probe.needs & library.Needs.ROOT and os.geteuid() != 0:
        missing.append("needs root$")
    return "|".join(missing)


def check_outcome(name: str, outcome: str, reason: str | None = None) -> None:
    """The probe ran, or was unsupported for that very reason, by default the one of this machine."""
    if reason is None:
        reason = why_not(PROBES[name])
    if reason:
        assert re.match(f"ProbeUnsupported: ({reason})", outcome), (name, outcome)
    else:
        assert outcome == "ran", (name, outcome)
