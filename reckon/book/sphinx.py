"""From the staged book to the site and the PDF, by Jupyter Book and LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from reckon import config, records
from reckon.book.stage import Stage
from reckon.config import ReckonError

TEX_HINT = (
    "No PDF: xelatex or latexmk is missing; `make tex` as root installs them (Debian and Ubuntu), "
    "then run `make pdf`."
)
# Jupyter Book on all CPUs: it has no option for the number of Sphinx's processes (sphinx-build's
# --jobs). Collecting garbage among the millions of nodes of documents took a third of the time.
_JUPYTER_BOOK = """
import functools, gc, os
gc.disable()
from jupyter_book import sphinx
jobs = len(os.sched_getaffinity(0))
sphinx.build_sphinx = functools.partial(sphinx.build_sphinx, jobs=jobs)
from jupyter_book.cli.main import main
main()
"""
_LINES_SHOWN = 5  # of the log, when it failed
_CHARACTERS_SHOWN = 300  # of the log's end, where no line looks like an error


def have_tex() -> bool:
    """Whether the PDF can be made."""
    return bool(shutil.which("xelatex") and shutil.which("latexmk"))


def site_dir() -> Path:
    """The folder of the site, with the PDF beside its pages."""
    return config.settings().build_dir / "html"


def pdf_path() -> Path:
    """The file of the PDF."""
    return site_dir() / "reckon.pdf"


def html(stage: Stage) -> bool:
    """Make the site; False where nothing had changed."""
    mark = _Mark("html")
    index = site_dir() / "index.html"
    if index.exists() and mark.holds(stage.hashes):
        return False
    if not (index.exists() and mark.holds_pages(stage)):
        _jupyter_book(stage.folder, mark, index)
    mark.remove()
    # Sphinx copies them only if a page has changed too.
    static = stage.folder / "_static"
    for path in [*static.glob("*.*"), *static.glob("narrow/*.*")]:
        copy = site_dir() / path.relative_to(stage.folder)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, copy)
    mark.set(stage.hashes)
    return True


def pdf(stage: Stage) -> bool:
    """Make the PDF and put it beside the site; False where nothing had changed."""
    mark = _Mark("pdflatex")
    if pdf_path().exists() and mark.holds(stage.hashes):
        return False
    output = config.settings().build_dir / "latex" / "reckon.pdf"
    _jupyter_book(stage.folder, mark, output)
    records.make_folder(site_dir())
    shutil.copyfile(output, pdf_path())
    mark.set(stage.hashes)
    return True


class _Mark:
    """A file that says of which stage the output was made; absent while it is being made."""

    def __init__(self, builder: str):
        self.builder = builder
        self._path = config.settings().build_dir / f"{builder}.built"

    def _read(self) -> str:
        return self._path.read_text("utf-8") if self._path.exists() else ""

    def holds(self, digest: str) -> bool:
        """Whether the output was made of the stage with that hash."""
        return self._read() == digest

    def holds_pages(self, stage: Stage) -> bool:
        """Whether the output was made of these pages, perhaps with other static files."""
        return self._read().partition(" ")[0] == stage.pages

    def exists(self) -> bool:
        """Whether the last output was made to its end."""
        return self._path.exists()

    def remove(self) -> None:
        """Say that the output is being made."""
        self._path.unlink(missing_ok=True)

    def set(self, digest: str) -> None:
        """Say that the output was made of the stage with that hash."""
        records.write_whole(self._path, digest)


def _jupyter_book(folder: Path, mark: _Mark, output: Path) -> None:
    """Make the output from the staged folder; what Jupyter Book prints goes to a log.

    Raises ReckonError with the errors in it."""
    builder = mark.builder
    if config.settings().build_dir.name != "_build":
        raise ReckonError("RECKON_BUILD must be a folder named _build.")
    log = config.settings().build_dir / f"{builder}.log"
    command = [*_killed_with_this_process(), sys.executable, "-c", _JUPYTER_BOOK]
    command += ["build", str(folder), "--builder", builder]
    command += ["--path-output", str(config.settings().build_dir.parent)]
    command += ["-W", "-n", "--keep-going"]
    if not mark.exists():  # it was stopped or failed: a page that it wrote may be broken
        command.append("--all")
    mark.remove()
    try:
        with open(log, "w", encoding="utf-8") as file:
            done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=config.WORK)
    except OSError as error:
        if config.is_limit(error):
            raise ReckonError(f"Jupyter Book does not start ({error.strerror}).") from None
        raise ReckonError(f"{log} cannot be written ({error.strerror}).") from None
    if done.returncode:
        raise ReckonError(
            f"Jupyter Book could not make the {builder}; the log is {log}. It says: {_errors(log)}"
        )
    if not output.exists():
        raise ReckonError(f"Jupyter Book made no {output.name}; the log is {log}.")


def _killed_with_this_process() -> list[str]:
    """What to put before a command, so that it never writes into what the next build makes
    (setpriv(1) of util-linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _errors(log: Path) -> str:
    """The first errors and warnings of a log, or its end."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
    looks_bad = re.compile(r"WARNING|ERROR|Error:|^!|No space")
    errors = [line for line in text.splitlines() if looks_bad.search(line)]
    return "; ".join(errors[:_LINES_SHOWN]) or text[-_CHARACTERS_SHOWN:].replace("\n", " ")
