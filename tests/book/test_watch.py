"""`make edit`: what is saved is built again, and the browser hears of it."""

import http.client
import socket
import threading
import urllib.request
from contextlib import contextmanager, suppress

import pytest
from helpers.processes import until

from reckon.book import sphinx, watch
from reckon.config import ReckonError

WAIT_S = 60


@contextmanager
def editing(tmp_path, monkeypatch):
    """A site of one page while it is edited; its folder, its port, and what each build does.

    No fixture: what the thread prints must end before pytest reads what was captured.
    """
    (tmp_path / "book").mkdir()
    site = tmp_path / "site"
    site.mkdir()
    built, stop, outcomes = threading.Semaphore(0), threading.Event(), []

    def build():
        fault = outcomes.pop() if outcomes else None
        (site / "index.html").write_text(f"<body>{len(list(tmp_path.glob('book/*')))}</body>")
        built.release()
        if fault:
            raise fault

    monkeypatch.setattr(watch, "ROOT", tmp_path)
    monkeypatch.setattr(sphinx, "site_dir", lambda: site)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    thread = threading.Thread(target=watch.edit, args=(build, port, stop))
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
        assert "<body>0<script>new EventSource('/reloads')" in page
        events = connected(port, "/reloads")
        save_until_built(tmp_path, built)
        assert events.readline() == b"data: reload\n"
        reloaded = urllib.request.urlopen(f"http://127.0.0.1:{port}/").read().decode()
        assert "<body>0" not in reloaded


def test_a_mistake_is_printed_and_the_next_save_is_built(tmp_path, monkeypatch, capfd):
    with editing(tmp_path, monkeypatch) as (_, built, outcomes):
        outcomes.append(ReckonError("Something is misspelt."))
        save_until_built(tmp_path, built)
        save_until_built(tmp_path, built)
    assert "reckon: Something is misspelt.\n" in capfd.readouterr().out
