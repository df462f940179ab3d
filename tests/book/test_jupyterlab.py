"""JupyterLab as `make lab` starts it, in Chromium: a prediction is edited, kept, mended and saved."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import urllib.request

import pytest
from helpers.books import Project, RecordedProject
from helpers.processes import until
from helpers.project import ROOT, finished
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAGE = "cpu/syscall"

PROMPT_OF_A_RUNNING_CELL = "document.querySelector('.jp-Notebook').innerText.includes('[*]')"


class Lab:
    """JupyterLab in a git repository that holds a copy of the project, and its notebook."""

    def __init__(self, project, browser):
        self.base = project.base
        for name in ("tools", ".gitattributes"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.base / name)
        (self.base / ".venv").symlink_to(ROOT / ".venv")
        self._git("init", "-q")
        self._git("config", "filter.notebook.clean", "tools/strip-notebook")
        self._git("add", ".gitattributes", f"notebooks/{PAGE}.ipynb")  # the filter is slow
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "as it was")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.home = self.base / "home"
        self.home.mkdir()
        environment = project.environment(
            HOME=str(self.home),
            JUPYTERLAB_WORKSPACES_DIR=str(self.base / "tabs"),  # else an earlier one's are opened
        )
        if run := environment.pop("RECKON_RUN", None):  # it is not named, but that of the site
            (self.base / "_build/html").mkdir(parents=True)
            (self.base / "_build/html/index.html").touch()
            (self.base / "_build/last.json").write_text(json.dumps({"run": run, "states": {}}))
        self._server = subprocess.Popen(
            [sys.executable, *_arguments_of_make_lab(), "--no-browser", f"--port={port}"]
            + ["--IdentityProvider.token=", "--allow-root"],
            cwd=self.base,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.address = address = f"http://127.0.0.1:{port}"
        until(lambda: _answers(address), 60)
        self.page = browser.new_page(viewport={"width": 1300, "height": 2000})
        self.outside = []  # what was requested of other hosts
        self.page.on("request", lambda r: None if address in r.url else self.outside.append(r.url))
        self.page.goto(f"{address}/lab/tree/notebooks/{PAGE}.ipynb")
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
        self.unsaved_when_opened = self.page.locator(".jp-mod-dirty").count()

    def _git(self, *arguments):
        done = subprocess.run(
            ["git", *arguments], cwd=self.base, capture_output=True, text=True, check=True
        )
        return done.stdout

    def cell(self, text):
        return self.page.locator(".jp-CodeCell", has_text=text).first

    def run(self, text):
        """Run the cell that contains the text; its outputs."""
        cell = self.cell(text)
        if cell.locator(".jp-InputPlaceholder").count():  # collapsed, and one click away
            cell.locator(".jp-Placeholder-content").first.click()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self.page.wait_for_timeout(200)
        self.page.wait_for_function(f"() => !{PROMPT_OF_A_RUNNING_CELL}", timeout=60_000)
        return cell.locator(".jp-OutputArea")

    def run_new(self, source):
        """Run a new cell below the first one with a prediction; its outputs."""
        self.cell("null_call_here = ").locator(".cm-content").click()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("b")
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(source)
        return self.run(source)

    def type_instead(self, old, new):
        """Select a number in the first prediction's inputs and type another."""
        source = self.cell("null_call_here = ").locator(".cm-content")
        source.get_by_text(old, exact=True).dblclick()
        self.page.keyboard.type(new)

    def begin(self):
        """Run the cells of the first prediction; the outputs of the last."""
        self.run("def null_call(")
        return self.run("null_call_here = ")

    def changed_files(self):
        """What git calls changed when the notebook has been saved."""
        notebook = self.base / f"notebooks/{PAGE}.ipynb"
        before = notebook.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        assert until(lambda: notebook.stat().st_mtime_ns != before, 60)
        # It is saved in place: first emptied, then written.
        assert until(lambda: notebook.read_text().endswith("}\n"), 60)
        return self._git("status", "--short", "--untracked-files=no")

    def end(self):
        self.page.close()
        self._server.terminate()
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            # Now and then it waits for an idle thread of its own for ever (jupyterlab#10442); its
            # kernels have ended by then, or they are found to be left.
            self._server.kill()
            self._server.wait()


