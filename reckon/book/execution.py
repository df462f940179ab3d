"""Executing the notebooks: papermill in _toc.yml order, only where something changed."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from jupyter_client.manager import AsyncKernelManager
from traitlets import Unicode

from reckon import config, records
from reckon.book.progress import Display
from reckon.computer import scratch
from reckon.config import ROOT, ReckonError
from reckon.records.session import session

_SECONDS_A_GROUP = {"quick": 0.6, "standard": 3.0, "full": 80.0}  # for the first estimate only


def toc() -> list[str]:
    """Every file of the book, in order, as `_toc.yml` has it."""
    data = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))

    def walk(entries):
        for entry in entries:
            yield entry["file"]
            yield from walk(entry.get("sections", []))

    return [data["root"], *walk(data["chapters"])]


def notebooks() -> list[str]:
    """The notebooks of the book by name: "machine", "cpu/clock", ..., in order."""
    return [file.removeprefix("notebooks/") for file in toc() if file.startswith("notebooks/")]


def source(page: str) -> Path:
    return ROOT / "notebooks" / f"{page}.ipynb"


def executed(page: str) -> Path:
    return config.build_dir() / "executed" / f"{page}.ipynb"


def find(page: str) -> str:
    """The page of that name. Raises ReckonError, naming the nearest, where there is none."""
    if page not in notebooks():
        near = difflib.get_close_matches(page, notebooks(), 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(notebooks())}."
        raise ReckonError(f"There is no experiment {page}; {hint}")
    return page


class _LocalKernel(AsyncKernelManager):
    """A kernel spoken to through sockets in the file system: nothing listens on the network. What
    it prints on its own goes to a log."""

    transport = Unicode("ipc")
    latest = None

    async def _async_start_kernel(self, **options):
        _LocalKernel.latest = self
        base = str(
            config.build_dir() / "kernel"
        )  # unless that is too long for a socket's address (unix(7))
        self.ip = base if len(base) < 90 else "kernel-ipc"
        with open(config.build_dir() / "kernel.log", "a", encoding="utf-8") as log:
            await super()._async_start_kernel(stdout=log, stderr=log, **options)

    start_kernel = _async_start_kernel

    @classmethod
    def kill_latest(cls) -> None:
        process = getattr(getattr(cls.latest, "provisioner", None), "process", None)
        if process and process.poll() is None:
            process.kill()  # its probe dies with it (PR_SET_PDEATHSIG)


def _run_notebook(page: str):
    """Execute one notebook and return it. In a thread, because nbclient takes Ctrl-C for itself in
    the main one; here it ends the kernel and is passed on."""
    import papermill

    result = []

    def work():
        try:
            # No output path: papermill would write the file after every cell.
            result.append(
                papermill.execute_notebook(
                    str(source(page)),
                    None,
                    kernel_name="python3",
                    progress_bar=False,
                    cwd=str(config.WORK),
                    kernel_manager_class=_LocalKernel,
                )
            )
        except BaseException as error:  # carried to the main thread
            result.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(1.0)
    except KeyboardInterrupt:
        _LocalKernel.kill_latest()
        thread.join(10.0)
        raise
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]


@dataclass
class Outcome:
    """What executing the pages came to."""

    executed: list[str]
    failed: dict[str, str]  # page: what went wrong
    states: dict[str, tuple[str, str | None]]  # quantity: state and reason


def _sources_key(page: str) -> str:
    """Everything a page is made from besides the records it reads."""
    package = Path(__file__).parent.parent
    files = [source(page), *sorted(package.rglob("*.py")), config.library_dir() / "compiler.txt"]
    files += sorted((ROOT / "csrc").rglob("*.[ch]")) + sorted(
        (ROOT / "book/reports").glob("*.toml")
    )
    parts = [
        config.profile().name,
        session().run.name,
        *config.other_host(),
        *(records.digest(str(file)) for file in files),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _sidecar(page: str) -> Path:
    return executed(page).with_suffix(".json")


def _last(page: str) -> dict:
    try:
        return json.loads(_sidecar(page).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def is_current(page: str) -> bool:
    """Whether the executed page still follows from its sources and from the records it read."""
    last = _last(page)
    return (
        executed(page).exists()
        and not last.get("failed")
        and last.get("sources") == _sources_key(page)
        and all(records.digest(what) == was for what, was in last.get("reads", {}).items())
    )


def _expected_s(page: str) -> float:
    last = _last(page)
    if last.get("profile") == config.profile().name and not config.fresh():
        return last["seconds"]
    asked = len(re.findall(r"rk\.measure", source(page).read_text(encoding="utf-8")))
    return 3.0 + asked * _SECONDS_A_GROUP[config.profile().name]


@contextmanager
def _environment(**values: str):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def execute(pages: list[str], force: bool = False) -> Outcome:
    """Execute the pages that are not current, in order; a failing one does not stop the others.

    Raises ReckonError where nothing can be executed at all (no library, unwritable folders).
    """
    fresh = config.fresh() or force
    stale = [page for page in pages if fresh or not is_current(page)]
    outcome = Outcome([], {}, {})
    records.make_folder(config.build_dir() / "executed")
    events = config.build_dir() / "events.jsonl"
    expected = {page: _expected_s(page) for page in stale}
    with scratch.shared(), Display(events, expected) as display:
        for page in pages:
            # An earlier page may have changed a record that this one reads.
            if page not in stale and is_current(page):
                continue
            display.page(page)
            start_s = time.monotonic()
            error = _execute_one(page, events)
            display.page_done(page, time.monotonic() - start_s)
            outcome.executed.append(page)
            if error:
                outcome.failed[page] = error
                display.line(f"{page} failed: {error}")
    outcome.states = display.states
    return outcome


def _execute_one(page: str, events: Path) -> str | None:
    """Execute one notebook; what went wrong, or None. Ctrl-C ends its kernel with it."""
    import nbformat
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    target = executed(page)
    records.make_folder(target.parent)
    reads = target.with_suffix(".reads")
    reads.unlink(missing_ok=True)
    key, start_s, error = _sources_key(page), time.monotonic(), None
    try:
        with _environment(
            RECKON_EVENTS=str(events),
            RECKON_READS=str(reads),
            RECKON_RUN=session().run.name,
            RECKON_BOOK="1",
            PYDEVD_DISABLE_FILE_VALIDATION="1",
        ):
            done = _run_notebook(page)
        records.write_whole(target, nbformat.writes(done) + "\n")
    except PapermillExecutionError as failure:
        error = f"cell {failure.cell_index + 1}: {failure.ename}: {failure.evalue}"
    except DeadKernelError:
        error = "its kernel died; run the notebook in `make lab` to see where."
    except OSError as failure:
        error = f"{failure.filename or target}: {failure.strerror}"
    finally:
        seen = reads.read_text(encoding="utf-8").splitlines() if reads.exists() else []
        reads.unlink(missing_ok=True)
    if error:
        _write_failed(page, error)
    sidecar = {
        "sources": key,
        "failed": error,
        "profile": config.profile().name,
        "seconds": round(time.monotonic() - start_s, 2),
        "reads": {what: records.digest(what) for what in sorted(set(seen))},
    }
    records.write_whole(_sidecar(page), json.dumps(sidecar, indent=1) + "\n")
    return error


def _write_failed(page: str, error: str) -> None:
    """A page in place of the one that failed, saying so."""
    import nbformat

    title = next(
        (
            line
            for cell in nbformat.read(source(page), 4).cells
            if cell.cell_type == "markdown"
            for line in cell.source.splitlines()
            if line.startswith("# ")
        ),
        f"# {page}",
    )
    text = f"{title}\n\n:::{{error}}\nThis page could not be made. {error}\n:::"
    stub = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    for number, cell in enumerate(stub.cells):
        cell.id = f"failed-{number}"
    records.write_whole(executed(page), nbformat.writes(stub))
