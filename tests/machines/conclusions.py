"""Which named cases a page states of a run: its cells are executed in order, and nothing is drawn."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from helpers.project import LIBRARY, forget

import reckon
from reckon.book import contents
from reckon.show import text
from reckon.show.block import Block
from reckon.show.figures.drawings import Drawing
from reckon.statistics import cache


@dataclass(frozen=True)
class Choice:
    """One case out of several that exclude each other: which was chosen, and what it says."""

    names: tuple[str, ...]
    chosen: str  # "" if none holds
    says: str


@dataclass(frozen=True)
class Page:
    """What a page states of a run."""

    choices: Sequence[Choice]  # only those that the page shows

    @property
    def stated(self) -> set[str]:
        """The names of the cases that it states."""
        return {choice.chosen for choice in self.choices if choice.chosen}

    def alternatives(self, name: str) -> set[str]:
        """The other cases of the choice that has this one; none if the page makes it repeatedly."""
        groups = Counter(choice.names for choice in self.choices if name in choice.names)
        return {
            other
            for names, times in groups.items()
            if times == 1
            for other in names
            if other != name
        }


def conclusions(page: str, run: Path, build: Path) -> Page:
    """What the page states of the run, in a process that does nothing else."""
    (build / "reads").parent.mkdir(parents=True, exist_ok=True)
    choices: list[Choice] = []

    def sentence(*cases, needs=(), **options) -> str:
        said = text.sentence(*cases, needs=needs, **options)
        named = [case for case in cases if not isinstance(case, str)]
        templates_are_names = [(name, holds, name) for name, holds, _ in named]
        chosen = text.sentence(*templates_are_names, needs=needs, missing="")
        choices.append(Choice(tuple(name for name, *_ in named), chosen, said))
        return said

    with _shown(run, build), mock.patch.object(reckon, "sentence", sentence):
        output = "\n".join(_outputs(page))
    return Page([choice for choice in choices if choice.says.strip() in output])


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
