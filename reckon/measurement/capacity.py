"""Capacities read off curves: sealed before the curve is measured, recorded as quantities.

A record holds values as samples of processes. A derived value is one sample of the process from
which it was computed, with that process's conditions: its count of operations is the value, in the
unit that `op` names, and it has no ticks and no witnesses, because nothing was timed for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reckon import config, units
from reckon.errors import ReckonError
from reckon.measurement.events import emit
from reckon.measurement.visit import measure_together, record_measurement
from reckon.prediction.formula import Prediction
from reckon.profiles import PROFILES
from reckon.records.quantities.lookup import from_entry
from reckon.records.quantities.result import Result
from reckon.records.run_files.models import Measurement, Point, Process
from reckon.records.seal import seal
from reckon.records.session import Session, current_session
from reckon.statistics import onset
from reckon.statistics.onset import Onset

_TIMED = "found in `{curve}`: the size of a file from which on {event}"
_MIN_SIZES = 3  # fewer show no jump
_TOO_FEW = "fewer than three sizes were measured"


def measure_capacities(
    curve_of: dict[Prediction, Prediction],
    options: dict[Prediction, dict],
    min_profile: str = "quick",
) -> dict[str, Result]:
    """Results of curves over sizes and of the capacity found in each, by quantity.

    curve_of: the curve of each capacity. options: those of each prediction to be measured, curves
    among them. Where single reads were timed (a prediction of kind "mean") each round of
    fresh processes gives one value; else the whole curve gives one, the last size before the jump.
    In a profile shorter than `min_profile` nothing is measured: the record's results are returned.
    Raises ReckonError, as measure()."""
    session = current_session()
    too_short = config.settings().profile.rank < PROFILES[min_profile].rank
    if too_short or (session.is_replay and min_profile != "quick"):
        return _recorded([*options, *curve_of], session, min_profile)
    sealed = seal(curve_of, session)
    results = measure_together(options)
    for capacity, curve in curve_of.items():
        name = capacity.quantity
        if not (session.is_replay or session.follows):
            results[name] = _record(session.run.name, name, results[curve.quantity])
        elif sealed[name].measurement is None:
            raise ReckonError(
                f"The run {session.run.name} was recorded elsewhere and holds no {name}."
            )
        else:
            results[name] = from_entry(name, sealed[name], "reused")
    return results


def _recorded(
    predictions: list[Prediction], session: Session, min_profile: str
) -> dict[str, Result]:
    """What the run holds of the predictions, which are sealed; without a measurement, why not."""
    rank = PROFILES[min_profile].rank
    profiles = [name for name, profile in PROFILES.items() if profile.rank >= rank]
    reason = f"only the profile {' or '.join(profiles)} measures it"
    results = {}
    for name, quantity in seal(predictions, session).items():
        if quantity.measurement is None:
            results[name] = Result(name, quantity, "predicted", reason)
        else:
            results[name] = from_entry(name, quantity)
    return results


def in_reads(curve: Result) -> tuple[Onset, list[float], np.ndarray]:
    """The capacity by single reads, that of each round of fresh processes, and the share of slow
    reads by size. Sizes are in base units.

    Which sizes do not fit follows from all rounds: from the median share over processes, because a
    program that empties the cache or takes the CPU disturbs some of them. How much fits follows for
    each round from those sizes and the last that fits. The capacity is the median of the rounds,
    its interval the medians of their intervals' ends: as wide as that of one round."""
    # By size: the times of single reads in each round.
    times = [curve.single_trials(point) for point in curve.points]
    no_shares = np.zeros(len(times))
    if len(times) < _MIN_SIZES:
        return Onset(None, reason=_TOO_FEW), [], no_shares
    limit = onset.slow_from(np.concatenate([reads for rounds in times for reads in rounds]))
    if limit is None:
        reason = "the cache was not filled: every read was fast"
        return Onset(None, reason=reason), [], no_shares
    slow_counts = [[int((reads >= limit).sum()) for reads in rounds] for rounds in times]
    read_counts = [[len(reads) for reads in rounds] for rounds in times]
    by_size = zip(slow_counts, read_counts, strict=True)
    shares = np.array([np.median(np.divide(slow, reads)) for slow, reads in by_size])
    total = np.array([sum(counts) for counts in read_counts])
    overall = onset.find(curve.axis, shares * total, total)
    if overall.capacity is None:
        return overall, [], shares
    last_fitting = max(0, overall.fits)
    whole_rounds = min(map(len, slow_counts))  # a stop leaves the last one unfinished
    estimates = [
        onset.likeliest(
            curve.axis[last_fitting:],
            [counts[index] for counts in slow_counts[last_fitting:]],
            [counts[index] for counts in read_counts[last_fitting:]],
            overall.background,
        )
        for index in range(whole_rounds)
    ]
    capacity, low, high = map(float, np.median(estimates, axis=0))
    fits = int(np.searchsorted(curve.axis, capacity, side="right")) - 1
    overall = replace(overall, capacity=capacity, low=low, high=high, fits=fits)
    return overall, [estimate for estimate, _, _ in estimates], shares


