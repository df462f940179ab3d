"""The probes of files/read where a block, a right or the file is wrong: one sentence, nothing left."""

import mmap
import os
import signal
import time
from pathlib import Path

import pytest
from helpers.capabilities import capable, other_users, x86_only
from helpers.disks import answers, assert_unsupported, mounted
from helpers.probes import MIB, NOBODY_ELSE, started
from helpers.processes import probes_of, until

from reckon.computer import scratch
from reckon.measurement import library

DROPPED = [name for name in library.probes() if name.startswith("files/read/dropped")]
DIRECT = [
    f"files/read/{name}"
    for name in ("direct_random", "direct_sequential", "mbp2016_random", "hpe_i7_860_random")
]


# --- refused before the first read -------------------------------------------------------------------


def test_a_direct_read_that_is_not_aligned_is_refused():
    outcomes = answers(DIRECT, {"block_bytes": 4100})
    # Linux 6.1 and newer report the alignment (statx(2)); older ones refuse the read.
    aligned = r"O_DIRECT reads multiples of \d+ bytes here, not 4100"
    refused = "the file system refuses this read, as one that is not aligned for O_DIRECT"
    assert_unsupported(outcomes, f"({aligned}|{refused})")
    outcomes = answers(["files/read/buffered_random"], {"block_bytes": 4100})
    assert [answer for _, answer in outcomes] == ["ran", "ran"]


@pytest.mark.parametrize(
    ("probe", "params", "reason"),
    [
        ("direct_random", {"file_bytes": 4096}, "no block is read twice, and the file has only 1$"),
        ("buffered_random", {"file_bytes": 12287, "block_bytes": 8192}, "the file has only 1$"),
        (
            "direct_random",
            {"file_bytes": 4096, "block_bytes": 8192},
            "must have at least one block",
        ),
        ("buffered_sequential", {"advice": "none"}, "the advice is normal, random or sequential$"),
    ],
)
def test_impossible_parameters_are_refused(probe, params, reason):
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(f"files/read/{probe}", params, samples=2)


def test_a_file_that_stays_in_the_page_cache_is_refused(tmp_path, monkeypatch):
    """The kernel does not drop pages that a process has mapped."""
    path = tmp_path / "data-0"
    path.write_bytes(os.urandom(MIB))
    monkeypatch.setenv("RECKON_FILES", str(tmp_path))
    stays = "100 % of the file stays in the page cache, so"
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        assert sum(mapped[at] for at in range(0, MIB, 4096)) > 0
        for probe in ("buffered_random", "buffered_sequential"):
            with pytest.raises(library.ProbeUnsupported, match=stays):
                library.run(f"files/read/{probe}", {"file_bytes": MIB}, samples=2)
        library.run("files/read/direct_random", {"file_bytes": MIB}, samples=2)


def test_dropping_the_page_cache_needs_root():
    other_users()
    file = "/proc/sys/vm/drop_caches"
    reason = rf"needs root to drop the page cache \({file}: {{}}\)"
    outcome = answers(DROPPED, {"dir": "/var/tmp"}, f"become({NOBODY_ELSE})")
    assert_unsupported(outcome, reason.format("Permission denied"))
    read_only = mounted(f"mount --bind {file} {file} && mount -o remount,bind,ro {file}")
    outcome = answers(DROPPED, prefix=read_only)
    assert_unsupported(outcome, reason.format("Read-only file system"))


def test_root_drops_the_page_cache():
    capable("sys_admin", "dropping the page cache")
    outcomes = answers(DROPPED, {"file_bytes": MIB})
    assert {answer for _, answer in outcomes} == {"ran"}


# --- during the reads ----------------------------------------------------------------------------------


def open_files(pid):
    try:
        return [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@pytest.mark.parametrize(
    ("probe", "params", "samples"),
    [
        ("direct_random", {}, 4096),
        ("direct_sequential", {}, 16_384),
        ("buffered_random", {}, 4096),
        ("buffered_sequential", {"blocks": 1, "advice": "random"}, 16_384),
        ("cached", {}, 2_000_000),
        ("mbp2016_random", {"blocks": 1}, 16_384),
        ("hpe_i7_860_sequential", {}, 200),
        ("i7_10750h_random", {}, 100),
    ],
)
def test_a_file_that_becomes_shorter_is_a_failure(probe, params, samples, tmp_path):
    if "i7_" in probe:
        x86_only()
    path = tmp_path / "data-0"
    path.write_bytes(os.urandom(16 * MIB))
    with open(path) as file:
        os.fsync(file.fileno())
    params = {"file_bytes": 16 * MIB, **params}
    script = f"say(attempt('files/read/{probe}', {params}, samples={samples}))"
    with started(script, {"RECKON_FILES": str(tmp_path)}) as caller:
        assert until(lambda: any(str(path) in open_files(pid) for pid in probes_of(caller.pid)))
        time.sleep(0.05)  # the first reads
        os.truncate(path, 4096)
        answer = caller.communicate(timeout=60)[0]
    assert answer == '"ProbeFailed: the file became shorter while it was read"\n'


@pytest.mark.parametrize("probe", ["files/read/direct_random", "files/read/t470_random"])
def test_a_killed_probe_leaves_no_file(probe, tmp_path):
    """Its file has no name, so it ends with the process."""
    params = {"size_bytes" if "t470" in probe else "file_bytes": 256 * MIB, "dir": str(tmp_path)}

    def readers():
        return [pid for pid in probes_of(caller.pid) if "(deleted)" in " ".join(open_files(pid))]

    with started(f"attempt({probe!r}, {params}, samples=9000)") as caller:
        (process,) = until(readers)
        os.kill(process, signal.SIGKILL)
        assert caller.wait(60) == 0 and list(tmp_path.iterdir()) == []


def test_a_sweep_ends_where_the_disk_has_no_room(folders, monkeypatch):
    """Of a curve over sizes, the points whose files fit are measured; the others have a reason."""
    import reckon as rk

    really_prepare, prepared = scratch.prepare, []

    def prepare(files, size_bytes, report):
        if size_bytes > 4 * MIB:
            raise scratch.ScratchUnavailable("Files would take more than there is.")
        prepared.append(size_bytes)
        return really_prepare(files, size_bytes, report)

    monkeypatch.setattr(scratch, "prepare", prepare)

    @rk.predict("files/read/here", unit="µs", kind="plain")
    def here(size, figure):
        return figure

    prediction = here(size=rk.axis([1, 2, 4, 8, 16], "MiB", "x"), figure=rk.given(1, "µs", "x"))
    result = rk.measure(
        prediction,
        "files/read/direct_random",
        over="file_bytes",
        samples=2,
        until=rk.by_profile(quick=8 * MIB, standard=16 * MIB, full=16 * MIB),
    )
    assert prepared == [4 * MIB] and result.axis_in_unit.tolist() == [1, 2, 4]
    assert [point.reason for point in result.missing] == [
        "Files would take more than there is",
        "the quick profile does not go so far",
    ]
