"""Readers on one disk: each reads what it says, all at once; and what the page makes of it."""

import contextlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import installed
from helpers.probes import MIB, in_python, median_ns, quickest_ns
from helpers.readers import BARRIER, NAME, REPORTS

from reckon.measurement import library

pytestmark = pytest.mark.alone  # readers on both CPUs and one disk

FILES = 3


def reads_of(log):
    """{process: [(file, offset, bytes)]} of what strace saw read of a test's files."""
    found, begun = {}, {}
    for one in Path(log).read_text().splitlines():
        pid, _, call = one.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            begun[pid] = call.removesuffix("<unfinished ...>")
            continue
        call = re.sub(r"^<\.\.\. \w+ resumed>", lambda _, pid=pid: begun.pop(pid, ""), call)
        line = r"(?:pread64|read)\(\d+<([^>]*)>(?:\(deleted\))?, .*, 4096(?:, (\d+))?\) += (\d+)"
        seen = re.match(line, call)
        if seen and ("reckon-test" in seen[1] or "/#" in seen[1]):
            found.setdefault(int(pid), []).append((seen[1], int(seen[2] or -1), int(seen[3])))
    return found


def watched(tmp_path, probe, params, samples):
    installed("strace")
    outcome = in_python(
        f"say(attempt({probe!r}, {params!r}, samples={samples}))",
        prefix=[
            "strace",
            "-f",
            "-qq",
            "-y",
            "-e",
            "trace=openat,read,pread64",
            "-o",
            tmp_path / "log",
        ],
    )
    assert outcome == "ran"
    return reads_of(tmp_path / "log")


@pytest.mark.parametrize("probe", BARRIER)
def test_each_reader_reads_its_blocks_of_its_own_file_each_once(probe, tmp_path, files):
    files(FILES, MIB)
    samples = 2 * FILES if probe.endswith("each") else 2
    did = watched(tmp_path, probe, {"files": FILES, "blocks": 20, "file_bytes": MIB}, samples)
    opened = re.findall(r"openat\(.*/data-\d.*", (tmp_path / "log").read_text())
    assert len(opened) == FILES and all("O_DIRECT" in one for one in opened)
    assert len(did) == FILES
    assert len({reads[0][0] for reads in did.values()}) == FILES
    for reads in did.values():
        assert len(reads) == 1 + 2 * 20  # one that nobody times, and two trials
        assert len({path for path, _, _ in reads}) == 1 and {got for _, _, got in reads} == {4096}
        offsets = [at for _, at, _ in reads]
        assert len(set(offsets)) == len(offsets) and max(offsets) < MIB
        assert offsets != sorted(offsets)


@pytest.mark.parametrize("probe", REPORTS)
def test_the_reports_probes_read_as_many_blocks(probe, tmp_path, files):
    files(FILES, MIB)
    params = {"blocks": 20, "threads" if probe.endswith("mbp2016") else "files": FILES}
    did = watched(
        tmp_path, probe, params | ({} if probe.endswith("t470") else {"file_bytes": MIB}), 1
    )
    assert [len(reads) for reads in did.values()] == [20] * FILES
    paths = {path for reads in did.values() for path, _, _ in reads}
    orders = {tuple(at for _, at, _ in reads) for reads in did.values()}
    assert len(paths) == (1 if probe.endswith("mbp2016") else FILES)
    assert len(orders) == 1  # the same places in each file, or in order


def test_every_block_was_read_from_the_disk(files):
    """By the device's own counter (Documentation/block/stat): O_DIRECT is no promise."""
    paths = files(4, 4 * MIB)
    device = os.stat(paths[0]).st_dev
    counter = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    if not counter.exists():
        pytest.skip("the file system lies on no block device that counts")

    def reads():
        return int(counter.read_text().split()[0])

    before = reads()
    library.run(
        f"{NAME}/slowest", {"files": 4, "blocks": 100, "file_bytes": 4 * MIB}, samples=3, warmup=0
    )
    assert reads() - before >= 4 * 3 * 100


@pytest.mark.timed
def test_all_begin_within_a_small_share_of_the_trial(files):
    files(20, MIB)
    params = {"files": 20, "file_bytes": MIB}
    start = median_ns(f"{NAME}/start", params, samples=5, warmup=0)
    trial = 64 * median_ns(f"{NAME}/slowest", params | {"blocks": 64}, samples=2, warmup=0)
    assert start < 0.2 * trial, (start, trial)


@pytest.mark.timed
def test_the_figures_of_one_trial_fit_together(files):
    files(4, 4 * MIB)
    params = {"files": 4, "blocks": 64, "file_bytes": 4 * MIB}
    slowest, each, work = quickest_ns(
        *((f"{NAME}/{probe}", params) for probe in ("slowest", "each", "work")),
        turns=5,
        samples=8,
        warmup=0,
    )
    together = library.run(f"{NAME}/together", params, samples=8, warmup=0)
    assert slowest > 0.8 * each and 500 < work < 1.1 * len(os.sched_getaffinity(0)) * each
    assert (together.ops >= 64).all() and (together.ops <= 4 * 64).all()
    median_ns = np.median(together.ticks / together.ops) / library.tick_hz() * 1e9
    assert 0.4 * each / 4 < median_ns < 3 * slowest / 4


@pytest.mark.timed
def test_a_disk_that_serves_so_many_a_second_is_measured_as_that(files):
    """The kernel lets a control group read 1,000 blocks a second, whoever reads."""
    paths = files(8, 4 * MIB)
    device = os.stat(paths[0]).st_dev
    with throttled(f"{os.major(device)}:{os.minor(device)}", 1000) as group:
        for count in (2, 8):
            params = {"files": count, "blocks": 800 // count, "file_bytes": 4 * MIB}
            ops, ticks = in_python(
                f"one = library.run('{NAME}/together', {params}, samples=2, warmup=0)\n"
                "say([int(one.ops[1]), int(one.ticks[1])])",
                group=group,
            )
            # Given out a tenth of a second's worth at once, so the last hundred come early.
            assert 0.95 < ops / (ticks / library.tick_hz()) / 1000 < 1.2, (count, ops, ticks)


@contextlib.contextmanager
def throttled(device, reads_a_second):
    """A control group whose processes the kernel lets read so often (cgroups(7), both versions)."""
    first = Path("/sys/fs/cgroup/blkio")
    base = first if first.is_dir() else first.parent
    group = base / f"reckon-test-{os.getpid()}"
    try:
        if base != first:
            (base / "cgroup.subtree_control").write_text("+io")
        group.mkdir()
        if base == first:
            (group / "blkio.throttle.read_iops_device").write_text(f"{device} {reads_a_second}")
        else:
            (group / "io.max").write_text(f"{device} riops={reads_a_second}")
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(f"no control group that limits reads: {error}")
    try:
        yield group
    finally:
        group.rmdir()
