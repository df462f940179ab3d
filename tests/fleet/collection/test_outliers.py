"""The outlier is named, with its quantities; machines that are alike are not."""

import numpy as np
import pytest
from helpers import fleets

from reckon import records
from reckon.fleet.collection.database import runs_of
from reckon.fleet.collection.outliers import (
    FEWEST_MACHINES,
    differences,
    outliers,
    tail_probability,
)

SLOWED = {"files/read/direct_random": 3.0, "memory/latency/random": 1.6}


def test_the_slowed_machine_is_named_with_its_quantities_and_nothing_else(collect):
    fleets.add_fleet(12, SLOWED)
    collection = collect()
    found = outliers(collection)
    names = {run["run_id"]: run["run"] for run in runs_of(collection)}
    assert {names[each.run_id] for each in found} == {"host-12"}
    factors = {each.quantity: each.factor for each in found}
    assert factors == pytest.approx(SLOWED, rel=0.2)
    facts = {
        each.fact: (each.here, each.others)
        for each in differences(runs_of(collection), found[0].run_id)
    }
    assert facts == {"memory": ("4 GiB", "16 GiB")}


def test_machines_that_are_alike_are_no_outliers(collect):
    fleets.add_fleet(20)
    assert outliers(collect()) == []


def test_of_few_machines_none_is_an_outlier(collect):
    fleets.add_fleet(FEWEST_MACHINES - 1, SLOWED)
    assert outliers(collect()) == []


def test_a_run_of_before_there_were_hosts_is_one_of_its_machine(collect):
    fleets.add_run("new", 1)
    for name in ("old", "alone"):
        fleets.add_run(name, 2, days=-3)
        new, run = records.read_run("new"), records.read_run(name)
        identity = new.identity if name == "old" else "another"
        records.write_run(run.model_copy(update={"host": None, "identity": identity}))
    hosts = {run["run"]: run["host"] for run in runs_of(collect())}
    assert hosts == {"new": "new", "old": "new", "alone": "another"}


def test_the_newest_run_stands_for_a_machine(collect):
    fleets.add_fleet(FEWEST_MACHINES)
    fleets.add_run("older", 99, SLOWED, days=-30, host="host-1")
    collection = collect()
    assert outliers(collection) == []
    newest = {run["run"] for run in runs_of(collection) if run["is_newest"]}
    assert newest == {f"host-{number}" for number in range(1, FEWEST_MACHINES + 1)}


@pytest.mark.parametrize("machines", [8, 12, 30])
def test_scores_are_as_rare_as_their_probability_says(machines):
    """Of normal values, in simulations; by all degrees of freedom they were 3 to 6 times as frequent."""
    values = np.random.default_rng(7).normal(size=(50_000, machines))
    deviations = values - np.median(values, axis=1, keepdims=True)
    spreads = 1.4826 * np.median(np.abs(deviations), axis=1, keepdims=True)
    probabilities = tail_probability(deviations / spreads, machines)
    for stated in (1e-2, 1e-3):
        assert 0.5 * stated < np.mean(probabilities < stated) < 1.5 * stated


def test_an_interval_that_is_not_known_is_as_wide_as_the_others(collect):
    """Else what was measured least would be the first outlier."""
    fleets.add_fleet(12, {"cpu/syscall/getpid": 2.0})
    collection = collect()
    wide = "UPDATE quantities SET low = median / 2, high = median * 2 WHERE quantity = 'cpu/syscall/getpid'"
    collection.rows(f"{wide} AND run_id NOT IN (SELECT run_id FROM newest WHERE run = 'host-12')")
    of_the_slow = "quantity = 'cpu/syscall/getpid' AND run_id IN (SELECT run_id FROM newest WHERE run = 'host-12')"
    assert [each.quantity for each in outliers(collection)] == ["cpu/syscall/getpid"]
    collection.rows(f"UPDATE quantities SET low = NULL, high = NULL WHERE {of_the_slow}")
    assert outliers(collection) == []
    collection.rows(f"UPDATE quantities SET low = -1.0, high = 1.0 WHERE {of_the_slow}")
    assert outliers(collection) == []


def test_sizes_that_read_alike_are_no_difference(collect):
    for number in range(3):
        fleets.add_run(f"host-{number}", number, memory_gib=16 + number * 1e-6)
    runs = runs_of(collect())
    assert len({run["memory"] for run in runs}) == 3
    assert differences(runs, runs[0]["run_id"]) == []
