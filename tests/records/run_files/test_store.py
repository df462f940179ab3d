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
from reckon.comparison.reports import report
from reckon.errors import ReckonError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
numbers = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(2**63), 2**63 - 1)
counts = st.integers(1, 10**9)
words = st.none() | st.text()


@st.composite
def quantities(draw):
    """A curve with any texts and numbers; its attempt or its measurement may be missing."""
    result = made_up.curve("a/b/c", [1, 2], [3, 4], processes=draw(st.integers(1, 2)))
    seal, measurement = result.seal, result.measurement
    seal.inputs[0].source, seal.inputs[0].cite = draw(st.text()), draw(words)
    seal.software, seal.low = draw(st.none() | numbers), draw(st.none() | numbers)
    seal.predicted = draw(st.lists(numbers, min_size=2, max_size=2))
    revision = seal.model_copy(update={"formula_id": draw(st.text())})
    measurement.timed, measurement.reason = draw(st.text()), draw(words)
    measurement.version, measurement.seconds = draw(st.none() | counts), draw(numbers)
    for point in measurement.points:
        point.params = draw(st.dictionaries(st.text(), whole, max_size=2))
        for process in point.processes:
            process.ticks = draw(st.lists(st.integers(-(2**53), 2**53), min_size=5, max_size=5))
            process.ops = draw(counts | st.lists(counts, min_size=5, max_size=5))
            process.wall_ns, process.started_s = draw(whole), draw(numbers)
            process.cycles_per_tick_before = draw(numbers)
    attempt = records.Attempt(at=NOW, state="failed", reason=draw(words), profile="quick")
    return records.Quantity(
        predictions=draw(st.sampled_from([[seal], [seal, revision]])),
        measurement=draw(st.sampled_from([None, measurement])),
        attempt=draw(st.sampled_from([None, attempt])),
    )


def record_of(by_name):
    return records.Record(format=records.FORMAT, experiment="a/b", quantities=by_name)


made = st.dictionaries(st.sampled_from(["a/b/c", "a/b/d"]), quantities(), max_size=2).map(record_of)


@given(record=made)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_written_is_read_back(folders, record):
    shutil.rmtree(folders / "runs", ignore_errors=True)
    written = records.write_record("r", record)
    read = records.read_record("r", "a/b")
    assert written.model_dump_json() == read.model_dump_json()
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
    made = records.Run(
        name="first", id="0" * 32, identity="x", opened_at=NOW, machine={}, fitness=[]
    )
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
