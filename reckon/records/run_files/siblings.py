"""The samples of a point that had the core alone, and those with a busy sibling."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reckon import statistics
from reckon.records.run_files.models import Measurement, Point, Process


@dataclass(frozen=True)
class Divided:
    """The samples of a point as its summary takes them."""

    summarised: list[Process]  # those of an unshared core, or all if these are too few
    busy: list[Process] = field(default_factory=list)  # the trials of a shared core
    busy_share: float = 0.0  # of the time of all trials
    is_mixed: bool = False  # whether those summarised hold the busy ones


def divided(point: Point, unshared: float) -> Divided:
    """The point's samples by whether the core was shared; without witnesses it was not.

    A busy sibling makes no operation faster: where the samples that look as if there was one are,
    something else decided, such as the probe's own partner or the disk, and they are not divided.
    unshared: see unshared_ratio()."""
    pairs = [(process, _busy_trials(process, unshared)) for process in point.processes]
    busy = [_part(process, trials) for process, trials in pairs if trials.any()]
    if not busy:
        return Divided(point.processes)
    alone = [_part(process, ~trials) for process, trials in pairs if not trials.all()]
    if alone and _time_of_an_operation(busy) < _time_of_an_operation(alone):
        return Divided(point.processes)
    is_enough = len({process.visit for process in alone}) >= statistics.VISITS_ALONE
    return Divided(
        summarised=alone if is_enough else point.processes,
        busy=busy,
        busy_share=_time(busy) / max(_time(point.processes), 1.0),
        is_mixed=not is_enough,
    )


def unshared_ratio(measurement: Measurement) -> float:
    """The witnesses' ratio while the core was unshared, by all samples; nan without witnesses."""
    processes = [process for point in measurement.points for process in point.processes]
    return statistics.unshared_ratio(_ratios(each) for each in processes if each.wide_ticks)


def _ratios(process: Process) -> np.ndarray:
    return np.asarray(process.wide_ticks, float) / np.asarray(process.chain_ticks, float)


def _busy_trials(process: Process, unshared: float) -> np.ndarray:
    if not process.wide_ticks:
        return np.zeros(len(process.ticks), bool)
    return statistics.is_busy(_ratios(process), unshared)


def _part(process: Process, trials: np.ndarray) -> Process:
    if trials.all():
        return process
    of_trials = {
        name: np.asarray(values)[trials].tolist()
        for name in ("ticks", "ops", "chain_ticks", "wide_ticks")
        if isinstance(values := getattr(process, name), list)
    }
    return process.model_copy(update=of_trials)


def _time_of_an_operation(processes: list[Process]) -> float:
    """In ticks, as a quantity's value is taken; a trial without an operation counts as of one."""
    times = [np.divide(process.ticks, np.maximum(process.ops, 1)) for process in processes]
    return statistics.median_of_visits(times, [process.visit for process in processes])


def _time(processes: list[Process]) -> float:
    """The ticks of all trials; a difference that came out negative counts as none."""
    return float(sum(np.maximum(process.ticks, 0).sum() for process in processes))
