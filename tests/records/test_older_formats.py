"""Records of older formats are read as the current one has them."""

import json
import shutil
from pathlib import Path

import pytest
from helpers import made_up
from helpers.project import reckon

from reckon import records
from reckon.config import ReckonError
from reckon.records import verify
from reckon.show.sentences import warning_sentences

QUANTITY = "cpu/made/noisy"


@pytest.fixture
def path(folders):
    """A record with a summary that has three warnings."""
    result = made_up.single(QUANTITY, 50, "ns", processes=24)
    for number, process in enumerate(result.measurement.points[0].processes):
        factor = (1 + number % 2) * (1 + 0.01 * number)
        process.ticks[:] = [round(factor * tick) for tick in process.ticks]
    made_up.run("r", [result])
    return records.record_path("r", "cpu/made")


def summary():
    quantity = records.read_record("r", "cpu/made", samples=False).quantities[QUANTITY]
    return quantity.measurement.points[0].summary


def warnings():
    return summary().warnings


def rewrite_as_format_4(path, replaced="", by=""):
    """The record as format 4 had it: warnings in English, two ends of an interval."""
    record = json.loads(path.read_text())
    (point,) = record["quantities"][QUANTITY]["measurement"]["points"]
    texts = [warning_sentences.plain_note(warning) for warning in warnings()]
    point["summary"]["warnings"] = [text.replace(replaced, by) for text in texts]
    ends = point["summary"].pop("interval")
    point["summary"] |= {"low": ends["low"], "high": ends["high"]}
    path.write_text(json.dumps(record | {"format": 4}))


def test_warnings_in_english_are_read_as_kinds_and_numbers(path):
    current = warnings()
    assert [warning.kind for warning in current] == ["drift", "two modes", "wide"]
    rewrite_as_format_4(path)
    assert "it drifted by +" in path.read_text() and warnings() == current


def test_the_ends_of_an_interval_are_read_as_that_of_the_median(path):
    current = summary().interval
    assert current.is_known and current.kind == "median"
    rewrite_as_format_4(path)
    assert '"interval"' not in path.read_text() and summary().interval == current


def test_a_record_of_format_4_is_checked_and_converted_when_it_is_changed(path):
    rewrite_as_format_4(path)
    assert verify.faults("r") == []
    with records.updating("r", "cpu/made") as record:
        record.quantities[QUANTITY] = record.quantities[QUANTITY].model_copy()
    stored = json.loads(path.read_text())
    (point,) = stored["quantities"][QUANTITY]["measurement"]["points"]
    assert stored["format"] == records.FORMAT
    assert point["summary"]["warnings"][1] == {"kind": "two modes", "percent": None}
    assert verify.faults("r") == []
    chain = records.read_record("r", "cpu/made").quantities[QUANTITY].chain
    assert [event.event for event in chain] == ["seal", "visit"]


def test_an_unknown_warning_is_refused(path):
    rewrite_as_format_4(path, "modes", "moods")
    with pytest.raises(ReckonError, match="its trials have two moods.* is no warning of format 4"):
        records.read_record("r", "cpu/made")


@pytest.fixture
def of_format_3(folders):
    """A run that was recorded with samples inside its records, and no chains."""
    run = Path(__file__).parent / "older_runs" / "format_3"
    return Path(shutil.copytree(run, folders / "runs" / "format_3"))


def test_a_run_without_chains_says_so(of_format_3):
    done = reckon("verify", "format_3")
    assert done.returncode == 0 and "was recorded before hashes were chained" in done.stdout
    assert reckon("verify", "format_3", "--root", "0" * 64).returncode == 1


def ticks(quantity):
    """Of all processes of all points."""
    points = quantity.measurement.points
    return [list(process.ticks) for point in points for process in point.processes]


def test_a_record_without_chains_begins_them_when_it_is_changed(of_format_3):
    before = records.read_record("format_3", "cpu/clock").quantities
    with records.updating("format_3", "cpu/clock") as record:
        record.quantities |= {
            name: quantity.model_copy() for name, quantity in record.quantities.items()
        }
    after = records.read_record("format_3", "cpu/clock").quantities
    assert {event.event for each in after.values() for event in each.chain} == {"import"}
    assert all(after[name].seal == each.seal for name, each in before.items())
    for name, each in before.items():
        assert ticks(after[name]) == ticks(each), name
    assert json.loads((of_format_3 / "cpu/clock.json").read_text())["format"] == records.FORMAT
    assert verify.faults("format_3") == []
