"""This run's quantities beside those of other machines: what shares a row, its ratio, what is left out."""

import math
import types
from dataclasses import replace

import pytest
from helpers import made_up

from reckon import records, statistics, units
from reckon.comparison.reports import other_machines, published
from reckon.comparison.reports.other_machines import Cell, RunValues
from reckon.records.quantities.lookup import all_results

GETPID, CALL = "cpu/syscall/t470_getpid", "cpu/call/t470"


def compared(results):
    made_up.run("here", results)
    return other_machines.other_machines(records.read_run("here"))


def cells(o, label):
    [row] = [row for row in o.rows if row.label == label]
    return row.cells


def in_ns(value):
    return units.from_base(value.base(value.measured, "ns"), "ns")


def first_ns(quantity):
    """What the first value of a report's quantity measured."""
    return in_ns(published.measured_values(quantity)[0])


def test_a_reports_value_is_compared_with_the_probe_of_its_own_method(folders):
    own = made_up.single("cpu/syscall/getpid", 1, "ns")
    o = compared([made_up.single(GETPID, first_ns(GETPID) / 2, "ns"), own])
    cell = cells(o, "cpu/syscall getpid")["t470"]
    assert cell.quantity == GETPID and cell.ratio == pytest.approx(2, rel=0.03) == cell.times


def test_the_value_is_the_median_of_the_visits_medians():
    """Pooled, the processes of the first visit would decide."""
    values = [[100] * 8, [110] * 2, [110] * 2]
    result = made_up.in_visits(made_up.single(GETPID, 1, "ns", processes=12), values)
    assert RunValues(result).medians == pytest.approx([110e-9])


@pytest.mark.parametrize(("times", "decided"), [(1.03, False), (1.2, True)])
def test_what_the_next_visit_may_give_decides_nothing(times, decided):
    """The interval of one visit holds no drift; here the run's quantities drift by some per cent."""
    pooled = statistics.PooledVariance(variance=0.02**2, degrees=4.0, quantities=100)
    result = replace(made_up.single(GETPID, 100, "ns", processes=12), between_visits=pooled)
    value = 100e-9 * times
    assert not result.summary.interval.holds(value)
    assert RunValues(result).cell([(0, value)]).is_decided is decided


def test_what_two_groups_leave_out_of_the_comparison_is_listed(folders):
    result = made_up.in_two_groups(made_up.single(GETPID, 100, "ns", processes=12))
    o = compared([result])
    assert not o.rows
    (left,) = (each for each in o.unmatched if f"`{GETPID}`" in each.names)
    assert left.why == "its processes fall into two groups here"


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (  # the same thing by two methods, and another one of the same name
            ["cpu/task/t470_fork", "cpu/task/x510uq_fork", "cpu/task/i7_10750h_fork"],
            {
                "cpu/task fork alone": {"x510uq", "i7_10750h"},
                "cpu/task forks in a row, no wait": {"t470"},
            },
        ),
        (  # three things of one name: a fault that the disk serves is not one of the page cache
            [
                "memory/fault/t470",
                "memory/fault/hpe_i7_860",
                "memory/fault/mbp2016",
                "memory/fault/i7_10750h_anonymous",
            ],
            {
                "memory/fault from disk": {"t470", "hpe_i7_860"},
                "memory/fault cached": {"mbp2016"},
                "memory/fault anonymous": {"i7_10750h"},
            },
        ),
    ],
)
def test_what_reports_measured_shares_a_row_if_it_is_the_same_thing(folders, names, rows):
    o = compared([made_up.single(name, 1e4, "ns") for name in names])
    assert {row.label: set(row.cells) for row in o.rows} == rows


def test_a_slope_that_a_report_fitted_is_compared_with_the_slope_here(folders):
    name, x = "cpu/loop/hpe_i7_860", [0, 10, 20, 50]
    y = [40 + first_ns(name) * k / 4 for k in x]
    o = compared([made_up.curve(name, x, y, axis_unit="1")])
    cell = cells(o, "cpu/loop")["hpe_i7_860"]
    assert (cell.ratio, cell.there / cell.here) == pytest.approx((4, 4), rel=0.03)
    assert cell.points == 1 and not cell.by_reckon
    assert not any(f"`{name}`" in unmatched.names for unmatched in o.unmatched)


