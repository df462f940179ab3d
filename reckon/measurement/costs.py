"""What measuring will take: time, and room on the disk."""

from __future__ import annotations

import functools
from pathlib import Path

from reckon import config, records, units
from reckon.computer import scratch
from reckon.measurement import library
from reckon.measurement.probe import DataFiles
from reckon.profiles import PROFILES

# Its records say which files the probes read, for a machine that has no record yet.
_EXAMPLE = config.ROOT / "book" / "runs" / "example"


def sentence(run: str, seconds: float) -> str:
    """What is said before measuring, which is expected to take that time."""
    where, profile = config.settings().scratch_dir, config.settings().profile
    text = f"Measuring and making the pages takes about {units.duration(seconds)}"
    try:
        limit = int(scratch.SHARE_OF_FREE * scratch.free_bytes())
    except OSError:
        return f"{text}; no file can be written in {where}."
    files = [*_files(records.run_dir(run), profile.rank), *_files(_EXAMPLE, profile.rank)]
    size = min(written_bytes(files), limit) if files else limit
    return (
        f"{text}, and writes at most {units.amount(size, 'byte')} to {where}, removed at the end."
    )


@functools.cache
def measuring_s_of_example(page: str, profile: str) -> float:
    """How long the page's quantities were measured on the example's machine, on the first visit; 0
    where that was in another profile, or it lacks the page."""
    prefix = records.METHODS_PREFIX if page == records.METHODS_PREFIX.rstrip("/") else page
    names = [name for name in records.experiments(_EXAMPLE) if name.startswith(prefix)]
    total = 0.0
    for name in names:
        for quantity in records.read_record(_EXAMPLE, name, samples=False).quantities.values():
            visits = quantity.measurement.visits if quantity.measurement else []
            total += sum(visit.seconds for visit in visits[:1] if visit.profile == profile)
    return total


def written_bytes(files: list[DataFiles]) -> int:
    """The size of all files: those of one probe serve the others, and grow to the largest."""
    most = max(each.count for each in files)
    return sum(
        max(each.bytes_each for each in files if each.count > index) for index in range(most)
    )


def _files(run: Path, rank: int) -> list[DataFiles]:
    """The files of each measurement of the run, as long as this profile's at least."""
    probes = library.probes()
    files: list[DataFiles] = []
    for experiment in records.experiments(run):
        for quantity in records.read_record(run, experiment, samples=False).quantities.values():
            measurement = quantity.measurement
            if not (measurement and measurement.probe in probes):
                continue
            if PROFILES[measurement.profile].rank >= rank:
                points = [measurement.params | point.params for point in measurement.points]
                files += filter(None, map(probes[measurement.probe].files, points))
    return files
