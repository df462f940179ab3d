"""The list of methods, book/methods.toml: it has every method of a report, once."""

import json
import tomllib

import pytest
from helpers.project import RECORDED, ROOT

import reckon as rk
from reckon import records
from reckon.comparison.reports import method_groups
from reckon.comparison.reports.method_groups import Method
from reckon.measurement import library


def test_every_method_that_the_rubric_names_is_there_or_has_a_reason():
    listed = {
        (group.baseline.rsplit("/", 1)[0], f"{row.report}*")
        if row.why_not
        else tuple(row.quantity.rsplit("/", 1))
        for group in method_groups.groups()
        for row in group.method
    }
    rubric = tomllib.loads((ROOT / "tests/comparison/reports/methods.toml").read_text())
    named = {(experiment, name) for experiment in rubric for name in rubric[experiment].split()}
    assert named - listed == set()


def test_every_method_of_a_report_is_in_one_group():
    recorded = {
        name: quantity["measurement"]["probe"]
        for path in (RECORDED / "recorded").glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
        if quantity["measurement"]
    }
    rows = [row for group in method_groups.groups() for row in group.method]
    listed = [row.quantity for row in rows if row.quantity]
    assert len(listed) == len(set(listed)) and set(listed) <= set(recorded)
    named = {group.baseline for group in method_groups.groups()} | {row.includes for row in rows}
    assert named - {""} <= set(recorded)
    assert set(method_groups.not_ranked()) <= set(recorded)
    of_reports = {
        probe.name
        for probe in library.probes().values()
        if probe.reports and not probe.name.startswith("test/")
    }
    assert of_reports <= {recorded[name] for name in listed}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[group]]\nname = 'x'", "group.0.title"),
        ("[[", "methods.toml: "),
        (
            "[[group]]\nname='x'\ntitle='x'\nbaseline='a/b'\nmethod=[{quantity='a/c'}]",
            "give either",
        ),
    ],
)
def test_a_faulty_list_of_methods_is_refused(text, message, tmp_path, monkeypatch):
    (tmp_path / "methods.toml").write_text(text)
    monkeypatch.setattr(method_groups, "FILE", tmp_path / "methods.toml")
    with pytest.raises(rk.ReckonError, match=message):
        method_groups.groups()


def test_a_whole_file_is_divided_by_its_blocks():
    point = records.Point(x=None, params={"file_bytes": 1 << 20}, processes=[], stopped="precise")
    assert Method(quantity="files/a/b", differs="x", blocks_of="file_bytes").divisor(point) == 256
    assert Method(quantity="files/a/b", differs="x", per=16).divisor(point) == 16


def test_what_a_nearer_cache_or_a_host_may_answer_ranks_no_machine():
    rows = [row for group in method_groups.groups() for row in group.method]
    doubtful = ("a fixed stride", "a short circle", "4 MB", "32-bit")
    named = {row.quantity for row in rows if any(word in row.differs for word in doubtful)}
    assert {name for name in named if not name.endswith("_l1")} <= {*method_groups.not_ranked()}
