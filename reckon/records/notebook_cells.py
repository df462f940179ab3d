"""The cells of a notebook, as it is and as it was committed: which of them makes a name, and the
titles of the page and of its quantities."""

from __future__ import annotations

import ast
import dis
import functools
import json
import posixpath
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_LONGEST_LINE = 60  # characters of a cell's line in a sentence
_GIT_S = 10
_PAGE = re.compile(r"(?<=\]\()/(?P<path>[\w/-]+\.(?:ipynb|md|bib))(?=[)#])")  # in a link
_MAGIC = re.compile(r"^([ \t]*)[%!](?!%).*", re.MULTILINE)
_TITLES = "titles"  # the tag of the cells that hold them
ANSWER = "answer"  # that of the answer box and its figure
UNTIL_THE_ANSWER = "Choose *Run All Cells* in the menu *Run*: the answer appears here."
# After a restart the one cell that makes a name would itself lack the next.
_RUN_ABOVE = "choose *Run All Above Selected Cell* in the menu *Run* first"


@dataclass(frozen=True)
class Page:
    """The notebook of a cell that failed.

    path: None where it is not known.
    in_order: its cells are executed from the first to the last, as in a build.
    cell: the identifier of the one that failed, where it is known: it does not make the name,
    though the file may say so."""

    path: Path | None = None
    in_order: bool = False
    cell: str | None = None

    def names(self) -> set[str]:
        cells = cells_of(saved(self.path)) if self.path else []
        return {name for cell in cells if cell.is_code for name in names_given(cell.source)}

    def where_made(self, name: str) -> str:
        """Which cell makes the name, and what to do, as half a sentence; "" if none is known."""
        if self.path is None:
            return ""
        for number, line in _makers(saved(self.path), name, self.cell):
            do = "move that up" if self.in_order else _RUN_ABOVE
            return f"cell {number} makes it (`{line}`): {do}"
        for number, line in _makers(committed(self.path), name):
            return f"cell {number} of the last commit makes it (`{line}`): put that back"
        return ""


def saved(path: Path) -> str:
    """The file's text; "" if it cannot be read."""
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError):
        return ""


