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


@pytest.mark.parametrize(("size_mib", "name"), [(4, "rest"), (8, "region counts"), (32, "rest")])
def test_a_region_of_the_mountain_that_takes_the_l3_is_slow_by_the_count_of_lines(size_mib, name):
    """At a stride of two lines, half of them are visited; the L3 has 8 MiB."""
    caches = (SimpleNamespace(value=2**exponent) for exponent in (15, 20, 23))
    point = LATENCY.Point(128, size_mib * 2**20, size_mib * 2**19, 0.4)
    assert LATENCY.class_of(point, *caches) == name


def test_the_misses_of_the_staircase_are_those_of_each_ring():
    rings = [walk("random", 4, 100, predicted=100), walk("random_huge", 90, 100, predicted=100)]
    found = LATENCY.misses_of_the_staircase(rings)
    assert found.endswith("4 KiB pages: 13 of 18, from 1.00 KiB to 4.00 MiB.")
    assert names(LATENCY.misses_of_the_staircase(rings[1:])) == ["no point off"]


def in_the_l3(ns=50):
    """A ring in the L3 of 10 processes, where the L3 was guessed to take 12 ns."""
    of_l3 = made_up.single("memory/latency/l3", ns, "ns")
    of_l3.seal.predicted = 12e-9
    return of_l3


def answer(of_memory_ns, few_pages):
    of_memory = made_up.single("memory/latency/memory", of_memory_ns, "ns")
    of_memory.seal.predicted = 90e-9
    dram = rk.guess(80, "ns", "memory", low=50, high=250)
    return LATENCY.answer(of_memory, in_the_l3(), few_pages, dram, None)


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


def shares_of_the_wait(strided, l1_cycles=4):
    memory = made_up.single("memory/latency/memory", 100, "ns")
    seen, cycles = rk.guess(0.1, "1", "seen", low=0, high=0.8), rk.given(l1_cycles, "cycle", "L1")
    few_pages = walk("random_friendly", 4, 100)
    return LATENCY.shares_of_the_wait(strided, memory, few_pages, LINE, seen, cycles, CLOCK)


def test_a_stride_whose_lines_fit_into_a_cache_says_nothing_of_the_prefetcher():
    # 2 MiB of lines in 128 MiB
    found = shares_of_the_wait([walk("stride_64", 1, 5), walk("stride_4096", 1, 6)])
    assert names(found) == ["shares of the wait", "lines fit into a cache"]
    assert "64 B" in found[0] and "4096 B" not in found[0] and "4096 B" in found[1]


def test_a_stride_of_a_page_that_memory_answers_begins_a_new_page_with_each_load():
    found = shares_of_the_wait([walk("stride_64", 1, 5), walk("stride_4096", 1, 90)])
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
    assert names(BANDWIDTH.mechanism(modify, read, modify)) == [name]


def test_a_write_back_in_passing_does_not_explain_stores_that_are_slower():
    b = rates(read=14.3, modify=12.3, write=9.74)
    found = BANDWIDTH.mechanism(b["modify"], b["read"], b["write"])
    assert names(found) == ["stores slower"] and found.strength == "not explained"


def test_a_read_modify_write_is_compared_with_reading_in_three_digits():
    read = made_up.single("memory/bandwidth/read", 19.8, "GB/s")
    modify = made_up.single("memory/bandwidth/modify", 21.0, "GB/s")  # the same noise
    assert "106 % of the rate of reading" in BANDWIDTH.mechanism(modify, read, modify)


def test_two_cpus_that_carry_no_more_than_one_fill_no_named_path():
    full = made_up.curve("memory/bandwidth/write_nt_cores", [1, 2], [27.4, 27.9], "GB/s", "1")
    wide = made_up.curve("memory/bandwidth/read_cores", [1, 2], [15, 28], "GB/s", "1")
    few = made_up.curve("memory/bandwidth/copy_cores", [1, 2], [11, 11], "GB/s", "1", processes=1)
    found = BANDWIDTH.no_gain([full, wide, few])
    assert names(found) == ["no gain by more CPUs"] and found[0].startswith("Write, non-temporal")
    assert "path" not in found[0]


