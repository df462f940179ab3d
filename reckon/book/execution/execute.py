"""Executing the notebooks, in the order of `_toc.yml`, where something changed."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field
from typing import Any

from reckon import config, records
from reckon.book import contents
from reckon.book.execution import warm_kernels
from reckon.book.execution.dependencies import Sources, last_execution
from reckon.book.execution.progress import Display
from reckon.book.execution.tasks import LaterDrawings, LaterVisit, PageExecution, Task
from reckon.computer import power, scratch
from reckon.measurement import costs, revisit
from reckon.records.session import Session
from reckon.show import figure_files

# For the first estimate only, until a page's last execution says how long it takes. The example was
# measured in the standard profile.
_SECONDS_A_CALL = {"quick": 1.1, "standard": 3.0, "full": 80.0}  # of rk.measure()
_SECONDS_A_PAGE = 3.0
_RENDER_S = 1.5  # a page of which all is measured
_FIGURE_S = 0.3
_POLL_S = 0.1
_FEW_PAGES = 3


@dataclass
class ExecutionResult:
    """Which pages were executed, which failed, and the state of each quantity."""

    executed_pages: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # page: what went wrong
    # By quantity: its state and the reason for it.
    states: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # by what took them

    @contextlib.contextmanager
    def timing(self, activity: str) -> Iterator[None]:
        """Adds the time that is spent inside to that of the activity."""
        start_s = time.monotonic()
        yield
        spent_s = time.monotonic() - start_s
        self.seconds[activity] = self.seconds.get(activity, 0.0) + spent_s


def execute(
    session: Session,
    pages: list[str],
    visits: int = 1,
    *,
    renders: bool = True,
    figures: Sequence[str] = (),
) -> ExecutionResult:
    """Execute the pages that are not current; a failing one does not stop the others.

    session: the run that the pages measure or show.
    visits: how many times each quantity is measured, minutes apart. The notebooks make the first
    visit; after the others their pages are executed again, to show all, unless not `renders`.
    figures: what the files of figures end in that the book needs besides those of its pages.
    Raises ReckonError where nothing can be executed at all (no library, unwritable folders).
    """
    # Also where nothing is executed: what was killed last may have executed everything.
    warm_kernels.sweep()
    scratch.sweep()
    build = _Build(session, pages, 1 if session.is_replay else visits, figures)
    is_due = build.stale or build.lacks_visits()
    if is_due or figure_files.undrawn(figures):
        warm_kernels.prepare(summarises=len(build.stale) > _FEW_PAGES)
        with scratch.shared_folder(), build.display:
            if is_due:
                build.execute(renders=renders)
            build.draw()
    return build.outcome


def unmeasured_s(page: str) -> float:
    """How long the first visit to a page takes of which nothing is on record."""
    profile = config.settings().profile.name
    if measuring_s := costs.measuring_s_of_example(page, profile):
        return _SECONDS_A_PAGE + measuring_s
    text = contents.source(page).read_text(encoding="utf-8")
    calls = len(re.findall(r"rk\.measure(?!d)", text))
    return _SECONDS_A_PAGE + calls * _SECONDS_A_CALL[profile]


def edited_pages(session: Session, pages: list[str]) -> list[str]:
    """Those that were executed from other sources than those of now; not those that read them."""
    sources = Sources(session.run.name)
    return [page for page in pages if sources.is_edited(page)]


class _Build:
    """One build: the first visits, the later ones, then the pages of the whole run."""

    def __init__(self, session: Session, pages: list[str], visits: int, figures: Sequence[str]):
        self.run, self.is_replay, self.visits = session.run.name, session.is_replay, visits
        self.figures = figures
        self.sources = Sources(self.run)
        fresh = config.settings().fresh
        self.stale = [page for page in pages if fresh or not self.sources.is_current(page)]
        self.display = Display()
        self.outcome = ExecutionResult(states=self.display.states)
        # Pages behind the last experiment show the whole run, or measure what its records say.
        experiments = [index for index, page in enumerate(pages) if contents.is_of_experiment(page)]
        first_of_run = 1 + max(experiments, default=-1) if visits > 1 else len(pages)
        self.pages, self.run_pages = pages[:first_of_run], pages[first_of_run:]
        records.make_folder(config.settings().build_dir / "executed")

    def lacks_visits(self) -> bool:
        """Whether an earlier build was stopped before its last visit."""
        return self.visits > 1 and bool(self._experiments_to_visit(self.visits))

    def execute(self, *, renders: bool) -> None:
        """Execute and visit all that is due."""
        experiments = [page for page in self.stale if contents.is_of_experiment(page)]
        unmeasured = [page for page in experiments if page in self.pages and not _seconds(page)]
        self._expect(self.stale, unmeasured)
        throttled_before = power.throttle_count()
        if unmeasured and not self.is_replay:
            self.display.line(costs.sentence(self.run, self.display.left_s))
        with self.outcome.timing("executing pages"):
            self._execute(self.pages)
        if self.visits > 1:
            self._expect([page for page in self.run_pages if page in self.stale], [])
            with self.outcome.timing("visiting again"):
                for visit in range(2, self.visits + 1):
                    self._visit_again(visit)
                revisit.write_pooled_variance(self.run)
        if renders and not self.is_replay:
            with self.outcome.timing("rendering"):
                self._render()
        with self.outcome.timing("executing pages"):
            self._execute(self.run_pages)
        if not self.is_replay and (warning := power.throttling_since(throttled_before)):
            self.display.line(warning)

    def draw(self) -> None:
        """Draw the files of figures that the pages have left."""
        names = figure_files.undrawn(self.figures)
        count = min(len(os.sched_getaffinity(0)), len(names))
        shares = [names[start::count] for start in range(count)]
        tasks = [
            LaterDrawings(share, self.figures, number, self.run)
            for number, share in enumerate(shares)
        ]
        self.display.expect({task.name: _FIGURE_S * len(names) / count for task in tasks})
        with self.outcome.timing("drawing"):
            self._run(tasks)

    def _expect(self, pages: list[str], unmeasured: list[str]) -> None:
        """Show what is left: these pages, the later visits, and the pages that then show them.

        unmeasured: pages of which no record says how long a visit takes."""
        tasks, visited = {page: self._expected_s(page) for page in pages}, set()
        for visit in range(2, self.visits + 1):
            due = {page: tasks[page] / self.visits for page in unmeasured}
            due |= revisit.experiments_to_visit(self.run, visit)
            tasks |= {
                LaterVisit.name_of(page, visit): due[page] for page in due if page in self.pages
            }
            visited |= {page for page in due if page in self.pages}
        renderings = map(PageExecution.name_of_rendering, visited)
        self.display.expect(tasks | dict.fromkeys(renderings, _RENDER_S))

    def _expected_s(self, page: str) -> float:
        return _seconds(page) or (_SECONDS_A_PAGE if self.is_replay else unmeasured_s(page))

    def _experiments_to_visit(self, visit: int) -> list[str]:
        experiments = revisit.experiments_to_visit(self.run, visit)
        return [page for page in experiments if page in self.pages]

    def _execute(self, pages: list[str]) -> None:
        for group in _groups(pages, is_replay=self.is_replay):
            # A page of an earlier group may have changed a record that one of these reads.
            due = [
                page for page in group if page in self.stale or not self.sources.is_current(page)
            ]
            self._execute_together(due)
            if self.is_replay:
                self._catch_up(group)

    def _execute_together(self, pages: list[str], *, renders: bool = False) -> None:
        # The longest first: none drags on.
        ordered = sorted(pages, key=self._expected_s, reverse=True)
        options: dict[str, Any] = {"renders": True} if renders else {"visits": self.visits}
        if self.is_replay and len(pages) == 1:  # else all CPUs are busy, or what is measured waits
            options["draws"] = self.figures
        self._run([PageExecution(page, self.sources, **options) for page in ordered])

    def _catch_up(self, group: list[str]) -> None:
        """Execute the pages again that read a prediction which a page beside them has changed."""
        for _ in group:  # as many times at most as one page can follow from another
            made = [page for page in group if page not in self.outcome.failed]
            due = [page for page in made if not self.sources.is_current(page)]
            if not due:
                break
            self._execute_together(due)

    def _visit_again(self, visit: int) -> None:
        start_s = time.monotonic()
        due = self._experiments_to_visit(visit)
        visits = [LaterVisit(experiment, visit, self.run) for experiment in due]
        for task in visits:  # one by one: one would disturb the other
            self._run([task])
        if count := sum(task.count for task in visits):
            seconds = time.monotonic() - start_s
            self.display.line(f"Visit {visit}: {count} quantities in {seconds:.0f} s")

    def _render(self) -> None:
        """Execute the pages again that read what was measured after them; nothing is measured."""
        made = [page for page in self.pages if page not in self.outcome.failed]
        due = [page for page in made if not self.sources.is_current(page)]
        self._execute_together(due, renders=True)

    def _run(self, tasks: Sequence[Task]) -> None:
        """Do the tasks side by side: as many as there are CPUs, and one whose kernel starts or ends
        meanwhile."""
        waiting, running = [*tasks], list[Task]()
        try:
            while waiting or running:
                while waiting and len(running) <= len(os.sched_getaffinity(0)):
                    task = waiting.pop(0)
                    self.display.page(task.page, task.activity, task.events)
                    task.begin()
                    running.append(task)
                futures = [task.future for task in running]
                done = wait(futures, _POLL_S, return_when=FIRST_COMPLETED).done
                for task in running:
                    if task.shows_events:
                        self.display.show(task.page, task.events)
                for task in [task for task in running if task.future in done]:
                    running.remove(task)
                    self._finish(task)
        except BaseException:  # Ctrl-C above all
            for task in running:
                task.stop()
            raise

    def _finish(self, task: Task) -> None:
        has_failed = self.display.has_failed(task.page)
        error = task.finish(retry=has_failed and not self.is_replay)
        self.display.page_done(task.page, task.name, task.seconds)
        if isinstance(task, PageExecution) and task.page not in self.outcome.executed_pages:
            self.outcome.executed_pages.append(task.page)
        if error:
            self.outcome.failed[task.page] = error
            self.display.line(f"{task.page} failed: {error}")


def _groups(pages: list[str], *, is_replay: bool) -> list[list[str]]:
    """Pages that may be executed at the same time; a group waits for the one before.

    Where something may be measured, pages come one by one: one would disturb the other. The pages
    of a run that was recorded elsewhere are only rendered, so they may be executed together; pages
    about the whole run come last.
    """
    if not is_replay:
        return [[page] for page in pages]
    of_one_experiment = [page for page in pages if contents.is_of_experiment(page)]
    return [of_one_experiment, [page for page in pages if page not in of_one_experiment]]


def _seconds(page: str) -> float | None:
    """How long the page took when it was last executed; None if that says nothing of this time."""
    last = last_execution(page)
    if last and last.profile == config.settings().profile.name and not config.settings().fresh:
        return last.seconds
    return None
