"""Executing the notebooks, in the order of `_toc.yml`, where something changed."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from multiprocessing.connection import wait

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
from reckon.presentation.text import literal
from reckon.records.session import current_session

_SECONDS_A_CALL = {"quick": 0.6, "standard": 3.0, "full": 80.0}  # for the first estimate only
_POLL_S = 0.1


@dataclass
class ExecutionResult:
    """Which pages were executed, which failed, and the state of each quantity."""

    executed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # page: what went wrong
    # By quantity: its state and the reason for it.
    states: dict[str, tuple[str, str | None]] = field(default_factory=dict)


def execute(pages: list[str]) -> ExecutionResult:
    """Execute the pages that are not current; a failing one does not stop the others.

    Raises ReckonError where nothing can be executed at all (no library, unwritable folders).
    """
    sources = Sources()
    stale = [page for page in pages if config.settings().fresh or not sources.is_current(page)]
    outcome = ExecutionResult()
    records.make_folder(config.settings().build_dir / "executed")
    if not stale:
        return outcome
    with scratch.shared(), Display({page: _expected_s(page) for page in stale}) as display:
        outcome.states = display.states
        for group in _groups(pages):
            # A page of an earlier group may have changed a record that one of these reads.
            due = [page for page in group if page in stale or not sources.is_current(page)]
            _Group(sources, display, outcome).execute(due)
    return outcome


def _groups(pages: list[str]) -> list[list[str]]:
    """Pages that may be executed at the same time; a group waits for the one before.

    Where something may be measured, pages come one by one: one would disturb the other. The pages
    of a run that was recorded elsewhere are only rendered, so they may be executed together; pages
    about the whole run come last.
    """
    if not current_session().replay:
        return [[page] for page in pages]
    of_one_experiment = [page for page in pages if "/" in page]
    return [of_one_experiment, [page for page in pages if "/" not in page]]


def _expected_s(page: str) -> float:
    last = last_execution(page)
    if last and last.profile == config.settings().profile.name and not config.settings().fresh:
        return last.seconds
    text = contents.source(page).read_text(encoding="utf-8")
    calls = len(re.findall(r"rk\.measure(?!d)", text))
    return 3.0 + calls * _SECONDS_A_CALL[config.settings().profile.name]


class _Page:
    """One page being executed."""

    def __init__(self, page: str, sources: Sources):
        self.page = page
        self.target = contents.executed(page)
        records.make_folder(self.target.parent)
        self.events, self.reads = (self.target.with_suffix(end) for end in (".events", ".reads"))
        self._forget_logs()
        self._sources = sources.key(page)
        self._start_s = time.monotonic()
        self.process = PageProcess(self._job())

    def _job(self) -> Job:
        settings = config.settings().with_choices(run=current_session().run.name)
        return Job(
            notebook=contents.source(self.page),
            folder=config.WORK,
            log=settings.build_dir / "kernel.log",
            settings=settings,
            builder=Builder(self.events, self.reads, scratch.folder()),
        )

    def _forget_logs(self) -> None:
        for path in (self.events, self.reads):
            path.unlink(missing_ok=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start_s

    def finish(self, *, retry: bool) -> str | None:
        """Write the executed page, or one that says what went wrong; the error, or None.

        retry: whether the next build executes it again."""
        error = None
        try:
            records.write_whole(self.target, self.process.result())
        except NotebookFailed as failure:
            error = str(failure)
        except ProcessDied:
            error = "its process died; run the notebook in `make lab` to see where."
        except OSError as failure:
            error = f"{failure.filename or self.target}: {failure.strerror}"
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

    def stop(self) -> None:
        self.process.stop()
        self._forget_logs()


class _Group:
    """Pages executed side by side, as many at a time as there are CPUs."""

    def __init__(self, sources: Sources, display: Display, outcome: ExecutionResult):
        self._sources, self._display, self._outcome = sources, display, outcome
        self._running: list[_Page] = []

    def execute(self, pages: list[str]) -> None:
        waiting = sorted(pages, key=_expected_s, reverse=True)  # the longest first: none drags on
        try:
            while waiting or self._running:
                while waiting and len(self._running) < len(os.sched_getaffinity(0)):
                    self._begin(waiting.pop(0))
                self._step()
        except BaseException:  # Ctrl-C above all
            for one in self._running:
                one.stop()
            raise

    def _begin(self, page: str) -> None:
        self._display.page(page)
        self._running.append(_Page(page, self._sources))

    def _step(self) -> None:
        """Show what happens until a page is done."""
        ready = wait([one.process.receiver for one in self._running], _POLL_S)
        for one in self._running:
            self._display.show(one.page, one.events)
        for one in [one for one in self._running if one.process.receiver in ready]:
            self._running.remove(one)
            self._end(one)

    def _end(self, one: _Page) -> None:
        error = one.finish(
            retry=self._display.has_failed(one.page) and not current_session().replay
        )
        self._display.page_done(one.page, one.seconds)
        self._outcome.executed.append(one.page)
        if error:
            self._outcome.failed[one.page] = error
            self._display.line(f"{one.page} failed: {error}")


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
