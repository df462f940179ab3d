"""Probes of memory: omitted work is noticed, pages have the requested size, faults are real."""

import contextlib
import os
import re
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import installed, need, two_cpus
from helpers.probe_script import known
from helpers.probes import (
    MIB,
    assert_unsupported,
    endless,
    huge_pages,
    in_python,
    run_python,
)
from helpers.programs import attempts
from helpers.project import LIBRARY, ROOT, make_library

from reckon.measurement import library

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
        "memory/support/vectors.c",
        "i < (bytes) / sizeof(VECTOR)",
        "i + 8 < (bytes) / sizeof(VECTOR)",
        [probe for probe in BANDWIDTH if not re.search("memset|memcpy|copy$", probe)],
        {},
        NOT_EVERY,
    ),
    "an element less stored, and one raised twice": (
        "memory/support/vectors.c",
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
        "memory/support/vectors.c",
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


@contextlib.contextmanager
def changed(built, file, text, other):
    """The environment of a library in which that text of the file is another; a pattern has a \\."""
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
        names = ("libreckon.so", "reckon-probe")
        done = make_library(built / "lib", sources=built / "csrc", names=names)
        assert done.returncode == 0, done.stderr
        yield {"RECKON_LIB": built / "lib"}
    finally:
        source.write_text(as_it_was)


CASES = [  # within a short walk, the other CPU loads the memory only if it is not busy
    pytest.param(name, marks=pytest.mark.alone if sentence == ELSEWHERE else ())
    for name, (*_, sentence) in MUTANTS.items()
]


@pytest.mark.parametrize("name", CASES)
def test_omitted_work_is_noticed(built, name):
    file, text, other, probes, params, sentence = MUTANTS[name]
    if "threads" in params or sentence == ELSEWHERE:
        two_cpus()
        if "loaded" in str(probes):
            huge_pages()
    given = {"size_bytes": 65536, "loads": 256, "idle_ms": 1, **params}
    requests = [[f"memory/{probe}", known(f"memory/{probe}", given)] for probe in probes]
    with changed(built, file, text, other) as environment:
        outcomes = in_python(attempts.outcomes, requests, [True], **environment)
    reason = f"ProbeFailed: {sentence}: Input/output error"
    assert outcomes == [[f"memory/{probe}", reason] for probe in probes]


@pytest.mark.alone  # the other CPU loads only if it is not busy
def test_a_walk_begins_when_every_cpu_that_loads_is_ready(built):
    """Each of them comes 20 ms late to each trial; a walk takes a tenth of that at most."""
    two_cpus()
    starts = "self->result = team->work(self, last_trial = trial);"
    late = f"nanosleep(&(struct timespec){{.tv_nsec = 20000000}}, NULL); {starts}"
    with changed(built, "memory/support/team.c", starts, late) as environment:
        read = in_python(
            "walk = {'size_bytes': 65536, 'loads': 100_000}\n"
            "say(library.run('memory/bandwidth/load', walk, samples=5).ops.tolist())",
            **environment,
        )
    assert len(read) == 5 and all(read)


@pytest.mark.alone  # the other CPU loads only if it is not busy
def test_a_walk_under_no_load_is_no_sample_unless_none_is_requested(built):
    two_cpus()
    counts, none = "(&loaded->bytes, read);", "(&loaded->bytes, 0);"
    with changed(built, "memory/bandwidth.c", counts, none) as environment:
        outcomes = in_python(
            "say([attempt('memory/bandwidth/load', {'size_bytes': 65536, 'load_percent': share})"
            " for share in (100, 1, 0)])",
            **environment,
        )
    assert outcomes[2] == "ran"
    for outcome in outcomes[:2]:
        assert outcome.startswith("ProbeFailed: The other CPUs read nothing during a walk: ")


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


@pytest.mark.alone  # huge pages are the machine's
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
    ["memory/latency/random", {"pages": "huge"}],
    ["memory/latency/stride", {"pages": "huge"}],
    ["memory/latency/mbp2016", {"pages": "huge"}],
    ["memory/bandwidth/read", {"pages": "huge"}],
    ["memory/bandwidth/copy_nt", {"pages": "huge", "threads": 2}],
    ["memory/bandwidth/loaded_latency", {"pages": "huge"}],
    ["memory/fault/huge", {"touches": 2}],
]


