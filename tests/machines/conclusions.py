"""Which findings a page shows of a run: its cells are executed in order, and nothing is drawn."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from helpers.project import LIBRARY, forget

import reckon
from reckon import config
from reckon.book import contents
from reckon.show.block import Block
from reckon.show.figures.drawings import Drawing
from reckon.show.findings import Finding
from reckon.statistics import cache


def conclusions(page: str, run: Path, build: Path) -> set[str]:
    """The names of the findings that the page shows of the run; one page at a time in a process."""
    build.mkdir(parents=True, exist_ok=True)
    made: list[Finding] = []
    make = Finding.__new__

    def recorded(*args, **keywords) -> Finding:
        made.append(make(*args, **keywords))
        return made[-1]

    with _shown(run, build), mock.patch.object(Finding, "__new__", recorded):
        output = "\n".join(_outputs(page))
    return {finding.name for finding in made if finding.strip() and finding.strip() in output}


@contextlib.contextmanager
def _shown(run: Path, build: Path) -> Iterator[None]:
    """Pages show that run; figures have their captions alone."""
    settings = {
        "RECKON_RUN": run.name,
        "RECKON_RUNS": str(run.parent),
        "RECKON_BUILD": str(build),
        "RECKON_PROFILE": "quick",
        "RECKON_LIB": str(LIBRARY),
        "RECKON_MACHINE_TOML": str(build / "machine.toml"),
    }
    reckon.load()
    cache.store_in(build / "cache")
    with (
        mock.patch.dict(os.environ, settings),
        mock.patch.object(Drawing, "_svg", lambda _: "<svg>"),
        mock.patch.object(Drawing, "_write"),
        mock.patch.object(Drawing, "name_lines"),
    ):
        yield
    cache.store_in(None)
    config.use(None)  # a page has chosen its settings
    forget()


def _outputs(page: str) -> Iterator[str]:
    """What each cell of the page displays."""
    notebook = json.loads(contents.source(page).read_text("utf-8"))
    variables: dict = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            value = _executed("".join(cell["source"]), variables, page)
            yield value.markdown if isinstance(value, Block) else str(value)


def _executed(source: str, variables: dict, page: str) -> object:
    """The value of a cell's last expression; None if it ends with a statement."""
    tree = ast.parse(source, page)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, page, "exec"), variables)
        if last is None:
            return None
        return eval(compile(ast.Expression(last.value), page, "eval"), variables)