def in_times(curve: Result) -> Onset:
    """The capacity by the times of a curve; a whole file's time is divided by its size."""
    if len(curve.points) < _MIN_SIZES:
        return Onset(None, reason=_TOO_FEW)
    is_whole_file = curve.measurement is not None and curve.measurement.op == "file"
    return onset.step(curve.axis, curve.medians / (curve.axis if is_whole_file else 1))


def _capacities(curve: Result) -> tuple[list[float], str | None]:
    """The capacities that the curve shows, one a round or a single one; why there are none."""
    if not curve.has_samples:
        return [], curve.reason
    if curve.seal.kind == "mean":
        curve_onset, values, _ = in_reads(curve)
    else:
        curve_onset = in_times(curve)
        values = [curve_onset.capacity] if curve_onset.capacity else []
    largest = units.size(float(curve.axis[-1]), "MiB")
    return values, curve_onset.reason and f"{curve_onset.reason} up to {largest}"


def _record(run: str, name: str, curve: Result) -> Result:
    """Write the capacities that the curve shows as values of a quantity."""
    values, reason = _capacities(curve)
    measurement = _measurement(curve, values, reason)
    quantity = record_measurement(run, name, measurement)
    state = "reused" if values and curve.state == "reused" else measurement.state
    emit("done", quantity=name, state=state, reason=measurement.reason)
    return Result(name, quantity, state, measurement.reason)


def _measurement(curve: Result, values: list[float], reason: str | None) -> Measurement:
    """The capacities, one for each process that read the largest size; or why there are none.

    The source's probe, machine and time, without what describes its own samples."""
    source = curve.measurement
    assert source
    event = (
        "some of its reads are slow"
        if curve.seal.kind == "mean"
        else "the time of a block rises (the last before)"
    )
    state: str = "failed" if curve.state == "failed" else "unsupported"
    points = []
    if values:
        state, reason = "measured", None
        pairs = zip(curve.points[-1].processes, values, strict=False)
        processes = [_derived(process, value) for process, value in pairs]
        points = [Point(x=None, params={}, stopped="processes", processes=processes)]
    own = {
        "op": "byte",
        "timed": _TIMED.format(curve=curve.quantity, event=event),
        "axis": None,
        "params": {name: value for name, value in source.params.items() if name != source.axis},
        "visits": [],
        "peer": None,
        "samples": 1,
        "warmup": 0,
        "seconds": 0.0,
        "state": state,
        "reason": reason,
        "points": points,
    }
    return source.model_copy(update=own)


def _derived(source: Process, value: float) -> Process:
    """The value that was computed from the samples of that process."""
    untimed = {"ticks": [0], "chain_ticks": None, "wide_ticks": None}
    return source.model_copy(update={**untimed, "ops": round(value), "visit": 0})
