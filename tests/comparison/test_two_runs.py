"""Two runs: how they are found and named, and what only one of them has."""

import shutil

import pytest
from helpers import made_up
from helpers.made_up import NAMES, compared, results

from reckon import records
from reckon.cli.compare import text, to_dict
from reckon.comparison.two_runs import compare
from reckon.config import ReckonError
from reckon.presentation import changes, machines_page
from reckon.reports import other_machines


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
    assert "Only here has 15 more." in changes.verdict(comparison).markdown


def test_a_run_is_not_compared_with_itself(folders):
    made_up.run("here", results(1))
    (folders / "runs/link").symlink_to(folders / "runs/here")
    with pytest.raises(ReckonError, match="cannot be compared with itself"):
        compare("here", "link")


def test_a_copied_run_has_the_name_of_its_folder(folders):
    made_up.run("here", results(1))
    shutil.copytree(folders / "runs/here", folders / "runs/before")
    by_name, by_folder = map(records.read_run, ("before", folders / "runs/before"))
    assert by_name.name == by_folder.name == compare("before", "here").a == "before"
    assert not compare("before", "here").changed


def test_a_copied_run_is_another_machine(folders):
    known = {"processor": {"model": {"value": "A processor", "source": ""}}}
    made_up.run("here", results(1), machine=known)
    made_up.run("first", results(2), "another", known)
    (folders / "runs/first").rename(folders / "runs/renamed")
    shutil.copytree(folders / "runs/here", folders / "runs/before")
    others = other_machines.others(records.read_run("before"))
    assert set(others.runs) == {"here", "renamed"}
    assert {run.name for run in others.runs.values()} == set(others.runs)
    table = machines_page.descriptions(others, "processor", "name").markdown
    assert "| What | This machine | renamed |" in table
    assert "**before compared with here.**" in machines_page.compared_with_latest(others).markdown


def test_quantities_of_one_run_alone_are_listed_with_the_reason(folders):
    a = [*results(1)[:2], made_up.nothing("cpu/made/q2")]
    comparison = compared(a, results(2)[:4])
    only_in_b = ["cpu/made/q2 (unsupported: needs huge pages)", "cpu/made/q3"]
    assert comparison.only == ([], only_in_b)
    assert f"Only in b: 2\n  {only_in_b[0]}" in text(comparison)
