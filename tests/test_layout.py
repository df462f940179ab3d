"""The structure: three places for an experiment, one direction for imports, clean notebooks."""

import ast
import inspect
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from helpers.pages import expected_text
from helpers.project import RECORDED, ROOT

import reckon as rk
from reckon.book import contents
from reckon.comparison.reports import published
from reckon.computer import processors
from reckon.measurement import library

NOTEBOOKS = sorted(
    str(p.relative_to(ROOT / "notebooks").with_suffix(""))
    for p in (ROOT / "notebooks").rglob("*.ipynb")
    if ".ipynb_checkpoints" not in p.parts
)
EXPERIMENTS = {name for name in NOTEBOOKS if "/" in name}


def cells(name, kind="code"):
    data = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())
    return [cell for cell in data["cells"] if cell["cell_type"] == kind]


def source(name):
    return "\n".join("".join(cell["source"]) for cell in cells(name))


def test_an_experiment_is_a_c_file_a_notebook_and_a_line_of_the_toc():
    in_c = {
        str(p.relative_to(ROOT / "csrc")).split(".")[0]
        for p in (ROOT / "csrc").glob("*/*.c")
        if p.parent.name not in ("runner", "probe", "peer", "lab", "test", "exercises")
    }
    in_probes = {probe.experiment for probe in library.probes().values()} - {"test"}
    in_toc = contents.notebooks()
    assert in_c == in_probes == EXPERIMENTS == {name for name in in_toc if "/" in name}
    assert sorted(in_toc) == NOTEBOOKS and len(in_toc) == len(set(in_toc))


def test_probes_stand_in_a_file_of_their_experiment():
    """NAME.c, or NAME.KIND.c: NAME.o0.c, at -O0; NAME.tools.c, by other programs."""
    for probe in library.probes().values():
        if not probe.name.startswith("test/"):
            assert probe.file.split(".")[0] == probe.experiment, probe


def test_every_probe_is_measured_by_its_notebook():
    """By the recorded run, which the notebooks' expected copies rest on."""
    measured = {
        quantity["measurement"]["probe"]
        for path in (RECORDED / "recorded").rglob("*/*.json")
        for quantity in json.loads(path.read_text())["quantities"].values()
        if quantity["measurement"]  # the quick profile leaves some to the longer ones
    }
    assert {name for name in library.probes() if not name.startswith("test/")} == measured


def test_every_file_of_the_toc_exists():
    for file in contents.toc():
        assert (ROOT / f"{file}.md").exists() or (ROOT / f"{file}.ipynb").exists(), file


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_file_that_a_page_offers_exists(name):
    cells_of_page = json.loads((ROOT / f"notebooks/{name}.ipynb").read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells_of_page)
    offered = re.findall(r"{download}`[^`]*</([^`>]+)>`", text)
    assert [path for path in offered if not (ROOT / path).exists()] == []


MODULES = [path.relative_to(ROOT / "reckon") for path in (ROOT / "reckon").rglob("*.py")]


# What a folder of csrc/ includes besides its own files; any other folder is a part of the book, which
# includes its own support/, and the peer's wire format.
INCLUDED_BY = {
    ".": set(),
    "probe": {"."},
    "runner": {"probe", "."},
    "peer": {"probe"},
    "lab": {"probe"},
    "test": {"probe", "network/support"},
    "exercises": {"probe", "files/support"},
}


def test_c_folders_include_only_from_those_below():
    upwards = []
    for path in (ROOT / "csrc").rglob("*.[ch]"):
        folder = path.parent.relative_to(ROOT / "csrc")
        below = INCLUDED_BY.get(str(folder), {"probe", "peer", f"{folder}/support"})
        for name in re.findall(r'^#include "(.*)"', path.read_text(), re.M):
            included = str(Path(name).parent)
            if included not in {str(folder), *below}:
                upwards.append(f"{path.relative_to(ROOT)} includes {name}")
    assert not upwards, "\n".join(upwards)


