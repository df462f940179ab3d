"""One real quick book, from a copy of the project: built, rebuilt, edited, broken, stopped.

What a test breaks it mends in the sources; the next build makes the page anew."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.capabilities import need
from helpers.project import ROOT, probes_running, processes_named

pytestmark = pytest.mark.book
PAGES = [
    "machine",
    "cpu/clock",
    "cpu/timer",
    "cpu/loop",
    "cpu/call",
    "cpu/syscall",
    "cpu/task",
    "cpu/switch",
    "memory/latency",
    "memory/bandwidth",
    "memory/fault",
    "network/rtt",
    "network/throughput",
    "network/connect",
    "files/cache",
    "files/read",
    "files/remote",
    "files/contention",
    "summary",
    "machines",
    "methods",
    "reports",
]


class Project:
    """A copy of the project with a _build and runs of its own."""

    def __init__(self, base: Path):
        self.base = base
        for name in ("reckon", "notebooks", "csrc", "book"):
            shutil.copytree(
                ROOT / name,
                base / name,
                ignore=shutil.ignore_patterns("runs", "__pycache__", ".ipynb*"),
            )
        for name in ("_config.yml", "_toc.yml"):
            shutil.copy(ROOT / name, base / name)

    def environment(self, **more: str) -> dict:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        return {
            **clean,
            "PYTHONPATH": str(self.base),
            "RECKON_PROFILE": "quick",
            "RECKON_LIB": str(ROOT / "_build/lib"),
            **more,
        }

    def build(self, *arguments: str, prefix=(), **environment: str):
        return subprocess.run(
            [*prefix, sys.executable, "-m", "reckon", "build", *arguments],
            cwd=self.base,
            capture_output=True,
            text=True,
            timeout=600,
            env=self.environment(**environment),
        )

    def edit(self, page: str, old: str, new: str) -> None:
        path = self.base / "notebooks" / f"{page}.ipynb"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    @property
    def run(self) -> Path:
        (found,) = (self.base / "book/runs").iterdir()
        return found

    def measurements(self) -> dict:
        return {
            name: quantity["measurement"]
            for path in self.run.glob("*/*.json")
            for name, quantity in json.loads(path.read_text())["quantities"].items()
        }

    def html(self, page: str) -> str:
        return (self.base / "_build/html" / f"{page}.html").read_text()


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The book, built once for all tests of this file. A test that changes it puts it back."""
    project = Project(tmp_path_factory.mktemp("project"))
    done = project.build()
    assert done.returncode == 0, done.stdout + done.stderr
    project.first = done
    return project


def executing(done) -> list[str]:
    return re.findall(r"^(\S+): executing", done.stdout, re.M)


@contextlib.contextmanager
def changed(project, page, old, new):
    project.edit(page, old, new)
    try:
        yield
    finally:
        project.edit(page, new, old)


def test_the_first_build_measures_everything_and_says_so(book):
    out = book.first.stdout
    assert f"Pages: {len(PAGES)} executed, 0 unchanged." in out
    assert re.search(r"Quantities: .*\d+ measured", out) and "Site: " in out
    assert all(f"{page}: executing" in out for page in PAGES)  # plain lines: no terminal here
    assert "to go" in out
    told = set(re.findall(r"((?:cpu|memory|network|files)/\w+/\w+) (?:measured|cannot)", out))
    assert told == {name for name, one in book.measurements().items() if one}


def test_nothing_changed_nothing_done(book):
    records = {p: p.stat().st_mtime_ns for p in book.run.rglob("*.json")}
    done = book.build()
    assert f"Pages: 0 executed, {len(PAGES)} unchanged." in done.stdout and done.returncode == 0
    assert "(unchanged)" in done.stdout and "measured" not in done.stdout
    assert {p: p.stat().st_mtime_ns for p in book.run.rglob("*.json")} == records


def test_an_edited_prediction_executes_its_page_and_the_summary_alone(book):
    before = book.measurements()
    with changed(book, "cpu/syscall", "rk.guess(90, ", "rk.guess(120, "):
        done = book.build("--html")
        assert done.returncode == 0, done.stderr
        assert f"Pages: 2 executed, {len(PAGES) - 2} unchanged." in done.stdout
        assert executing(done) == ["cpu/syscall", "summary"]
        assert book.measurements() == before  # samples untouched
        page = book.html("notebooks/cpu/syscall")
        assert "inputs revised: mode_switch" in page and "The score keeps to the sealed one" in page
        assert "inputs revised: mode_switch" in book.html("notebooks/summary")


def test_a_page_that_raises_is_named_and_the_rest_is_built(book):
    with changed(book, "cpu/timer", "software = loop / clock", "software = loop / clock + lfence"):
        done = book.build("--html")
        assert done.returncode == 1
        assert "Failed: notebooks/cpu/timer.ipynb, cell 7: PredictionError" in done.stderr
        assert "these cannot be added" in done.stderr and "Traceback" not in done.stderr
        assert "This page could not be made" in book.html("notebooks/cpu/timer")
        assert "Summary" in book.html("notebooks/summary")


