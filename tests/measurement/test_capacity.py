"""Capacities that are inferred from single reads, or from times of whole files."""

import json

import numpy as np
import pytest
from helpers import made_up
from helpers.cached_reads import MIB, reads

import reckon as rk
from reckon import records
from reckon.measurement.capacity import in_reads, in_times, measure_capacities
from reckon.records.run_files.unit_conversion import values_of


def test_single_reads_tell_the_capacity_and_each_round_too():
    onset, rounds, shares = in_reads(reads())
    assert onset.capacity == pytest.approx(99 * MIB, rel=0.01) and len(rounds) == 6
    assert rounds == pytest.approx([99 * MIB] * 6, rel=0.03)
    assert shares[0] == 0 and shares[-1] == pytest.approx(1 - 0.99 / 1.2, abs=0.03)
    assert "every read was fast" in in_reads(reads(capacity=9))[0].reason


def test_times_of_whole_files_are_divided_by_their_size():
    x = np.arange(1.0, 13)
    result = made_up.curve("files/cache/i7_10750h", 1024 * x, x * np.where(x > 9, 5, 1), unit="ms")
    result.measurement.op = "file"
    assert in_times(result).capacity == 9 * MIB
    even = made_up.curve("files/cache/i7_10750h", 1024 * x, x, unit="ms")
    even.measurement.op = "file"  # twice the file, twice the time: no jump
    assert in_times(even).capacity is None


@pytest.fixture
def predicted(folders, monkeypatch):
    """A page that has made its predictions; the measuring is made up."""

    @rk.predict("files/cache/size", unit="MiB", kind="plain")
    def size(limit):
        return limit

    capacity = size(limit=rk.given(100, "MiB", "made up"))
    curve = size.of("files/cache/limited", limit=rk.given(100, "MiB", "made up"))

    def measured(result):
        monkeypatch.setattr(
            "reckon.measurement.capacity.measure_together", lambda plans: {curve.quantity: result}
        )
        return measure_capacities({capacity: curve}, {curve: {}})

    return measured


def record(folders):
    (path,) = (folders / "runs").glob("*/files/cache.json")
    return json.loads(path.read_text())["quantities"]["files/cache/size"]


def test_a_capacity_is_sealed_and_recorded_as_a_quantity(predicted, folders):
    predictions = predicted(reads())
    prediction = predictions["files/cache/size"]
    assert (
        prediction.median == pytest.approx(99 * MIB, rel=0.01) and prediction.summary.processes == 6
    )
    assert prediction.ratio == pytest.approx(0.99, rel=0.01) and "MiB" in f"{prediction:interval}"
    stored = record(folders)
    assert stored["measurement"]["op"] == "byte" and len(stored["predictions"]) == 1
    assert rk.results("files/cache")[0].median == prediction.median


@pytest.mark.parametrize(
    "curve", [reads(capacity=9), made_up.unmeasured("files/cache/limited", reads())]
)
def test_what_was_not_found_says_why(predicted, folders, curve):
    predictions = predicted(curve)
    prediction = predictions["files/cache/size"]
    assert prediction.state == "unsupported" and prediction.summary is None
    assert prediction.reason in (
        "the cache was not filled: every read was fast up to 120 MiB",
        "needs huge pages",
    )
    assert "not measured" in f"{prediction}" and record(folders)["measurement"]["points"] == []


def test_a_capacity_has_the_conditions_of_its_process_and_no_time(predicted):
    curve = reads()
    for process in curve.points[-1].processes:
        process.chain_ticks = process.wide_ticks = [0.5] * len(process.ticks)
    measurement = predicted(curve)["files/cache/size"].measurement
    (point,) = measurement.points
    assert measurement.is_derived and measurement.axis is None and len(measurement.visits) == 1
    source, derived = curve.points[-1].processes[0], point.processes[0]
    assert [*values_of(derived, derived.ticks, measurement, "byte", "plain")] == [derived.ops]
    assert derived.chain_ticks is None and derived.wide_ticks is None
    same = set(records.Process.model_fields)
    same -= {"ticks", "ops", "chain_ticks", "wide_ticks", "visit"}
    assert derived.model_dump(include=same) == source.model_dump(include=same)
