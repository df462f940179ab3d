"""Measuring: reuse the record's samples, or run fresh processes until the median is known."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reckon import config, records, statistics, units
from reckon.computer import scratch
from reckon.config import PROFILES, ByProfile, Profile, ReckonError
from reckon.hosts import nfs, peer
from reckon.measurement import library
from reckon.prediction.formula import Prediction
from reckon.records.models import Measurement, Point, Process
from reckon.records.result import Result, from_record, told_trials
from reckon.records.seal import seal
from reckon.records.session import session

_DEADLINE_S = 60.0
_FILE_LEAST_BYTES = 4096  # so that there is a folder to export


def emit(event: str, **details) -> None:
    """Tell whoever builds the book what is happening; see build.Progress."""
    path = os.environ.get("RECKON_EVENTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, **details}) + "\n")


@dataclass
class _Purse:
    """The time that the points of one quantity share: what a cheap point leaves, a dear one takes."""

    budget_s: float
    spent_s: float = 0.0

    def has_spent(self, times: float) -> bool:
        """More than so many times what was in it."""
        return self.spent_s > times * self.budget_s


@dataclass
class _Job:
    """One probe at one setting, and the processes that have run it so far."""

    probe: str
    params: dict
    samples: int
    warmup: int
    priority: str
    x: float | None
    unit: str
    kind: str
    purse: _Purse | None
    share_s: float
    processes_least: int
    processes: list = field(default_factory=list)
    medians: list = field(default_factory=list)
    spent_s: float = 0.0
    stopped: str | None = None
    reason: str | None = None

    def run_once(self, origin_s: float, profile: Profile) -> None:
        start_s = time.monotonic()
        try:
            outcome = library.run(
                self.probe,
                self.params,
                samples=self.samples,
                warmup=self.warmup,
                priority=self.priority,
                deadline_s=_DEADLINE_S,
            )
        except (library.ProbeCannot, library.ProbeFailed) as error:
            # A row that failed once has no samples: they would look like a row that works.
            self.stopped = "cannot" if isinstance(error, library.ProbeCannot) else "failed"
            self.reason, self.processes = str(error).rstrip("."), []
            return
        took_s = time.monotonic() - start_s
        self.spent_s += took_s
        if self.purse:
            self.purse.spent_s += took_s
        one = _process(outcome, start_s - origin_s)
        self.processes.append(one)
        values = told_trials(
            one.ticks,
            one.ops,
            library.probe(self.probe).op,
            library.tick_hz(),
            self.unit,
            self.kind,
        )
        self.medians.append(float(np.median(values)))
        self.stopped = self._why_stop(profile)

    def _why_stop(self, profile: Profile) -> str | None:
        ran = len(self.processes)
        times = profile.patience if ran < self.processes_least else 1.0
        over = self.spent_s > times * self.share_s
        over = over and (self.purse is None or self.purse.has_spent(times))
        if ran < self.processes_least:
            return "time" if over else None
        low, high = statistics.median_interval(self.medians)
        middle = np.median(self.medians)
        if high - low <= 2 * profile.precision * abs(middle):
            return "precise"
        if over:
            return "time"
        return "processes" if ran >= profile.processes_most else None


def _process(outcome: library.Outcome, started_s: float) -> Process:
    ops = outcome.ops.tolist()
    same = all(one == ops[0] for one in ops)
    shared = {
        name: getattr(outcome, name)
        for name in Process.model_fields
        if name not in ("ticks", "ops", "started_s")
    }
    return Process(
        ticks=outcome.ticks.tolist(),
        ops=ops[0] if same else ops,
        started_s=round(started_s, 6),
        **shared,
    )


def _collect(jobs: list[_Job], profile: Profile) -> None:
    """Run the jobs in turn until each has its reason to stop: minutes apart the machine is another one,
    so what is compared is interleaved. Rounds come in pairs, a new random order and the same backwards
    (A B B A): a machine that steadily slows down then slows all of them alike (Box, Hunter and Hunter,
    Statistics for Experimenters, 2005, chapter 4: blocks, and chance inside them).

    Rounds are spread over time, because what disturbs comes in bursts: on a shared host a system
    call was 20 % slower for some tenths of a second at a time, the core clock unchanged (a busy
    sibling thread). An interval taken inside one burst would be narrow and wrong."""
    pace_s = profile.span_s / profile.processes_least
    origin_s = round_s = time.monotonic()
    chance, order, there = random.Random(), list(jobs), True
    while any(not job.stopped for job in jobs):
        if time.monotonic() - origin_s < profile.span_s:
            time.sleep(max(0.0, pace_s - (time.monotonic() - round_s)))
        round_s = time.monotonic()
        if there:
            chance.shuffle(order)
        else:
            order.reverse()
        there = not there
        for job in order:
            if not job.stopped:
                job.run_once(origin_s, profile)


def measure(prediction: Prediction, probe: str | None = None, **settings) -> Result:
    """The measured quantity of a prediction, or the samples that its record already holds.

    probe: the C row, where its name is not the quantity's. The settings are those of a Plan: over,
    samples, warmup, priority, budget_s, until, least; other names are the row's parameters. Returns
    a Result, also where this machine cannot run the row (state "cannot") or the probe failed (state
    "failed"). Raises ReckonError.
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
    plans = {prediction: common | settings for prediction, settings in own.items()}
    return _measure(plans, config.profile(), paired=False)


