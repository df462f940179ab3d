"""The book of a recorded run: rebuilt, edited, broken.

What a test breaks it mends in the sources; the next build makes the page again."""

import json
import re
import shutil

import pytest
from helpers.books import ShortRecordedProject, executing, measurements_of
from helpers.project import RECORDED, ROOT, finished

from reckon.book.contents import notebooks

pytestmark = pytest.mark.book
PAGES = ["cpu/timer", "cpu/syscall", "cpu/switch", "files/cache", "reading"]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of a few pages of the recorded run, built once."""
    files = [*(f"notebooks/{page}" for page in PAGES), "book/bibliography"]
    project = ShortRecordedProject(tmp_path_factory.mktemp("project"), files)
    done = project.build("--html")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def test_the_first_build_executes_every_page_and_measures_nothing(built):
    out = (built / "output").read_text()
    assert f"Pages: {len(notebooks())} executed, 0 unchanged." in out and "Site: " in out
    assert set(executing(out)) == set(notebooks()) and "to go" in out
    assert "it is read, and nothing is measured" in out and " measured\n" not in out
    run = built / "project/book/runs/recorded"
    assert measurements_of(run) == measurements_of(RECORDED / "recorded")


def test_a_second_build_executes_nothing(book):
    records = {p: p.stat().st_mtime_ns for p in book.run.rglob("*.json")}
    done = book.build("--html")
    assert f"Pages: 0 executed, {len(PAGES)} unchanged." in done.stdout and done.returncode == 0
    assert "(unchanged)" in done.stdout and " reused" not in done.stdout
    assert {p: p.stat().st_mtime_ns for p in book.run.rglob("*.json")} == records
    report = json.loads(book.build("--html", "--json").stdout)  # no progress among it
    assert report["run"] == "recorded" and report["site"].endswith("_build/html/index.html")
    assert report["executed"] == [] and report["failed"] == {} and report["pdfs"] == []


def test_edited_text_executes_nothing_and_stands_on_its_page(book):
    with book.edited(
        "cpu/timer", "Intel's old advice is CPUID", "What Intel once advised is CPUID"
    ):
        done = book.build("--html")
        assert executing(done.stdout) == [] and done.returncode == 0
        assert "What Intel once advised is CPUID" in book.html("notebooks/cpu/timer")


SHOWING = ["reading", "cpu/syscall", "cpu/switch"]  # pages that show the null call's ratio


def test_an_edited_prediction_executes_its_page_and_those_that_show_it(book):
    before = book.measurements()
    with book.edited("cpu/syscall", "rk.guess(90, ", "rk.guess(120, "):
        done = book.build_pages()
        assert done.returncode == 0, done.stderr
        assert f"Pages: 3 executed, {len(PAGES) - 3} unchanged." in done.stdout
        assert {*executing(done.stdout)} == {*SHOWING}
        assert book.measurements() == before  # samples untouched
        page = book.executed("cpu/syscall")
        assert "inputs revised: mode switch" in page and "The score uses the sealed one" in page


def test_a_file_of_predictions_executes_the_pages_that_show_what_it_changes(book, tmp_path):
    """With the file, with more in it that changes nothing, without it."""
    file = tmp_path / "mine.toml"
    for more, expected in (("", SHOWING), ("# more", [])):
        file.write_text(f'["cpu/syscall/getpid"]\nmode_switch = "120 cycles"\n{more}\n')
        done = book.build_pages(RECKON_PREDICTIONS=str(file))
        assert done.returncode == 0, done.stderr
        assert {*executing(done.stdout)} == {*expected}
    assert "mine.toml" in book.executed("cpu/syscall")
    file.write_text('["cpu/syscall/getpid"]\npredicted = "150 ns"\n')
    refused = book.build_pages(RECKON_PREDICTIONS=str(file))
    assert "cpu/syscall/getpid has a value of its own" in refused.stderr and refused.returncode == 2
    file.write_text("# Nothing.")
    refused = book.build_pages(RECKON_PREDICTIONS=str(file))
    assert "mine.toml has no prediction" in refused.stderr and refused.returncode == 2
    assert {*executing(book.build_pages().stdout)} == {*SHOWING}
    assert "mine.toml" not in book.executed("cpu/syscall")


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"BLIND": "getpid"}, "did you mean cpu/syscall/getpid?"),
        ({"BLIND": "cpu/syscall/getpid cpu/syscall"}, "cannot ask for cpu/syscall: it"),
        ({"VOTES": "2"}, "VOTES= and OWN= are of a blind book: add BLIND=1,"),
    ],
)
def test_choices_that_a_blind_book_cannot_make_are_refused_before_anything_runs(
    choices, says, book
):
    done = book.build("--html", **{f"RECKON_{name}": text for name, text in choices.items()})
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1
    assert executing(done.stdout) == []


def test_a_page_that_raises_is_named_and_the_rest_is_built_with_a_title_that_it_changed(book):
    with (
        book.edited("cpu/timer", "software = loop / clock", "software = loop / clock + lfence"),
        book.edited("cpu/timer", "Fenced pair, what it adds", "Two reads, what they add"),
    ):
        done = book.build("--html")
        assert done.returncode == 1
        failed = r"Failed: notebooks/cpu/timer\.ipynb, cell \d+: fenced: "
        assert re.search(failed, done.stderr)
        assert "these cannot be added" in done.stderr and "Traceback" not in done.stderr
        assert "This page could not be made" in book.html("notebooks/cpu/timer")
        assert "Two reads, what they add" in book.html("notebooks/cpu/syscall")
        assert "files/cache" not in executing(done.stdout)


def test_without_tex_the_site_is_built_and_one_line_says_how_to_get_the_pdf(book):
    tools = book.base / "few-tools"
    tools.mkdir(exist_ok=True)
    for name in ("git", "lscpu", "dmidecode"):
        if shutil.which(name) and not (tools / name).exists():
            (tools / name).symlink_to(shutil.which(name))
    done = book.build(PATH=str(tools))  # and what the tests above broke is whole again
    assert done.returncode == 0, done.stderr
    assert "No report for print: xelatex or latexmk is missing; `make tex`" in done.stdout
    assert "../poster.pdf" in book.html("book/intro") and "html/poster.pdf" in done.stdout
    assert "This page could not be made" not in book.html("notebooks/cpu/timer")
    refused = book.build("--pdf", PATH=str(tools))
    assert refused.returncode == 2 and "No report for print: xelatex" in refused.stderr
    assert "executing" not in refused.stdout


def test_a_notebook_that_is_no_longer_whole_leaves_pages_current_that_do_not_name_it(book):
    with book.edited("files/cache", '"cells": [', '"cells" ['):
        done = book.build_pages()
    assert done.returncode == 1 and "files/cache failed: it is not a whole notebook" in done.stdout
    assert not {"cpu/timer", "cpu/syscall"} & {*executing(done.stdout)}


def test_a_broken_record_is_named_and_kept(book):
    path = book.run / "files" / "cache.json"
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    try:
        done = book.build("--html")
        assert done.returncode == 2 and "is not a whole record" in done.stderr
        assert "cache.json" in done.stderr and "move it away" in done.stderr
        assert path.read_text() == whole[: len(whole) // 2]
    finally:
        path.write_text(whole)


def test_no_apt_leaves_the_system_alone(tmp_path):
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho called >> $0.log\n")
    apt.chmod(0o755)
    (tmp_path / "id").write_text("#!/bin/sh\necho 0\n")  # as root
    (tmp_path / "id").chmod(0o755)
    for name in ("bash", "env"):
        (tmp_path / name).symlink_to(shutil.which(name))

    def run(**more):
        return finished(ROOT / "tools/setup", "tex", env={"PATH": str(tmp_path), **more})

    done = run(NO_APT="1")
    assert done.returncode == 0 and not (tmp_path / "apt-get.log").exists()
    run()  # the check can see a call
    assert (tmp_path / "apt-get.log").read_text().count("called") == 2
