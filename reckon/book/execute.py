"""Executing the notebooks, in the order of `_toc.yml`, where something changed."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path

import nbformat

from reckon import config, records
from reckon.book import contents
from reckon.book.dependencies import (
    Execution,
    Sources,
    file_versions,
    last_execution,
    read_digests,
    write,
)
from reckon.book.page_process import Job, NotebookFailed, PageProcess, ProcessDied
from reckon.book.progress import Display
from reckon.computer import scratch
from reckon.config import Builder
from reckon.measurement import revisit
from reckon.presentation.text import literal
from reckon.records.session import current_session

_SECONDS_A_CALL = {"quick": 0.6, "standard": 3.0, "full": 80.0}  # for the first estimate only
_RENDER_S = 1.5  # a page of which all is measured; for the estimate as well
_POLL_S = 0.1


@dataclass
class ExecutionResult:
    """Which pages were executed, which failed, and the state of each quantity."""

    executed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # page: what went wrong
    # By quantity: its state and the reason for it.
    states: dict[str, tuple[str, str | None]] = field(default_factory=dict)


def execute(pages: list[str], visits: int = 1) -> ExecutionResult:
    """Execute the pages that are not current; a failing one does not stop the others.

    visits: how many times each quantity is measured, minutes apart. The notebooks make the first
    visit; after the others their pages are executed again, to show all. Raises ReckonError where
    nothing can be executed at all (no library, unwritable folders).
    """
    build = _Build(pages, 1 if current_session().replay else visits)
    if build.stale or build.lacks_visits():
        with scratch.shared(), build.display:
            build.execute()
    return build.outcome


class _Build:
    """One build: the first visits, the later ones, then the pages of the whole run."""

    def __init__(self, pages: list[str], visits: int):
        self.sources, self.visits = Sources(), visits
        fresh = config.settings().fresh
        self.stale = [page for page in pages if fresh or not self.sources.is_current(page)]
        self.display = Display()
        self.outcome = ExecutionResult(states=self.display.states)
        # Pages behind the last experiment show the whole run, or measure what its records say.
        experiments = [place for place, page in enumerate(pages) if contents.is_of_experiment(page)]
        first_whole = 1 + max(experiments, default=-1) if visits > 1 else len(pages)
        self.pages, self.whole = pages[:first_whole], pages[first_whole:]
        records.make_folder(config.settings().build_dir / "executed")

    def _expect(self, pages: list[str], unmeasured: list[str]) -> None:
        """Show what is left: these pages, the later visits, and the pages that then show them.

        unmeasured: pages of which no record says how long a visit takes."""
        tasks, visited = {page: _expected_s(page) for page in pages}, set()
        for visit in range(2, self.visits + 1):
            due = {page: tasks[page] / self.visits for page in unmeasured}
            due |= revisit.experiments_to_visit(visit)
            tasks |= {_Visit.name_of(page, visit): due[page] for page in due if page in self.pages}
            visited |= {page for page in due if page in self.pages}
        self.display.expect(tasks | {f"{page}, rendered": _RENDER_S for page in visited})

    def lacks_visits(self) -> bool:
        """Whether an earlier build was stopped before its last visit."""
        return self.visits > 1 and bool(self._experiments_to_visit(self.visits))

    def _experiments_to_visit(self, visit: int) -> list[str]:
        return [one for one in revisit.experiments_to_visit(visit) if one in self.pages]

    def execute(self) -> None:
        unmeasured = [page for page in self.stale if page in self.pages and not _seconds(page)]
        self._expect(self.stale, [page for page in unmeasured if contents.is_of_experiment(page)])
        self._execute(self.pages)
        if self.visits > 1:
            self._expect([page for page in self.whole if page in self.stale], [])
            for visit in range(2, self.visits + 1):
                self._visit_again(visit)
            revisit.write_pooled_variance()
            self._render()
        self._execute(self.whole)

    def _execute(self, pages: list[str]) -> None:
        for group in _groups(pages):
            # A page of an earlier group may have changed a record that one of these reads.
            due = [
                page for page in group if page in self.stale or not self.sources.is_current(page)
            ]
            _run_all([_Page(page, self.sources, visits=self.visits) for page in due], self)

    def _visit_again(self, visit: int) -> None:
        start_s = time.monotonic()
        tasks = [_Visit(one, visit) for one in self._experiments_to_visit(visit)]
        for task in tasks:  # one by one: one would disturb the other
            _run_all([task], self)
        if count := sum(task.count for task in tasks):
            took = f"{time.monotonic() - start_s:.0f} s"
            self.display.line(f"Visit {visit}: {count} quantities in {took}")

    def _render(self) -> None:
        """Execute the pages again whose records have changed since; nothing is measured."""
        due = [
            p for p in self.pages if p not in self.outcome.failed and not self.sources.is_current(p)
        ]
        _run_all([_Page(page, self.sources, renders=True) for page in due], self)


def _groups(pages: list[str]) -> list[list[str]]:
    """Pages that may be executed at the same time; a group waits for the one before.

    Where something may be measured, pages come one by one: one would disturb the other. The pages
    of a run that was recorded elsewhere are only rendered, so they may be executed together; pages
    about the whole run come last.
    """
    if not current_session().replay:
        return [[page] for page in pages]
    of_one_experiment = [page for page in pages if contents.is_of_experiment(page)]
    return [of_one_experiment, [page for page in pages if page not in of_one_experiment]]


def _seconds(page: str) -> float | None:
    """How long the page took when it was last executed; None if that says nothing of this time."""
    last = last_execution(page)
    if last and last.profile == config.settings().profile.name and not config.settings().fresh:
        return last.seconds
    return None


def _expected_s(page: str) -> float:
    if seconds := _seconds(page):
        return seconds
    text = contents.source(page).read_text(encoding="utf-8")
    calls = len(re.findall(r"rk\.measure(?!d)", text))
    return 3.0 + calls * _SECONDS_A_CALL[config.settings().profile.name]


class _Task:
    """What a process of its own does for the build."""

    doing: str  # as the progress calls it
    shows_events = True

    def __init__(self, page: str, name: str):
        self.page, self.name = page, name  # the name says which of a page's tasks it is
        target = contents.executed(page)
        records.make_folder(target.parent)
        self.events, self.reads = (target.with_suffix(end) for end in (".events", ".reads"))

    def begin(self) -> None:
        self._forget_logs()
        self._start_s = time.monotonic()
        self.process = PageProcess(self._job())

    def _job(self) -> Job:
        settings = config.settings().with_choices(run=current_session().run.name)
        return Job(
            work=self._work(),
            folder=config.WORK,
            log=settings.build_dir / "kernel.log",
            settings=settings,
            builder=self._builder(),
        )

    def _work(self) -> Path | tuple[str, int]:
        raise NotImplementedError

    def _builder(self) -> Builder:
        return Builder(self.events, self.reads, scratch.folder())

    def finish(self, *, retry: bool) -> str | None:
        """Take the result; the error, or None.

        retry: whether the next build does it again, because a quantity failed."""
        raise NotImplementedError

    def _forget_logs(self) -> None:
        for path in (self.events, self.reads):
            path.unlink(missing_ok=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start_s

    def stop(self) -> None:
        self.process.stop()
        self._forget_logs()


class _Page(_Task):
    """A page being executed."""

    def __init__(self, page: str, sources: Sources, *, visits: int = 1, renders: bool = False):
        super().__init__(page, f"{page}, rendered" if renders else page)
        self.doing = "rendering" if renders else "executing"
        self.shows_events = not renders  # what was measured has been shown
        self._visits, self._renders = visits, renders
        self._all_sources = sources

    def begin(self) -> None:
        self._sources = self._all_sources.key(self.page)
        super().begin()

    def _work(self) -> Path:
        return contents.source(self.page)

    def _builder(self) -> Builder:
        return replace(super()._builder(), visits=self._visits, renders=self._renders)

    def finish(self, *, retry: bool) -> str | None:
        """Write the executed page, or one that says what went wrong; the error, or None."""
        error = None
        try:
            records.write_whole(contents.executed(self.page), self.process.result())
        except NotebookFailed as failure:
            error = str(failure)
        except ProcessDied:
            error = "its process died; run the notebook in `make lab` to see where."
        except OSError as failure:
            error = f"{failure.filename or self.page}: {failure.strerror}"
        if error:
            _write_failed(self.page, error)
        self._remember(error, retry=retry)
        return error

    def _remember(self, error: str | None, *, retry: bool) -> None:
        reads = set(self.reads.read_text("utf-8").splitlines()) if self.reads.exists() else set()
        self._forget_logs()
        last = Execution(
            sources=self._sources,
            failed=error,
            retry=retry,
            profile=config.settings().profile.name,
            seconds=round(self.seconds, 2),
            reads=read_digests(reads),
            versions=file_versions(reads),
        )
        write(self.page, last)


class _Visit(_Task):
    """A later visit to the quantities of an experiment."""

    doing = "visiting again"

    def __init__(self, experiment: str, visit: int):
        super().__init__(experiment, self.name_of(experiment, visit))
        self.events = self.events.with_suffix(f".{visit}.events")
        self._visit, self.count = visit, 0

    @staticmethod
    def name_of(experiment: str, visit: int) -> str:
        return f"{experiment}, visit {visit}"

    def _work(self) -> tuple[str, int]:
        return self.page, self._visit

    def finish(self, *, retry: bool) -> str | None:
        """Take the number of quantities that were visited; the error, or None."""
        try:
            self.count = int(self.process.result())
        except NotebookFailed as failure:
            return str(failure)
        except ProcessDied:
            return f"visit {self._visit}: its process died."
        finally:
            self._forget_logs()
        return None


def _run_all(tasks: Sequence[_Task], build: _Build) -> None:
    """Do the tasks side by side, as many at a time as there are CPUs."""
    # The longest first: none drags on.
    waiting = sorted(tasks, key=lambda task: _expected_s(task.page), reverse=True)
    running: list[_Task] = []
    display, outcome = build.display, build.outcome
    try:
        while waiting or running:
            while waiting and len(running) < len(os.sched_getaffinity(0)):
                task = waiting.pop(0)
                display.page(task.page, task.doing)
                task.begin()
                running.append(task)
            ready = wait([task.process.receiver for task in running], _POLL_S)
            for task in running:
                if task.shows_events:
                    display.show(task.page, task.events)
            for task in [task for task in running if task.process.receiver in ready]:
                running.remove(task)
                _end(task, display, outcome)
    except BaseException:  # Ctrl-C above all
        for task in running:
            task.stop()
        raise


def _end(task: _Task, display: Display, outcome: ExecutionResult) -> None:
    error = task.finish(retry=display.has_failed(task.page) and not current_session().replay)
    display.page_done(task.page, task.name, task.seconds)
    if isinstance(task, _Page) and task.page not in outcome.executed:
        outcome.executed.append(task.page)
    if error:
        outcome.failed[task.page] = error
        display.line(f"{task.page} failed: {error}")


def _write_failed(page: str, error: str) -> None:
    """A page in place of the one that failed, saying so."""
    text = f"{_title(page)}\n\n:::{{error}}\nThis page could not be made. {literal(error)}\n:::"
    cell = nbformat.v4.new_markdown_cell(text, id="failed")
    records.write_whole(
        contents.executed(page), nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    )


def _title(page: str) -> str:
    for cell in nbformat.read(contents.source(page), 4).cells:
        for line in cell.source.splitlines():
            if cell.cell_type == "markdown" and line.startswith("# "):
                return line
    return f"# {page}"