def committed(path: Path) -> str:
    """The file's text in the last commit; "" if there is none, or no git."""
    command = ["git", "show", f"HEAD:./{path.name}"]
    try:
        git = subprocess.run(
            command, cwd=path.parent, timeout=_GIT_S, capture_output=True, text=True, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return git.stdout


@dataclass(frozen=True)
class Cell:
    content: dict  # as nbformat has it
    is_code: bool
    source: str
    tags: list[str]
    id: str | None  # an old notebook has none


def cells_of(notebook: str) -> list[Cell]:
    """The cells; none of what is no notebook."""
    try:
        return [
            Cell(
                content=cell,
                is_code=cell["cell_type"] == "code",
                source="".join(cell["source"]),
                tags=list(cell.get("metadata", {}).get("tags", [])),
                id=cell.get("id"),
            )
            for cell in json.loads(notebook)["cells"]
        ]
    except (ValueError, LookupError, TypeError, AttributeError):
        return []


def with_links_from(markdown: str, folder: str) -> str:
    """The Markdown with its links to pages as paths from that folder of the book."""
    return _PAGE.sub(lambda page: posixpath.relpath(page["path"], folder or "."), markdown)


def ids(notebook: str, tag: str | None = None) -> list[str]:
    """The identifier of each cell that has one, or of those with the tag."""
    return [cell.id for cell in cells_of(notebook) if cell.id and (not tag or tag in cell.tags)]


def followers(sources: Mapping[str, str], changed: set[str], by: str | None) -> list[str]:
    """The cells to execute again, in their order, after names were changed by one: those below it
    that follow, and those that give them what a later cell has replaced since.

    sources: the text of each cell. by: None where the change stands above all cells."""
    read = {cell: names_read(source) for cell, source in sources.items()}
    given = {cell: names_given(source) for cell, source in sources.items()}
    found: set[str] = set()
    count = -1
    while count < len(found):
        count, names = len(found), set(() if by else changed)
        for cell in sources:
            if cell in found or names & (read[cell] | given[cell]):
                found.add(cell)
                names |= given[cell]
            if cell == by:
                names |= changed
        for cell in [*found]:
            found |= _replaced([*sources], cell, read[cell], given) - {by}
    return [cell for cell in sources if cell in found]


def _replaced(
    cells: list[str], reader: str, names: set[str], given: Mapping[str, set[str]]
) -> set[str]:
    """The cells above the reader that give it these names, where a later one gives them, too."""
    place, makers = cells.index(reader), set()
    for name in names:
        above = [cell for cell in cells[:place] if name in given[cell]]
        if above and any(name in given[cell] for cell in cells[place:]):
            makers.add(above[-1])
    return makers


@functools.lru_cache(maxsize=64)
def titles(path: Path, version: tuple[int, int, int]) -> dict[str, str]:
    """The heading of the page under "", and the titles of its quantities by the last part of their
    names; nothing of a file that is no notebook."""
    return titles_in(saved(path))


def titles_in(notebook: str) -> dict[str, str]:
    cells = cells_of(notebook)
    if not cells:
        return {}
    found = {"": cells[0].source.partition("\n")[0].removeprefix("# ")}
    try:
        for cell in cells:
            if _TITLES in cell.tags:
                found |= _literal_dictionaries(cell.source)
    except (ValueError, SyntaxError):
        return {}  # executing the notebook reports it
    return found


def _literal_dictionaries(source: str) -> dict[str, str]:
    """The entries, as they are, of the dictionaries that the cell's statements assign; one that is
    computed, such as an f-string, is left out."""
    entries: dict[str, str] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            for key, title in zip(statement.value.keys, statement.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(title, ast.Constant):
                    entries[str(key.value)] = str(title.value)
    return entries


def _makers(notebook: str, name: str, but: str | None = None) -> Iterator[tuple[int, str]]:
    """The number of each cell that makes the name, and its line. but: a cell's identifier."""
    for number, cell in enumerate(cells_of(notebook), 1):
        if not cell.is_code or (but and cell.id == but) or name not in names_given(cell.source):
            continue
        for statement in _parsed(cell.source).body:
            if name in _stored(ast.Module([statement], [])):
                line = cell.source.splitlines()[_first_line(statement) - 1].strip()
                is_long = len(line) > _LONGEST_LINE
                yield number, f"{line[:_LONGEST_LINE]}…" if is_long else line


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min(node.lineno for node in (statement, *decorators))


def names_given(source: str) -> set[str]:
    """The names that the cell gives a value; of one with a fault, those that begin its lines."""
    try:
        return _stored(_parsed(source))
    except (SyntaxError, ValueError):
        functions = re.findall(r"^def (\w+)", source, re.MULTILINE)
        return {*functions, *re.findall(r"^(\w+) *=[^=]", source, re.MULTILINE)}


def names_read(source: str) -> set[str]:
    """The names of the notebook that the cell uses; none of one with a fault."""
    try:
        codes = [*_codes(_parsed(source))]
    except (SyntaxError, ValueError):
        return set()
    return {name for code in codes for name in _operands(code, "LOAD_NAME", "LOAD_GLOBAL")}


def _stored(cell: ast.Module) -> set[str]:
    """The names of the notebook that the statements give a value."""
    whole, *parts = _codes(cell)
    stored = _operands(whole, "STORE_NAME", "STORE_GLOBAL")
    return stored.union(*(_operands(part, "STORE_GLOBAL") for part in parts))


def _parsed(source: str) -> ast.Module:
    """The cell's statements without magic commands. Raises SyntaxError or ValueError."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(_MAGIC.sub(r"\1pass", source))


def _codes(cell: ast.Module) -> Iterator[CodeType]:
    """The compiled statements, then all functions and classes in them.

    The compiler knows whose variable a name is. The module symtable does not: from Python 3.12 on
    it lists the variables of a comprehension as the notebook's."""
    codes = [compile(cell, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        yield code


def _operands(code: CodeType, *operations: str) -> set[str]:
    steps = dis.get_instructions(code)
    return {step.argval for step in steps if step.opname in operations}
