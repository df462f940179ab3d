"""Probes of memory against physical bounds and against independent programs."""

import numpy as np
import pytest
from helpers.capabilities import two_cpus, x86_only
from helpers.probes import MIB, compiled, huge_pages, median_ns, pinned, quickest_ns

from reckon.measurement import library

pytestmark = pytest.mark.timed
L1, BIG = 16 << 10, 128 * MIB

# --- independent programs ------------------------------------------------------------------


def in_turn(what, times, by_probe, by_other, least, most):
    """Asserts that a probe's value is within these bounds of another program's.

    Both are measured that often, in turn, and compared by the median of the ratios. by_probe and by_other
    measure the value once, in ns.
    """
    pairs = np.array([(by_probe(), by_other()) for _ in range(times)])
    a, b = np.median(pairs, axis=0)
    low, ratio, high = np.percentile(pairs[:, 0] / pairs[:, 1], [25, 50, 75])
    summary = (
        f"{what}: {a:.4g} and {b:.4g} ns, ratio of medians {a / b:.4f}; of pairs {ratio:.4f}, "
        f"the middle half {low:.3f} to {high:.3f}"
    )
    print(summary)
    assert least <= ratio <= most, summary


@pytest.fixture(scope="module")
def chase(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("chase"), "chase_minimal")


@pytest.mark.parametrize(
    ("size", "pages", "room"), [(L1, "small", 0.03), (BIG, "small", 0.15), (BIG, "huge", 0.15)]
)
def test_an_independent_chase_takes_as_long(chase, size, pages, room):
    """The value to reach is 3 %; main memory is shared with others, and so has more room here."""
    params = {"size_bytes": size, "pages": pages}
    if pages == "huge":
        huge_pages()
    in_turn(
        f"{size} bytes, {pages} pages, a load",
        9,
        lambda: median_ns("memory/latency/random", params, 1),
        lambda: float(pinned(chase, size, pages, 16384, 20)),
        1 - room,
        1 + room,
    )


# --- bounds --------------------------------------------------------------------------------------


def test_a_load_from_the_first_cache_takes_the_cycles_of_an_x86_cpu():
    """Four or five on all of them; a guest's neighbour on the same core adds tenths for minutes."""
    cycles = []
    for _ in range(9):
        samples = library.run("memory/latency/random", {"size_bytes": L1})
        clock = (samples.cycles_per_tick_before + samples.cycles_per_tick_after) / 2
        cycles.append(np.median(samples.ticks / samples.ops) * clock)
    print(f"{np.median(cycles):.4f} cycles, {min(cycles):.4f} to {max(cycles):.4f}")
    assert 3.8 < min(cycles) < 5.5


def latency(size, **params):
    return "memory/latency/random", {"size_bytes": size, **params}


def bandwidth(probe, size=64 * MIB, **params):
    return f"memory/bandwidth/{probe}", {"size_bytes": size, **params}


@pytest.mark.parametrize(
    ("more", "less", "times"),
    [
        (latency(64 * MIB), latency(L1), 5),
        (latency(64 * MIB), latency(256 << 10), 2),
        (latency(BIG, pages="small"), latency(BIG, pages="huge"), 0.9),
        (latency(BIG), latency(BIG, window_bytes=4096), 1.5),
        (latency(BIG), ("memory/latency/stride", {"size_bytes": BIG}), 3),
        (bandwidth("copy"), bandwidth("read"), 1),
        (bandwidth("copy_loop"), bandwidth("read"), 1),
        (bandwidth("copy_nt"), bandwidth("write_nt"), 0.95),
        (bandwidth("modify", L1, passes=100), bandwidth("read", L1, passes=100), 1),
        (bandwidth("read"), bandwidth("read", L1, passes=100), 2),
        (bandwidth("write"), bandwidth("write", L1, passes=100), 1.5),
        (
            bandwidth("read", L1, passes=100, vector="scalar"),
            bandwidth("read", L1, passes=100),
            1.5,
        ),
        (("memory/fault/major", {}), ("memory/fault/minor", {}), 3),
        (("memory/fault/huge", {}), ("memory/fault/anonymous", {}), 10),
        (("memory/fault/anonymous", {}), latency(L1), 50),
    ],
    ids=lambda value: " ".join(map(str, value[1].values())) if isinstance(value, tuple) else None,
)
def test_a_superset_of_the_work_takes_longer(more, less, times):
    if "huge" in str((more, less)):
        huge_pages()
    in_turn(
        f"{more}, {less}",
        5,
        lambda: median_ns(*more, 1),
        lambda: median_ns(*less, 1),
        times,
        np.inf,
    )


def ticks(name, mib):
    return np.median(library.run(name, {"size_bytes": mib * MIB}, samples=3).ticks)


@pytest.mark.parametrize(
    "probe", ["t470_read", "t470_write", "x510uq_read", "i7_10750h_write", "hpe_i7_860_read"]
)
def test_four_times_the_bytes_take_about_four_times_as_long(probe):
    """These probes leave no proof behind, so their time shows that they went through all bytes."""
    x86_only()
    name = f"memory/bandwidth/{probe}"
    in_turn(
        f"{probe}, 256 and 64 MiB", 3, lambda: ticks(name, 256), lambda: ticks(name, 64), 2.5, 7
    )


def test_a_touch_that_finds_its_page_mapped_takes_less_than_a_fault():
    """mbp2016 divides by the pages touched, of which the kernel maps up to 16 in one fault."""
    samples = library.run("memory/fault/mbp2016", {"touches": 1024}, samples=5, warmup=0)
    if samples.minor_faults >= 5 * 1024:
        pytest.skip("this kernel maps no pages around the one that is touched")
    by_pages, by_faults = median_ns("memory/fault/mbp2016"), median_ns("memory/fault/minor")
    print(f"{by_pages:.0f} ns a page, {by_faults:.0f} ns a fault")
    assert by_pages < by_faults


@pytest.mark.parametrize("probe", ["read", "write", "copy"])
def test_two_cpus_move_no_more_than_twice_as_much(probe):
    """By the fastest of each, in turn, because other load only adds time. One CPU goes through as much as
    each of the two, since more of a smaller block may be cached. Nothing says how little they move: a host
    may give a virtual machine one CPU at a time."""
    two_cpus()
    one, two = quickest_ns(bandwidth(probe, 32 * MIB), bandwidth(probe, 64 * MIB, threads=2))
    print(f"{probe}: {one:.4g} ns a byte by one CPU, {two:.4g} by two")
    assert one / two < 2.5
    name, params = bandwidth(probe, threads=2)
    assert set(library.run(name, params, samples=2).ops) == {params["size_bytes"]}


def test_the_latency_under_load_is_no_shorter_and_the_load_is_real():
    two_cpus()
    huge_pages()
    name, bytes_of = "memory/bandwidth/loaded_latency", "memory/bandwidth/load"
    idle, loaded = ({"size_bytes": BIG, "load_percent": percent} for percent in (0, 100))
    in_turn(
        "under load, idle",
        5,
        lambda: median_ns(name, loaded, 1),
        lambda: median_ns(name, idle, 1),
        0.95,
        10,
    )
    in_turn(
        "idle, alone",
        5,
        lambda: median_ns(name, idle, 1),
        lambda: median_ns(*latency(BIG, pages="huge"), 1),
        0.7,
        3,
    )
    none, full = (library.run(bytes_of, params) for params in (idle, loaded))
    assert np.median(full.ops / full.ticks) > 20 * np.median(none.ops / none.ticks)
    print(f"{np.median(full.ops / full.ticks) * library.tick_hz() / 1e9:.1f} GB/s of load")
