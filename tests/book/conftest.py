"""The book of the recorded run, built once for all tests of this folder."""

import functools
import http.server
import shutil
import threading

import pytest
from helpers import made_up, panels
from helpers.books import RecordedProject
from helpers.capabilities import installed_any

from reckon import records
from reckon.records.quantities.result import Result


def _build(folder):
    """Fill the folder with a project whose book is built, and copies of what the build made."""
    project = RecordedProject(folder / "project")
    done = project.build()
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "output").write_text(done.stdout)
    for made in ("executed", "figures", "html", "latex"):
        if (project.base / "_build" / made).exists():  # without TeX there is no latex
            shutil.copytree(project.base / "_build" / made, folder / made)


@pytest.fixture(scope="session")
def built(shared_folder):
    """The folder of the book: its `project`; the executed pages, `figures`, `html` and, with TeX, `latex`
    as first made; the `output`."""
    return shared_folder("book", _build)


@pytest.fixture(scope="session")
def chromium():
    """Chromium's path."""
    return installed_any("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser(chromium):
    """Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        process = playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
            ],
        )
        yield process
        process.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Opens a page with a panel for each group of quantities of an experiment."""
    contexts = []

    def opened(
        experiment="cpu/syscall",
        groups=((panels.NULL_CALL,),),
        fragment="",
        article="",
        style="",
        run=panels.RUN,
        **options,
    ):
        path = tmp_path / "page.html"
        path.write_text(panels.html(experiment, groups, article, style, run), encoding="utf-8")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield opened
    faults = [fault for context in contexts for page in context.pages for fault in page.faults]
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def two_groups(recorded):
    """The null system call, of which two processes in five take twice as long."""
    record = records.read_record("recorded", "cpu/syscall")
    result = Result(panels.NULL_CALL, record.quantities[panels.NULL_CALL], "measured")
    made_up.in_two_groups(result)
    records.write_record("recorded", record)
    return result


@pytest.fixture(scope="module")
def served(built):
    """The site on loopback, as `make serve` shows it."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(built / "html"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
