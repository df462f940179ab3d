"""One notebook, executed by papermill and nbclient in a kernel of its own."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from jupyter_core.utils import run_sync
from nbformat import NotebookNode
from nbformat.reader import NotJSONError, ValidationError

from reckon.book.execution import outputs, warm_kernels
from reckon.book.execution.warm_kernels import Surroundings, WarmProvisioner
from reckon.errors import ALLOW_MORE

_STOP_S = 5.0  # the longest that a page may take to end: its hosts and files go with it
_INTERRUPT_S = 1.0  # between two attempts: a cell that tidies up is left alone so long
_IOPUB_S = 60.0  # what a cell printed may come so long after its end
_INJECTED, _RAISES = "injected-parameters", "raises-exception"  # tags

# Of an unknown parameter or a dead kernel; the exception says it too.
logging.getLogger("papermill").setLevel(logging.CRITICAL)
_threads = ThreadPoolExecutor(thread_name_prefix="page")


class NotebookFailed(Exception):
    """A cell raised an error or its kernel died; the message says which and why."""


class NotebookExecution:
    """A notebook that is being executed by a thread of this process.

    notebook: its path, or itself.
    parameters: by name, in place of what its cell with the tag "parameters" gives them.
    """

    def __init__(
        self,
        notebook: Path | NotebookNode,
        surroundings: Surroundings,
        parameters: Mapping[str, object] | None = None,
    ):
        self._notebook, self._surroundings = notebook, surroundings
        self._parameters = dict(parameters or {})
        self._cell = 0  # the number of the cell that is executed, in the notebook's source
        self._expected_errors: dict[str, list] = {}  # a cell's outputs, by the cell's id
        self._manager = warm_kernels.manager()
        self.future: Future[NotebookNode] = _threads.submit(self._execute)

    def result(self) -> NotebookNode:
        """The executed notebook, without the cell that papermill injects: the others keep the
        positions that they have in the source.

        Raises NotebookFailed, also for a full disk."""
        try:
            return self.future.result()
        except OSError as error:
            file = f"{error.filename}: " if error.filename else ""
            raise NotebookFailed(f"{file}{error.strerror}") from None

    def stop(self) -> None:
        """Interrupt the cell, end the kernel, and wait for both."""
        self.future.cancel()
        until_s = time.monotonic() + _STOP_S
        while not self.future.done():
            signum = signal.SIGINT if time.monotonic() < until_s else signal.SIGKILL
            if kernel := self._manager.provisioner:
                run_sync(kernel.send_signal)(signum)
            wait([self.future], _INTERRUPT_S)

    def _execute(self) -> NotebookNode:
        try:
            run_sync(self._manager.start_kernel)(surroundings=self._surroundings)
            return self._execute_cells()
        finally:
            self._end_kernel()

    def _execute_cells(self) -> NotebookNode:
        import papermill  # imports slowly
        from nbclient.exceptions import DeadKernelError
        from papermill.exceptions import PapermillExecutionError

        path = self._notebook if isinstance(self._notebook, NotebookNode) else str(self._notebook)
        try:
            executed = papermill.execute_notebook(
                path,
                None,  # no output path: papermill would write the file after every cell
                self._parameters,
                # Also where the notebook's metadata name none, or those of Colab or VS Code.
                kernel_name=self._manager.kernel_name,
                language="python",
                progress_bar=False,
                km=self._manager,
                record_timing=False,
                iopub_timeout=_IOPUB_S,
                on_cell_start=self._begin_cell,
                on_cell_executed=self._end_cell,
            )
        except PapermillExecutionError as error:
            raise NotebookFailed(self._place(error.evalue or error.ename)) from None
        except (NotJSONError, ValidationError) as error:
            what = str(error.__cause__ or error).splitlines()[0]
            raise NotebookFailed(
                f"it is not a whole notebook any more ({what}); undo the last edit, or restore "
                "it by `git restore`."
            ) from None
        except (DeadKernelError, RuntimeError):  # before and after its first answer
            raise NotebookFailed(self._death()) from None
        return self._cleaned(executed)

    def _begin_cell(self, cell: NotebookNode, cell_index: int) -> None:
        if not _has_tag(cell, _INJECTED):
            self._cell += 1

    def _end_cell(self, cell: NotebookNode, cell_index: int, execute_reply: object) -> None:
        """Keep an error that the cell is to raise away from papermill, which stops at any."""
        if _has_tag(cell, _RAISES):
            self._expected_errors[cell.id] = cell.outputs
            cell.outputs = []

    def _cleaned(self, notebook: NotebookNode) -> NotebookNode:
        """The notebook without what papermill added, its outputs made tidy."""
        notebook.cells = [cell for cell in notebook.cells if not _has_tag(cell, _INJECTED)]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                found = self._expected_errors.get(cell.id, cell.outputs)
                cell.outputs = outputs.tidied(found)
        for part in (notebook, *notebook.cells):
            part.metadata.pop("papermill", None)
        return notebook

    def _place(self, sentence: str) -> str:
        """The sentence with the number of the cell before that of its line."""
        if sentence.startswith("Line "):
            return f"cell {self._cell}, l{sentence[1:]}"
        return f"cell {self._cell}: {sentence}"

    def _death(self) -> str:
        """How the kernel ended."""
        kernel = self._manager.provisioner
        status = run_sync(kernel.poll)() if kernel else None
        if isinstance(kernel, WarmProvisioner) and kernel.has_lost_server():
            why = "the process that starts kernels was killed, probably for want of memory"
            return f"its kernel was lost in cell {self._cell}: {why}; {ALLOW_MORE}"
        if status is None:
            what = "does not answer"
        elif status < 0:
            what = f"was killed by {signal.Signals(-status).name} ({-status})"
        else:
            what = f"ended with status {status}"
        log = self._surroundings.log
        if not self._cell:  # its own threads take more than most cells
            return f"its kernel {what} before its first cell; look into {log}, or {ALLOW_MORE}"
        return f"its kernel {what} in cell {self._cell}; {log} may say why."

    def _end_kernel(self) -> None:
        """Let the kernel end, with the hosts and files that are its own."""
        try:
            if run_sync(self._manager.is_alive)():
                run_sync(self._manager.shutdown_kernel)(now=True)
        finally:
            run_sync(self._manager.cleanup_resources)()


def _has_tag(cell: NotebookNode, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])
