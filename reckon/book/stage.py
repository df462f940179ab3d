"""The folder that Jupyter Book reads: prose, executed notebooks, figures, the stamp."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from reckon import config, records, units
from reckon.book import contents, dependencies
from reckon.config import ROOT, ReckonError
from reckon.presentation import what_if
from reckon.presentation.block import line, raw_html
from reckon.presentation.text import code, literal
from reckon.records import overlay, verify
from reckon.records.session import current_session

_PROSE = (".md", ".bib", ".json")  # of what lies in book/
# Tags of cells: the answer box and its figure; what the front page shows; a section's first cell.
_ANSWER, _FRONT, _FOLD = "answer", "front", "fold"
_FOLD_MARK = raw_html('<span class="folded"></span>')
_MATHJAX_LEAST_FILES = 10  # the script and its fonts; fewer are a broken package
_PDF_LINK = '\n```{raw} html\n<p><a href="../reckon.pdf">The whole book as one PDF</a></p>\n```\n'


@dataclass(frozen=True)
class Stage:
    """The staged book, and the hashes by which a change is noticed."""

    folder: Path
    pages: str  # of all but the static files
    static: str  # of style sheets and scripts of our own

    @property
    def whole(self) -> str:
        return f"{self.pages} {self.static}"


def stage(*, pdf_link: bool) -> Stage:
    """Bring _build/stage up to date; files that did not change keep their time."""
    folder = config.settings().build_dir / "stage"
    notebooks = _executed()
    files = {**_sources(), **_figures(), **_pages(notebooks)}
    files["book/front.md"] = _front(notebooks).encode()
    files["book/stamp.md"] = (_stamp() + (_PDF_LINK if pdf_link else "")).encode()
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
    files = {name: ROOT / name for name in ("_config.yml", "_toc.yml")}
    files |= {f"book/{p.name}": p for p in (ROOT / "book").glob("*") if p.suffix in _PROSE}
    files |= {f"_ext/{p.name}": p for p in (ROOT / "book" / "ext").glob("*.py")}
    files |= {str(p.relative_to(ROOT)): p for p in (ROOT / "csrc").rglob("*.[ch]")}
    return {name: path.read_bytes() for name, path in files.items()}


def _static() -> dict[str, bytes]:
    static = (ROOT / "book" / "static").glob("*")
    return {f"_static/{path.name}": path.read_bytes() for path in static}


def _figures() -> dict[str, bytes]:
    figures = (config.settings().build_dir / "figures").glob("*.*")
    return {f"figures/{path.name}": path.read_bytes() for path in figures}


def _executed() -> dict[str, dict]:
    """The executed notebook of each page."""
    notebooks = {}
    for page in contents.notebooks():
        path = contents.executed(page)
        try:
            notebooks[page] = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise ReckonError(f"{path} is missing; run `make book`, which executes it.") from None
    return notebooks


def _pages(notebooks: dict[str, dict]) -> dict[str, bytes]:
    faults, run = _faults(), current_session().run.name
    recorded = records.experiments(run)
    return {
        f"notebooks/{page}.ipynb": _staged(
            notebook,
            [fault for fault in faults if fault.startswith(f"{page}/")],
            _formulas(run, page) if page in recorded else "",
        )
        for page, notebook in notebooks.items()
    }


def _tagged(cell: dict, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def _front(notebooks: dict[str, dict]) -> str:
    """What the front page shows of the run: the outputs of the cells tagged "front"."""
    outputs = [
        "".join(output["data"]["text/markdown"])
        for notebook in notebooks.values()
        for cell in notebook["cells"]
        if _tagged(cell, _FRONT)
        for output in cell["outputs"]
        if "text/markdown" in output.get("data", {})
    ]
    return "\n\n".join(outputs) + "\n"


def _arranged(cells: list[dict]) -> list[dict]:
    """The cells in the order of the page: the answer, which is computed last, below the title."""
    title, *others = [cell for cell in cells if not _tagged(cell, _FRONT)]
    answer = [cell for cell in others if _tagged(cell, _ANSWER)]
    return [title, *answer, *(_foldable(cell) for cell in others if not _tagged(cell, _ANSWER))]


def _foldable(cell: dict) -> dict:
    """The cell; if it begins a section to be folded, with the mark by which reckon.js finds it."""
    if not _tagged(cell, _FOLD):
        return cell
    heading, _, text = "".join(cell["source"]).partition("\n")
    return {**cell, "source": f"{heading}\n\n{_FOLD_MARK}\n{text}"}


def _formulas(run: str, experiment: str) -> str:
    """The data of the page's what-if panels."""
    run_dir, execution = records.run_dir(run), dependencies.last_execution(experiment)
    made_from = [
        records.record_path(run, experiment),
        overlay.overlay_path(run, experiment),
        run_dir / "run.json",
    ]
    version = [execution.sources if execution else "", *map(records.file_digest, made_from)]
    return _kept(f"formulas/{experiment}.json", version, lambda: what_if.script(run, experiment))


