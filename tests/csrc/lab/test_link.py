"""The lab host: its link delays, limits and drops as it was set, and nothing else crosses it."""

from pathlib import Path

import pytest
from helpers.capabilities import given, has_capability
from helpers.labs import USERS, in_lab
from helpers.programs import lab

# --- the link ----------------------------------------------------------------------------------


@pytest.mark.timed
@pytest.mark.parametrize("user", USERS)
def test_a_round_trip_takes_the_set_time_and_not_much_more(user, path):
    took, counters, settings = in_lab(lab.trips, path, 0.02, 21, user=user)
    assert min(took) >= 0.02
    assert sorted(took)[10] < 0.04
    for direction in counters.values():  # each way: SYN or SYN-ACK, 21 messages, FIN
        assert direction["packets"] >= 23 and direction["bytes"] >= 21 * (64 + 40)
        assert direction["dropped"] == direction["refused"] == 0
    link = {"rtt_s": 0.02, "rate_bit_per_s": 1e8, "mtu_bytes": 1500, "queue_bytes": 500_000}
    assert settings[0] == path and settings[2:] == ["10.77.0.1", "10.77.0.2", link]
    assert settings[1] in ("cubic", "reno")


@pytest.mark.timed
def test_without_a_delay_a_round_trip_is_far_shorter(path):
    took, _, _ = in_lab(lab.trips, path, 0, 21)
    assert sorted(took)[10] < 0.005


@pytest.mark.timed
@pytest.mark.parametrize("rate", [1e7, 2e8])  # below and above where large packets begin
def test_bytes_come_no_faster_than_the_rate_and_not_much_slower(rate, path):
    size = int(rate / 8 * 0.6)
    (first, last, received), *_ = in_lab(lab.transferred, path, 0.002, rate, size)
    assert received == size
    on_the_link = (size - 65536) * 1500 / 1448  # the first read may have had many segments
    assert last - first >= on_the_link * 8 / rate
    assert last - first < 3 * on_the_link * 8 / rate


@pytest.mark.timed
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("rate", [1e8, 1e9])
def test_a_large_packet_counts_as_its_segments(user, rate, path):
    size = 2_000_000
    (_, _, received), counters, offloads = in_lab(lab.transferred, path, 0, rate, size, user=user)
    assert received == size and offloads == 2 * [rate == 1e9]
    assert counters["packets"] >= size / 1448
    payload = counters["bytes"] - 52 * counters["packets"]  # timestamps are in every segment
    assert 0.99 * size <= payload <= 1.3 * size
    assert counters["bytes"] <= 1500 * counters["packets"]


@pytest.mark.timed
@pytest.mark.parametrize("user", USERS)
def test_packets_beyond_the_queue_are_dropped_and_counted(user, path):
    sent, size = 600, 1000
    counters, link = in_lab(lab.flooded, path, 1e6, sent, size, user=user)
    whole = size + 28  # with the headers of IP and UDP
    room = link["queue_bytes"] // whole
    assert link["queue_bytes"] == 256_000
    # An ordinary user's packet socket may have no room either; nothing is lost without a count.
    assert counters["packets"] + counters["dropped"] + counters["missed"] == sent
    assert counters["missed"] == 0 or (user, path) == ("nobody", "packet")
    assert counters["bytes"] == whole * counters["packets"]
    assert counters["deepest_bytes"] <= link["queue_bytes"]
    if not counters["missed"]:
        # What leaves at 1 Mbit/s while the others come makes room for a few more.
        assert room <= counters["packets"] <= room + 60
        assert counters["deepest_bytes"] > link["queue_bytes"] - whole


@pytest.mark.parametrize("user", USERS)
def test_packets_that_a_stopped_relay_misses_are_counted(user, path):
    """Only an ordinary user's packet socket has too little room for the flood."""
    sent = 6000
    room = int(Path("/proc/sys/net/core/rmem_max").read_text())
    counters, _ = in_lab(lab.flooded, path, 1e9, sent, 1000, True, user=user)
    missed = counters["missed"]
    assert counters["packets"] + counters["dropped"] + missed == sent
    if path == "tun" or (user == "current" and has_capability("sys_admin")):
        assert missed == 0
    else:
        given(room <= 1 << 22, "rmem_max has room for the whole flood")
        assert missed > 0


def test_ipv6_goes_the_same_way(path):
    times = in_lab(lab.trips, path, 0.02, 5, "fd77::2")
    given(times, "the kernel has no IPv6")
    assert min(times[0]) >= 0.02


# --- apart from all else -----------------------------------------------------------------------


def test_nothing_outside_the_lab_is_reachable_from_it(path):
    devices, error = in_lab(lab.outside, path)
    assert sorted(devices) == ["lab0", "lo"] and error == "Network is unreachable"


def test_nothing_crosses_the_link_but_packets_that_a_program_sends(path):
    quiet, busy = in_lab(lab.quiet_and_busy, path)
    assert [quiet[way]["packets"] for way in quiet] == [0, 0]
    assert busy["to_peer"]["packets"] == 1 and busy["to_peer"]["bytes"] == 5 + 28
    assert busy["to_client"]["packets"] == 1  # port unreachable


@pytest.mark.alone  # other tests have mounts and devices
@pytest.mark.parametrize("user", USERS)
def test_the_machine_has_the_same_devices_addresses_routes_and_mounts_as_before(user, path):
    before = lab.machine()
    during = in_lab(lab.machine_during_trips, path, user=user)
    assert len(before) >= 4
    assert before == during == lab.machine()
