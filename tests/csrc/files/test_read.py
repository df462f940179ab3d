"""The probes of files/read: what the disk is asked for, and that a disk of known time is measured."""

import os
from pathlib import Path

import numpy as np
import pytest
from helpers.capabilities import x86_only
from helpers.disks import on_a_known_disk
from helpers.everything import check_outcome
from helpers.probes import MIB, NOTHING, in_python, median_ns

from reckon.measurement import library

pytestmark = pytest.mark.alone  # the page cache and the disk are the machine's

READ = [name for name in library.probes() if name.startswith("files/read/")]
PAGE = 4096


# --- the ruler -----------------------------------------------------------------------------------


@pytest.mark.timed
def test_a_disk_of_a_millisecond_is_measured_as_one(tmp_path):
    """By the difference from the same disk without a wait, so that FUSE's own work cancels; of the best of six
    turns each, because what else runs here only adds."""
    slow, quick = on_a_known_disk(
        "import numpy as np\n"
        "found = {1000: [], 0: []}\n"
        "with known_disk(base, 1000), known_disk(base, 0):\n"
        "    for turn in range(12):\n"
        "        delay = (1000, 0)[turn % 2]\n"
        "        os.environ['RECKON_FILES'] = f'{base}/disk-{delay}'\n"
        "        one = library.run('files/read/direct_random', {}, samples=30)\n"
        "        found[delay].append(np.median(one.ticks / one.ops) / library.tick_hz() * 1e6)\n"
        "say([float(min(found[delay])) for delay in found])",
        tmp_path,
    )
    assert slow > 1000 and 950 < slow - quick < 1050, (slow, quick)


# --- what is asked of the disk -------------------------------------------------------------------

SMALL = {"file_bytes": 64 * PAGE}
ASKED = {
    "direct_random": ({}, 64),
    "direct_sequential": ({}, 64),
    "in_spans": ({"blocks": 24}, 4),
    "buffered_random": ({}, 64),
    "buffered_sequential": ({"blocks": 1}, 64),
    "ahead_no": ({"blocks": 1, "advice": "random"}, 64),
    "cached": ({}, 200),
    "lseek": ({}, 3),
    "lseek_current": ({}, 3),
    "mbp2016_sequential": ({"blocks": 8}, 3),
    "mbp2016_random": ({"blocks": 8}, 3),
    "hpe_i7_860_sequential": ({"reads": 1000}, 2),
    "hpe_i7_860_random": ({"reads": 100}, 2),
    "i7_10750h_sequential": ({"block_bytes": 4 * PAGE}, 1),
    "i7_10750h_random": ({"block_bytes": 4 * PAGE}, 1),
}
PROBE = {"in_spans": "direct_sequential", "ahead_no": "buffered_sequential"}


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    """{probe: its operations in each sample, and [offset, bytes] of each read that reached the disk}."""
    x86_only()
    return on_a_known_disk(
        "seen = {}\n"
        f"with known_disk(base, 0, {64 * PAGE}) as requests:\n"
        f"    for name, (params, samples) in {ASKED}.items():\n"
        f"        probe = 'files/read/' + {PROBE}.get(name, name)\n"
        f"        one = library.run(probe, {{**{SMALL}, **params}}, samples=samples, warmup=0)\n"
        "        seen[name] = [one.ops.tolist(), requests()]\n"
        "say(seen)",
        tmp_path_factory.mktemp("disk"),
    )


ALL = [[i * PAGE, PAGE] for i in range(64)]


def test_random_reads_ask_for_each_block_once_in_no_order(reads):
    for probe in ("direct_random", "buffered_random"):
        ops, requested = reads[probe]
        assert set(ops) == {1} and sorted(requested) == ALL and requested != ALL, probe


def test_direct_reads_in_order_ask_for_one_block_after_the_other(reads):
    assert reads["direct_sequential"] == [[1] * 64, ALL]


def test_spans_follow_one_another_and_begin_again_where_the_file_ends(reads):
    ops, requested = reads["in_spans"]
    assert ops == [24] * 4 and requested == ALL[:48] * 2


def test_the_kernel_reads_ahead_unless_advised_not_to(reads):
    """The page's answer to what is sequential: fewer and larger requests for the same blocks."""
    ops, requested = reads["buffered_sequential"]
    assert (
        len(ops) == 64 and len(requested) < 16 and sum(size for _, size in requested) == 64 * PAGE
    )
    assert max(size for _, size in requested) > 8 * PAGE
    assert reads["ahead_no"] == [[1] * 64, ALL]