def _arguments_of_make_lab():
    """What `make lab` calls Python with."""
    done = finished("make", "-n", "--old-file=setup", "--old-file=lib", "lab", cwd=ROOT)
    [command] = [line for line in done.stdout.splitlines() if "jupyterlab" in line]
    return command.partition(".venv/bin/python ")[2].replace("\\", "").split()


def _answers(address):
    try:
        return urllib.request.urlopen(f"{address}/api").status == 200
    except OSError:
        return False


@contextlib.contextmanager
def opened(project, browser):
    """JupyterLab on that project."""
    lab = Lab(project, browser)
    try:
        yield lab
    finally:
        lab.end()


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """JupyterLab on the recorded run, its notebook begun; what it `shows` of the first prediction,
    and showed in a new kernel."""
    with opened(RecordedProject(tmp_path_factory.mktemp("lab") / "project"), browser) as lab:
        lab.new_kernel_shows = lab.run("null_call_here = ").inner_text()
        lab.shows = lab.begin()
        yield lab


def test_the_home_folder_has_only_what_the_readme_names(lab):
    folders = {str(path.relative_to(lab.home)) for path in lab.home.glob(".*")}
    folders |= {str(path.relative_to(lab.home)) for path in lab.home.glob(".[!cij]*/*")}
    named = {".ipython", ".cache", ".config", ".jupyter", ".local", ".local/share"}
    assert ".jupyter" in folders and folders <= named


def test_pages_are_as_on_the_site_and_saving_leaves_git_clean(lab):
    prose = lab.page.locator(".jp-MarkdownCell", has_text="Reading a file").first
    expect(prose).to_contain_text("starting a process: each begins with a system call.")
    top = lab.page.locator(".jp-Cell", has_text="import seaborn")
    expect(top.first).to_contain_text("Choose Run All Cells in the menu Run: the answer appears")
    assert lab.unsaved_when_opened == 0 and lab.changed_files() == ""


def test_code_that_the_site_hides_is_collapsed_and_what_is_edited_is_not(lab):
    collapsed = lab.page.locator(".jp-InputPlaceholder").all_inner_texts()
    assert any("import seaborn" in text for text in collapsed)
    assert not any("@rk.predict" in text or "path = rk.guess" in text for text in collapsed)


def test_in_a_new_kernel_any_cell_has_the_book_and_names_the_cell_that_it_lacks(lab):
    assert lab.new_kernel_shows.startswith(
        "Line 7: there is no `null_call` in this notebook; cell 6"
    )


def test_a_prediction_is_edited_tried_in_its_panel_and_kept(lab):
    run = lab.base / "book/runs/recorded/cpu/syscall.json"
    before = run.read_bytes()
    shown = lab.shows
    expect(shown).to_contain_text("58.7 ns predicted, measured 73.3 ns: 1.25×.")

    panel = shown.locator("details.what-if")
    status = panel.locator(".what-if-status")
    panel.get_by_label("kernel path", exact=True).fill("550")
    expect(status).to_have_text("With your inputs: 157 ns; measured is 0.468× (sealed 1.25×).")
    panel.get_by_label("kernel path, slider").press("End")  # a key of JupyterLab's too
    expect(status).to_contain_text("With your inputs: 316 ns")

    lab.type_instead("150", "550")
    expect(lab.run("null_call_here = ")).to_contain_text("0.468× (sealed 1.25×)")
    expect(lab.run_new("rk.keep()")).to_contain_text("Kept as revisions: cpu/syscall/getpid")
    lab.type_instead("550", "600")
    lab.run("null_call_here = ")
    expect(lab.run_new("rk.reset()")).to_contain_text("Forgotten: what was tried")
    assert run.read_bytes() == before and lab.outside == []