def test_refused_huge_pages_are_reported():
    """Refused to a process and its children by prctl(PR_SET_THP_DISABLE)."""
    two_cpus()
    requests = [*WITH_HUGE_PAGES, ["memory/latency/random", {"pages": "small"}]]
    off = "from helpers.programs import memory\nmemory.without_huge_pages()"
    *refused, small, small_here = in_python(attempts.outcomes, requests, before=off)
    assert_unsupported(refused, r"huge pages are not available here \(transparent_hugepage.*")
    assert small[1] == small_here[1] == "ran"


@pytest.mark.alone  # huge pages are the machine's
@pytest.mark.parametrize("layout", [[], ["setarch", "-L"]])
def test_every_probe_gets_available_huge_pages(layout):
    """Also where mappings grow upwards, so that two of them touch and are one to the kernel."""
    huge_pages()
    need(not layout or shutil.which("setarch"), "setarch is not installed")
    two_cpus()
    outcomes = in_python(attempts.outcomes, WITH_HUGE_PAGES, prefix=layout)
    assert {outcome for _, outcome in outcomes} == {"ran"}


# --- faults --------------------------------------------------------------------------------------


def counted_by_perf(event, probe, params, samples):
    """Faults of a whole process of Python in which the probe ran, as perf counts them."""
    done = run_python(
        f"say(attempt('memory/{probe}', {params}, samples={samples}, isolated=False))",
        prefix=["perf", "stat", "-x,", "-e", event],
        PYTHONHASHSEED=0,
    )
    assert done.stdout.strip() == '"ran"', done.stdout + done.stderr
    return int(re.search(rf"^(\d+),.*{event}", done.stderr, re.MULTILINE)[1])


MAJOR = {"size_bytes": 4 * MIB}


@pytest.mark.alone  # huge pages and the page cache are the machine's
@pytest.mark.parametrize(
    ("event", "probe", "less", "more", "faults", "room"),
    [
        (
            "minor-faults",
            "fault/anonymous",
            ({"touches": 100}, 3),
            ({"touches": 10_100}, 3),
            30_000,
            300,
        ),
        ("minor-faults", "fault/huge", ({"touches": 2}, 3), ({"touches": 102}, 3), 300, 80),
        (
            "minor-faults",
            "fault/i7_10750h_anonymous",
            ({"touches": 100}, 3),
            ({"touches": 10_100}, 3),
            30_000,
            300,
        ),
        ("major-faults", "fault/major", (MAJOR, 1), (MAJOR, 101), 100, 5),
    ],
)
def test_perf_counts_as_many_faults_as_the_samples_say(event, probe, less, more, faults, room):
    """By the difference of two runs, so that Python's own cancel."""
    installed("perf")
    if probe == "fault/huge":
        huge_pages()
    counted = counted_by_perf(event, probe, *more) - counted_by_perf(event, probe, *less)
    assert counted == pytest.approx(faults, abs=room)


def test_every_sample_of_a_major_fault_is_one():
    samples = library.run("memory/fault/major", MAJOR, samples=50, warmup=0)
    assert (samples.ops == 1).all() and samples.major_faults >= 50


def usual_major_faults(probe, params, processes=7):
    """The median number of major faults of a fresh process. The kernel may drop a cached page at any time,
    so one process may have some; with a file that is not cached, each has."""
    return np.median(
        [library.run(probe, params, samples=5, warmup=0).major_faults for _ in range(processes)]
    )


@pytest.mark.alone  # another test may drop the page cache
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
