"""Two runs: how they are found and named, what only one of them has, and a control."""

import shutil

import pytest
from helpers import made_up
from helpers.made_up import NAMES, compared, results

from reckon import records
from reckon.book import contents
from reckon.cli.compare import text, to_dict
from reckon.comparison import two_runs
from reckon.comparison.reports import other_machines
from reckon.comparison.two_runs import compare
from reckon.errors import ReckonError
from reckon.show.tables import run_comparison

MACHINES = contents.findings_of("machines")


def test_runs_of_one_name_are_named_by_their_folders(folders):
    """A folder of another computer, copied here beside a run of that name."""
    made_up.run("here", results(1))
    made_up.run("there", results(2, {NAMES[3]: 2})[:5])
    shutil.copytree(folders / "runs/there", folders / "other/here")
    elsewhere = str(folders / "other/here")
    comparison = compare("here", elsewhere)
    assert (comparison.a, comparison.b) == ("here", elsewhere)
    assert comparison.only == (NAMES[5:], [])
    assert text(comparison).startswith(f"{elsewhere} compared with here\n")
    assert "Only in here: 15" in text(comparison)
    assert to_dict(comparison)["only"] == {"a": NAMES[5:], "b": []}
    assert (
        "Only here has 15 more." in contents.findings_of("machines")._verdict(comparison).markdown
    )


def test_a_copied_run_is_another_machine(folders):
    known = {"processor": {"model": {"value": "A processor", "source": ""}}}
    made_up.run("here", results(1), machine=known)
    made_up.run("first", results(2), "another", known)
    (folders / "runs/first").rename(folders / "runs/renamed")
    shutil.copytree(folders / "runs/here", folders / "runs/before")
    others = other_machines.other_machines(records.read_run("before"))
    assert set(others.runs) == {"here", "renamed"}
    assert {run.name for run in others.runs.values()} == set(others.runs)
    table = MACHINES.descriptions(others, "processor", "name").markdown
    assert "| What | This machine | renamed |" in table
    assert "**before compared with here.**" in MACHINES.comparison_with_latest(others).markdown


def test_quantities_of_one_run_alone_are_listed_with_the_reason(folders):
    a = [*results(1)[:2], made_up.nothing("cpu/made/q2")]
    comparison = compared(a, results(2)[:4])
    only_in_b = ["cpu/made/q2 (unsupported: needs huge pages)", "cpu/made/q3"]
    assert comparison.only == ([], only_in_b)
    assert f"Only in b: 2\n  {only_in_b[0]}" in text(comparison)


# A control is a second run of the first machine: what is named differs from both.


def names(comparison):
    return [quantity.quantity for quantity in comparison.changed]


def test_a_control_removes_changes_between_runs_of_one_machine(folders):
    """One quantity has two modes and changes them between runs; another has really changed."""
    made_up.run("again", results(3, {NAMES[3]: 1.5}))
    runs = results(1), results(2, {NAMES[3]: 1.5, NAMES[4]: 1.5})
    assert set(names(compared(*runs))) == {NAMES[3], NAMES[4]}
    comparison = compared(*runs, control="again")
    assert names(comparison) == [NAMES[4]] and comparison.control_changed == (NAMES[3],)
    text = run_comparison.control_sentence(comparison)
    assert f"the same rule names 1 of 20 ({NAMES[3]})" in text and "differs from both." in text


def test_a_control_without_a_quantity_does_not_remove_its_change(folders):
    """It has no samples of the first quantity, and too few processes of the second."""
    made_up.run("again", results(3, {NAMES[3]: 1.5}, processes=5)[4:])
    runs = results(1), results(2, {NAMES[3]: 1.5, NAMES[4]: 1.5})
    comparison = compared(*runs, control="again")
    assert set(names(comparison)) == {NAMES[3], NAMES[4]}
    exception = "differs from both, but for 2 that could not be compared with again."
    assert exception in run_comparison.control_sentence(comparison)


def test_a_run_of_another_machine_is_no_control(folders, monkeypatch):
    """It is refused before any samples are read."""
    monkeypatch.setattr(two_runs, "all_results", None)
    made_up.run("again", results(3), identity="another machine")
    message = "again is no control: it was recorded on another machine"
    with pytest.raises(ReckonError, match=message):
        compared(results(1), results(2), control="again")


def test_the_smallest_visible_ratio_includes_the_control(folders):
    """The control is 1.5 times higher, so a change has to exceed that too."""

    def visible(comparison, minimum_change=0.0):
        [quantity] = [quantity for quantity in comparison.judged if quantity.quantity == NAMES[3]]
        return quantity.visible_from(minimum_change)

    alone = compared(results(1), results(2))
    assert visible(alone) < 1.2 and alone.resolving(1.3) == 20
    made_up.run("again", results(3, {NAMES[3]: 1.5}))
    controlled = compare("a", "b", "again")
    ratio = visible(controlled)
    assert 1.5 < ratio < 1.8 and controlled.resolving(1.3) == 19

    def at(factor):
        return names(compared(results(1), results(2, {NAMES[3]: factor}), control="again"))

    assert at(ratio * 1.02) == at(1 / ratio / 1.02) == [NAMES[3]] and not at(1.45)


def test_the_minimum_change_counts_from_the_control_too(folders):
    made_up.run("again", results(3, {NAMES[3]: 1.02}))
    comparison = compared(results(1), results(2), control="again", minimum_change=1.0)
    [quantity] = [quantity for quantity in comparison.judged if quantity.quantity == NAMES[3]]
    assert quantity.visible_from(1.0) > 2.01
