"""The raw samples of a run: one compressed file a visit to a quantity, never changed.

They lie at `samples/QUANTITY/NUMBER.json.gz` in the run's folder; the record names them by number.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import zlib
from pathlib import Path

import pydantic

from reckon.errors import ReckonError
from reckon.messages import first_fault
from reckon.records.read_log import version_of
from reckon.records.run_files.files import write_whole
from reckon.records.run_files.models import (
    Measurement,
    Point,
    Process,
    Quantity,
    SamplesFile,
    Visit,
)
from reckon.records.run_files.unit_conversion import summarise_points


def samples_path(folder: Path, quantity: str, visit: int) -> Path:
    """The samples file of a visit, in the folder of the run."""
    return folder / "samples" / quantity / f"{visit}.json.gz"


def with_samples(folder: Path, name: str, quantity: Quantity) -> Quantity:
    """The quantity with the processes of all visits at its points."""
    measurement = quantity.measurement
    if measurement is None or not measurement.visits:
        return quantity
    processes: dict[float | None, list[Process]] = {point.x: [] for point in measurement.points}
    for visit in measurement.visits:
        path = samples_path(folder, name, visit.number)
        after_s = (visit.started_at - measurement.started_at).total_seconds()
        visited = _processes_of_visit(path, version_of(path), visit.number, after_s)
        for x, processes_at_x in visited.items():
            processes.setdefault(x, []).extend(processes_at_x)
    points = [
        point.model_copy(update={"processes": processes[point.x]}) for point in measurement.points
    ]
    return quantity.model_copy(
        update={"measurement": measurement.model_copy(update={"points": points})}
    )


@functools.lru_cache(maxsize=2048)
def _processes_of_visit(
    path: Path, version: tuple[int, int, int], number: int, after_s: float
) -> dict[float | None, list[Process]]:
    """The processes of a visit by the x of their point; after_s: see _visited()."""
    points = read_samples(path).measurement.points
    for process in (process for point in points for process in point.processes):
        # As _visited(), without copies: nobody else has read these.
        process.visit, process.started_s = number, process.started_s + after_s
    return {point.x: point.processes for point in points}


def read_samples(path: Path) -> SamplesFile:
    """The samples of one visit. Raises FileNotFoundError, and ReckonError if they are broken."""
    try:
        return SamplesFile.model_validate_json(gzip.decompress(path.read_bytes()))
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise ReckonError(f"{path} cannot be read ({error}).") from None
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path} holds no samples ({first_fault(error)}).") from None


def with_visit(folder: Path, name: str, quantity: Quantity) -> Measurement | None:
    """The measurement with its new samples written as a visit; without any, as it is."""
    measurement = quantity.measurement
    if measurement is None:
        return None
    points = [_new_processes(point) for point in measurement.points]
    if not any(point.processes for point in points):
        return _with_summaries(quantity, _as_of_its_visits(measurement))
    number = 1 + max(
        [*_visit_numbers(folder, name), *(v.number for v in measurement.visits)], default=0
    )
    of_visit = {"points": points, "visits": [], "unit": None, "kind": None, "statistics": None}
    content = SamplesFile(
        quantity=name, visit=number, measurement=measurement.model_copy(update=of_visit)
    )
    # Without the time of writing: the same samples give the same bytes.
    data = gzip.compress(content.model_dump_json().encode(), compresslevel=6, mtime=0)
    write_whole(samples_path(folder, name, number), data)
    visit = Visit(
        number=number,
        started_at=measurement.started_at,
        seconds=measurement.seconds,
        profile=measurement.profile,
        tick_hz=measurement.tick_hz,
        digest=hashlib.sha256(data).hexdigest(),
    )
    visits = [*measurement.visits, visit]
    begin = min(visit.started_at for visit in visits)
    after_s = (visit.started_at - begin).total_seconds()
    points = [
        _of_visit(point, number, after_s) if visit_point.processes else point
        for point, visit_point in zip(measurement.points, points, strict=True)
    ]
    complete = measurement.model_copy(update={"visits": visits, "points": points})
    return _with_summaries(quantity, _as_of_its_visits(complete))


def _of_visit(point: Point, number: int, after_s: float) -> Point:
    """The point with its new processes as that visit's, as they are read back."""
    processes = [
        process if process.visit else _visited(process, number, after_s)
        for process in point.processes
    ]
    return point.model_copy(update={"processes": processes, "summary": None})


def _visited(process: Process, number: int, after_s: float) -> Process:
    """The process of a samples file as that visit's.

    after_s: from the start of the measurement to that of the visit."""
    return process.model_copy(update={"visit": number, "started_s": process.started_s + after_s})


def _as_of_its_visits(measurement: Measurement) -> Measurement:
    """The measurement with the times and the counter's rate of its visits.

    An attempt without samples, as where a failed point fails again, leaves no trace in them."""
    visits = measurement.visits
    if not visits:
        return measurement
    return measurement.model_copy(
        update={
            "started_at": min(visit.started_at for visit in visits),
            "seconds": sum(visit.seconds for visit in visits),
            "tick_hz": visits[-1].tick_hz,
        }
    )


def _with_summaries(quantity: Quantity, measurement: Measurement) -> Measurement:
    """The measurement with a summary wherever processes have been read; computed only if needed."""
    is_summarised = all(point.summary for point in measurement.points if point.processes)
    if is_summarised or not quantity.predictions:
        return measurement
    return summarise_points(measurement, quantity.predictions[-1].unit, quantity.seal.kind)


def _new_processes(point: Point) -> Point:
    """The point with those processes alone that belong to no visit yet."""
    new = [process for process in point.processes if not process.visit]
    return point.model_copy(update={"processes": new, "summary": None})


def _visit_numbers(folder: Path, quantity: str) -> list[int]:
    files = (folder / "samples" / quantity).glob("*.json.gz")
    return [int(file.name.partition(".")[0]) for file in files if file.name[0].isdigit()]


def remove_unnamed(folder: Path, name: str, quantity: Quantity) -> None:
    """Removes the quantity's samples that its record does not name."""
    visits = quantity.measurement.visits if quantity.measurement else []
    for number in set(_visit_numbers(folder, name)) - {visit.number for visit in visits}:
        samples_path(folder, name, number).unlink(missing_ok=True)
