"""Probes of memory: omitted work is noticed, pages have the requested size, faults are real."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import installed, need, two_cpus
from helpers.probes import MIB, PROBE_HEAD, endless, huge_pages, in_python, script_environment
from helpers.project import LIBRARY, ROOT, make_library

from reckon.measurement import library

pytestmark = pytest.mark.alone  # huge pages are the machine's

# --- omitted work -----------------------------------------------------------------------

ELSEWHERE = "the walk does not end where its loads lead"
NOT_EVERY = "the memory does not show every pass"
WRITES = ["write", "write_nt", "memset", "modify"]
COPIES = ["copy", "copy_loop", "copy_nt"]
MBP = [f"mbp2016_{name}" for name in ("loop_read", "loop_write", "memset", "loop_rw", "memcpy")]
BANDWIDTH = [f"bandwidth/{name}" for name in ("read", *WRITES, *COPIES, *MBP)]
FOUR = "FOLLOW_4(p);"

# What is left out or done twice: the file, its text, the other text, the probes that must notice it,
# what they are given, and what they say.
MUTANTS = {
    "a group of 63 loads": (
        "memory/support/chase.h",
        "        FOLLOW_16(p);\n        RK_KEEP",
        f"        {FOUR} {FOUR} {FOUR} p = p->next, p = p->next, p = p->next;\n        RK_KEEP",
        ["latency/random", "latency/stride", "bandwidth/loaded_latency", "bandwidth/load"],
        {},
        ELSEWHERE,
    ),
    "no last round": (
        "memory/support/vectors.h",
        "i < (bytes) / sizeof(VECTOR)",
        "i + 8 < (bytes) / sizeof(VECTOR)",
        [probe for probe in BANDWIDTH if not re.search("memset|memcpy|copy$", probe)],
        {},
        NOT_EVERY,
    ),
    "an element less stored, and one raised twice": (
        "memory/support/vectors.h",
        r"\bSTORE\(i \+ 7, (v|LOAD\(i \+ 7\) \+ 1)\);",
        r"STORE(i + 6, \1);",
        ["bandwidth/write", "bandwidth/modify", "bandwidth/mbp2016_loop_write"],
        {},
        NOT_EVERY,
    ),
    "a pass less": (
        "memory/bandwidth.c",
        "pass < sweep->passes; pass++",
        "pass + 1 < sweep->passes; pass++",
        # Three copies of the same leave what two leave.
        [probe for probe in BANDWIDTH if not re.search("copy|cpy|_rw", probe)],
        {"passes": 3},
        NOT_EVERY,
    ),
    "the other CPU does nothing": (
        "memory/support/team.c",
        "self->result = team->work(self, last_trial = trial);",
        "last_trial = trial;",
        [f"bandwidth/{name}" for name in ("read", *WRITES, *COPIES)],
        {"threads": 2},
        NOT_EVERY,
    ),
    "a word less by the C library": (
        "memory/support/vectors.h",
        r"(memset|memcpy)\((to, [^;]*)bytes\)",
        r"\1(\2bytes - 8)",
        [
            "bandwidth/memset",
            "bandwidth/copy",
            "bandwidth/mbp2016_memset",
            "bandwidth/mbp2016_memcpy",
        ],
        {},
        NOT_EVERY,
    ),
    "a word less summed up": (
        "memory/latency.c",
        "for (; i < count; i++, word",
        "for (i++; i < count; i++, word",
        ["latency/mountain"],
        {"size_bytes": 1000},
        "the sum is not that of all words",
    ),
    "pages not touched": (
        "memory/fault.c",
        "        *at = 1;",
        "        RK_KEEP(at);",
        ["fault/anonymous", "fault/cold"],
        {},
        "touching new pages raised no fault",
    ),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the library and its source, in which only changed files are compiled again."""
    here = tmp_path_factory.mktemp("mutants")
    shutil.copytree(ROOT / "csrc", here / "csrc")
    shutil.copytree(LIBRARY, here / "lib")
    return here


