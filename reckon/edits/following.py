"""Outputs of a notebook's cells that follow an edited cell, and the answer at the top, too.

The cells that follow from the edited one are executed again; what they display takes the place of
what stands there."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from reckon import config
from reckon.records import notebook_cells
from reckon.records.session import current_session
from reckon.show import cell_errors
from reckon.show.block import Block

if TYPE_CHECKING:  # a kernel has imported it; the command line does without
    from ipykernel.zmqshell import ZMQInteractiveShell

_LONGEST_S = 10  # for which a person waits after an edit
_WRITES = re.compile(r"\brk\.(?:keep|reset|reseal)\(")  # what only a person calls
_EMPTY = {"text/markdown": ""}


class Places:
    """What each cell displays, by the cell and the position among its outputs.

    JupyterLab shows what is displayed under an identifier in all its places."""

    def __init__(self, shell: ZMQInteractiveShell):
        self.shell = shell
        self._shown: dict[str, tuple[dict, dict]] = {}
        self._execution, self._count = "", 0  # the request to execute a cell, and its outputs
        self._collected: list[tuple[dict, dict]] | None = None  # of a cell that is executed again
        assert shell.display_formatter
        shell.display_formatter.ipython_display_formatter.for_type(Block, self._take_block)

    def display_html(self, html: str) -> None:
        self._take({"text/html": html}, {})

    def display_answers(self, cells: list[str]) -> None:
        """Display here, too, what these cells display first; until they are run, what to do."""
        for cell in cells:
            before = Block(notebook_cells.UNTIL_THE_ANSWER if cell == cells[0] else "")
            name = f"{cell}-0"
            self._display(name, *self._shown.get(name, before._repr_mimebundle_()))

    def execute_again(self, source: str, cell: str, then: Callable[[object], object]) -> bool:
        """Execute a cell, then that function of its value, and display their blocks where they are;
        whether all that the cell itself shows is new then. Raises what the cell raises."""
        from IPython.utils.capture import capture_output

        if not _is_plain(source):
            return False
        with (
            self._collecting() as collected,
            _pictures_closed() as pictures,
            capture_output() as other,
        ):
            value = self._value(source)
            if isinstance(value, Block):
                self._take_block(value)
            count = len(collected)
            then(value)
        is_shown = self._update(cell, collected, count) and not other.outputs
        return is_shown and isinstance(value, Block | None) and not (pictures or other.stdout)

    @contextlib.contextmanager
    def _collecting(self) -> Iterator[list[tuple[dict, dict]]]:
        """What is displayed meanwhile is in this list instead."""
        self._collected = []
        try:
            yield self._collected
        finally:
            self._collected = None

    def _update(self, cell: str, outputs: list[tuple[dict, dict]], count: int) -> bool:
        """Display a cell's outputs where they are; whether the first `count`, its own, all are."""
        while f"{cell}-{len(outputs)}" in self._shown:  # it displays less than before
            outputs.append(({}, {}))
        is_shown = True
        for position, (data, metadata) in enumerate(outputs):
            name = f"{cell}-{position}"
            if name in self._shown:
                self._display(name, data, metadata, update=True)
            elif data and position < count:
                is_shown = False
        return is_shown

    def _value(self, source: str):
        """Execute the cell; the value of the expression that it ends in, or None."""
        statements = ast.parse(source)
        last = statements.body[-1] if statements.body else None
        file = self.shell.compile.cache(source)  # with which an error names its line
        variables = self.shell.user_ns
        if not isinstance(last, ast.Expr):
            exec(compile(statements, file, "exec"), variables)
            return None
        statements.body.pop()
        exec(compile(statements, file, "exec"), variables)
        return eval(compile(ast.Expression(last.value), file, "eval"), variables)

    def _take_block(self, block: Block) -> None:
        self._take(*block._repr_mimebundle_() if block.markdown else ({}, {}))

    def _take(self, data: dict, metadata: dict) -> None:
        """Display the next output of the cell that is executed."""
        if self._collected is not None:
            self._collected.append((data, metadata))
            return
        request = self.shell.get_parent()
        if request["header"]["msg_id"] != self._execution:
            self._execution, self._count = request["header"]["msg_id"], 0
        if data:
            cell = request["metadata"].get("cellId", self._execution)
            self._display(f"{cell}-{self._count}", data, metadata)
        self._count += 1

    def _display(self, name: str, data: dict, metadata: dict, *, update: bool = False) -> None:
        from IPython.display import display

        self._shown[name] = data, metadata
        path = config.notebook_in_jupyter()
        if path and "text/markdown" in data and path.is_relative_to(config.ROOT):
            folder = str(path.parent.relative_to(config.ROOT))
            markdown = notebook_cells.with_links_from(data["text/markdown"], folder)
            data = {**data, "text/markdown": markdown}
        display(data or _EMPTY, raw=True, metadata=metadata, display_id=name, update=update)


