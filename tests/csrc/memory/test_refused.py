"""Limits on memory, senseless values and missing CPUs: each is reported, and nothing is left behind."""

import os
import re
import time
from pathlib import Path

import pytest
from helpers.capabilities import capable, other_users, two_cpus
from helpers.everything import check_outcome
from helpers.probes import (
    MEMORY,
    MIB,
    NOBODY_ELSE,
    compiled,
    control_group,
    in_python,
    kills_in,
    started,
)
from helpers.processes import living_children, pids_gone, until

from reckon.measurement import library

WITH_SIZE = [n for n in MEMORY if "size_bytes" in {p.name for p in library.probe(n).parameters}]
FOR_TWO_CPUS = [
    f"memory/bandwidth/{name}"
    for name in ("loaded_latency", "load", "i7_10750h_two_read", "i7_10750h_two_write")
]


# --- limits on memory --------------------------------------------------------------------


def limited(script, most=512 * MIB):
    """What the script says under that limit on memory; the kernel must not have killed anything."""
    with control_group("memory", max=most) as group:
        outcome = in_python(script, group)
        assert kills_in(group) == 0
    return outcome


DOES_NOT_FIT = (
    r"ProbeUnsupported: \d+ MiB with their page tables do not fit into the \d+ MiB available"
)


@pytest.mark.parametrize("isolated", [True, False])
def test_more_memory_than_the_control_group_has_is_not_touched(isolated):
    outcomes = limited(
        f"say([[probe, attempt(probe, few(probe, size_bytes=size), isolated={isolated})]"
        f" for size in (1 << 30, 16 << 20) for probe in {WITH_SIZE} if 'fault' not in probe])"
    )
    half = len(outcomes) // 2
    for probe, outcome in outcomes[:half]:
        assert re.fullmatch(DOES_NOT_FIT, outcome), (probe, outcome)
    for probe, outcome in outcomes[half:]:
        assert outcome == "ran", (probe, outcome)
    assert half > 25


def test_a_sweep_of_sizes_goes_as_far_as_memory_does():
    outcomes = limited(
        "say([attempt('memory/latency/random', {'size_bytes': 1024 << i, 'pages': pages})"
        " for pages in ('small', 'huge') for i in range(21)])"
    )
    for sweep in (outcomes[:21], outcomes[21:]):
        ran = [outcome == "ran" for outcome in sweep]
        assert ran == sorted(ran, reverse=True)  # none runs that is bigger than an unsupported one
        assert 18 <= sum(ran) < 20  # 128 MiB runs and 512 MiB does not
        assert all(re.fullmatch(DOES_NOT_FIT, outcome) for outcome in sweep if outcome != "ran")


def test_other_probes_that_take_memory_are_bounded_too():
    outcomes = limited(
        "say([attempt(f'memory/{probe}', params) for probe, params in [\n"
        "    ('bandwidth/read', {'size_bytes': 600 << 20, 'threads': 2}),\n"
        "    ('bandwidth/copy', {'size_bytes': 300 << 20}),\n"
        "    ('bandwidth/i7_10750h_two_read', {'size_bytes': 200 << 20, 'evict_bytes': 100 << 20}),\n"
        "    ('bandwidth/x510uq_read', {'size_bytes': 1 << 20, 'evict_bytes': 1 << 30}),\n"
        "    ('fault/anonymous', {'touches': 1 << 18}),\n"
        "    ('fault/huge', {'touches': 512}),\n"
        "    ('fault/cold', {'touches': 1 << 18, 'idle_ms': 1}),\n"
        "    ('fault/i7_10750h_anonymous', {'touches': 1 << 18}),\n"
        "    ('fault/hpe_i7_860_memory', {'stride_pages': 1 << 18})]])"
    )
    for outcome in outcomes:
        assert re.fullmatch(DOES_NOT_FIT, outcome), outcome


def test_a_file_bigger_than_the_control_group_is_read_through_its_page_cache():
    """The kernel gives the cached pages of a file back by itself."""
    probes = "(('major', {'size_bytes': 256 << 20}), ('minor', {'touches': 1024}))"
    outcomes = limited(f"say([attempt('memory/fault/' + r, p) for r, p in {probes}])", 128 * MIB)
    assert outcomes[0] == "ran"
    assert outcomes[1] == "ran" or "do not stay in the page cache" in outcomes[1]


# --- values that make no sense -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probe", "params", "reason"),
    [
        ("bandwidth/read", {"vector": "avx1024"}, "no registers of that width"),
        ("bandwidth/write", {"vector": ""}, "no registers of that width"),
        ("bandwidth/read", {"threads": 1000}, r"1000 CPUs are requested, and this process may use"),
        ("bandwidth/modify", {"pages": "giant"}, "pages are small or huge"),
        ("latency/random", {"pages": "giant"}, "pages are small or huge"),
        ("latency/random", {"size_bytes": 128, "line_bytes": 128}, "needs at least two nodes"),
        ("bandwidth/load", {"size_bytes": 64}, "needs at least two nodes"),
        ("latency/random", {"size_bytes": 1 << 37, "line_bytes": 16}, "fewer than 2.31"),
        ("latency/stride", {"stride_bytes": 17}, "between nodes must be a multiple of 8 bytes"),
        ("bandwidth/load", {"line_bytes": 66}, "between nodes must be a multiple of 8 bytes"),
        ("latency/mountain", {"stride_bytes": 12}, "the stride must be a multiple of 8 bytes"),
        ("latency/random", {"window_bytes": 8}, "a window must hold at least one node"),
        ("latency/mountain", {"size_bytes": 128, "stride_bytes": 256}, "smaller than the stride"),
        ("latency/hpe_i7_860", {"size_bytes": 2048, "chunk_elements": 256}, "two chunks at least"),
        ("fault/major", {"size_bytes": 4096}, "four pages for each sample"),
    ],
)
def test_a_value_that_makes_no_sense_is_reported(probe, params, reason):
    if "load" in probe:
        two_cpus()
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(f"memory/{probe}", params)


