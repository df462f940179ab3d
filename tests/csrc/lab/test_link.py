"""The lab host: its link delays, limits and drops as it was set, and nothing else crosses it."""

from pathlib import Path

import pytest
from helpers.capabilities import given, has_capability
from helpers.labs import USERS, in_lab, machine

pytestmark = pytest.mark.alone  # the relay needs a CPU to be in time

# --- the link ----------------------------------------------------------------------------------


@pytest.mark.parametrize("user", USERS)
def test_a_round_trip_takes_the_set_time_and_not_much_more(user, path):
    took, counters, settings = in_lab(
        f"with Lab(0.02, 1e8, SLEEP, path={path!r}) as lab:\n"
        "    took = round_trips(lab, 21)\n"
        "    say([took, lab.counters(), [lab.path, lab.congestion, lab.client, lab.peer, lab.link]])",
        user,
    )
    assert min(took) >= 0.02
    assert sorted(took)[10] < 0.04
    for direction in counters.values():  # each way: SYN or SYN-ACK, 21 messages, FIN
        assert direction["packets"] >= 23 and direction["bytes"] >= 21 * (64 + 40)
        assert direction["dropped"] == direction["refused"] == 0
    link = {"rtt_s": 0.02, "rate_bit_per_s": 1e8, "mtu_bytes": 1500, "queue_bytes": 500_000}
    assert settings[0] == path and settings[2:] == ["10.77.0.1", "10.77.0.2", link]
    assert settings[1] in ("cubic", "reno")


def test_half_of_the_round_trip_is_spent_each_way(path):
    there, back = in_lab(
        "def listen(ready):\n"
        "    with socket.create_server(('10.77.0.2', 9000)) as listening:\n"
        "        ready()\n"
        "        with listening.accept()[0] as one:\n"
        "            got = []\n"
        "            for _ in range(5):\n"
        "                exactly(one, 64); got.append(time.monotonic()); one.sendall(bytes(64))\n"
        "    return got\n"
        "def ask():\n"
        "    times = []\n"
        "    with socket.create_connection(('10.77.0.2', 9000)) as one:\n"
        "        for _ in range(5):\n"
        "            sent = time.monotonic(); one.sendall(bytes(64)); exactly(one, 64)\n"
        "            times.append([sent, time.monotonic()])\n"
        "    return times\n"
        f"with Lab(0.1, 1e9, SLEEP, path={path!r}) as lab:\n"
        "    server = Inside(lab.peer_pid, listen).ready()\n"
        "    asked = inside(lab.pid, ask)\n"
        "    got = server.result()\n"
        "say([min(here - sent for (sent, _), here in zip(asked, got)),\n"
        "     min(came - here for (_, came), here in zip(asked, got))])"
    )
    assert 0.05 <= there < 0.09 and 0.05 <= back < 0.09


def test_without_a_delay_a_round_trip_is_far_shorter_than_with_one(path):
    none, some = in_lab(
        "medians = []\n"
        "for rtt in (0, 0.02):\n"
        f"    with Lab(rtt, 1e9, SLEEP, path={path!r}) as lab:\n"
        "        medians.append(sorted(round_trips(lab, 21))[10])\n"
        "say(medians)"
    )
    assert none < some / 4


@pytest.mark.parametrize("rate", [1e7, 2e8])  # below and above where large packets begin
def test_bytes_come_no_faster_than_the_rate_and_not_much_slower(rate, path):
    size = int(rate / 8 * 0.6)
    first, last, got = in_lab(
        f"with Lab(0.002, {rate}, SLEEP, path={path!r}) as lab:\n    say(bulk(lab, {size}))"
    )
    assert got == size
    on_the_link = (size - 65536) * 1500 / 1448  # the first read may have had many segments
    assert last - first >= on_the_link * 8 / rate
    assert last - first < 3 * on_the_link * 8 / rate


def test_a_tenth_of_the_rate_takes_ten_times_as_long(path):
    slow, fast = in_lab(
        "took = []\n"
        "for rate in (8e6, 8e7):\n"
        f"    with Lab(0, rate, SLEEP, path={path!r}) as lab:\n"
        "        first, last, _ = bulk(lab, 1_000_000)\n"
        "        took.append(last - first)\n"
        "say(took)"
    )
    assert 5 < slow / fast < 20


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("rate", [1e8, 1e9])
def test_a_large_packet_counts_as_its_segments(user, rate, path):
    size = 2_000_000
    counters, offload, device = in_lab(
        "def device():\n"  # ethtool's tcp-segmentation-offload: whether it takes large packets
        "    value = ctypes.create_string_buffer(struct.pack('II', 0x1e, 7))\n"
        "    request = struct.pack('16sP', b'lab0', ctypes.addressof(value))\n"
        "    with socket.socket() as one: fcntl.ioctl(one, 0x8946, request)\n"
        "    return struct.unpack('II', value.raw[:8])[1]\n"
        f"with Lab(0, {rate}, SLEEP, path={path!r}) as lab:\n"
        f"    assert bulk(lab, {size})[2] == {size}\n"
        "    say([lab.counters()['to_peer'], lab.offload, inside(lab.pid, device)])",
        user,
    )
    assert offload == device == (rate == 1e9)
    assert counters["packets"] >= size / 1448
    payload = counters["bytes"] - 52 * counters["packets"]  # timestamps are in every segment
    assert 0.99 * size <= payload <= 1.3 * size
    assert counters["bytes"] <= 1500 * counters["packets"]


