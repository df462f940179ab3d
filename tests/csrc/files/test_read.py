"""The probes of files/read: which reads reach the disk, and a disk of known time is measured as that."""

import pytest
from helpers.capabilities import x86_only
from helpers.disks import on_a_known_disk
from helpers.probes import median_ns
from helpers.programs import known_disk

PAGE = 4096


# --- the ruler -----------------------------------------------------------------------------------


@pytest.mark.timed
def test_a_disk_of_a_millisecond_is_measured_as_one(tmp_path):
    """By the difference from the same disk without a wait, so that FUSE's own work cancels; of the best of six
    turns each, because what else runs here only adds."""
    slow, fast = on_a_known_disk(known_disk.best_medians_us, tmp_path, [1000, 0], 6)
    assert slow > 1000 and 950 < slow - fast < 1050, (slow, fast)


# --- what reaches the disk -------------------------------------------------------------------

# {name: (probe, parameters, samples)}
REQUESTS = {
    "direct_random": ("direct_random", {}, 64),
    "direct_sequential": ("direct_sequential", {}, 64),
    "in_spans": ("direct_sequential", {"blocks": 24}, 4),
    "of_four_pages": ("direct_sequential", {"block_bytes": 4 * PAGE}, 16),
    "mbp2016_of_four_pages": ("mbp2016_random", {"blocks": 4, "block_bytes": 4 * PAGE}, 1),
    "hpe_i7_860_of_four_pages": (
        "hpe_i7_860_sequential",
        {"reads": 16, "block_bytes": 4 * PAGE},
        1,
    ),
    "buffered_random": ("buffered_random", {}, 64),
    "buffered_sequential": ("buffered_sequential", {"blocks": 1}, 64),
    "ahead_no": ("buffered_sequential", {"blocks": 1, "advice": "random"}, 64),
    "dropped_in_spans": ("dropped_sequential", {"blocks": 16}, 8),
    "cached": ("cached", {}, 200),
    "lseek": ("lseek", {}, 3),
    "lseek_current": ("lseek_current", {}, 3),
    "mbp2016_sequential": ("mbp2016_sequential", {"blocks": 8}, 3),
    "mbp2016_random": ("mbp2016_random", {"blocks": 8}, 3),
    "hpe_i7_860_sequential": ("hpe_i7_860_sequential", {"reads": 1000}, 2),
    "hpe_i7_860_random": ("hpe_i7_860_random", {"reads": 100}, 2),
    "i7_10750h_sequential": ("i7_10750h_sequential", {"block_bytes": 4 * PAGE}, 1),
    "i7_10750h_random": ("i7_10750h_random", {"block_bytes": 4 * PAGE}, 1),
}


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    """{name: its operations in each sample, and [offset, bytes] of each read that reached the disk}."""
    x86_only()
    requests = {
        name: (f"files/read/{probe}", {"file_bytes": 64 * PAGE, **params}, samples)
        for name, (probe, params, samples) in REQUESTS.items()
    }
    return on_a_known_disk(
        known_disk.reads_of, tmp_path_factory.mktemp("disk"), 64 * PAGE, requests
    )


ALL = [[i * PAGE, PAGE] for i in range(64)]
FOURS = [[i * 4 * PAGE, 4 * PAGE] for i in range(16)]
HALVES = [[(i // 2 + i % 2 * 32) * PAGE, PAGE] for i in range(24)]


@pytest.mark.parametrize(
    ("name", "ops", "requested"),
    [
        ("direct_sequential", [1] * 64, ALL),
        ("in_spans", [24] * 4, ALL[:48] * 2),  # which begin again where the file ends
        ("of_four_pages", [1] * 16, FOURS),
        ("mbp2016_of_four_pages", [4], [FOURS[i // 2 + i % 2 * 8] for i in range(4)]),
        ("hpe_i7_860_of_four_pages", [16], FOURS),
        ("ahead_no", [1] * 64, ALL),
        ("lseek", [1000] * 3, []),
        ("lseek_current", [1000] * 3, []),
        ("mbp2016_sequential", [8] * 3, ALL[:24]),
        ("mbp2016_random", [8] * 3, HALVES),
        ("hpe_i7_860_sequential", [64] * 2, ALL * 2),
    ],
)
def test_the_disk_gets_these_reads_in_this_order(reads, name, ops, requested):
    assert reads[name] == [ops, requested]


@pytest.mark.parametrize("name", ["direct_random", "buffered_random"])
def test_random_reads_request_each_block_once_in_no_order(reads, name):
    ops, requested = reads[name]
    assert set(ops) == {1} and sorted(requested) == ALL and requested != ALL


def test_the_report_s_random_reads_request_some_blocks_twice(reads):
    ops, requested = reads["hpe_i7_860_random"]
    assert ops == [100] * 2 and len(requested) == 200 and all(block in ALL for block in requested)
    assert 20 < len({offset for offset, _ in requested[:100]}) < 64


def bytes_of(requested):
    return sum(size for _, size in requested)


def test_the_kernel_reads_ahead_in_fewer_and_larger_requests(reads):
    ops, requested = reads["buffered_sequential"]
    assert len(ops) == 64 and len(requested) < 16 and bytes_of(requested) == 64 * PAGE
    assert max(size for _, size in requested) > 8 * PAGE


def test_a_dropped_file_is_cold_again_where_it_begins_again(reads):
    ops, requested = reads["dropped_in_spans"]
    # Read whole before it is dropped, and twice in four samples.
    assert ops == [16] * 8 and bytes_of(requested) == 3 * 64 * PAGE


def test_what_is_cached_comes_from_the_disk_once(reads):
    ops, requested = reads["cached"]
    assert len(ops) == 200 and bytes_of(requested) == 64 * PAGE


def test_a_file_read_backwards_begins_at_its_end(reads):
    ops, requested = reads["i7_10750h_sequential"]
    assert ops == [1] and requested[0][0] >= 48 * PAGE and bytes_of(requested) == 64 * PAGE
    ops, requested = reads["i7_10750h_random"]
    assert ops == [1] and 0 < bytes_of(requested) <= 64 * PAGE  # the rest was in memory


# --- on the disk that is there -------------------------------------------------------------------


@pytest.mark.timed
def test_a_block_from_the_disk_takes_longer_than_one_from_memory():
    results = {
        probe: median_ns(f"files/read/{probe}", processes=3, samples=20)
        for probe in ("cached", "direct_random", "buffered_random", "lseek")
    }
    assert results["lseek"] < results["cached"] < results["direct_random"] / 2
    assert results["cached"] < results["buffered_random"] / 2
