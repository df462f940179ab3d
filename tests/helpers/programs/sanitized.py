"""What runs in the library that is built with the sanitizers."""

import ctypes
import os

from helpers.everything import little
from helpers.probe_script import attempt, known
from helpers.programs import every_probe
from reckon.computer import scratch
from reckon.hosts import HostUnavailable, nfs
from reckon.measurement import library

# What is no probe of a test or of NFS here, and why.
UNSUPPORTED = {
    "test/unsupported": "this probe is unsupported everywhere",
    "test/instant": "too short for the steps of this machine's counter",
    "files/remote/kernel": "this kernel has no NFS client",
}


NEVER_RUNS = "test/unsupported"


def check_ran(name, outcome):
    """The probe ran, or was unsupported for its own reason; whether it ran."""
    reason = UNSUPPORTED.get(name)
    is_refused = reason and outcome.startswith("ProbeUnsupported: ") and reason in outcome
    has_run = outcome == "ran" and name != NEVER_RUNS
    assert has_run or is_refused, (name, outcome)
    return has_run


def all_probes():
    """[[probe, outcome]] of every probe, isolated and not. Those of the tests must not fail, and what is
    no request must be refused."""
    for probe in library.probes().values():
        if probe.name.startswith("test/") and probe.name not in ("test/crash", "test/hang"):
            for isolated in (True, False):
                check_ran(probe.name, attempt(probe.name, little(probe), isolated=isolated))
    for name, params in (
        ("nope", {}),
        ("cpu/syscall/getpid", {"calls": "x" * 3000}),
        ("cpu/syscall/getpid", {"calls=1\ncalls": "2"}),
    ):
        assert attempt(name, params) != "ran", (name, params)
    return [outcome[:2] for outcome in every_probe.outcomes([True, False])]


def probes_over_nfs():
    """How many probes read files over NFS here; or why there is no server."""
    os.environ.pop("LD_PRELOAD")  # not for the server
    folder = scratch.prepare_files(1, 1 << 20)[0].parent
    try:
        locations = nfs.connect("near", folder).locations | {"files": str(folder)}
    except HostUnavailable as reason:
        return str(reason)
    ran = 0
    for name in library.probes():
        for version in (3, 4):
            params = {"server": "near", "file_bytes": 1 << 18, "version": version}
            params = known(name, params)
            if name.startswith("files/remote/") and "server" in params:
                outcome = attempt(name, params, samples=3, locations=locations)
                ran += check_ran(name, outcome)
    nfs.forget()
    return ran


def write_past_the_samples():
    """A fault that the sanitizer must notice: memory for fewer samples than are requested."""
    request = library.Request(probe=b"cpu/timer/pair", params=b"", samples=64, isolated=0)
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    short = ctypes.cast(libc.malloc(16), ctypes.POINTER(library.Sample))
    witnesses, report = (library.Witness * 64)(), library.Outcome()
    library._library().rk_run(ctypes.byref(request), short, witnesses, ctypes.byref(report))
