"""What is measured of a quantity: its probe at each point of its axis, and how long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

from reckon import records, statistics, units
from reckon.errors import ReckonError
from reckon.measurement import library
from reckon.measurement.library import RunOptions
from reckon.measurement.sampling import PointSampler, ProbeRun, TimeBudget
from reckon.messages import did_you_mean, join_words
from reckon.prediction.formula import Prediction
from reckon.prediction.inputs import Input
from reckon.profiles import PROFILES, ByProfile, Profile, value_at
from reckon.records.run_files.models import Measurement, Point, Visit
from reckon.records.session import Session

# Axes of these kinds cannot be a count.
_NEED_A_UNIT = ("s", "byte")


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


@dataclass(frozen=True, kw_only=True)
class MeasurementOptions:
    probe: str | None = None
    over: str | None = None  # the parameter that takes the values of the prediction's axis
    samples: int | ByProfile = RunOptions.samples  # of each fresh process
    warmup: int = RunOptions.warmup  # samples before them, which are not kept
    priority: str = RunOptions.priority
    # The time that all points of a curve share once they have the processes that an interval needs,
    # instead of the profile's.
    budget_s: ByProfile | None = None
    until: ByProfile | None = None  # how far along its axis a curve is measured, in base units
    min_profile: str = "quick"  # the shortest profile that measures it
    parameters: dict = field(default_factory=dict)  # of the probe

    @classmethod
    def of(cls, options: dict) -> MeasurementOptions:
        """The options; any other name is a parameter of the probe."""
        known = {option.name for option in fields(cls)} - {"parameters"}
        chosen = {name: value for name, value in options.items() if name in known}
        parameters = {name: value for name, value in options.items() if name not in known}
        return cls(**chosen, parameters=parameters)


class Plan:
    """What is measured of one predicted quantity: its probe at each point of its axis."""

    def __init__(
        self,
        prediction: Prediction,
        options: dict,
        *,
        session: Session,
        profile: Profile,
        visits: int = 1,
    ):
        self.prediction = prediction
        self.axis = prediction.curve_axis[1] if prediction.curve_axis else None
        # A curve is visited once: its points support one another, and they take most of the time.
        self.visits = 1 if self.axis else visits
        self.profile = _of_first_visit(profile, self.visits)
        self.options = MeasurementOptions.of(options)
        self.session = session
        self.probe = library.probe(self.options.probe or self.quantity)
        self.started_at = records.now()
        self.earlier_visits: list[Visit] = []  # whose good points are kept
        self.peer: str | None = None  # a description of the peer or the NFS server
        self.swept_values = self._swept_values()
        self.points = self._point_samplers()

    def refuse_wrong_parameters(self) -> None:
        """Raises ReckonError for an option that is neither ours nor a parameter of the probe, and
        for a value that the probe would refuse, also where samples on record are shown instead."""
        takes = self.probe.defaults
        for name in [*self.options.parameters, *filter(None, [self.options.over])]:
            if name not in takes:
                known = [*takes, *(option.name for option in fields(self.options))]
                hint = did_you_mean(name, known, f"it takes {join_words(takes) or 'none'}.")
                raise ReckonError(f"{self.probe.name} has no parameter {name}; {hint}")
        for point in self.points:
            library.check(self.probe.name, point.run.parameters)

    @property
    def quantity(self) -> str:
        return self.prediction.quantity

    @property
    def uses_peer(self) -> bool:
        """Whether the probe talks to the peer, rather than to this machine."""
        return self.probe.uses_peer(self.options.parameters) and not self.session.is_replay

    @property
    def server(self) -> str | None:
        """The NFS server that the probe reads from, of nfs.SERVERS."""
        return self.probe.server(self.options.parameters)

    def keep_points(self, measurement: Measurement) -> None:
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
        axis, over = self.axis, self.options.over
        if bool(axis) != bool(over):
            raise ReckonError(
                f"{self.quantity}: a prediction with an axis is measured with over=, naming the "
                "parameter that takes its values, and one without is not."
            )
        if not axis or not over:
            return [None]
        return [*_in_unit_of(over, _axis_values(axis), axis.unit)]

    def parameters_at(self, value: int | None, *, profile: str) -> dict:
        """The probe's parameters under that profile, with that value of the swept one."""
        values = {
            name: value_at(value, profile=profile)
            for name, value in self.options.parameters.items()
        }
        return values if value is None else {**values, self.options.over: value}

    def _point_samplers(self) -> list[PointSampler]:
        name, budget_s = self.profile.name, self.options.budget_s
        positions: Sequence[float | None] = _axis_values(self.axis) if self.axis else [None]
        # A point of a curve needs only as many processes as an interval takes: its neighbours say
        # the rest.
        min_processes = (
            statistics.PROCESSES_FOR_AN_INTERVAL if self.axis else self.profile.min_processes
        )
        shared = TimeBudget(budget_s.at(name) / self.visits) if budget_s else None
        share_s = (shared or self.profile).budget_s / len(positions)
        run_options = RunOptions.checked(
            samples=self._samples(), warmup=self.options.warmup, priority=self.options.priority
        )
        return [
            PointSampler(
                run=ProbeRun(
                    probe=self.probe,
                    parameters=self.parameters_at(value, profile=name),
                    options=run_options,
                ),
                x=x,
                unit=self.prediction.unit,
                kind=self.prediction.formula.kind,
                profile=self.profile,
                min_processes=min_processes,
                budget=TimeBudget(share_s),
                shared=shared,
            )
            for x, value in zip(positions, self.swept_values, strict=True)
        ]

    def _samples(self) -> int:
        """Samples of each process under the profile; a single one stays single."""
        requested = value_at(self.options.samples, profile=self.profile.name)
        return max(2, round(requested * self.profile.samples_factor)) if requested > 1 else 1


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
    """The samples that the notebook requested: the record has what the profile made of them."""
    if measurement.samples == 1:
        return 1
    requested = measurement.samples / PROFILES[measurement.profile].samples_factor
    return int(requested) if requested.is_integer() else requested


def _axis_values(axis: Input) -> list[float]:
    return axis.value if isinstance(axis.value, list) else [axis.value]


def _in_unit_of(parameter: str, axis_values: list[float], axis_unit: str) -> list[int]:
    """The axis's values in the parameter's unit. Raises ReckonError if the units do not fit."""
    unit = units.unit_of_parameter(parameter)
    dimension = units.dimension(axis_unit)
    if unit is None and dimension in map(units.dimension, _NEED_A_UNIT):
        raise ReckonError(
            f"{parameter} cannot take an axis in {axis_unit}: the unit that its name ends in must "
            f"be one of {', '.join(units.UNIT_OF_SUFFIX)}."
        )
    if unit is not None and units.dimension(unit) != dimension:
        raise ReckonError(f"{parameter} cannot take an axis in {axis_unit}, which is no {unit}.")
    values = [units.from_base(value, unit or "1") for value in axis_values]
    for value in values:
        if value and not round(value):
            raise ReckonError(f"{parameter} takes whole numbers; {value:g} would be sent as 0.")
    return [round(value) for value in values]
