"""Strips of this machine among the reports' machines."""

import csv
import dataclasses
import math

import pytest
from helpers import made_up

from reckon.comparison.reports import published
from reckon.show.figures import strips

HOLLOW = "this machine, by that method"


@pytest.fixture
def data(folders, monkeypatch):
    """Draws strips; returns their alt text and rows of data. Three reports' methods ran here."""
    here = {"network/rtt/t470": 30e-6, "cpu/timer/t470": 9e-9, "files/read/mbp2016_random": 50e-6}
    monkeypatch.setattr(strips, "value_by_method_of", lambda f, run: here.get(f.quantity, math.nan))

    def drawn(groups):
        markdown = strips.machines(groups, "strips", "C").markdown
        _, *rows = csv.reader((folders / "_build/figures/strips.csv").open())
        return markdown, rows

    return drawn


def test_a_strip_has_a_hollow_mark_where_a_reports_own_method_ran_here(data):
    tcp = made_up.single("network/rtt/tcp", 10_000, "ns")
    groups = {"TCP": (tcp, ["network/rtt/t470"]), "ping": (tcp, ["network/rtt/ping"])}
    markdown, rows = data(groups)
    assert "TCP, here 10" in markdown and "46.0 µs (ThinkPad T470)" in markdown
    assert [row[0] for row in rows if row[1] == HOLLOW] == ["TCP"]
    assert "C. With the same method this machine takes less time in 0 of 1 comparison; " in markdown
    assert "; 4 more values are drawn but not compared (" in markdown


@pytest.mark.parametrize(
    ("quantity", "value", "unit"),
    [
        # What the C library answered there from memory, the kernel does here.
        ("cpu/syscall/mbp2016_getpid", 100, "ns"),
        ("files/cache/t470_size", 60, "MB"),  # of all memory there, of a group's here
        ("cpu/call/hpe_i7_860", 1, "ns"),  # what a subtraction leaves
        ("network/rtt/t470_peer", 250, "µs"),  # over the link to the other host
        ("files/remote/penalty_in_order", 10, "µs"),  # by Reckon's own method
    ],
)
def test_a_comparison_that_the_page_on_machines_does_not_rank_is_not_counted(
    data, quantity, value, unit
):
    result = made_up.single(quantity, value, unit)
    if quantity.endswith("_peer"):
        result.measurement.peer = "The other host is 192.0.2.7."
    markdown, _ = data({"a strip": (result, [quantity])})
    assert "comparisons" not in markdown


def test_a_value_within_this_machines_interval_is_counted_for_neither(data):
    [there] = published.measured_values("network/rtt/t470")
    result = made_up.single("network/rtt/t470", there.measured_in("µs") * 1e9, "ns")
    markdown, _ = data({"TCP": (result, ["network/rtt/t470"])})
    assert (
        "takes less time in 0 of 1 comparison; in 1 comparison the data do not decide" in markdown
    )


def test_a_strip_may_take_a_report_at_another_place_of_its_curve(data):
    read = made_up.single("files/read/direct_random", 80_000, "ns")
    _, rows = data({"a block": (read, [("files/read/mbp2016_random", 64)])})
    assert len(rows) == 3  # the report's value at one of its nine sizes, hollow, and here


def test_the_finding_compares_rates_the_other_way_round():
    slow = strips._Strip("TCP", None, [])
    fast = dataclasses.replace(slow, here=made_up.single("a/b/c", 5, "GB/s").summaries[0])
    own = [strips._ReportPoint(None, value, math.nan, True) for value in (1e9, 4e9, 9e9)]
    theirs = [
        strips._ReportPoint(None, 1e9, 0.5e9, True),
        strips._ReportPoint(None, 1e9, 0.0, False),
    ]
    both = [dataclasses.replace(fast, there=[*own, *theirs]), slow]
    rates, sizes, times = (strips._machines_finding(both, unit) for unit in ("GB/s", "byte", "ns"))
    same, more = ". With the same method this machine", "; 1 more value is drawn but not compared"
    assert rates == f"{same} has the higher rate in 2 of 4 comparisons{more}"
    assert sizes == f"{same} has the larger value in 2 of 4 comparisons{more}"
    assert times == f"{same} takes less time in 2 of 4 comparisons{more}"
    assert strips._machines_finding([slow], "ns") == ""
