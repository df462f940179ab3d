"""The tasks of a build, each in a kernel of its own: executing a page, visiting an experiment."""

from __future__ import annotations

import abc
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from reckon import config, records
from reckon.book import contents
from reckon.book.execution.dependencies import (
    Execution,
    Sources,
    file_versions,
    read_digests,
    write,
)
from reckon.book.execution.notebook_execution import NotebookExecution, NotebookFailed
from reckon.book.execution.warm_kernels import Surroundings
from reckon.build_context import BuildContext
from reckon.computer import scratch
from reckon.errors import ReckonError
from reckon.records.quantities import revisions
from reckon.show.text import literal
from reckon.show.titles import page_title

_FILE_CLOCK_NS = 20_000_000  # the times of files may lag behind the clock by that much
# What a later visit executes; its value is the number of quantities that were visited.
_VISIT = """from reckon.measurement import revisit
from reckon.records.session import current_session
revisit.visit_again(current_session(), {experiment!r}, {visit})"""
_DRAW = """from reckon.show.figures import drawings
drawings.draw_later({names!r}, {endings!r})"""
_OVERTAKEN = "written while the page was executed"  # in the place of a digest


class Task(abc.ABC):
    """What a kernel of its own does for the build."""

    activity: str  # as the progress calls it
    shows_events = True

    def __init__(self, page: str, name: str, run: str):
        self.page, self.name = page, name  # the name says which of a page's tasks it is
        self.run = run
        target = contents.executed_path(page)
        records.make_folder(target.parent)
        self.events, self.reads = (target.with_suffix(end) for end in (".events", ".reads"))

    def begin(self) -> None:
        """Start the kernel."""
        self._forget_logs()
        self._start_s = time.monotonic()
        settings = config.settings().with_choices(run=self.run)
        surroundings = Surroundings(
            folder=config.WORK,
            log=settings.build_dir / "kernel.log",
            settings=settings,
            build=self._build_context(),
        )
        parameters = {"profile": settings.profile.name, "run": settings.run}
        self._execution = NotebookExecution(self._notebook(), surroundings, parameters)

    @abc.abstractmethod
    def _notebook(self) -> Path | NotebookNode:
        """What the kernel executes."""

    def _build_context(self) -> BuildContext:
        return BuildContext(self.events, self.reads, scratch.folder_in_use())

    @abc.abstractmethod
    def finish(self, *, retry: bool) -> str | None:
        """Take what the kernel gave; the error, or None.

        retry: whether the next build does it again, because a quantity failed."""

    def _forget_logs(self) -> None:
        for path in (self.events, self.reads):
            path.unlink(missing_ok=True)

    @property
    def seconds(self) -> float:
        """The time since the kernel was started."""
        return time.monotonic() - self._start_s

    @property
    def future(self) -> Future:
        """Done when `finish` does not block."""
        return self._execution.future

    def stop(self) -> None:
        """End the kernel; no log of it remains."""
        self._execution.stop()
        self._forget_logs()


