"""`make edit`: the site on a local port, made again and reloaded whenever a file is saved."""

from __future__ import annotations

import functools
import html
import http.server
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import watchfiles

from reckon import config
from reckon.book import contents, sphinx
from reckon.config import ROOT
from reckon.errors import ReckonError
from reckon.records.session import current_session

_WATCHED = ("notebooks", "book", "csrc", "_toc.yml", "_config.yml")
_RELOADS = "/reloads"
_SCRIPT = (
    f"<script>new EventSource('{_RELOADS}?{{number}}').onmessage = () => location.reload()</script>"
)
# What the last edit broke.
_BANNER = """<div role="alert" style="position: fixed; inset: 0 0 auto; z-index: 9999;
 padding: .5em 1em; background: #b00020; color: white">{fault}</div>"""
_PAGES_ARE_OLD = "The pages are as they were before."
_PAGES_ARE_NEW = "The pages are new all the same."
_ALIVE_S = 15  # an idle connection hears this often whether the browser is still there


# A step of making the site again; says whether there is something new to see.
Build = Callable[[], bool]


def edit(builds: Sequence[Build], port: int, stop: threading.Event | None = None) -> None:
    """Build, serve the site, and build again after every change, until Ctrl-C or `stop`.

    builds: done one after the other; browsers reload after each that has something new. Without
    any the site is served as it is."""
    versions = _Versions()
    try:  # first, for building may take minutes
        server = _Server(("127.0.0.1", port), functools.partial(_Handler, versions))
    except OSError as error:
        raise ReckonError(
            f"Port {port} cannot be used ({error.strerror}); choose another with --port, or PORT= "
            "behind make."
        ) from None
    for _ in _made(builds, versions):
        pass
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}/  (Ctrl-C ends it)")
    if not builds:
        threading.Event().wait()
    runs = config.settings().runs_dir
    watched = [path for path in (ROOT / name for name in _WATCHED) if path.exists()]
    changed = watchfiles.watch(
        *watched, watch_filter=_Filter(runs), stop_event=stop, raise_interrupt=True
    )
    for changes in changed:
        names = sorted({str(Path(path).relative_to(ROOT)) for _, path in changes})
        print(f"Changed: {', '.join(names)}")
        start_s = time.monotonic()
        for _ in _made(builds, versions):
            versions.next()
            print(f"Reloaded after {time.monotonic() - start_s:.1f} s.")


class _Filter(watchfiles.DefaultFilter):
    """All but what editors and notebooks leave, and what a build itself writes."""

    def __init__(self, runs: Path):
        super().__init__(ignore_dirs=[*self.ignore_dirs, ".ipynb_checkpoints"], ignore_paths=[runs])


def _made(builds: Sequence[Build], versions: _Versions) -> Iterator[None]:
    """Build by the files as they are now, and yield whenever there is something new; what fails
    prints a sentence, which browsers show until it is mended."""
    for build in builds:
        contents.forget()
        current_session.cache_clear()
        fault, is_new = "", False
        try:
            is_new = build()
        except ReckonError as error:
            are_new = isinstance(error, sphinx.PagesWarn)
            fault = f"{error} {_PAGES_ARE_NEW if are_new else _PAGES_ARE_OLD}"
            print(f"reckon: {fault}")
        is_mended = bool(versions.fault) and build is builds[-1]
        if fault or is_new or is_mended:
            versions.fault = fault
            yield
        if fault:
            return


class _Versions:
    """How many times the site was made; browsers wait for the next.

    fault: what the last edit broke; "" where it broke nothing."""

    def __init__(self):
        self.fault = ""
        self._condition, self.number = threading.Condition(), 0

    def next(self) -> None:
        with self._condition:
            self.number += 1
            self._condition.notify_all()

    def wait(self, since: int, timeout_s: float) -> bool:
        """Whether the site was made again since it had that number, or is within that time."""
        with self._condition:
            return self._condition.wait_for(lambda: self.number != since, timeout_s)


class _Server(http.server.ThreadingHTTPServer):
    """A thread for each request; none keeps the program from ending."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves while a page is sent to it is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """The site's files; each page reloads itself when the site was made again."""

    def __init__(self, versions: _Versions, *arguments):
        self._versions = versions
        super().__init__(*arguments, directory=str(sphinx.site_dir()))

    def log_message(self, *_) -> None:
        """Requests are not printed."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        page = path / "index.html" if self.path.endswith("/") else path
        address, _, since = self.path.partition("?")
        if address == _RELOADS:
            self._report_reloads(int(since) if since.isdecimal() else self._versions.number)
        elif page.suffix == ".html" and page.is_file():
            number = self._versions.number  # taken first: what is made since is sent again
            self._send_page(page.read_bytes(), number)
        else:
            super().do_GET()

    def _send_page(self, page: bytes, number: int) -> None:
        before, end, after = page.rpartition(b"</body>")
        fault = html.escape(self._versions.fault)
        banner = _BANNER.format(fault=fault) if fault else ""
        script = _SCRIPT.format(number=number)
        content = before + f"{banner}{script}".encode() + end + after
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _report_reloads(self, number: int) -> None:
        """number: of the site that the browser has."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            while True:
                has_changed = self._versions.wait(number, _ALIVE_S)
                number = self._versions.number
                self.wfile.write(b"data: reload\n\n" if has_changed else b": alive\n\n")
                self.wfile.flush()
        except OSError:  # the browser has left
            return
