"""At a notebook: a prediction cell shows how far off it is; nothing is written until it is kept."""

import json
import os
import re
import shutil

import pytest
from helpers.project import LIBRARY, RECORDED, ROOT
from helpers.syscall_cells import FORMULA, INPUTS, cells
from jupyter_client.manager import start_new_kernel


class Kernel:
    """A kernel as JupyterLab starts it, with the recorded run or an empty folder of runs.

    panel: the HTML of the last What if? panel that a cell displayed."""

    def __init__(self, folder, **environment):
        folders = {"RECKON_RUNS": folder / "runs", "RECKON_BUILD": folder / "_build"}
        variables = {**os.environ, **{name: str(path) for name, path in folders.items()}}
        variables |= {"RECKON_LIB": str(LIBRARY), "RECKON_PROFILE": "quick", **environment}
        self._manager, self._client = start_new_kernel(cwd=str(ROOT), env=variables)

    def run(self, source):
        """Execute a cell; all that it displays but panels, as text."""
        shown = []

        def take(message):
            content = message["content"]
            if message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]))
            elif "data" in content:
                data = content["data"]
                if 'class="reckon-lab"' in data.get("text/html", ""):
                    self.panel = data["text/html"]
                    return
                shown.append(
                    data.get("text/markdown") or data.get("text/html") or data["text/plain"]
                )

        self._client.execute_interactive(source, output_hook=take, timeout=60)
        return "\n\n".join(shown)

    def end(self):
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


BEGIN = "import numpy as np, reckon as rk\nrk.begin()"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(RECORDED / "recorded", folder / "runs" / "recorded")
    kernel = Kernel(folder, RECKON_RUN="recorded")
    kernel.folder, kernel.cells = folder, cells()
    for source in (BEGIN, kernel.cells[FORMULA], kernel.cells[INPUTS]):
        kernel.run(source)
    yield kernel
    kernel.end()


