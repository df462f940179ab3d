"""From the staged book to the site and the PDFs, by Sphinx and LaTeX.

book/conf.py has Jupyter Book make Sphinx's settings of _config.yml. sphinx-build reads them instead
of jupyter-book, which has no option for the number of processes."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from reckon import config, records
from reckon.book.staging.stage import (
    PDFS,
    TEX_PDFS,
    Stage,
    settings_digest,
    stage_dir,
    stage_sources,
)
from reckon.computer.system_files import run_command
from reckon.errors import ReckonError, is_limit

TEX_HINT = (
    "No report for print: xelatex or latexmk is missing; `make tex` as root installs them (Debian, "
    "Ubuntu), then run `make pdf`."
)
_TO_FRONT_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=book/intro.html">
<title>Reckon</title>
<link rel="icon" href="_static/favicon.svg">
</head>
<body><main><h1>Reckon</h1><p><a href="book/intro.html">The book</a></p></main></body>
</html>
"""
_FONT = "lmroman10-regular.otf"  # of the PDFs' text
# Both at once; XeLaTeX writes no PDF before its last pass.
_MAKE_OPTIONS = {"MAKEFLAGS": "-j2", "LATEXMKOPTS": "-xelatex"}
# Printed before, for it takes up to minutes without a word; by sphinx-build's name for the output.
_MAKING = {"html": "Making the site", "latexpdf": "Making the PDFs"}
_LINES_SHOWN = 5  # of the log, when it failed
_CHARACTERS_SHOWN = 300  # of the log's end, where no line looks like an error
_WARNED = "made with warnings"  # in a mark, in the place of the hashes
_WHOLE_WITH_WARNINGS = "build finished with problems"  # as Sphinx says of it

# Sphinx's processes that wait, by builder, each with what it was started by.
_prepared: dict[str, tuple[subprocess.Popen, str]] = {}


class PagesWarn(ReckonError):
    """Sphinx made all pages, but some have faults; the message names them."""


def have_tex() -> bool:
    """Whether the PDFs can be made."""
    return bool(shutil.which("xelatex") and shutil.which("latexmk"))


def site_dir() -> Path:
    """The folder of the site, with the PDFs beside its pages."""
    return config.settings().output_dir / "html"


def pdf_paths() -> list[Path]:
    """The files of the PDFs: the report, the full record, the poster."""
    return [site_dir() / name for name in PDFS]


def remove_pdfs() -> None:
    """Remove the PDFs beside the site."""
    for path in pdf_paths():
        path.unlink(missing_ok=True)


def remove_pages() -> None:
    """Remove the site without its PDFs: pages and pictures of an earlier book stay otherwise."""
    _Mark("html").remove()
    for path in set(site_dir().glob("*")) - set(pdf_paths()):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def html(stage: Stage) -> bool:
    """Make the site; False where nothing had changed.

    Raises ReckonError; where it is a PagesWarn there is a whole site all the same."""
    mark = _Mark("html")
    index = site_dir() / "index.html"
    if index.exists() and mark.holds(stage.hashes):
        mark.set(stage.hashes)  # newer than the text, which was perhaps edited and taken back
        return False
    if not (index.exists() and mark.holds_pages(stage)):
        try:
            _sphinx(stage.folder, mark, [index])
        except PagesWarn:
            _complete(stage)
            mark.set(_WARNED)
            raise
    mark.remove()
    _complete(stage)
    mark.set(stage.hashes)
    return True


def _complete(stage: Stage) -> None:
    """Write the first page, and copy style sheets and scripts.

    Jupyter Book's first page is no whole HTML; Sphinx copies only if a page has changed too."""
    records.write_whole(site_dir() / "index.html", _TO_FRONT_PAGE)
    static = stage.folder / "_static"
    for path in [*static.glob("*.*"), *static.glob("narrow/*.*")]:
        copy = site_dir() / path.relative_to(stage.folder)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, copy)


def pdf(stage: Stage) -> bool:
    """Make the report and the full record, and put them beside the site; False where nothing had
    changed."""
    settings = config.settings()
    for name, text in (("AUTHOR", settings.author), ("COURSE", settings.course)):
        if missing := _without_letter(text):
            raise ReckonError(
                f"The font of the PDFs has no {' '.join(missing)}; write {name}= in Latin letters."
            )
    mark = _Mark("latexpdf")
    if all((site_dir() / name).exists() for name in TEX_PDFS) and mark.holds(stage.pages):
        return False
    outputs = [config.settings().output_dir / "latex" / name for name in TEX_PDFS]
    _sphinx(stage.folder, mark, outputs)
    records.make_folder(site_dir())
    for output in outputs:
        shutil.copyfile(output, site_dir() / output.name)
    mark.set(stage.pages)
    return True


def _without_letter(text: str) -> list[str]:
    """The characters of the text that the PDFs' font does not have: XeLaTeX would print boxes."""
    if text.isascii():
        return []
    from fontTools.ttLib import TTFont  # imports slowly

    font = run_command("kpsewhich", _FONT)
    letters = TTFont(font.strip()).getBestCmap() if font else {}
    return [letter for letter in dict.fromkeys(text) if letters and ord(letter) not in letters]