def test_the_answer_at_the_top_and_outputs_below_follow_an_edited_prediction(lab):
    top = lab.cell("import seaborn").locator(".jp-OutputArea")
    lab.page.get_by_role("menuitem", name="Run", exact=True).click()
    lab.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(top).to_contain_text("The null system call came out 25 % higher", timeout=60_000)
    expect(top.locator("svg.reckon-figure")).to_be_visible()
    box = lab.cell("rk.show.answer(").locator(".jp-OutputArea")
    formula = lab.cell("null_call_here = ").locator(".jp-OutputArea")
    lab.type_instead("600", "550")
    lab.run("null_call_here = ")
    for output in (top, box, formula):
        expect(output).to_contain_text("0.468×")
    lab.type_instead("550", "150")
    lab.run("null_call_here = ")
    expect(top).not_to_contain_text("0.468×")


def test_a_link_opens_its_page_beside_the_notebook(lab):
    cells = lab.page.locator(".jp-Notebook")
    expect(cells.get_by_role("link", name="csrc/cpu/syscall.c").first).to_have_attribute(
        "href", "/files/csrc/cpu/syscall.c"
    )
    for words, page in (("the chapter on the machine", "machine.ipynb"), ("vDSO", "glossary.md")):
        cells.get_by_role("link", name=words, exact=True).first.click()
        lab.page.get_by_role("tab", name=page).wait_for(timeout=60_000)
        lab.page.get_by_role("tab", name="syscall.ipynb").click()
    lab.run_new('rk.say("See [the loop](/notebooks/cpu/loop.ipynb).")')
    cells.get_by_role("link", name="the loop", exact=True).first.click()
    lab.page.get_by_role("tab", name="loop.ipynb").wait_for(timeout=60_000)
    lab.page.get_by_role("tab", name="syscall.ipynb").click()


def test_it_opens_at_the_contents_in_the_book_s_order(lab):
    lab.changed_files()  # saved, else it asks whether to leave
    # Behind the address that it leads to, the server prints "?token=".
    assert "?" not in urllib.request.urlopen(lab.address).geturl()
    lab.page.goto(lab.address)
    pages = lab.page.locator(".jp-MarkdownViewer li")
    pages.get_by_text("The system call", exact=True).wait_for(timeout=60_000)
    titles = pages.all_inner_texts()
    assert titles[0] == "Reckon"
    expect(lab.page.locator(".jp-BreadCrumbs")).to_have_text("/notebooks/")
    assert titles.index("The clock") < titles.index("The system call") < titles.index("Summary")
    pages.get_by_text("The clock", exact=True).click()
    lab.page.get_by_role("tab", name="clock.ipynb").wait_for(timeout=60_000)


def test_without_a_run_a_page_is_measured_and_its_typing_error_mended(browser, tmp_path):
    with opened(Project(tmp_path / "project"), browser) as lab:
        expect(lab.begin()).to_contain_text("Nothing is measured yet")
        lab.run("rk.measure(null_call_here")
        lab.type_instead("150", "550")
        expect(lab.run("null_call_here = ")).to_contain_text("(sealed")
        refused = lab.run_new("rk.reseal(null_call_here)")
        expect(refused).to_contain_text("has been measured; add the reason for sealing it again.")
        expect(refused).not_to_contain_text("Traceback")
        mended = lab.run_new('rk.reseal(null_call_here, "a typing error")')
        expect(mended).to_contain_text("Sealed again: cpu/syscall/getpid.")
        verdict = lab.run_new('rk.show.verdict(rk.measure(null_call_here), "it")')
        expect(verdict).to_contain_text("Sealed again after measuring: a typing error.")
