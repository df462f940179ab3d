"""A sixth and a seventh report: a file each, and nothing else has to change."""

import csv
import re
import shutil

import pytest
from helpers import made_up
from helpers.report_example import EXAMPLE

import reckon as rk
from reckon import cli, records
from reckon.book import contents
from reckon.comparison.reports import other_machines, published
from reckon.errors import ReckonError
from reckon.show.figures import strips, style

MACHINES = contents.findings_of("machines")
MAJOR = "memory/fault/major"


def forget_reports():
    published.all_reports.cache_clear()
    published.reported_values.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of book/reports, which the book reads in place of its own."""
    copy = tmp_path / "reports"
    shutil.copytree(published.FOLDER, copy)
    monkeypatch.setattr(published, "FOLDER", copy)
    forget_reports()
    yield copy
    forget_reports()


@pytest.fixture
def seven(folder):
    """Two more reports in that copy."""
    for name, machine in (("sixth", "A laptop"), ("seventh", "A desktop")):
        text = EXAMPLE.replace('"example"', f'"{name}"').replace("A laptop", machine)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_machines_page_has_every_report(seven, recorded):
    o = other_machines.other_machines(records.read_run("recorded"))
    assert {"sixth", "seventh"} < set(o.report_columns) and len(o.report_columns) == 7
    [row] = [row for row in o.rows if "sixth" in row.cells]
    assert row.cells["sixth"].quantity == MAJOR and row.cells["seventh"].is_ranked
    pieces = [
        MACHINES.descriptions(o, "disk", "d"),
        MACHINES.rankings(o),
        MACHINES.report_table(o, "memory"),
        MACHINES.heat_map(o, "memory"),
    ]
    for piece in pieces:
        text = piece.markdown + (piece.svg or "")
        assert "A laptop" in text and "A desktop" in text, piece.markdown


def test_the_reports_page_has_every_report(seven, folders):
    assert "A laptop {cite}" in contents.findings_of("reports").scores("C", "t").markdown
    assert (
        "| A desktop | page fault"
        in contents.findings_of("reports").contradictions("C", "t").markdown
    )
    assert "A desktop 10.6" in rk.draw.reports_prediction_ratios("off", "C").markdown


def test_a_strip_tells_seven_reports_apart(seven, folders):
    here = made_up.single(MAJOR, 1e5, "ns")
    quantities = [MAJOR, "memory/fault/t470", "memory/fault/x510uq", "memory/fault/hpe_i7_860"]
    strips.machines({"a fault": (here, quantities)}, "seven", "C")
    with (folders / "_build/figures/seven.csv").open() as file:
        drawn = {line[1] for line in csv.reader(file)}
    assert {"A laptop", "A desktop", "this machine"} < drawn


def test_66_reports_differ_in_colour_or_marker():
    assert len({tuple(style.report_look(i).values()) for i in range(66)}) == 66


def test_the_command_line_checks_it(seven, capsys):
    assert cli.main(["reports", "seventh"]) == 0
    assert "table 3: 7 numbers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            f'[[value]]\nquantity = "{MAJOR}"',
            '[[value]]\nquantity = "memory/fault/mayor"',
            "page fault, from the disk, table 3: this book has no quantity memory/fault/mayor",
        ),
        (
            "[[value]]",
            f'[[value]]\nquantity = "{MAJOR}"\nmeasured = 92.3\nunit = "us"\nplace = "9"\n'
            "[[value]]",
            f"the value {MAJOR} is given 2 times",
        ),
        (
            "[[value]]",
            '[[fact]]\ncomponent = "disk"\nattribute = "read bandwidth"\nvalue = "fast"\n'
            'place = "2"\n[[value]]',
            "the fact disk, read bandwidth is given 2 times",
        ),
    ],
)
def test_a_wrong_entry_is_refused_with_its_file_and_name(folder, capsys, old, new, sentence):
    path = folder / "sixth.toml"
    assert old in EXAMPLE
    path.write_text(EXAMPLE.replace('"example"', '"sixth"').replace(old, new), encoding="utf-8")
    assert cli.main(["reports", "sixth"]) == 1
    assert capsys.readouterr().err == f"sixth.toml: {sentence}\n"
    with pytest.raises(ReckonError, match=re.escape(f"{path}: {sentence}.")):
        published.all_reports()