@pytest.mark.parametrize("name", MUTANTS)
def test_omitted_work_is_noticed(built, name):
    file, text, other, probes, params, sentence = MUTANTS[name]
    if "threads" in params or ELSEWHERE == sentence:
        two_cpus()
        if "loaded" in str(probes):
            huge_pages()
    source = built / "csrc" / file
    as_it_was = source.read_text()
    pattern = text if "\\" in text else re.escape(text)
    other = other if "\\" in text else other.replace("\\", r"\\")
    mutant, changes = re.subn(pattern, other, as_it_was)
    assert changes
    source.write_text(mutant)
    for part in ("latency", "bandwidth", "fault"):
        (built / f"lib/memory/{part}.o").unlink()
    try:
        done = make_library(built / "lib", sources=built / "csrc")
        assert done.returncode == 0, done.stderr
        outcome = in_python(
            f"names = {{probe: [p.name for p in library.probe('memory/' + probe).parameters] for probe in {probes}}}\n"
            f"given = {{'size_bytes': 65536, 'loads': 256, 'idle_ms': 1, **{params}}}\n"
            f"say({{probe: attempt('memory/' + probe, {{k: v for k, v in given.items() if k in names[probe]}})"
            f" for probe in {probes}}})",
            RECKON_LIB=str(built / "lib"),
        )
    finally:
        source.write_text(as_it_was)
    assert outcome == {probe: f"ProbeFailed: {sentence}: Input/output error" for probe in probes}


# --- pages ---------------------------------------------------------------------------------------


LOOKS = 3  # its memory is still being filled while two looks differ


def seen_while_running(probe, params, look):
    """What look(pid) returned for the endless probe's process, once it returned the same LOOKS times."""
    seen = []
    for pids in endless(
        f"memory/{probe}", params, 30, priority="none"
    ):  # so that the test runs too
        for pid in pids:
            with contextlib.suppress(OSError):
                seen.append(look(pid))
            if len(seen) >= LOOKS and seen[-1] and seen[-LOOKS:] == LOOKS * seen[-1:]:
                os.kill(pid, signal.SIGKILL)
    return seen[-1]


def in_huge_pages(pid):
    """(bytes present, bytes in huge pages) of every mapping of which 4 MiB and more are present."""
    text = Path(f"/proc/{pid}/smaps").read_text()
    maps = re.findall(
        r"^Rss: +(\d+) kB.*?^AnonHugePages: +(\d+) kB", text, re.DOTALL | re.MULTILINE
    )
    return [(int(rss) * 1024, int(huge) * 1024) for rss, huge in maps if int(rss) >= 4096]


@pytest.mark.parametrize(("pages", "share"), [("huge", 1), ("small", 0)])
@pytest.mark.parametrize(
    ("probe", "params", "regions"),
    [
        ("latency/random", {"loads": 1 << 32}, 1),
        ("latency/stride", {"loads": 1 << 32, "stride_bytes": 4096}, 1),
        ("bandwidth/read", {"passes": 1 << 20, "threads": 2}, 2),
        ("bandwidth/copy", {"passes": 1 << 20}, 2),
    ],
)
def test_pages_have_the_requested_size(probe, params, regions, pages, share):
    """Seen from outside, in /proc/PID/smaps."""
    huge_pages()
    if "threads" in params:
        two_cpus()
    seen = seen_while_running(
        probe, {"size_bytes": 16 * MIB, "pages": pages, **params}, in_huge_pages
    )
    assert sum(present for present, _ in seen) == regions * 16 * MIB
    assert sum(huge for _, huge in seen) == share * regions * 16 * MIB


WITH_HUGE_PAGES = [
    ("latency/random", {"pages": "huge"}),
    ("latency/stride", {"pages": "huge"}),
    ("latency/mbp2016", {"pages": "huge"}),
    ("bandwidth/read", {"pages": "huge"}),
    ("bandwidth/copy_nt", {"pages": "huge", "threads": 2}),
    ("bandwidth/loaded_latency", {"pages": "huge"}),
    ("fault/huge", {"touches": 2}),
]


def huge_attempts(before=""):
    return before + (
        f"say([attempt('memory/' + probe, params, isolated=isolated) for probe, params in {WITH_HUGE_PAGES}\n"
        "     for isolated in (1, 0)])"
    )


