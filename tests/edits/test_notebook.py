"""At a notebook: a prediction cell shows how far off it is; nothing is written until it is kept."""

import json
import os
import re
import shutil
from types import SimpleNamespace

import pytest
from helpers.project import LIBRARY, RECORDED, ROOT
from helpers.syscall_cells import (
    ANSWER,
    BEGINNING,
    FIGURE,
    FORMULA,
    INPUTS,
    TABLE_CELL,
    cells,
    code_cells,
)
from jupyter_client.manager import start_new_kernel

from reckon.book import contents
from reckon.edits import following
from reckon.records import notebook_cells


class Kernel:
    """A kernel as JupyterLab starts it, with the recorded run or an empty folder of runs.

    panel: the HTML of the last What if? panel that a cell displayed.
    places: what stands under each identifier of an output."""

    def __init__(self, folder, **environment):
        self.places = {}
        folders = {"RECKON_RUNS": folder / "runs", "RECKON_BUILD": folder / "_build"}
        variables = {**os.environ, **{name: str(path) for name, path in folders.items()}}
        variables |= {"RECKON_LIB": str(LIBRARY), "RECKON_PROFILE": "quick", **environment}
        self._manager, self._client = start_new_kernel(cwd=str(ROOT), env=variables)

    def run(self, source, cell=None):
        """Execute a cell, of that id; all that it displays but panels, as text."""
        shown = []

        def take(message):
            content = message["content"]
            if message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]))
            elif message["msg_type"] == "stream":
                shown.append(content["text"])
            elif "data" in content:
                data = content["data"]
                forms = ("text/markdown", "text/html", "text/plain")
                text = next(data[form] for form in forms if form in data)
                self.places[content.get("transient", {}).get("display_id")] = text
                if message["msg_type"] == "update_display_data":
                    return
                if 'class="reckon-lab"' in data.get("text/html", ""):
                    self.panel = data["text/html"]
                    return
                shown.append(text)

        self._client.session.metadata = {"cellId": cell} if cell else {}
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


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A kernel of the notebook, all of whose cells have been run."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(RECORDED / "recorded", folder / "runs" / "recorded")
    notebook = str(contents.source("cpu/syscall"))
    kernel = Kernel(folder, RECKON_RUN="recorded", JPY_SESSION_NAME=notebook)
    kernel.folder, kernel.cells = folder, cells()
    kernel.run(kernel.cells["parameters"])
    kernel.opened = kernel.run(kernel.cells[BEGINNING], BEGINNING).strip()
    for cell, source in code_cells().items():
        kernel.run(source, cell)
    yield kernel
    kernel.end()


def written(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.json")}


def edited(lab, cell, old, new):
    return lab.run(lab.cells[cell].replace(old, new, 1), cell)


TABLE = 'rk.show.table([rk.measure(null_call_here, calls=1000)], "Calls", "calls")'


def test_an_edited_input_shows_its_ratio_beside_the_sealed_one(lab):
    before = written(lab.folder)
    shown = edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "(sealed" in shown and "`kernel_path` = " in shown and "would meet it" in shown
    assert "(outside its interval)" in edited(lab, INPUTS, "high=1200", "high=150")
    assert "; revised " in lab.run(TABLE)
    verdict = lab.run('rk.show.verdict(rk.measure(null_call_here), "the call")')
    assert "Tried here (inputs revised: kernel path)" in verdict
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
    assert "Forgotten: the revisions of `cpu/syscall/getpid`" in lab.run("rk.reset()")
    (overlay,) = (lab.folder / "_build" / "replay").rglob("syscall.json")
    assert json.loads(overlay.read_text())["quantities"] == {}
    edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "They are beside the run, which is only read." in lab.run("rk.keep()")
    lab.run(lab.cells[INPUTS])
    assert "`cpu/syscall/getpid`" in lab.run("rk.keep()")  # back


def test_what_the_cell_of_keep_itself_predicts_is_kept(lab):
    in_one_cell = f"{lab.cells[INPUTS].replace('150', '551')}\nrk.keep()"
    assert "Kept as revisions: `cpu/syscall/getpid`" in lab.run(in_one_cell)
    assert "Forgotten: the revisions of `cpu/syscall/getpid`" in lab.run("rk.reset()")
    lab.run(lab.cells[INPUTS])


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
    assert edited(lab, INPUTS, "kernel_path=path, ", "").count("\n\n") == 1
    shown = edited(lab, INPUTS, "kernel_path=path", "kernel_path=pth")
    assert shown.startswith("Line 7: there is no `pth` in this notebook; did you mean path?\n\n")


# One of each kind, and what IPython makes of a cell; all others: show/cell_errors.txt.
@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("rk.gues(1)", "Line 1: module 'reckon' has no attribute 'gues'; did you mean guess?"),
        ("x = 1\nreturn x", "Line 2: `return` without the line `def ...:` above it."),
        (
            'rk.measured("cpu/clock", rk.guess(3, "GHz", "x", low=2, high=5))',
            "'cpu/clock' is no quantity; write PART/EXPERIMENT/QUANTITY.",
        ),
        ("%%bash\nif true; then\n    echo a\n  fi", "a\n"),
        ("raise KeyboardInterrupt", "Interrupted before the end; run the cell again."),
        ('print(rk.given(90, "ns", "a sheet"))', "The input 'a sheet' (90.0 ns)\n"),
    ],
)
def test_a_mistaken_call_is_a_sentence_with_its_line(lab, cell, sentence):
    assert lab.run(cell) == sentence


