"""The folder that Sphinx reads: prose, executed notebooks, figures, the stamp."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from reckon import config, records, units
from reckon.book import contents, private_names
from reckon.book.build_cache import faults_of_run
from reckon.book.staging import card, glossary, mathjax, pages
from reckon.book.staging.stamp import facts, made_from, stamp
from reckon.config import ROOT
from reckon.edits import what_if_panels
from reckon.errors import ReckonError
from reckon.messages import join_words
from reckon.prediction.formula import PARTS
from reckon.prediction.ratios import MISS, NEAR
from reckon.records.run_files import verify
from reckon.records.run_files.models import Run
from reckon.show import citations
from reckon.show.block import raw_html
from reckon.show.figure_files import PHONE, PLACES, record_copy
from reckon.show.text_summary import conditions
from reckon.show.titles import title_of

_DATA = (".bib", ".json")  # of what lies in book/, beside the prose
# The site's own static files; the style of the PDFs is none, and figures are part of pages.
_OF_SITE = re.compile(r"_static/(?!narrow/).*(?<!\.sty)$")
_FIGURE = re.compile(rb"/figures/([\w-]+)\.")  # as a page names it
_ICON = "favicon.svg"
_INSTRUCTOR = "The instructor's edition: it has the solutions of all exercises."
_beside = ThreadPoolExecutor(1, thread_name_prefix="staging")
TEX_PDFS = ("reckon.pdf", "reckon-full.pdf")  # as book/ext/two_pdfs.py names them
POSTER = "poster.pdf"
PDFS = {
    **dict(zip(TEX_PDFS, ("the report", "the full record"), strict=True)),
    POSTER: "a poster of the machine, A3",
}  # by the file beside the site, what it is


@dataclass(frozen=True)
class Stage:
    """The staged book, and the hashes by which a change is noticed."""

    folder: Path
    pages: str  # of all but the site's static files; with the style of the PDFs
    static: str  # of the site's style sheets and scripts
    faults: tuple[str, ...] = ()  # of the pages; they show words in the place of what is wrong
    hashed: dict[str, str] = field(default_factory=dict)  # by private name what stands for it

    @property
    def hashes(self) -> str:
        """Both hashes."""
        return f"{self.pages} {self.static}"


def stage_dir() -> Path:
    """The folder that Sphinx reads."""
    return config.settings().output_dir / "stage"


def stage(run: Run, *, pdfs: Collection[str], hides_names: bool = False) -> Stage:
    """Bring _build/stage up to date with the executed pages of the run.

    pdfs: which of PDFS the site has links to. hides_names: hosts, users and addresses are replaced
    by hashes, which are printed. Files that did not change keep their time."""
    commit = _beside.submit(made_from)  # git has an edited notebook filtered
    notebooks, broken = pages.executed_notebooks(contents.notebooks()), faults_of_run(run.name)
    files = {**_texts(), **pages.staged(notebooks, run.name, broken)}
    files |= _settings() | _record_copies(run.name)
    files["book/front.md"] = pages.front(notebooks).encode()
    files["book/card.md"] = pages.machine_card(notebooks).encode()
    for part in contents.parts():
        files[f"book/answers-{part}.md"] = pages.answers(part, notebooks).encode()
        files[f"book/opening-{part}.md"] = pages.opening(part, notebooks).encode()
    files |= _figures(files)
    told = facts(run, commit.result())
    files["title.json"] = _title(run, told, pages.score(notebooks), pages.abstract(notebooks))
    printed = _pdf_links("For print", pdfs)
    files["book/stamp.md"] = f"{stamp(run, told, broken)}\n{printed}".encode()
    files["book/poster.md"] = _pdf_links("For the wall", {POSTER}.intersection(pdfs)).encode()
    faults = _take_out_unknown_citations(files)
    files, hashed = _without_names(run, files) if hides_names else (files, {})
    static = _static(run)
    title, times = json.loads(files["title.json"]), files.get(card.VALUES, b"").decode()
    static["_static/card.png"] = card.card(title, times)
    static |= {f"_static/{name}": content for name, content in mathjax.files().items()}
    files |= static
    _remove_others(stage_dir(), {*files})
    return replace(_written(files, faults), hashed=hashed)


def _pdf_links(title: str, pdfs: Collection[str]) -> str:
    """A line of links for the site alone; "" without any."""
    links = [f'<a href="../{name}">{words}</a>' for name, words in PDFS.items() if name in pdfs]
    return raw_html(f"<p>{title}: {join_words(links)} (PDF)</p>") if links else ""


def stage_page(run: Run, page: str) -> Stage:
    """Bring a page of the staged book and its figures up to date; all else stays as it is."""
    files = pages.staged(pages.executed_notebooks([page]), run.name, faults_of_run(run.name))
    faults = _take_out_unknown_citations(files)
    folder = stage_dir()
    others = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return _written({**others, **files, **_figures(files)}, faults)


def _written(files: dict[str, bytes], faults: list[str]) -> Stage:
    """The stage that has these files alone."""
    folder = stage_dir()
    for name, content in files.items():
        _write_if_changed(folder / name, content)
    static = {name: content for name, content in files.items() if _OF_SITE.match(name)}
    of_pages = {name: content for name, content in files.items() if name not in static}
    return Stage(folder, _digest(of_pages), _digest(static), tuple(faults))


def _take_out_unknown_citations(files: dict[str, bytes]) -> list[str]:
    """Put words in the place of citations of nothing; the sentences that say so."""
    faults = []
    for name, content in files.items():
        if name.endswith((".md", ".ipynb")):
            text, of_file = citations.without_unknown(content.decode(), name)
            if of_file:
                files[name] = text.encode()
                faults += of_file
    return faults


def _without_names(run: Run, files: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files with hashes in the place of private names, which are printed; and the hashes."""
    texts = {
        name: content.decode()
        for name, content in files.items()
        if name.endswith((".md", ".ipynb", ".json", ".csv", ".svg"))
    }
    folder, staged = records.run_dir(run.name), "\n".join(texts.values())
    hashed = private_names.hashes(private_names.private_names(run, folder, staged))
    for name, replacement in hashed.items():
        print(f"Published as {replacement}: {name}")
    if not hashed:
        print("The book names no host, user or address.")
    hidden = {name: private_names.hide(text, hashed).encode() for name, text in texts.items()}
    return files | hidden, hashed