def test_more_bytes_than_64_bits_count_are_reported():
    """2^24 touches 2^30 bytes apart for each of 1024 samples: 2^64 bytes, which are 0 in 64 bits."""
    params = {"touches": 1 << 24, "step_bytes": 1 << 30}
    with pytest.raises(library.ProbeUnsupported, match="/.* has no room"):
        library.run("memory/fault/minor", params, samples=1024, warmup=0)


def test_pages_that_are_locked_into_memory_are_reported():
    """mlockall(2): they stay mapped, and touching them raises no fault."""
    capable("ipc_lock", "locking all memory")
    probes = ("t470", "x510uq", "mbp2016", "i7_10750h_file", "i7_10750h_anonymous")
    outcomes = in_python(
        "import ctypes\nlibc = ctypes.CDLL(None)\nassert libc.mlockall(2) == 0\n"  # MCL_FUTURE
        f"say([attempt('memory/fault/' + probe, {{'touches': 2}}, isolated=False) for probe in {probes}])"
    )
    assert all(outcome.endswith(": madvise: Invalid argument") for outcome in outcomes), outcomes


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


@pytest.mark.parametrize("isolated", [True, False])
def test_with_one_cpu_the_probes_for_two_are_unsupported(isolated):
    outcomes = in_python(
        f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
        f"say({{probe: attempt(probe, few(probe, threads=2), isolated={isolated}) for probe in {MEMORY}}})"
    )
    wide = {
        probe for probe in MEMORY if "threads" in {p.name for p in library.probe(probe).parameters}
    }
    for probe, outcome in outcomes.items():
        if probe in FOR_TWO_CPUS:
            assert re.match("ProbeUnsupported: there is (no other CPU|one CPU only)", outcome), (
                probe
            )
        elif probe in wide:
            assert outcome == "ProbeUnsupported: 2 CPUs are requested, and this process may use 1"
        else:
            check_outcome(probe, outcome)
    assert len(wide) == 8


@pytest.mark.parametrize("pages", ["small", "huge"])
def test_in_this_process_no_probe_keeps_its_memory(pages):
    """Neither those that ran nor those that requested huge pages and did not get them."""
    outcomes = in_python(
        "import ctypes\nassert ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) == 0\n"  # no huge pages
        "def mapped():\n    return int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        f"said = []\nfor probe in {MEMORY}:\n"
        f"    given = few(probe, size_bytes=8 << 20, evict_bytes=8 << 20, touches=32, pages={pages!r})\n"
        "    given.update(touches=1024) if 'i7' in probe and 'touches' in given else None\n"
        "    attempt(probe, given, isolated=False); before = mapped()\n"
        "    outcome = attempt(probe, given, isolated=False)\n"
        "    said.append([probe, outcome, mapped() - before])\nsay(said)"
    )
    assert [probe for probe, _, added in outcomes if added >= 2 * MIB] == []
    refused = [probe for probe, outcome, _ in outcomes if "huge pages are not available" in outcome]
    assert len(refused) == (1 if pages == "small" else 14)


def test_every_probe_runs_as_an_ordinary_user():
    other_users()
    outcomes = in_python(
        f"become({NOBODY_ELSE})\nsay({{probe: attempt(probe) for probe in {MEMORY}}})"
    )
    assert {probe: outcome for probe, outcome in outcomes.items() if outcome != "ran"} == {}


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
    folder = tmp_path_factory.mktemp("affinity")
    return str(compiled(folder, "affinity", "-shared", "-fPIC"))


def test_a_refusal_in_the_second_process_is_reported(no_affinity):
    two_cpus()
    outcome = in_python(
        f"say(attempt('memory/{TWO}', {{}}, isolated=False))", LD_PRELOAD=no_affinity
    )
    assert outcome == "ProbeUnsupported: the second process cannot have a CPU and arrays of its own"


def test_unknown_cpus_are_part_of_the_reason(no_affinity):
    """As with more CPUs than a cpu_set_t has; probes for one CPU run all the same."""
    outcomes = in_python(
        "say([attempt('memory/' + probe, {'size_bytes': 1 << 20}, isolated=False)"
        f" for probe in ('latency/random', '{TWO}', 'bandwidth/load')])",
        LD_PRELOAD=no_affinity,
        UNKNOWN_CPUS="1",
    )
    unknown = "(which CPUs this process may use is not known: Invalid argument)"
    assert outcomes[0] == "ran"
    assert all(
        outcome.startswith("ProbeUnsupported: there is ") and outcome.endswith(unknown)
        for outcome in outcomes[1:]
    )


def test_the_second_process_ends_with_the_first():
    two_cpus()
    with started(f"attempt('memory/{TWO}', samples=100_000, isolated=False)") as caller:
        (second,) = until(lambda: living_children(caller.pid))
        time.sleep(0.3)  # beyond its beginning
        caller.kill()
    assert pids_gone([second])
