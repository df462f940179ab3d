"""What the build of the book hands to the processes that execute its pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BuildContext:
    """What the build of the book hands to the process of a page."""

    events: Path  # takes what a measurement reports of its progress, one line an event
    reads: Path  # takes the list of the records that the page was made from
    files: Path | None = None  # the folder of the files that the pages' probes read
    visits: int = 1  # how many the build makes to each quantity; the notebook's own is the first
    renders: bool = False  # the notebook is to show what the records hold, and to measure nothing
    notebook: Path | None = None  # what is executed
    draws: tuple[str, ...] = ()  # what the files of figures end in that the page draws itself


_current: BuildContext | None = None


def current() -> BuildContext | None:
    """What the build handed to this process; None outside of a build, as in JupyterLab."""
    return _current


def set_current(context: BuildContext | None) -> None:
    global _current
    _current = context
