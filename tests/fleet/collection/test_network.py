"""The network between hosts: its file, which host stands apart, its page."""

import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from reckon import records
from reckon.errors import ReckonError
from reckon.fleet.collection import gather, network
from reckon.fleet.collection.network import Measurement, Network, Pair, Value
from reckon.fleet.pages import network_page

TRIP = Measurement(name="Round trip", probe="a", parameters=[], unit="us", is_rate=False)
RATE = Measurement(name="Throughput", probe="b", parameters=[], unit="Gbit/s", is_rate=True)


def made_up(hosts, slow=(), times=10.0):
    """All pairs of the hosts, 50 us and 1 Gbit/s apart; those of slow hosts `times` that."""
    pairs = []
    for pair in itertools.combinations(hosts, 2):
        factor = times if set(pair) & set(slow) else 1.0
        trip = Value(median=50e-6 * factor, low=49e-6 * factor, high=51e-6 * factor)
        rate = Value(median=125e6 / factor, low=124e6 / factor, high=126e6 / factor)
        values = {"Round trip": trip, "Throughput": rate}
        pairs.append(Pair(hosts=pair, measured_at=records.now(), values=values))
    return Network(measurements=[TRIP, RATE], pairs=pairs)


def test_what_a_probe_prints_becomes_seconds_and_bytes_a_second():
    assert TRIP.value(50_000.0) == pytest.approx(50e-6)
    assert RATE.value(8.0) == pytest.approx(125e6)
    assert RATE.text(RATE.value(8.0)) == "1.00 Gbit/s"
    assert TRIP.value(None) is None


def test_the_ends_of_a_rate_change_places():
    trip, rate = ({"median": 8.0, "low": 7.0, "high": 9.0} for _ in range(2))
    pair = network.pair_of(("one", "two"), [trip, rate])
    assert pair.values["Round trip"].low < pair.values["Round trip"].high
    assert pair.values["Throughput"].low < pair.values["Throughput"].high


def test_the_host_behind_a_slow_link_stands_apart():
    """Also among three, where each of the others has as many bad pairs as good ones."""
    for hosts in ("abc", "abcd", "abcdefgh"):
        slow = made_up(hosts, slow="c")
        for measurement in (TRIP, RATE):
            apart = network.worst_connected(slow.pairs, measurement)
            assert apart.host == "c" and apart.factor == pytest.approx(10)
    assert network_page.findings(slow) == [
        "Round trip: even the best pair of c has 500 µs; that of the median host has 50.0 µs (10.0 times).",
        "Throughput: even the best pair of c has 100 Mbit/s; that of the median host has 1.00 Gbit/s (10.0 "
        "times).",
    ]


def test_hosts_that_are_alike_are_not_told_apart():
    for alike in (made_up("abcd", slow="c", times=1.4), made_up("ab", slow="b")):
        assert network.worst_connected(alike.pairs, TRIP) is None
    assert "no host is badly connected" in network_page.findings(made_up("abc"))[0]


def test_one_bad_path_or_a_better_one_is_no_badly_connected_host():
    pairs = made_up("abcd").pairs
    values = {"Round trip": Value(median=1.0, low=None, high=None)}
    bad_path = [pairs[0].model_copy(update={"values": values}), *pairs[1:]]
    assert network.worst_connected(bad_path, TRIP) is None
    values = {"Round trip": Value(median=5e-6, low=None, high=None)}
    better = [pairs[0].model_copy(update={"values": values}), *pairs[1:]]
    assert network.worst_connected(better, TRIP) is None


def test_a_table_has_each_pair_once_and_marks_those_of_the_worst_host():
    table = network_page.content(made_up("abc", slow="c"))["tables"][0]
    assert table["columns"] == ["b", "c"]
    assert [row["cells"] for row in table["rows"]] == [
        [("50.0 µs", False), ("500 µs", True)],
        [("", False), ("500 µs", True)],
    ]


def test_of_many_hosts_each_has_a_row():
    hosts = [f"host-{number}" for number in range(network_page.MOST_IN_A_TABLE + 1)]
    table = network_page.content(made_up(hosts, slow=["host-7"]))["tables"][0]
    assert table["columns"] == ["Least", "Median", "Most", "Pairs"]
    assert table["rows"][0]["host"] == "host-7" and len(table["rows"]) == len(hosts)


def test_the_file_is_found_beside_the_runs_and_a_broken_one_is_named(tmp_path):
    network.write(tmp_path, made_up("ab").pairs)
    found = gather.find([str(tmp_path)], tmp_path / "unpacked")
    assert [pair.hosts for pair in network.merged(found.networks).pairs] == [("a", "b")]
    (tmp_path / network.FILE).write_text('{"pairs": 3}')
    found = gather.find([str(tmp_path)], tmp_path / "unpacked")
    assert not found.networks and str(tmp_path / network.FILE) in found.skipped[0]
    with pytest.raises(ReckonError, match=network.FILE):
        network.read(tmp_path / network.FILE)


def test_without_names_hosts_have_numbers_and_no_reason_is_told():
    failed = Pair(hosts=("a", "secret"), measured_at=records.now(), failed="nothing at 10.0.0.7")
    between = Network(measurements=[TRIP], pairs=[failed])
    hidden = network.without_names(between)
    assert hidden.pairs[0].hosts == ("Host 1", "Host 2")
    assert "10.0.0.7" not in hidden.model_dump_json() and "secret" not in hidden.model_dump_json()
    assert network_page.content(between)["failures"] == ["a and secret: nothing at 10.0.0.7"]


@pytest.mark.parametrize("below", ["", "/fleet"])
def test_hosts_of_two_fleets_with_one_name_are_two(tmp_path, below):
    folders = [f"rack1{below}", f"rack2{below}"]
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        network.write(tmp_path / folder, made_up("ab").pairs)
    found = gather.find([str(tmp_path), str(tmp_path / "rack1")], tmp_path / "unpacked")
    merged = network.merged(found.networks)
    hosts = [(f"{folder}/a", f"{folder}/b") for folder in folders]
    assert [pair.hosts for pair in merged.pairs] == hosts


def test_of_a_pair_that_was_measured_twice_the_newest_counts():
    first = made_up("ab", slow="b")
    pair = made_up("ba").pairs[0]
    later = pair.model_copy(update={"measured_at": pair.measured_at + timedelta(hours=1)})
    (only,) = network.merged(
        {Path("f"): Network(measurements=[TRIP], pairs=[later, *first.pairs])}
    ).pairs
    assert only == later
