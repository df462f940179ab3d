"""What a mistake in a cell is called: one sentence with its line and what to write instead."""

import json
import linecache
import sys

import numpy as np
import pytest
from helpers.project import finished

import reckon as rk
from reckon.records.notebook_cells import Page
from reckon.show.cell_errors import explain


def error_of(source, page=None, **variables):
    """What a cell with this source raises, explained."""
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    names = {"rk": rk, "np": np, **variables}
    try:
        exec(compile(source, "<cell>", "exec"), names)
    except Exception:
        return str(explain(sys.exc_info()[1], names, page or Page()))


CASES = {
    "an unknown name": (
        "path = 1\npth",
        "Line 2: there is no `pth` in this notebook; did you mean path?",
    ),
    "a name like no other": (
        "zzyzx",
        "Line 1: there is no `zzyzx` in this notebook; run the cell that makes it, or restore it.",
    ),
    "a name like one of Python's that no notebook has use for": (
        "pars",
        "Line 1: there is no `pars` in this notebook; run the cell that makes it, or restore it.",
    ),
    "a name like one of IPython's": (
        "exit = quit = 1\nquid",
        "Line 2: there is no `quid` in this notebook; run the cell that makes it, or restore it.",
    ),
    "a unit without quotes": (
        'rk.given(90, GHz, "x")',
        'Line 1: there is no `GHz` in this notebook; write "GHz" with quotes, as a unit.',
    ),
    "a function without its module": (
        "where(1, 2, 3)",
        "Line 1: there is no `where` in this notebook; run the cell that makes it, or restore it.",
    ),
    "an unknown attribute": (
        "rk.gues(1)",
        "Line 1: module 'reckon' has no attribute 'gues'; did you mean guess?",
    ),
    "a missing argument": (
        'rk.given(90, "ns")',
        "Line 1: given() missing 1 required positional argument: 'source'; it takes value, unit, "
        "source, cite=..., low=..., high=....",
    ),
    "a misspelt argument": (
        'rk.guess(90, "ns", "x", lo=3)',
        "Line 1: guess() has no argument lo; did you mean low?",
    ),
    "an argument of another kind": (
        'x = 1\nrk.show.table(x, "caption", "name")',
        "Line 2: rk.show.table(...) does not work with this (TypeError: 'int' object is not "
        "iterable); it takes results, caption, name, titles=..., waits=....",
    ),
    "a division by 0": ("1 / 0", "Line 1: a division by 0 has no value; divide by another number."),
    "an unknown key": (
        "by_name = {'getpid': 1}\nby_name['getpit']",
        "Line 2: there is no 'getpit'; did you mean 'getpid'?",
    ),
    "a text that is no number": ("float('x')", "Line 1: could not convert string to float: 'x'."),
    "a missing file": (
        "open('/no/file')",
        "Line 1: /no/file: No such file or directory.",
    ),
    "a misspelt import": (
        "import rekon",
        "Line 1: No module named 'rekon'; a notebook imports reckon as rk and numpy as np.",
    ),
    "a bracket": ("x = (1", "Line 1: in `x = (1`, '(' was never closed."),
    "a quote": ('x = 1\ny = "ns', 'Line 2: in `y = "ns`, unterminated string literal.'),
    "no operator": (
        "x = 3 y",
        "Line 1: in `x = 3 y`, an operator, a comma or a colon is missing, or a name is misspelt.",
    ),
    "no def": (
        "    x = 1",
        "Line 1: in `x = 1`, the line is indented and belongs to none above; begin it at the left, "
        "or restore the one above it.",
    ),
    "a return alone": (
        "return 3",
        "Line 1: `return` without the line `def ...:` above it.",
    ),
    "any other": ("raise RuntimeError('no\\nway')", "Line 1: RuntimeError: no way."),
}


@pytest.mark.parametrize("mistake", CASES)
def test_a_mistake_is_one_sentence(mistake):
    source, sentence = CASES[mistake]
    assert error_of(source) == sentence


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
