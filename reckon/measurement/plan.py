"""Measuring predictions: what is measured of each, from its seal to its record."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from reckon import config, records, statistics, units
from reckon.config import PROFILES, ByProfile, Profile, ReckonError
from reckon.measurement import library, needs, reuse
from reckon.measurement.events import emit
from reckon.measurement.library import Needs
from reckon.measurement.sampling import PointSampler, ProbeRun, TimeBudget, collect
from reckon.prediction.formula import Prediction
from reckon.prediction.inputs import Input
from reckon.records.models import Attempt, Measurement, Point, Quantity, Visit
from reckon.records.result import Result
from reckon.records.session import current_session

# The unit of a parameter is the suffix of its name; without one it is a count.
_UNIT_OF_SUFFIX = {"bytes": "byte", "ns": "ns", "ms": "ms", "percent": "%"}
# Axes of these kinds cannot be a count.
_NEED_A_UNIT = ("s", "byte")


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
    own = predictions if isinstance(predictions, Mapping) else dict.fromkeys(predictions, {})
    options = {prediction: common | more for prediction, more in own.items()}
    builder = config.builder()
    return _measure(
        options,
        config.settings().profile,
        visits=builder.visits if builder else 1,
        all_or_none=False,
    )


def measure_in_rounds(options: Mapping[Prediction, dict], profile: Profile) -> dict[str, Result]:
    """Results as those of measure_together(), to be compared round by round under that profile:
    samples of some predictions are reused only if those of all are."""
    return _measure(options, profile, visits=1, all_or_none=True)


def _measure(
    options: Mapping[Prediction, dict], profile: Profile, *, visits: int, all_or_none: bool
) -> dict[str, Result]:
    plans = [Plan(prediction, profile, more, visits) for prediction, more in options.items()]
    for quantity, times in Counter(plan.quantity for plan in plans).items():
        if times > 1:
            raise ReckonError(f"Two predictions of {quantity} cannot be measured in one call.")
    reused = _reused(plans, all_or_none=all_or_none)
    if None not in reused.values():
        return _reported(reused)
    waited = []

    def on_wait(sentence: str) -> None:
        waited.append(sentence)
        _report_wait(plans[0].quantity, sentence)

    with records.measuring(current_session().run.name, on_wait):
        if waited:  # the other process may have measured the same
            reused = _reused(plans, all_or_none=all_or_none)
        results = _reported(reused)
        new = [plan for plan in plans if plan.quantity not in results]
        run_together(new)
        results |= {plan.quantity: plan.record() for plan in new}
    return {plan.quantity: results[plan.quantity] for plan in plans}


def _of_first_visit(profile: Profile, visits: int) -> Profile:
    """The profile with the share of the time that the first of several visits has."""
    if visits == 1:
        return profile
    return replace(
        profile,
        # Later predictions take this visit's interval as that of their input.
        min_processes=min(profile.min_processes, statistics.PROCESSES_FOR_AN_INTERVAL),
        max_processes=math.ceil(profile.max_processes / visits),
        budget_s=profile.budget_s / visits,
        span_s=profile.span_s / visits,
    )


def _reused(plans: list[Plan], *, all_or_none: bool) -> dict[str, Result | None]:
    """The result of each quantity whose samples can be reused, else None; all are sealed.

    Of a curve with failed points the others are kept, unless `all_or_none`."""
    reused = {plan.quantity: reuse.seal_or_reuse(plan) for plan in plans}
    if all_or_none and None in reused.values():
        return dict.fromkeys(reused)
    for plan in plans:
        if not reused[plan.quantity] and not all_or_none:
            reuse.keep_good_points(plan)
    return reused


def _reported(reused: dict[str, Result | None]) -> dict[str, Result]:
    """The results that are there, reported to the builder."""
    results = {quantity: result for quantity, result in reused.items() if result}
    for result in results.values():
        emit("done", quantity=result.quantity, state=result.state, reason=result.reason)
    return results


def _report_wait(quantity: str, sentence: str) -> None:
    emit("preparing", quantity=quantity, what=sentence)
    if not config.builder():
        print(sentence, file=sys.stderr)


def run_together(plans: list[Plan]) -> None:
    """Takes the samples of all plans, interleaved; what was complete at a stop is recorded."""
    if not plans:
        return
    for plan in plans:
        emit("measuring", quantity=plan.quantity)
        plan.other_end, places = needs.provide(plan)
        for point in plan.points:
            point.run = replace(point.run, places=places)
    statistics.load()  # or its half second would count as measuring
    start_s = time.monotonic()
    try:
        collect([point for plan in plans for point in plan.open_points()])
    except KeyboardInterrupt:
        for plan in plans:
            if not plan.open_points():  # complete: a stop must not lose it
                plan.seconds = (time.monotonic() - start_s) / len(plans)
                plan.record()
        raise
    for plan in plans:
        plan.seconds = (time.monotonic() - start_s) / len(plans)


@dataclass(frozen=True, kw_only=True)
class MeasurementOptions:
    """How a quantity is measured."""

    probe: str | None = None
    over: str | None = None  # the parameter that takes the values of the prediction's axis
    samples: int | ByProfile = 20  # trials in each fresh process
    warmup: int = 1  # trials before them
    priority: str = "nice"
    # The time that all points of a curve share once they have the processes that an interval needs,
    # instead of the profile's.
    budget_s: ByProfile | None = None
    until: ByProfile | None = None  # how far along its axis a curve is measured, in base units
    min_profile: str = "quick"  # the shortest profile that measures it
    parameters: dict = field(default_factory=dict)  # of the probe

    @classmethod
    def of(cls, options: dict) -> MeasurementOptions:
        """The options; any other name is a parameter of the probe."""
        known = {one.name for one in fields(cls)} - {"parameters"}
        own = {name: value for name, value in options.items() if name in known}
        more = {name: value for name, value in options.items() if name not in known}
        return cls(**own, parameters=more)


class Plan:
    """What is measured of one prediction: its probe at each point of its axis."""

    def __init__(self, prediction: Prediction, profile: Profile, options: dict, visits: int = 1):
        if not isinstance(prediction, Prediction):
            raise ReckonError(
                f"{prediction!r} is no prediction; measure takes what the function under "
                "@rk.predict returns."
            )
        self.prediction = prediction
        # A curve is visited once: its points support one another, and they take most of the time.
        self.visits = 1 if prediction.curve_axis else visits
        self.profile = _of_first_visit(profile, self.visits)
        self.options = MeasurementOptions.of(options)
        self.session = current_session()
        self.probe = library.probe(self.options.probe or self.quantity)
        self.started_at = records.now()
        self.seconds = 0.0
        self.earlier_visits: list[Visit] = []  # whose good points are kept
        self.other_end: str | None = None  # the host that the probe talks to
        self.swept = self._swept_values()
        self.points = self._point_samplers()

    @property
    def quantity(self) -> str:
        return self.prediction.quantity

    @property
    def uses_peer(self) -> bool:
        """Whether the probe talks to the other host, rather than to this machine."""
        peer = self.options.parameters.get("peer")
        return Needs.PEER in self.probe.needs and peer == "other" and not self.session.replay

    @property
    def server(self) -> str | None:
        """The NFS server that the probe reads from, of nfs.SERVERS."""
        if Needs.SERVER not in self.probe.needs:
            return None
        return (self.probe.defaults | self.options.parameters)["server"]

    def keep(self, measurement: Measurement) -> None:
        """Keep the points of an earlier measurement that did not fail; the others stay open."""
        earlier = {point.x: point for point in measurement.points if point.stopped != "failed"}
        for sampler in self.points:
            if point := earlier.get(sampler.x):
                sampler.processes, sampler.stopped = point.processes, point.stopped
                sampler.reason = point.reason
        self.earlier_visits = measurement.visits

    def open_points(self) -> list[PointSampler]:
        """The points that nothing has stopped."""
        return [point for point in self.points if not point.stopped]

    def _swept_values(self) -> list[int | None]:
        """The values of the swept parameter, in its own unit; [None] without one."""
        axis, over = self.prediction.curve_axis, self.options.over
        if bool(axis) != bool(over):
            raise ReckonError(
                f"{self.quantity}: a prediction with an axis is measured with over=, naming the "
                "parameter that takes its values, and one without is not."
            )
        return (
            [*_in_unit_of(over, _axis_values(axis[1]), axis[1].unit)] if axis and over else [None]
        )

    def parameters_at(self, value: int | None, *, profile: str) -> dict:
        """The probe's parameters under that profile, with that value of the swept one."""
        values = {
            name: config.value_at(one, profile=profile)
            for name, one in self.options.parameters.items()
        }
        return values if value is None else {**values, self.options.over: value}

    def _point_samplers(self) -> list[PointSampler]:
        name, budget_s = self.profile.name, self.options.budget_s
        axis = self.prediction.curve_axis
        places: Sequence[float | None] = _axis_values(axis[1]) if axis else [None]
        # A point of a curve needs only as many processes as an interval takes: its neighbours say
        # the rest.
        min_processes = statistics.PROCESSES_FOR_AN_INTERVAL if axis else self.profile.min_processes
        shared = TimeBudget(budget_s.at(name) / self.visits) if budget_s else None
        share_s = (shared or self.profile).budget_s / len(places)
        return [
            PointSampler(
                run=ProbeRun(
                    probe=self.probe.name,
                    parameters=self.parameters_at(value, profile=name),
                    samples=self._trials(),
                    warmup=self.options.warmup,
                    priority=self.options.priority,
                ),
                x=x,
                unit=self.prediction.unit,
                kind=self.prediction.formula.kind,
                profile=self.profile,
                min_processes=min_processes,
                budget=TimeBudget(share_s),
                shared=shared,
            )
            for x, value in zip(places, self.swept, strict=True)
        ]

    def _trials(self) -> int:
        """Trials in each process under the profile; a single one stays single."""
        trials = config.value_at(self.options.samples, profile=self.profile.name)
        return max(2, round(trials * self.profile.trials)) if trials > 1 else 1

    def record(self) -> Result:
        """Write the samples to the record; an earlier good measurement outlives a failure."""
        made = self._measurement()
        quantity = self._written(made)
        emit(
            "done",
            quantity=self.quantity,
            state=made.state,
            reason=made.reason,
            seconds=self.seconds,
        )
        between_visits = self.session.run.between_visits
        return Result(self.quantity, quantity, made.state, made.reason, between_visits)

    def _written(self, made: Measurement) -> Quantity:
        return record_measurement(self.quantity, made)

    def _measurement(self) -> Measurement:
        first = self.points[0]
        is_measured = any(point.processes for point in self.points)
        return Measurement(
            probe=self.probe.name,
            op=self.probe.op,
            version=self.probe.version,
            timed=self.probe.timed,
            reports=list(self.probe.reports),
            axis=self.options.over,
            params=self.parameters_at(None, profile=self.profile.name),
            peer=self.other_end,
            samples=first.run.samples,
            warmup=self.options.warmup,
            priority=self.options.priority,
            profile=self.profile.name,
            key=reuse.key(self, profile=self.profile.name),
            tick_hz=library.tick_hz(),
            started_at=self.started_at,
            seconds=round(self.seconds, 3),
            state="measured" if is_measured else _without_samples(first.stopped),
            reason=None if is_measured else first.reason,
            points=[_point(point) for point in self.points] if is_measured else [],
            visits=self.earlier_visits,
        )


