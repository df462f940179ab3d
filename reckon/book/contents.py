"""The pages of the book, as `_toc.yml` lists them, and where their files lie."""

from __future__ import annotations

import fnmatch
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import yaml
from sphinx_external_toc.parsing import MalformedError, parse_toc_data

from reckon import config, records
from reckon.config import ROOT
from reckon.errors import ReckonError
from reckon.messages import did_you_mean, join_words
from reckon.show.titles import page_title

FILE = ROOT / "_toc.yml"
_NOTEBOOKS = "notebooks/"


def toc() -> list[str]:
    """Every file of the book, or of the part of it that PAGES= chose, in order."""
    return _files(config.settings().pages)


@functools.cache
def _files(pages: str | None) -> list[str]:
    try:
        site = parse_toc_data(_structure(pages))
    except MalformedError as error:
        raise ReckonError(f"_toc.yml: {error}.") from None

    def below(file: str) -> Iterator[str]:
        yield file
        for child in site[file].child_files():
            yield from below(child)

    for pattern in (pages or "").split():
        _refuse_unknown(pattern)
    return list(below(site.root.docname))


def _refuse_unknown(pattern: str) -> None:
    """Raises ReckonError, naming the nearest, for a pattern that no notebook has."""
    pages = all_notebooks()
    if not fnmatch.filter(pages, pattern):
        parts = {f"{page.partition('/')[0]}/*" for page in pages if is_of_experiment(page)}
        hint = did_you_mean(pattern, [*parts, *pages], f"there are {join_words(pages)}.")
        raise ReckonError(f"No page is named {pattern}; {hint}")


def forget() -> None:
    """Read `_toc.yml` again at the next call."""
    _files.cache_clear()


def toc_text() -> str:
    """The table of contents as Jupyter Book reads it: `_toc.yml`, or the chosen part of it."""
    pages = config.settings().pages
    if not pages:
        return FILE.read_text(encoding="utf-8")
    return yaml.safe_dump(_structure(pages), sort_keys=False)


def read_yaml(path: Path) -> dict:
    """The content of a file in YAML. Raises ReckonError with the line of what is wrong."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ReckonError(f"{path.name}, line {line}: {error.problem}; mend its YAML.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ReckonError(f"{path.name}: {str(error).splitlines()[0]}.") from None
    except OSError as error:
        raise ReckonError(f"{path} cannot be read ({error.strerror}).") from None


def _structure(pages: str | None) -> dict:
    """The content of `_toc.yml`; of its notebooks only those whose name a pattern matches."""
    content = read_yaml(FILE)
    if not pages:
        return content
    chosen = [
        {**part, "chapters": chapters}
        for part in content["parts"]
        if (chapters := _chosen(part["chapters"], pages.split()))
    ]
    return {**content, "parts": chosen}


def _chosen(entries: list[dict], patterns: list[str]) -> list[dict]:
    """The entries without other notebooks, and without the page of a part that is then empty."""
    chosen = []
    for entry in entries:
        file = entry["file"]
        if file.startswith(_NOTEBOOKS):
            page = file.removeprefix(_NOTEBOOKS)
            if not any(fnmatch.fnmatchcase(page, pattern) for pattern in patterns):
                continue
        sections = _chosen(entry.get("sections", []), patterns)
        if sections or not entry.get("sections"):
            own = {name: value for name, value in entry.items() if name != "sections"}
            chosen.append({**own, **({"sections": sections} if sections else {})})
    return chosen


def all_notebooks() -> list[str]:
    """Every notebook of the whole book by name, in order."""
    return [file.removeprefix(_NOTEBOOKS) for file in _files(None) if file.startswith(_NOTEBOOKS)]


def notebooks() -> list[str]:
    """The notebooks of toc() by name ("machine", "PART/NAME"), in order."""
    return [file.removeprefix(_NOTEBOOKS) for file in toc() if file.startswith(_NOTEBOOKS)]


def parts() -> list[str]:
    """The parts of the book ("cpu", "memory"), in order: those that have experiments."""
    records.note_read(str(FILE))
    experiments = filter(is_of_experiment, notebooks())
    return list(dict.fromkeys(page.partition("/")[0] for page in experiments))


def is_of_experiment(page: str) -> bool:
    """Whether the page is that of one experiment, PART/NAME, rather than of the whole run."""
    return "/" in page


def source(page: str) -> Path:
    """The page's notebook."""
    return ROOT / "notebooks" / f"{page}.ipynb"


def modules_of(page: str) -> list[Path]:
    """The modules beside the page's notebook: NAME.py, which need not be there, and NAME_*.py."""
    path = source(page).with_suffix(".py")
    return [path, *sorted(path.parent.glob(f"{path.stem}_*.py"))]


def findings_of(page: str) -> ModuleType:
    """The module of that name beside the notebooks, such as the page's findings, executed at each
    call, so that an edit of it is seen."""
    path, *_ = modules_of(page)
    module = ModuleType(page)
    module.__file__ = str(path)
    source_code = path.read_text(encoding="utf-8")
    exec(compile(source_code, path, "exec", dont_inherit=True), vars(module))
    return module


def executed_path(page: str) -> Path:
    """The page's notebook with its outputs, once it was executed."""
    return config.settings().build_dir / "executed" / f"{page}.ipynb"


def find(page: str) -> str:
    """The page of that name. Raises ReckonError, naming the nearest, where there is none."""
    if page in notebooks():
        return page
    hint = did_you_mean(page, notebooks(), f"there are {join_words(notebooks())}.")
    raise ReckonError(f"There is no experiment {page}; {hint}")


def links(folder: Path) -> str:
    """All pages in the book's order, a list in Markdown with links from a file in that folder."""
    return "\n".join(_link(file, folder) for file in toc())


def _link(file: str, folder: Path) -> str:
    page = file.removeprefix(_NOTEBOOKS)
    if page == file:
        path, indent = ROOT / f"{file}.md", ""
        headings = re.findall(r"^# (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
        heading = next(iter(headings), file)
    else:
        path, indent = source(page), "  " if is_of_experiment(page) else ""
        heading = page_title(page)
    return f"{indent}- [{heading}]({os.path.relpath(path, folder)})"
