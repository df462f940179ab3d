"""What the chapters on the network conclude on made-up machines: the findings that must appear, and those
that must not."""

import pytest
from helpers import made_up

import reckon as rk
from reckon import records
from reckon.book import contents
from reckon.prediction.inputs import Input

THROUGHPUT = contents.findings_of("network/throughput")
RTT = contents.findings_of("network/rtt")
CONNECT = contents.findings_of("network/connect")
SIZES_KIB = [1 / 16, 1 / 2, 4, 128]


def names(found):
    return [each.name for each in (found if isinstance(found, list) else [found])]


def by_size(name, rates, processes=8):
    return made_up.curve(
        f"network/throughput/{name}", SIZES_KIB, rates, "Mbit/s", processes=processes
    )


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        (500, 675, ["small sends slower here"]),
        (675, 500, ["small sends slower there"]),
        (675, 675, ["small sends alike"]),
        (675, 960, []),  # the link is full
    ],
)
def test_small_sends_here_and_to_the_other_host_are_compared(here, there, expected):
    sends = by_size("size", [here, 5000, 20000, 20000])
    to_peer = by_size("size_peer", [there, 960, 960, 960])
    assert names(THROUGHPUT.small_sends(sends, to_peer, 965e6 / 8)) == expected


def round_trips(times_us, predicted_us, processes=8):
    sizes = [1, 1400, 4096, 8192]
    return made_up.curve(
        "network/rtt/tcp_size_peer",
        sizes,
        times_us,
        "µs",
        "byte",
        predicted_us,
        processes=processes,
    )


def test_a_step_that_exceeds_the_models_is_reported_as_unexplained():
    found = RTT.step_beyond_the_model(round_trips([250, 273, 423, 490], [250, 280, 343, 410]))
    assert names(found) == ["step beyond the model"] and found.strength == "not explained"
    assert "From 1.37 KiB to 4.00 KiB" in found


def test_steps_as_predicted_and_steps_of_few_processes_are_not_reported():
    assert RTT.step_beyond_the_model(round_trips([250, 275, 345, 410], [250, 280, 343, 410])) == []
    few = round_trips([250, 273, 423, 490], [250, 280, 343, 410], processes=1)
    assert RTT.step_beyond_the_model(few) == []


@pytest.mark.parametrize(
    ("connect_us", "least_trip_us", "name"),
    [
        (210, 190, "one round trip"),
        (240, 150, "undecided"),  # 1.2 times the trip, and 1.6 times the least of it
        (300, 190, "undecided"),
        (400, 190, "delayed"),
    ],
)
def test_the_handshakes_round_trips_are_decided_by_intervals(connect_us, least_trip_us, name):
    opened = made_up.single("network/connect/connect_peer", connect_us, "µs")
    trip = Input("measured", 200e-6, "ms", "here", low=least_trip_us * 1e-6, high=210e-6)
    on_wire = made_up.nothing("network/connect/setup_wire_peer")
    assert names(CONNECT.one_round_trip(opened, on_wire, trip)) == [name]


@pytest.mark.parametrize(
    ("origin", "name"), [("measured", "wake-up"), ("guess", "wake-up not measured")]
)
def test_only_a_wake_up_that_was_measured_may_be_the_cause(origin, name):
    closed = made_up.single("network/connect/close_across", 15, "µs")
    closed.seal.predicted = 3e-6
    wake = Input(origin, 15e-6, "µs", "here", low=1e-6, high=80e-6)
    assert names(CONNECT.off_by_a_wake_up(closed, wake)) == [name]


@pytest.mark.parametrize(
    ("reset_us", "name"), [(2.41, "reset alike"), (2.0, "reset less"), (3.0, "reset more")]
)
def test_a_reset_is_cheaper_or_dearer_only_where_intervals_do_not_overlap(reset_us, name):
    reset = made_up.single("network/connect/close_reset_peer", reset_us, "µs", seed=2)
    closed = made_up.single("network/connect/close_peer", 2.43, "µs")
    assert names(CONNECT.close_by_reset(reset, closed)) == [name]


def test_a_close_within_the_machine_is_dearer_only_where_intervals_do_not_overlap():
    closed = made_up.single("network/connect/close_peer", 2, "µs", processes=1)
    here = made_up.single("network/connect/close", 2.3, "µs", processes=1, seed=2)
    assert names(CONNECT.close_within_the_machine(here, closed)) == ["local"]
    here = made_up.single("network/connect/close", 4, "µs", seed=2)
    assert names(CONNECT.close_within_the_machine(here, closed)) == ["local more"]


