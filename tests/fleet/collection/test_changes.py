"""What a change of the kernel did, over all machines that had it, is separated from chance."""

import pytest
from helpers import fleets

from reckon.fleet.collection.changes import changes_of, pairs_of
from reckon.fleet.collection.database import runs_of

SLOWER = {"cpu/syscall/getpid": 1.5}


def upgrade(count, after=None):
    """Machines with a run before and one after a new kernel, otherwise alike."""
    for number in range(1, count + 1):
        fleets.add_run(f"before-{number}", number, host=f"host-{number}")
        fleets.add_run(
            f"after-{number}", number, after, days=7, host=f"host-{number}", kernel="6.2.0"
        )


@pytest.mark.parametrize("count", [1, 5])
def test_what_the_new_kernel_slowed_is_named_and_nothing_else(collect, count):
    upgrade(count, SLOWER)
    collection = collect()
    (change,) = changes_of(collection, runs_of(collection))
    assert change.facts == {"kernel": ("6.1.0", "6.2.0")} and len(change.pairs) == count
    assert {effect.quantity: effect.ratio for effect in change.named} == pytest.approx(
        SLOWER, rel=0.05
    )
    (effect,) = change.named
    assert effect.low < 1.5 < effect.high and effect.machines == count


def test_an_upgrade_that_changed_nothing_names_nothing(collect):
    upgrade(5)
    collection = collect()
    (change,) = changes_of(collection, runs_of(collection))
    assert change.named == [] and len(change.effects) == len(fleets.QUANTITIES) + 1


def test_runs_of_different_machines_are_no_pair(collect):
    fleets.add_run("a", 1, host="a")
    fleets.add_run("b", 2, host="b", kernel="6.2.0", days=7)
    assert pairs_of(runs_of(collect())) == []


def test_a_fact_that_one_run_does_not_know_is_no_change(collect):
    fleets.add_run("before", 1, host="host")
    fleets.add_run("after", 1, days=7, host="host", microcode=None)
    (pair,) = pairs_of(runs_of(collect()))
    assert pair.changed == {}
