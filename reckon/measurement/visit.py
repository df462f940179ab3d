"""Measuring predictions: one visit to several quantities, from their seals to their records."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from reckon import config, records, statistics
from reckon.errors import ReckonError
from reckon.measurement import library, needs, reuse
from reckon.measurement.events import emit, report_wait
from reckon.measurement.plan import Plan
from reckon.measurement.sampling import PointSampler, collect
from reckon.messages import join_words
from reckon.prediction.formula import Prediction, refuse_other
from reckon.profiles import Profile
from reckon.records.quantities.result import Result
from reckon.records.run_files.models import Attempt, Measurement, Point, Quantity
from reckon.records.seal import seal
from reckon.records.session import Session, current_session


def measure(prediction: Prediction, probe: str | None = None, **options) -> Result:
    """The measured quantity of a prediction, or the samples that its record already holds.

    probe: the probe, where its name is not the quantity's. options: those of
    MeasurementOptions; any other name is a parameter of the probe. Returns a Result also if this
    machine does not support the probe (state "unsupported") or it failed (state "failed"). Raises
    ReckonError.
    """
    return measure_together([prediction], probe=probe, **options)[prediction.quantity]


def measure_together(
    predictions: Sequence[Prediction] | Mapping[Prediction, dict], **common
) -> dict[str, Result]:
    """Results of several predictions by quantity, measured interleaved.

    predictions: those that share all options, or each with options of its own, which precede the
    common ones. Options are those of measure(). Raises ReckonError.
    """
    for prediction in predictions:
        refuse_other(prediction, "rk.measure")
    if not isinstance(predictions, Mapping):
        predictions = dict.fromkeys(predictions, {})
    options = {prediction: common | special for prediction, special in predictions.items()}
    session = current_session()
    plans = _plans(options, session, config.settings().profile, visits=session.visits)
    return _measure(session, plans, all_or_none=False)


def measure_in_rounds(
    options: Mapping[Prediction, dict], session: Session, profile: Profile
) -> dict[str, Result]:
    """Results as those of measure_together(), to be compared round by round under that profile:
    samples of some predictions are reused only if those of all are."""
    return _measure(session, _plans(options, session, profile, visits=1), all_or_none=True)


def _plans(
    options: Mapping[Prediction, dict], session: Session, profile: Profile, *, visits: int
) -> dict[Prediction, Plan]:
    """The plan of each prediction. Raises ReckonError if two are of the same quantity, and for an
    unknown or wrong parameter."""
    plans = {
        prediction: Plan(prediction, more, session=session, profile=profile, visits=visits)
        for prediction, more in options.items()
    }
    for plan in plans.values():
        plan.refuse_wrong_parameters()
    for quantity, times in Counter(plan.quantity for plan in plans.values()).items():
        if times > 1:
            raise ReckonError(f"Two predictions of {quantity} cannot be measured in one call.")
    return plans


def _measure(
    session: Session, plans: dict[Prediction, Plan], *, all_or_none: bool
) -> dict[str, Result]:
    recorded = _recorded(session, plans, all_or_none=all_or_none)
    if None not in recorded.values():
        return _reported(recorded)
    if session.follows:
        missing = join_words(f"`{name}`" for name, result in recorded.items() if not result)
        raise ReckonError(f"It would measure {missing}: run the cell yourself.")

    def on_wait(sentence: str) -> None:
        report_wait(next(iter(recorded)), sentence)

    with records.measuring(session.run.name, on_wait):
        # Another process may have measured the same until now.
        if any(not recorded[plan.quantity] and reuse.is_reusable(plan) for plan in plans.values()):
            recorded = _recorded(session, plans, all_or_none=all_or_none)
        results = _reported(recorded)
        new = [plan for plan in plans.values() if plan.quantity not in results]
        if not all_or_none:
            for plan in new:
                reuse.keep_good_points(plan)
        results |= run_together(new, record_measurement)
    return {quantity: results[quantity] for quantity in recorded}


def _recorded(
    session: Session, plans: dict[Prediction, Plan], *, all_or_none: bool
) -> dict[str, Result | None]:
    """The result of each quantity that need not be measured, else None; all are sealed."""
    sealed = seal(plans, session)
    recorded = {}
    for plan in plans.values():
        quantity = sealed[plan.quantity]
        result = reuse.reused_result(plan, quantity) or reuse.shown_result(plan, quantity)
        recorded[plan.quantity] = result
        if session.is_replay and session.variants is not None:  # a person may have edited the call
            print(reuse.other_settings(plan, quantity.measurement), end="")
    return dict.fromkeys(recorded) if all_or_none and None in recorded.values() else recorded


def _reported(recorded: dict[str, Result | None]) -> dict[str, Result]:
    """The results that are there, reported to the build."""
    results = {quantity: result for quantity, result in recorded.items() if result}
    for result in results.values():
        emit("done", quantity=result.quantity, state=result.state, reason=result.reason)
    return results


def run_together(
    plans: Sequence[Plan], write: Callable[[str, str, Measurement], Quantity]
) -> dict[str, Result]:
    """Results of the plans by quantity: sampled interleaved, then written to their records.

    write: writes the measurement of a quantity: run, name, measurement. At a stop what is complete
    is written.
    """
    if not plans:
        return {}
    cpu = plans[0].session.run.measured_cpu
    for plan in plans:
        emit("measuring", quantity=plan.quantity)
        plan.peer, locations = needs.provide(plan)
        for point in plan.points:
            options = replace(point.run.options, cpu=cpu)
            point.run = replace(point.run, locations=locations, options=options)
    statistics.load()  # or its half second would count as measuring
    start_s = time.monotonic()
    try:
        collect([point for plan in plans for point in plan.open_points()])
    finally:
        seconds = (time.monotonic() - start_s) / len(plans)
        complete = [plan for plan in plans if not plan.open_points()]
        results = {plan.quantity: _record(plan, seconds, write) for plan in complete}
    return results


def _record(
    plan: Plan, seconds: float, write: Callable[[str, str, Measurement], Quantity]
) -> Result:
    measurement = _measurement(plan, seconds)
    quantity = write(plan.session.run.name, plan.quantity, measurement)
    state, reason = measurement.state, measurement.reason
    emit("done", quantity=plan.quantity, state=state, reason=reason, seconds=seconds)
    return Result(plan.quantity, quantity, state, reason, plan.session.run.between_visits)


def _measurement(plan: Plan, seconds: float) -> Measurement:
    """What sampling gave: without samples at any point, the reason of the first."""
    first, run_options = plan.points[0], plan.points[0].run.options
    is_measured = any(point.processes for point in plan.points)
    return Measurement(
        probe=plan.probe.name,
        op=plan.probe.op,
        version=plan.probe.version,
        timed=plan.probe.timed,
        reports=list(plan.probe.reports),
        axis=plan.options.over,
        params=plan.parameters_at(None, profile=plan.profile.name),
        peer=plan.peer,
        samples=run_options.samples,
        warmup=run_options.warmup,
        priority=run_options.priority,
        profile=plan.profile.name,
        key=reuse.key(plan, profile=plan.profile.name),
        tick_hz=library.tick_hz(),
        started_at=plan.started_at,
        seconds=round(seconds, 3),
        state="measured" if is_measured else _without_samples(first.stopped),
        reason=None if is_measured else first.reason,
        points=[_point(point) for point in plan.points] if is_measured else [],
        visits=plan.earlier_visits,
    )


def _point(sampler: PointSampler) -> Point:
    assert sampler.stopped  # sampling is over
    return Point(
        x=sampler.x,
        params=sampler.run.parameters,
        processes=sampler.processes,
        stopped=sampler.stopped,
        reason=sampler.reason,
    )


def record_measurement(run: str, name: str, measurement: Measurement) -> Quantity:
    """The quantity with that measurement written to its record, in place of an earlier one.

    Without samples it is written as an attempt, if earlier samples are there."""
    with records.updating(run, records.experiment_of(name)) as record:
        quantity = record.quantities[name]
        if measurement.points or not quantity.has_samples:
            update: dict = {"measurement": measurement, "attempt": None}
        else:
            attempt = Attempt(
                at=measurement.started_at,
                state=_without_samples(measurement.state),
                reason=measurement.reason,
                profile=measurement.profile,
            )
            update = {"attempt": attempt}
        record.quantities[name] = quantity.model_copy(update=update)
    return record.quantities[name]


def _without_samples(state: str | None) -> Literal["unsupported", "failed"]:
    return "failed" if state == "failed" else "unsupported"
