"""This run among the reports' machines and other runs: which figures are held against which."""

import csv
import dataclasses
import math
import re
import types

import pytest
from helpers import made_up

from reckon import records, units
from reckon.presentation import bounds, machines_page
from reckon.presentation.figures import strips
from reckon.records.result import all_results
from reckon.reports import other_machines, published

GETPID, CALL = "cpu/syscall/t470_getpid", "cpu/call/t470"


def here(found, name="here", **run):
    made_up.run(name, found, **run)
    return other_machines.others(records.read_run(name))


def row(o, label):
    return next(one for one in o.rows if one.label == label)


def told(quantity, k=0):
    """A report's k-th figure of it, in ns."""
    figure = published.of(quantity)[k]
    return units.from_base(figure.base(figure.measured, "ns"), "ns")


def test_a_reports_figure_is_held_against_the_row_of_its_own_method(folders):
    rows = [
        made_up.single(GETPID, told(GETPID) / 2, "ns"),
        made_up.single("cpu/syscall/getpid", 1, "ns"),
    ]
    cell = row(here(rows), "cpu/syscall getpid").cells["t470"]
    assert cell.quantity == GETPID and cell.ratio == pytest.approx(2, rel=0.03) == cell.times
    # Ticks are nanoseconds here and a tick three cycles; the report has a clock of its own.
    assert cell.cycles_here == pytest.approx(3 * told(GETPID) / 2, rel=0.03)
    assert cell.cycles_there == pytest.approx(told(GETPID) * published.of(GETPID)[0].clock_hz / 1e9)


def test_reports_that_measured_the_same_thing_share_a_line(folders):
    names = [f"cpu/task/{report}_fork" for report in ("t470", "x510uq", "i7_10750h")]
    o = here([made_up.single(name, 1e5, "ns") for name in names])
    assert [one.label for one in o.rows] == ["cpu/task fork"]
    assert {column: cell.quantity for column, cell in o.rows[0].cells.items()} == {
        "t470": names[0],
        "x510uq": names[1],
        "i7_10750h": names[2],
    }


def test_what_only_has_the_same_name_has_a_line_of_its_own(folders):
    """A fault that the disk serves is none that the page cache does; a file never written asks no disk."""
    names = [
        f"memory/fault/{report}"
        for report in ("t470", "hpe_i7_860", "mbp2016", "i7_10750h_anonymous")
    ]
    o = here([made_up.single(name, 1e4, "ns") for name in names])
    assert {one.label: set(one.cells) for one in o.rows} == {
        "memory/fault from disk": {"t470", "hpe_i7_860"},
        "memory/fault cached": {"mbp2016"},
        "memory/fault anonymous": {"i7_10750h"},
    }


def test_a_slope_that_a_report_fitted_is_held_against_the_slope_here(folders):
    name, x = "cpu/loop/hpe_i7_860", [0, 10, 20, 50]
    o = here([made_up.curve(name, x, [40 + told(name) * k / 4 for k in x], axis_unit="1")])
    cell = row(o, "cpu/loop").cells["hpe_i7_860"]
    assert cell.ratio == pytest.approx(4, rel=0.03) and cell.here == pytest.approx(
        cell.there / 4, rel=0.03
    )
    assert cell.cycles_here == pytest.approx(3e9 * cell.here, rel=0.03) and cell.places == 1
    assert not row(o, "cpu/loop").cells["hpe_i7_860"].by_ours and not [
        w for w in o.unmatched if f"`{name}`" in w.of
    ]


def test_whole_files_are_told_by_their_blocks(folders):
    name = "files/read/t470_sequential"
    figures = [f for f in published.of(name)][:2]
    x = [units.to_base(f.at, f.at_unit) for f in figures]
    made = made_up.curve(
        name,
        x,
        [units.from_base(f.base(f.measured, "ns"), "ns") / 2 for f in figures],
        axis_unit="byte",
    )
    points = [
        p.model_copy(update={"params": {"size_bytes": int(p.x)}}) for p in made.measurement.points
    ]
    whole = made.measurement.model_copy(update={"op": "file", "points": points})
    made = dataclasses.replace(made, record=made.record.model_copy(update={"measurement": whole}))
    cell = row(here([made]), "files/read sequential, never written").cells["t470"]
    assert cell.ratio == pytest.approx(2, rel=0.03)
    blocks = [f.base(f.measured, "s") / (size / 4096) for f, size in zip(figures, x, strict=True)]
    assert cell.there == pytest.approx(sum(blocks) / 2)  # of two the median


