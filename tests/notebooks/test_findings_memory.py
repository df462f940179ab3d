"""What the chapters on memory conclude on made-up machines: the findings that must appear, and those that
must not."""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers import made_up

import reckon as rk
from reckon import records
from reckon.book import contents

LATENCY = contents.findings_of("memory/latency")
BANDWIDTH = contents.findings_of("memory/bandwidth")
FAULT = contents.findings_of("memory/fault")
SIZES_KIB = [2.0**n for n in range(18)]  # to 128 MiB
LINE = rk.given(64, "byte", "a line")
CLOCK = rk.given(3, "GHz", "the core")


def names(found):
    return [each.name for each in (found if isinstance(found, list) else [found])]


def walk(name, cached_ns, memory_ns, predicted=None):
    """A curve of a random ring: caches answer up to 4 MiB, memory beyond."""
    times = [cached_ns if size <= 4096 else memory_ns for size in SIZES_KIB]
    return made_up.curve(f"memory/latency/{name}", SIZES_KIB, times, predicted=predicted)


def answer(of_memory_ns, few_pages):
    of_memory = made_up.single("memory/latency/memory", of_memory_ns, "ns")
    of_memory.seal.predicted = 90e-9
    dram, far = (
        rk.guess(80, "ns", "memory", low=50, high=250),
        rk.guess(50, "cycle", "L3", low=25, high=110),
    )
    return LATENCY.answer(of_memory, few_pages, dram, far, CLOCK)


def test_slow_memory_that_is_fast_within_few_pages_is_not_said_to_be_far_away():
    found = answer(170, walk("random_friendly", 4, 110))
    assert names(found) == ["distance or translation"] and found.strength == "not explained"


def test_memory_that_is_as_slow_within_few_pages_is_farther_away_or_busier():
    assert names(answer(170, walk("random_friendly", 4, 170))) == ["farther away or busier"]


def test_memory_that_is_hardly_faster_within_few_pages_is_not_slow_by_translation():
    """Of 80 ns more than predicted staying near saves 4, or 30."""
    near = (walk("random_friendly", 4, ns) for ns in (166, 140))
    expected = [["farther away or busier"], ["distance and translation"]]
    assert [names(answer(170, each)) for each in near] == expected


def test_without_a_walk_within_few_pages_slow_memory_has_no_cause():
    assert names(answer(170, made_up.nothing("memory/latency/random_friendly"))) == [
        "cause not measured"
    ]
    assert names(answer(60, walk("random_friendly", 4, 60))) == ["memory is faster"]


def test_a_stride_whose_lines_fit_into_a_cache_says_nothing_of_the_prefetcher():
    memory = made_up.single("memory/latency/memory", 100, "ns")
    strided = [walk("stride_64", 1, 5), walk("stride_4096", 1, 6)]  # 2 MiB of lines in 128 MiB
    inputs = (LINE, rk.guess(0.1, "1", "seen", low=0, high=0.8), rk.given(4, "cycle", "L1"), CLOCK)
    found = LATENCY.shares_of_the_wait(strided, memory, walk("random_friendly", 4, 100), *inputs)
    assert names(found) == ["shares of the wait", "lines fit into a cache"]
    assert "64 B" in found[0] and "4096 B" not in found[0] and "4096 B" in found[1]


def test_a_stride_of_a_page_that_memory_answers_begins_a_new_page_with_each_load():
    memory = made_up.single("memory/latency/memory", 100, "ns")
    strided = [walk("stride_64", 1, 5), walk("stride_4096", 1, 90)]
    inputs = (LINE, rk.guess(0.1, "1", "seen", low=0, high=0.8), rk.given(4, "cycle", "L1"), CLOCK)
    found = LATENCY.shares_of_the_wait(strided, memory, walk("random_friendly", 4, 100), *inputs)
    assert names(found) == ["shares of the wait", "new page with each load"]


@pytest.mark.parametrize(
    ("rate", "name"),
    [
        (9.5, "writes in passing"),
        (6.66, "writes undecided"),  # 1.5 times what a byte costs that is read
        (5, "writes like reads"),
        (2.5, "writes unexplained"),
    ],
)
def test_what_a_write_back_costs_is_decided_by_intervals(rate, name):
    read = made_up.single("memory/bandwidth/read", 10, "GB/s")
    modify = made_up.single("memory/bandwidth/modify", rate, "GB/s", seed=2)
    assert names(BANDWIDTH.mechanism(modify, read)) == [name]


