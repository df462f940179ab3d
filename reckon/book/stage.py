"""The folder that Jupyter Book reads: prose, executed notebooks, figures, the stamp."""

from __future__ import annotations

import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

from reckon import config, records
from reckon.book import contents, pages
from reckon.book.stamp import stamp
from reckon.config import ROOT, ReckonError
from reckon.presentation import citations
from reckon.presentation.figures.style import NARROW
from reckon.records.models import Run

_DATA = (".bib", ".json")  # of what lies in book/, beside the prose
_MATHJAX_MIN_FILES = 10  # the script and its fonts; fewer are a broken package
_PDF_LINK = '\n```{raw} html\n<p><a href="../reckon.pdf">The whole book as one PDF</a></p>\n```\n'


@dataclass(frozen=True)
class Stage:
    """The staged book, and the hashes by which a change is noticed."""

    folder: Path
    pages: str  # of all but the static files
    static: str  # of style sheets and scripts of our own

    @property
    def hashes(self) -> str:
        """Both hashes."""
        return f"{self.pages} {self.static}"


def stage(run: Run, *, pdf_link: bool) -> Stage:
    """Bring _build/stage up to date with the executed pages of the run.

    Files that did not change keep their time."""
    folder = config.settings().build_dir / "stage"
    notebooks = pages.executed_notebooks()
    files = {**_sources(), **_figures(), **pages.staged(notebooks, run.name)}
    files["book/front.md"] = pages.front(notebooks).encode()
    for part in contents.parts():
        files[f"book/answers-{part}.md"] = pages.answers(part, notebooks).encode()
    files["book/stamp.md"] = (stamp(run) + (_PDF_LINK if pdf_link else "")).encode()
    for name, content in files.items():
        if name.endswith((".md", ".ipynb")):
            citations.check(content.decode(), name)
    static, mathjax = _static(), _mathjax()
    for name, content in {**files, **static}.items():
        if not (folder / name).exists() or (folder / name).read_bytes() != content:
            _write(folder / name, content)
    for name, source in mathjax.items():
        if not (folder / name).exists():
            _write(folder / name, source.read_bytes())
    _remove_others(folder, files.keys() | static.keys() | mathjax.keys())
    return Stage(folder, _digest(files), _digest(static))


def _sources() -> dict[str, bytes]:
    """What is staged as it is: the settings, the prose and the C sources, by its staged path."""
    book = ROOT / "book"
    paths = [ROOT / "_config.yml", ROOT / "_toc.yml", *(ROOT / "csrc").rglob("*.[ch]")]
    paths += [path for path in book.glob("*") if path.suffix in _DATA]
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in paths}
    for path in (book / "ext").glob("*.py"):
        files[f"_ext/{path.name}"] = path.read_bytes()
    for path in book.glob("*.md"):
        files[f"book/{path.name}"] = pages.without_dead_links(path.read_text("utf-8")).encode()
    return files


def _static() -> dict[str, bytes]:
    static = (ROOT / "book" / "static").glob("*")
    return {f"_static/{path.name}": path.read_bytes() for path in static}


def _figures() -> dict[str, bytes]:
    """The figures; those for a phone, which no page names, lie where the site finds them."""
    figures = (config.settings().build_dir / "figures").glob("*.*")
    return {
        f"{'_static/narrow' if path.stem.endswith(NARROW) else 'figures'}/{path.name}": (
            path.read_bytes()
        )
        for path in figures
    }


def _mathjax() -> dict[str, Path]:
    """MathJax from the installed package: the one script that is used, and its fonts."""
    files = {}
    for file in importlib.metadata.files("sphinx-mathjax-offline") or []:
        inner = str(file).partition("static/mathjax/")[2]
        if inner == "tex-mml-chtml.js" or "woff-v2/" in inner:
            files[f"_static/mathjax/{inner}"] = Path(str(file.locate()))
    if len(files) < _MATHJAX_MIN_FILES:
        raise ReckonError("MathJax is missing from the environment; run `make setup`.")
    return files


def _write(path: Path, content: bytes) -> None:
    records.make_folder(path.parent)
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)  # no half file
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None


def _remove_others(folder: Path, staged: set[str]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if "__pycache__" in path.parts:
            continue
        if path.is_file() and str(path.relative_to(folder)) not in staged:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _digest(files: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return digest.hexdigest()