def streams(name, rates, processes=8):
    return made_up.curve(
        f"network/throughput/{name}", [1, 2], rates, "Gbit/s", "1", processes=processes
    )


def test_streams_that_overlap_are_not_ranked():
    near, far = streams("streams", [18.4, 21], 2), streams("streams_peer", [0.965, 0.965])
    assert "times as much" not in THROUGHPUT.several_streams(near, far)
    assert "times as much as one" in THROUGHPUT.several_streams(streams("streams", [10, 20]), far)


def test_two_cpus_that_overlap_one_are_not_shown_to_differ():
    here, across = (
        made_up.single(f"network/throughput/{name}", rate, "Gbit/s", processes=2, seed=seed)
        for seed, (name, rate) in enumerate({"tcp": 22, "tcp_across": 19}.items())
    )
    found = THROUGHPUT.two_cpus_and_one(across, here, "TCP")
    assert names(found) == ["as much as one"] and "too few processes" in found
    assert "too few processes" in THROUGHPUT.one_cpu_or_two(across, here)


@pytest.mark.parametrize(
    ("mbit_s", "name"),
    [(964, "the link is full"), (480, "one stream does not fill the link"), (917, None)],
)
def test_whether_one_stream_fills_the_link(mbit_s, name):
    far = made_up.single("network/throughput/tcp_peer", mbit_s, "Mbit/s")
    rate = rk.given(1000, "Mbit/s", "the link")
    mtu, headers = rk.given(1500, "byte", "a packet"), rk.given(52, "byte", "of it")
    found = names(THROUGHPUT.share_of_the_ideal(far, rate, mtu, headers, True))
    assert found == ["rate known"] + ([name] if name else [])


def test_ports_limit_connections_to_the_other_host():
    opened, closed = (
        made_up.single(f"network/connect/{name}", us, "µs")
        for name, us in (("connect_peer", 243), ("close_peer", 2.4))
    )
    found = CONNECT.limit_by_ports(opened, closed)
    assert names(found) == ["TIME_WAIT is the limit"] and "after a second" in found
    slow = made_up.single("network/connect/connect_peer", 3000, "µs")
    assert names(CONNECT.limit_by_ports(slow, closed)) == ["time is the limit"]


def test_the_passes_of_a_round_trip_are_computed_with_the_sealed_inputs():
    trip = made_up.single("network/rtt/tcp", 4.4, "µs")
    inputs = {"calls": (4, "1"), "null": (70e-9, "ns"), "passes": (2, "1")}
    inputs |= {"turn": (0.6e-6, "µs"), "clock": (4e9, "GHz"), "stack": (12_000, "cycle")}
    trip.seal.inputs = [
        records.InputRecord(name=name, origin="given", value=float(value), unit=unit, source="then")
        for name, (value, unit) in inputs.items()
    ]
    needed = (trip.median - 4 * 70e-9) / 2 - 0.6e-6
    found = RTT.answer(trip)
    assert f"of {rk.amount(needed, 'µs', 2)} each, instead of the guessed 3.0 µs" in found
    trip.seal.predicted = 4 * 70e-9 + 2 * (3e-6 + 0.6e-6)
    assert "they are 6.00 µs of the predicted 7.48 µs" in RTT.input_to_measure(trip)[1]


def of_time(value, unit):
    return Input("measured", value, unit, "here", low=value, high=value)


def test_a_byte_slower_than_the_model_is_not_explained():
    alone = made_up.single("network/throughput/tcp", 22, "Gbit/s")
    alone.seal.predicted = alone.median / 0.62
    assert THROUGHPUT.answer(alone).strength == "not explained"
    assert THROUGHPUT.off_on_one_cpu(alone).strength == "not explained"
    alone.seal.predicted = alone.median
    assert names(THROUGHPUT.answer(alone)) == ["a byte as predicted"]