def _kept(name: str, version: list, compute: Callable[[], Any]) -> Any:
    """What is computed, as JSON has it; read from a file of the build while the version lasts."""
    path = config.settings().build_dir / name
    if path.exists() and (last := json.loads(path.read_text("utf-8"))).get("version") == version:
        return last["value"]
    value = compute()
    records.write_whole(path, json.dumps({"version": version, "value": value}) + "\n")
    return value


def _faults() -> list[str]:
    """What `reckon verify` finds broken in the run; kept while no file of the run changes."""
    run = current_session().run.name
    files = sorted(path for path in records.run_dir(run).rglob("*") if path.is_file())
    version = [[str(path), *records.version_of(path)] for path in files]
    return _kept("verified.json", version, lambda: verify.faults(run))


def _staged(notebook: dict, faults: list[str], formulas: str) -> bytes:
    """The executed notebook without what differs from one execution to the next.

    faults: what is broken in its record, which the page says below its title.
    formulas: the data of its what-if panels, its last cell."""
    cells = _arranged(notebook["cells"])
    if faults:
        sentence = f"Its record was changed after it was written: {literal('; '.join(faults))}."
        cell = nbformat.v4.new_markdown_cell(f":::{{error}}\n{sentence}\n:::", id="changed")
        cells.insert(1, cell)
    if formulas:
        cells.append(nbformat.v4.new_markdown_cell(formulas, id="formulas"))
    for part in (notebook, *cells):
        for name in ("papermill", "execution"):
            part["metadata"].pop(name, None)
    return (json.dumps({**notebook, "cells": cells}, indent=1) + "\n").encode()


def _mathjax() -> dict[str, Path]:
    """MathJax from the installed package: the one script that is used, and its fonts."""
    files = {}
    for file in importlib.metadata.files("sphinx-mathjax-offline") or []:
        inner = str(file).partition("static/mathjax/")[2]
        if inner == "tex-mml-chtml.js" or "woff-v2/" in inner:
            files[f"_static/mathjax/{inner}"] = Path(str(file.locate()))
    if len(files) < _MATHJAX_LEAST_FILES:
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


# --- the stamp --------------------------------------------------------------------------------


def commit() -> str:
    """What `git describe` says of the sources; the version of an installed package."""
    if config.INSTALLED:
        return f"version {importlib.metadata.version('reckon')}"
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, timeout=10, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "not known"
    return done.stdout.strip()


def _stamp() -> str:
    """What the front page says of this run. The date is that of the newest samples."""
    run = current_session().run
    machine = run.machine
    words = f"{machine.value('processor.model')}, {machine.value('processor.cores')} cores"
    memory = machine.number("memory.capacity")
    if memory:
        words += f", {units.amount(memory, 'byte')} of memory"
    date, profiles = _measured(run.name)
    rows = {
        "Machine": literal(words),
        "Kernel": literal(machine.value("system.kernel")),
        "Hypervisor": literal(machine.value("system.hypervisor")),
        "Compiler": literal(machine.value("system.compiler") or "not reported"),
        "Measured": date,
        "Profile": profiles,
        "Run": code(run.name),
        "Commit": code(commit()),
    }
    if root := verify.root_hash(run.name):
        rows["Root hash"] = code(root)
    if _faults():
        rows["Changed"] = "after it was written; `reckon verify` lists what"
    table = "\n".join(line([f"**{name}**", value]) for name, value in rows.items())
    return f"| This run | |\n| --- | --- |\n{table}\n"


def _measured(run: str) -> tuple[str, str]:
    """The newest samples' date, and the profiles under which any were taken.

    Kept with the records' versions: parsing all of a long run takes seconds.
    """
    experiments = records.experiments(run)
    states = [records.record_path(run, name).stat() for name in experiments]
    version = [[one.st_ino, one.st_mtime_ns, one.st_size] for one in states]
    date, profiles = _kept("measured.json", version, lambda: _date_and_profiles(run, experiments))
    return date, profiles


def _date_and_profiles(run: str, experiments: list[str]) -> tuple[str, str]:
    measured = [
        quantity.measurement
        for name in experiments
        for quantity in records.read_record(run, name).quantities.values()
        if quantity.measurement
    ]
    dates = [one.started_at for one in measured]
    date = f"{max(dates):%Y-%m-%d}" if dates else "not yet"
    return date, ", ".join(sorted({one.profile for one in measured})) or "none"
