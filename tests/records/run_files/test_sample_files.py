"""Samples beside the record: one immutable file a visit, summaries in the record."""

import gzip
import json
import shutil
from datetime import timedelta

import pytest
from helpers import made_up

from reckon import records, statistics
from reckon.book.staging import stamp
from reckon.errors import ReckonError
from reckon.prediction.inputs import Input
from reckon.records import run_inputs
from reckon.records.quantities.export import to_json
from reckon.records.quantities.lookup import all_results, from_entry, read_result
from reckon.records.run_files import sample_files, store, verify

NAMES = ["cpu/made/scalar", "cpu/made/curve"]


def results(seed=1):
    return [
        made_up.single(NAMES[0], 50, "ns", seed=seed),
        made_up.curve(NAMES[1], [1, 2, 4], [10, 20, 40], missing=[1], seed=seed),
    ]


@pytest.fixture
def run(folders):
    """The folder of a run with a scalar and a curve."""
    made_up.run("r", results())
    return folders / "runs" / "r"


def samples_files(run):
    return sorted(str(path.relative_to(run)) for path in run.rglob("*.gz"))


def measure_again(seed=2):
    """Replaces what the run has, as measuring again does."""
    with records.updating("r", "cpu/made") as record:
        for result in results(seed):
            record.quantities[result.quantity] = record.quantities[result.quantity].model_copy(
                update={"measurement": result.measurement}
            )


def test_a_record_has_summaries_and_its_samples_lie_in_files_of_their_own(run):
    text = (run / "cpu/made.json").read_text()
    assert "ticks" not in text and json.loads(text)["format"] == records.FORMAT
    assert samples_files(run) == [f"samples/{name}/1.json.gz" for name in sorted(NAMES)]
    inside = json.loads(gzip.decompress((run / f"samples/{NAMES[0]}/1.json.gz").read_bytes()))
    assert len(inside["measurement"]["points"][0]["processes"]) == 8
    assert (inside["quantity"], inside["visit"]) == (NAMES[0], 1)


def test_what_is_read_has_the_samples_as_they_were_measured(run):
    read = {result.quantity: result for result in all_results("r")}
    for result in results():
        for point, as_measured in zip(read[result.quantity].points, result.points, strict=True):
            assert [p.ticks for p in point.processes] == [p.ticks for p in as_measured.processes]
        assert [p.reason for p in read[result.quantity].missing_points] == [
            p.reason for p in result.missing_points
        ]


def test_without_samples_a_record_is_read_without_opening_their_files(run):
    whole = [to_json(result) for result in all_results("r")]
    shutil.rmtree(run / "samples")
    bare = records.read_record("r", "cpu/made", samples=False)
    rows = [to_json(from_entry(name, result)) for name, result in bare.quantities.items()]
    assert rows == whole


def test_results_without_samples_open_no_file_while_the_record_has_their_summaries(run):
    whole = [to_json(result) for result in all_results("r")]
    shutil.rmtree(run / "samples")
    assert [to_json(result) for result in all_results("r", samples=False)] == whole


def test_results_without_samples_read_them_after_statistics_have_changed(run, monkeypatch):
    monkeypatch.setattr(statistics, "VERSION", statistics.VERSION + 1)
    whole = [to_json(result) for result in all_results("r")]
    assert [to_json(result) for result in all_results("r", samples=False)] == whole


def test_results_without_samples_read_those_of_a_record_without_summaries(run):
    whole = [to_json(result) for result in all_results("r")]
    record = json.loads((run / "cpu/made.json").read_text())
    for quantity in record["quantities"].values():
        quantity["measurement"] |= {"unit": None, "kind": None, "statistics": None}
        for point in quantity["measurement"]["points"]:
            point["summary"] = None
    (run / "cpu/made.json").write_text(json.dumps(record))
    assert [to_json(result) for result in all_results("r", samples=False)] == whole


def test_summaries_of_another_unit_or_kind_are_not_used(run):
    result = all_results("r")[0]
    measurement = result.measurement.model_copy(update={"kind": "mean"})
    other = from_entry(
        result.quantity, result.entry.model_copy(update={"measurement": measurement})
    )
    wrong = measurement.points[0].summary.__class__(
        **{**vars(measurement.points[0].summary), "median": 1.0}
    )
    measurement.points[0].summary = wrong
    assert other.median != 1.0


def test_a_file_of_samples_lives_unchanged_as_long_as_its_record(run):
    measure_again()
    assert samples_files(run) == [f"samples/{name}/2.json.gz" for name in sorted(NAMES)]
    again = records.read_measured("r", NAMES[0])
    assert [visit.number for visit in again.measurement.visits] == [2]


def test_a_crash_before_the_record_is_written_leaves_the_former_state(run, monkeypatch):
    before = [to_json(result) for result in all_results("r")]
    write = store.write_whole

    def crash(path, content):
        if path.name == "made.json":
            raise KeyboardInterrupt
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write_whole", crash)
        with pytest.raises(KeyboardInterrupt):
            measure_again()
    assert [to_json(result) for result in all_results("r")] == before
    measure_again(seed=3)  # the number of the lost visit is not used again
    assert samples_files(run) == [f"samples/{name}/3.json.gz" for name in sorted(NAMES)]


