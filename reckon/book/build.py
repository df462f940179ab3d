"""From executed notebooks to the site and the PDF: staging, Jupyter Book, LaTeX."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from reckon import config, records, units
from reckon.book import contents
from reckon.config import ROOT, ReckonError
from reckon.records.session import session

TEX_HINT = (
    "No PDF: xelatex or latexmk is missing; `make tex` as root installs them (Debian and Ubuntu), "
    "then run `make pdf`."
)


def have_tex() -> bool:
    return bool(shutil.which("xelatex") and shutil.which("latexmk"))


def site_dir() -> Path:
    return config.build_dir() / "html"


def pdf_path() -> Path:
    return site_dir() / "reckon.pdf"


# --- staging ----------------------------------------------------------------------------------


def _staged_files(with_pdf: bool) -> dict[str, bytes]:
    """Every file of the staged book by its path: sources, executed notebooks, figures."""
    found = {}
    for name in ("_config.yml", "_toc.yml"):
        found[name] = (ROOT / name).read_bytes()
    for path in sorted((ROOT / "book").glob("*")):
        if path.suffix in (".md", ".bib", ".json"):
            found[f"book/{path.name}"] = path.read_bytes()
    found["book/stamp.md"] = _stamp(with_pdf).encode()
    for path in sorted((ROOT / "book" / "static").glob("*")):
        found[f"_static/{path.name}"] = path.read_bytes()
    for path in sorted((ROOT / "book" / "ext").glob("*.py")):
        found[f"_ext/{path.name}"] = path.read_bytes()
    for path in sorted((ROOT / "csrc").rglob("*.[ch]")):
        found[f"csrc/{path.relative_to(ROOT / 'csrc')}"] = path.read_bytes()
    for path in sorted((config.build_dir() / "figures").glob("*.*")):
        found[f"figures/{path.name}"] = path.read_bytes()
    for page in contents.notebooks():
        found[f"notebooks/{page}.ipynb"] = _without_times(contents.executed(page)).encode()
    return found


def _without_times(path: Path) -> str:
    """The executed notebook without what differs from one execution to the next."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReckonError(f"{path} is missing; run `make book`, which executes it.") from None
    for part in (notebook, *notebook["cells"]):
        for name in ("papermill", "execution"):
            part["metadata"].pop(name, None)
    return json.dumps(notebook, indent=1) + "\n"


def _mathjax_files() -> dict[str, Path]:
    """MathJax from the installed package: the one script that is used, and its fonts."""
    found = {}
    for file in importlib.metadata.files("sphinx-mathjax-offline") or []:
        inner = str(file).partition("static/mathjax/")[2]
        if inner == "tex-mml-chtml.js" or "woff-v2/" in inner:
            found[f"_static/mathjax/{inner}"] = Path(file.locate())
    if len(found) < 10:
        raise ReckonError("MathJax is missing from the environment; run `make setup`.")
    return found


def commit() -> str:
    if config.INSTALLED:
        return f"version {importlib.metadata.version('reckon')}"
    try:
        text = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=10"],
            cwd=ROOT,
            timeout=10,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "not known"
    return text


def _stamp(with_pdf: bool) -> str:
    """What the front page says of this run. The date is that of the newest samples."""
    run = session().run
    system, processor = run.machine["system"], run.machine["processor"]
    measured = [
        quantity.measurement
        for experiment in records.experiments(run.name)
        for quantity in records.read_record(run.name, experiment).quantities.values()
        if quantity.measurement
    ]
    dates = [one.started_at for one in measured]
    profiles = sorted({one.profile for one in measured})
    memory = run.machine["memory"]["capacity"]["value"]
    rows = {
        "Machine": f"{processor['model']['value']}, {processor['cores']['value']} cores"
        + (f", {units.amount(memory, 'byte')} of memory" if memory else ""),
        "Kernel": system["kernel"]["value"],
        "Hypervisor": system["hypervisor"]["value"],
        "Compiler": system["compiler"]["value"] or "not reported",
        "Measured": f"{max(dates):%Y-%m-%d}" if dates else "not yet",
        "Profile": ", ".join(profiles) or "none",
        "Run": f"`{run.name}`",
        "Commit": f"`{commit()}`",
    }
    table = "\n".join(f"| **{name}** | {value} |" for name, value in rows.items())
    text = f"| This run | |\n| --- | --- |\n{table}\n"
    if with_pdf:
        text += (
            '\n```{raw} html\n<p><a href="../reckon.pdf">The whole book as one PDF</a></p>\n```\n'
        )
    return text


