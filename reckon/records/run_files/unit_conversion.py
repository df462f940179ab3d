"""Samples as values in the unit of a prediction, and the summary of those at one point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from reckon import statistics, units
from reckon.errors import ReckonError
from reckon.records.run_files.models import Measurement, Point, Process
from reckon.records.run_files.siblings import divided, unshared_ratio

# Units that an `.op` of the C library may name; every other op ("call", "pair") is a count.
_OP_UNITS = ("ns", "byte", "cycle")


def sample_values(ticks, ops, op: str, tick_hz: float, unit: str) -> np.ndarray:
    """Samples as values in base units of `unit`.

    A sample is ticks per operation. For a unit without ticks they become time; for a rate (GB/s,
    Gcycle/s) the quotient is turned over; for an amount of what is counted (MiB) it is the count
    alone. Raises ReckonError if none fits.
    """
    dimension = units.dimension(unit)
    per = units.parse(op if op in _OP_UNITS else "1")
    ops = np.asarray(ops, dtype=float) * (units.factor(op) if op in _OP_UNITS else 1.0)
    ticks = np.asarray(ticks, dtype=float)
    tick, second = units.dimension("tick"), units.dimension("s")
    if dimension == tick / per.dimensionality:
        return ticks / ops
    if dimension == second / per.dimensionality:
        return ticks / tick_hz / ops
    if dimension == per.dimensionality / second:
        with np.errstate(divide="ignore"):
            return ops / (ticks / tick_hz)
    if op in _OP_UNITS and dimension == per.dimensionality:
        return np.broadcast_to(ops, ticks.shape)
    raise ReckonError(
        f"The probe's samples are time per {op}; they cannot be expressed in {unit}, which is "
        f"{units.dimension_name(dimension)}."
    )


def trial_times_s(process: Process, measurement: Measurement) -> np.ndarray:
    """When each trial began, in seconds since the measurement's start, but for pauses between."""
    ticks = np.maximum(np.asarray(process.ticks, dtype=float), 0)
    return process.started_s + (np.cumsum(ticks) - ticks) / measurement.tick_hz_of(process)


def ops_in_a_trial(point: Point) -> float:
    # A process counts them once if all of its trials are alike.
    counts = [np.broadcast_to(p.ops, len(p.ticks)) for p in point.processes]
    return float(np.median(np.concatenate(counts)))


def trial_values(ticks, ops, op: str, tick_hz: float, unit: str, kind: str) -> np.ndarray:
    """A process's values of a quantity in base units: one a trial; of a mean, one for all."""
    ticks, ops = _totals(ticks, ops, kind)
    return sample_values(ticks, ops, op, tick_hz, unit)


def per_operation(amounts, ops, kind: str) -> np.ndarray:
    """What a process's operations took, such as core cycles: one value a trial; of a mean, one for
    all."""
    amounts, ops = _totals(amounts, ops, kind)
    return np.asarray(amounts, dtype=float) / np.asarray(ops, dtype=float)


def _totals(amounts, ops, kind: str) -> tuple:
    """The amounts and operations of each trial; of a mean those of all trials together."""
    if kind == "mean":
        return [np.sum(amounts)], [np.sum(np.broadcast_to(ops, np.shape(amounts)))]
    return amounts, ops


# A process's values, had its trials taken these ticks.
ValuesOf = Callable[[Process, ArrayLike], np.ndarray]


def values_of(
    process: Process, ticks: ArrayLike, measurement: Measurement, unit: str, kind: str
) -> np.ndarray:
    """The values of a process's trials, in base units, had they taken these ticks."""
    tick_hz = measurement.tick_hz_of(process)
    return trial_values(ticks, process.ops, measurement.op, tick_hz, unit, kind)


def summarise_point(point: Point, unshared: float, values: ValuesOf) -> statistics.Summary:
    """The summary of a point's samples: of those with the core alone, if enough visits have some.

    values: what is summarised of a process. unshared: see unshared_ratio()."""
    samples = divided(point, unshared)
    visits = [process.visit for process in samples.summarised]
    summarised = [values(process, process.ticks) for process in samples.summarised]
    summary = statistics.summarise(summarised, visits)
    step = _value_of_a_step(samples.summarised, summarised, values)
    summary = replace(summary, step=step).at_least_a_step()
    if not samples.busy:
        return summary
    median = statistics.median_of_visits(
        [values(process, process.ticks) for process in samples.busy],
        [process.visit for process in samples.busy],
    )
    sibling = statistics.BusySibling(samples.busy_share, median, samples.is_mixed)
    return replace(summary, sibling=sibling)


def _value_of_a_step(processes: list[Process], before: list[np.ndarray], values: ValuesOf) -> float:
    """By how much a trial's value, of which `before` has all, changes with one step of the counter:
    the median."""
    step = statistics.common_step([process.ticks for process in processes])

    def change(process: Process, value: np.ndarray) -> float:
        with np.errstate(invalid="ignore"):  # of rates whose trial took no tick
            longer = values(process, np.asarray(process.ticks) + step)
            return float(np.median(np.abs(longer - value)))

    return float(np.median([*map(change, processes, before)]))


def summarise_points(measurement: Measurement, unit: str, kind: str) -> Measurement:
    """The measurement with a summary at each point that has samples.

    Without them where the samples do not fit the unit; reading them reports that."""
    unshared = unshared_ratio(measurement)

    def with_summary(point: Point) -> Point:
        summary = None
        if point.processes:
            summary = summarise_point(
                point,
                unshared,
                lambda process, ticks: values_of(process, ticks, measurement, unit, kind),
            )
        return point.model_copy(update={"summary": summary})

    try:
        points = [with_summary(point) for point in measurement.points]
    except ReckonError:
        return measurement
    basis = {"unit": unit, "kind": kind, "statistics": statistics.VERSION}
    return measurement.model_copy(update={"points": points, **basis})