def test_a_crash_of_a_row_is_an_error_with_a_name_and_not_a_dead_kernel(book):
    with changed(
        book, "memory/fault", "samples=50, size_bytes=2**25", 'samples=50, probe=\\"test/crash\\"'
    ):
        done = book.build("--html")
        assert done.returncode == 1
        assert "memory/fault/major failed: test/crash died of signal 11" in done.stdout


def test_a_broken_record_is_named_and_kept(book):
    path = book.run / "memory" / "fault.json"
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    try:
        done = book.build("--html")
        assert done.returncode == 2 and "is not a whole record" in done.stderr
        assert "fault.json" in done.stderr and "move it away" in done.stderr
        assert path.read_text() == whole[: len(whole) // 2]
    finally:
        path.write_text(whole)


def test_a_misspelt_key_of_machine_toml(book):
    toml = book.base / "machine.toml"
    toml.write_text('[processor]\nbase_clok = "2 GHz"\n')
    done = book.build("--html")
    toml.unlink()
    assert done.returncode == 2
    assert "no field processor.base_clok; did you mean processor.base_clock?" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[processor]\nbase_clock = "fast"\n', "needs a number and a unit"),
        ('[processor]\nbase_clock = "3 KiB"\n', "KiB is an amount of data"),
        ("[processor\n", "cannot be read"),
        ('colour = "red"\n', "no field colour"),
    ],
)
def test_other_mistakes_in_machine_toml(book, text, says):
    toml = book.base / "machine.toml"
    toml.write_text(text)
    done = book.build("--html")
    toml.unlink()
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


def test_an_unwritable_run_folder(book, tmp_path):
    (tmp_path / "file").write_text("")
    done = book.build("--html", RECKON_RUNS=str(tmp_path / "file"))
    assert done.returncode == 2 and "cannot be" in done.stderr and done.stderr.count("\n") == 1


def test_without_tex_the_site_is_built_and_one_line_says_how_to_get_the_pdf(book):
    tools = book.base / "few-tools"
    tools.mkdir(exist_ok=True)
    for name in ("git", "lscpu", "dmidecode"):
        if shutil.which(name) and not (tools / name).exists():
            (tools / name).symlink_to(shutil.which(name))
    done = book.build(PATH=str(tools))  # and what the tests above broke is whole again
    assert done.returncode == 0, done.stderr
    assert "No PDF: xelatex or latexmk is missing; `make tex`" in done.stdout
    assert "This page could not be made" not in book.html("notebooks/cpu/timer")


def test_no_apt_leaves_the_system_alone(tmp_path):
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho called >> $0.log\n")
    apt.chmod(0o755)
    for name in ("bash", "env", "id"):
        (tmp_path / name).symlink_to(shutil.which(name))
    run = lambda **more: subprocess.run(  # noqa: E731
        [ROOT / "tools/setup", "tex"],
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path), **more},
    )
    done = run(NO_APT="1")
    assert done.returncode == 0 and not (tmp_path / "apt-get.log").exists()
    if os.geteuid() == 0:  # and the check can see a call
        run()
        assert (tmp_path / "apt-get.log").read_text().count("called") == 2


def test_a_full_disk_under_build(book, tmp_path):
    """_build on a small file system of its own, in a mount namespace that ends with the build."""
    need(os.geteuid() == 0, "mounting a small file system needs root")
    target = book.base / "small" / "_build"
    target.mkdir(parents=True, exist_ok=True)
    command = f'mount -t tmpfs -o size=400k none {target} && exec "$@"'
    done = book.build(
        "--html",
        prefix=["unshare", "-m", "sh", "-c", command, "sh"],
        RECKON_BUILD=str(target),
        RECKON_RUNS=str(book.base / "book/runs"),
    )
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr
    for path in book.run.rglob("*.json"):
        json.loads(path.read_text())
    assert not [p for p in book.run.rglob(".*")]