class _Mark:
    """A file that says of which stage the output was made; absent while it is being made."""

    def __init__(self, builder: str):
        self.builder = builder
        self._path = config.settings().output_dir / f"{builder}.built"

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

    def newer(self, files: Iterable[Path]) -> list[Path]:
        """Those of the files that were written after the output was made."""
        made = self._path.stat().st_mtime_ns if self._path.exists() else 0
        return [file for file in files if file.stat().st_mtime_ns > made]

    def remove(self) -> None:
        """Say that the output is being made."""
        self._path.unlink(missing_ok=True)

    def set(self, digest: str) -> None:
        """Say that the output was made of the stage with that hash."""
        records.write_whole(self._path, digest)


def edited_texts() -> list[Path]:
    """The pages' sources that were edited after the site was made."""
    texts = [*(config.ROOT / "book").glob("*.md"), *(config.ROOT / "notebooks").rglob("*.ipynb")]
    return _Mark("html").newer(texts)


def have_site() -> bool:
    """Whether there is a site that was made to its end."""
    return (site_dir() / "index.html").exists() and _Mark("html").exists()


def prepare(builder: str) -> None:
    """Start the process that makes this output before its stage is ready: it imports for a second.

    builder: sphinx-build's name for the output, "html" or "latexpdf"."""
    if builder not in _prepared:
        with contextlib.suppress(ReckonError):  # raised where it is needed
            stage_sources()
            reads = _reads(builder)
            _prepared[builder] = _start(builder), reads


def _log(builder: str) -> Path:
    return config.settings().output_dir / f"{builder}.log"


def _start(builder: str) -> subprocess.Popen:
    """Sphinx's process, which waits for a line; what it prints goes to a log."""
    log, output_dir = _log(builder), config.settings().output_dir
    command = [sys.executable, "-m", "sphinx", "-M", builder, str(stage_dir()), str(output_dir)]
    command += ["-j", str(len(os.sched_getaffinity(0))), "-W", "-n", "--keep-going"]
    command.append("--no-color")
    if not _Mark(builder).exists():  # it was stopped or failed: a page that it wrote may be broken
        command.append("-E")
    try:
        with open(log, "a", encoding="utf-8") as file:
            return subprocess.Popen(
                [*_killed_with_this_process(), *command],
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=config.WORK,
                env=config.child_environment(**_MAKE_OPTIONS),
                text=True,
            )
    except OSError as error:
        if is_limit(error):
            raise ReckonError(f"Sphinx does not start ({error.strerror}).") from None
        raise ReckonError(f"{log} cannot be written ({error.strerror}).") from None


def _reads(builder: str) -> str:
    """What a process depends on that starts now: the settings, whether the last output is whole,
    and what is known of its pages."""
    known = config.settings().output_dir / "doctrees" / "environment.pickle"
    at_ns = known.stat().st_mtime_ns if known.exists() else 0
    return f"{settings_digest()} {_Mark(builder).exists()} {at_ns}"


def _waiting(builder: str) -> subprocess.Popen:
    """The process that was prepared, or a new one where none was or it would read something else
    now."""
    process, by = _prepared.pop(builder, (None, None))
    if process and by != _reads(builder):
        process.kill()
        process.wait()
        process = None
    return process or _start(builder)


def _sphinx(folder: Path, mark: _Mark, outputs: list[Path]) -> None:
    """Make the outputs from the staged folder.

    Raises ReckonError with the errors in it, PagesWarn where the outputs are there all the same."""
    builder, log = mark.builder, _log(mark.builder)
    print(_MAKING[builder])
    with _waiting(builder) as process:
        # Not when the process starts, perhaps long before: the log has the lines of the last fault.
        os.truncate(log, 0)
        mark.remove()
        try:
            process.communicate("staged\n")
        except BaseException:  # Ctrl-C above all
            process.kill()
            raise
    if process.returncode:
        text = log.read_text(encoding="utf-8", errors="replace")
        _read_again(text, folder)
        is_whole = _WHOLE_WITH_WARNINGS in text and all(output.exists() for output in outputs)
        raise (PagesWarn if is_whole else ReckonError)(
            f"{_errors(text, folder)} (Sphinx's log: {log})"
        )
    for output in outputs:
        if not output.exists():
            raise ReckonError(f"Sphinx made no {output.name}; the log is {log}.")


def _killed_with_this_process() -> list[str]:
    """What to put before a command, so that it never writes into what the next build makes
    (setpriv(1) of util-linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _read_again(text: str, folder: Path) -> None:
    """Have the next build read the staged pages again that warn, so that it names them too."""
    for path in set(re.findall(rf"^({re.escape(str(folder))}/[^:\n]+):.*WARNING", text, re.M)):
        if Path(path).exists():
            os.utime(path)


def _errors(text: str, folder: Path) -> str:
    """The first errors and warnings of a log, or its end. Pages are named by their sources; without
    a line where that of the staged notebook is another one."""
    looks_bad = re.compile(r"WARNING|ERROR|Error:|^!|No space")
    errors = [line for line in text.splitlines() if looks_bad.search(line)]
    said = "; ".join(dict.fromkeys(errors[:_LINES_SHOWN]))
    said = said or text[-_CHARACTERS_SHOWN:].replace("\n", " ")
    return re.sub(r"(\.ipynb):\d+", r"\1", said.replace(f"{folder}/", ""))