def stage(with_pdf: bool) -> Path:
    """Bring _build/stage up to date; files that did not change keep their time."""
    base = config.build_dir() / "stage"
    wanted = _staged_files(with_pdf)
    mathjax = _mathjax_files()
    for name, content in wanted.items():
        target = base / name
        if not target.exists() or target.read_bytes() != content:
            records.make_folder(target.parent)
            _write(target, content)
    for name, path in mathjax.items():
        if not (base / name).exists():
            records.make_folder((base / name).parent)
            _write(base / name, path.read_bytes())
    for path in sorted(base.rglob("*"), reverse=True):
        if "__pycache__" in path.parts:
            continue
        if path.is_file() and str(path.relative_to(base)) not in wanted.keys() | mathjax.keys():
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return base


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)  # no half file
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None


def _stage_digest(base: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(
        p for p in base.rglob("*") if p.is_file() and not {"mathjax", "__pycache__"} & set(p.parts)
    ):
        digest.update(str(path.relative_to(base)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# --- Jupyter Book -----------------------------------------------------------------------------


def _jupyter_book(base: Path, builder: str) -> None:
    """Run Jupyter Book; its whole output goes to a log, its errors to the terminal."""
    if config.build_dir().name != "_build":
        raise ReckonError("RECKON_BUILD must be a folder named _build.")
    log = config.build_dir() / f"{builder}.log"
    command = [
        sys.executable,
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
        str(base),
        "--path-output",
        str(config.build_dir().parent),
        "--builder",
        builder,
        "-W",
        "-n",
        "--keep-going",
    ]
    try:
        with open(log, "w", encoding="utf-8") as file:
            done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=config.WORK)
    except OSError as error:
        raise ReckonError(f"{log} cannot be written ({error.strerror}).") from None
    if done.returncode:
        text = re.sub(r"\x1b\[[0-9;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
        said = [
            line
            for line in text.splitlines()
            if re.search(r"WARNING|ERROR|Error:|^!|No space", line)
        ]
        raise ReckonError(
            f"Jupyter Book could not make the {builder}; the log is {log}. It says: "
            + ("; ".join(said[:5]) or text[-300:].replace("\n", " "))
        )


def _built(builder: str) -> Path:
    return config.build_dir() / f"{builder}.built"


def _is_built(builder: str, digest: str, target: Path) -> bool:
    mark = _built(builder)
    return mark.exists() and target.exists() and mark.read_text() == digest


def html(base: Path) -> bool:
    """Make the site; False where nothing had changed."""
    digest = _stage_digest(base)
    if _is_built("html", digest, site_dir() / "index.html"):
        return False
    _built("html").unlink(missing_ok=True)
    _jupyter_book(base, "html")
    if not (site_dir() / "index.html").exists():
        raise ReckonError(f"Jupyter Book made no site; the log is {config.build_dir()}/html.log.")
    for path in (base / "_static").glob("*.*"):  # Sphinx copies these only where a page changed
        shutil.copyfile(path, site_dir() / "_static" / path.name)
    records.write_whole(_built("html"), digest)
    return True


def pdf(base: Path) -> bool:
    """Make the PDF and put it beside the site; False where nothing had changed."""
    digest = _stage_digest(base)
    if _is_built("pdflatex", digest, pdf_path()):
        return False
    _built("pdflatex").unlink(missing_ok=True)
    _jupyter_book(base, "pdflatex")
    made = config.build_dir() / "latex" / "reckon.pdf"
    if not made.exists():
        raise ReckonError(f"LaTeX made no PDF; the log is {config.build_dir()}/pdflatex.log.")
    records.make_folder(site_dir())
    shutil.copyfile(made, pdf_path())
    records.write_whole(_built("pdflatex"), digest)
    return True
