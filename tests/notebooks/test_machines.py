"""The page about machines: heat maps, tables, sentences and comparisons with other runs."""

import csv

import pytest
from helpers import made_up

from reckon import records, units
from reckon.book import contents
from reckon.comparison.reports import other_machines, published
from reckon.comparison.reports.report import ReportedFact
from reckon.show import titles

MACHINES = contents.findings_of("machines")
GETPID = "cpu/syscall/t470_getpid"


def compared(results, name="here", **run):
    made_up.run(name, results, **run)
    return other_machines.other_machines(records.read_run(name))


def getpid(factor=1.0, seed=1):
    """The report's own value of getpid, divided by a factor."""
    [value] = published.measured_values(GETPID)
    value = units.from_base(value.base(value.measured, "ns"), "ns")
    return made_up.single(GETPID, value / factor, "ns", seed=seed)


def test_the_heat_maps_have_every_value(folders):
    names = [f"cpu/made/q{k}" for k in range(120)]
    made_up.run("other", [made_up.single(name, 20, "ns", seed=1) for name in names])
    o = compared([*(made_up.single(name, 10, "ns", seed=2) for name in names), getpid()])
    block = MACHINES.heat_map(o, "cpu")
    assert block.markdown.count(":::{figure}") == 4  # the reports' rows, and 120 in pieces of 48
    data = []
    for ending in ("", "-2", "-3", "-4"):
        _, *rows = csv.reader((folders / f"_build/figures/machines-cpu{ending}.csv").open())
        data += rows
    assert len(data) == 121 and {row[1] for row in data} == {"other", "t470"}
    assert float(data[-1][5]) == pytest.approx(2, rel=0.05)
    assert "No other machine has a value" in MACHINES.heat_map(o, "files").markdown


def test_tables_show_values_with_their_ratios(folders):
    made_up.run("other", [getpid(seed=4)])
    o = compared([getpid(factor=4), made_up.single("cpu/task/t470_thread", 1e9, "ns")])
    table, ratio = MACHINES.report_table(o, "cpu").markdown, o.rows[0].cells["t470"].ratio
    assert ratio == pytest.approx(4, rel=0.03) and f"({units.number(ratio)}×)" in table
    assert (
        "ThinkPad T470" in table and "Creating a process, creating a thread: thread, join" in table
    )
    assert "on other runs" in MACHINES.run_tables(o, ["cpu"]).markdown
    assert MACHINES.run_tables(o, ["files"]).markdown == ""


def test_a_machine_is_described_by_what_it_is_faster_and_slower_in(folders):
    made_up.run("other", [getpid(seed=4)], identity="another")
    o = compared([getpid(factor=4), made_up.single("cpu/task/t470_thread", 1e9, "ns")])
    ratio = units.number(o.rows[0].cells["t470"].ratio)
    text = MACHINES.ranking(o, "t470").markdown
    assert "this machine is faster in 1 of 2 values. The other machine takes" in text
    assert f"Largest advantages: The system call: getpid ({ratio}×)" in text
    assert "Largest disadvantages: Creating a process, creating a thread: thread, join" in text
    assert "has no quantity in common with this run." in MACHINES.ranking(o, "mbp2016").markdown
    text = MACHINES.rankings(o).markdown
    assert "**other**" in text and text.startswith("By the median over its values, this machine is")
    assert "faster than ThinkPad T470" in text or "slower than ThinkPad T470" in text


def test_values_that_show_no_machines_speed_are_not_ranked(folders):
    over_link = made_up.single("network/rtt/t470_peer", 10, "ns")
    over_link.measurement.peer = "The other host is 192.0.2.7."
    penalty = made_up.single("files/remote/penalty_in_order", 10, "ns")
    o = compared([getpid(), over_link, penalty])
    text = MACHINES.ranking(o, "t470").markdown
    # This run's interval holds it.
    assert "in 0 of 1 values, in 1 the data do not show which. " in text
    assert text.endswith(
        "- Not ranked:\n  - 1 value over the link to the other host\n"
        "  - Remote files: Penalty, in order (Reckon's)"
    )
    o = compared([made_up.single("files/remote/seek", 10, "ns")], "more")
    assert MACHINES.ranking(o, "i7_10750h").markdown.endswith(
        "has no ranked quantity in common with this run.\n\n- Not ranked:\n  - Remote files: A seek (Reckon's)"
    )


def described(**processor):
    return {"processor": {key: {"value": v, "source": ""} for key, v in processor.items()}}


def test_machines_are_described_by_what_each_states(folders, monkeypatch):
    cores = ReportedFact(component="processor", attribute="cores", value=4, unit="1", place="2")
    peer = ReportedFact(of="peer", component="disk", attribute="type", value="tape", place="2")
    colour = ReportedFact(component="processor", attribute="colour", value="green", place="2")
    first, *more = (r.model_copy(update={"facts": [cores, peer]}) for r in published.all_reports())
    first.facts.append(colour)
    monkeypatch.setattr(published, "all_reports", lambda: (first, *more))
    made_up.run("same", [], machine=described(cores=2))
    made_up.run("stranger", [], identity="another", machine=described(cores=64))
    o = compared([], machine=described(cores=2, l1d=32768))
    table = MACHINES.descriptions(o, "processor", "name").markdown
    assert "| What | This machine | stranger | HP Pavilion" in table and "| same |" not in table
    assert "| cores | 2 | 64 | 4 |" in table and "| L1d cache | 32.0 KiB | – |" in table
    assert "| also | – | – | colour green | – |" in table
    assert "| disk: type | tape |" in MACHINES.descriptions(o, "peer", "name").markdown


def test_this_run_is_compared_with_the_latest_two(folders):
    assert "There is one run only" in MACHINES.comparison_with_latest(compared([getpid()])).markdown
    for k, name in enumerate(("before", "again", "empty")):
        made_up.run(name, [getpid(factor=0.5, seed=k)] if name != "empty" else [])
        run = records.read_run(name)
        opened_at = run.opened_at.replace(year=2010 - k)
        records.write_run(run.model_copy(update={"opened_at": opened_at}))
    text = MACHINES.comparison_with_latest(compared([getpid()])).markdown
    assert "**here compared with before.**" in text and "Control: between before and again" in text
    assert "**here compared with again.**" in text and text.count(f"{titles.link(GETPID)} |") == 2