def test_a_report_that_read_faster_than_its_drive_is_named_whatever_could_run_here(
    folders, monkeypatch
):
    said = machines_page.plausible(here([])).markdown
    assert re.search(
        r"`files/read/t470_sequential` of ThinkPad T470[^;]* 4\.\d+ GB/s from a drive of 1\.80 GB/s",
        said,
    )
    drive = published.Fact(
        component="disk", attribute="read bandwidth", value="not stated", place="2"
    )
    untold = tuple(one.model_copy(update={"fact": [drive]}) for one in published.all_reports())
    monkeypatch.setattr(published, "all_reports", lambda: untold)
    assert "from a drive" not in machines_page.plausible(here([], "untold")).markdown
    figure = next(f for f in published.figures() if f.quantity == "files/read/mbp2016_random")
    nothing = figure.model_copy(update={"measured": 0.0})
    assert bounds._read_rate(nothing) == 0


def test_what_is_held_against_this_books_own_method_says_so_and_is_not_ranked(folders):
    name = "network/rtt/tcp_peer"
    o = here([made_up.single(name, 1e5, "ns"), made_up.single("files/remote/penalty", 1e5, "ns")])
    one = row(o, "network/rtt tcp peer (ours)").cells["i7_10750h"]
    assert one.by_ours and not one.is_ranked and math.isnan(one.colour) and one.times > 0
    assert "`cpu/clock/t470_sleep`" in machines_page.not_alike(o).markdown
    assert "(*ours*: by this book's)" in machines_page.heat_map(o, "network", "map").markdown


def test_every_figure_that_no_row_of_its_report_measures_is_held_against_ours(recorded):
    """Or our row runs the very program that the report ran. Of the reports whose methods have rows here."""
    rows = {one.quantity: one for one in all_results("recorded")}
    measured = [one.measurement for one in rows.values() if one.measurement]
    reports = {name for one in measured for name in one.reports}
    figures = [f for f in published.figures() if f.report in reports]
    ours = {
        (f.report, f.quantity)
        for f in figures
        if f.quantity
        and f.measured is not None
        and f.report not in rows[f.quantity].measurement.reports
        and f.quantity not in ("network/rtt/ping", "network/throughput/iperf3")
    }
    assert ours == {(f.report, f.quantity) for f in figures if f.method_differs}


def test_what_is_no_property_of_the_machine_is_told_and_not_ranked(folders):
    peer, seek = "network/rtt/t470_peer", "files/remote/seek"
    found = [
        made_up.single(name, 10, "ns") for name in (GETPID, peer, "files/remote/penalty_in_order")
    ]
    found[1].measurement.peer = "The other host is 192.0.2.7."
    o = here(found)
    assert {one.cells["t470"].quantity for one in o.rows} == {
        GETPID,
        peer,
        "files/remote/penalty_in_order",
    }
    said = machines_page.against(o, "t470").markdown
    assert "1 figures: " in said and "network" not in said
    assert (
        "Not ranked: 1 over the link to the peer and files/remote penalty in order (ours)." in said
    )
    said = machines_page.against(
        here([made_up.single(seek, 10, "ns")], "more"), "i7_10750h"
    ).markdown
    assert (
        "that this run measured and that is ranked. Not ranked: files/remote seek (ours)." in said
    )
    assert "`files/remote/seek`: libnfs only notes an offset" in machines_page.not_alike(o).markdown