def _programs():
    """The files of Python that are no tests."""
    for folder in ("reckon", "book", "notebooks", "tools"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix == ".py" or (not path.suffix and path.is_file()):
                text = path.read_text("utf-8", "replace")
                if path.suffix or re.match("#!.*python", text):
                    yield path, ast.parse(text)


def test_files_of_text_are_read_and_written_as_utf_8():
    """The place of the encoding among the arguments; open() of bytes needs none."""
    places = {"read_text": 0, "write_text": 1, "open": 2}
    silent = []
    for path, tree in _programs():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
            is_method = name == "open" and isinstance(call.func, ast.Attribute)
            is_binary = name == "open" and re.search(r"""['"][rwax+]*b""", ast.unparse(call))
            says = len(call.args) > places.get(name, -1) or "encoding=" in ast.unparse(call)
            if not (is_method or is_binary or says):
                silent.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert silent == []


def test_only_measuring_knows_ctypes():
    users = [
        str(path) for path in MODULES if "import ctypes" in (ROOT / "reckon" / path).read_text()
    ]
    assert users == ["measurement/library.py"]


def test_no_module_has_the_name_of_a_public_function():
    modules = {path.stem for path in MODULES}
    for public in (rk, rk.show, rk.draw):
        functions = {name for name, _ in inspect.getmembers(public, inspect.isfunction)}
        assert functions.isdisjoint(modules), public.__name__


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_clean_short_and_import_reckon_alone(name):
    for cell in cells(name):
        assert not cell["outputs"] and cell["execution_count"] is None, "strip the outputs"
        assert "".join(cell["source"]).count("\n") < 14, "longer code lives beside the notebook"
    roots = set(re.findall(r"^(?:import|from) (\w+)", source(name), re.M))
    assert roots <= {"reckon", "numpy", "seaborn"}


# What a chapter has: headings in this order, and calls. CONTRIBUTING.md lists them.
_HEADINGS = [
    "# ",
    "Afterwards you can ",  # the goals
    "## What happens underneath",
    "## The model",
    "## How it is measured",
    "## Results",
    "## Questions",
    "## Exercises",
    "## If yours differs",
    "## Other ways to measure it",
    "## Among the reports' machines",
    "## Spreads and conditions",
]
_CALLS = [
    "rk.show.prediction",
    "rk.show.table",
    "rk.show.verdict",
    "rk.draw.",
    "rk.show.exercises",
    "rk.show.methods",
    "rk.show.machines",
    "rk.show.plausibility",
    "rk.show.conditions",
    "rk.show.answer",
]
# Only of an experiment that a published report has too.
_OF_REPORTS = {
    "## Other ways to measure it",
    "## Among the reports' machines",
    "rk.show.methods",
    "rk.show.machines",
}


def in_reports(experiment):
    """Whether a published report states a value of one of its quantities."""
    values = published.reported_values()
    return any(str(value.quantity).startswith(f"{experiment}/") for value in values)


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_pages_have_their_parts_in_order(name):
    text = "\n".join("".join(cell["source"]) for cell in cells(name, "markdown"))
    left_out = set() if in_reports(name) else _OF_REPORTS
    headings = [heading for heading in _HEADINGS if heading not in left_out]
    missing = [heading for heading in headings if f"\n{heading}" not in f"\n{text}"]
    missing += [call for call in _CALLS if call not in left_out and call not in source(name)]
    assert missing == []
    assert sorted(headings, key=f"\n{text}".index) == headings


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_a_chapter_has_two_exercises_of_each_level(name):
    text = expected_text(name)
    levels = re.findall(r"^\*\*\d\*\* \*\((.*?)\)\*", text, re.M)
    assert levels == [level for level in ("to warm up", "analysis", "project") for _ in range(2)]
    analyses = re.findall(r"^\*\*\d\*\* \*\(analysis\)\* (.*)", text, re.M)
    assert all(re.match(r"Begin with `rk\.(frame|samples)\(", each) for each in analyses)


def test_every_reference_says_where_to_read_it():
    """The course reports aside, which are not published."""
    entries = re.split(r"\n(?=@)", (ROOT / "book/references.bib").read_text())
    without = [
        entry.partition(",")[0]
        for entry in entries
        if "doi = " not in entry and "url = " not in entry and "Course report" not in entry
    ]
    assert without == []


def test_citations_exist():
    bib = set(re.findall(r"^@\w+\{([^,]+),", (ROOT / "book/references.bib").read_text(), re.M))
    cited = set()
    for name in NOTEBOOKS:
        text = source(name) + "\n".join("".join(c["source"]) for c in cells(name, "markdown"))
        cited |= {
            key for group in re.findall(r"\{cite\}`([^`]+)`", text) for key in group.split(",")
        }
        cited |= set(re.findall(r'cite="([^"]+)"', text))
    for value in published.reported_values():
        cited.add(value.cite)
    for core in processors.cores():
        cited |= {constant.cite for constant in core.constants.values() if constant.cite}
    for page in (ROOT / "book").glob("*.md"):
        for group in re.findall(r"\{cite\}`([^`]+)`", page.read_text()):
            cited |= set(group.split(","))
    assert cited <= bib, cited - bib


GLOSSARY = {
    line.lower()
    for line in (ROOT / "book/glossary.md").read_text().splitlines()
    if line and not line.startswith((" ", "`", ":", "#"))
}


def terms(text):
    """The entries of the glossary that a text links to."""
    linked = re.findall(r"{term}`([^`<]*?)(?: <([^`>]*)>)?`", text)
    return {(target or words).lower() for words, target in linked}


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_a_number_of_a_figure_is_of_one_that_the_page_draws(name):
    text = "".join("".join(cell["source"]) for cell in cells(name, "markdown"))
    figures = re.findall(r"\{numref\}`(?:Figure %s <([\w-]+)>)?", text)
    assert all(figure and f'"{figure}"' in source(name) for figure in figures)


def test_a_link_to_a_page_is_one_that_a_part_of_the_book_can_leave_out():
    """`without_dead_links` knows [words](/notebooks/files/read.ipynb) alone."""
    texts = [path.read_text() for path in (ROOT / "book").glob("*.md")]
    texts += ["".join(cell["source"]) for name in NOTEBOOKS for cell in cells(name, "markdown")]
    for text in texts:
        assert not re.search(r"\{(doc|ref|any)\}`|\]\([^/)\s:#][^)\s:#]*\.(md|ipynb)", text), text


def test_terms_that_pages_link_to_are_in_the_glossary():
    pages = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").rglob("*.ipynb")]
    unknown = {path.name: terms(path.read_text()) - GLOSSARY for path in pages}
    assert {name: names for name, names in unknown.items() if names} == {}


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_every_chapter_links_to_the_glossary(name):
    assert terms((ROOT / f"notebooks/{name}.ipynb").read_text())


def test_the_reports_values_fit_their_quantities():
    known = {
        name
        for path in (ROOT / "tests/runs/recorded").glob("*/*.json")
        for name in json.loads(path.read_text())["quantities"]
    }
    for value in published.reported_values():
        assert not value.quantity or value.quantity in known, value.quantity


def test_citation_and_changes_are_of_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert citation["version"] == version and f"## {version}" in changes


def _without_examples(text):
    """The lines of a module, blank where the help has an example: a call of a command, or an argument
    of `command()` after its name. A sentence may also say "such as cpu/syscall"."""
    lines = re.sub(r"^  reckon .*|such as [\w/]+", "", text, flags=re.M).splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command":
            for example in node.args[1:]:
                lines[example.lineno - 1] = ""
    return lines


def _lines_of(path):
    text = (ROOT / "reckon" / path).read_text()
    return _without_examples(text) if path.parts[0] == "cli" else text.splitlines()


def test_no_module_knows_an_experiment_a_probe_or_a_report():
    """Examples in the help of the command line aside."""
    probes = [probe for probe in library.probes().values() if not probe.name.startswith("test/")]
    reports = {report.name for report in published.all_reports()}
    names = {name for probe in probes for name in (probe.name, probe.experiment)} | EXPERIMENTS
    pattern = rf"\b({'|'.join(sorted(names))})\b|{'|'.join(sorted(reports))}"
    known = [
        f"reckon/{path}:{number}: {match[0]}"
        for path in MODULES
        for number, line in enumerate(_lines_of(path), 1)
        if (match := re.search(pattern, line))
    ]
    assert not known, "\n".join(known)
