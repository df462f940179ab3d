"""Capacities found in curves: sealed before the curve is measured, recorded as quantities of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reckon import config, records, units
from reckon.config import PROFILES, ReckonError
from reckon.measurement.events import emit
from reckon.measurement.plan import measure_together
from reckon.prediction.formula import Prediction
from reckon.records.models import Measurement, Point
from reckon.records.result import Result, from_record, process_values
from reckon.records.seal import seal
from reckon.records.session import session
from reckon.statistics import onset
from reckon.statistics.onset import Onset

_FOUND = "found in `{curve}`: the size of a file from which on {what}"


def measure_capacities(
    found_in: dict[Prediction, Prediction], plans: dict[Prediction, dict], least: str = "quick"
) -> dict[str, Result]:
    """Results of curves over sizes and of the capacity found in each, by quantity.

    found_in: the curve of each capacity. plans: the predictions to be measured, curves among them,
    with their settings. Where single reads were timed (a prediction of kind "mean") each round of
    fresh processes gives one value; else the whole curve gives one, the last size before the jump.
    In a profile shorter than `least` nothing is measured, and the results are those of the record.
    Raises ReckonError, as measure()."""
    too_short = config.profile().rank < PROFILES[least].rank
    if too_short or (session().replay and least != "quick"):
        return {one.quantity: _recorded(one, least) for one in [*plans, *found_in]}
    sealed = {capacity: seal(capacity) for capacity in found_in}
    results = measure_together(plans)
    for capacity, curve in found_in.items():
        name = capacity.quantity
        if not session().replay:
            results[name] = _record(name, results[curve.quantity])
        elif sealed[capacity].measurement is None:
            raise ReckonError(
                f"The run {session().run.name} was recorded elsewhere and holds no {name}."
            )
        else:
            results[name] = from_record(name, sealed[capacity], "reused")
    return results


def _recorded(prediction: Prediction, least: str) -> Result:
    quantity = seal(prediction)
    if quantity.measurement is not None:
        return from_record(prediction.quantity, quantity)
    reason = f"it is measured in the profile {least} and longer ones"
    return Result(prediction.quantity, quantity, "predicted", reason)


def in_reads(curve: Result) -> tuple[Onset, list[float], np.ndarray]:
    """What the single reads of a curve say: the capacity, the capacity of each round of fresh processes,
    and the share of slow reads by size. All together tell which sizes do not fit, by the median share
    over processes, because whoever empties the cache or takes the CPU meanwhile disturbs some of them;
    from those sizes and the last that fits each round tells how much does. Their median is the capacity,
    the medians of their intervals' ends are its interval, as wide as one round's. Sizes in base units."""
    values = [
        [process_values(p, curve.measurement, curve.unit) for p in point.processes]
        for point in curve.points
    ]
    none = Onset(None, reason="the cache was not filled: every read was fast")
    if len(values) < 3:
        return Onset(None, reason="fewer than three sizes were measured"), [], np.zeros(len(values))
    limit = onset.slow_from(np.concatenate([v for point in values for v in point]))
    if limit is None:
        return none, [], np.zeros(len(values))
    slow = [[int((v >= limit).sum()) for v in point] for point in values]
    reads = [[len(v) for v in point] for point in values]
    shares = np.array([np.median(np.divide(a, b)) for a, b in zip(slow, reads, strict=True)])
    total = np.array([sum(point) for point in reads])
    found = onset.find(curve.axis, shares * total, total)
    if found.capacity is None:
        return found, [], shares
    from_ = max(0, found.fits)
    rounds = [
        onset.likeliest(
            curve.axis[from_:],
            [point[k] for point in slow[from_:]],
            [point[k] for point in reads[from_:]],
            found.background,
        )
        for k in range(min(map(len, slow)))
    ]
    capacity, low, high = map(float, np.median(rounds, axis=0))
    fits = int(np.searchsorted(curve.axis, capacity, side="right")) - 1
    found = replace(found, capacity=capacity, low=low, high=high, fits=fits)
    return found, [one[0] for one in rounds], shares


def in_times(curve: Result) -> Onset:
    """What the times of a curve say that has no single reads; of whole files, by their size."""
    if len(curve.points) < 3:
        return Onset(None, reason="fewer than three sizes were measured")
    times = curve.medians / (curve.axis if curve.measurement.op == "file" else 1)
    return onset.step(curve.axis, times)


def _record(name: str, curve: Result) -> Result:
    """Write what the curve says as samples of a quantity: bytes found, no time."""
    run, m = session().run.name, curve.measurement
    single = curve.seal.kind == "mean"
    if not curve.has_samples:
        found, values, reason = None, [], curve.reason
    else:
        found, values, _ = in_reads(curve) if single else (in_times(curve), None, None)
        if values is None:
            values = [found.capacity] if found.capacity else []
        reason = found.reason and f"{found.reason} up to {units.size(float(curve.axis[-1]), 'MiB')}"
    what = "some of its reads are slow" if single else "the time of a block rises (the last before)"
    last = curve.points[-1].processes if curve.has_samples else []
    point = Point(
        x=None,
        params={},
        stopped="processes",
        processes=[
            p.model_copy(update={"ticks": [0], "ops": round(v)})
            for p, v in zip(last, values, strict=False)
        ],
    )
    state = "measured" if values else "failed" if curve.state == "failed" else "cannot"
    made = Measurement(
        probe=m.probe,
        op="byte",
        timed=_FOUND.format(curve=curve.quantity, what=what),
        reports=m.reports,
        axis=None,
        params={k: v for k, v in m.params.items() if k != m.axis},
        samples=1,
        warmup=0,
        priority=m.priority,
        profile=m.profile,
        key=m.key,
        tick_hz=m.tick_hz,
        started_at=m.started_at,
        seconds=0.0,
        state=state,
        reason=None if values else reason,
        points=[point] if values else [],
    )
    record = records.read_record(run, name.rsplit("/", 1)[0])
    kept = record.quantities[name]
    if values or kept.measurement is None or kept.measurement.state != "measured":
        record.quantities[name] = kept = kept.model_copy(update={"measurement": made})
        records.write_record(run, record)
    state = "reused" if values and curve.state == "reused" else state
    emit("done", quantity=name, state=state, reason=made.reason)
    return Result(name, kept, state, made.reason)