@pytest.mark.parametrize("user", USERS)
def test_packets_beyond_the_queue_are_dropped_and_counted(user, path):
    sent, size = 600, 1000
    counters, link = in_lab(
        f"with Lab(0, 1e6, SLEEP, path={path!r}) as lab:\n"
        f"    inside(lab.pid, lambda: flood({sent}, {size}))\n"
        f"    say([counted(lab, {sent}), lab.link])",
        user,
    )
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
    """Stopped during the flood. Only an ordinary user's packet socket has too little room for it."""
    sent = 6000
    room = int(Path("/proc/sys/net/core/rmem_max").read_text())
    counters = in_lab(
        f"with Lab(0, 1e9, SLEEP, path={path!r}) as lab:\n"
        "    os.kill(lab.relay_pid, signal.SIGSTOP)\n"
        f"    inside(lab.pid, lambda: flood({sent}, 1000))\n"
        "    os.kill(lab.relay_pid, signal.SIGCONT)\n"
        f"    say(counted(lab, {sent}))",
        user,
    )
    missed = counters["missed"]
    assert counters["packets"] + counters["dropped"] + missed == sent
    if path == "tun" or (user == "current" and has_capability("sys_admin")):
        assert missed == 0
    else:
        given(room <= 1 << 22, "rmem_max has room for the whole flood")
        assert missed > 0


def test_ipv6_goes_the_same_way(path):
    outcome = in_lab(
        f"with Lab(0.02, 1e9, SLEEP, path={path!r}) as lab:\n"
        "    say(round_trips(lab, 5, 'fd77::2') if lab.ipv6 else 'no IPv6')"
    )
    if outcome == "no IPv6":
        pytest.skip("the kernel has no IPv6")
    assert min(outcome) >= 0.02


# --- apart from all else -----------------------------------------------------------------------


def test_nothing_outside_the_lab_is_reachable_from_it(path):
    devices, error = in_lab(
        "def outside():\n"
        "    try: socket.create_connection(('192.0.2.1', 80), timeout=5)\n"
        "    except OSError as error: return [[n for _, n in socket.if_nameindex()], error.strerror]\n"
        f"with Lab(0, 1e9, SLEEP, path={path!r}) as lab:\n    say(inside(lab.pid, outside))"
    )
    assert sorted(devices) == ["lab0", "lo"] and error == "Network is unreachable"


def test_nothing_crosses_the_link_but_packets_that_a_program_sends(path):
    quiet, busy = in_lab(
        f"with Lab(0, 1e9, SLEEP, path={path!r}) as lab:\n"
        "    time.sleep(2)\n"
        "    quiet = lab.counters()\n"
        "    assert inside(lab.pid, lambda: flood(1, 5)) is None\n"
        "    time.sleep(0.5)\n"
        "    say([quiet, lab.counters()])"
    )
    assert [quiet[way]["packets"] for way in quiet] == [0, 0]
    assert busy["to_peer"]["packets"] == 1 and busy["to_peer"]["bytes"] == 5 + 28
    assert busy["to_client"]["packets"] == 1  # port unreachable


@pytest.mark.parametrize("user", USERS)
def test_the_machine_has_the_same_devices_addresses_routes_and_mounts_as_before(user, path):
    before = machine()
    during = in_lab(
        "from helpers.labs import machine\n"
        f"with Lab(0, 1e9, path={path!r}) as lab:\n"
        "    round_trips(lab, 2)\n"
        "    say(machine())"
    )
    assert len(before) >= 4
    assert before == during == machine()


def test_two_labs_at_once_are_apart(path):
    slow, fast, refused = in_lab(
        "def knock():\n"
        "    try: socket.create_connection(('10.77.0.2', 9000), timeout=5)\n"
        "    except OSError as error: return error.strerror\n"
        f"with Lab(0.04, 1e9, SLEEP, path={path!r}) as one, Lab(0.01, 1e9, SLEEP) as other:\n"
        "    server = Inside(one.peer_pid, echo).ready()\n"
        "    refused = inside(other.pid, knock)\n"
        "    slow = inside(one.pid, lambda: turns(5))\n"
        "    assert server.result()[0] == 5\n"
        "    say([min(slow), min(round_trips(other, 5)), refused])"
    )
    assert slow >= 0.04 > 0.03 > fast >= 0.01
    assert refused == "Connection refused"
