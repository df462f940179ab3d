"""Measuring a fleet: jobs begin as their machines become free; a host that fails is tried once
more, and what came back is kept."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reckon.fleet.cluster import LOST, Cluster, SchedulerLost
from reckon.fleet.hosts import Found
from reckon.fleet.jobs import Job
from reckon.fleet.on_host import HostFailed

ATTEMPTS = 2
_POLL_S = 0.2
_WORKERS_EVERY_S = 2.0  # the scheduler is asked who is there
_WAITS_S = 10.0  # without a line before a job is said to wait
_END_S = 60.0  # the longest that a machine stays taken by what was told to end


@dataclass(frozen=True)
class Patience:
    """How long to wait for what may never come."""

    silent_s: float = 900.0  # for a line of a host that measures
    away_s: float = 300.0  # for a worker or the scheduler to be there again


@dataclass
class Outcome:
    """Which jobs are done, and why the others are not."""

    done: list[Job] = field(default_factory=list)
    failed: dict[Job, str] = field(default_factory=dict)


class Measuring:
    """Runs jobs on a cluster.

    on_line: takes a job's name and what it does. on_news: takes a job's name and what became of
    it. on_done: takes a job that is done, and its result."""

    def __init__(
        self,
        cluster: Cluster,
        patience: Patience,
        *,
        on_line: Callable[[str, str], None],
        on_news: Callable[[str, str], None],
        on_done: Callable[[Job, Any], None],
    ):
        self._cluster, self._patience = cluster, patience
        self._on_line, self._on_news, self._on_done = on_line, on_news, on_done
        self._running: list[Job] = []
        self._ending: dict[Job, float] = {}  # and since when
        self._heard_s: dict[Job, float] = {}  # when it last said something
        self._waits_since_s: dict[Job, float] = {}  # since when nothing was heard of it at all
        self._away_since_s: dict[Job, float] = {}  # since when a worker is waited for
        self._asked_s = float("-inf")
        self._found = Found()
        self._alive: set[str] = set()  # workers
        self._must_ask = True  # the workers, which host each is on

    def run(self, jobs: Sequence[Job]) -> Outcome:
        """Runs all; raises ReckonError if the scheduler does not come back.

        After an exception, such as Ctrl-C, the hosts stop what they measure."""
        waiting, outcome = list(jobs), Outcome()
        try:
            while waiting or self._running or self._ending:
                try:
                    self._step(waiting, outcome)
                except SchedulerLost:
                    self._begin_again(waiting)
                time.sleep(_POLL_S)
        except BaseException:
            for job in self._running:
                job.stop(self._cluster)
            raise
        return outcome

    def _step(self, waiting: list[Job], outcome: Outcome) -> None:
        self._cluster.check()
        if time.monotonic() > self._asked_s + _WORKERS_EVERY_S:
            self._look_for_workers()
        self._let_go_of_what_ended()
        self._begin_what_can(waiting, outcome)
        self._take_lines()
        self._name_those_that_wait()
        for job in list(self._running):
            if fault := self._fault(job):
                self._give_up(job, fault, waiting, outcome)
            elif job.futures[-1].done():
                self._take_result(job, waiting, outcome)

    def _look_for_workers(self) -> None:
        known = self._cluster.workers()
        before, self._alive = self._alive, set(known)
        self._asked_s = time.monotonic()
        if self._must_ask or self._alive != before or self._away_since_s:
            self._found, self._must_ask = self._cluster.find(known), False

    def _let_go_of_what_ended(self) -> None:
        for job, since_s in list(self._ending.items()):
            if job.has_ended or time.monotonic() > since_s + _END_S:
                del self._ending[job]
                job.release()

    def _begin_what_can(self, waiting: list[Job], outcome: Outcome) -> None:
        taken = [*self._running, *self._ending]
        busy = {machine for job in taken for machine in job.machines}
        for job in list(waiting):
            if job.machines & busy:
                continue
            if job.begin(self._cluster, self._found):
                waiting.remove(job)
                self._away_since_s.pop(job, None)
                self._running.append(job)
                self._waits_since_s[job] = time.monotonic()
                busy |= job.machines
            elif self._is_away_too_long(job):
                waiting.remove(job)
                del self._away_since_s[job]
                self._fail(job, "no worker is there", outcome)

    def _is_away_too_long(self, job: Job) -> bool:
        since_s = self._away_since_s.setdefault(job, time.monotonic())
        return time.monotonic() > since_s + self._patience.away_s

    def _take_lines(self) -> None:
        by_key = {job.key: job for job in self._running}
        while True:
            try:
                key, line = self._cluster.lines.get_nowait()
            except queue.Empty:
                return
            if job := by_key.get(key):
                self._heard_s[job] = time.monotonic()
                self._waits_since_s.pop(job, None)
                self._on_line(job.name, line)

    def _name_those_that_wait(self) -> None:
        """Says once of each job that it has not begun: somebody else measures on its host."""
        for job, since_s in list(self._waits_since_s.items()):
            if time.monotonic() > since_s + _WAITS_S:
                del self._waits_since_s[job]
                self._on_line(job.name, "waits for its worker, which has another task")

    def _fault(self, job: Job) -> str | None:
        """Why the attempt cannot go on."""
        for worker, host in job.workers.items():
            if worker not in self._alive:
                return f"the worker on {host.name} is gone"
        for future in job.futures:
            if future.status == "error":
                return _sentence(future.exception())
            if future.status in ("lost", "cancelled"):
                return "its task was lost"
        # Before its first line it waits for another measurement of its host.
        heard_s = self._heard_s.get(job)
        if heard_s is not None and time.monotonic() > heard_s + self._patience.silent_s:
            return f"nothing was heard of it for {self._patience.silent_s:g} s"
        return None

    def _give_up(self, job: Job, fault: str, waiting: list[Job], outcome: Outcome) -> None:
        self._forget(job)
        job.stop(self._cluster)
        job.release()
        if job.attempts < ATTEMPTS:
            self._on_news(job.name, f"{fault}; tried once more")
            waiting.append(job)
            self._asked_s, self._must_ask = float("-inf"), True
        else:
            self._fail(job, fault, outcome)

    def _forget(self, job: Job) -> None:
        self._running.remove(job)
        self._heard_s.pop(job, None)
        self._waits_since_s.pop(job, None)

    def _fail(self, job: Job, fault: str, outcome: Outcome) -> None:
        outcome.failed[job] = fault
        self._on_news(job.name, f"failed: {fault}")

    def _take_result(self, job: Job, waiting: list[Job], outcome: Outcome) -> None:
        try:
            result = job.result()
        except LOST:
            self._give_up(job, "its result was lost", waiting, outcome)
            return
        self._forget(job)
        job.stop(self._cluster)
        self._ending[job] = time.monotonic()
        outcome.done.append(job)
        self._on_done(job, result)

    def _begin_again(self, waiting: list[Job]) -> None:
        """Waits for the scheduler; what ran then goes on from its complete records, by no fault of
        its hosts."""
        for job in self._running:
            job.attempts -= 1
            job.futures = []
        waiting[:0] = self._running
        self._running.clear()
        for times in (self._ending, self._heard_s, self._waits_since_s, self._away_since_s):
            times.clear()
        self._cluster.reconnect(
            self._patience.away_s, lambda sentence: self._on_news("scheduler", sentence)
        )
        self._found, self._alive, self._asked_s = Found(), set(), float("-inf")


def _sentence(error: BaseException | None) -> str:
    if isinstance(error, HostFailed):
        return str(error).rstrip(".")
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}".rstrip(": .")
