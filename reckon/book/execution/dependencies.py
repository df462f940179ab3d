"""Whether an executed page still follows from what it was made from: its sources and records."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from reckon import config, records
from reckon.book import contents
from reckon.config import ROOT
from reckon.records import notebook_cells


@dataclass
class Execution:
    """What is known of a page's last execution; kept in a file beside the executed page."""

    sources: str  # the hash of all that the page is made from besides records
    failed: str | None
    retry: bool  # a quantity failed: the next build measures it again
    profile: str
    seconds: float
    reads: dict[str, str]  # the digest of each record, or part of one, that the page read
    versions: dict[str, list[int]] = field(default_factory=dict)  # the files of these records


def _path(page: str) -> Path:
    return contents.executed_path(page).with_suffix(".json")


def last_execution(page: str) -> Execution | None:
    """The page's last execution; None if nothing, or nothing readable, is known of it."""
    try:
        return Execution(**json.loads(_path(page).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(page: str, execution: Execution) -> None:
    """Make it the page's last execution."""
    records.write_whole(_path(page), json.dumps(asdict(execution), indent=1) + "\n")


def read_digests(reads: set[str]) -> dict[str, str]:
    """The digest of each record, or part of one, by its name in `reads`."""
    return {read: records.digest(read) for read in sorted(reads)}


def file_versions(reads: set[str]) -> dict[str, list[int]]:
    """Inode, time of change and size of each file: while they last, its digests do."""
    paths = {records.entry_path(read) for read in reads}
    return {path: version for path in sorted(paths) if (version := _version(path))}


def _version(path: str) -> list[int] | None:
    try:
        return [*records.version_of(Path(path))]
    except OSError:  # no record yet, or a pattern
        return None


def _code_digest(notebook: Path) -> str:
    """A digest of the code cells' sources and tags; of a file that is no notebook, its digest.

    Text is not executed: staging takes it from the notebook as it is. JupyterLab also writes
    numbers of executions, outputs and the version of its kernel."""
    cells = notebook_cells.cells_of(notebook_cells.saved(notebook))
    if not cells:
        return records.file_digest(notebook)  # executing it reports what is wrong
    parts = [[cell.source, cell.tags] for cell in cells if cell.is_code]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


class Sources:
    """What the pages of a run are made from, as it is now. Made once for all: about 200 files."""

    def __init__(self, run: str):
        self.run = run
        package = Path(__file__).parents[2]
        files = [
            *sorted(package.rglob("*.py")),
            config.settings().library_dir / "compiler.txt",
            *sorted((ROOT / "csrc").rglob("*.[ch]")),
            *sorted((ROOT / "book").glob("*.toml")),
            *sorted((ROOT / "book" / "reports").glob("*.toml")),
        ]
        settings = config.settings()
        hosts = (settings.peer, settings.link_rtt, settings.link_rate, settings.nfs)
        self._shared = [
            settings.profile.name,
            run,
            str(os.geteuid()),  # root may measure what another user may not
            *map(str, hosts),
            *(records.file_digest(file) for file in files),
        ]

    def key(self, page: str) -> str:
        """The hash of everything a page is made from besides the records it reads."""
        modules = map(records.file_digest, contents.modules_of(page))
        parts = [_code_digest(contents.source(page)), *modules, *self._shared]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def is_current(self, page: str) -> bool:
        """Whether the executed page still follows from its sources and the records it read."""
        last = last_execution(page)
        return (
            last is not None
            and contents.executed_path(page).exists()
            and not last.failed
            and not last.retry
            and last.sources == self.key(page)
            and _reads_are_current(last)
        )

    def is_edited(self, page: str) -> bool:
        """Whether the page was executed, but from other sources than those of now."""
        last = last_execution(page)
        return last is not None and last.sources != self.key(page)


def _reads_are_current(last: Execution) -> bool:
    """Whether the records say what they said; files that did not change are not read again."""
    unchanged = {path for path, version in last.versions.items() if _version(path) == version}
    return all(
        records.entry_path(read) in unchanged or records.digest(read) == digest
        for read, digest in last.reads.items()
    )