def written(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


def edited(lab, cell, old, new):
    return lab.run(lab.cells[cell].replace(old, new, 1))


TABLE = 'rk.show.table([rk.measure(null_call_here, calls=1000)], "Calls", "calls")'


def test_an_edited_input_shows_its_ratio_beside_the_sealed_one(lab):
    before = written(lab.folder)
    shown = edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "(sealed" in shown and "would meet it" in shown and "in `kernel_path`" in shown
    assert "; revised " in lab.run(TABLE)
    verdict = lab.run('rk.show.verdict(rk.measure(null_call_here), "the call")')
    assert "Revised after measuring (inputs revised: kernel path)" in verdict
    assert written(lab.folder) == before
    assert "(sealed" not in lab.run(lab.cells[INPUTS])
    assert "; revised " not in lab.run(TABLE)
    assert "Nothing was tried" in lab.run("rk.keep()")


def test_a_panel_has_the_formula_and_the_inputs_of_the_cell(lab):
    edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    (data,) = re.findall(r'class="reckon-formulas">(.*)</script>', lab.panel)
    (formula,) = json.loads(data)["formulas"]
    assert formula["quantity"] == "cpu/syscall/getpid" and formula["revised"]
    assert 550 in [given["value"] for given in json.loads(data)["inputs"]]
    lab.run(lab.cells[INPUTS])


def test_an_edited_formula_shows_its_ratio_with_the_inputs_of_before(lab):
    shown = edited(lab, FORMULA, "kernel_path / clock", "4 * kernel_path / clock")
    assert "$$" in shown and "(sealed" in shown
    assert "(sealed" not in lab.run(lab.cells[FORMULA])


def test_what_is_kept_is_a_revision_beside_a_run_of_another_machine(lab):
    before = written(lab.folder / "runs")
    edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "`cpu/syscall/getpid`" in lab.run("rk.keep()")
    assert written(lab.folder / "runs") == before
    assert [*(lab.folder / "_build" / "replay").rglob("syscall.json")]
    assert "(sealed" in lab.run(lab.cells[INPUTS].replace("150", "550"))
    lab.run(lab.cells[INPUTS])
    assert "`cpu/syscall/getpid`" in lab.run("rk.keep()")  # back


def test_a_run_of_another_machine_is_not_sealed_again(lab):
    before = written(lab.folder / "runs")
    edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    shown = lab.run('rk.reseal(null_call_here, "a typing error")')
    assert "recorded on another machine" in shown and "\n" not in shown
    assert written(lab.folder / "runs") == before
    lab.run("rk.reset()")


def test_what_is_reset_is_not_kept(lab):
    edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "`cpu/syscall/getpid`" in lab.run("rk.reset()")
    assert "Nothing was tried" in lab.run("rk.keep()")


def test_statistics_are_stored_for_the_next_kernel(lab):
    lab.run("from reckon import statistics\nstatistics.summarise([[1.0, 2.0], [3.0]])")
    assert [*(lab.folder / "_build" / "cache").glob("statistics-*.sqlite")]


def test_a_figure_is_shown_with_its_caption_and_the_books_own_stays(lab):
    shown = lab.run('rk.draw.bars([rk.measure(null_call_here)], "calls", "What calls cost")')
    assert "<svg" in shown and "<p>What calls cost</p>" in shown
    assert not [*(lab.folder / "_build").glob("figures/*")]


def test_a_mistake_is_a_sentence_without_a_traceback(lab):
    assert edited(lab, INPUTS, "kernel_path=path, ", "").count("\n") == 0
    shown = edited(lab, INPUTS, "kernel_path=path", "kernel_path=pth")
    assert shown == "Line 7: there is no pth in this notebook; did you mean path?"


@pytest.mark.parametrize(
    "cell, sentence",
    [
        ("rk.gues(1)", "Line 1: module 'reckon' has no attribute 'gues'; did you mean guess?"),
        (
            'x = 1\nrk.given(90, "ns")',
            "Line 2: given() missing 1 required positional argument: 'source'; it takes value, "
            "unit, source, cite=..., low=..., high=....",
        ),
        ("x = 1\nreturn x", "Line 2: `return` without the line `def ...:` above it."),
        ("rk.reseal(1)", "1 is no prediction; reseal takes what measure takes."),
    ],
)
def test_a_mistaken_call_is_a_sentence_with_its_line(lab, cell, sentence):
    assert lab.run(cell) == sentence


def test_where_an_error_was_raised_is_shown_on_request(lab):
    lab.run("1 / 0")
    assert "ZeroDivisionError" in lab.run("%tb")


def test_a_prediction_of_an_unknown_quantity_is_refused(lab):
    shown = edited(lab, FORMULA, "cpu/syscall/getpid", "cpu/syscall/getpidd")
    assert shown == "cpu/syscall measures no getpidd; did you mean getpid?"
    shown = lab.run(lab.cells[INPUTS])
    assert shown.endswith("cpu/syscall measures no getpidd; did you mean getpid?")
    shown = edited(lab, FORMULA, "cpu/syscall/getpid", "getpid")
    assert shown == "'getpid' is no quantity; write PART/EXPERIMENT/QUANTITY."
    for cell in (FORMULA, INPUTS):
        lab.run(lab.cells[cell])


def test_an_older_formula_of_the_same_quantity_is_named(lab):
    shown = edited(lab, FORMULA, "def null_call", "def new_call")
    assert "`null_call` is still the earlier formula of cpu/syscall/getpid" in shown
    lab.run("del new_call")


def test_without_a_measurement_a_cell_says_how_to_measure(tmp_path):
    kernel = Kernel(tmp_path)
    source = cells()
    try:
        for text in (BEGIN, source[FORMULA]):
            kernel.run(text)
        shown = kernel.run(source[INPUTS])
    finally:
        kernel.end()
    assert "Nothing is measured yet" in shown and "EXPERIMENT=cpu/syscall" in shown
