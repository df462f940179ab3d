"""What is new takes only its own places: a fifth part is three files and a few lines of the table of
contents, a probe is an entry in its experiment's C file and a cell of its notebook. A report is a file:
tests/test_sixth_report.py."""

import shutil

import nbformat
import pytest
import yaml
from helpers.books import Project, ShortProject
from helpers.project import LIBRARY, PROGRAMS, make_library

pytestmark = pytest.mark.book

CELLS = [
    "# Waiting",
    "import reckon as rk",
    '@rk.predict("power/spin/pause", unit="ns")\ndef pause(cycles, clock):\n    return cycles / clock, 0',
    "made = pause(\n"
    '    cycles=rk.guess(60, "cycle", "a hint", low=5, high=200),\n'
    '    clock=rk.guess(3, "GHz", "a core", low=1, high=6))',
    "spin = rk.measure(made, spins=2000)",
    'rk.show.table([spin], "A spin", "spin-table", {"power/spin/pause": "a spin"})',
    'rk.show.verdict(spin, "a spin of a waiting CPU")',
]


PROBE = """
static int run_wall_clock(struct rk_context *c, struct rk_sample *out, size_t n)
{
    struct timespec now;
    RK_TIME_TRIALS(out, n, rk_integer(c, "reads"), clock_gettime(CLOCK_REALTIME, &now));
    return 0;
}

RK_PROBE("cpu/timer/wall_clock", .op = "call", .timed = "reads x clock_gettime(CLOCK_REALTIME)",
         .params = RK_PARAMS(READS), .trials = run_wall_clock);
"""
CELL_OF_PROBE = """@rk.predict("cpu/timer/wall_clock", unit="ns")
def wall_clock(cycles, clock):
    return 0, cycles / clock

read = wall_clock(cycles=rk.guess(60, "cycle", "as monotonic", low=20, high=200), clock=clock)
titles["cpu/timer/wall_clock"] = "Wall clock"
rk.show.table([rk.measure(read)], "Reading the wall clock", "wall-clock", titles)"""
PAGES = ("machine", "cpu/timer", "summary", "machines")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A short book with the new part and probe, and a library that has the probes."""
    pages = [f"notebooks/{page}" for page in PAGES]
    files = [*pages, "book/method", "book/bibliography"]
    project = ShortProject(tmp_path_factory.mktemp("fifth"), files)
    (project.base / "csrc/power").mkdir()
    shutil.copy(PROGRAMS / "spin.c", project.base / "csrc/power")
    (project.base / "book/power.md").write_text("# Power\n\n```{tableofcontents}\n```\n")
    write_notebook(project)
    add_to_contents(project)
    add_probe(project)
    library = project.base / "_build/lib"
    shutil.copytree(LIBRARY, library)  # only what is new is compiled
    build = make_library(library, "WERROR=1", sources=project.base / "csrc")
    assert build.returncode == 0, build.stderr
    project.done = project.build("--html", RECKON_LIB=str(library))
    return project


def write_notebook(project: Project) -> None:
    title, *code = CELLS
    cells = [nbformat.v4.new_markdown_cell(title), *map(nbformat.v4.new_code_cell, code)]
    path = project.base / "notebooks/power/spin.ipynb"
    path.parent.mkdir()
    language = {"language_info": {"name": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=language), path)


def add_to_contents(project: Project) -> None:
    path = project.base / "_toc.yml"
    contents = yaml.safe_load(path.read_text())
    part = {"file": "book/power", "sections": [{"file": "notebooks/power/spin"}]}
    contents["parts"][0]["chapters"].insert(2, part)  # before the pages about the whole run
    path.write_text(yaml.safe_dump(contents, sort_keys=False))


def add_probe(project: Project) -> None:
    with (project.base / "csrc/cpu/timer.c").open("a") as file:
        file.write(PROBE)
    path = project.base / "notebooks/cpu/timer.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_code_cell(CELL_OF_PROBE))
    nbformat.write(notebook, path)


def test_a_fifth_part_is_measured_and_built(book):
    assert book.done.returncode == 0, book.done.stdout + book.done.stderr
    assert "power/spin/pause measured" in book.done.stdout
    assert "a spin of a waiting CPU" in book.html("notebooks/power/spin")


def test_the_summary_shows_the_fifth_part(book):
    page = book.html("notebooks/summary")
    assert 'href="power/spin.html"' in page and ": pause</" in page


def test_the_machines_page_shows_the_fifth_part(book):
    page = book.html("notebooks/machines")
    assert "No other machine has a value that belongs to the part on power." in page
    assert "Power on the reports" in page


def test_a_new_probe_of_an_experiment_is_measured_and_on_its_page(book):
    assert "cpu/timer/wall_clock measured" in book.done.stdout
    assert "Reading the wall clock" in book.html("notebooks/cpu/timer")