def test_every_measured_figure_has_a_cell_or_a_reason(folders):
    name = "cpu/call/t470"
    o = here(
        [
            made_up.single(GETPID, 10, "ns"),
            made_up.curve(name, [0, 1, 99], [10, 10, 10], axis_unit="1"),
        ]
    )
    found = {(one.report, quantity): one for one in o.unmatched for quantity in one.of}
    assert found["t470", f"`{name}`"].why == "at places that this run has not"
    assert (
        found["t470", "`cpu/task/t470_fork`"].why == "not measured yet"
        and ("t470", f"`{GETPID}`") not in found
    )
    assert found["hpe_i7_860", "a byte from memory"].why == "derived from other figures"
    assert found["t470", "upload by a speed test"].why == "no row of this book measures it"
    cells = sum(cell.places for one in o.rows for cell in one.cells.values())
    assert cells + sum(one.count for one in o.unmatched) == sum(
        f.measured is not None for f in published.figures()
    )
    assert "not measured yet" in machines_page.without(o, "name").markdown
    nothing = types.SimpleNamespace(medians=[0.0])
    one = next(one for one in all_results("here") if one.quantity == GETPID)
    assert (
        other_machines._why_unmatched(published.of(GETPID)[0], one, nothing)
        == "this run has no figure above 0 there, and so no ratio"
    )


def test_a_rate_is_turned_over_and_an_amount_is_neither_quick_nor_slow(folders):
    name = "memory/bandwidth/t470_read"
    cell = row(here([made_up.single(name, 2, "GB/s")]), "memory/bandwidth read").cells["t470"]
    assert cell.times == pytest.approx(1 / cell.ratio)
    amount = other_machines.Cell("files/made", "MiB", 1, 2, 2)
    assert amount.times != amount.times


def test_a_curve_at_the_places_that_both_have(folders):
    at = {f.at: f.base(f.measured, "ns") for f in published.of(CALL)}
    x = [0, 1, 2, 99]
    y = [units.from_base(at.get(k, 1e-9), "ns") / 3 for k in x]
    cell = row(here([made_up.curve(CALL, x, y, axis_unit="1")]), "cpu/call").cells["t470"]
    assert cell.places == 3 and cell.ratio == pytest.approx(3, rel=0.03)
    assert not here([made_up.single(CALL, 1, "ns")], "other").rows  # no curve, no place


def test_what_was_measured_on_another_scale_is_left_out_and_said(folders):
    o = here([made_up.single("files/cache/t470_size", 15, "ns")])
    assert not o.rows and any("`files/cache/t470_size`" in one.of for one in o.unmatched)
    assert (
        "`files/cache`: the reports filled all of their memory"
        in machines_page.not_alike(o).markdown
    )


def test_other_runs_take_part_the_latest_first_and_broken_ones_are_told(folders):
    for k in range(6):
        made_up.run(f"run{k}", [made_up.single(GETPID, 10 * (k + 1), "ns", seed=k)])
        one = records.read_run(f"run{k}")
        records.write_run(
            one.model_copy(update={"opened_at": one.opened_at.replace(year=2000 + k)})
        )
    (folders / "runs/run4/cpu/syscall.json").write_text("{")
    o = here([made_up.single(GETPID, 10, "ns", seed=9)])
    assert list(o.runs) == ["run5", "run3", "run2"]
    assert row(o, "cpu/syscall getpid").cells["run5"].ratio == pytest.approx(6, rel=0.05)
    said = machines_page.not_alike(o).markdown
    assert (
        "There are 2 more runs, opened earlier: run1, run0." in said
        and "run4/cpu/syscall.json is not a" in said
    )


def test_the_heat_map_has_every_figure_and_fits_on_pages(folders):
    names = [f"cpu/made/q{k}" for k in range(120)]
    made_up.run("other", [made_up.single(name, 20, "ns", seed=1) for name in names])
    o = here(
        [
            *(made_up.single(name, 10, "ns", seed=2) for name in names),
            made_up.single(GETPID, 10, "ns"),
        ]
    )
    block = machines_page.heat_map(o, "cpu", "map")
    assert block.markdown.count(":::{figure}") == 4  # the reports' lines, and 120 in pieces of 48
    data = [
        line
        for k in ("", "-2", "-3", "-4")
        for line in list(csv.reader((folders / f"_build/figures/map{k}.csv").open()))[1:]
    ]
    assert len(data) == 121 and {line[1] for line in data} == {"other", "t470"}
    assert float(data[-1][5]) == pytest.approx(2, rel=0.05)
    assert (
        "No other machine has a figure" in machines_page.heat_map(o, "files", "files-map").markdown
    )


