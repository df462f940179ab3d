"""Values that make no sense are refused in a sentence, before anything is measured."""

import pytest
from helpers.capabilities import installed, two_cpus
from helpers.probes import MIB

from reckon.measurement import library


@pytest.mark.parametrize(
    ("probe", "params", "reason"),
    [
        *(
            (f"cpu/task/{probe}", {"resident_bytes": 1 << 40}, r"fit into the \d+ MiB available$")
            for probe in ("fork", "vfork", "posix_spawn")
        ),
        ("cpu/task/fork", {"pages": "giant"}, "pages are small or huge$"),
        ("memory/bandwidth/modify", {"pages": "giant"}, "pages are small or huge$"),
        ("memory/latency/random", {"pages": "giant"}, "pages are small or huge$"),
        ("memory/bandwidth/read", {"vector": "avx1024"}, "no registers of that width"),
        ("memory/bandwidth/write", {"vector": ""}, "no registers of that width"),
        ("memory/bandwidth/read", {"threads": 1000}, r"1000 CPUs are requested, and this process"),
        ("memory/latency/random", {"size_bytes": 128, "line_bytes": 128}, "at least two nodes"),
        ("memory/bandwidth/load", {"size_bytes": 64}, "needs at least two nodes"),
        ("memory/latency/random", {"size_bytes": 1 << 37, "line_bytes": 16}, "fewer than 2.31"),
        ("memory/latency/stride", {"stride_bytes": 17}, "nodes must be a multiple of 8 bytes"),
        ("memory/bandwidth/load", {"line_bytes": 66}, "nodes must be a multiple of 8 bytes"),
        ("memory/latency/mountain", {"stride_bytes": 12}, "stride must be a multiple of 8 bytes"),
        ("memory/latency/random", {"window_bytes": 8}, "window must hold at least one node"),
        ("memory/latency/mountain", {"size_bytes": 128, "stride_bytes": 256}, "than the stride"),
        ("memory/latency/hpe_i7_860", {"size_bytes": 2048, "chunk_elements": 256}, "two chunks"),
        ("memory/fault/major", {"size_bytes": 4096}, "four pages for each sample"),
        ("files/read/fio", {"file_bytes": 4096}, "no block is read twice, .* has only 1$"),
        ("files/read/direct_random", {"file_bytes": 4096}, "is read twice, .* has only 1$"),
        ("files/read/buffered_random", {"file_bytes": 12287, "block_bytes": 8192}, "has only 1$"),
        (
            "files/read/direct_random",
            {"file_bytes": 4096, "block_bytes": 8192},
            "have at least one",
        ),
        ("files/read/buffered_sequential", {"advice": "none"}, "normal, random or sequential$"),
        (
            "files/contention/slowest",
            {"file_bytes": MIB, "blocks": 100},
            "401 different blocks of 4096 bytes are requested of a file that has 256; request fewer "
            "trials or a larger file",
        ),
        ("files/contention/t470", {"size_bytes": MIB, "blocks": 1000}, "fewer blocks than are to"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(probe, params, reason):
    if probe.endswith("load"):
        two_cpus()
    if probe.endswith("fio"):
        installed("fio")
    with pytest.raises(library.ProbeUnsupported, match=reason):
        library.run(probe, params, samples=4, warmup=0)


def test_more_bytes_than_64_bits_count_are_refused():
    """2^24 touches 2^30 bytes apart for each of 1024 samples: 2^64 bytes, which are 0 in 64 bits."""
    params = {"touches": 1 << 24, "step_bytes": 1 << 30}
    with pytest.raises(library.ProbeUnsupported, match="/.* has no room"):
        library.run("memory/fault/minor", params, samples=1024, warmup=0)
