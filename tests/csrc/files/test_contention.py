"""Readers on one disk: each reads what it says, all at once."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.probe_script import known
from helpers.probes import MIB, in_python, median_ns, quickest_ns
from helpers.readers import BARRIER, NAME, REPORTS
from helpers.traces import calls_of, strace

from reckon.measurement import library

FILES = 3
READ = r"(?:pread64|read)\(\d+<([^>]*)>(?:\(deleted\))?, .*, 4096(?:, (\d+))?\) += (\d+)"


def watched(log, probe, params, samples):
    """{process: [(file, offset, bytes)]} of the reads of a test's files that strace sees."""
    outcome = in_python(
        f"say(attempt({probe!r}, {params!r}, samples={samples}))",
        prefix=strace(log, "openat,read,pread64", "-y"),
    )
    assert outcome == "ran"
    reads = {}
    for process, call in calls_of(log):
        seen = re.match(READ, call)
        if seen and ("reckon-test" in seen[1] or "/#" in seen[1]):
            reads.setdefault(process, []).append((seen[1], int(seen[2] or -1), int(seen[3])))
    return reads


@pytest.mark.parametrize("probe", BARRIER)
def test_each_reader_reads_its_blocks_of_its_own_file_each_once(probe, tmp_path, files):
    files(FILES, MIB)
    samples = 2 * FILES if probe.endswith("each") else 2
    log, params = tmp_path / "log", {"files": FILES, "blocks": 20, "file_bytes": MIB}
    did = watched(log, probe, params, samples)
    opened = re.findall(r"openat\(.*/data-\d.*", log.read_text())
    assert len(opened) == FILES and all("O_DIRECT" in flags for flags in opened)
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
    params = {"blocks": 20, "files": FILES, "threads": FILES, "file_bytes": MIB}
    did = watched(tmp_path / "log", probe, known(probe, params), 1)
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
