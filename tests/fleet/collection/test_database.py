"""The database of a collection."""

from helpers import made_up

from reckon.computer import control_groups


def test_it_takes_a_quarter_of_the_memory_that_a_control_group_leaves(collect, monkeypatch):
    made_up.run("a", [made_up.single("cpu/made/scalar", 50, "ns")])
    monkeypatch.setattr(control_groups, "memory_left_bytes", lambda: 400e6)
    (row,) = collect().rows("SELECT current_setting('memory_limit') AS memory")
    assert row["memory"] == "95.3 MiB"
