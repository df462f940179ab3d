"""`make edit`: what is saved is built again, and the browser hears of it."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from helpers.books import ShortRecordedProject
from helpers.processes import until
from helpers.project import RECORDED, reckon

from reckon.book import sphinx, watch
from reckon.book.execution.execute import ExecutionResult
from reckon.book.staging.stage import Stage
from reckon.cli import book
from reckon.cli.book import Outputs
from reckon.cli.edit import _run_to_edit
from reckon.errors import ReckonError

WAIT_S = 60
QUIET_S = 6


def nothing_new():
    return False


@contextmanager
def editing(tmp_path, monkeypatch, first=nothing_new):
    """A site of one page while it is edited: its port, what is released by each build, and what the
    next one raises. `first` is done before each build.

    No fixture: what the thread prints must end before pytest reads what was captured.
    """
    (tmp_path / "book").mkdir()
    site = tmp_path / "site"
    site.mkdir()
    built, stop, outcomes = threading.Semaphore(0), threading.Event(), []

    def build():
        outcome = outcomes.pop() if outcomes else None
        if isinstance(outcome, threading.Event):
            outcome.wait(WAIT_S)
        (site / "index.html").write_text(f"<body>{len(list(tmp_path.glob('book/*')))}</body>")
        built.release()
        if isinstance(outcome, Exception):
            raise outcome
        return True

    monkeypatch.setattr(watch, "ROOT", tmp_path)
    monkeypatch.setattr(sphinx, "site_dir", lambda: site)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    thread = threading.Thread(target=watch.edit, args=([first, build], port, stop))
    thread.start()
    assert built.acquire(timeout=WAIT_S)
    try:
        yield port, built, outcomes
    finally:
        stop.set()
        thread.join(WAIT_S)
    assert not thread.is_alive()


def connected(port, path):
    """The answer of the server, which may not listen yet."""

    def sent():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        with suppress(ConnectionRefusedError):
            connection.request("GET", path)
            return connection

    return until(sent, WAIT_S).getresponse()


def save_until_built(folder, built):
    """Save a file; again, if the watch had not begun."""
    for k in range(WAIT_S):
        (folder / "book" / f"{k}.md").write_text("saved")
        if built.acquire(timeout=1):
            return
    pytest.fail("not built again")


def test_a_saved_file_is_built_and_the_browser_reloads(tmp_path, monkeypatch):
    with editing(tmp_path, monkeypatch) as (port, built, _):
        page = connected(port, "/").read().decode()
        assert "<body>0<script>new EventSource('/reloads?0')" in page
        events = connected(port, "/reloads")
        save_until_built(tmp_path, built)
        assert events.readline() == b"data: reload\n"
        reloaded = urllib.request.urlopen(f"http://127.0.0.1:{port}/").read().decode()
        assert "<body>0" not in reloaded


@pytest.mark.browser
def test_a_page_that_is_reloaded_stays_where_it_was_scrolled_to(browser, tmp_path, monkeypatch):
    with editing(tmp_path, monkeypatch) as (port, built, _):
        (tmp_path / "site/long.html").write_text("<body><p style='height: 9000px'>It</p></body>")
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/long.html")
        page.evaluate("isOld = true; scrollTo(0, 3000)")
        save_until_built(tmp_path, built)
        page.wait_for_function("typeof isOld === 'undefined' && scrollY === 3000")
        page.close()


def test_the_browser_reloads_before_what_follows_is_built(tmp_path, monkeypatch):
    """The edited page is made first, the whole book after it."""
    goes_on = threading.Event()

    def first():
        if not any(tmp_path.glob("book/*")):
            return False  # at the start
        (tmp_path / "site/index.html").write_text("<body>the edited page</body>")
        return True

    with editing(tmp_path, monkeypatch, first) as (port, built, outcomes):
        events = connected(port, "/reloads")
        outcomes.append(goes_on)
        for k in range(WAIT_S):
            (tmp_path / "book" / f"{k}.md").write_text("saved")
            if events.readline() == b"data: reload\n":
                break
        assert b"the edited page" in urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
        goes_on.set()
        assert built.acquire(timeout=WAIT_S)


def test_a_browser_that_leaves_while_a_page_is_sent_is_no_error(tmp_path, monkeypatch, capfd):
    with editing(tmp_path, monkeypatch) as (port, _, _):
        (tmp_path / "site/long.html").write_text(f"<body>{'x' * 50_000_000}</body>")
        with socket.create_connection(("127.0.0.1", port), WAIT_S) as browser:
            browser.sendall(b"GET /long.html HTTP/1.0\r\n\r\n")
            assert browser.recv(100)
        assert connected(port, "/").status == 200
        time.sleep(0.2)  # the thread of the first page ends
    assert "Traceback" not in capfd.readouterr().err


def test_a_page_that_fails_leaves_a_site_that_is_edited_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    failed = ExecutionResult(failed={"cpu/loop": "cell 3: nothing."})
    outputs = Outputs(keeps_site=True, wants_html=False)
    monkeypatch.setattr(book, "stage", lambda *_, **__: Stage(tmp_path, "", ""))
    session = SimpleNamespace(run=None)
    outputs.make(session, failed)  # there is none: it says what is wrong
    (tmp_path / "html").mkdir()
    (tmp_path / "html/index.html").touch()
    with pytest.raises(ReckonError, match=r"^notebooks/cpu/loop.ipynb, cell 3: nothing"):
        outputs.make(session, failed)


def test_a_port_in_use_is_named_before_anything_is_built():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ReckonError, match=rf"Port {port} cannot be used \(Address already in"):
            watch.edit([lambda: pytest.fail("built")], port)


@pytest.mark.parametrize(
    ("kind", "pages"),
    [
        (ReckonError, "The pages are as they were before."),
        (sphinx.PagesWarn, "The pages are new all the same."),
    ],
)
def test_a_mistake_is_printed_and_the_next_save_is_built(tmp_path, monkeypatch, capfd, kind, pages):
    with editing(tmp_path, monkeypatch) as (port, built, outcomes):
        events = connected(port, "/reloads?0")
        outcomes.append(kind("Something <b> is misspelt."))
        save_until_built(tmp_path, built)
        assert events.readline() == b"data: reload\n"
        page = connected(port, "/").read().decode()
        assert page.startswith("<body>") and 'role="alert"' in page
        assert f"Something &lt;b&gt; is misspelt. {pages}</div>" in page
        save_until_built(tmp_path, built)
        assert (events.readline(), events.readline()) == (b"\n", b"data: reload\n")
        assert "alert" not in connected(port, "/").read().decode()
    assert f"reckon: Something <b> is misspelt. {pages}\n" in capfd.readouterr().out


def test_a_browser_that_asks_late_reloads_what_was_built_before(tmp_path, monkeypatch):
    with editing(tmp_path, monkeypatch) as (port, built, _):
        save_until_built(tmp_path, built)
        assert connected(port, "/reloads?0").readline() == b"data: reload\n"


def test_without_a_run_that_of_the_site_is_edited_and_nothing_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    monkeypatch.setenv("RECKON_RUNS", str(RECORDED))
    with pytest.raises(ReckonError, match="There is no site to edit yet; name a run, as in"):
        _run_to_edit()
    (tmp_path / "last.json").write_text('{"run": "recorded", "states": {}}')
    (tmp_path / "html").mkdir()
    (tmp_path / "html/index.html").touch()
    assert _run_to_edit() == "recorded"
    monkeypatch.setenv("RECKON_RUN", "another")
    assert _run_to_edit() == "another"


@pytest.mark.book
def test_reckon_edit_builds_the_site_again_when_prose_is_saved(tmp_path):
    files = ["notebooks/cpu/clock", "book/glossary", "book/bibliography"]
    project = ShortRecordedProject(tmp_path / "project", files)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "reckon", "edit", f"--port={port}"]
    log = tmp_path / "log"
    with open(log, "w") as output:
        editor = subprocess.Popen(
            command, cwd=project.base, env=project.environment(), stdout=output, stderr=output
        )
    try:
        prose = project.base / "book/glossary.md"

        def is_built_again():  # saved again, if the watch had not begun
            if "(Ctrl-C ends it)" in log.read_text():
                prose.write_text(prose.read_text() + "\n\nA sentence that was added.\n")
            return "Reloaded after" in log.read_text()

        assert until(is_built_again, 240, pause_s=1), log.read_text()
        served = urllib.request.urlopen(f"http://127.0.0.1:{port}/book/glossary.html").read()
        assert b"A sentence that was added." in served

        def is_printed(words):
            return until(lambda: words in log.read_text()[seen:], 120, pause_s=0.2)

        def is_done():  # the sentence may have been saved twice
            built = log.read_text().count("Site: ") == 1 + log.read_text().count("Changed: ")
            return built and time.time() - log.stat().st_mtime > QUIET_S

        assert until(is_done, 240, pause_s=0.5), log.read_text()
        seen = len(log.read_text())
        project.edit("cpu/clock", "rk.guess(", "rk.guess(1 * ")
        assert is_printed("Pages: 0 executed, 1 unchanged."), log.read_text()[seen:]
        assert is_printed("(unchanged)") and log.read_text()[seen:].count("Reloaded") == 1
        seen = len(log.read_text())
        project.edit("cpu/clock", "Afterwards you can", "With this page done you can")
        assert is_printed("Pages: 0 executed, 1 unchanged."), log.read_text()[seen:]
        assert is_printed("(unchanged)") and log.read_text()[seen:].count("Reloaded") == 1
        before = urllib.request.urlopen(f"http://127.0.0.1:{port}/notebooks/cpu/clock.html").read()
        assert b"With this page done you can" in before
        seen = len(log.read_text())
        project.edit("cpu/clock", "rk.guess(1 * ", "rk.gues(1 * ")
        assert is_printed("Reloaded"), log.read_text()[seen:]
        after = urllib.request.urlopen(f"http://127.0.0.1:{port}/notebooks/cpu/clock.html").read()
        banner = after[len(before.rpartition(b"<script>")[0]) :].partition(b"</div>")[0]
        assert b"notebooks/cpu/clock.ipynb, cell " in banner and b"did you mean guess?" in banner
    finally:
        os.kill(editor.pid, signal.SIGINT)
        assert editor.wait(60) in (0, 130), log.read_text()


def test_a_site_is_served_only_at_a_port_that_there_is():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        for name, why in ((port, "cannot be used"), ("99999", "is not in the range 1<=x<=65535")):
            done = reckon("edit", "--as-it-is", "--port", name)
            assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1
