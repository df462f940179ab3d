"""One notebook, executed in a process of its own that is forked from a warm one.

A Jupyter kernel takes 2 s to start and to import everything; a fork takes milliseconds. Still no
page can change another page's state, and one that crashes does not take the build with it.
multiprocessing's fork server imports reckon.book.kernel once.
"""

from __future__ import annotations

import abc
import atexit
import functools
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path
from typing import Generic, TypeVar

from reckon import build_context, config, statistics
from reckon.build_context import BuildContext
from reckon.computer import owners, scratch
from reckon.config import Settings
from reckon.errors import ALLOW_MORE, ReckonError
from reckon.records.session import current_session
from reckon.statistics import cache

R = TypeVar("R")  # the result of a process

_KERNEL = "reckon.book.kernel"
_DYING_S = 0.5  # the longest that a fork server may take to end once it answers no more
_SOCKETS = "reckon-builder-"  # then the name of the process whose sockets are in that folder
# A socket's path has at most 107 bytes (unix(7)); below TMPDIR it is one of at most 53 for that
# folder, then multiprocessing's "/pymp-01234567/listener-01234567".
_LONGEST_FOLDER = 107 - 53 - 32
_STOP_S = 5.0  # the longest that a page may take to end: its hosts and files go with it


class NotebookFailed(Exception):
    """A cell raised an error, the message names both; or an experiment could not be visited."""


class ProcessDied(Exception):
    """The process ended without a result."""


@dataclass(frozen=True)
class Failure:
    """The result of what failed: the exception that the waiting process raises."""

    error: NotebookFailed | OSError


class Work(abc.ABC, Generic[R]):
    """What a process executes."""

    @abc.abstractmethod
    def execute(self, settings: Settings, folder: Path) -> R | Failure:
        """Do it, in that working folder; the result."""


@dataclass(frozen=True)
class NotebookExecution(Work[str]):
    """A notebook; the result is its text with the outputs."""

    notebook: Path

    def execute(self, settings: Settings, folder: Path) -> str | Failure:
        """Execute its cells."""
        from nbformat.reader import NotJSONError, ValidationError
        from papermill.exceptions import PapermillExecutionError

        from reckon.book import kernel

        # What the notebook hands to rk.begin().
        parameters = {"profile": settings.profile.name, "run": settings.run}
        try:
            return kernel.execute(self.notebook, folder, parameters)
        except PapermillExecutionError as error:
            place = ", ".join(filter(None, [f"cell {error.cell_index + 1}", error.ename]))
            return Failure(NotebookFailed(f"{place}: {error.evalue}"))
        except (NotJSONError, ValidationError) as error:
            what = str(error.__cause__ or error).splitlines()[0]
            return Failure(
                NotebookFailed(
                    f"it is not a whole notebook any more ({what}); undo the last edit, or restore "
                    "it by `git restore`."
                )
            )
        except OSError as error:
            return Failure(error)


@dataclass(frozen=True)
class ExperimentVisit(Work[int]):
    """A later visit to an experiment; the result is the number of quantities visited."""

    experiment: str
    visit: int

    def execute(self, settings: Settings, folder: Path) -> int | Failure:
        """Measure what lacks that visit."""
        from reckon.measurement import revisit

        try:
            return revisit.visit_again(current_session(), self.experiment, self.visit)
        except ReckonError as error:
            return Failure(NotebookFailed(f"visit {self.visit}: {error}"))


@dataclass(frozen=True)
class Job(Generic[R]):
    """What a process executes, and in which surroundings."""

    work: Work[R]
    folder: Path  # the cells' working folder
    log: Path  # takes what the process and its children print past the notebook
    settings: Settings
    build: BuildContext