def test_a_read_modify_write_is_compared_with_reading_in_three_digits():
    read = made_up.single("memory/bandwidth/read", 19.8, "GB/s")
    modify = made_up.single("memory/bandwidth/modify", 21.0, "GB/s")  # the same noise
    assert "106 % of the rate of reading" in BANDWIDTH.mechanism(modify, read)


def test_one_cpu_fills_the_path_where_two_carry_as_much():
    full = made_up.curve("memory/bandwidth/write_nt_cores", [1, 2], [27.4, 27.9], "GB/s", "1")
    wide = made_up.curve("memory/bandwidth/read_cores", [1, 2], [15, 28], "GB/s", "1")
    few = made_up.curve("memory/bandwidth/copy_cores", [1, 2], [11, 11], "GB/s", "1", processes=1)
    found = BANDWIDTH.full_with_one([full, wide, few])
    assert names(found) == ["full with one CPU"] and found[0].startswith("Write, non-temporal")


def test_the_lines_under_way_name_the_number_of_the_answer():
    read = made_up.single("memory/bandwidth/read", 19.8, "GB/s")
    latency, page = rk.given(113, "ns", "measured"), rk.given(4, "KiB", "a page")
    found = BANDWIDTH.littles_law(
        read, latency, LINE, page, rk.guess(20, "ns", "a walk", low=0, high=100)
    )
    needs = BANDWIDTH.reading_needs(
        read,
        rk.given(100, "GB/s", "the bus"),
        rk.guess(40, "1", "lines", low=10, high=96),
        LINE,
        latency,
        page,
        rk.guess(20, "ns", "a walk", low=0, high=100),
    )
    assert names(found) == ["lines under way and walks"]
    assert f"needs {needs.split()[0]}." in found


def after_a_rest(rest_us, warm_us=1.0):
    rest = made_up.single("memory/fault/cold", rest_us, "µs", seed=2)
    warm = made_up.single("memory/fault/anonymous", warm_us, "µs")
    return FAULT.after_a_rest(rest, warm, rk.guess(8, "µs", "the host", low=1, high=40), True)


@pytest.mark.parametrize(
    ("rest_us", "name"),
    [
        (1.01, "alike after a rest"),
        (1.3, "little slower after a rest"),
        (5, "slow after a rest"),
        (0.5, "faster after a rest"),
    ],
)
def test_memory_is_slower_after_a_rest_only_where_intervals_do_not_overlap(rest_us, name):
    assert names(after_a_rest(rest_us)) == [name]


def test_the_kernels_work_is_computed_with_the_sealed_cost_of_a_system_call():
    fault = made_up.single("memory/fault/anonymous", 1.0, "µs")
    fault.seal.inputs = [
        records.InputRecord(
            name="entry", origin="measured", value=200e-9, unit="ns", source="then"
        ),
        records.InputRecord(name="clock", origin="measured", value=3e9, unit="GHz", source="then"),
    ]
    take, cleared = (
        rk.guess(2000, "cycle", "", low=500, high=8000),
        rk.guess(20, "GB/s", "", low=5, high=100),
    )
    found = FAULT.answer(fault, take, cleared)
    cycles = (fault.median - 4096 / 20e9 - 200e-9) * 3e9
    assert names(found) == ["kernel's work"] and f"works {rk.number(cycles)} cycles" in found
    assert np.isfinite(cycles)


def off_by_the_l3(level):
    """A ring in the L3 of 10 processes that takes 50 ns, where the L3 was guessed to take 12."""
    of_l3 = made_up.single("memory/latency/l3", 50, "ns")
    of_l3.seal.predicted = 12e-9
    of_memory = made_up.single("memory/latency/memory", 230, "ns")
    base = walk("random_huge", 42, 230)
    return LATENCY.off_by_the_l3(of_l3, of_memory, base, 2**20, level)


def test_the_l3s_measured_pace_stands_for_the_guess():
    level = SimpleNamespace(y=42e-9, x_last=4 * 2**20)
    assert "the L3's 42.0 ns in the staircase" in off_by_the_l3(level)
    assert "memory answered 4.4 %" in off_by_the_l3(level)
    assert "the L3's 12.0 ns by the guess" in off_by_the_l3(None)


