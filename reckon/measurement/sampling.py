"""Sampling: fresh processes of several probes in turn, until each median is precise enough, its
time is up, or it has the most processes that the profile allows."""

from __future__ import annotations

import random
import time
from dataclasses import asdict, dataclass, field

import numpy as np

from reckon import statistics, units
from reckon.measurement import library
from reckon.measurement.probe import Probe
from reckon.profiles import Profile
from reckon.records.run_files.models import Conditions, Process, Stop, WithoutSamples
from reckon.records.run_files.unit_conversion import trial_values

# A process that takes longer hangs: the slowest trials of the full profile take some seconds.
_DEADLINE_S = 60.0
_SLOWEST_BYTES_PER_S = 20e6  # of a worn disk or a remote one


@dataclass
class TimeBudget:
    """A time allowance: of one point, or shared by all points of a curve, so that expensive points
    use what cheap ones leave."""

    budget_s: float
    spent_s: float = 0.0

    def is_spent(self, times: float) -> bool:
        """Whether more than that multiple of the budget is spent."""
        return self.spent_s > times * self.budget_s


@dataclass(frozen=True)
class ProbeRun:
    probe: Probe
    parameters: dict
    options: library.RunOptions
    locations: dict[str, str] = field(default_factory=dict)  # where the hosts and files are

    def start(self) -> library.ProcessSamples:
        """The samples of a fresh process. Raises what library.run raises."""
        options = asdict(self.options) | {"deadline_s": self.deadline_s}
        return library.run(self.probe.name, self.parameters, locations=self.locations, **options)

    @property
    def deadline_s(self) -> float:
        """After how long the process is ended: a minute more than what it has to do at most."""
        values = self.probe.defaults | self.parameters
        files = self.probe.file_count(self.parameters)
        amounts = {k: v for k, v in values.items() if not isinstance(v, str)}
        sizes = [value for name, value in amounts.items() if name.endswith("_bytes")]
        reading_s = max(sizes, default=0) * files / _SLOWEST_BYTES_PER_S
        waiting_s = sum(_seconds(name, value) for name, value in amounts.items())
        return _DEADLINE_S + (self.options.samples + self.options.warmup) * (reading_s + waiting_s)


def _seconds(parameter: str, value: int) -> float:
    """The time that the parameter states; 0 if it states none."""
    unit = units.unit_of_parameter(parameter) or "1"
    return units.to_base(value, unit) if _is_time(unit) else 0.0


def _is_time(unit: str) -> bool:
    return units.dimension(unit) == units.dimension("s")


@dataclass
class PointSampler:
    """The processes that have run a probe at one point of its axis, and why no more are needed."""

    run: ProbeRun
    x: float | None  # in base units; None if there is no axis
    unit: str
    kind: str
    profile: Profile
    min_processes: int
    budget: TimeBudget  # of this point
    shared: TimeBudget | None  # of all points of the curve
    processes: list[Process] = field(default_factory=list)
    medians: list[float] = field(default_factory=list)
    stopped: Stop | None = None
    reason: str | None = None

    def stop(self, state: WithoutSamples, reason: str) -> None:
        """Leave the point without samples, for that reason."""
        self.stopped, self.reason = state, reason.rstrip(".")

    def run_once(self, origin_s: float) -> None:
        """Run one more process and keep its samples.

        origin_s: when sampling began, on the monotonic clock; start times are relative to it."""
        start_s = time.monotonic()
        try:
            outcome = self.run.start()
        except (library.ProbeUnsupported, library.ProbeFailed) as error:
            # All samples go: those of earlier processes would look like a probe that works.
            self.processes = []
            unsupported = isinstance(error, library.ProbeUnsupported)
            self.stop("unsupported" if unsupported else "failed", str(error))
            return
        self._spend(time.monotonic() - start_s)
        process = _process(outcome, start_s - origin_s)
        self.processes.append(process)
        self.medians.append(self._median(process))
        self.stopped = self._why_stop()

    def _spend(self, took_s: float) -> None:
        self.budget.spent_s += took_s
        if self.shared:
            self.shared.spent_s += took_s

    def _median(self, process: Process) -> float:
        values = trial_values(
            process.ticks,
            process.ops,
            self.run.probe.op,
            library.tick_hz(),
            self.unit,
            self.kind,
        )
        return float(np.median(values))

    def _time_is_up(self, times: float) -> bool:
        # A point may go on while the allowance that it shares with others lasts.
        return self.budget.is_spent(times) and (self.shared is None or self.shared.is_spent(times))

    def _why_stop(self) -> Stop | None:
        profile = self.profile
        if len(self.processes) < self.min_processes:
            return "time" if self._time_is_up(profile.max_budgets) else None
        low, high = statistics.median_interval(self.medians)
        median = abs(np.median(self.medians))
        # A time of 0 is less than a step of the counter, however often it repeats.
        is_known = median > 0 or not _is_time(self.unit)
        if is_known and high - low <= 2 * profile.precision * median:
            return "precise"
        if self._time_is_up(1.0):
            return "time"
        return "processes" if len(self.processes) >= profile.max_processes else None


def _process(outcome: library.ProcessSamples, started_s: float) -> Process:
    ops = outcome.ops.tolist()
    conditions = {name: getattr(outcome, name) for name in Conditions.model_fields}
    return Process(
        ticks=outcome.ticks.tolist(),
        ops=ops[0] if len(set(ops)) == 1 else ops,
        chain_ticks=_witnesses(outcome.chain_ticks),
        wide_ticks=_witnesses(outcome.wide_ticks),
        started_s=round(started_s, 6),
        **conditions,
    )


def _witnesses(ticks: np.ndarray) -> list[float] | None:
    """Four digits of each, more than the clock's reads leave certain; None if none was taken."""
    return [float(f"{add:.4g}") for add in ticks] if ticks.any() else None


def collect(points: list[PointSampler]) -> None:
    """Runs the points in turn until each has a reason to stop.

    What is compared is interleaved, because a machine drifts from minute to minute. Rounds come in
    pairs, a new random order and the same backwards (A B B A), so that a steady drift affects all
    alike (Box, Hunter and Hunter, Statistics for Experimenters, 2005, chapter 4).

    Rounds are spread over time, because disturbances come in bursts: on a shared host a system call
    was 20 % slower for some tenths of a second at a time, the core clock unchanged (a busy sibling
    thread). An interval taken inside one burst would be narrow and wrong."""
    profiles = [point.profile for point in points]
    span_s = max((profile.span_s for profile in profiles), default=0.0)
    pace_s = max((profile.span_s / profile.min_processes for profile in profiles), default=0.0)
    origin_s = time.monotonic()
    round_s = origin_s - pace_s  # the first round begins at once
    generator, order, is_new = random.Random(), list(points), True
    while any(not point.stopped for point in points):
        if time.monotonic() - origin_s < span_s:
            time.sleep(max(0.0, pace_s - (time.monotonic() - round_s)))
        round_s = time.monotonic()
        if is_new:
            generator.shuffle(order)
        else:
            order.reverse()
        is_new = not is_new
        for point in order:
            if not point.stopped:
                point.run_once(origin_s)
