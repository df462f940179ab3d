import json
import os
import shutil
import stat
import threading
from datetime import UTC, datetime

import pytest
from helpers.project import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon import records
from reckon.config import ReckonError
from reckon.reports import published as reports

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
        found = read.quantities[name]
        assert (found.predictions, found.attempt) == (quantity.predictions, quantity.attempt)
        assert without_what_writing_adds(found.measurement) == quantity.measurement
        assert same_without_samples("a/b", name, found)
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
                "processes": [one.model_copy(update={"visit": 0}) for one in point.processes],
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


def same_quantities(one, other):
    """Whether two records hold the same; by text, because nan is not equal to itself."""
    return repr(one.quantities) == repr(other.quantities)


def record_file(folders, text):
    path = folders / "runs" / "r" / "a" / "b.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a whole record.*move it away"),
        ('{"format": 1, "experiment": "a/b", "quantit', "not a whole record .*line 1 "),
        ('{"format": 5, "experiment": "a/b"}', "format 5, newer than this version.*update Reckon"),
        ('{"format": 1}', "experiment: Field required"),
        ('{"format": 1, "experiment": "a/b", "colour": 3}', "colour: Extra inputs"),
        (
            '{"format": 1, "experiment": "a/b", "quantities": {"q": {"predictions": 3}}}',
            "quantities.q.predictions",
        ),
        ("[]", "not a whole record"),
        ("\udcff", "cannot be read|not a whole record"),
    ],
)
def test_a_broken_record_is_told_and_left_as_it_is(folders, text, says):
    path = record_file(folders, "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(ReckonError, match=says):
        records.read_record("r", "a/b")
    assert path.read_bytes() == before


def test_every_truncation_of_a_record_is_noticed(folders):
    records.write_record("r", records.Record(experiment="a/b"))
    path = records.record_path("r", "a/b")
    whole_text = path.read_text().rstrip("\n")
    for length in range(len(whole_text)):
        path.write_text(whole_text[:length])
        with pytest.raises(ReckonError):
            records.read_record("r", "a/b")


def test_a_reader_sees_the_old_or_the_new_file_never_half(folders):
    path = folders / "file"
    texts = {c * 200_000 for c in "ab"}
    records.write_whole(path, min(texts))
    done = threading.Event()

    def write():
        for i in range(40):
            records.write_whole(path, sorted(texts)[i % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(path.read_text())
    writer.join()
    assert seen <= texts
    assert [p.name for p in folders.iterdir() if p.name.startswith(".file")] == []


def test_a_failed_write_leaves_the_old_file_and_no_scratch(folders, monkeypatch):
    path = folders / "file"
    records.write_whole(path, "old")

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReckonError, match="cannot be written .No space left on device"):
        records.write_whole(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in folders.iterdir() if p.is_file()] == ["file"]


def test_files_are_readable_by_others_as_usual(folders):
    records.write_whole(folders / "file", "x")
    assert stat.S_IMODE((folders / "file").stat().st_mode) == 0o644


def test_a_run_that_was_copied_is_worked_on_where_it_lies(folders):
    made = records.Run(name="first", identity="x", opened_at=NOW, machine={}, fitness=[])
    records.write_run(made)
    shutil.copytree(folders / "runs/first", folders / "runs/before")
    found = records.read_run("before")
    assert found.name == "before"
    records.write_run(found.model_copy(update={"identity": "y"}))
    assert records.read_run("first") == made and records.read_run("before").identity == "y"


def test_who_lists_a_runs_experiments_notices_one_that_appears(builder):
    records.write_record("r", records.Record(experiment="a/b"))
    assert records.experiments("r") == ["a/b"]

    def digests():
        return [records.digest(what) for what in builder.reads.read_text().split()]

    before = digests()
    records.write_record(
        "r",
        records.Record(experiment="a/b", quantities={"a/b/c": records.Quantity(predictions=[])}),
    )
    records.write_record(
        "r", records.Record(experiment="methods/a/b")
    )  # measured after all that list the rest
    assert before and digests() == before
    records.write_record("r", records.Record(experiment="a/c"))
    assert digests() != before


@pytest.mark.parametrize("name", ["", "..", "a/b", "/etc", ".hidden"])
def test_a_run_cannot_be_named_out_of_its_folder(folders, name):
    with pytest.raises(ReckonError, match="cannot name a run"):
        records.run_dir(name)


@pytest.mark.parametrize(
    ("name", "module", "model"), [("record", records, "Record"), ("report", reports, "Figure")]
)
def test_the_published_schema_is_the_one_in_use(name, module, model):
    published = (ROOT / "book" / f"{name}.schema.json").read_text(encoding="utf-8")
    assert published == module.schema(), "run `make schema`"
    assert model in json.loads(published)["$defs"]


def test_a_record_is_parsed_once_until_it_is_written_again(folders, monkeypatch):
    path = record_file(folders, '{"format": 3, "experiment": "a/b"}')
    parsed = []
    read_text = type(path).read_text
    monkeypatch.setattr(
        type(path),
        "read_text",
        lambda self, **options: parsed.append(self) or read_text(self, **options),
    )
    first = records.read_record("r", "a/b")
    first.quantities["mine"] = records.Quantity(predictions=[])  # a caller's own copy
    assert not records.read_record("r", "a/b").quantities
    assert parsed == [path]
    records.write_record("r", first)
    assert "mine" in records.read_record("r", "a/b").quantities
    assert parsed == [path, path]


def test_a_digest_follows_the_file_as_it_changes(folders):
    path = record_file(
        folders, '{"quantities": {"q": {"measurement": 1, "predictions": 1}, "r": {}}}'
    )
    noted = [str(path), f"{path}#q", f"{path}#r", f"{path}#*"]
    whole, q, r, all_measured = map(records.digest, noted)
    path.write_text('{"quantities": {"q": {"measurement": 1, "predictions": 22}, "r": {}}}')
    assert list(map(records.digest, noted[1:])) == [q, r, all_measured]
    assert records.digest(noted[0]) != whole
    path.write_text('{"quantities": {"q": {"measurement": 333, "predictions": 22}, "r": {}}}')
    assert records.digest(noted[1]) != q and records.digest(noted[2]) == r
    assert records.digest(noted[3]) != all_measured
    path.unlink()
    assert {records.digest(one) for one in noted} == {"none"}