def test_wake_ups_do_not_explain_what_shorter_sends_do_not_show():
    across = made_up.single("network/throughput/tcp_across", 19, "Gbit/s")
    across.seal.predicted = 3 * across.median
    segment, wake = of_time(65536.0, "byte"), of_time(28.6e-6, "µs")
    alone = made_up.single("network/throughput/tcp", 22, "Gbit/s")
    alone.seal.predicted = alone.median
    shorter = THROUGHPUT.faster_shorter_sends(
        by_size("size", [800, 5000, 34000, 19000]), across.summary
    )
    assert "4.00 KiB carry 33.9 Gbit/s" in shorter
    at_4_kib = THROUGHPUT.off_on_two(across, alone, segment, wake, shorter)
    assert names(at_4_kib) == ["wake-ups at one size"] and at_4_kib.strength == "not explained"
    assert names(THROUGHPUT.off_on_two(across, alone, segment, wake, "")) == ["wake-ups"]
    alone.seal.predicted = 2 * alone.median
    found = THROUGHPUT.off_on_two(across, alone, segment, wake, "")
    assert names(found) == ["wake-ups not shown"] and found.strength == "not explained"


def test_a_rate_that_falls_with_larger_sends_is_said_and_not_put_down_to_two_cpus():
    sends = by_size("size", [800, 26100, 13200, 37100])
    across = made_up.single("network/throughput/tcp_across", 19, "Gbit/s")
    across.seal.predicted = 3 * across.median
    found = THROUGHPUT.off_by_size(sends, across)
    assert found.strength == "not explained"
    before, after = (rk.amount(median, "Gbit/s") for median in sends.medians[1:3])
    assert f"sends of 4.00 KiB carry {after}, less than the {before} by sends of 512" in found


@pytest.mark.parametrize(
    ("times_us", "predicted_us", "name", "words"),
    [
        ([100, 100, 300, 300], [100] * 4, "bytes unexplained", "takes 2."),
        ([100, 100, 100, 40], [100] * 4, "bytes unexplained", "at 1 of them in less time than"),
    ],
)
def test_only_sizes_that_missed_tell_which_way_they_missed(times_us, predicted_us, name, words):
    found = RTT.misses_by_size(round_trips(times_us, predicted_us), "here")
    assert names(found) == [name] and words in found


def test_how_many_times_as_long_is_a_range_where_the_intervals_are_wide():
    opened = made_up.single("network/connect/connect_peer", 240, "µs")
    closed = made_up.single("network/connect/close_peer", 3, "µs", seed=2)
    assert " to " not in CONNECT.opening_and_closing(opened, closed, "T")
    wide = made_up.single("network/connect/close_peer", 3, "µs", seed=2)
    for number, process in enumerate(wide.points[0].processes):
        process.ticks = [round((0.5 + number / 8) * tick) for tick in process.ticks]
    assert " to " in CONNECT.opening_and_closing(opened, wide, "T")


def test_a_host_that_may_not_sleep_is_faster_only_where_intervals_do_not_overlap():
    held = made_up.single("network/rtt/tcp_peer_held", 215, "µs", processes=2)
    usual = made_up.single("network/rtt/tcp_peer", 236, "µs", processes=2, seed=2)
    assert names(RTT.no_cpu_asleep(held, usual, "T")) == ["asleep or not"]


def test_fast_small_sends_bound_what_a_send_that_gathers_takes():
    null, gather = of_time(73e-9, "ns"), rk.guess(3000, "cycle", "gathers", low=1, high=9000)
    work = null, gather, of_time(4.09e9, "GHz")
    found = THROUGHPUT.off_by_gather(by_size("size", [1900, 9960, 34000, 34000]), *work)
    assert names(found) == ["gathering costs less"] and "takes 800 cycles at most" in found
    assert names(THROUGHPUT.off_by_gather(by_size("size", [600] * 4), *work)) == ["fast sends"]


def test_the_start_shows_in_a_first_window_that_is_not_full():
    link, trip = 965e6 / 8, of_time(229e-6, "ms")

    def start(first):
        ramp = made_up.curve(
            "network/throughput/start_peer", [0, 1], [first, 960], "Mbit/s", "ms", [864, 965]
        )
        return names(THROUGHPUT.full_after(ramp, link)) + names(
            THROUGHPUT.start_within_a_window(link, trip, 14480, 1e-3, ramp)
        )

    assert start(759) == ["full later", "start in the first window"]
    assert start(964) == ["full at once", "start within a window"]
    assert start(931) == ["not full", "start in the first window"]  # 931 of 965, less in some


def test_sends_of_too_few_processes_are_not_ranked():
    few = THROUGHPUT.larger_sends(by_size("size", [800, 5000, 25200, 24000], processes=2))
    assert names(few) == ["larger sends"]
    assert "from 4.00 KiB on not shown to differ (too few processes to tell)" in few
    assert names(THROUGHPUT.larger_sends(by_size("size", [800, 5000, 35000, 24000]))) == [
        "most in between"
    ]