def test_where_an_error_was_raised_is_shown_on_request(lab):
    lab.run("1 / 0")
    assert "ZeroDivisionError" in lab.run("%tb")


def test_a_prediction_of_an_unknown_quantity_is_refused(lab):
    shown = edited(lab, FORMULA, "cpu/syscall/getpid", "cpu/syscall/getpidd")
    assert "cpu/syscall measures no getpidd; did you mean getpid?" in shown
    shown = lab.run(lab.cells[INPUTS])
    assert "cpu/syscall measures no getpidd; did you mean getpid?" in shown
    shown = edited(lab, FORMULA, "cpu/syscall/getpid", "getpid")
    assert "'getpid' is no quantity; write PART/EXPERIMENT/QUANTITY." in shown
    for cell in (FORMULA, INPUTS):
        lab.run(lab.cells[cell])


def test_a_misspelt_quantity_that_was_corrected_leaves_no_trace(lab):
    edited(lab, FORMULA, "cpu/syscall/getpid", "cpu/syscall/getpidd")
    lab.run(lab.cells[INPUTS], INPUTS)
    assert "getpidd" not in lab.run(lab.cells[FORMULA], FORMULA)
    lab.run(lab.cells[INPUTS], INPUTS)


def test_an_older_formula_of_the_same_quantity_is_named(lab):
    shown = lab.run(lab.cells[FORMULA].replace("def null_call", "def new_call"), "another cell")
    assert "`null_call` is still the earlier formula of cpu/syscall/getpid" in shown
    assert "`new_call` is in no cell now" in lab.run("", "another cell")


def test_a_renamed_formula_is_gone_and_one_renamed_back_leaves_no_trace(lab):
    lab.run(lab.cells[FORMULA], FORMULA)
    shown = edited(lab, FORMULA, "def null_call", "def new_call")
    assert "`null_call` is in no cell now: rename it in the cells below, too." in shown
    assert "no `null_call` in this notebook" in lab.run(lab.cells[INPUTS], INPUTS)
    lab.run(lab.cells[FORMULA], FORMULA)
    assert "new_call" not in lab.run(lab.cells[FORMULA], FORMULA)
    assert "null_call" not in lab.run(lab.cells[INPUTS], INPUTS).partition("$$")[0]


@pytest.mark.parametrize(
    ("new", "hint"),
    [("", "run the cell that makes it, or restore it."), ("pathh = ", "did you mean pathh?")],
)
def test_a_cell_that_uses_what_no_cell_makes_any_more_predicts_nothing(lab, new, hint):
    """Its old value was still in the kernel; a new kernel would not have it."""
    lab.run(lab.cells[INPUTS], INPUTS)
    for _ in range(2):
        shown = edited(lab, INPUTS, "path = ", new)
        assert f"there is no `path` in this notebook; {hint}" in shown
        assert "Predicted" not in shown and "follows" not in shown
    assert "Predicted" in lab.run(lab.cells[INPUTS], INPUTS)


def test_what_is_annotated_has_no_value(lab):
    shown = edited(lab, INPUTS, "path = rk.guess(150", "path: rk.guess(500")
    assert "there is no `path` in this notebook" in shown and "predicted" not in shown
    edited(lab, INPUTS, "", "")


def test_an_unknown_error_of_a_prediction_is_a_sentence(lab):
    shown = edited(
        lab, INPUTS, "rk.show.prediction(null_call_here", "null_call_here.inputs['clock'] = ('5'"
    )
    assert "has no attribute" in shown and "Traceback" not in shown and "callback" not in shown
    edited(lab, INPUTS, "", "")