@pytest.mark.parametrize("fault", ["missing", "truncated", "other", "not gzip"])
def test_broken_samples_are_named(run, fault):
    path = run / f"samples/{NAMES[0]}/1.json.gz"
    content = path.read_bytes()
    path.unlink()
    if fault != "missing":
        broken = {"truncated": content[:-20], "other": gzip.compress(b"{}"), "not gzip": b"{}"}
        path.write_bytes(broken[fault])
    with pytest.raises(ReckonError, match=f"{path}.*(missing|cannot be read|holds no samples)"):
        records.read_record("r", "cpu/made")


def test_samples_added_to_a_measurement_are_a_visit_of_their_own(run):
    before = records.read_measured("r", NAMES[0])
    later = before.measurement.started_at.replace(year=2030)
    add_visits(NAMES[0], [50], started_at=later, tick_hz=2e9)
    after = records.read_measured("r", NAMES[0]).measurement
    assert [(visit.number, visit.tick_hz) for visit in after.visits] == [(1, 1e9), (2, 2e9)]
    assert [p.visit for p in after.points[0].processes] == [1] * 8 + [2] * 8
    assert after.points[0].summary.n == 2 * before.measurement.points[0].summary.n
    assert len(samples_files(run)) == 3
    medians = after.points[0].summary.medians
    assert sorted(medians)[7] < 0.7 * sorted(medians)[8]  # each by the counter of its own visit
    result = read_result("r", NAMES[0])
    assert result.core_clocks_hz(result.points[0]).tolist() == [3e9] * 8 + [6e9] * 8
    assert after.started_at == before.measurement.started_at and after.seconds == 2.0
    assert after.points[0].processes[8].started_s > 1e8  # since the first visit, years before
    assert verify.faults("r") == []


def test_the_interval_of_several_visits_is_that_of_one_more(run):
    add_visits(NAMES[0], [52, 54])
    result = read_result("r", NAMES[0])
    visits = result.summary.visit_medians
    assert len(visits) == 3 and result.interval_from == "3 visits over 20 min"
    alone = statistics.revisit_interval(visits, None)
    assert result.summary.interval == statistics.Interval(*alone, "next visit")
    assert to_json(result)["interval_from"] == result.interval_from
    pooled = statistics.PooledVariance(1e-4, 20.0, 40)
    described = records.read_run("r")
    records.write_run(described.model_copy(update={"between_visits": pooled}))
    for again in (read_result("r", NAMES[0]), all_results("r")[0]):
        expected = statistics.revisit_interval(visits, pooled)
        assert again.summary.interval.ends == expected != alone
        cycles = again.core_cycles
        assert cycles.interval.low / cycles.median == pytest.approx(
            again.summary.interval.low / again.median
        )
    curve = read_result("r", NAMES[1])
    assert curve.interval_from == "8 processes of one visit" and "interval_from" not in to_json(
        curve
    )


def add_visits(name, values, **changes):
    """Add visits to a scalar, ten minutes apart, that measured those values in ns, with these changes."""
    for number, value in enumerate(values, 1):
        with records.updating("r", "cpu/made") as record:
            quantity = record.quantities[name]
            measurement = quantity.measurement
            at = measurement.started_at + timedelta(minutes=10 * number)
            (point,) = measurement.points
            more = made_up.single(name, value, "ns", seed=value).measurement.points[0].processes
            points = [point.model_copy(update={"processes": [*point.processes, *more]})]
            update = {"points": points, "started_at": at, **changes}
            measurement = measurement.model_copy(update=update)
            record.quantities[name] = quantity.model_copy(update={"measurement": measurement})
    written, read = record, records.read_record("r", "cpu/made")
    assert written.quantities[name].model_dump_json() == read.quantities[name].model_dump_json()


def test_another_process_may_measure_again_while_a_record_is_read(run, monkeypatch):
    read = sample_files.read_samples

    def replace_first(path):
        monkeypatch.setattr(sample_files, "read_samples", read)
        measure_again()
        return read(path)

    sample_files._processes_of_visit.cache_clear()
    monkeypatch.setattr(sample_files, "read_samples", replace_first)
    record = records.read_record("r", "cpu/made")
    assert [quantity.measurement.visits[0].number for quantity in record.quantities.values()] == [
        2,
        2,
    ]


def test_inputs_and_the_stamp_open_no_samples(recorded, monkeypatch):
    def refuse(_):
        raise AssertionError("a samples file was opened")

    monkeypatch.setattr(sample_files, "read_samples", refuse)
    reference = "cpu/syscall/getpid"
    earlier = Input("measured", 1e-9, "ns", "measured in this run", reference=reference)
    values = run_inputs.later_values("recorded", {"call": earlier})
    assert 1e-8 < values["call"] < 1e-6
    assert stamp._measured("recorded")[0].startswith("20")
