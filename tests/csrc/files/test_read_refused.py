"""The probes of files/read where a block, a right or the file is wrong: one sentence, nothing left."""

import mmap
import os
import signal
import time
from pathlib import Path

import pytest
from helpers.capabilities import capable, x86_only
from helpers.disks import mounted
from helpers.probes import MIB, answers, assert_unsupported, preloaded, run_python, started
from helpers.processes import descendants, probes_of, until
from helpers.readers import await_readers

from reckon.computer import owners, scratch
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


def test_a_page_cache_that_cannot_be_dropped_is_reported():
    file = "/proc/sys/vm/drop_caches"
    read_only = mounted(f"mount --bind {file} {file} && mount -o remount,bind,ro {file}")
    reason = rf"needs root to drop the page cache \({file}: Read-only file system\)"
    assert_unsupported(answers(DROPPED, prefix=read_only), reason)


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


def has_read(pid):
    """Whether a process has read anything since it was forked (proc(5), io)."""
    try:
        return int(Path(f"/proc/{pid}/io").read_text().split()[1]) > 0
    except OSError:
        return False


READ = {"file_bytes": 24 * MIB}
READERS = {"files": 3, "blocks": 12_000, "file_bytes": 48 * MIB}  # long enough to be seen reading
CACHED = {"file_bytes": 16 * MIB, "passes": 1000}


@pytest.mark.parametrize(
    ("probe", "params", "samples", "first_reads_s"),
    [
        ("read/direct_random", READ, 6144, 0.05),
        ("read/direct_sequential", READ, 16_384, 0.05),
        ("read/buffered_random", READ, 6144, 0.05),
        ("read/buffered_sequential", {**READ, "blocks": 1, "advice": "random"}, 16_384, 0.05),
        ("read/cached", READ, 2_000_000, 0.05),
        ("read/mbp2016_random", {**READ, "blocks": 1}, 16_384, 0.05),
        ("read/hpe_i7_860_sequential", READ, 200, 0.05),
        ("read/i7_10750h_random", READ, 100, 0.05),
        *(
            (f"contention/{probe}", READERS, 1, 0)
            for probe in ("slowest", "each", "together", "i7_10750h", "hpe_i7_860")
        ),
        ("cache/limited", CACHED, 2, 0.3),
        ("cache/whole", CACHED, 2, 0.3),
    ],
)
def test_a_file_that_becomes_shorter_fails_the_probe(
    request, files, probe, params, samples, first_reads_s
):
    if "read/i7_" in probe:
        x86_only()
    if "limited" in probe:
        request.getfixturevalue("root")
    count = params.get("files", 1)
    path = files(count, max(24 * MIB, params["file_bytes"]))[count // 2]
    script = f"say(attempt('files/{probe}', {params}, samples={samples}))"
    with started(script) as caller:
        if count > 1:
            _, readers = await_readers(count, caller.pid)
            assert until(lambda: all(map(has_read, readers)), pause_s=0.002)
        else:
            assert until(lambda: str(path) in sum(map(open_files, descendants(caller.pid)), []))
        time.sleep(first_reads_s)
        os.truncate(path, 4096)
        answer = caller.communicate(timeout=60)[0]
    assert answer == '"ProbeFailed: the file became shorter while it was read"\n'


@pytest.mark.parametrize(
    ("probe", "size"),
    [
        ("files/read/direct_random", "file_bytes"),
        ("files/read/t470_random", "size_bytes"),
        ("memory/fault/major", "size_bytes"),
    ],
)
@pytest.mark.parametrize("how", ["deadline", "killed"])
def test_an_ended_probe_leaves_no_file(probe, size, how, tmp_path):
    """Its file has no name (O_TMPFILE), so it ends with the last process that has it open."""
    params = {size: 256 * MIB, "dir": str(tmp_path)}
    free = os.statvfs(tmp_path).f_bavail

    def readers():
        return [pid for pid in probes_of(caller.pid) if "(deleted)" in " ".join(open_files(pid))]

    deadline_s = 0.2 if how == "deadline" else 60
    script = f"say(attempt({probe!r}, {params}, samples=9000, deadline_s={deadline_s}))"
    with started(script) as caller:
        if how == "killed":
            (process,) = until(readers)
            assert list(tmp_path.iterdir()) == []
            os.kill(process, signal.SIGKILL)
        output = caller.communicate(timeout=60)[0]
    assert ("was still running" if how == "deadline" else "died of signal 9") in output
    assert list(tmp_path.iterdir()) == []
    assert until(lambda: free - os.statvfs(tmp_path).f_bavail < 128 * MIB // 4096)


def test_a_named_file_of_a_killed_probe_is_swept(tmp_path):
    """Some file systems have no O_TMPFILE: a process may be killed before it removes the name."""
    hook, folder = preloaded(tmp_path, "named_scratch"), tmp_path / "scratch"
    folder.mkdir()
    params = {"dir": str(folder), "file_bytes": MIB}
    script = f"attempt('files/read/direct_random', {params}, isolated=False)"
    assert run_python(script, LD_PRELOAD=hook).returncode == -signal.SIGKILL
    assert len(list(folder.iterdir())) == 1
    owners.sweep(folder, "reckon-files-")
    assert list(folder.iterdir()) == []


def test_a_sweep_ends_where_the_disk_has_no_room(folders, monkeypatch):
    """Of a curve over sizes, the points whose files fit are measured; the others have a reason."""
    import reckon as rk

    really_prepare, prepared = scratch.prepare_files, []

    def prepare(files, size_bytes, report):
        if size_bytes > 4 * MIB:
            raise scratch.ScratchUnavailable("Files would take more than there is.")
        prepared.append(size_bytes)
        return really_prepare(files, size_bytes, report)

    monkeypatch.setattr(scratch, "prepare_files", prepare)

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
    assert [point.reason for point in result.missing_points] == [
        "Files would take more than there is",
        "the quick profile does not include such large sizes or counts",
    ]