class PageExecution(Task):
    """A page being executed, in the first of some visits; or only rendered from the records."""

    def __init__(
        self,
        page: str,
        sources: Sources,
        *,
        visits: int = 1,
        renders: bool = False,
        draws: Sequence[str] = (),
    ):
        name = self.name_of_rendering(page) if renders else page
        super().__init__(page, name, sources.run)
        self.activity = "rendering" if renders else "executing"
        self.shows_events = not renders  # what was measured has been shown
        self._visits, self._renders, self._draws = visits, renders, (*draws,)
        self._all_sources = sources

    @staticmethod
    def name_of_rendering(page: str) -> str:
        """The name of the task that only renders the page."""
        return f"{page}, rendered"

    def begin(self) -> None:
        """Start the kernel, and note the sources as they are now."""
        self._sources = self._all_sources.key(self.page)
        self._began_ns = time.time_ns()
        super().begin()

    def _notebook(self) -> Path:
        return contents.source(self.page)

    def _build_context(self) -> BuildContext:
        return replace(
            super()._build_context(),
            visits=self._visits,
            renders=self._renders,
            notebook=contents.source(self.page),
            draws=self._draws,
        )

    def finish(self, *, retry: bool) -> str | None:
        """Write the executed page, or one that says what went wrong; the error, or None."""
        error = None
        try:
            executed = nbformat.writes(self._execution.result()) + "\n"
            records.write_whole(contents.executed_path(self.page), executed)
        except NotebookFailed as failure:
            error = str(failure)
        if error:
            _write_failed(self.page, error)
        self._remember(error, retry=retry)
        return error

    def _remember(self, error: str | None, *, retry: bool) -> None:
        reads = set(self.reads.read_text("utf-8").splitlines()) if self.reads.exists() else set()
        self._forget_logs()
        overtaken = self._overtaken(reads)
        execution = Execution(
            sources=self._sources,
            failed=error,
            retry=retry,
            profile=config.settings().profile.name,
            seconds=round(self.seconds, 2),
            reads=read_digests(reads) | dict.fromkeys(overtaken, _OVERTAKEN),
            versions=file_versions(reads - overtaken),
        )
        write(self.page, execution)

    def _overtaken(self, reads: set[str]) -> set[str]:
        """The predictions of other pages that were laid over the run since this one began: it may
        have read those before."""
        folder, own = str(revisions.overlay_folder(self.run)), f"/{self.page}.json"
        since_ns = self._began_ns - _FILE_CLOCK_NS
        written = {
            path
            for path, (_, at_ns, _) in file_versions(reads).items()
            if at_ns > since_ns and path.startswith(folder) and not path.endswith(own)
        }
        return {read for read in reads if records.entry_path(read) in written}


class LaterVisit(Task):
    """A later visit to the quantities of an experiment."""

    activity = "visiting again"

    def __init__(self, experiment: str, visit: int, run: str):
        super().__init__(experiment, self.name_of(experiment, visit), run)
        self.events = self.events.with_suffix(f".{visit}.events")
        self._visit, self.count = visit, 0

    @staticmethod
    def name_of(experiment: str, visit: int) -> str:
        """The name of the task that is this visit to the experiment."""
        return f"{experiment}, visit {visit}"

    def _notebook(self) -> NotebookNode:
        source = _VISIT.format(experiment=self.page, visit=self._visit)
        return new_notebook(cells=[new_code_cell(source)])

    def finish(self, *, retry: bool) -> str | None:
        """Take the number of quantities that were visited; the error, or None."""
        try:
            (cell,) = self._execution.result().cells
            self.count = int(cell.outputs[-1].data["text/plain"])
        except NotebookFailed as failure:
            return f"visit {self._visit}: {str(failure).removeprefix('cell 1: ')}"
        finally:
            self._forget_logs()
        return None


class LaterDrawings(Task):
    """Files of figures that their pages have not drawn, each for a phone or for print."""

    activity = "drawing"

    def __init__(self, names: list[str], endings: Sequence[str], number: int, run: str):
        super().__init__("figures", f"figures {number}", run)
        self.events, self.reads = (
            path.with_suffix(f".{number}{path.suffix}") for path in (self.events, self.reads)
        )
        self._names, self._endings = names, [*endings]

    def _notebook(self) -> NotebookNode:
        source = _DRAW.format(names=self._names, endings=self._endings)
        return new_notebook(cells=[new_code_cell(source)])

    def finish(self, *, retry: bool) -> None:
        """Nothing. Raises ReckonError if a figure cannot be drawn."""
        try:
            self._execution.result()
        except NotebookFailed as failure:
            raise ReckonError(
                f"A figure is not drawn: {str(failure).removeprefix('cell 1: ')}"
            ) from None
        finally:
            self._forget_logs()


def _write_failed(page: str, error: str) -> None:
    """A page in place of the one that failed, saying so."""
    sentence = f"This page could not be made. {literal(error)}"
    text = f"# {page_title(page)}\n\n:::{{error}}\n{sentence}\n:::"
    cell = new_markdown_cell(text, id="failed")
    notebook = new_notebook(cells=[cell])
    records.write_whole(contents.executed_path(page), nbformat.writes(notebook))