def test_a_power_that_is_written_as_on_paper_is_refused(lab):
    shown = edited(lab, INPUTS, "rk.guess(150", "rk.guess(2^9")
    assert "in `2 ^ 9`, ^ is no power; a power is written **, as in 2**9." in shown
    assert "Predicted" not in shown
    assert "Predicted" in edited(lab, INPUTS, "rk.guess(150", "rk.guess(2**9")
    lab.run(lab.cells[INPUTS], INPUTS)


def test_a_cell_that_fails_names_the_formula_that_stays_in_use(lab):
    shown = edited(lab, FORMULA, "mode_switch / clock", "mode_switch ^ clock")
    assert "\n\n`null_call` is still the one of before this edit, in all cells below." in shown
    assert "`null_call`" in edited(lab, FORMULA, "mode_switch / clock", "mode_switch / / clock")
    assert "`null_call_here` is still" in edited(lab, INPUTS, "rk.guess(150,", "rk.guess(150 ")
    lab.run(lab.cells[FORMULA], FORMULA)


def test_a_formula_is_printed_as_it_is_written(lab):
    added = "kernel_path / clock\n    print(2 * software)"
    assert "2 * (kernel_path / clock)" in edited(lab, FORMULA, "kernel_path / clock", added)
    lab.run(lab.cells[FORMULA], FORMULA)


def test_an_edited_cell_says_how_many_cells_show_what_was_before(lab):
    for cell in (FORMULA, INPUTS):
        lab.run(lab.cells[cell], cell)
    lab.run("shown = null_call_here", "a cell")
    lab.run("2 * 3", "another cell")
    shown = edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "1 cell that follows from this one still shows what was before: choose" in shown
    assert "was before" not in edited(lab, INPUTS, "rk.guess(150", "rk.guess(550")
    shown = edited(lab, FORMULA, "kernel_path / clock", "2 * kernel_path / clock")
    assert "2 cells that follow from this one still show what was before" in shown
    for cell in (FORMULA, INPUTS):
        lab.run(lab.cells[cell], cell)


def test_the_answer_stands_at_the_top_when_its_cells_have_been_run(page):
    assert page.opened == "Choose *Run All Cells* in the menu *Run*: the answer appears here."
    assert "1.25×" in page.places[f"{ANSWER}-0"] and "<svg" in page.places[f"{FIGURE}-0"]
    again = page.run(page.cells[BEGINNING], BEGINNING)
    assert "1.25×" in again and "<svg" in again and "appears here" not in again


def test_outputs_follow_an_edited_prediction(page):
    before, files = dict(page.places), written(page.folder)
    shown = edited(page, FORMULA, "kernel_path / clock", "4 * kernel_path / clock")
    assert "was before" not in shown and "(sealed" in shown
    changed = {name for name, text in page.places.items() if text != before.get(name)}
    inputs, table = f"{INPUTS}-0", f"{TABLE_CELL}-0"
    assert changed >= {inputs, f"{INPUTS}-1", f"{INPUTS}-2", table, f"{ANSWER}-0", f"{FIGURE}-0"}
    assert "Tried here" in page.places[f"{ANSWER}-0"] and "; revised" in page.places[table]
    edited(page, FORMULA, "no such", "text")
    assert {name for name, text in page.places.items() if text != before.get(name)} <= changed
    assert "Tried here" not in page.places[f"{ANSWER}-0"] and written(page.folder) == files


@pytest.mark.parametrize(
    "sources, following",
    [
        (["c = 2", "a = 1", "b = a", "a = b"], [2, 3]),
        (["a = 1", "b = 2", "c = a + b", "a = 3"], [0, 2, 3]),  # else c would be made of 3
        (["", "b = 2", "def seek(b):\n    return b\nseek(b=b)", "def other(b):\n    b"], [2]),
        (["", "b = 2", "c = [b for b in range(3)]", "d = {a: b for a in range(3)}"], [3]),
        (["", "b = 2", "[c := b for a in range(3)]", "print(c)", "class B:\n    b: int"], [2, 3]),
        (["", "b = 2", "c = await a(b)", "%matplotlib inline\nd = c", "%%bash\nb"], [2, 3]),
    ],
)
def test_what_follows_is_made_of_what_the_cells_above_it_give(sources, following):
    cells = dict(enumerate(sources))
    changed = notebook_cells.names_given(cells[1])
    assert notebook_cells.followers(cells, changed, 1) == following