def test_refused_huge_pages_are_reported():
    """Refused to a process and its children by prctl(PR_SET_THP_DISABLE)."""
    two_cpus()
    off = "import ctypes\nassert ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) == 0\n"
    for said in in_python(huge_attempts(off)):
        assert said.startswith(
            "ProbeUnsupported: huge pages are not available here (transparent_hugepage"
        )
    small = "say(attempt('memory/latency/random', {'pages': 'small'}))"
    assert in_python(off + small) == "ran"


@pytest.mark.parametrize("layout", [[], ["setarch", "-L"]])
def test_every_probe_gets_available_huge_pages(layout):
    """Also where mappings grow upwards, so that two of them touch and are one to the kernel."""
    huge_pages()
    need(not layout or shutil.which("setarch"), "setarch is not installed")
    two_cpus()
    assert set(in_python(huge_attempts(), prefix=layout)) == {"ran"}


# --- faults --------------------------------------------------------------------------------------


def counted_by_perf(probe, params, event, samples=3):
    """Faults of a whole process of Python in which the probe ran, as perf counts them."""
    script = (
        PROBE_HEAD + f"say(attempt('memory/{probe}', {params}, samples={samples}, isolated=False))"
    )
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", event, sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=script_environment({"PYTHONHASHSEED": "0"}),
    )
    assert done.stdout.strip() == '"ran"', done.stdout + done.stderr
    return int(re.search(rf"^(\d+),.*{event}", done.stderr, re.MULTILINE)[1])


@pytest.mark.parametrize(
    ("probe", "less", "more", "faults"),
    [
        ("anonymous", {"touches": 100}, {"touches": 10_100}, 3 * 10_000),
        ("huge", {"touches": 2}, {"touches": 102}, 3 * 100),
        ("i7_10750h_anonymous", {"touches": 100}, {"touches": 10_100}, 3 * 10_000),
    ],
)
def test_perf_counts_as_many_faults_as_the_samples_say(probe, less, more, faults):
    """By the difference of two runs, so that Python's own cancel."""
    installed("perf")
    if probe == "huge":
        huge_pages()
    found = counted_by_perf(f"fault/{probe}", more, "minor-faults") - counted_by_perf(
        f"fault/{probe}", less, "minor-faults"
    )
    print(probe, found, "by perf,", faults, "by the samples")
    assert found == pytest.approx(faults, rel=0.01, abs=80)


def test_every_sample_of_a_major_fault_is_one():
    samples = library.run("memory/fault/major", {"size_bytes": 4 * MIB}, samples=50, warmup=0)
    assert (samples.ops == 1).all() and samples.major_faults >= 50
    if shutil.which("perf"):
        few, many = (
            counted_by_perf("fault/major", {"size_bytes": 4 * MIB}, "major-faults", n)
            for n in (1, 101)
        )
        assert many - few == pytest.approx(100, abs=5)


def usual_major_faults(probe, params, processes=7):
    """The median over fresh processes: the kernel may drop a cached page at any time, but of a file that
    was not cached each process would have some."""
    return np.median(
        [library.run(probe, params, samples=5, warmup=0).major_faults for _ in range(processes)]
    )


def test_a_fault_of_a_cached_file_is_minor_and_may_map_several_pages():
    """The kernel maps up to 16 pages around the one that is touched (fault_around_bytes)."""
    samples = library.run("memory/fault/minor", {"touches": 64}, samples=5)
    assert usual_major_faults("memory/fault/minor", {"touches": 64}) == 0
    assert (samples.ops >= 1).all() and (samples.ops <= 64).all()
    near = library.run("memory/fault/minor", {"touches": 64, "step_bytes": 4096}, samples=5)
    assert near.ops.sum() < samples.ops.sum()
    mbp = library.run("memory/fault/mbp2016", {"touches": 1024}, samples=5, warmup=0)
    assert (mbp.ops == 1024).all() and mbp.minor_faults < 5 * 1024 / 2
    assert usual_major_faults("memory/fault/mbp2016", {"touches": 1024}) == 0