def test_whole_files_are_compared_by_their_blocks(folders):
    name = "files/read/t470_sequential"
    values = published.measured_values(name)[:2]
    x = [units.to_base(f.at, f.at_unit) for f in values]
    result = made_up.curve(name, x, [in_ns(f) / 2 for f in values], axis_unit="byte")
    result.measurement.op = "file"
    for point in result.points:
        point.params = {"size_bytes": int(point.x)}
    o = compared([result])
    cell = cells(o, "files/read sequential, never written")["t470"]
    assert cell.ratio == pytest.approx(2, rel=0.03)
    blocks = [f.base(f.measured, "s") / (size / 4096) for f, size in zip(values, x, strict=True)]
    assert cell.there == pytest.approx(sum(blocks) / 2)


def test_a_rate_takes_the_inverse_of_its_ratio_as_time_and_an_amount_takes_none(folders):
    name = "memory/bandwidth/t470_read"
    cell = cells(compared([made_up.single(name, 2, "GB/s")]), "memory/bandwidth read")["t470"]
    assert cell.times == pytest.approx(1 / cell.ratio)
    assert math.isnan(Cell(quantity="files/made", unit="MiB", here=1, there=2, ratio=2).times)


def test_a_value_compared_with_this_books_own_method_is_marked_and_not_ranked(folders):
    o = compared([made_up.single("network/rtt/tcp_peer", 1e5, "ns")])
    cell = cells(o, "network/rtt tcp peer (Reckon's)")["i7_10750h"]
    assert cell.by_reckon and not cell.is_ranked and math.isnan(cell.colour) and cell.times > 0


def test_without_a_probe_of_the_reports_method_reckons_is_compared(recorded):
    """Or where its own probe runs the very program that the report ran."""
    same_program = ("network/rtt/ping", "network/throughput/iperf3")
    reports_of = {
        result.quantity: result.measurement.reports
        for result in all_results("recorded")
        if result.measurement
    }
    with_probes = {name for names in reports_of.values() for name in names}
    values = [f for f in published.reported_values() if f.report in with_probes]
    without_probe = {
        (f.report, f.quantity)
        for f in values
        if f.quantity
        and f.measured is not None
        and f.quantity not in same_program
        and f.report not in reports_of[f.quantity]
    }
    assert without_probe == {(f.report, f.quantity) for f in values if f.method_differs}


def test_every_measured_value_has_a_cell_or_a_reason(folders):
    curve = made_up.curve(CALL, [0, 1, 99], [10, 10, 10], axis_unit="1")
    o = compared([made_up.single(GETPID, 10, "ns"), curve])
    why = {(u.report, what): u.why for u in o.unmatched for what in u.names}
    assert why["t470", f"`{CALL}`"] == "at points that this run does not have"
    assert why["t470", "`cpu/task/t470_fork`"] == "not measured yet"
    assert why["hpe_i7_860", "a byte from memory"] == "derived from other values"
    assert why["t470", "upload by a speed test"] == "this book does not measure it"
    assert ("t470", f"`{GETPID}`") not in why
    points = sum(cell.points for row in o.rows for cell in row.cells.values())
    measured = [f for f in published.reported_values() if f.measured is not None]
    assert points + sum(u.count for u in o.unmatched) == len(measured)


def test_a_value_of_0_here_has_no_ratio(folders):
    zero = types.SimpleNamespace(medians=[0.0])
    [value] = published.measured_values(GETPID)
    why = other_machines._why_unmatched(value, made_up.single(GETPID, 10, "ns"), zero)
    assert why == "this run has no value above 0 there, and so no ratio"


def test_the_latest_runs_take_part_but_not_unreadable_ones(folders):
    for k in range(6):
        made_up.run(f"run{k}", [made_up.single(GETPID, 10 * (k + 1), "ns", seed=k)])
        run = records.read_run(f"run{k}")
        opened_at = run.opened_at.replace(year=2000 + k)
        records.write_run(run.model_copy(update={"opened_at": opened_at}))
    (folders / "runs/run4/cpu/syscall.json").write_text("{")
    o = compared([made_up.single(GETPID, 10, "ns", seed=9)])
    assert list(o.runs) == ["run5", "run3", "run2"]
    assert cells(o, "cpu/syscall getpid")["run5"].ratio == pytest.approx(6, rel=0.05)
    assert "There are 2 more runs, opened earlier: run1, run0." in o.troubles
    assert any("run4/cpu/syscall.json is not a" in trouble for trouble in o.troubles)
