"""The reports' methods on this machine, and their machines beside this one."""

import math

import numpy as np
import pytest
from helpers import made_up
from helpers.tables import rows

import reckon as rk
from reckon import units
from reckon.comparison.reports import published
from reckon.records.quantities.lookup import read_result
from reckon.show.tables import method_and_machine_tables


def named(quantity, value, reports=()):
    single = made_up.single(quantity, value, "µs")
    single.measurement.reports = list(reports)
    return single


def test_a_long_curve_shows_every_third_point(folders):
    curve = made_up.curve(
        "files/read/t470_random",
        [2.0**k for k in range(-3, 15)],
        [2.0**k for k in range(18)],
        unit="ms",
        axis_unit="MiB",
        predicted=np.geomspace(0.1, 30_000, 18),
    )
    shown = rk.show.machines_curve(curve, ["files/read/t470_random"], "Caption", "name", every=3)
    header, *table = rows(shown)
    assert header == ["Machine", "0.5", "4", "32", "256", "2,048", "16,384"]
    assert table[3][1] == "122 µs" and table[3][-1] == "3.58 s"  # each in a unit of its own


def test_a_file_has_no_ratio_to_a_block():
    """One method gives the time of a whole file, another that of a block of it."""
    block, other = named("files/read/own", 50), named("files/read/other", 100)
    file = named("files/read/whole", 5000)
    baselines = {block.quantity: block, other.quantity: block}
    _, *table = rows(rk.show.methods([block, other, file], baselines, "Caption", "name"))
    assert table[0][-1] == "1.00×" and table[1][-1].startswith("2.0") and table[2][-1] == "–"


def test_methods_that_time_different_things_have_baselines_of_their_own():
    call, other, third, lone = (
        named(f"cpu/syscall/{name}", value)
        for name, value in (("a", 100), ("b", 400), ("c", 800), ("d", 900))
    )
    baselines = {call.quantity: call, other.quantity: other, third.quantity: other}
    _, *table = rows(rk.show.methods([call, other, third, lone], baselines, "C", "n"))
    assert [row[-1][:3] for row in table[:2]] == ["1.0", "1.0"] and table[3][-1] == "–"
    assert float(table[2][-1][:-1]) == pytest.approx(third.median / other.median, abs=0.005)


def test_a_report_is_compared_with_this_machine_by_its_own_method(recorded):
    """Not by this book's: a method alone may make a value many times as large."""
    own, reported = (
        read_result("recorded", f"cpu/syscall/{row}") for row in ("getpid", "hpe_i7_860_getcwd")
    )
    [value] = published.measured_values(reported.quantity)
    _, first, row = rows(rk.show.machines(own, [reported.quantity], "C", "n", cycles=True))
    assert first[-1] == "by Reckon's method" and row[-1].startswith(value.what)
    times = value.measured_in("ns") / reported.median
    assert row[4:6] == [units.amount(reported.median, "ns"), f"{units.number(times)}×"]


def test_a_report_s_value_is_compared_at_its_place_on_the_curve(recorded):
    [value] = [value for value in published.measured_values("cpu/call/x510uq") if value.at == 3]
    assert (
        method_and_machine_tables.value_by_method_of(value, "recorded")
        == read_result("recorded", value.quantity).medians[3]
    )
    assert math.isnan(
        method_and_machine_tables.value_by_method_of(
            value.model_copy(update={"at": 99.0}), "recorded"
        )
    )


def test_a_value_without_a_place_is_compared_with_the_slope(recorded):
    curve = read_result("recorded", "cpu/loop/hpe_i7_860")
    [value] = published.measured_values(curve.quantity)
    assert (
        value.at is None
        and method_and_machine_tables.value_by_method_of(value, "recorded") == curve.line.slope
    )
