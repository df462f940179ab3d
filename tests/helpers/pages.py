"""What the pages show of a run, as pytest-notebook executes and compares them.

tests/expected/PAGE.ipynb holds the outputs of a page's cells by the cells' ids; prose and code stand
in notebooks/ alone, and are laid in before the page is executed.
"""

import csv
import math
import re
import shutil
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from helpers.project import LIBRARY, RECORDED, ROOT
from reckon import records
from reckon.book import contents
from reckon.edits import what_if_panels
from reckon.show.block import MYST

EXPECTED = ROOT / "tests" / "expected"
JUPYTER = ROOT / "tests" / "helpers" / "jupyter"  # holds the kernel of the pages
ROWS_SHOWN = 24  # of a figure's data; a longer table is shown by this number of rows, and its sums
DIGITS = 6  # the last bits of a float differ from one processor to another
FIGURE_DATA, PANEL = "text/csv", "text/x-formulas"  # what stands for a figure, and for a panel
_FIGURE = re.compile(r"^:::\{figure\} /figures/(\S+)\.\*$", re.M)
_PANEL = re.compile(
    r'\n*^```\{raw\} html\n<div class="reckon-what-if" data-quantities="([^"]*)".*\n```$', re.M
)


def copy_recorded(folder: Path) -> Path:
    """A copy of the recorded run, in a folder of runs in that folder."""
    return Path(shutil.copytree(RECORDED / "recorded", folder / "runs" / "recorded"))


def environment(run: Path, folder: Path) -> dict[str, str]:
    """The environment in which kernels show that run and build in that folder."""
    values = {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
        "JUPYTER_PATH": JUPYTER,
        "JUPYTER_RUNTIME_DIR": folder / "runtime",
        "RECKON_PROFILE": "quick",
        "RECKON_RUN": run.name,
        "RECKON_RUNS": run.parent,
        "RECKON_BUILD": folder / "_build",
        "RECKON_LIB": LIBRARY,
        "RECKON_MACHINE_TOML": folder / "machine.toml",
    }
    return {name: str(value) for name, value in values.items()}


def expected_path(page: str) -> Path:
    """The file of the page's expected outputs."""
    return EXPECTED / f"{page}.ipynb"


def expected_outputs(page: str) -> dict[str, list]:
    """The page's expected outputs by the id of their cell; none of a page that is new."""
    path = expected_path(page)
    cells = nbformat.read(path, 4).cells if path.exists() else []
    return {cell.id: cell.outputs for cell in cells}


def expected_text(page: str) -> str:
    """What a reader of the page reads: its expected outputs without data of figures and panels."""
    outputs = [output for each in expected_outputs(page).values() for output in each]
    return "\n\n".join(map(output_text, outputs))


def output_text(output) -> str:
    """The text of a cell's output."""
    if output.output_type == "stream":
        return output.text
    forms = (output.data.get(kind) for kind in (MYST, "text/markdown", "text/plain"))
    return next(filter(None, forms), "")


def lay_in_source(page: str, outputs: dict[str, list], folder: Path) -> Path:
    """A notebook in that folder: the source of the page with these outputs of its cells."""
    notebook = nbformat.read(contents.source(page), 4)
    notebook.metadata.kernelspec.name = "page"
    cells = {cell.id: cell for cell in notebook.cells}
    lost = [cell for cell in outputs if cell not in cells]
    assert not lost, (
        f"{page} has lost the cells {lost}. If this is right: make expected PAGE={page}"
    )
    for cell, expected in outputs.items():
        cells[cell].outputs = expected
    path = folder / "page.ipynb"
    nbformat.write(notebook, path)
    return path


def write_expected(page: str, executed: Path) -> None:
    """Make the outputs of an executed notebook, which are reduced already, the expected ones."""
    cells = [
        new_code_cell(id=cell.id, outputs=cell.outputs)
        for cell in nbformat.read(executed, 4).cells
        if cell.get("outputs")
    ]
    records.write_whole(expected_path(page), nbformat.writes(new_notebook(cells=cells)) + "\n")


def reduced(notebook, resources: dict):
    """pytest-notebook's post-processor: the outputs reduced to what a reader checks.

    resources: the folder of the `run` that the page shows, and that of the `figures` that it drew.
    """
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [_reduced(output, **resources) for output in cell.outputs]
            cell.execution_count = None
    return notebook, resources


def _reduced(output, run: Path, figures: Path, **_):
    if output.output_type in ("stream", "error"):
        return output
    text = output_text(output)
    data = {"text/markdown": _PANEL.sub("", text)}
    if names := _FIGURE.findall(text):
        data[FIGURE_DATA] = "\n".join(_figure_data(figures / f"{name}.csv") for name in names)
    if panels := _PANEL.findall(text):
        data[PANEL] = "\n".join(_formulas(run, quantities.split()) for quantities in panels)
    return new_output("display_data", data)


def _formulas(run: Path, quantities: list[str]) -> str:
    """The formulas that a panel changes, a line each."""
    panel = what_if_panels.panel_data(run, records.experiment_of(quantities[0]))
    formulas = {formula["quantity"]: formula["python"] for formula in panel["formulas"]}
    return "\n".join(
        f"{quantity}: {'; '.join(f'{part} = {text}' for part, text in formulas[quantity].items())}"
        for quantity in quantities
    )


def _figure_data(path: Path) -> str:
    """The numbers that a figure draws."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    step = max(1, -(-len(rows) // ROWS_SHOWN))
    title = f"{path.stem}: {len(rows)} rows, every {step}th shown" if step > 1 else path.stem
    sums = _sums(header, rows) if step > 1 else []
    lines = [", ".join(map(_rounded, row)) for row in [header, *rows[::step]]]
    return "\n".join([title, *lines, *sums])


def _rounded(cell: str) -> str:
    try:
        return f"{float(cell):.{DIGITS}g}"
    except ValueError:
        return cell


def _sums(header: list[str], rows: list[list[str]]) -> list[str]:
    """The sum of each column of numbers: it differs where a row that is not shown does."""
    sums = []
    for name, *cells in zip(header, *rows, strict=True):
        try:
            total = math.fsum(map(float, cells))  # the same in every Python
        except ValueError:  # a column of words
            continue
        sums.append(f"sum of {name}: {total:.{DIGITS}g}")
    return sums
