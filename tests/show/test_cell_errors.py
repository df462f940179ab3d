"""What a mistake in a cell is called: one sentence with its line and what to write instead."""

import json
import linecache
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.lines import check_all
from helpers.project import finished
from helpers.syscall_cells import FORMULA, INPUTS, MEASURE, cells

import reckon as rk
from reckon import ReckonError
from reckon.records.notebook_cells import Page
from reckon.show.cell_errors import explain

PLACES = {"FORMULA": FORMULA, "INPUTS": INPUTS, "MEASURE": MEASURE}


def error_of(source, page=None, **variables):
    """What a cell with this source raises, explained."""
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    names = {"rk": rk, "np": np, **variables}
    try:
        exec(compile(source, "<cell>", "exec"), names)
    except ReckonError as error:
        return str(error)  # is such a sentence already
    except Exception:
        return str(explain(sys.exc_info()[1], names, page or Page()))


CELLS, EDITS = (
    [line.rsplit(" -> ", 1) for line in part.splitlines() if " -> " in line and line[0] != "#"]
    for part in Path(__file__).with_name("cell_errors.txt").read_text("utf-8").split("[edits]")
)


@pytest.fixture(scope="module")
def formula():
    """The names of a page with a formula and a prediction by it."""

    @rk.predict("cpu/made/call", unit="ns")
    def null_call(kernel_path, clock):
        return 0, kernel_path / clock

    path = rk.guess(150, "cycle", "path", low=50, high=1200)
    here = null_call(kernel_path=path, clock=rk.given(3, "GHz", "the core"))
    return {"null_call": null_call, "null_call_here": here}


def test_a_mistake_is_one_sentence(formula):
    def check(cell, sentence):
        assert error_of(cell.replace(" ⏎ ", "\n"), **formula) == sentence

    check_all(CELLS, check)


def run_page(edited, old, new):
    """Execute the cells of cpu/syscall up to the measurement, one of them with a text replaced."""
    source, variables = cells(), {"__name__": "__main__"}
    assert source[edited].count(old) >= 1
    source[edited] = source[edited].replace(old, new, 1)
    start = "import math\nimport reckon as rk\n"
    for text in (start, source[FORMULA], source[INPUTS], source[MEASURE]):
        exec(text, variables)


@pytest.mark.parametrize(("edit", "says"), EDITS)
def test_a_careless_edit_is_explained_in_one_sentence(edit, says, recorded):
    cell, _, change = edit.partition(" ")
    run_page(PLACES[cell], "", "")  # as they are the cells run
    with pytest.raises(ReckonError) as raised:
        run_page(PLACES[cell], *change.split(" => "))
    sentence = str(raised.value)
    assert says in sentence and "\n" not in sentence and sentence[-1] in ".?"
    assert raised.value._render_traceback_() == [sentence]  # all that JupyterLab shows


def test_what_is_no_number_is_named_with_what_is():
    @rk.predict("cpu/loop/o2", unit="ns")
    def loop(time):
        return time, 0

    prediction = loop(time=rk.given(1, "ns", "x"))
    assert error_of("prediction + 1", prediction=prediction).endswith(
        "; a prediction is computed in the function under @rk.predict."
    )


def write_notebook(path, *sources):
    cells = [
        {"cell_type": "code", "id": f"cell-{number}", "source": source, "metadata": {}}
        for number, source in enumerate(sources, 1)
    ]
    path.write_text(json.dumps({"cells": cells}))


@pytest.fixture
def page(tmp_path):
    """The path of a notebook whose second cell makes `null`, committed."""
    path = tmp_path / "page.ipynb"
    write_notebook(path, "x = 1", "null = rk.measure(call)", "def f():\n    hidden = 1")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "page.ipynb"], [*who, "commit", "-qm", "x"]):
        finished("git", *command, cwd=tmp_path, check=True)
    return path


def test_a_deleted_cell_is_named_by_what_it_made(page):
    write_notebook(page, "x = 1", "null")
    assert error_of("null", Page(page)) == (
        "Line 1: there is no `null` in this notebook; cell 2 of the last commit makes it "
        "(`null = rk.measure(call)`): put that back."
    )
    assert "put that back, or did you mean nul?" in error_of("nul = 1\nnull", Page(page))


def test_a_cell_that_has_not_run_yet_is_named(page):
    said = "cell 2 makes it (`null = rk.measure(call)`)"
    first = f"; {said}: choose *Run All Above Selected Cell* in the menu *Run* first."
    assert first in error_of("null", Page(page))
    assert error_of("nul", Page(page)).endswith("no `nul` in this notebook; did you mean null?")
    assert f"; {said}: move that up." in error_of("null", Page(page, in_order=True))
    write_notebook(page, "x = 1", "found = rk.findings_of('cpu/syscall')")
    assert "round" not in error_of("found", Page(page))


def test_the_cell_that_fails_does_not_make_what_it_lacks(page):
    """The file still says so before JupyterLab has saved it."""
    said = error_of("null", Page(page, cell="cell-2"))
    assert said.endswith(
        "; cell 2 of the last commit makes it (`null = rk.measure(call)`): put that back."
    )
    assert "Run All Above" in error_of("null", Page(page, cell="cell-1"))


def test_a_name_inside_of_a_function_is_made_by_no_cell(page):
    assert "run the cell that makes it" in error_of("hidden", Page(page))


def test_a_notebook_that_is_broken_or_not_there_explains_nothing(tmp_path):
    path = tmp_path / "page.ipynb"
    for text in (None, "{", "[]", '{"cells": [1]}'):
        if text:
            path.write_text(text)
        assert "run the cell that makes it" in error_of("null", Page(path))
