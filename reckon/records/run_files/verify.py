"""Whether a run is as it was written: its chains of hashes, samples and summaries."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reckon import units
from reckon.errors import ReckonError
from reckon.records.run_files import chain
from reckon.records.run_files.models import Measurement, Quantity, Run, SamplesFile
from reckon.records.run_files.sample_files import read_samples, samples_path, with_samples
from reckon.records.run_files.store import experiments, read_record, read_run, run_dir
from reckon.records.run_files.unit_conversion import summarise_points
from reckon.statistics import VERSION, Summary

_LAST_DIGITS = 1e-9  # which other versions of numpy may compute differently
# The fields of a measurement that say what its samples mean; they stand in the samples file too.
_MEANING = ["probe", "version", "op", "timed", "reports", "axis", "params", "peer", "warmup"]
_MEANING += ["priority", "key"]
_OF_A_VISIT = ("tick_hz", "started_at", "seconds", "profile")


def root_hash(run: str | Path) -> str | None:
    """The hash that covers all of a run; None without a run."""
    description = read_run(run)
    if description is None:
        return None
    last_hashes = {
        name: quantity.chain[-1].hash if quantity.chain else ""
        for experiment in experiments(run)
        for name, quantity in read_record(run, experiment, samples=False).quantities.items()
    }
    return chain.root_hash(description, last_hashes)


def faults(run: str | Path, *, recompute: bool = True) -> list[str]:
    """What is broken in the run: a sentence each, with the name.

    Without `recompute` the samples are compared by their hashes alone, and not whether summaries
    follow from them: that takes most of the time."""
    description = read_run(run)
    if description is None:
        raise ReckonError(f"{run_dir(run)} holds no run.")
    sentences = []
    for experiment in experiments(run):
        try:
            record = read_record(run, experiment, samples=False)
        except ReckonError as error:
            sentences.append(f"{experiment}: {error}")
            continue
        for name, quantity in record.quantities.items():
            found = _faults(description, run, name, quantity, recompute=recompute)
            sentences += [f"{name}: {fault}" for fault in found]
    return sentences


def _faults(
    run: Run, folder: str | Path, name: str, quantity: Quantity, *, recompute: bool
) -> Iterator[str]:
    yield from _chain_faults(quantity, run.id)
    if quantity.measurement:
        yield from _samples_faults(run_dir(folder), name, quantity, recompute=recompute)


def _chain_faults(quantity: Quantity, run_id: str) -> Iterator[str]:
    previous = run_id
    for number, event in enumerate(quantity.chain, 1):
        if event.hash != chain.event_hash(previous, event.event, event.at, event.digest):
            yield f"event {number} of its chain ({event.event}) was changed"
        previous = event.hash
    chained = chain.chained_digests(quantity)
    events = chain.current_events(quantity)
    for name, content_digest in events:
        if content_digest not in chained:
            yield f"its chain does not have the digest of this {name}"
    missing = chain.missing_digests(quantity, events)
    if missing:
        yield f"{len(missing)} of what its chain names is missing"
    yield from _seal_faults(quantity)


def _seal_faults(quantity: Quantity) -> Iterator[str]:
    """A sentence if the prediction was sealed after samples were there, or again for no reason."""
    names = [event.event for event in quantity.chain]
    if any(made.role == "reseal" and not made.reason for made in quantity.predictions):
        yield "it was sealed again without a reason"
    first = quantity.predictions[0]
    if first.role != "seal" or "visit" not in names:
        return
    before = {event.digest for event in quantity.chain[: names.index("visit")]}
    if chain.digest(first) not in before:
        yield "its seal is younger than its first samples"


def _samples_faults(
    folder: Path, name: str, quantity: Quantity, *, recompute: bool
) -> Iterator[str]:
    measurement = quantity.measurement
    assert measurement
    files = []
    for visit in measurement.visits:
        path = samples_path(folder, name, visit.number)
        try:
            if hashlib.sha256(path.read_bytes()).hexdigest() != visit.digest:
                yield f"the samples of visit {visit.number} were changed"
            if recompute:
                files.append(read_samples(path))
        except FileNotFoundError:
            yield f"the samples of visit {visit.number} are missing"
        except OSError as error:  # a quantity's name that is too long for a file
            yield f"the samples of visit {visit.number} cannot be read ({error.strerror})"
        except ReckonError as error:
            yield str(error)
    if recompute and len(files) == len(measurement.visits):
        yield from _meaning_faults(measurement, files)
        with_processes = with_samples(folder, name, quantity).measurement
        assert with_processes
        yield from _summary_faults(measurement, with_processes)


def _meaning_faults(measurement: Measurement, files: list[SamplesFile]) -> Iterator[str]:
    """What the record says of the samples and their files do not."""
    for field in _MEANING:
        if any(getattr(file.measurement, field) != getattr(measurement, field) for file in files):
            yield f"its {field} is not that of its samples"
    params = {point.x: point.params for point in measurement.points}
    visited = [point for file in files for point in file.measurement.points if point.processes]
    if any(params.get(point.x) != point.params for point in visited):
        yield "its points are not those of its samples"
    for visit, file in zip(measurement.visits, files, strict=True):
        if any(getattr(visit, field) != getattr(file.measurement, field) for field in _OF_A_VISIT):
            yield f"what it says of visit {visit.number} is not what the samples say"
    if files:
        yield from _time_faults(measurement)


def _time_faults(measurement: Measurement) -> Iterator[str]:
    """What the record says of when it was measured and its visits do not."""
    visits = measurement.visits
    for field in ("tick_hz", "profile"):
        if getattr(measurement, field) not in [getattr(visit, field) for visit in visits]:
            yield f"its {field} is that of no visit"
    # Python 3.12 adds more exactly than 3.11, which may have written the record.
    is_sum = math.isclose(measurement.seconds, sum(visit.seconds for visit in visits))
    if not is_sum or measurement.started_at != min(visit.started_at for visit in visits):
        yield "its times are not those of its visits"


def _summary_faults(stored: Measurement, with_processes: Measurement) -> Iterator[str]:
    if stored.statistics != VERSION or stored.unit is None or stored.kind is None:
        return
    computed = summarise_points(with_processes, stored.unit, stored.kind)
    for point, computed_point in zip(stored.points, computed.points, strict=True):
        if not _is_same(point.summary, computed_point.summary):
            where = "" if point.x is None else f" at {units.as_given(point.x)}"
            yield f"the summary{where} does not follow from the samples"


def _is_same(stored: Summary | None, computed: Summary | None) -> bool:
    """Whether two summaries differ by no more than the last digits."""
    if stored is None or computed is None:
        return stored is computed
    if stored.warnings != computed.warnings or stored.interval.kind != computed.interval.kind:
        return False
    a, b = _numbers(stored), _numbers(computed)
    return len(a) == len(b) and np.allclose(a, b, rtol=_LAST_DIGITS, atol=0, equal_nan=True)


def _numbers(summary: Summary) -> np.ndarray:
    sibling = [*vars(summary.sibling).values()] if summary.sibling else []
    ends = summary.interval.ends
    fields = {**vars(summary), "interval": ends, "warnings": (), "sibling": sibling}
    return np.hstack([*fields.values()])