def options_of(measurement: Measurement, point: Point) -> dict:
    """How one point was measured, as the options of measure()."""
    return {
        "probe": measurement.probe,
        "samples": _requested_samples(measurement),
        "warmup": measurement.warmup,
        "priority": measurement.priority,
        **point.params,
    }


def _requested_samples(measurement: Measurement) -> float:
    """The trials that the notebook requested: the record has them as the profile made them."""
    if measurement.samples == 1:
        return 1
    requested = measurement.samples / PROFILES[measurement.profile].trials
    return int(requested) if requested.is_integer() else requested


def record_measurement(name: str, made: Measurement) -> Quantity:
    """The quantity with that measurement written to its record.

    Without samples it is written as an attempt, if earlier samples are there."""
    run = current_session().run.name
    with records.updating(run, name.rsplit("/", 1)[0]) as record:
        quantity = record.quantities[name]
        if made.points or not quantity.has_samples:
            update: dict = {"measurement": made, "attempt": None}
        else:
            attempt = Attempt(
                at=made.started_at,
                state=_without_samples(made.state),
                reason=made.reason,
                profile=made.profile,
            )
            update = {"attempt": attempt}
        record.quantities[name] = quantity.model_copy(update=update)
    stored = records.read_measured(run, name)
    assert stored  # written above
    return stored