def test_tables_and_sentences(folders):
    made_up.run("other", [made_up.single(GETPID, told(GETPID), "ns", seed=4)], identity="another")
    o = here(
        [
            made_up.single(GETPID, told(GETPID) / 4, "ns"),
            made_up.single("cpu/task/t470_thread", 1e9, "ns"),
        ]
    )
    table, times = (
        machines_page.table(o, "cpu", o.of_reports, "name").markdown,
        o.rows[0].cells["t470"].ratio,
    )
    assert (
        "ThinkPad T470" in table
        and f"({units.number(times)}×)" in table
        and "cpu/task thread" in table
    )
    assert times == pytest.approx(4, rel=0.03)
    assert "in core cycles" in machines_page.table(o, "cpu", ["t470"], "name", cycles=True).markdown
    assert "on other runs" in machines_page.run_tables(o).markdown
    said = machines_page.against(o, "t470").markdown
    assert "2 figures: this machine is quicker in 1 of them" in said
    assert f"Most at cpu/syscall getpid ({units.number(times)}×)" in said
    assert "It is slower most at cpu/task thread" in said
    assert "**other**" in machines_page.all_against(o).markdown
    assert "nothing that this run measured" in machines_page.against(o, "mbp2016").markdown


def test_the_machines_are_described_as_they_tell(folders, monkeypatch):
    cores = {
        "processor": {"cores": {"value": 2, "source": ""}, "l1d": {"value": 32768, "source": ""}}
    }
    made_up.run("same", [], machine=cores)
    made_up.run(
        "stranger",
        [],
        identity="another",
        machine={"processor": {"cores": {"value": 64, "source": ""}}},
    )
    fact = published.Fact(component="processor", attribute="cores", value=4, unit="1", place="2")
    peer = published.Fact(of="peer", component="disk", attribute="type", value="tape", place="2")
    all_of_them = tuple(
        one.model_copy(update={"fact": [fact, peer]}) for one in published.all_reports()
    )
    alone = published.Fact(component="processor", attribute="colour", value="green", place="2")
    all_of_them[0].fact.append(alone)
    monkeypatch.setattr(published, "all_reports", lambda: all_of_them)
    o = here([], machine=cores)
    table = machines_page.descriptions(o, "processor", "name").markdown
    assert "| What | This machine | stranger | HP Pavilion" in table and "| same |" not in table
    assert "| cores | 2 | 64 | 4 |" in table and "| L1d cache | 32.0 KiB | – |" in table
    assert "| also | – | – | colour green | – |" in table or "| also | colour green | – |" in table
    assert "| disk: type | tape |" in machines_page.descriptions(o, "peer", "name").markdown


def test_figures_that_cannot_be_are_named(folders):
    rate, peer = (
        "network/throughput/hpe_i7_860_peer",
        {"peer": {"link_rate": {"value": 1.25e8, "source": ""}}},
    )
    fast = made_up.single(rate, 1400, "Mbit/s")
    fast.measurement.peer = "The other host is 192.0.2.7."
    o = here([fast, made_up.single(GETPID, 0.1, "ns")], machine=peer)
    told = machines_page.plausible(o).markdown
    assert (
        f"`{rate}` of this run, 1.4" in told and "faster than the 1.00 Gbit/s of the link" in told
    )
    assert f"`{GETPID}` of this run, 0." in told and f"`{GETPID}` of ThinkPad" not in told
    assert "`cpu/call/t470` of ThinkPad T470 at 1, 0.687 cycles" in told  # the report's own
    curve = made_up.curve(CALL, [0, 1, 2, 99], [0.1, 0.2, 10, 0.1], axis_unit="1")
    assert (
        f"`{CALL}` of this run at 0, 1, 99, down to 0."
        in machines_page.plausible(here([curve], "curve")).markdown
    )
    o = here(
        [made_up.single(rate, 900, "Mbit/s"), made_up.single(GETPID, 10, "ns")],
        "slower",
        machine=peer,
    )
    told = machines_page.plausible(o).markdown
    assert rate not in told and f"`{GETPID}` of here, 0." in told  # the other run's


def test_a_fact_that_misleads_without_its_note_has_it(folders):
    assert all(fact.note for one in published.all_reports() for fact in one.fact if fact.brief)
    o = here([])
    assert "4 (three off)" in (told := machines_page.descriptions(o, "processor", "name").markdown)
    assert "64 KiB (both cores)" in told
    assert (
        "38 400 MB/s (twice its module's)"
        in machines_page.descriptions(o, "memory", "name").markdown
    )


