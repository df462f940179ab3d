"""One notebook, executed in a process of its own that is forked from a warm one.

A Jupyter kernel takes 2 s to start and to import everything; a fork takes milliseconds. Still no
page can change another page's state, and one that crashes does not take the build with it.
multiprocessing's fork server imports reckon.book.kernel once.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path


class NotebookFailed(Exception):
    """A cell raised an error; the message names both."""


class ProcessDied(Exception):
    """The process ended without a result."""


@dataclass(frozen=True)
class Job:
    """What the process executes, and in which surroundings."""

    notebook: Path
    folder: Path  # the cells' working folder
    log: Path  # takes what the process and its children print past the notebook
    environment: dict[str, str]


def _work(job: Job, connection: Connection) -> None:
    """Send the executed notebook's text, or the exception."""
    os.setsid()  # Ctrl-C at the terminal reaches the builder alone, which ends this process
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_the_builder, daemon=True).start()
    os.environ.clear()
    os.environ.update(job.environment)
    with open(job.log, "a", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    connection.send(_executed(job))
    atexit._run_exitfuncs()  # multiprocessing leaves them out; hosts and scratch files need them


def _end_with_the_builder() -> None:
    builder = multiprocessing.parent_process()
    if builder:
        builder.join()
    os.kill(os.getpid(), signal.SIGKILL)


def _executed(job: Job) -> str | Exception:
    from papermill.exceptions import PapermillExecutionError

    from reckon.book import kernel

    try:
        return kernel.execute(job.notebook, job.folder)
    except PapermillExecutionError as error:
        return NotebookFailed(f"cell {error.cell_index + 1}: {error.ename}: {error.evalue}")
    except OSError as error:
        return error


class PageProcess:
    """A notebook being executed."""

    def __init__(self, job: Job):
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process with threads is not to be forked
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["reckon.book.kernel"])
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(job, sender), daemon=True)
        # The server inherits the mask: Ctrl-C must not end it while it imports.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        sender.close()

    @property
    def receiver(self) -> Connection:
        """For multiprocessing.connection.wait: ready when `result` does not block."""
        return self._receiver

    def kill(self) -> None:
        self._process.kill()  # its probe dies with it (PR_SET_PDEATHSIG)
        self._process.join()

    def result(self) -> str:
        """The executed notebook's text.

        Raises NotebookFailed, ProcessDied, or OSError (a full disk).
        """
        try:
            received = self._receiver.recv()
        except EOFError:
            raise ProcessDied from None
        finally:
            self._receiver.close()
        self._process.join()
        if isinstance(received, Exception):
            raise received
        return received
