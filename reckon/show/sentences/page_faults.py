"""Page faults as the kernel counted them in the processes that were timed."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from reckon.records.quantities.result import Result
from reckon.show.block import Block, grid
from reckon.show.tables.process_conditions import processes_of
from reckon.show.text import NONE
from reckon.show.titles import title_of

_HEADER = [
    "Measurement",
    "Pages touched",
    "Faults in the trials",
    "Minor faults of the processes",
    "Major faults",
]


_COUNTED = "fault"  # the `.op` of probes that count the faults of each trial


def fault_counts(
    results: Iterable[Result], caption: str, name: str, *, touches_parameter: str
) -> Block:
    """Pages touched, and faults counted in the trials and in the whole processes.

    touches_parameter: the probes' parameter that says how many pages a trial touches.
    """
    return grid(_HEADER, [_row(result, touches_parameter) for result in results], caption, name)


def faults_per_touch(result: Result, *, touches_parameter: str) -> float:
    """Faults for each page touched, counted in the trials or, by probes that count none there, in
    the processes; nan if the pages are unknown."""
    touches, faults = _touches(result, touches_parameter), _faults_in_trials(result)
    if faults is None:
        faults = sum(p.minor_faults + p.major_faults for p in processes_of(result))
    return faults / touches if touches else math.nan


def time_per_major_fault(result: Result) -> float:
    """Seconds of all trials for each major fault of the processes; nan without one."""
    faults = sum(process.major_faults for process in processes_of(result))
    if not (faults and result.measurement):
        return math.nan
    ticks = sum(sum(process.ticks) for process in processes_of(result))
    return ticks / result.measurement.tick_hz / faults


def _touches(result: Result, parameter: str) -> int | None:
    """Pages touched in all trials; None if the probe sets their number itself."""
    touches = result.measurement.params.get(parameter) if result.measurement else None
    trials = sum(len(process.ticks) for process in processes_of(result))
    return trials * int(touches) if touches else None


def _faults_in_trials(result: Result) -> int | None:
    """Faults in all trials; None if the probe counts no faults."""
    if result.measurement is None or result.measurement.op != _COUNTED:
        return None
    counts = [np.broadcast_to(p.ops, len(p.ticks)) for p in processes_of(result)]
    return sum(int(np.sum(count)) for count in counts)


def _row(result: Result, touches_parameter: str) -> list[str]:
    in_trials = (_touches(result, touches_parameter), _faults_in_trials(result))
    minor = sum(process.minor_faults for process in processes_of(result))
    major = sum(process.major_faults for process in processes_of(result))
    texts = [NONE if count is None else str(count) for count in (*in_trials, minor, major)]
    return [title_of(result.quantity), *texts]
