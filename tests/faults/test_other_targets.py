"""The C library for AArch64, under an emulator, by Clang, and for another C library than glibc."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.capabilities import installed
from helpers.everything import PROBES, little, why_not
from helpers.project import LIBRARY_PROGRAMS, ROOT, finished, make_library

from reckon.measurement import library

pytestmark = pytest.mark.long_csrc

UNSUPPORTED = -95
TURNS = 4
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
# On a busy machine an emulated stream begins after its windows.
ALONE = {"network/throughput"}
EXPERIMENTS = [
    pytest.param(name, marks=pytest.mark.alone if name in ALONE else ())
    for name in sorted({probe.experiment for probe in PROBES.values()})
]


@pytest.fixture(scope="module")
def emulated(tmp_path_factory):
    """Runs a probe on an emulated AArch64; its status, reason and median of ticks an operation."""
    installed(COMPILER, EMULATOR[0])
    compiled = ROOT / "_build" / "lib-aarch64"
    built = make_library(compiled, f"CC={COMPILER}", "WERROR=1", names=LIBRARY_PROGRAMS)
    assert built.returncode == 0, built.stderr
    folder = tmp_path_factory.mktemp("aarch64")
    for path in compiled.glob("*reckon*"):
        shutil.copy(path, folder)
    for name in ("reckon-peer", "reckon-blank", "reckon-blank-static"):  # as probes start them
        (folder / name).rename(folder / f"{name}.aarch64")
        (folder / name).write_text(f'#!/bin/sh\nexec {" ".join(EMULATOR)} "$0.aarch64" "$@"\n')
        (folder / name).chmod(0o755)
    source = ROOT / "tests/csrc/programs/driver.c"
    driver = [COMPILER, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-I", ROOT / "csrc", source]
    subprocess.run([*driver, "-o", folder / "driver"], check=True)

    def run(probe, params):
        text = "\n".join(f"{name}={value}" for name, value in params.items())
        command = [*EMULATOR, folder / "driver", folder / "libreckon.so", probe, text]
        done = finished(*command, timeout=120)
        assert done.returncode == 0, f"{probe}: {done.returncode} {done.stderr}"
        status, reason, median = done.stdout.strip().split("|")
        return int(status), reason, float(median)

    return run


# What the emulator lacks, by the probe's name; other reasons are those of this machine (why_not).
MISSING = [
    (".*", "a trial is too short for the steps of this machine's counter"),
    ("files/remote/", "needs an NFS server: set NFS=|it reads by Apple's own protocol"),
    ("network/", "this kernel has no ring .PACKET_RX_RING. for captured packets"),
    ("cpu/syscall/.*_int80", "this kernel has no INT 0x80 entry point"),
    ("cpu/clock/core_multiply", "how many cycles a multiply takes on this processor is not known"),
    ("memory/fault/major", "the file's pages stay in memory"),
    ("memory/fault/huge", "huge pages are not available"),
    # The emulator's own memory is in the group too.
    ("files/cache/", "within a limit of 8192 KiB the kernel ended the reader for want of memory"),
]


def reasons(probe):
    """A pattern of why the probe may be unsupported there."""
    if probe.needs & library.Needs.STAMPS:
        return "RDTSC and CPUID are x86 instructions"
    missing = [reason for pattern, reason in MISSING if re.match(pattern, probe.name)]
    return "|".join(filter(None, [*missing, why_not(probe)]))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_probe_runs_on_aarch64_or_says_what_is_missing_there(emulated, experiment):
    probes = [probe for probe in PROBES.values() if probe.experiment == experiment]
    # In the emulator a process is not known to live, so one probe of the cache would end the other.
    with ThreadPoolExecutor(1 if experiment == "files/cache" else 2) as pool:
        outcomes = list(pool.map(lambda probe: emulated(probe.name, little(probe)), probes))
    for probe, (status, reason, median) in zip(probes, outcomes, strict=True):
        print(f"{probe.name}: {reason or f'{median:g} ticks'}")
        if probe.needs & library.Needs.STAMPS or status:
            assert status == UNSUPPORTED and re.match(reasons(probe), reason), (probe.name, reason)
        else:
            assert reason == "", probe.name


@pytest.mark.timed
@pytest.mark.parametrize("of", ["add", "multiply"])
def test_twice_the_instructions_take_twice_as_long_on_aarch64(emulated, of):
    """A known answer: the work doubles, on whatever processor. In turn, the fastest of each, because
    another's load only adds."""

    def ticks(instructions):
        status, reason, median = emulated("test/chain", {"of": of, "instructions": instructions})
        assert status == 0, reason
        return median

    single, double = zip(*[(ticks(2**22), ticks(2**23)) for _ in range(TURNS)], strict=True)
    assert min(double) == pytest.approx(2 * min(single), rel=0.2)


def test_the_counter_runs_at_its_frequency_on_aarch64(emulated):
    """A known answer: cpu/clock/ticks counts ticks over nanoseconds, 62.5 MHz in the emulator."""
    status, reason, median = emulated("cpu/clock/ticks", {})
    assert status == 0, reason
    assert median == pytest.approx(0.0625, rel=0.02)


def test_clang_builds_the_library_without_a_warning(tmp_path):
    installed("clang")
    quick = "EXTRA=-O0"  # it warns alike, and compiles faster
    built = make_library(tmp_path, "CC=clang", quick, names=LIBRARY_PROGRAMS)
    assert built.returncode == 0 and built.stderr == ""


def test_musl_is_refused_by_one_sentence(tmp_path):
    installed("musl-gcc")
    built = make_library(tmp_path, "CC=musl-gcc")
    sentence, *rest = built.stderr.splitlines()
    assert sentence == "Reckon needs the GNU C library (glibc); musl-gcc compiles for another one."
    by_make = re.compile(r"make(\[\d+\])?: \*\*\*")  # it counts the makes around it
    assert built.returncode and all(map(by_make.match, rest)), built.stderr
