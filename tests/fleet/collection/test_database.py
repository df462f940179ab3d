"""The database of a collection."""

from datetime import timedelta

import pytest
from helpers import made_up

from reckon.computer import control_groups
from reckon.fleet.pages.site import Site


def test_it_takes_a_quarter_of_the_memory_that_a_control_group_leaves(collect, monkeypatch):
    made_up.run("a", [made_up.single("cpu/made/scalar", 50, "ns")])
    monkeypatch.setattr(control_groups, "memory_left_bytes", lambda: 400e6)
    (row,) = collect().rows("SELECT current_setting('memory_limit') AS memory")
    assert row["memory"] == "95.3 MiB"


@pytest.mark.parametrize(("after_s", "machines"), [(5, 2), (60, 1)])
def test_runs_of_one_id_that_measured_at_the_same_time_are_of_two_machines(
    collect, after_s, machines
):
    """As after two machines were made from one disk image."""
    for name, start_s in (("a", 0), ("b", after_s)):
        result = made_up.single("cpu/made/scalar", 50, "ns")
        measurement = result.measurement
        measurement.started_at += timedelta(seconds=start_s)
        measurement.seconds = 10.0
        made_up.run(name, [result], host="one id")
    collection = collect()
    assert len(collection.rows("SELECT * FROM newest")) == machines
    assert len(collection.runs_at_once) == (2 if machines == 2 else 0)
    assert ("have the machine id of another run" in Site(collection, []).summary) == (machines == 2)