def measure_in_rounds(plans: Mapping[Prediction, dict], profile: Profile) -> dict[str, Result]:
    """Results of measure_together() under that profile, compared round by round: samples of some of
    them serve only where those of all do."""
    return _measure(plans, profile, paired=True)


def _measure(
    plans: Mapping[Prediction, dict], profile: Profile, *, paired: bool
) -> dict[str, Result]:
    made = [_Plan(prediction, profile, **plan) for prediction, plan in plans.items()]
    for quantity, times in Counter(one.quantity for one in made).items():
        if times > 1:
            raise ReckonError(f"Two predictions of {quantity} cannot be measured in one call.")
    kept = {one.quantity: one.seal_or_reuse() for one in made}
    if paired and not all(kept.values()):
        kept = dict.fromkeys(kept)
    for one in filter(None, kept.values()):
        emit("done", quantity=one.quantity, state=one.state, reason=one.reason)
    _run_plans([one for one in made if not kept[one.quantity]], profile)
    return {one.quantity: kept[one.quantity] or one.finish() for one in made}


def _run_plans(plans: list[_Plan], profile: Profile) -> None:
    if not plans:
        return
    for one in plans:
        emit("measuring", quantity=one.quantity)
        one.meet()
    statistics.load()  # or its half second would count as measuring
    start_s = time.monotonic()
    _collect([job for one in plans for job in one.jobs], profile)
    for one in plans:
        one.seconds = (time.monotonic() - start_s) / len(plans)


