"""papermill, nbconvert and the book show the same outputs of a notebook."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from helpers import pages
from helpers.books import BUILD_PAGES
from helpers.project import finished, share_statistics

from reckon.book import contents
from reckon.book.execution.outputs import tidied

BIN = Path(sys.executable).parent
PAGE = "cpu/clock"


@pytest.fixture
def outputs(tmp_path):
    """`outputs(command, file, **variables)`: what that command writes to that file in a folder of its
    own, by cell.

    They are in the forms that the book stores. Left out is the number by which an execution is counted:
    papermill adds a cell."""

    def execute(command, file, **variables):
        folder = tmp_path / Path(command[0]).name
        shown = pages.environment(pages.copy_recorded(folder), folder)
        share_statistics(folder / "_build")
        done = finished(*command, env={**os.environ, **shown, **variables})
        assert done.returncode == 0, done.stderr
        cells = [cell for cell in nbformat.read(folder / file, 4).cells if cell.cell_type == "code"]
        return {
            cell.id: [{**output, "execution_count": None} for output in tidied(cell.outputs)]
            for cell in cells
            if "injected-parameters" not in cell.metadata.get("tags", [])
        }

    return execute


@pytest.mark.book
def test_papermill_nbconvert_and_the_book_show_the_same(outputs, tmp_path):
    source = contents.source(PAGE)
    book = outputs(BUILD_PAGES, f"_build/executed/{PAGE}.ipynb", RECKON_PAGES=PAGE)
    assert sum(map(len, book.values())) > 5
    papermill = [
        BIN / "papermill",
        source,
        tmp_path / "papermill/out.ipynb",
        "-p",
        "run",
        "recorded",
    ]
    assert outputs(papermill, "out.ipynb", RECKON_RUN="") == book
    nbconvert = [BIN / "jupyter-nbconvert", "--execute", "--to=notebook", source]
    nbconvert += [f"--output-dir={tmp_path}/jupyter-nbconvert", "--output=out.ipynb"]
    assert outputs(nbconvert, "out.ipynb") == book
