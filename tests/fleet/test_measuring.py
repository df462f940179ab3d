"""A fleet of two hosts on this machine, measured whole and with everything that can go away."""

import json
import os
import random
import signal
import socket
import subprocess
import time

import pytest
from distributed import Client
from helpers.capabilities import capable
from helpers.clusters import PAGE, line_of, small_cluster
from helpers.processes import until

from reckon import records
from reckon.fleet.collection import gather, network, tables
from reckon.records.run_files import verify

KILLS = int(os.environ.get("FLEET_KILLS", "1"))
# Two hosts are measured in turn, some seconds each; a loaded machine takes longer.
_WHOLE_S = 240


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    capable("sys_admin", "a hostname of a worker's own")
    with small_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add("three", "--nthreads=1")  # no host, for it lacks the resource reckon
        yield cluster


@pytest.fixture
def cluster(hosts, tmp_path):
    """The cluster of this file, whose hosts have measured nothing, with a folder of the test's own."""
    hosts.book.empty()
    hosts.out = tmp_path / "out"
    return hosts


def end_of(fleet, lines):
    """The status of a fleet, when it has ended; `lines` gets what it prints."""
    lines += fleet.communicate(timeout=_WHOLE_S)[0].splitlines(keepends=True)
    return fleet.returncode


def whole_runs(cluster, folder):
    """The quantities with their states in each run that came back, by host."""
    found = gather.find([str(cluster.out)], folder / "unpacked")
    assert not found.skipped
    runs = {}
    for run in found.folders:
        assert not verify.faults(run)
        rows = tables.of_run(run)["quantities"].to_pylist()
        runs[run.name] = {row["quantity"]: row["state"] for row in rows}
    return runs


def assert_whole(cluster, folder, hosts=("one", "two")):
    """These hosts are there with all quantities, and nothing of Reckon still runs."""
    expected = dict.fromkeys([f"{PAGE}/call", f"{PAGE}/read"], "measured")
    assert whole_runs(cluster, folder) == dict.fromkeys(hosts, expected)
    assert until(lambda: not cluster.programs()), cluster.programs()


def test_a_fleet_is_measured_with_the_network_between_its_hosts_and_nothing_twice(
    cluster, tmp_path
):
    before = network.Pair(hosts=("one", "six"), measured_at=records.now(), failed="it was off")
    cluster.out.mkdir()
    network.write(cluster.out, [before])
    lines = []
    assert end_of(cluster.start_fleet(), lines) == 0, "".join(lines)
    assert_whole(cluster, tmp_path)
    kept, pair = network.read(cluster.out / network.FILE).pairs
    assert kept == before and pair.hosts == ("one", "two")
    assert set(pair.values) == {each.name for each in network.measurements()}
    assert all(value.low <= value.median <= value.high for value in pair.values.values())

    own = network.Pair(hosts=("two", "one"), measured_at=records.now())
    network.write(cluster.out, [before, own])
    plan, again = [], []
    assert end_of(cluster.start_fleet("--plan", "--json"), plan) == 0
    assert json.loads("".join(plan[1:]))["pairs"] == 0
    assert end_of(cluster.start_fleet("--hosts", "one"), again) == 0
    assert "one: done (measured before)\n" in again
    assert network.read(cluster.out / network.FILE).pairs == [before, own]


def test_the_plan_measures_nothing_and_names_what_is_wrong(cluster):
    lines, json_lines, unknown = [], [], []
    assert end_of(cluster.start_fleet("--plan"), lines) == 0
    assert "on three has no resource reckon; start it as" in lines[0]
    assert lines[1].startswith("2 hosts: one, two.")
    assert end_of(cluster.start_fleet("--plan", "--json"), json_lines) == 0
    assert json.loads("".join(json_lines[1:]))["hosts"] == ["one", "two"]
    assert end_of(cluster.start_fleet("--hosts", "web*"), unknown) == 2
    assert unknown[1:] == ["reckon: No host is named web*; there are one, two.\n"]
    assert not cluster.archives()


@pytest.mark.long_fleet
@pytest.mark.parametrize("number", range(KILLS))
def test_a_worker_that_is_killed_is_named_and_its_host_tried_once_more(cluster, tmp_path, number):
    lines = []
    victim = random.Random(number).choice(["one", "two"])
    fleet = cluster.start_fleet("--no-network", "--hosts", victim)
    line_of(fleet, f"{victim}: {PAGE}: executing", lines)
    time.sleep(random.Random(number).uniform(0, 3))
    os.kill(cluster.worker_of(victim), signal.SIGKILL)
    assert end_of(fleet, lines) == 0, "".join(lines)
    assert f"{victim}: the worker on {victim} is gone; tried once more\n" in lines
    assert_whole(cluster, tmp_path, [victim])


@pytest.mark.long_fleet
def test_a_host_whose_worker_has_another_task_is_said_to_wait(cluster, tmp_path):
    lines = []
    with Client(cluster.address, set_as_default=False) as other:
        (own,) = [at for at, name in other.run(socket.gethostname).items() if name == "one"]
        # However long the fleet takes to start: the other task ends when its file is there.
        go = tmp_path / "go"
        until_it_is_there = ["sh", "-c", f"until [ -e {go} ]; do sleep 0.1; done"]
        other_task = other.submit(
            subprocess.run, until_it_is_there, resources={"reckon": 1}, workers=[own]
        )
        fleet = cluster.start_fleet("--no-network", "--hosts", "one")
        line_of(fleet, "one: waits for its worker, which has another task", lines)
        assert not other_task.done()
        go.touch()
        assert end_of(fleet, lines) == 0, "".join(lines)
    assert list(whole_runs(cluster, tmp_path)) == ["one"]


def test_ctrl_c_keeps_what_is_complete_and_ends_what_runs(cluster, tmp_path):
    lines = []
    fleet = cluster.start_fleet("--no-network")
    line_of(fleet, f"two: {PAGE}: executing", lines)
    os.kill(fleet.pid, signal.SIGINT)
    assert end_of(fleet, lines) == 130, "".join(lines)
    assert list(whole_runs(cluster, tmp_path)) == ["one"]
    assert "1 run is in" in "".join(lines)
    assert until(lambda: not cluster.programs()), cluster.programs()


@pytest.mark.long_fleet
def test_a_scheduler_that_is_started_again_goes_on(tmp_path):
    capable("sys_admin", "a hostname of a worker's own")
    lines = []
    with small_cluster(tmp_path) as cluster:
        fleet = cluster.start_fleet("--no-network", "--hosts", "one")
        line_of(fleet, f"one: {PAGE}: executing", lines)
        cluster.restart()
        assert end_of(fleet, lines) == 0, "".join(lines)
        assert "scheduler: The scheduler is there again; waiting for its workers.\n" in lines
        assert_whole(cluster, tmp_path, ["one"])


@pytest.mark.long_fleet
def test_a_host_that_stands_still_is_named_and_the_others_are_measured(cluster, tmp_path):
    lines = []
    fleet = cluster.start_fleet("--no-network", "--silent", "30", "--away", "3")
    line_of(fleet, f"one: {PAGE}: executing", lines)
    frozen = cluster.worker_of("one")
    os.kill(frozen, signal.SIGSTOP)
    try:
        assert end_of(fleet, lines) == 1, "".join(lines)
    finally:
        os.kill(frozen, signal.SIGCONT)
    assert any("one: nothing was heard of it for" in line for line in lines), "".join(lines)
    assert "1 of 2 hosts measured" in "".join(lines)
    assert list(whole_runs(cluster, tmp_path)) == ["two"]