@pytest.mark.parametrize(
    ("each_way", "name"),
    [(12.5, "exchange is alike"), (8, "exchange is slower"), (20, "exchange is faster")],
)
def test_an_exchange_is_compared_by_what_it_carries_both_ways(each_way, name):
    one_way, exchange = (
        made_up.single(f"network/throughput/{row}", rate, "Gbit/s", seed=seed)
        for seed, (row, rate) in enumerate({"i7_10750h": 25, "exchange": each_way}.items())
    )
    assert names(THROUGHPUT.both_ways(one_way, exchange)) == [name]


def test_visits_that_differ_by_half_are_named_with_both_ends():
    alone = made_up.single("network/throughput/tcp", 21.3, "Gbit/s")
    across = made_up.single("network/throughput/tcp_across", 21.6, "Gbit/s")
    for number, process in enumerate(across.points[0].processes):
        process.visit = number % 4
        if not process.visit:
            process.ticks = [round(tick / 1.5) for tick in process.ticks]
    found = THROUGHPUT.one_cpu_or_two(across, alone)
    assert names(found) == ["two CPUs vary"] and "Gbit/s by the visit" in found
    by_iperf3 = made_up.single("network/throughput/iperf3", 29, "Gbit/s")
    assert names(THROUGHPUT.outside_the_interval(by_iperf3, across)) == ["iperf3 against visits"]


def test_a_reset_as_slow_as_a_close_is_not_put_down_to_destroying():
    closed = made_up.single("network/connect/close", 8.9, "µs")
    reset = made_up.single("network/connect/close_reset", 9, "µs", seed=2)
    reset.seal.predicted = 4e-6
    work = rk.guess(6000, "cycle", "work", low=1, high=9000), of_time(4.09e9, "GHz")
    assert names(CONNECT.off_by_taking_down(reset, closed, *work)) == ["as off as a close"]
    closed = made_up.single("network/connect/close", 2, "µs")
    assert names(CONNECT.off_by_taking_down(reset, closed, *work)) == ["reset destroys"]


def test_connect_that_wakes_the_server_as_well_shows_that_waking_costs_less():
    closed = made_up.single("network/connect/close_across", 15, "µs")
    closed.seal.predicted = 3e-6
    found = CONNECT.off_by_a_wake_up(closed, of_time(28.6e-6, "µs"), 1.5e-6)
    assert names(found) == ["wake-up not shown"] and found.strength == "not explained"


def test_this_sides_work_is_missed_where_the_wire_takes_as_long_as_the_program_waits():
    wire, whole = (
        made_up.single(f"network/rtt/{name}", us, "µs", seed=seed)
        for seed, (name, us) in enumerate({"tcp_wire_peer": 244, "tcp_peer": 242}.items())
    )
    whole.seal.predicted = wire.seal.predicted + 41e-6
    assert names(RTT.longer_on_the_wire(wire, whole)) == ["this side's work"]
    whole.seal.predicted = whole.median
    wire.seal.predicted = wire.median
    longer = made_up.single("network/rtt/tcp_peer", 285, "µs")
    longer.seal.predicted = wire.median + 41e-6
    assert RTT.longer_on_the_wire(wire, longer) == []


def test_the_share_of_software_far_away_is_as_measured():
    far = made_up.single("network/rtt/tcp_peer", 242, "µs")
    far.seal.hardware, far.seal.software = 202e-6, 82.8e-6
    solution = RTT.a_host_far_away(far)[1]
    assert "as measured" in solution and "82.8" not in solution


def test_a_round_trip_between_cpus_is_beside_its_measured_wake_ups():
    across, alone = (
        made_up.single(f"network/rtt/{name}", us, "µs")
        for name, us in (("tcp_across", 18.5), ("tcp", 13.05))
    )
    wake, switch = of_time(6e-6, "µs"), of_time(2.32e-6, "µs")
    found = RTT.one_cpu_or_two(across, alone, wake, switch)
    assert names(found) == ["wake-ups and switches"]
    assert "CPU take 12.0 µs, and two switches on one CPU 4.64 µs" in found
    guessed = rk.guess(15, "µs", "a wake-up", low=1, high=80)
    found = RTT.one_cpu_or_two(across, alone, guessed, switch)
    assert names(found) == ["two CPUs slower"] and found.strength == "not explained"
