"""Locked pages, missing widths and CPUs that are not known: each is reported; no memory is kept."""

import re
from pathlib import Path

import pytest
from helpers.capabilities import capable, two_cpus
from helpers.probe_script import few
from helpers.probes import MEMORY, MIB, in_python, preloaded
from helpers.programs import attempts, memory

from reckon.measurement import library


def test_pages_that_are_locked_into_memory_are_reported():
    """mlockall(2): they stay mapped, and touching them raises no fault."""
    capable("ipc_lock", "locking all memory")
    probes = ("t470", "x510uq", "mbp2016", "i7_10750h_file", "i7_10750h_anonymous")
    lock = "import ctypes\nassert ctypes.CDLL(None).mlockall(2) == 0"  # MCL_FUTURE
    requests = [[f"memory/fault/{probe}", {"touches": 2}] for probe in probes]
    for probe, outcome in in_python(attempts.outcomes, requests, [False], before=lock):
        assert outcome.endswith(": madvise: Invalid argument"), probe


def test_the_widths_are_those_that_this_cpu_has():
    flags = re.search(
        r"^(?:flags|Features)\s*:(.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE
    )
    flags = flags[1].split()
    has = {
        "scalar": True,
        "sse2": "sse2" in flags,
        "avx2": "avx2" in flags,
        "avx512": "avx512f" in flags,
        "neon": "asimd" in flags,
        "widest": True,
    }
    for width, there in has.items():
        try:
            library.run("memory/bandwidth/copy_nt", {"size_bytes": 4096, "vector": width})
            assert there, width
        except library.ProbeUnsupported as reason:
            assert not there and "no registers of that width" in str(reason), width


@pytest.mark.parametrize("pages", ["small", "huge"])
def test_in_this_process_no_probe_keeps_its_memory(pages):
    """Neither those that ran nor those that requested huge pages and did not get them."""
    requests = [
        [probe, few(probe, size_bytes=8 << 20, evict_bytes=8 << 20, touches=32, pages=pages)]
        for probe in MEMORY
    ]
    for probe, params in requests:
        if "i7" in probe and "touches" in params:
            params["touches"] = 1024
    outcomes = in_python(memory.kept_without_huge_pages, requests)
    assert [probe for probe, _, added in outcomes if added >= 2 * MIB] == []
    refused = [probe for probe, outcome, _ in outcomes if "huge pages are not available" in outcome]
    assert len(refused) == (1 if pages == "small" else 14)


# --- two processes at once -----------------------------------------------------------------------

TWO = "bandwidth/i7_10750h_two_read"


def test_each_of_two_processes_has_arrays_of_its_own_only():
    """Within a limit on addresses that holds one set of arrays beside what is there, and not two."""
    two_cpus()
    outcome = in_python(
        "taken = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + (80 << 20),) * 2)\n"
        f"say(attempt('memory/{TWO}', {{'size_bytes': 4 << 20, 'evict_bytes': 56 << 20}}, isolated=False))"
    )
    assert outcome == "ran"


@pytest.fixture(scope="module")
def no_affinity(tmp_path_factory):
    return preloaded(tmp_path_factory.mktemp("affinity"), "affinity")


def test_a_refusal_in_the_second_process_is_reported(no_affinity):
    two_cpus()
    outcome = in_python(
        f"say(attempt('memory/{TWO}', {{}}, isolated=False))", LD_PRELOAD=no_affinity
    )
    assert outcome == "ProbeUnsupported: the second process cannot have a CPU and arrays of its own"


def test_a_second_process_that_ends_after_its_last_pass_has_not_failed(tmp_path):
    """Whoever is waiting for it sees the end and the count in either order; about every other time."""
    two_cpus()
    outcomes = in_python(
        attempts.outcomes,
        [[f"memory/{TWO}", {"size_bytes": 4096, "evict_bytes": 4096}]] * 12,
        [False],
        LD_PRELOAD=preloaded(tmp_path, "late_end"),
    )
    assert {outcome for _, outcome in outcomes} == {"ran"}


def test_a_kernel_with_more_cpus_than_a_cpu_set_t_is_measured(no_affinity):
    two_cpus()
    requests = [["memory/bandwidth/load", {"size_bytes": 1 << 20}]]
    outcomes = in_python(
        attempts.outcomes, requests, [False], LD_PRELOAD=no_affinity, MANY_CPUS="1"
    )
    assert outcomes == [[requests[0][0], "ran"]]
