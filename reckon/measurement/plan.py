"""Measuring predictions: what is measured of each, from its seal to its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from reckon import config, records, statistics, units
from reckon.config import ByProfile, Profile, ReckonError
from reckon.measurement import library, needs, reuse
from reckon.measurement.events import emit
from reckon.measurement.library import Needs
from reckon.measurement.sampling import PointSampler, ProbeRun, TimeBudget, collect
from reckon.prediction.formula import Prediction
from reckon.prediction.inputs import Input
from reckon.records.models import Measurement, Point
from reckon.records.result import Result
from reckon.records.session import session

# The unit of a parameter is the suffix of its name; without one it is a count.
_UNIT_OF_SUFFIX = {"bytes": "byte", "ns": "ns", "ms": "ms", "percent": "%"}
# Axes of these kinds cannot be a count.
_NEED_A_UNIT = ("s", "byte")


def measure(prediction: Prediction, probe: str | None = None, **settings) -> Result:
    """The measured quantity of a prediction, or the samples that its record already holds.

    probe: the probe, where its name is not the quantity's. The other settings are those of the
    class Settings; what is not named there is a parameter of the probe. Returns a Result also if
    this machine does not support the probe (state "cannot") or the probe failed (state "failed").
    Raises ReckonError.
    """
    return measure_together([prediction], probe=probe, **settings)[prediction.quantity]


def measure_together(
    predictions: Sequence[Prediction] | Mapping[Prediction, dict], **common
) -> dict[str, Result]:
    """Results of several predictions by quantity, measured interleaved.

    predictions: those that share all settings, or each with settings of its own, which precede the
    common ones. Settings are those of measure(). Raises ReckonError.
    """
    own = predictions if isinstance(predictions, Mapping) else dict.fromkeys(predictions, {})
    settings = {prediction: common | more for prediction, more in own.items()}
    return _measure(settings, config.profile(), all_or_none=False)


def measure_in_rounds(settings: Mapping[Prediction, dict], profile: Profile) -> dict[str, Result]:
    """Results as those of measure_together(), to be compared round by round under that profile:
    samples of some predictions are reused only if those of all are."""
    return _measure(settings, profile, all_or_none=True)


def _measure(
    settings: Mapping[Prediction, dict], profile: Profile, *, all_or_none: bool
) -> dict[str, Result]:
    plans = [Plan(prediction, profile, more) for prediction, more in settings.items()]
    for quantity, times in Counter(plan.quantity for plan in plans).items():
        if times > 1:
            raise ReckonError(f"Two predictions of {quantity} cannot be measured in one call.")
    reused = {plan.quantity: reuse.seal_or_reuse(plan) for plan in plans}
    if all_or_none and None in reused.values():
        reused = dict.fromkeys(reused)
    for result in filter(None, reused.values()):
        emit("done", quantity=result.quantity, state=result.state, reason=result.reason)
    _run([plan for plan in plans if not reused[plan.quantity]], profile)
    return {plan.quantity: reused[plan.quantity] or plan.record() for plan in plans}


def _run(plans: list[Plan], profile: Profile) -> None:
    if not plans:
        return
    for plan in plans:
        emit("measuring", quantity=plan.quantity)
        plan.other_end = needs.provide(plan)
    statistics.load()  # or its half second would count as measuring
    took_s = collect([point for plan in plans for point in plan.points], profile)
    for plan in plans:
        plan.seconds = took_s / len(plans)


@dataclass(frozen=True, kw_only=True)
class Settings:
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
    least: str = "quick"  # the shortest profile that measures it
    parameters: dict = field(default_factory=dict)  # of the probe

    @classmethod
    def of(cls, settings: dict) -> Settings:
        """The settings; what names none of them is a parameter of the probe."""
        known = {one.name for one in fields(cls)} - {"parameters"}
        own = {name: value for name, value in settings.items() if name in known}
        more = {name: value for name, value in settings.items() if name not in known}
        return cls(**own, parameters=more)


class Plan:
    """What is measured of one prediction: its probe at each point of its axis."""

    def __init__(self, prediction: Prediction, profile: Profile, settings: dict):
        if not isinstance(prediction, Prediction):
            raise ReckonError(
                f"{prediction!r} is no prediction; measure takes what the function under "
                "@rk.predict returns."
            )
        self.prediction, self.profile = prediction, profile
        self.settings = Settings.of(settings)
        self.session = session()
        self.probe = library.probe(self.settings.probe or self.quantity)
        self.presets = {one.name: one.preset for one in self.probe.parameters}
        self.started_at = records.now()
        self.seconds = 0.0
        self.other_end: str | None = None  # the host that the probe talks to
        self.swept = self._swept_values()
        self.points = self._point_samplers()

    @property
    def quantity(self) -> str:
        return self.prediction.quantity

    @property
    def uses_peer(self) -> bool:
        """Whether the probe talks to the other host, rather than to this machine."""
        peer = self.settings.parameters.get("peer")
        return Needs.PEER in self.probe.needs and peer == "other" and not self.session.replay

    @property
    def server(self) -> str | None:
        """The NFS server that the probe reads from, of nfs.SERVERS."""
        if Needs.SERVER not in self.probe.needs:
            return None
        return (self.presets | self.settings.parameters)["server"]

    def open_points(self) -> list[PointSampler]:
        """The points that nothing has stopped."""
        return [point for point in self.points if not point.stopped]

    def _swept_values(self) -> list[int | None]:
        """The values of the swept parameter, in its own unit; [None] without one."""
        axis, over = self.prediction.curve_axis, self.settings.over
        if bool(axis) != bool(over):
            raise ReckonError(
                f"{self.quantity}: a prediction with an axis is measured with over=, naming the "
                "parameter that takes its values, and one without is not."
            )
        return _in_unit_of(over, axis[1]) if axis else [None]

    def parameters_at(self, value: int | None, profile: str) -> dict:
        """The probe's parameters under that profile, with that value of the swept one."""
        values = {
            name: config.value_at(profile, one) for name, one in self.settings.parameters.items()
        }
        return values if value is None else {**values, self.settings.over: value}

    def _point_samplers(self) -> list[PointSampler]:
        name, budget_s = self.profile.name, self.settings.budget_s
        axis = self.prediction.curve_axis
        places = axis[1].value if axis else [None]
        # A point of a curve needs only as many processes as an interval takes: its neighbours say
        # the rest.
        least = statistics.PROCESSES_FOR_AN_INTERVAL if axis else self.profile.processes_least
        shared = TimeBudget(budget_s.at(name)) if budget_s else None
        share_s = (shared or self.profile).budget_s / len(places)
        return [
            PointSampler(
                run=ProbeRun(
                    self.probe.name,
                    self.parameters_at(value, name),
                    self._trials(),
                    self.settings.warmup,
                    self.settings.priority,
                ),
                x=x,
                unit=self.prediction.unit,
                kind=self.prediction.formula.kind,
                processes_least=least,
                budget=TimeBudget(share_s),
                shared=shared,
            )
            for x, value in zip(places, self.swept, strict=True)
        ]

    def _trials(self) -> int:
        """Trials in each process under the profile; a single one stays single."""
        trials = config.value_at(self.profile.name, self.settings.samples)
        return max(2, round(trials * self.profile.trials)) if trials > 1 else 1

    def record(self) -> Result:
        """Write the samples to the record; an earlier good measurement outlives a failure."""
        made = self._measurement()
        emit(
            "done",
            quantity=self.quantity,
            state=made.state,
            reason=made.reason,
            seconds=self.seconds,
        )
        run = self.session.run.name
        record = records.read_record(run, self.quantity.rsplit("/", 1)[0])
        quantity = record.quantities[self.quantity]
        earlier = quantity.measurement
        if made.points or earlier is None or earlier.state != "measured":
            quantity = quantity.model_copy(update={"measurement": made})
            record.quantities[self.quantity] = quantity
            records.write_record(run, record)
        return Result(self.quantity, quantity, made.state, made.reason)

    def _measurement(self) -> Measurement:
        first = self.points[0]
        is_measured = any(point.processes for point in self.points)
        return Measurement(
            probe=self.probe.name,
            op=self.probe.op,
            timed=self.probe.timed,
            reports=list(self.probe.reports),
            axis=self.settings.over,
            params=self.parameters_at(None, self.profile.name),
            peer=self.other_end,
            samples=first.run.samples,
            warmup=self.settings.warmup,
            priority=self.settings.priority,
            profile=self.profile.name,
            key=reuse.key(self, self.profile.name),
            tick_hz=library.tick_hz(),
            started_at=self.started_at,
            seconds=round(self.seconds, 3),
            state="measured" if is_measured else first.stopped,
            reason=None if is_measured else first.reason,
            points=[_point(point) for point in self.points] if is_measured else [],
        )


def _in_unit_of(parameter: str, axis: Input) -> list[int]:
    """The axis's values in the parameter's unit. Raises ReckonError if the units do not fit."""
    unit = _UNIT_OF_SUFFIX.get(parameter.rsplit("_", 1)[-1])
    dimension = units.dimension(axis.unit)
    if unit is None and dimension in map(units.dimension, _NEED_A_UNIT):
        raise ReckonError(
            f"{parameter} cannot take an axis in {axis.unit}: the unit that its name ends in must "
            f"be one of {', '.join(_UNIT_OF_SUFFIX)}."
        )
    if unit is not None and units.dimension(unit) != dimension:
        raise ReckonError(f"{parameter} cannot take an axis in {axis.unit}, which is no {unit}.")
    return [round(units.from_base(value, unit or "1")) for value in axis.value]


def _point(sampler: PointSampler) -> Point:
    return Point(
        x=sampler.x,
        params=sampler.run.parameters,
        processes=sampler.processes,
        stopped=sampler.stopped,
        reason=sampler.reason,
    )