def test_a_cell_that_follows_and_fails_is_named_with_those_that_are_old(page):
    shown = edited(page, FORMULA, "kernel_path, clock):", "kernel_path, clock, more):")
    assert shown.startswith("null_call takes mode_switch, kernel_path, clock, more; missing: more.")
    assert (
        shown.count("null_call takes") == 1 and "Cell 7 follows and fails with the same." in shown
    )
    assert " cells that follow from this one still show what was before: choose" in shown
    edited(page, FORMULA, "no such", "text")


def test_an_interrupt_before_the_first_cell_that_follows_is_its_sentence(monkeypatch):
    times_s = iter([0.0])

    def interrupted():
        for time_s in times_s:
            return time_s
        raise KeyboardInterrupt

    monkeypatch.setattr(following, "current_session", SimpleNamespace)
    monkeypatch.setattr(following.time, "monotonic", interrupted)
    monkeypatch.setattr(following.cell_errors, "sentence_of", lambda *_: "Interrupted.")
    sources = {"above": "b = 1", "below": "b"}
    fault, old = following.follow(sources, {"b"}, "above", SimpleNamespace(shell=None), print)
    assert fault == "Interrupted." and old.startswith("1 cell that follows")


@pytest.mark.parametrize("line", ["%pwd", "import asyncio; await asyncio.sleep(0)"])
def test_a_cell_that_only_the_kernel_executes_is_counted(page, line):
    page.run(f"{line}\n{page.cells[TABLE_CELL]}", TABLE_CELL)
    shown = edited(page, FORMULA, "kernel_path / clock", "4 * kernel_path / clock")
    assert "1 cell that follows from this one still shows what was before" in shown
    assert "fails" not in shown
    page.run(page.cells[TABLE_CELL], TABLE_CELL)
    edited(page, FORMULA, "no such", "text")


def test_an_output_that_cannot_be_displayed_again_is_counted(page):
    for cell, source in (("printed", "print(null_call_here)"), ("value", "2 * null.median")):
        page.run(source, cell)
    shown = edited(page, FORMULA, "kernel_path / clock", "4 * kernel_path / clock")
    assert "2 cells that follow from this one still show what was before" in shown
    edited(page, FORMULA, "no such", "text")


def test_after_a_reset_all_cells_show_what_they_were_at_first(page):
    before = page.places[f"{ANSWER}-0"], page.places[f"{INPUTS}-1"]
    edited(page, FORMULA, "kernel_path / clock", "4 * kernel_path / clock")
    edited(page, INPUTS, "rk.guess(150", "rk.guess(550")
    assert "Forgotten: what was tried" in page.run("rk.reset()")
    assert before == (page.places[f"{ANSWER}-0"], page.places[f"{INPUTS}-1"])
    edited(page, INPUTS, "rk.guess(150", "rk.guess(550")
    assert before[0] != page.places[f"{ANSWER}-0"]
    edited(page, INPUTS, "no such", "text")


def test_cells_that_follow_measure_and_write_nothing(tmp_path):
    source = cells()
    page = {"formula": source[FORMULA], "inputs": source[INPUTS], "calls": "calls = 1000"}
    page["measure"] = "null = rk.measure(null_call_here, calls=calls)"
    page |= {"show": 'rk.show.verdict(null, "it")', "seal": 'rk.reseal(null_call_here, "a slip")'}
    of_file = [
        {"id": cell, "cell_type": "code", "metadata": {}, "source": text}
        for cell, text in page.items()
    ]
    (tmp_path / "page.ipynb").write_text(json.dumps({"cells": of_file}))
    kernel = Kernel(tmp_path, JPY_SESSION_NAME=str(tmp_path / "page.ipynb"))
    kernel.cells = page
    try:
        kernel.run(BEGIN)
        for cell, text in page.items():
            kernel.run(text, cell)
        before = written(tmp_path / "runs")
        assert "was before" not in edited(kernel, "inputs", "rk.guess(150", "rk.guess(550")
        assert "Tried here" in kernel.places["show-0"]
        shown = edited(kernel, "calls", "1000", "2000")
        assert "Cell 4 follows and fails. It would measure `cpu/syscall/getpid`" in shown
        assert written(tmp_path / "runs") == before
    finally:
        kernel.end()


def test_settings_that_the_samples_of_a_read_run_lack_are_named(lab):
    assert "was measured with" not in lab.run(TABLE)
    shown = lab.run(TABLE.replace("1000", "2000"))
    assert "cpu/syscall/getpid was measured with calls=1000; the run is only read, so" in shown


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