def test_this_run_is_compared_with_the_latest_two(folders):
    o = here([made_up.single(GETPID, 10, "ns")])
    assert "There is one run only" in machines_page.latest(o).markdown
    for k, name in enumerate(("before", "again", "empty")):
        made_up.run(name, [made_up.single(GETPID, 20, "ns", seed=k)] if name != "empty" else [])
        one = records.read_run(name)
        records.write_run(
            one.model_copy(update={"opened_at": one.opened_at.replace(year=2010 - k)})
        )
    said = machines_page.latest(here([made_up.single(GETPID, 10, "ns")])).markdown
    assert "**here against before.**" in said and "Control: between before and again" in said
    assert "**here against again.**" in said and said.count(f"`{GETPID}` |") == 2


@pytest.mark.parametrize("all_refused", [False, True])
def test_the_page_without_what_it_rests_on(recorded, monkeypatch, all_refused):
    """Where every row "cannot", and where other pages were never executed."""
    from helpers.pages import shown_with

    if not all_refused:
        (recorded / "cpu/syscall.json").unlink()
    measured = (
        {one.quantity for one in all_results("recorded") if one.measurement} if all_refused else ()
    )
    shown = shown_with("machines", recorded, lambda name: name in measured)
    assert "nan" not in shown and "There is one run only" in shown
    assert ("No other machine has a figure" in shown) == all_refused


def test_the_page_of_the_recorded_run_has_every_report(recorded):
    o = other_machines.others(records.read_run("recorded"))
    beyond = {
        one.quantity
        for one in all_results("recorded")
        for point in one.points
        if "peer" in point.params
    }
    over_link = {
        cell.quantity for row in o.rows for cell in row.cells.values() if not cell.is_ranked
    }
    assert beyond and beyond & {f.quantity for f in published.figures()} <= over_link
    cells = sum(c.places for one in o.rows for c in one.cells.values())
    assert cells + sum(one.count for one in o.unmatched) >= sum(
        f.measured is not None for f in published.figures()
    )
    assert not o.runs and {column for one in o.rows for column in one.cells} == set(o.of_reports)
    used = {cell.quantity for one in o.rows for cell in one.cells.values()}
    assert {name.split("/")[0] for name in used} == {"cpu", "memory", "network", "files"} and len(
        used
    ) > 80


def test_a_strip_has_a_hollow_mark_where_a_reports_method_is_another_than_ours_and_ran(
    folders, monkeypatch
):
    ran = {"network/rtt/t470": 30e-6, "cpu/timer/t470": 9e-9, "files/read/mbp2016_random": 50e-6}
    monkeypatch.setattr(strips, "here_by", lambda f: ran.get(f.quantity, math.nan))
    one = made_up.single("network/rtt/tcp", 10_000, "ns")

    def table(name):
        return (folders / f"_build/figures/{name}.csv").read_text().splitlines()

    told = strips.among(
        {"TCP": (one, ["network/rtt/t470"]), "ping": (one, ["network/rtt/ping"])}, "strip-a", "C"
    ).markdown
    assert "TCP, here 10" in told and "46.0 µs (t470)" in told
    assert [line.split(",")[0] for line in table("strip-a") if "by that method" in line] == ["TCP"]
    own = made_up.single("cpu/timer/t470", 9, "ns")  # our result is the report's row itself
    strips.among({"two reads": (own, ["cpu/timer/t470"])}, "strip-b", "C")
    assert not any("by that method" in line for line in table("strip-b"))
    read = made_up.single("files/read/direct_random", 80_000, "ns")
    strips.among({"a block": (read, [("files/read/mbp2016_random", 64)])}, "strip-c", "C")
    assert len(table("strip-c")) == 4  # of its nine sizes one


def test_the_strips_of_a_page_hold_pings_against_pings():
    assert {f.report for f in published.of("network/rtt/ping")} == {
        "hpe_i7_860",
        "i7_10750h",
        "mbp2016",
        "t470",
    }
    assert not published.of("network/rtt/icmp")
    assert {f.report for f in published.of("files/remote/penalty")} == {"hpe_i7_860"}
    assert {f.report for f in published.of("files/remote/penalty_in_order")} == {
        "hpe_i7_860",
        "t470",
    }