def _title(run: Run, told: dict[str, str], score: str, abstract: str) -> bytes:
    """What book/ext/two_pdfs.py writes on the title pages."""
    settings = config.settings()
    words = {"author": settings.author, "course": settings.course, "score": score}
    words["abstract"] = abstract
    words["conditions"] = "; ".join(conditions(run, told["Measured"]))
    words["root hash"] = verify.root_hash(run.name) or ""
    words |= {name.lower(): value for name, value in told.items()}
    return json.dumps(words, indent=1).encode()


def stage_sources() -> None:
    """Stage what no run changes: Sphinx looks which pages there are when it starts."""
    for name, content in {**_settings(), **_texts()}.items():
        _write_if_changed(stage_dir() / name, content)


def settings_digest() -> str:
    """The hash of what Sphinx reads when it starts."""
    return _digest(_settings())


def _settings() -> dict[str, bytes]:
    """Sphinx's settings, extensions and data, and the icon that it looks for, by staged path."""
    book = ROOT / "book"
    data = [path for path in book.glob("*") if path.suffix in _DATA]
    files = {f"book/{path.name}": path.read_bytes() for path in data}
    files["_config.yml"] = _jupyter_book_settings().encode()
    files["_toc.yml"] = contents.toc_text().encode()
    files["conf.py"] = (book / "conf.py").read_bytes()
    files[f"_static/{_ICON}"] = (book / "static" / _ICON).read_bytes()
    for path in (book / "ext").glob("*.[jp][sy]"):
        files[f"_ext/{path.name}"] = path.read_bytes()
    return files


