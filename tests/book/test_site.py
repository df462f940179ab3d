"""The site: what its pages hold, and that they work offline, narrow and wide, light and dark."""

import functools
import http.server
import re
import shutil
import threading

import pytest

from reckon.book.contents import notebooks

pytestmark = pytest.mark.book


def test_the_front_page_carries_the_stamp_and_the_pdf(whole_book):
    text = whole_book.html("book/intro")
    for word in ("Machine", "Kernel", "Compiler", "Measured", "Profile", "Commit", "quick"):
        assert f"<strong>{word}</strong>" in text or word in text
    if shutil.which("xelatex"):
        assert (
            'href="../reckon.pdf"' in text and (whole_book.base / "_build/html/reckon.pdf").exists()
        )


def test_no_third_party_code_and_no_foreign_address_is_needed(whole_book):
    """Nothing on the pages loads from elsewhere (links to read are another thing)."""
    for path in (whole_book.base / "_build/html").rglob("*.html"):
        text = path.read_text(errors="replace")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)"', text)
        loaded += re.findall(
            r'<link[^>]*rel="(?:stylesheet|preload|icon)"[^>]*href="(https?:[^"]+)"', text
        )
        assert loaded == [], path
    assert (whole_book.base / "_build/html/_static/mathjax/tex-mml-chtml.js").exists()


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
            ],
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def served(whole_book):
    """The site on loopback, as `make serve` shows it."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(whole_book.base / "_build/html"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.parametrize(
    "page", ["book/intro", "book/method", *(f"notebooks/{p}" for p in notebooks())]
)
def test_pages_work_offline_narrow_wide_light_and_dark(browser, served, page):
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": 1300, "height": 900})
    sheet, foreign, errors = context.new_page(), [], []
    sheet.on(
        "request",
        lambda r: (
            foreign.append(r.url) if not r.url.startswith((served, "data:", "blob:")) else None
        ),
    )
    sheet.on(
        "response", lambda r: errors.append(f"{r.status} {r.url}") if r.status >= 400 else None
    )
    sheet.on("pageerror", lambda e: errors.append(str(e)))
    sheet.goto(f"{served}/{page}.html", wait_until="networkidle")
    assert foreign == [] and errors == []
    if "cpu/" in page or "memory/" in page:
        sheet.wait_for_selector("mjx-container")
        assert sheet.locator("mjx-merror").count() == 0
    pictures = "[...document.querySelectorAll('main figure img')]"
    assert sheet.evaluate(
        f"{pictures}.every(i => i.complete && i.naturalWidth > 0 && i.alt.length > 20)"
    )
    for scheme in ("light", "dark"):
        sheet.emulate_media(color_scheme=scheme)
        sheet.reload(wait_until="networkidle")
        assert sheet.evaluate("document.documentElement.dataset.theme") == scheme
        # Dark differs in nothing but colours.
        rules = (
            ["wcag2a", "wcag2aa"]
            if scheme == "light"
            else {"type": "rule", "values": ["color-contrast"]}
        )
        found = Axe().run(sheet, options={"runOnly": rules, "resultTypes": ["violations"]})
        assert [
            (one["id"], node["target"])
            for one in found.response["violations"]
            for node in one["nodes"]
            if one["id"] not in THEME_FAULTS
        ] == [], scheme
    sheet.set_viewport_size({"width": 360, "height": 740})
    sheet.wait_for_timeout(200)
    assert sheet.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


# Of the theme, not of a page: its pop-up dialogs and the generated skip links.
THEME_FAULTS = {"aria-allowed-attr", "aria-dialog-name"}
