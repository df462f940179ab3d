"""Later visits: quantities measured again minutes after the first time, as their records say.

A record says how its probe ran, so that no notebook is executed for a visit. All quantities of an
experiment are visited together, interleaved, which keeps those together that are compared.

Visited again are single quantities of the profile's own measurement. Curves are not: their points
support one another, and they take most of a run's time. Neither are capacities, which are read off
a curve, nor the methods measured in rounds on a page of their own.
"""

from __future__ import annotations

from dataclasses import replace

from reckon import config, records, statistics
from reckon.measurement import library, reuse
from reckon.measurement.events import report_wait
from reckon.measurement.plan import Plan, options_of
from reckon.measurement.visit import record_measurement, run_together
from reckon.profiles import Profile
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.records.run_files.models import Measurement, Quantity
from reckon.records.session import Session

_MIN_PROCESSES = 4  # in a visit, or as many as the first visit's time allowed


def experiments_to_visit(run: str, visit: int) -> dict[str, float]:
    """The experiments of the run that have quantities without that visit, each with the seconds
    that it will take, by the visit before."""
    profile = config.settings().profile
    seconds_of = {}
    for experiment in records.own_experiments(run):
        seconds = [
            quantity.measurement.visits[-1].seconds
            for quantity in records.read_record(run, experiment, samples=False).quantities.values()
            if quantity.measurement and _lacks_visit(quantity, profile, visit)
        ]
        if seconds:
            seconds_of[experiment] = sum(seconds)
    return seconds_of


def _lacks_visit(quantity: Quantity, profile: Profile, visit: int) -> bool:
    measurement = quantity.measurement
    if measurement is None or measurement.state != "measured" or measurement.axis:
        return False
    if measurement.profile != profile.name or len(measurement.visits) >= visit:
        return False
    # What a failed visit left is complete: with FRESH=1 all visits are made again.
    if quantity.attempt:
        return False
    if measurement.is_derived:
        return False
    # Slow probes have used the quantity's time before the last visit.
    return measurement.seconds < profile.max_budgets * profile.budget_s


def visit_again(session: Session, experiment: str, visit: int) -> int:
    """Makes that visit to the quantities of the experiment that lack it; the number of them.

    One that fails is written as an attempt. Raises ReckonError if nothing can be written."""
    run, profile = session.run.name, config.settings().profile
    with records.measuring(run, lambda sentence: report_wait(experiment, sentence)):
        quantities = records.read_record(run, experiment, samples=False).quantities
        plans = [
            _plan(session, name, quantity, profile)
            for name, quantity in quantities.items()
            if _lacks_visit(quantity, profile, visit)
        ]
        due = [plan for plan in plans if plan]
        run_together(due, _add_visit)
    return len(due)


def _plan(session: Session, name: str, quantity: Quantity, profile: Profile) -> Plan | None:
    """How to measure it again as its record says; None if no longer of the same thing."""
    measurement = quantity.measurement
    assert measurement
    if measurement.probe not in library.probes():
        return None
    prediction = to_prediction(name, quantity.seal)
    options = options_of(measurement, measurement.points[0])
    plan = Plan(prediction, options, session=session, profile=_share(profile, measurement))
    return plan if reuse.key(plan, profile=profile.name) == measurement.key else None


def _share(profile: Profile, measurement: Measurement) -> Profile:
    """The profile with one visit's share of the time: not more processes than the first had."""
    (point,) = measurement.points
    assert point.summary
    most = max(1, point.summary.processes // len(measurement.visits))
    return replace(
        profile,
        min_processes=min(_MIN_PROCESSES, most),
        max_processes=most,
        budget_s=profile.budget_s / profile.visits,
        span_s=profile.span_s / profile.visits,
    )


def _add_visit(run: str, name: str, measurement: Measurement) -> Quantity:
    """The quantity with the samples of that measurement added to those of earlier visits."""
    if not measurement.points:
        return record_measurement(run, name, measurement)  # as an attempt
    (new,) = measurement.points
    with records.updating(run, records.experiment_of(name)) as record:
        quantity = record.quantities[name]
        earlier = quantity.measurement
        assert earlier
        (point,) = earlier.points
        processes = [*point.processes, *new.processes]
        update = {
            "points": [point.model_copy(update={"processes": processes, "stopped": new.stopped})],
            "started_at": measurement.started_at,
            "seconds": measurement.seconds,
            "tick_hz": measurement.tick_hz,
        }
        record.quantities[name] = quantity.model_copy(
            update={"measurement": earlier.model_copy(update=update)}
        )
    return record.quantities[name]


def write_pooled_variance(run: str) -> None:
    """Writes to the run what its quantities say of the variance between visits, if that is new."""
    summaries = [
        point.summary
        for experiment in records.own_experiments(run)
        for quantity in records.read_record(run, experiment, samples=False).quantities.values()
        if quantity.measurement
        for point in quantity.measurement.points
        if point.summary and point.x is None
    ]
    pooled = statistics.pooled_variance(
        [summary.visit_medians for summary in summaries],
        [summary.visit_spread for summary in summaries],
    )
    with records.writing(run):
        description = records.read_run(run)
        if description and description.between_visits != pooled:
            records.write_run(description.model_copy(update={"between_visits": pooled}))
