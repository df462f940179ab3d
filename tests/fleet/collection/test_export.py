"""Exported tables are read by DuckDB and by Prometheus, and their description is the one in docs."""

import json
import re

import duckdb
import pandas as pd
import pytest
from helpers.project import ROOT, reckon
from prometheus_client.parser import text_string_to_metric_families

from reckon.fleet.collection import export, tables
from reckon.records.quantities.lookup import all_results


def test_duckdb_reads_what_was_exported_and_no_trials_of_an_earlier_export(
    recorded, tmp_path, monkeypatch
):
    out = tmp_path / "tables"
    printed = reckon("export", "--out", str(out), "--trials").stdout
    assert printed.startswith(f"{out}: 1 run, ")
    (result,) = [each for each in all_results("recorded") if each.quantity == "cpu/syscall/getpid"]
    query = f"""
        SELECT run, median, quantities.unit, count(value)
        FROM '{out}/quantities.parquet'
        JOIN '{out}/runs.parquet' USING (run_id)
        JOIN '{out}/trials.parquet' USING (run_id, quantity)
        WHERE quantity = 'cpu/syscall/getpid' GROUP BY ALL"""
    (row,) = duckdb.sql(query).fetchall()
    assert row == ("recorded", result.median, "s", result.summary.n)

    reckon("export", "--trust-medians", "--out", str(out))
    assert not (out / "trials.parquet").exists()
    monkeypatch.chdir(out)
    query = re.search("```sql\n(.*?)```", export.description(), re.DOTALL)[1]
    rows = duckdb.sql(query).fetchall()
    assert len(rows) == 10 and {times for _, _, times in rows} == {1.0}  # of one run


def test_prometheus_reads_every_value(recorded, tmp_path):
    file = tmp_path / "reckon.prom"
    reckon("export", "--trust-medians", "--prometheus", str(file))
    families = {each.name: each for each in text_string_to_metric_families(file.read_text())}
    quantities = tables.of_run(recorded)["quantities"].to_pylist()
    measured = [row for row in quantities if row["median"] is not None]
    samples = families["reckon_measured"].samples
    assert len(samples) == len(measured)
    by_name = {sample.labels["quantity"]: sample for sample in samples}
    (expected,) = [row for row in measured if row["quantity"] == "cpu/syscall/getpid"]
    assert by_name["cpu/syscall/getpid"].value == expected["median"]
    assert by_name["cpu/syscall/getpid"].labels["unit"] == "s"
    (info,) = families["reckon_run_info"].samples
    assert info.value == 1 and info.labels["run"] == "recorded"


def test_a_failure_leaves_no_half_table(recorded, tmp_path):
    def broken():
        for _ in range(40):  # more than are written at once
            yield of_run
        raise OSError("gone")

    of_run = tables.of_run(recorded)

    with pytest.raises(OSError, match="gone"):
        export.write_parquet(broken(), tmp_path / "tables")
    assert list(tmp_path.rglob("*.parquet*")) == []


def test_the_description_is_the_one_in_docs():
    published = (ROOT / "docs/export-format.md").read_text()
    assert published == export.description(), "run `make schema`"


def test_nothing_to_export_is_a_mistake(folders):
    (folders / "runs").mkdir()
    out = folders / "tables"
    failed = reckon("export", str(folders / "runs"), "--out", str(out))
    sentence = f"reckon: No run is left of {folders / 'runs'}; a run is a folder with a run.json.\n"
    assert failed.returncode == 2 and failed.stderr == sentence and not out.exists()
    failed = reckon("export", "--run", "mine", "--out", str(out))
    assert failed.returncode == 2 and "There is no run mine" in failed.stderr and not out.exists()
    failed = reckon("export", str(folders), "--run", "mine")
    assert failed.stderr == "reckon: Give sources or --run, not both.\n"


def test_an_export_of_no_run_leaves_an_earlier_one(tmp_path):
    (tmp_path / "runs.parquet").write_text("earlier")
    assert export.write_parquet(iter([]), tmp_path) == {}
    assert (tmp_path / "runs.parquet").exists()


def test_json_has_the_rows_and_what_was_skipped(recorded, tmp_path):
    (tmp_path / "text.txt").write_text("x")
    sources = [str(recorded), str(tmp_path / "text.txt")]
    options = ["--trust-medians", "--out", str(tmp_path), "--json"]
    printed = json.loads(reckon("export", *sources, *options).stdout)
    assert printed["rows"]["runs"] == 1
    assert "is neither a folder nor an archive" in printed["skipped"][0]


def test_frames_of_one_run_are_written_as_csv(recorded, tmp_path):
    printed = json.loads(reckon("export", "--csv", "--out", str(tmp_path), "--json").stdout)
    results, samples = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("results", "samples"))
    assert printed["rows"] == {"results": len(results), "samples": len(samples)}
    assert "cpu/syscall/getpid" in {*results["quantity"]}
    assert {*samples["quantity"]} <= {*results["quantity"]} and (samples["value"] > 0).any()
    failed = reckon("export", str(recorded), "--csv", "--out", str(tmp_path))
    assert failed.stderr == "reckon: --csv writes one run; name it with --run.\n"
