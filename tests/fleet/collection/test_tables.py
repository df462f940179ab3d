"""A run as tables: every quantity and trial, in base units, each column with its meaning."""

import numpy as np
import pyarrow as pa
import pytest
from helpers import made_up
from helpers.project import ROOT

from reckon.fleet.collection import tables
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.result import Result
from reckon.records.run_files import verify

SCALAR, CURVE, NOTHING = "cpu/made/scalar", "cpu/made/curve", "cpu/made/none"


@pytest.fixture
def run(folders):
    """The folder of a run with a scalar, a curve and a quantity without samples."""
    results = [made_up.single(SCALAR, 50, "ns"), made_up.curve(CURVE, [1, 2, 4], [10, 20, 40])]
    made_up.run("r", [*results, made_up.nothing(NOTHING)])
    return folders / "runs/r"


def rows_of(table, quantity):
    return [row for row in table.to_pylist() if row["quantity"] == quantity]


def test_a_scalar_is_one_row_and_a_curve_one_for_each_point(run):
    found = tables.of_run(run)["quantities"]
    results = {result.quantity: result for result in all_results("r")}
    (scalar,) = rows_of(found, SCALAR)
    summary = results[SCALAR].summary
    assert scalar["unit"] == "s" and scalar["x"] is None and scalar["shown_unit"] == "ns"
    assert scalar["median"] == summary.median and scalar["p99"] == summary.p99
    assert scalar["ratio"] == pytest.approx(results[SCALAR].ratio)
    assert scalar["processes"] == summary.processes and scalar["trials"] == summary.n
    curve = rows_of(found, CURVE)
    assert [row["x"] for row in curve] == list(results[CURVE].axis)
    assert [row["median"] for row in curve] == list(results[CURVE].medians)
    assert [row["predicted"] for row in curve] == list(results[CURVE].sealed("predicted"))


def test_what_was_not_measured_has_its_reason(run):
    (row,) = rows_of(tables.of_run(run)["quantities"], NOTHING)
    assert row["state"] == "unsupported" and row["reason"] and row["median"] is None


def test_trials_are_those_of_the_samples(run):
    found = tables.of_run(run, trials=True)["trials"]
    (result,) = [result for result in all_results("r") if result.quantity == SCALAR]
    of_scalar = rows_of(found, SCALAR)
    values = np.concatenate(result.single_trials(result.points[0]))
    assert [row["value"] for row in of_scalar] == list(values)
    processes = result.points[0].processes
    assert [row["ticks"] for row in of_scalar] == [tick for p in processes for tick in p.ticks]
    assert {row["process"] for row in of_scalar} == set(range(len(processes)))
    assert {row["x"] for row in rows_of(found, CURVE)} == {1024.0, 2048.0, 4096.0}


def test_the_recorded_run_is_whole(recorded):
    of_run = tables.of_run(recorded)
    (row,) = of_run["runs"].to_pylist()
    results = all_results("recorded")
    assert row["quantities"] == len(results) and row["root_hash"] == verify.root_hash(recorded)
    assert row["measured"] == sum(result.state == "measured" for result in results)
    assert row["kernel"] and " " not in row["kernel"] and 0 < row["within_miss"] <= 1
    expected = sum(max(len(result.points), 1) for result in results)
    assert of_run["quantities"].num_rows == expected


EXAMPLE = ROOT / "book/runs/example"


def test_without_trials_no_samples_file_is_opened(monkeypatch):
    """A thousand runs are collected in a minute, which samples would not allow."""
    expected = tables.of_run(EXAMPLE)["quantities"]

    def refuse(*_):
        raise AssertionError("a samples file was opened")

    monkeypatch.setattr("reckon.records.run_files.sample_files.read_samples", refuse)
    monkeypatch.setattr(Result, "trials", refuse)
    assert tables.of_run(EXAMPLE)["quantities"].equals(expected)


@pytest.mark.parametrize("schema", tables.SCHEMAS.values(), ids=tables.SCHEMAS)
def test_every_column_says_what_it_holds(schema):
    assert all(field.metadata[b"meaning"] for field in schema)
    assert len(set(schema.names)) == len(schema.names)


def test_without_names_a_run_is_told_by_nothing_but_a_hash_of_the_collection(run):
    first, again, other = (
        tables.without_names(tables.of_run(run), key) for key in (b"1", b"1", b"2")
    )
    assert first["runs"].equals(again["runs"])
    ids = {each["runs"]["run_id"][0].as_py() for each in (first, other, tables.of_run(run))}
    assert len(ids) == 3
    assert set(first["quantities"]["run_id"].to_pylist()) == set(
        first["runs"]["run_id"].to_pylist()
    )


def test_without_names_no_host_and_no_address_is_left(run):
    of_run = tables.of_run(run)
    quantities = of_run["quantities"]
    place = quantities.schema.get_field_index("peer")
    peers = pa.array(["alice at 10.0.0.7"] * quantities.num_rows, pa.string())
    of_run["quantities"] = quantities.set_column(place, quantities.schema.field("peer"), peers)
    hidden = tables.without_names(of_run, b"1")
    assert set(hidden["quantities"]["peer"].to_pylist()) == {None}
    assert set(hidden["quantities"]["reason"].to_pylist()) == {None}
    assert hidden["runs"]["root_hash"].to_pylist() == [None]


def test_a_negative_median_counts_for_no_share(folders):
    """A subtracted cost may be larger than what is left."""
    made_up.run("r", [made_up.single(SCALAR, 50, "ns"), made_up.single("cpu/made/less", -5, "ns")])
    (row,) = tables.of_run(folders / "runs/r")["runs"].to_pylist()
    assert row["within_near"] in (0.0, 1.0)
