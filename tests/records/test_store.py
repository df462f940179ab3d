"""Runs and records: what is written is read back, where it lies, and their schema."""

import json
import shutil
from datetime import UTC, datetime

import pytest
from helpers import made_up
from helpers.project import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon import records
from reckon.config import ReckonError
from reckon.reports import report

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
numbers = st.floats(allow_nan=False, allow_infinity=False)
values = numbers | st.lists(numbers, min_size=1, max_size=4)
whole = st.integers(-(2**63), 2**63 - 1)

inputs = st.builds(
    records.InputRecord,
    name=st.text(min_size=1),
    origin=st.sampled_from(["given", "guess"]),
    value=values,
    low=st.none() | numbers,
    high=st.none() | numbers,
    unit=st.just("ns"),
    source=st.text(),
    cite=st.none() | st.text(),
    reference=st.none(),
    instead_of=st.none(),
)
predictions = st.builds(
    records.PredictionRecord,
    made_at=st.just(NOW),
    unit=st.just("ns"),
    kind=st.just("sum"),
    hardware_tree=st.just(["const", 1.0]),
    software_tree=st.none(),
    predicted_tree=st.just(["const", 1.0]),
    formula_id=st.text(),
    inputs=st.lists(inputs, max_size=3),
    hardware=values,
    software=st.none() | values,
    predicted=values,
    low=st.none() | values,
    high=st.none() | values,
)
processes = st.builds(
    records.Process,
    ticks=st.lists(st.integers(-(2**53), 2**53), min_size=5, max_size=5),
    ops=st.integers(1, 10**9) | st.lists(st.integers(1, 10**9), min_size=5, max_size=5),
    started_s=numbers,
    cpu=st.just(0),
    nice=st.just(0),
    policy=st.just(0),
    wall_ns=whole,
    minor_faults=whole,
    major_faults=whole,
    voluntary_switches=whole,
    involuntary_switches=whole,
    migrations=st.just(-1),
    steal_ms=st.just(-1),
    cycles_per_tick_before=numbers,
    cycles_per_tick_after=numbers,
    seed=st.integers(0, 2**32 - 1),
)
points = st.builds(
    records.Point,
    x=numbers,
    params=st.dictionaries(st.text(), whole, max_size=2),
    processes=st.lists(processes, min_size=1, max_size=2),
    stopped=st.just("time"),
)
measurements = st.builds(
    records.Measurement,
    probe=st.text(),
    op=st.text(),
    timed=st.text(),
    version=st.none() | st.integers(1, 9),
    reports=st.just([]),
    axis=st.none(),
    params=st.just({"calls": 3, "dir": "x"}),
    samples=st.just(3),
    warmup=st.just(1),
    priority=st.just("nice"),
    profile=st.just("quick"),
    key=st.text(),
    tick_hz=st.floats(1e6, 1e10),
    started_at=st.just(NOW),
    seconds=numbers,
    state=st.just("measured"),
    reason=st.none() | st.text(),
    points=st.lists(points, max_size=2, unique_by=lambda point: point.x),
)
attempts = st.builds(
    records.Attempt,
    at=st.just(NOW),
    state=st.sampled_from(["unsupported", "failed"]),
    reason=st.none() | st.text(),
    profile=st.just("quick"),
)
quantities = st.builds(
    records.Quantity,
    predictions=st.lists(predictions, min_size=1, max_size=2),
    measurement=st.none() | measurements,
    attempt=st.none() | attempts,
)
made = st.builds(
    records.Record,
    format=st.just(records.FORMAT),
    experiment=st.just("a/b"),
    quantities=st.dictionaries(st.sampled_from(["a/b/c", "a/b/d"]), quantities, max_size=2),
)


@given(record=made)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_written_is_read_back(folders, record):
    shutil.rmtree(folders / "runs", ignore_errors=True)
    records.write_record("r", record)
    read = records.read_record("r", "a/b")
    assert list(read.quantities) == list(record.quantities)
    for name, quantity in record.quantities.items():
        entry = read.quantities[name]
        assert (entry.predictions, entry.attempt) == (quantity.predictions, quantity.attempt)
        assert without_what_writing_adds(entry.measurement) == quantity.measurement
        assert same_without_samples("a/b", name, entry)
    before = [path.stat().st_mtime_ns for path in sorted((folders / "runs").rglob("*.gz"))]
    records.write_record("r", read)
    assert same_quantities(records.read_record("r", "a/b"), read)
    assert before == [path.stat().st_mtime_ns for path in sorted((folders / "runs").rglob("*.gz"))]


def without_what_writing_adds(measurement):
    """The measurement without visits and summaries."""
    if measurement is None:
        return None
    points = [
        point.model_copy(
            update={
                "summary": None,
                "processes": [
                    process.model_copy(update={"visit": 0}) for process in point.processes
                ],
            }
        )
        for point in measurement.points
    ]
    added = {"visits": [], "unit": None, "kind": None, "statistics": None}
    return measurement.model_copy(update={"points": points, **added})


def same_without_samples(experiment, name, quantity):
    """Whether reading without samples gives the same but for the processes."""
    bare = records.read_record("r", experiment, samples=False).quantities[name]
    if bare.measurement is None:
        return quantity.measurement is None
    assert not any(point.processes for point in bare.measurement.points)
    return [repr(point.summary) for point in bare.measurement.points] == [
        repr(point.summary) for point in quantity.measurement.points
    ]


def same_quantities(record, other):
    """Whether two records hold the same; by text, because nan is not equal to itself."""
    return repr(record.quantities) == repr(other.quantities)


def test_a_run_that_was_copied_is_worked_on_where_it_lies(folders):
    made = records.Run(name="first", identity="x", opened_at=NOW, machine={}, fitness=[])
    records.write_run(made)
    shutil.copytree(folders / "runs/first", folders / "runs/before")
    run = records.read_run("before")
    assert run.name == "before"
    records.write_run(run.model_copy(update={"identity": "y"}))
    assert records.read_run("first") == made and records.read_run("before").identity == "y"


@pytest.mark.parametrize("name", ["", "..", "a/b", "/etc", ".hidden"])
def test_a_run_cannot_be_named_out_of_its_folder(folders, name):
    with pytest.raises(ReckonError, match="cannot name a run"):
        records.run_dir(name)


@pytest.mark.parametrize(
    ("name", "module", "model"),
    [("record", records, "Record"), ("report", report, "ReportedValue")],
)
def test_the_published_schema_is_the_one_in_use(name, module, model):
    published = (ROOT / "book" / f"{name}.schema.json").read_text(encoding="utf-8")
    assert published == module.schema(), "run `make schema`"
    assert model in json.loads(published)["$defs"]


def test_runs_are_listed_latest_first_with_broken_ones_reported(folders):
    for name, day in (("a", 2), ("b", 1)):
        made_up.run(name, [])
        run = records.read_run(name)
        opened_at = run.opened_at.replace(year=2000, month=1, day=day)
        records.write_run(run.model_copy(update={"opened_at": opened_at}))
    (folders / "runs/broken").mkdir()
    (folders / "runs/broken/run.json").write_text("{")
    runs, [trouble] = records.runs()
    assert list(runs) == ["a", "b"]
    assert "broken/run.json is not a whole description" in trouble