def _without_samples(state: str | None) -> Literal["unsupported", "failed"]:
    return "failed" if state == "failed" else "unsupported"


def _axis_values(axis: Input) -> list[float]:
    return axis.value if isinstance(axis.value, list) else [axis.value]


def _in_unit_of(parameter: str, axis_values: list[float], axis_unit: str) -> list[int]:
    """The axis's values in the parameter's unit. Raises ReckonError if the units do not fit."""
    unit = _UNIT_OF_SUFFIX.get(parameter.rsplit("_", 1)[-1])
    dimension = units.dimension(axis_unit)
    if unit is None and dimension in map(units.dimension, _NEED_A_UNIT):
        raise ReckonError(
            f"{parameter} cannot take an axis in {axis_unit}: the unit that its name ends in must "
            f"be one of {', '.join(_UNIT_OF_SUFFIX)}."
        )
    if unit is not None and units.dimension(unit) != dimension:
        raise ReckonError(f"{parameter} cannot take an axis in {axis_unit}, which is no {unit}.")
    values = [units.from_base(value, unit or "1") for value in axis_values]
    for value in values:
        if value and not round(value):
            raise ReckonError(f"{parameter} takes whole numbers; {value:g} would be sent as 0.")
    return [round(value) for value in values]


def _point(sampler: PointSampler) -> Point:
    assert sampler.stopped  # sampling is over
    return Point(
        x=sampler.x,
        params=sampler.run.parameters,
        processes=sampler.processes,
        stopped=sampler.stopped,
        reason=sampler.reason,
    )
