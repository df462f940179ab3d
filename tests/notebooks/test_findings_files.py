"""What the chapters on files and the machine's page conclude from results that are made up."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from helpers import made_up
from helpers.findings import names

from reckon import records, statistics
from reckon.book import contents

# From visit to visit a quantity varies by a third.
DRIFTING = statistics.PooledVariance(variance=0.1, degrees=20, quantities=20)


def time(quantity, value, **more):
    return made_up.single(quantity, value, "µs", **more)


def drifting(result, visits=3):
    """The result as of several visits, of a run whose quantities differ from visit to visit."""
    for number, process in enumerate(result.measurement.points[0].processes):
        process.visit = number % visits
    return replace(result, between_visits=DRIFTING)


@pytest.fixture(scope="module")
def remote():
    return contents.findings_of("files/remote")


@pytest.mark.parametrize(
    ("at_random", "cold", "expected"),
    [
        (drifting, 417, "apart within visits"),
        (drifting, 335, "unclear"),
        (lambda result: result, 417, "cold apart"),
    ],
)
def test_remote_a_cold_cache_may_differ_within_visits_alone(remote, at_random, cold, expected):
    cold = at_random(time("files/remote/cold_random", cold, processes=12, seed=2))
    warm = at_random(time("files/remote/random", 334, processes=12))
    here = time("files/remote/local_cold_random", 50), time("files/remote/local_random", 0.3)
    found = remote.cold_at_random(cold, warm, *here)
    assert [name for name in names(found) if name.endswith(expected)]
    said = " ".join([found] if isinstance(found, str) else found)
    assert ("not shown to differ" in said) == (expected == "unclear")


def test_remote_the_ends_work_is_to_doubt_for_what_goes_over_nfs_alone(remote):
    right = remote.others_off([], time("files/remote/random", 300), None, {})
    assert "other single times by Reckon's method" in right
    here = time("files/remote/local_random", 1)
    here.seal.predicted = here.median / 3
    whole, work = time("files/remote/random", 300), SimpleNamespace(value=80e-6)
    assert names(remote.others_off([here], whole, work, {})) == {"others off", "here as elsewhere"}
    whole.seal.predicted = whole.median / 3
    found = names(remote.others_off([whole], whole, work, {}))
    assert found == {"others off", "ends' work to doubt"}


@pytest.fixture(scope="module")
def contention():
    return contents.findings_of("files/contention")


def by_readers(quantity, values, unit="µs", **more):
    x = [1, 2, 4, 8][: len(values)]
    return made_up.curve(f"files/contention/{quantity}", x, values, unit, axis_unit="1", **more)


def given(name, value):
    return records.InputRecord(name=name, origin="guess", value=value, unit="1", source="made up")


CPUS = SimpleNamespace(value=2)
# A wide scatter: with two processes each, medians have to be a quarter apart.
FEW = dict(processes=2)


@pytest.mark.parametrize(
    ("two", "rates", "more", "expected"),
    [
        (90, [17.8, 22, 60, 90], {}, {"wait unexplained"}),
        (66, [17.8, 22, 60, 90], FEW, {"second reader waits by rates", "wait unexplained"}),
        (66, [17.8, 36, 60, 90], FEW, {"second reader unclear"}),
        (56, [17.8, 36, 60, 90], {}, {"second reader for nothing"}),
    ],
)
def test_contention_a_second_reader_waits_by_its_time_or_by_the_rates(
    contention, two, rates, more, expected
):
    each = by_readers("each", [55, two, 90, 120], **more)
    together = by_readers("together", rates, "MB/s")
    work = time("files/contention/work", 1e-4)
    found = contention.second_reader(each, together, work, CPUS)
    assert names(found) == expected
    assert ("each is slowed" in " ".join(found)) == ("second reader waits by rates" in expected)
    # As many times as the rates show it, where they show it.
    assert ("by the rates it takes 1.6 times" in " ".join(found)) == (len(expected) == 2)


@pytest.mark.parametrize(
    ("times", "more", "expected"),
    [
        ([55, 83, 94, 140], {}, {"fitted line", "no straight line", "second slower"}),
        ([55, 66, 94, 120], FEW, {"fitted line", "line unclear", "slower later"}),
        ([55, 55, 55, 55], {}, {"fitted line", "may be a line", "no slowdown"}),
    ],
)
def test_contention_a_block_takes_longer_by_the_intervals(contention, times, more, expected):
    assert names(contention.fitted(by_readers("slowest", times, **more))) == expected


def test_contention_the_requests_at_once_follow_from_rates_of_the_same_trials(contention):
    block, together = (
        SimpleNamespace(value=4096),
        readers("together", [17_600, 24_700, 95_200], "IO/s"),
    )
    each, slowest = readers("each", [73.6, 89, 211], "µs"), readers("slowest", [58, 82, 224], "µs")
    said = " ".join(contention.at_once(together, each, slowest, block))
    assert "5.4 times as much" in said and "it is 7.1 and 5.2 times: 5.2 to 7.1 requests" in said
    assert "yet a block takes it 56.4 µs to 74.2 µs" in said
    alike = " ".join(
        contention.at_once(together, *[readers("each", [56.8, 81, 210], "µs")] * 2, block)
    )
    assert "5.4 times as much. That many requests" in alike and "yet" not in alike
    assert "5.4 readers" in contention.bounds_cross(together, each)[1]
    grown = contention.growth(each, slowest)
    assert "of 20 each takes 2.8 times" in grown and "the slowest 3.8 times" in grown


def test_contention_cycles_are_those_of_the_prediction_that_was_sealed(contention):
    work = time("files/contention/work", 19.0533)
    work.seal.predicted = 6.676e-6
    work.seal.inputs += [given("null", 0.0735e-6), given("clock", 3.787e9), given("cycles", 25e3)]
    [off, _] = contention.cpu_work(work, time("files/contention/work_of_20", 4.9))
    assert "2.9 times the prediction" in off and "72,000 cycles instead of 25,000" in off


def test_contention_files_never_written_have_a_range_of_ratios(contention):
    unwritten, with_data = by_readers("t470", [2, 7, 14]), by_readers("t470_written", [60, 98, 126])
    assert "9.0 to 30 times" in contention.never_written(unwritten, with_data)


@pytest.fixture(scope="module")
def read():
    return contents.findings_of("files/read")


@pytest.mark.parametrize(
    ("table", "by_file", "expected"),
    [
        (2.8, [7.8, 3], {"measured twice, and apart", "shorter trials"}),
        (2.8, [3, 3], {"measured twice, and apart", "in order twice"}),
        (7.0, [7.8, 3], set()),
    ],
)
def test_read_a_block_in_order_takes_longer_in_shorter_trials(read, table, by_file, expected):
    table = time("files/read/buffered_sequential", table)
    table.measurement.params["blocks"] = 1024
    curve = made_up.curve("files/read/block_buffered", [4, 1024], [7.0, 500], "µs")
    curve.measurement.params["blocks"] = 64
    files = made_up.curve("files/read/size_buffered", [0.25, 64], by_file, "µs", axis_unit="MiB")
    assert names(read.in_order_twice(table, curve, files)) == expected


@pytest.mark.parametrize(
    ("in_order", "more", "of_order", "of_place"),
    [
        (54, {}, "order does not matter", "place alike"),
        (20, {}, "order matters", "place"),
        (42, FEW, "order unclear", "place alike"),
    ],
)
def test_read_the_order_matters_by_the_intervals(read, in_order, more, of_order, of_place):
    at_random = time("files/read/direct_random", 54, **more)
    in_order = time("files/read/direct_sequential", in_order, seed=3, **more)
    assert read.order(in_order, at_random).name == of_order
    guessed = SimpleNamespace(value=8e-5)
    answer = read.answer(5e-5, 4e-5, guessed, at_random, in_order)
    assert answer.name == of_place and "50 µs are left, where 80 µs were guessed" in answer
    assert ("at most" in answer) == (of_order == "order does not matter")


def test_read_what_is_left_of_the_next_block_too_is_not_what_finding_takes(read):
    at_random, in_order = time("files/read/direct_random", 29), time("files/read/in_order", 29)
    answer = read.answer(12e-6, 14.5e-6, SimpleNamespace(value=8e-5), at_random, in_order)
    assert answer.strength == "not explained" and "what it takes to find a block does not" in answer


def test_read_faster_in_order_than_one_request_at_a_time_the_disks_rate_is_higher(read):
    in_cache = time("files/read/buffered_sequential", 2.58)
    in_cache.seal.predicted = 9.19e-6
    again = SimpleNamespace(predicted=5.69e-6)
    [_, faster] = read.misses([in_cache], in_cache, again, 872e6)
    assert (faster.name, faster.strength) == ("faster in order", "shown")
    slowest = in_cache.summary.bounds[1]
    assert f"at least {4096 / slowest / 1e9:.2f} GB/s, more than the 872 MB/s of one" in faster
    assert slowest > in_cache.median
    [_, slower] = read.misses([in_cache], in_cache, again, 2e9)
    assert slower.name == "rate is not all"


def test_read_what_the_rate_leaves_is_not_explained(read):
    in_cache = time("files/read/buffered_sequential", 3.4)
    in_cache.seal.predicted = 3 * in_cache.median
    again = SimpleNamespace(predicted=in_cache.median / 1.4)
    [off, left] = read.misses([in_cache], in_cache, again, 2e9)
    assert (off.name, left.name, left.strength) == ("some off", "rate explains", "consistent with")
    assert "what is left is unexplained" in left and "so far" in off


@pytest.mark.parametrize("guest", ["KVM", None])
def test_the_cores_of_a_guest_may_share_their_caches(guest):
    facts = {"processor.cores": 2, "processor.l2": 2.0**21, "processor.l3": 2.0**25}
    machine = SimpleNamespace(number=facts.get, value={"system.guest": guest}.get)
    found = contents.findings_of("machine").caches(machine)
    assert found.name == ("caches of a guest" if guest else "caches")
    assert ("may in truth be threads of one" in found) == bool(guest)


def readers(name, rates_or_times, unit, first=1):
    result = made_up.curve(
        f"files/contention/{name}", [first, 2, 20], rates_or_times, unit, "1", processes=8
    )
    result.measurement.op = "read"
    return result


def test_contention_a_rate_below_what_readers_got_explains_nothing():
    contention = contents.findings_of("files/contention")
    together = readers("together", [17_800, 24_800, 97_100], "IO/s")
    rate = SimpleNamespace(value=100_000.0)
    above = contention.answer(83_100.0, rate, together)
    assert names(above) == {"rate does not explain"} and "not shown to be" in above
    assert "20 readers together got 96,800 IO/s (95,300 IO/s to 97,800 IO/s)" in above
    assert names(contention.answer(120_000.0, rate, together)) == {"rate for 8"}


def test_contention_the_knee_is_judged_by_the_rate_that_the_page_names():
    contention = contents.findings_of("files/contention")
    each = made_up.curve("files/contention/each", [1, 2, 4, 20], [56, 60, 98, 211], "µs", "1")
    each.seal.inputs += [given("rate", 1e5), given("work", 19.6e-6)]

    def queue(readers, rate, work, size):
        return readers / rate, work

    assert "the model has 59.6" in contention.at_the_knee(queue, each)


def test_contention_the_first_point_is_not_a_reader_alone():
    contention = contents.findings_of("files/contention")
    whole = readers("each", [55, 82, 185], "µs")
    assert names(contention.growth(whole, whole)) == {"growth"}
    each = made_up.curve("files/contention/each", [2, 20], [82, 185], "µs", "1")
    assert names(contention.growth(each, whole)) == {"no lone reader"}
    assert names(contention.growth_in_table(each, each)) == {"no lone reader"}
    several = made_up.curve("files/contention/each", [2, 4, 8, 20], [82, 99, 120, 185], "µs", "1")
    assert "alone" not in " ".join(contention.fitted(several))


def with_file(result, mib):
    result.measurement.params["file_bytes"] = mib << 20
    return result


def test_read_the_same_read_elsewhere_has_its_files_size():
    cached = with_file(time("files/read/cached", 0.8), 32)
    remote = with_file(time("files/remote/local_random", 0.26), 8)
    found = contents.findings_of("files/read").elsewhere(cached, remote)
    assert "a file of 32.0 MiB" in found and "a file of 8.00 MiB in memory" in found


def test_read_without_a_gap_between_reads_no_share_waits():
    read = contents.findings_of("files/read")
    normal = time("files/read/readahead_normal", 6)
    by_read = SimpleNamespace(has_gap=False, processes={})
    assert names(read.few_wait(normal, normal, by_read)) == {"waits not told apart"}


def small_file(last, processes=8):
    return made_up.curve(
        "files/cache/whole_small", [6, 32], [0.8, last], "µs", "MiB", processes=processes
    )


def test_cache_a_larger_file_is_slower_only_beyond_the_trials():
    cache = contents.findings_of("files/cache")
    assert names(cache.size_of_a_small_file(small_file(0.9, 2))) == {"larger file alike"}
    slower = cache.size_of_a_small_file(small_file(1.6))
    assert names(slower) == {"larger file slower"} and slower.strength == "not explained"


def test_cache_the_cycles_that_the_guess_would_have_to_be():
    reads = made_up.curve("files/cache/limited", [6, 32], [2, 2], "µs", "MiB", [1, 1])
    reads.seal.inputs += [given("clock", 3e9), given("work", 1000)]
    found = contents.findings_of("files/cache").cached_read(reads)
    assert found.name == "guess off" and "have to take 4,000 cycles" in found


def test_remote_the_files_own_work_may_be_negative(remote):
    near = time("files/remote/near", 94)
    empty = time("files/remote/null_near", 77, seed=2)
    assert names(remote.negative_work(near, empty, 34.7e-6)) == {"negative own work"}
    assert remote.negative_work(near, empty, 10e-6) == []
    unclear = remote.above_nothing("Here", near, near, 34.7e-6, True)
    assert "less than the transfer" in unclear


@pytest.mark.parametrize(
    ("long", "block", "expected"),
    [(900, 347, {"message without a file"}), (800, 347, set()), (900, 300, set())],
)
def test_remote_what_a_message_takes_without_a_file_is_not_the_files_work(
    remote, long, block, expected
):
    read = time("files/remote/random", block)
    empty = time("files/remote/null", 269, seed=2)
    messages = made_up.curve(
        "network/rtt/tcp_size_peer", [1400, 4096], [752, long], "µs", "byte", [700, 745]
    )
    assert names(remote.without_a_file(read, empty, 34.7e-6, messages)) == expected
    assert remote.without_a_file(read, empty, 34.7e-6, None) == []
    own = remote.above_nothing("Here", read, empty, 34.7e-6, True)
    assert own.strength == ("consistent with" if block == 347 else "not explained")


def test_remote_differences_and_ratios_have_intervals(remote):
    far, near = time("files/remote/far", 1170), time("files/remote/random", 347, seed=2)
    assert re.search(r"8[23]\d µs \(\d+ to \d+\) more", remote.by_length(far, near))
    assert re.search(r"\d+ to \d+\) less", remote.by_length(near, far))
    assert re.search(
        r"3.4 times \(3.\d to 3.\d\) as long as from this", remote.memory_and_disk(far, near)
    )


def test_remote_what_falls_into_two_groups_has_no_difference(remote):
    empty = made_up.single("files/remote/null_near", 40, "us", processes=10)
    for process in empty.points[0].processes[6:]:
        process.ticks = [2 * ticks for ticks in process.ticks]
    found = remote.above_nothing("Here", time("files/remote/near", 94), empty, 1e-6, True)
    assert "no one value" in found and " or " in found


def test_remote_the_length_of_a_trial_explains_no_block_that_is_faster_elsewhere(remote):
    cold = time("files/remote/local_cold_sequential", 11.9)
    cold.seal.predicted = 3.4e-6
    stream, block = SimpleNamespace(value=0.46e-3), SimpleNamespace(value=4096)
    as_short = made_up.curve("files/read/block_buffered", [4, 1024], [5.5, 500], "µs")
    assert names(remote.in_order_off(cold, stream, block)) == {"readahead beyond"}
    assert names(remote.in_order_off(cold, stream, block, as_short)) == {"in order unexplained"}


def test_read_the_request_is_what_a_cpus_work_leaves(read):
    at_random = time("files/read/direct_random", 54.7)
    at_random.seal.software = 3.4e-6
    curve = made_up.curve("files/read/block_random", [4, 64, 1024], [53.6, 78, 471], "µs")
    inputs = {
        name: SimpleNamespace(value=value)
        for name, value in {"block": 4096, "copy": 11e9, "null": 7e-8}.items()
    }
    work = time("files/contention/work", 19.3)
    need = read.needed(at_random, at_random, time("files/read/cached", 0.8), curve, inputs, work)
    assert 32e-6 < need["find"] < 35e-6
    small = made_up.curve("files/read/size_random", [1, 64], [55, 55], "µs", "MiB", [55, 55])
    command = SimpleNamespace(value=20e-6)
    found = names(read.request_off(need, command, small, at_random, work))
    assert found == {"software measured", "request"}


@pytest.mark.parametrize(
    ("sequential", "window", "expected"),
    [
        (9.8, 2**23, "advice too short"),
        (9.8, 2**14, "advice does not pay"),
        (3.0, 2**23, "advice pays"),
    ],
)
def test_read_advice_is_judged_by_more_than_a_window(read, sequential, window, expected):
    normal = time("files/read/readahead_normal", 5.8)
    advised = time("files/read/readahead_sequential", sequential, seed=2)
    assert names(read.advice(advised, normal, SimpleNamespace(value=window))) == {expected}


def test_read_one_process_does_not_show_what_a_pause_changes(read):
    direct, fio = time("files/read/direct_random", 50), time("files/read/fio", 60)
    one = time("files/read/direct_after_pause", 70, processes=1)
    assert names(read.after_a_pause(one, fio, direct)) == {"pause by few"}
    eight = time("files/read/direct_after_pause", 70)
    assert names(read.after_a_pause(eight, fio, direct)) == {"pause matters"}


def test_contention_exercises_use_the_highest_rate_that_was_counted():
    contention = contents.findings_of("files/contention")
    together = readers("together", [17_800, 24_800, 97_100], "IO/s")
    question, solution = contention.forty_readers(together)
    assert "all readers got together" in question
    assert "40 / (96,800 a second)" in solution
    found = contention.bounds_cross(together, readers("each", [55.8, 81.7, 185], "µs"))[1]
    assert names(found) == {"second costs already"}


def test_read_a_process_that_reads_less_than_a_window_waits_more_often_than_the_model(read):
    normal, random = time("files/read/readahead_normal", 4), time("files/read/readahead_random", 70)
    by_read = SimpleNamespace(processes={}, has_gap=True)
    block = SimpleNamespace(value=4096.0)
    long = read.not_sequential(normal, random, by_read, SimpleNamespace(value=8192.0), block)
    assert "by the model one in 2 would. " in long
    short = read.not_sequential(normal, random, by_read, SimpleNamespace(value=2.0**23), block)
    assert "one in 2,048 would in a long file. Of the 10 that a process reads" in short


def test_read_a_ratio_has_the_ends_that_the_intervals_give_it(read):
    said = read.disk_and_cache(time("files/read/direct_random", 56), time("files/read/cached", 0.7))
    assert re.search(r"8\d times \(7\d to 8\d\) as long", said)


def test_remote_what_the_link_does_not_take_is_of_the_ends_and_the_relay(remote):
    assert "two ends and of the relay" in remote.answer(time("files/remote/random", 300), 0.79)