class _Plan:
    """How one quantity is measured, from the seal to the record."""

    def __init__(
        self,
        prediction: Prediction,
        profile: Profile,
        probe: str | None = None,
        over: str | None = None,
        samples: int | ByProfile = 20,
        warmup: int = 1,
        priority: str = "nice",
        budget_s: ByProfile | None = None,
        until: ByProfile | None = None,
        least: str = "quick",
        **params,
    ):
        if not isinstance(prediction, Prediction):
            raise ReckonError(
                f"{prediction!r} is no prediction; measure takes what the function under "
                "@rk.predict returns."
            )
        self.prediction, self.quantity = prediction, (quantity := prediction.quantity)
        self.probe, self.over = probe or quantity, over
        self.until, self.least = until, least
        self.warmup, self.priority = warmup, priority
        self.asked = {**params, "": samples}
        self.session, self.profile = session(), profile
        self.experiment = quantity.rsplit("/", 1)[0]
        self.state, self.reason, self.seconds = "measured", None, 0.0
        self.talks = params.get("peer") == "other" and not self.session.replay
        self.other_end: str | None = None
        self._takes = {one.name: one.preset for one in library.probe(self.probe).parameters}
        self.server = {**self._takes, **params}.get("server")  # of NFS
        self.started_at = records.now()
        axis = self.prediction.curve_axis
        if bool(axis) != bool(over):
            raise ReckonError(
                f"{quantity}: a prediction with an axis is measured with over=, naming the "
                "parameter that takes its values, and one without is not."
            )
        values = axis[1].value if axis else [None]
        # A sweep shares one budget among its points, and each point needs only as many processes as
        # an interval takes: its neighbours say the rest.
        purse = _Purse(budget_s.at(self.profile.name)) if budget_s else None
        share_s = (purse or self.profile).budget_s / len(values)
        processes = statistics.PROCESSES_FOR_AN_INTERVAL if axis else self.profile.processes_least
        self.values, self.params = values, self._resolved(self.profile.name)
        trials = self.params.pop("")
        trials = max(2, round(trials * self.profile.trials)) if trials > 1 else 1
        self.jobs = [
            _Job(
                self.probe,
                self._params_at(self.params, x),
                trials,
                warmup,
                priority,
                x,
                self.prediction.unit,
                self.prediction.formula.kind,
                purse,
                share_s,
                processes,
            )
            for x in values
        ]

    def _resolved(self, profile: str) -> dict:
        """The parameters (and under "" the samples) as that profile sets them."""
        return {k: v.at(profile) if isinstance(v, ByProfile) else v for k, v in self.asked.items()}

    def _params_at(self, params: dict, x: float | None) -> dict:
        if self.over is None:
            return params
        # The parameter's unit is the suffix of its name; the axis is in base units.
        suffix = self.over.rsplit("_", 1)[-1]
        unit = {"bytes": "byte", "ns": "ns", "ms": "ms", "percent": "%"}.get(suffix, "1")
        return {**params, self.over: round(units.from_base(x, unit))}

    def key(self, profile: str) -> str:
        """What must be the same for samples to be reused: C source with headers, compiler and
        flags, parameters, machine with kernel, mitigations and microcode. For the profile that
        the samples were taken under, since a longer one serves a shorter one."""
        params = self._resolved(profile)
        parts = [
            self.probe,
            library.source_key(self.probe),
            self.session.run.identity,
            self.warmup,
            self.priority,
            [self._params_at(params, x) for x in self.values],
        ]
        # The other host is what is measured too; its port and its token are not.
        parts += [peer.identity()] if self.talks else []
        parts += [nfs.identity(self.server)] if self.server else []
        parts += [scratch.identity()] if "dir" in self._takes else []
        parts += [self.until.at(profile)] if self.until else []
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def _usable(self, kept: Measurement | None) -> bool:
        if kept is None or kept.state != "measured":
            return False
        if self.session.replay:
            return True
        if config.fresh() or kept.profile not in PROFILES:
            return False
        if any(point.stopped == "failed" for point in kept.points):
            return False  # tried again, as a quantity that failed as a whole is
        longer = PROFILES[kept.profile].rank >= self.profile.rank
        return longer and kept.key == self.key(kept.profile)

    def seal_or_reuse(self) -> Result | None:
        """Write the prediction down; then the samples of the record, where they serve."""
        kept = seal(self.prediction)
        if self._usable(kept.measurement):
            return from_record(self.quantity, kept, "reused")
        if self.session.replay:
            if kept.measurement is not None:
                return from_record(self.quantity, kept)
            raise ReckonError(
                f"The run {self.session.run.name} was recorded elsewhere and holds no samples of "
                f"{self.quantity}; measure it there, or leave RUN= away."
            )
        return None

    def meet(self) -> None:
        """Start or greet the other host for rows that talk to it, make the files for rows that read some,
        and start the server that exports them; without them they cannot run. A point past `until`, and all
        where the profile is shorter than `least`, is left to a longer one."""
        name, short = self.profile.name, PROFILES[self.least].rank > self.profile.rank
        for job in self.jobs:
            if short:
                job.stopped, job.reason = "cannot", f"the {name} profile has no time for it"
            elif self.until and job.x > self.until.at(name):
                job.stopped, job.reason = "cannot", f"the {name} profile does not go so far"
        if short:
            return
        try:
            if self.talks:
                self.other_end = peer.chosen().describe
        except peer.PeerCannot as error:
            for job in self.jobs:
                job.stopped, job.reason = "cannot", str(error).rstrip(".")
        real = self.server and nfs.is_real(self.server)  # it has files of its own
        if "file_bytes" in self._takes and not real:
            self._make_files([job for job in self.jobs if not job.stopped])
        if self.server:
            self._start_server([job for job in self.jobs if not job.stopped])

    def _make_files(self, jobs: list[_Job]) -> None:
        """The largest that can be made serve the smaller ones too."""
        asked = lambda job: [
            {"files": 1, **self._takes, **job.params}[k] for k in ("files", "file_bytes")
        ]  # noqa: E731
        for job in sorted(jobs, key=lambda job: math.prod(asked(job)), reverse=True):
            try:
                scratch.prepare(
                    *asked(job), lambda text: emit("preparing", quantity=self.quantity, what=text)
                )
                return
            except scratch.ScratchCannot as error:
                job.stopped, job.reason = "cannot", str(error).rstrip(".")

    def _start_server(self, jobs: list[_Job]) -> None:
        """One on a lab host serves the run's files."""
        try:
            real = nfs.is_real(self.server)
            folder = (
                config.scratch_dir() if real else scratch.prepare(1, _FILE_LEAST_BYTES)[0].parent
            )
            self.other_end = nfs.chosen(self.server, folder).describe
        except (nfs.NfsCannot, scratch.ScratchCannot) as error:
            for job in jobs:
                job.stopped, job.reason = "cannot", str(error).rstrip(".")

    def finish(self) -> Result:
        """Write the samples, whole; an earlier good measurement outlives a failure."""
        record = records.read_record(self.session.run.name, self.experiment)
        kept = record.quantities[self.quantity]
        good = any(job.processes for job in self.jobs)
        if not good:
            self.state, self.reason = self.jobs[0].stopped, self.jobs[0].reason
        made = Measurement(
            probe=self.probe,
            op=library.probe(self.probe).op,
            timed=library.probe(self.probe).timed,
            reports=list(library.probe(self.probe).reports),
            axis=self.over,
            params=self.params,
            peer=self.other_end,
            samples=self.jobs[0].samples,
            warmup=self.warmup,
            priority=self.priority,
            profile=self.profile.name,
            key=self.key(self.profile.name),
            tick_hz=library.tick_hz(),
            started_at=self.started_at,
            seconds=round(self.seconds, 3),
            state=self.state,
            reason=self.reason,
            points=[
                Point(
                    x=job.x,
                    params=job.params,
                    processes=job.processes,
                    stopped=job.stopped,
                    reason=job.reason,
                )
                for job in self.jobs
                if good
            ],
        )
        emit(
            "done",
            quantity=self.quantity,
            state=self.state,
            reason=self.reason,
            seconds=self.seconds,
        )
        if good or kept.measurement is None or kept.measurement.state != "measured":
            kept = kept.model_copy(update={"measurement": made})
            record.quantities[self.quantity] = kept
            records.write_record(self.session.run.name, record)
        return Result(self.quantity, kept, self.state, self.reason)