def test_the_lines_under_way_name_the_number_of_the_answer():
    read = made_up.single("memory/bandwidth/read", 19.8, "GB/s")
    latency, page = rk.given(113, "ns", "measured"), rk.given(4, "KiB", "a page")
    found = BANDWIDTH.littles_law(
        read,
        latency,
        LINE,
        page,
        rk.guess(20, "ns", "a walk", low=0, high=100),
        rk.given(226, "ns", "in random order"),
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
    assert f"needs {needs.split()[0]} lines under way." in found
    assert "means 35 to 70 lines under way" in found


def test_the_lines_that_fill_the_bus_are_whole_numbers():
    read = made_up.single("memory/bandwidth/read", 14.3, "GB/s")
    latencies = rk.given(74, "ns", "near"), rk.given(136, "ns", "anywhere")
    peak = rk.given(50, "GB/s", "the bus")
    solution = BANDWIDTH.lines_to_fill_the_bus(read, peak, LINE, *latencies)[1]
    assert "58 to 106 lines" in solution


def test_registers_that_make_a_difference_at_each_visit_are_named():
    b = rates(read=10, write_nt=23.5, read_scalar=9.5, write_nt_scalar=15.9)
    found = BANDWIDTH.wide_registers(b, ["read", "write_nt"])
    assert names(found) == ["width counts"] and found.endswith(": Write, non-temporal.")
    assert names(BANDWIDTH.wide_registers(b, ["read"])) == ["width hardly counts"]


def test_registers_are_compared_visit_by_visit_where_intervals_overlap():
    """The summaries overlap; the results, which know their visits, are apart."""
    summary = SimpleNamespace(interval=SimpleNamespace(is_known=True), apart=lambda _: 0)
    b = {
        name: SimpleNamespace(
            quantity=f"memory/bandwidth/{name}", summary=summary, median=rate, apart=lambda _: 1
        )
        for name, rate in (("write_nt", 23.5e9), ("write_nt_scalar", 15.9e9))
    }
    assert names(BANDWIDTH.wide_registers(b, ["write_nt"])) == ["width counts"]


def test_the_tail_is_that_of_all_trials():
    fault = made_up.single("memory/fault/major", 40, "µs")
    for process in fault.points[0].processes:
        process.ticks[-1] *= 100
    times = np.concatenate(fault.trials(fault.points[0]))
    tail = rk.number(np.percentile(times, 99) / np.median(times), 2)
    fault = SimpleNamespace(
        quantity=fault.quantity, points=fault.points, trials=fault.trials, has_samples=True
    )
    assert FAULT.longest_tail([fault]).endswith(f"takes {tail} times the median")


def after_a_rest(rest_us, warm_us=1.0):
    rest = made_up.single("memory/fault/cold", rest_us, "µs", seed=2)
    warm = made_up.single("memory/fault/anonymous", warm_us, "µs")
    return FAULT.after_a_rest(rest, warm, True)


@pytest.mark.parametrize(
    ("rest_us", "name"),
    [
        (1.01, "alike after a rest"),
        (1.3, "slower after a rest"),
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


def test_both_kinds_of_pages_do_not_tell_how_fast_a_small_page_is_cleared():
    """Cleared at 9 GB/s, if at one rate; then the kernel works 0.8 µs, by the counted cycles."""
    fault = made_up.single("memory/fault/anonymous", 0.8 + 4096 / 9e3, "µs")
    huge = made_up.single("memory/fault/huge", 0.8 + 2**21 / 9e3, "µs")
    inputs = (("entry", 0.0, "ns"), ("clock", 2e9, "GHz"))
    fault.seal.inputs = [
        records.InputRecord(name=name, origin="measured", value=value, unit=unit, source="then")
        for name, value, unit in inputs
    ]
    found = FAULT.solved(fault, huge)
    cycles = FAULT.kernel_cycles(fault, FAULT.clearing_rate(fault, huge))
    assert cycles == pytest.approx(2400, rel=0.1) and f"{rk.number(cycles)} cycles" in found
    assert found.endswith("does not follow from these two.") and "guess" not in found
    assert names(FAULT.solved(huge, fault)) == ["no solution"]


def test_a_page_that_shares_its_fault_has_no_time_of_a_fault():
    found = FAULT.fewer_faults_than_pages(
        {
            "memory/fault/mbp2016": 1 / 16,
            "memory/fault/anonymous": 1.0,
            "memory/fault/major": np.nan,
        }
    )
    assert names(found) == ["fewer faults than pages"]
    assert found.endswith("method of the report on the MacBook Pro 2016 (0.0625).")
    assert FAULT.fewer_faults_than_pages({"memory/fault/anonymous": 1.0}) == []


def off_by_the_l3(level, memory=None):
    """A ring in the L3 that takes 50 ns."""
    of_memory = made_up.single("memory/latency/memory", 230, "ns")
    base = walk("random_huge", 42, 230)
    return LATENCY.off_by_the_l3(in_the_l3(), of_memory, base, 2**20, level, memory)


@pytest.mark.parametrize(("first", "name"), [(2**19, "beyond the L3"), (2**21, "some from memory")])
def test_memory_answers_a_ring_beyond_the_size_where_its_level_begins(first, name):
    level = SimpleNamespace(y=42e-9, x_last=first / 2)
    assert names(off_by_the_l3(level, SimpleNamespace(x_first=first))) == [name]


def test_one_wait_behind_the_l3_is_said_on_the_page():
    level = SimpleNamespace(y=42e-9, x_last=4 * 2**20)
    of_memory, near = made_up.single("memory/latency/memory", 237, "ns"), walk("near", 4, 74)
    of_memory.seal.predicted = 93e-9
    dram = rk.guess(80, "ns", "memory", low=50, high=250)
    asked = LATENCY.answer(of_memory, in_the_l3(), near, dram, level)
    listed = LATENCY.off_by_memory(of_memory, in_the_l3(), dram, level)
    wait = rk.amount(of_memory.median - 42e-9, "ns")
    assert f"a wait of {wait} behind" in asked and f"would have to be {wait}," in listed


@pytest.mark.parametrize(
    ("l3_mib", "name"), [(4, "L3 at half"), (16, "both at half"), (64, "memory at half")]
)
def test_half_of_the_l3_is_answered_by_the_level_in_which_it_lies(l3_mib, name):
    l3 = rk.given(l3_mib * 1024, "KiB", "L3")
    level, memory = SimpleNamespace(x_last=4 * 2**20), SimpleNamespace(x_first=16 * 2**20)
    base = walk("random_huge", 42, 230)
    assert names(LATENCY.at_half_of_the_l3(base, l3, level, memory)) == [name]


@pytest.mark.parametrize(("at_end_ns", "found"), [(130, []), (230, ["slope"])])
def test_a_level_that_rises_over_its_sizes_is_named_a_slope(at_end_ns, found):
    times = [4.0] * 9 + [150 + (at_end_ns - 150) * k / 8 for k in range(9)]
    base = made_up.curve("memory/latency/random_huge", SIZES_KIB, times)
    memory = SimpleNamespace(first=9, last=17, x_first=2**19, x_last=2**27)
    l1 = SimpleNamespace(first=0, last=8, x_first=2**10, x_last=2**18)
    assert names(LATENCY.slopes(base, {"L1": l1, "main memory": memory})) == found


@pytest.mark.parametrize(
    ("cycles", "clock", "name"),
    [(5, 2.8, ["clock is the difference"]), (4, 2.8, ["clock and cycles differ"]), (5, 3, [])],
)
def test_a_miss_of_a_latency_in_cycles_names_the_clock(cycles, clock, name):
    """Five cycles at 3 GHz were measured."""
    of_l1 = made_up.single("memory/latency/l1", 5 / 3, "ns")
    inputs = (("near", cycles, "cycle"), ("clock", clock * 1e9, "GHz"))
    of_l1.seal.inputs = [
        records.InputRecord(name=name, origin="given", value=value, unit=unit, source="then")
        for name, value, unit in inputs
    ]
    found = LATENCY.by_the_clock(of_l1, "L1", "near")
    assert names(found) == name


def small_and_huge(dearer_ns):
    """Curves in which small pages cost so much more at each size from 8 MiB on."""
    times = [4.0] * 13 + [100.0] * 5
    small = [time + more for time, more in zip(times, [0] * 13 + dearer_ns, strict=True)]
    ring = (
        made_up.curve(f"memory/latency/{k}", SIZES_KIB, t) for k, t in enumerate((small, times))
    )
    return LATENCY.tlb_reach(*ring, rk.guess(20, "ns", "a walk", low=3, high=200))


@pytest.mark.parametrize(
    ("dearer_ns", "name"),
    [
        ([0, 22, 22, 24, 24], "reach within"),  # less than a quarter of memory's wait
        ([22, 0, 22, 24, 24], "reach not sharp"),
        ([0, 0, 0, 24, 24], "reach beyond"),
    ],
)
def test_a_page_walk_is_seen_in_differences_not_in_ratios(dearer_ns, name):
    assert names(small_and_huge(dearer_ns)) == [name]


def test_strides_that_are_off_are_named_each():
    ends = (("stride_64", 5, 6), ("stride_1024", 60, 2.6), ("stride_4096", 198, 2.6))
    strided = [walk(name, 1, at_end, predicted) for name, at_end, predicted in ends]
    l3 = rk.given(4096, "KiB", "L3")
    found = LATENCY.misses_of_the_strides(strided, LINE, l3, walk("random_friendly", 4, 100))
    assert names(found) == ["strides off", "strides in the L3"]
    assert "1024 B 23 times" in found[0] and "4096 B 77 times" in found[0]
    assert "64 B" not in found[0] and "strides of 4096 B" in found[1]


@pytest.mark.parametrize(
    ("lost_at_kib", "name"),
    [
        ({512: 8192, 4096: 8192}, "region counts"),
        ({512: 8192, 4096: 65536}, "regions differ"),  # at the same number of lines
    ],
)
def test_strides_that_lose_the_caches_at_one_region_show_that_no_lines_count(lost_at_kib, name):
    strided = [
        made_up.curve(
            f"memory/latency/stride_{stride}",
            SIZES_KIB,
            [120 if size >= kib else 10 for size in SIZES_KIB],
            predicted=3,
        )
        for stride, kib in lost_at_kib.items()
    ]
    l3, near = rk.given(64, "MiB", "L3"), walk("random_friendly", 4, 100)
    found = LATENCY.misses_of_the_strides(strided, LINE, l3, near)
    assert names(found) == ["strides off", name]


def test_a_stride_that_no_memory_answers_does_not_show_that_the_region_counts():
    strided = [walk(f"stride_{stride}", 1, 12, predicted=1) for stride in (512, 4096)]
    l3, near = rk.given(64, "MiB", "L3"), walk("random_friendly", 4, 100)
    found = LATENCY.misses_of_the_strides(strided, LINE, l3, near)
    assert names(found) == ["strides off", "strides in the L3"]
    assert found[1].strength == "not explained"


@pytest.mark.parametrize(
    ("small_ns", "name"), [(110, "translation in the curve"), (100, "pages alike")]
)
def test_the_curve_decides_what_small_pages_cost_where_two_intervals_overlap(small_ns, name):
    ring = made_up.single("memory/latency/memory", 100, "ns", seed=2)
    curves = (walk(f"random{k}", 4, ns) for k, ns in enumerate((small_ns, 100)))
    assert names(LATENCY.small_pages(ring, ring, *curves)) == [name]


def test_an_l3_that_some_processes_miss_answers_only_the_others():
    of_memory = made_up.single("memory/latency/memory", 100, "ns")
    l3 = rk.given(32, "MiB", "L3")
    assert LATENCY.third_answers(l3, in_the_l3(12), of_memory, 2**21).endswith("the L3 answers.")
    of_l3 = in_the_l3(12)
    for process in of_l3.points[0].processes[:2]:
        process.ticks = [8 * ticks for ticks in process.ticks]
    found = LATENCY.third_answers(l3, of_l3, of_memory, 2**21)
    count = len(of_l3.points[0].processes)
    assert f"answers in {count - 2} of {count} fresh processes" in found


def test_two_walks_of_the_same_lines_that_differ_are_not_explained():
    by_report = made_up.single("memory/latency/mbp2016_memory", 53, "ns")
    by_report.measurement.params["size_bytes"] = 2**27
    found = LATENCY.same_walk(by_report, walk("stride_4096", 4, 148))
    assert names([found]) == ["same walk, other time"] and found.strength == "not explained"
    assert LATENCY.same_walk(by_report, walk("stride_4096", 4, 53)) == []
    by_report.measurement.params["size_bytes"] = 2**26
    assert LATENCY.same_walk(by_report, walk("stride_4096", 4, 148)) == []


def test_a_ring_is_compared_with_the_curve_of_small_pages_at_its_size():
    ring, curve = in_the_l3(), walk("random", 20, 100)
    assert LATENCY.in_small_pages(ring, curve, 3.5 * 2**20).median == curve.medians[12]  # of 4 MiB
    assert LATENCY.in_small_pages(ring, made_up.nothing("memory/latency/random"), 2**20) is ring


def test_the_share_of_the_wait_is_of_a_line_as_the_guess_is():
    found = shares_of_the_wait([walk("stride_16", 1, 3.5)], l1_cycles=3)
    assert "16 B 10 %" in found[0]  # a new line with each fourth load, which takes 2.5 ns more


def test_the_l3s_measured_pace_stands_for_the_guess():
    level = SimpleNamespace(y=42e-9, x_last=4 * 2**20)
    assert "the L3's 42.0 ns in the staircase" in off_by_the_l3(level)
    assert "memory answered 4.4 %" in off_by_the_l3(level)
    assert "the L3's 12.0 ns by the guess" in off_by_the_l3(None)


def test_an_unmeasured_cause_is_no_reason():
    of_l3 = in_the_l3()
    memory = made_up.nothing("memory/latency/memory")
    reason = LATENCY.off_by_the_l3(of_l3, memory, walk("random_huge", 42, 230), 2**20, None, None)
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


def test_a_growth_that_is_near_the_queues_does_not_exclude_it():
    """1.01 times as long was measured, and 1.02 times predicted."""
    assert names(queue(101, predicted_at_end_ns=102)) == ["queue undecided"]


def test_without_intervals_no_queue_is_neither_shown_nor_excluded():
    assert names(queue(101, processes=3)) == ["too few to tell a queue"]


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


@pytest.mark.parametrize(
    ("gb_s", "expected"), [(9, "slow as reading"), (4, "costlier writes"), (11, "lines not read")]
)
def test_slow_reading_may_explain_what_costs_no_more_than_is_charged(gb_s, expected):
    for name in ("write", "memset", "modify", "copy_nt"):
        b = rates(read=10, **{name: gb_s})
        b[name].seal.predicted = 2.1 * gb_s * 1e9
        assert names(BANDWIDTH.off_by(name, b, 2, "few lines.")) == [expected]


@pytest.mark.parametrize(("reads_gb_s", "found"), [(14, ["errors cancel"]), (29, [])])
def test_a_prediction_that_holds_by_two_errors_is_named(reads_gb_s, found):
    b = rates(read=reads_gb_s, copy=11)
    b["read"].seal.predicted, b["copy"].seal.predicted = 29e9, 11e9
    assert names(BANDWIDTH.errors_that_cancel(b["copy"], b["read"], 3)) == found


@pytest.mark.parametrize(("l3_mib", "name"), [(128, "array larger"), (480, "array hardly larger")])
def test_how_large_the_array_is_beside_the_l3_is_said_of_this_machine(l3_mib, name):
    found = BANDWIDTH.array_and_l3(2**29, rk.given(l3_mib, "MiB", "L3"))
    assert names(found) == [name] and f"{rk.number(512 / l3_mib)} times the" in found


def test_two_processes_are_compared_by_their_intervals():
    b = rates(read=2.1, two_read=4.1)
    (low, high), (pair_low, pair_high) = (each.summary.bounds for each in b.values())
    ends = f"between {rk.number(pair_low / high)} and {rk.number(pair_high / low)} times"
    assert ends in BANDWIDTH.two_processes(b["read"], b["two_read"])


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
