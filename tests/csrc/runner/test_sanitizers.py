"""The C library under AddressSanitizer and UndefinedBehaviorSanitizer."""

import json
import os
import re
import subprocess
import sys

from helpers.capabilities import need
from helpers.everything import check_outcome
from helpers.project import ROOT

SCRIPT = """
import json
from helpers.everything import little
from reckon.measurement import library
outcomes = []
for isolated in (True, False):
    for probe in library.probes().values():
        if probe.name in ("test/crash", "test/hang"):
            continue
        try:
            library.run(probe.name, little(probe), samples=3, isolated=isolated)
            outcomes.append([probe.name, "ran"])
        except library.ProbeUnsupported as reason:
            outcomes.append([probe.name, f"ProbeUnsupported: {reason}"])
for name, params in (("nope", {}), ("cpu/syscall/getpid", {"calls": "x" * 3000}),
                     ("cpu/syscall/getpid", {"calls=1\\ncalls": "2"})):
    try:
        library.run(name, params)
    except library.ReckonError:
        continue
    raise AssertionError(f"{name} ran with {params}")
print(json.dumps(outcomes))
"""


# The memory of the sanitizers counts in the control group of a reader, too.
STARVED = r"within a limit of \d+ KiB the kernel ended the reader for want of memory"

# Python itself leaks at its end, so leak checking begins with the programs that it starts.
CHECK_LEAKS = "import os; os.environ['ASAN_OPTIONS'] = 'detect_leaks=1'\n"


def run(out, script):
    # libstdc++ beside it: extensions in C++ throw before the sanitizer would find it.
    preload = " ".join(
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "tests"),
            "RECKON_LIB": str(out),
            "LD_PRELOAD": preload,
            "ASAN_OPTIONS": "detect_leaks=0",  # of Python; CHECK_LEAKS is for the probe programs
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
    )


def test_every_probe_is_clean_under_the_sanitizers(sanitized):
    done = run(sanitized, CHECK_LEAKS + SCRIPT)
    check_clean(done)
    for name, outcome in json.loads(done.stdout.splitlines()[-1]):
        starved = name.startswith("files/cache/") and re.search(STARVED, outcome)
        if not name.startswith("test/") and not starved:
            check_outcome(name, outcome)


def check_clean(done):
    messages = done.stderr[-3000:]
    assert done.returncode == 0, messages
    assert "runtime error" not in done.stderr and "Sanitizer" not in done.stderr, messages


# Without leak checking: libnfs leaks a few bytes and is unloaded before the check could name it.
NFS = """
import os
os.environ.pop("LD_PRELOAD")  # not for the server
from reckon.measurement import library
from reckon.hosts import nfs
from reckon.computer import scratch
folder = scratch.prepare(1, 1 << 20)[0].parent
try:
    places = nfs.connect("near", folder).places | {"files": str(folder)}
except nfs.NfsUnavailable as reason:
    print("unsupported", reason)
else:
    ran = 0
    for name, probe in library.probes().items():
        for version in (3, 4):
            takes = {p.name: p.default for p in probe.parameters}
            params = {"server": "near", "file_bytes": 1 << 18, "version": version}
            if name.startswith("files/remote/") and "server" in takes:
                try:
                    known = {k: v for k, v in params.items() if k in takes}
                    library.run(name, known, places, samples=3)
                    ran += 1
                except library.ProbeUnsupported:
                    pass
    nfs.forget()
    print("ran", ran)
"""


def test_probes_that_read_over_nfs_are_clean_under_the_sanitizers(sanitized):
    done = run(sanitized, NFS)
    check_clean(done)
    need(not done.stdout.startswith("unsupported"), done.stdout)
    assert int(done.stdout.split()[-1]) >= 20


def test_the_sanitizer_would_have_noticed(sanitized):
    """Seen to fail: a write past the samples of a call in this process."""
    script = """
import ctypes as C
from reckon.measurement import library
library.probes()
request = library.Request(probe=b"cpu/timer/pair", params=b"", samples=64, isolated=0)
libc = C.CDLL(None)
libc.malloc.restype = C.c_void_p
short = C.cast(libc.malloc(16), C.POINTER(library.Sample))
library._library().rk_run(C.byref(request), short, C.byref(library.RunReport()))
"""
    done = run(sanitized, script)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr
