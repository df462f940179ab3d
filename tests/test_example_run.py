"""The run that a newcomer looks at first, book/runs/example."""

import io
import tarfile
from pathlib import Path

from reckon import records
from reckon.records.run_files import verify

EXAMPLE = Path(__file__).parents[1] / "book" / "runs" / "example"
MAX_BYTES = 5_000_000  # of a clone


def quantities():
    """All its quantities."""
    found = []
    for experiment in records.experiments(EXAMPLE):
        found += records.read_record(EXAMPLE, experiment, samples=False).quantities.values()
    return found


def test_chain_of_the_example_is_whole():
    assert verify.faults(EXAMPLE) == []


def test_example_is_read_only():
    assert records.read_run(EXAMPLE).read_only


def test_example_was_measured_in_the_standard_profile():
    assert {q.measurement.profile for q in quantities() if q.measurement} == {"standard"}


def test_no_quantity_of_the_example_failed():
    attempts = [q.measurement or q.attempt for q in quantities()]  # None: no probe measures it
    assert {attempt.state for attempt in attempts if attempt} == {"measured", "unsupported"}


def test_example_is_small():
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(EXAMPLE, arcname="example")
    assert len(archive.getvalue()) <= MAX_BYTES
