"""Readers on one disk: each reads what it says, all at once; and what the page makes of it."""

import contextlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
from helpers import made_up
from helpers.capabilities import installed
from helpers.readers import BARRIER, NAME, REPORTS
from helpers.rows import MIB, in_python, median_ns, quickest_ns

from reckon import presentation as show
from reckon import statistics
from reckon.measurement import library
from reckon.presentation import figures as draw

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


def watched(tmp_path, row, params, samples):
    installed("strace")
    said = in_python(
        f"say(attempt({row!r}, {params!r}, samples={samples}))",
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
    assert said == "ran"
    return reads_of(tmp_path / "log")


@pytest.mark.parametrize("row", BARRIER)
def test_each_reader_reads_its_blocks_of_its_own_file_each_once(row, tmp_path, files):
    files(FILES, MIB)
    samples = 2 * FILES if row.endswith("each") else 2
    did = watched(tmp_path, row, {"files": FILES, "blocks": 20, "file_bytes": MIB}, samples)
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


@pytest.mark.parametrize("row", REPORTS)
def test_the_reports_rows_read_as_many_blocks(row, tmp_path, files):
    files(FILES, MIB)
    params = {"blocks": 20, "threads" if row.endswith("mbp2016") else "files": FILES}
    did = watched(tmp_path, row, params | ({} if row.endswith("t470") else {"file_bytes": MIB}), 1)
    assert [len(reads) for reads in did.values()] == [20] * FILES
    paths = {path for reads in did.values() for path, _, _ in reads}
    orders = {tuple(at for _, at, _ in reads) for reads in did.values()}
    assert len(paths) == (1 if row.endswith("mbp2016") else FILES)
    assert len(orders) == 1  # the same places in each file, or in order


def test_the_disk_was_asked_for_every_block(files):
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
        *((f"{NAME}/{row}", params) for row in ("slowest", "each", "work")),
        turns=5,
        samples=8,
        warmup=0,
    )
    together = library.run(f"{NAME}/together", params, samples=8, warmup=0)
    assert slowest > 0.8 * each and 500 < work < 1.1 * len(os.sched_getaffinity(0)) * each
    assert (together.ops >= 64).all() and (together.ops <= 4 * 64).all()
    one = np.median(together.ticks / together.ops) / library.tick_hz() * 1e9
    assert 0.4 * each / 4 < one < 3 * slowest / 4


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


# --- the line -----------------------------------------------------------------------------------


def test_a_line_is_found_with_intervals_that_hold_it():
    x = np.arange(1, 11)
    one = made_up.curve("files/contention/slowest", x, 12.6 + 7.4 * x, "µs", "1", predicted=20 * x)
    told = show.line(one, "The line", "line").markdown
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for row in told.splitlines()
        if row.startswith("|")
    ]
    slope, intercept = rows[2:]
    assert slope[1] == "20.0 µs / step" and intercept[0] == "intercept"
    for row, true in ((slope, 7.4), (intercept, 12.6)):
        for cell in row[3:]:
            low, high = map(float, cell.split(" to "))
            assert low < float(row[2].split()[0]) < high and low - 0.5 < true < high + 0.5
    assert "95 %" in rows[0][3]


def test_drawing_processes_anew_covers_the_truth():
    random, hit = np.random.default_rng(3), 0
    x = np.arange(1, 9)
    for _ in range(60):
        medians = [random.normal(5 + 2 * at, 1, 10) for at in x]
        (low, high), _ = statistics.line_across(x, medians, resamples=400)
        hit += low < 2 < high
    assert hit >= 50


def test_without_processes_or_points_there_is_no_such_interval():
    x = [1, 2, 3]
    assert statistics.line_across(x[:2], [[1.0] * 9] * 2) is None
    assert statistics.line_across(x, [[1.0] * 9, [1.0] * 5, [1.0] * 9]) is None
    few = made_up.curve("files/contention/slowest", x, [1, 2, 3], "µs", "1", processes=3)
    assert "too few processes" in show.line(few, "The line", "line").markdown
    two = made_up.curve("files/contention/slowest", x[:2], [1, 2], "µs", "1")
    assert "2 points" in show.line(two, "The line", "line").markdown


def test_a_rate_is_drawn_in_two_units(folders):
    one = made_up.curve("files/contention/together", [1, 2, 4], [100, 200, 400], "MB/s", "1")
    plain, both = (
        draw.curve(one, "two-units", "A rate", "readers", also=also).svg
        for also in (None, ("kB/s", 1000.0))
    )
    assert len(re.findall('id="matplotlib.axis_', both)) > len(
        re.findall('id="matplotlib.axis_', plain)
    )