def _texts() -> dict[str, bytes]:
    """The prose and the C sources, by the staged path."""
    paths = [*(ROOT / "csrc").rglob("*.[ch]")]
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in paths}
    for path in (ROOT / "book").glob("*.md"):
        files[f"book/{path.name}"] = pages.without_dead_links(path.read_text("utf-8")).encode()
    return files


def _jupyter_book_settings() -> str:
    """_config.yml, with the address of the site where that is known; each page of the
    instructor's edition says at its top that it is one."""
    path, settings = ROOT / "_config.yml", config.settings()
    content = contents.read_yaml(path)
    if not settings.url and not settings.instructor:
        return path.read_text("utf-8")
    if settings.url:
        content["html"]["baseurl"] = settings.url
    if settings.instructor:
        content["html"]["announcement"] = _INSTRUCTOR
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def inputs_of_book(run: str | Path) -> dict[str, dict]:
    """By what kept.js checks a change of a quantity on another page than its own."""
    own = records.own_experiments(run)
    stored = [records.read_record(run, each, samples=False).quantities for each in own]
    return {
        name: _inputs(entry.predictions[-1])
        for quantities in stored
        for name, entry in quantities.items()
    }


def _inputs(prediction: records.PredictionRecord) -> dict:
    return {
        "author_unit": prediction.unit,
        "python": dict.fromkeys(PARTS[prediction.kind], ""),
        "inputs": {each.name: units.symbol(each.unit) for each in prediction.inputs},
        "axis": [each.name for each in prediction.inputs if each.origin == "axis"],
    }


def _static(run: Run) -> dict[str, bytes]:
    """Style sheets and scripts. Those of a blind book cover what was measured from the start."""
    settings = config.settings()
    blind = settings.blind is not None
    static = {path.name: path.read_bytes() for path in (ROOT / "book" / "static").glob("*")}
    # A published site names no host, and the name of a run may be one.
    key = hashlib.sha256(f"{run.name} {run.opened_at}".encode()).hexdigest()[:16]
    inputs = inputs_of_book(run.name)
    static["inputs.js"] = f"window.reckonBook.inputs = {json.dumps(inputs)};\n".encode()
    facts = {
        "run": key,
        "blind": blind,
        "predict": ",".join(settings.blind or ()),
        "votes": settings.votes or "",
        "own": settings.own or "",
        "near": NEAR,
        "miss": MISS,
        "titles": {quantity: title_of(quantity) for quantity in inputs},
        "terms": glossary.definitions(),
        "rules": what_if_panels.rules(),
    }
    static["book.js"] = f"window.reckonBook = {json.dumps(facts)};\n".encode()
    if blind:
        covering = static["predict-first.css"].decode()
        static["predict-first.css"] = covering.replace("html.predict-first", "html").encode()
    return {f"_static/{name}": content for name, content in static.items()}


def _figures(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the figures that the pages name: _build has those of other runs and pages too.

    Those for a phone lie where the site finds them."""
    texts = [content for name, content in files.items() if name.endswith((".md", ".ipynb"))]
    named = {name.decode() for text in texts for name in _FIGURE.findall(text)}
    folder = config.settings().build_dir / "figures"
    figures = [
        path
        for path in folder.glob("*.*")
        if path.name.removesuffix(PHONE).removesuffix(PLACES).partition(".")[0] in named
    ]
    return {
        f"{'_static/narrow' if path.name.endswith(PHONE) else 'figures'}/{path.name}": (
            path.read_bytes()
        )
        for path in figures
    }


def _record_copies(run: str) -> dict[str, bytes]:
    """The raw records, to which the page `status` links."""
    return {
        record_copy(experiment): records.record_path(run, experiment).read_bytes()
        for experiment in records.experiments(run)
    }


def _write_if_changed(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
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
