"""The pages of the book, as `_toc.yml` lists them, and where their files lie."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml

from reckon import config, records
from reckon.config import ROOT, ReckonError
from reckon.messages import did_you_mean, join_words

FILE = ROOT / "_toc.yml"


@functools.cache
def toc() -> list[str]:
    """Every file of the book, in order."""
    try:
        site = parse_toc_yaml(FILE)
    except MalformedError as error:
        raise ReckonError(f"_toc.yml: {error}.") from None
    except OSError as error:
        raise ReckonError(f"{FILE} cannot be read ({error.strerror}).") from None

    def below(file: str) -> Iterator[str]:
        yield file
        for child in site[file].child_files():
            yield from below(child)

    return list(below(site.root.docname))


def notebooks() -> list[str]:
    """The notebooks of the book by name ("machine", "PART/NAME"), in order."""
    return [file.removeprefix("notebooks/") for file in toc() if file.startswith("notebooks/")]


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


def executed_path(page: str) -> Path:
    """The page's notebook with its outputs, once it was executed."""
    return config.settings().build_dir / "executed" / f"{page}.ipynb"


def find(page: str) -> str:
    """The page of that name. Raises ReckonError, naming the nearest, where there is none."""
    if page in notebooks():
        return page
    hint = did_you_mean(page, notebooks(), f"there are {join_words(notebooks())}.")
    raise ReckonError(f"There is no experiment {page}; {hint}")