def test_an_unmeasured_cause_is_no_reason():
    of_l3 = made_up.single("memory/latency/l3", 50, "ns")
    of_l3.seal.predicted = 12e-9
    memory = made_up.nothing("memory/latency/memory")
    reason = LATENCY.off_by_the_l3(of_l3, memory, walk("random_huge", 42, 230), 2**20, None)
    assert "not measured" not in rk.missed(of_l3, "x")
    assert rk.missed(of_l3, reason).endswith("times the prediction): unexplained.")


@pytest.mark.parametrize(("last_mib", "found"), [(4, 1), (30, 0)])
def test_an_l3_that_ends_early_is_reported(last_mib, found):
    level = SimpleNamespace(y=42e-9, x_last=last_mib * 2**20)
    l3 = SimpleNamespace(origin="machine", value=32 * 2**20)
    assert len(LATENCY.usable_l3(level, l3)) == found
    assert not LATENCY.usable_l3(None, l3)


def queue(at_end_ns, predicted_at_end_ns=200, processes=8, first=0):
    axis, times = [first, 50, 100], [100, 110, at_end_ns]
    waits = made_up.curve(
        "memory/bandwidth/loaded_latency",
        axis,
        times,
        axis_unit="1",
        predicted=[100, 120, predicted_at_end_ns],
        processes=processes,
    )
    load = made_up.curve("memory/bandwidth/load", axis, [1, 7, 14], "GB/s", "1")
    return BANDWIDTH.queue_holds(waits, load, rk.given(50, "GB/s", "the bus"))


@pytest.mark.parametrize(
    ("at_end_ns", "name"),
    [
        (101, "no queue"),
        (130, "shorter queue"),
        (160, "queue undecided"),  # 0.8 times as foreseen
        (200, "queue holds"),
        (400, "longer queue"),
    ],
)
def test_a_queue_is_judged_by_intervals(at_end_ns, name):
    assert names(queue(at_end_ns)) == [name]


def test_the_first_measured_load_is_not_no_load():
    assert names(queue(200, first=10)) == ["not measured"]


def rates(**gb_s):
    return {
        name: made_up.single(f"memory/bandwidth/{name}", rate, "GB/s", seed=seed)
        for seed, (name, rate) in enumerate(gb_s.items())
    }


def test_a_method_does_not_share_a_miss_that_reading_has_not():
    b = rates(read=20, write_nt=50)
    b["write_nt"].seal.predicted = 20e9
    assert names(BANDWIDTH.off_by("write_nt", b, 1, "few lines.")) == ["unlike reading"]
    b["read"].seal.predicted = 7e9
    assert names(BANDWIDTH.off_by("write_nt", b, 1, "few lines.")) == ["like reading"]


def test_lines_do_not_slow_what_wide_registers_read_faster():
    b = rates(read=20, read_scalar=10)
    assert names(BANDWIDTH.off_by("read_scalar", b, 1, "few lines.")) == ["narrow reads"]
    b = rates(read=20, read_scalar=20)
    assert names(BANDWIDTH.off_by("read_scalar", b, 1, "few lines.")) == ["unlike reading"]


def test_reading_says_nothing_of_writes_that_read_no_line():
    b = rates(read=15, write_nt=26)
    found = names(BANDWIDTH.shared_inputs(b["read"], b["write_nt"], "few lines."))
    assert found == ["shared inputs", "writes without reading"]


@pytest.mark.parametrize(
    ("rest_us", "warm_us", "name"),
    [(1.0, 1.0, "none taken back"), (2.0, 1.0, "little taken back"), (9.0, 1.0, "taken back")],
)
def test_memory_after_a_rest_is_compared_with_memory_at_once(rest_us, warm_us, name):
    rest = made_up.single("memory/fault/cold", rest_us, "µs", seed=2)
    rest.seal.predicted = 4e-6
    warm = made_up.single("memory/fault/anonymous", warm_us, "µs")
    share = rk.guess(0.3, "1", "of the pages", low=0, high=1)
    assert names(FAULT.off_after_a_rest(rest, warm, share)) == [name]