def test_what_is_cached_asks_the_disk_once_and_a_seek_never(reads):
    ops, requested = reads["cached"]
    assert len(ops) == 200 and sum(size for _, size in requested) == 64 * PAGE
    assert reads["lseek"] == reads["lseek_current"] == [[1000] * 3, []]


def test_the_reports_methods_ask_in_their_order(reads):
    assert reads["mbp2016_sequential"] == [[8] * 3, ALL[:24]]
    halves = [[(i // 2 + i % 2 * 32) * PAGE, PAGE] for i in range(24)]
    assert reads["mbp2016_random"] == [[8] * 3, halves]
    assert reads["hpe_i7_860_sequential"] == [[64] * 2, ALL * 2]
    ops, requested = reads["hpe_i7_860_random"]
    assert ops == [100] * 2 and len(requested) == 200 and all(one in ALL for one in requested)
    assert 20 < len({offset for offset, _ in requested[:100]}) < 64  # some twice, some never


def test_a_file_read_backwards_begins_at_its_end(reads):
    ops, requested = reads["i7_10750h_sequential"]
    assert (
        ops == [1]
        and requested[0][0] >= 48 * PAGE
        and sum(size for _, size in requested) == 64 * PAGE
    )
    ops, requested = reads["i7_10750h_random"]
    assert (
        ops == [1] and 0 < sum(size for _, size in requested) <= 64 * PAGE
    )  # the rest was in memory


# --- on the disk that is there -------------------------------------------------------------------


@pytest.mark.timed
def test_a_block_from_the_disk_takes_longer_than_one_from_memory():
    results = {
        probe: median_ns(f"files/read/{probe}", processes=3, samples=20)
        for probe in ("cached", "direct_random", "buffered_random", "lseek")
    }
    assert results["lseek"] < results["cached"] < results["direct_random"] / 2
    assert results["cached"] < results["buffered_random"] / 2


@pytest.mark.timed
def test_what_was_never_written_is_read_without_the_disk():
    x86_only()
    real = median_ns("files/read/direct_random", processes=3, samples=40)
    for probe in ("t470_sequential", "t470_random"):
        block_ns = median_ns(f"files/read/{probe}", {"size_bytes": MIB}, processes=3, samples=3) / (
            MIB / PAGE
        )
        assert block_ns < real / 4, probe


@pytest.mark.timed
def test_readahead_shortens_the_mean_and_more_the_median():
    def times(advice):
        params = {"blocks": 1, "advice": advice}
        samples = library.run("files/read/buffered_sequential", params, samples=1024, warmup=0)
        return samples.ticks

    ahead, alone = times("normal"), times("random")
    assert ahead.mean() < alone.mean() / 2
    assert np.median(ahead) < np.median(alone) / 4 and np.median(ahead) < ahead.mean()


@pytest.mark.parametrize(
    ("probe", "params"),
    [
        ("direct_random", {}),
        ("direct_sequential", {}),
        ("buffered_random", {}),
        ("buffered_sequential", {"blocks": 1, "advice": "random"}),
        ("cached", {}),
        ("mbp2016_random", {"blocks": 2}),
        ("hpe_i7_860_random", {"reads": 2}),
    ],
)
@pytest.mark.timed
def test_a_larger_block_takes_longer_and_is_counted_as_one(probe, params):
    small, large = (
        median_ns(f"files/read/{probe}", {"block_bytes": size, **params}, processes=1, samples=7)
        for size in (PAGE, MIB)
    )
    assert large > 3 * small


def test_in_this_process_no_probe_leaves_anything_behind():
    folder = Path("/var/tmp") / f"reckon-test-{os.getpid()}"
    folder.mkdir()
    try:
        outcomes = in_python(
            f"say([[probe, attempt(probe, {{'dir': {str(folder)!r}}}, isolated=False), left_behind(),\n"
            f"      os.listdir({str(folder)!r})] for probe in {READ}])"
        )
    finally:
        folder.rmdir()  # and so it is empty
    for probe, outcome, left, files in outcomes:
        assert left == NOTHING and files == [], probe
        check_outcome(probe, outcome)