def _execute(job: Job, connection: Connection) -> None:
    """Send what the job gives."""
    sys.excepthook = sys.__excepthook__  # the fork server's is shorter
    os.setsid()  # Ctrl-C at the terminal reaches the builder alone, which ends this process
    with open(job.log, "a", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # drops one that came before setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        threading.Thread(target=_end_with_the_builder, daemon=True).start()
    except RuntimeError:
        error = NotebookFailed(f"no thread can be started; {ALLOW_MORE}")
        connection.send(Failure(error))
        return
    config.use(job.settings)
    build_context.set_current(job.build)
    scratch.use_folder(job.build.files)
    cache.store_in(job.settings.build_dir / "cache")
    connection.send(job.work.execute(job.settings, job.folder))
    atexit._run_exitfuncs()  # multiprocessing leaves them out; hosts and scratch files need them


def _end_with_the_builder() -> None:
    builder = multiprocessing.parent_process()
    if builder:
        builder.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _temporary_folder() -> Path:
    """Where the folder of sockets lies: in TMPDIR, or /tmp where that is too long for a socket."""
    folder = tempfile.gettempdir()
    return Path(folder if len(os.fsencode(folder)) <= _LONGEST_FOLDER else "/tmp")


def sweep() -> None:
    """Removes the sockets of builders that SIGKILL gave no time to do so."""
    owners.sweep(_temporary_folder(), _SOCKETS)


_one_thread = threading.Lock()


@functools.cache
def _make_folder_of_sockets() -> None:
    """Makes multiprocessing's folder of sockets, once for this process, in a folder that has this
    process's name from the beginning to the end: a mark inside would come later and go earlier."""
    folder = _temporary_folder() / f"{_SOCKETS}{owners.process_name()}"
    folder.mkdir(mode=0o700)
    # After multiprocessing has removed its own, by a finalizer of priority -100.
    Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-101)
    default, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        get_temp_dir()
    finally:
        tempfile.tempdir = default


@contextmanager
def _ctrl_c_put_off() -> Iterator[None]:
    """Ctrl-C acts at the end of the block, so that a process is started as a whole.

    The fork server inherits SIGINT blocked, and each page's process inherits it from the server:
    Ctrl-C ends neither the server while it imports nor a page before it has a session of its own.
    """
    signals = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Python's handler runs also where another thread, such as one of numpy's, got the signal.
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda *_: signals.append(1)) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if signals:
            signal.raise_signal(signal.SIGINT)


def _fork_server(preload: Sequence[str] = (_KERNEL, *statistics.MODULES)) -> ForkServerContext:
    """multiprocessing's; the next server that is started imports these modules."""
    # A process with threads is not to be forked: none for numpy's libraries.
    config.set_environment(OMP_NUM_THREADS="1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    with _one_thread:  # functools.cache lets two threads compute the same
        _make_folder_of_sockets()
    return context


def prepare(*, summarises: bool) -> None:
    """Start the fork server ahead of the first page.

    summarises: import what summaries are computed with too. That is a third of the server's two
    seconds, and a few pages seldom need it: most summaries are stored (reckon.statistics.cache)."""
    if summarises:
        _fork_server()
    else:
        _fork_server([_KERNEL])
    with suppress(OSError):  # PageProcess then says why it does not start
        resource_tracker.ensure_running()  # here: it unblocks SIGINT when it has started
        with _ctrl_c_put_off():
            forkserver.ensure_running()


class PageProcess(Generic[R]):
    """A notebook being executed, or an experiment being visited."""

    def __init__(self, job: Job[R]):
        context = _fork_server()
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_execute, args=(job, sender), daemon=True)
        try:
            resource_tracker.ensure_running()  # here: it unblocks SIGINT when it has started
            with _ctrl_c_put_off():
                self._start()
                sender.close()
        except (EOFError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else "its server has ended"
            raise ReckonError(
                f"The process of a page does not start ({why}); {ALLOW_MORE}"
            ) from None

    def _start(self) -> None:
        """Start the process, and with it a new fork server if that has died."""
        with suppress(EOFError, ConnectionError):
            self._process.start()
            return
        time.sleep(_DYING_S)
        self._process.start()

    @property
    def receiver(self) -> Connection:
        """For multiprocessing.connection.wait: ready when `result` does not block."""
        return self._receiver

    def stop(self) -> None:
        """End the process, which has a moment to remove a file that it was writing."""
        self._process.terminate()
        self._process.join(_STOP_S)
        self._process.kill()  # its probe dies with it (PR_SET_PDEATHSIG)
        self._process.join()

    def result(self) -> R:
        """What the work gave.

        Raises NotebookFailed, ProcessDied, or OSError (a full disk).
        """
        try:
            received = self._receiver.recv()
        except EOFError:
            raise ProcessDied from None
        finally:
            self._receiver.close()
        self._process.join()
        with _ctrl_c_put_off():  # it would be lost in a finalizer of multiprocessing's
            self._process.close()
        if isinstance(received, Failure):
            raise received.error
        return received
