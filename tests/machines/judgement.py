"""What the pages conclude of made-up machines, compared with the truth."""

from __future__ import annotations

import multiprocessing
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import seaborn  # noqa: F401  for the forks: most pages import it, which takes seconds

import reckon
from machines.conclusions import conclusions
from machines.machine import Machine
from machines.run import write_run
from reckon import statistics


@dataclass(frozen=True)
class Judgement:
    """What one page concludes of one machine."""

    machine: str
    page: str
    right: tuple[str, ...]  # what it had to state, and does
    missing: tuple[str, ...]
    false: tuple[str, ...]  # what it states and is false there
    error: str = ""  # why the page could not be executed


def judge(
    machines: Sequence[Machine], build: Path, pages: Sequence[str] = (), jobs: int = 1
) -> Iterator[list[Judgement]]:
    """The judgements of each machine, of these pages or of all that it speaks of; each machine in a
    process of its own. Statistics are stored in that build folder for the next time."""
    reckon.load()
    statistics.load()
    tasks = [(machine, build, [*pages] or machine.pages) for machine in machines]
    forks = multiprocessing.get_context("fork")
    global _tasks
    _tasks = tasks
    with forks.Pool(jobs, maxtasksperchild=1) as pool:
        yield from pool.imap(_judged, range(len(tasks)), chunksize=1)


_tasks: list[tuple[Machine, Path, list[str]]] = []  # of the forks: functions cannot be handed over


def _judged(index: int) -> list[Judgement]:
    machine, build, pages = _tasks[index]
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(machine, Path(folder))
        return [_of_page(machine, page, run, build) for page in machine.pages if page in pages]


def _of_page(machine: Machine, page: str, run: Path, build: Path) -> Judgement:
    true = [each.name for each in machine.true if each.page == page]
    false = {each.name for each in machine.false if each.page == page}
    error = ""
    try:
        shown = conclusions(page, run, build)
    except Exception:
        shown, error = set(), traceback.format_exc(limit=-1).strip()
    return Judgement(
        machine.name,
        page,
        right=tuple(name for name in true if name in shown),
        missing=tuple(name for name in true if name not in shown),
        false=tuple(sorted((shown & false) - {*true})),
        error=error,
    )