def _is_plain(source: str) -> bool:
    """Whether the cell is Python alone: the kernel executes a magic command, or await."""
    try:
        return bool(compile(source, "", "exec"))
    except SyntaxError:
        return False


@contextlib.contextmanager
def _pictures_closed() -> Iterator[set[int]]:
    """Closes the pictures that are drawn meanwhile, which the next cell would show; their numbers
    at the end."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = set(pyplot.get_fignums() if pyplot else ())
    drawn: set[int] = set()
    try:
        yield drawn
    finally:
        pyplot = sys.modules.get("matplotlib.pyplot")
        drawn.update(pyplot.get_fignums() if pyplot else ())
        drawn -= before
        for number in drawn:
            sys.modules["matplotlib.pyplot"].close(number)


def follow(
    sources: Mapping[str, str],
    changed: set[str],
    by: str | None,
    places: Places,
    then: Callable[[object], object],
    said: str = "",
) -> list[str]:
    """Execute the cells again that follow from an edited one, as long as that is fast and none
    fails.

    sources: the text of each cell that was run. changed: the names that the edited one gives. by:
    that cell; None for all that give these names. then: called with the value of each cell. said:
    the fault that this cell shows, which is not said twice. Returns which cell fails, and how many
    are old; those that are not in the saved notebook are, as it is not known where they stand."""
    path = config.notebook_in_jupyter()
    order = notebook_cells.ids(notebook_cells.saved(path)) if path else []
    if by and by not in order:
        order = []
    cells = [cell for cell in order or filter(None, [by]) if cell in sources]
    cells += [cell for cell in sources if cell not in cells]
    sources = {cell: sources[cell] for cell in cells if not _WRITES.search(sources[cell])}
    following = notebook_cells.followers(sources, changed, by)
    old, fault, end_s = dict.fromkeys(following), "", time.monotonic() + _LONGEST_S
    session = current_session()
    session.follows = True
    cell = ""
    try:
        for cell in following:
            is_fast = time.monotonic() < end_s
            if cell in order and is_fast and places.execute_again(sources[cell], cell, then):
                old.pop(cell)
    except (Exception, KeyboardInterrupt) as error:
        sentence = cell_errors.sentence_of(places.shell, error)
        fault = sentence  # of an interrupt between two cells
        if cell in order:
            fails = f"Cell {order.index(cell) + 1} follows and fails"
            fault = f"{fails} with the same." if sentence == said else f"{fails}. {sentence}"
    finally:
        session.follows = False
    return [fault, _old(len(old))]


def _old(count: int) -> str:
    """That a number of cells show what follows from an earlier text; "" if none does."""
    if not count:
        return ""
    cells = "1 cell that follows" if count == 1 else f"{count} cells that follow"
    show = "shows" if count == 1 else "show"
    return (
        f"{cells} from this one still {show} what was before: choose *Run Selected Cell and "
        "All Below* in the menu *Run*."
    )