def stop_when(project, line, after_s=0.0):
    """Begin a build and press Ctrl-C once it has said that; what it said, and its errors."""
    start = subprocess.Popen(
        [sys.executable, "-m", "reckon", "build", "--html"],
        cwd=project.base,
        text=True,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    said = ""
    for one in start.stdout:
        said += one
        if line in one:
            break
    time.sleep(after_s)
    os.killpg(start.pid, signal.SIGINT)
    out, err = start.communicate(timeout=60)
    assert start.returncode == 130 and "Stopped; complete records are kept" in err, err
    assert "Traceback" not in err
    time.sleep(0.5)
    assert processes_named(str(project.base)) == [] and probes_running() == []
    return said + out


def test_ctrl_c_keeps_whole_records_and_the_next_build_goes_on(book, tmp_path):
    project = Project(tmp_path / "stopped")
    stop_when(project, "cpu/timer: executing", after_s=2.2)
    for path in project.run.rglob("*"):
        if path.is_file():
            assert path.suffix == ".json" and not path.name.startswith("."), path
            json.loads(path.read_text())
    again = stop_when(project, "cpu/timer: done")
    assert "machine: executing" not in again and "cpu/clock: executing" not in again
    assert "cpu/timer: executing" in again


def test_an_ordinary_user_without_rights_measures_and_is_told(folders):
    """Dropping root inside Python: no priority, no dmidecode; the rows run all the same."""
    need(os.geteuid() == 0, "dropping root needs root")
    script = (
        "import os, reckon\nfrom reckon.measurement import library; from reckon.computer import fitness\nlibrary.probes()\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "one = library.run('cpu/syscall/getpid')\n"
        "print(one.nice, [c.state for c in fitness.check_all() if c.name == 'priority'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "0 ['warn']", done.stdout + done.stderr


# --- the site ---------------------------------------------------------------------------------


def test_the_front_page_carries_the_stamp_and_the_pdf(book):
    text = book.html("book/intro")
    for word in ("Machine", "Kernel", "Compiler", "Measured", "Profile", "Commit", "quick"):
        assert f"<strong>{word}</strong>" in text or word in text
    if shutil.which("xelatex"):
        assert 'href="../reckon.pdf"' in text and (book.base / "_build/html/reckon.pdf").exists()


def test_no_third_party_code_and_no_foreign_address_is_needed(book):
    """Nothing on the pages loads from elsewhere (links to read are another thing)."""
    for path in (book.base / "_build/html").rglob("*.html"):
        text = path.read_text(errors="replace")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)"', text)
        loaded += re.findall(
            r'<link[^>]*rel="(?:stylesheet|preload|icon)"[^>]*href="(https?:[^"]+)"', text
        )
        assert loaded == [], path
    assert (book.base / "_build/html/_static/mathjax/tex-mml-chtml.js").exists()


def captions(book):
    """[(kind, number, words)] of every numbered table and figure of the site, in order."""
    found = []
    for page in PAGES:
        for kind, number, words in re.findall(
            r'caption-number">(Table|Fig\.) ([\d.]+) </span><span class="caption-text">(.*?)</span>',
            book.html(f"notebooks/{page}"),
            re.S,
        ):
            text = re.sub(r"<[^>]+>", "", words).split("(")[0].strip()
            found.append((kind, number.rstrip("."), " ".join(text.split()[:4])))
    return found


def sheets_of(pdf):
    """The text of every page of a PDF, its lines as they stand."""
    text = subprocess.run(
        ["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True
    ).stdout
    return text.rstrip("\f").split("\f")


def test_the_pdf_has_no_empty_page_and_the_sites_numbers(book):
    need(shutil.which("xelatex") and shutil.which("pdftotext"), "XeLaTeX or pdftotext is missing")
    sheets = sheets_of(book.base / "_build/html/reckon.pdf")
    assert len(sheets) > 20
    for number, sheet in enumerate(sheets, 1):
        assert len(sheet.split()) > 15, f"page {number} of the PDF is all but empty"
    flat = " ".join(" ".join(sheets).split())
    assert "??" not in flat  # a reference that was not resolved
    numbered = captions(book)
    assert len(numbered) > 30
    for kind, number, words in numbered:
        assert re.search(rf"{kind} ?{re.escape(number)}[:.]? {re.escape(words)}", flat), (
            kind,
            number,
            words,
        )


def test_a_table_that_ends_a_page_leaves_no_empty_one(book, tmp_path):
    """The book's last chapter with a long table, its end 2 mm lower each time: less than a line's height."""
    need(shutil.which("xelatex") and shutil.which("pdftotext"), "XeLaTeX or pdftotext is missing")
    made = book.base / "_build/latex"
    before, _, text = (made / "reckon.tex").read_text().partition("\\begin{document}")
    found = re.search(r"\\section\{From experiment to C file\}.*?(?=\\sphinxstepscope)", text, re.S)
    down = "".join(rf"\newpage\vspace*{{{mm}mm}}{found[0]}" for mm in range(0, 160, 2))
    (tmp_path / "ends.tex").write_text(
        rf"{before}\begin{{document}}\pagestyle{{empty}}{down}\end{{document}}"
    )
    done = subprocess.run(
        ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "ends.tex"],
        cwd=tmp_path,
        env={**os.environ, "TEXINPUTS": f"{made}:"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    sheets = sheets_of(tmp_path / "ends.pdf")
    assert 80 < len(sheets) < 160  # so that it ends on its page, and at last on the next one
    assert all(sheet.split() for sheet in sheets)


@pytest.fixture(scope="module")
def browser(book):
    chromium = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    need(chromium, "Chromium is not installed")
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
def served(book):
    """The site on loopback, as `make serve` shows it."""
    import functools
    import http.server
    import threading

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(book.base / "_build/html"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.parametrize("page", ["book/intro", "book/method", *(f"notebooks/{p}" for p in PAGES)])
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
