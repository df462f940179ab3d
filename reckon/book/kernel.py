"""A notebook's kernel without a server: IPython, driven by papermill in the same process."""

from __future__ import annotations

import contextlib
import gc
import io
import sys
from pathlib import Path

import nbformat
import papermill
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_output
from papermill.engines import Engine, papermill_engines
from traitlets import Type
from traitlets.config import Config

import reckon
from reckon.errors import ReckonError
from reckon.records.notebook_cells import Page
from reckon.show import cell_errors
from reckon.show.figures import drawings

_ENGINE = "this process"


class _Publisher(DisplayPublisher):
    """Collects what display() shows."""

    shell: _Shell

    def publish(self, data, metadata=None, source=None, **_) -> None:
        self.shell.outputs.append(new_output("display_data", data=data, metadata=metadata or {}))


class _ResultHook(DisplayHook):
    """Collects the value of a cell's last expression."""

    shell: _Shell

    def start_displayhook(self) -> None:
        pass

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict, md_dict=None) -> None:
        self.shell.outputs.append(
            new_output(
                "execute_result",
                data=format_dict,
                metadata=md_dict or {},
                execution_count=self.prompt_count,
            )
        )

    def finish_displayhook(self) -> None:
        pass


class _Stream(io.TextIOBase):
    """Collects what a cell prints."""

    def __init__(self, name: str, outputs: list):
        self._name, self._outputs = name, outputs

    def write(self, text: str) -> int:
        last = self._outputs[-1] if self._outputs else None
        if last and last.output_type == "stream" and last.name == self._name:
            last.text += text
        else:
            self._outputs.append(new_output("stream", name=self._name, text=text))
        return len(text)


class _Shell(InteractiveShell):
    """IPython, whose outputs are collected as a notebook holds them."""

    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_ResultHook)

    def __init__(self, **options):
        self.outputs: list = []
        self.page = Page()
        super().__init__(**options)

    def _showtraceback(self, etype, evalue, stb) -> None:
        place, sentence = "", str(evalue)
        if not isinstance(evalue, ReckonError):
            error = cell_errors.explain(evalue, self.user_ns, self.page)
            place, sentence = f"line {error.line}" if error.line else "", error.sentence
        # What papermill calls the error's name is its place: who reads it needs that.
        self.outputs.append(new_output("error", ename=place, evalue=sentence, traceback=stb))

    def execute(self, code: str) -> list:
        """Execute a cell; its outputs in order, with the error last where one was raised."""
        outputs: list = []
        self.outputs = outputs
        with (
            contextlib.redirect_stdout(_Stream("stdout", outputs)),
            contextlib.redirect_stderr(_Stream("stderr", outputs)),
        ):
            self.run_cell(code, store_history=True)
        return outputs


class _ThisProcess(Engine):
    """papermill's engine that executes the cells in this process."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **_) -> None:
        """Execute the cells. The one that papermill injected is then left out of the notebook, so
        that the others keep the positions that they have in its source."""
        shell = _Shell.instance()
        path = Path(nb_man.nb.metadata.papermill.input_path)
        shell.page = Page(path, in_order=True)
        for index, cell in enumerate(nb_man.nb.cells):
            nb_man.cell_start(cell, index)
            if cell.cell_type == "code":
                cell.outputs = shell.execute(cell.source)
                cell.execution_count = shell.execution_count - 1
            outputs = cell.get("outputs", [])
            has_failed = any(output.output_type == "error" for output in outputs)
            if has_failed:
                nb_man.cell_exception(cell, index)
            nb_man.cell_complete(cell, index)
            if has_failed:
                break
        nb_man.nb.cells = [cell for cell in nb_man.nb.cells if not _is_injected(cell)]


def _is_injected(cell) -> bool:
    return "injected-parameters" in cell.metadata.get("tags", [])


def execute(notebook: Path, folder: Path, parameters: dict) -> str:
    """Execute a notebook, its cells in that folder; its text with the outputs.

    parameters: by name, in place of what the cell with the tag "parameters" gives them. Raises
    PapermillExecutionError where a cell raised an error.
    """
    # No output path: papermill would write the file after every cell.
    executed = papermill.execute_notebook(
        str(notebook),
        None,
        parameters,
        engine_name=_ENGINE,
        kernel_name="python3",
        progress_bar=False,
        cwd=str(folder),
    )
    return nbformat.writes(executed) + "\n"


def _in_a_sentence(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    print(f"reckon: the server of the pages' processes has ended ({error}).", file=sys.stderr)


# The fork server imports this module: what follows is done once, for all pages.
sys.excepthook = _in_a_sentence
reckon.load()
drawings.load()
_settings = Config()
_settings.HistoryManager.enabled = False
_Shell.instance(config=_settings)
papermill_engines.register(_ENGINE, _ThisProcess)
gc.disable()  # a page's process ends with its page, and holds little that is garbage
