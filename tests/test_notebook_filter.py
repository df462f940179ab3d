"""What JupyterLab saves is, for git, the notebook as it was: no outputs, no version of a kernel."""

import posixpath
import re
import runpy
import subprocess
import sys

import nbformat
import pytest
from helpers.project import ROOT
from traitlets.config import Config

from reckon.book import contents

FILTER = ROOT / "tools" / "strip-notebook"


def stripped(content):
    done = subprocess.run([FILTER], input=content, cwd=ROOT, capture_output=True, check=True)
    return done.stdout


def collapsed(content):
    script = [sys.executable, ROOT / "tools" / "collapse_code.py"]
    return subprocess.run(script, input=content, capture_output=True, check=True).stdout


@pytest.mark.parametrize("page", ["machine", "cpu/syscall", "memory/latency", "summary"])
def test_a_notebook_that_was_run_and_saved_is_unchanged_for_git(page, monkeypatch):
    source = contents.source(page).read_bytes()
    assert stripped(source) == source
    notebook = nbformat.reads(source.decode(), 4)
    notebook.metadata.language_info |= {
        "version": "3.13.0",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    }
    for count, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        cell.execution_count = count
        cell.outputs = [nbformat.v4.new_output("stream", text="1\n")]
        cell.metadata["execution"] = {"iopub.execute_input": "2026-11-23"}
    saved = nbformat.writes(notebook) + "\n"
    assert saved.encode() != source and stripped(saved.encode()) == source
    settings = Config()
    monkeypatch.setenv("JUPYTER_PATH", "")  # it is set for kernels
    lab = runpy.run_path(str(ROOT / "tools/lab_config.py"), {"get_config": lambda: settings})
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = lab["with_links"](cell.source, posixpath.dirname(f"notebooks/{page}"))
            assert not {"{term}", "{cite}", "{numref}"} & {*re.findall(r"\{\w+\}", cell.source)}
    model = {"type": "notebook", "content": notebook}
    settings.ContentsManager.pre_save_hook(model=model, path=f"notebooks/{page}.ipynb")
    written = nbformat.writes(nbformat.from_dict(model["content"])) + "\n"
    assert written.encode() == source  # where its size differs, git asks no filter


def test_each_notebook_has_the_code_collapsed_that_the_site_hides():
    tags = {}
    for page in contents.all_notebooks():
        source = contents.source(page).read_bytes()
        assert collapsed(source) == source, page
        for cell in nbformat.reads(source.decode(), 4).cells:
            if cell.cell_type == "code" and not cell.metadata.get("jupyter"):
                tags[page, cell.source] = cell.metadata.get("tags", [])
    assert {tag for each in tags.values() for tag in each} <= {"hide-input", "given"}
    shown = [source for (page, source), each in tags.items() if page == "cpu/syscall" and each]
    assert any("path = rk.guess(150" in source for source in shown)
    assert not any("rk.measure(" in source for source in shown)


def test_code_that_is_no_longer_hidden_is_not_collapsed():
    notebook = nbformat.reads(contents.source("cpu/syscall").read_text("utf-8"), 4)
    for cell in notebook.cells:
        cell.metadata["tags"] = []
    assert b"source_hidden" not in collapsed(nbformat.writes(notebook).encode())


def test_an_edit_of_a_cell_is_seen():
    source = contents.source("cpu/syscall").read_bytes()
    edited = source.replace(b"rk.guess(150", b"rk.guess(550")
    assert edited != source and stripped(edited) == edited


def test_a_moved_checkout_strips_its_notebooks(tmp_path):
    """The script nbstripout begins with the place where it was installed."""
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    (programs / "nbstripout").write_text("#!/moved/away/.venv/bin/python\n")
    (programs / "python").symlink_to(ROOT / ".venv/bin/python")
    (tmp_path / ".venv/pyvenv.cfg").write_text((ROOT / ".venv/pyvenv.cfg").read_text())
    (tmp_path / ".venv/lib").symlink_to(ROOT / ".venv/lib")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="1\n")]
    saved = nbformat.writes(notebook).encode()
    done = subprocess.run([FILTER], input=saved, cwd=tmp_path, capture_output=True, check=True)
    assert not nbformat.reads(done.stdout.decode(), 4).cells[0].outputs
