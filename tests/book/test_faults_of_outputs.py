"""A part of the book, also with a page that has a fault and a LaTeX that fails: the rest of the build is
there, and the fault is named."""

import json
import os
import re
import shutil

import pytest
from helpers.books import ShortRecordedProject, executing

pytestmark = pytest.mark.book

# The PDFs contain the pages that no notebook makes too.
PART = ("--pages", "cpu/t*")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A part of a short book of the recorded run, built."""
    files = [f"notebooks/{page}" for page in ("cpu/timer", "cpu/clock", "memory/fault")]
    project = ShortRecordedProject(tmp_path_factory.mktemp("part"), [*files, "book/bibliography"])
    project.done = project.build("--html", *PART)
    return project


def is_told(done):
    """Whether a build printed what every build prints."""
    return all(f"\n{word}" in done.stdout for word in ("Pages: ", "Time: ", "Records: "))


def test_a_part_of_the_book_executes_only_its_pages_and_says_that_it_is_one(project):
    done = project.done
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(executing(done.stdout)) == ["cpu/timer"]
    assert re.search(r"^Time: .* \(executing pages .* and site .*\)\.$", done.stdout, re.M)
    assert "This is a part of the book" in project.html("book/intro")
    assert not (project.base / "_build/html/notebooks/memory").exists()


# What is added to a page, what the build says of it, and what the page shows.
WRONG = (
    "A {wrong}`role` on the page.",
    r'book/cpu\.md:\d+: .*"wrong"',
    " on the page.",
)
UNKNOWN = (
    "As {cite}`csap,drepper` says.",
    r"book/cpu\.md cites csap, but book/references\.bib has no entry csap; did you mean csapp\?\n",
    "(unknown source: csap) says.",
)


def test_a_fault_of_a_page_is_named_each_time_until_it_is_mended(project):
    path = project.base / "book" / "cpu.md"
    whole = path.read_text()
    for added, says, shown in (UNKNOWN, WRONG, WRONG):  # Sphinx warns only when it reads a page
        path.write_text(f"{whole}\n{added}\n")
        done = project.build("--html", *PART)
        assert done.returncode == 1 and is_told(done), done.stdout + done.stderr
        assert re.match(f"Failed: the site: {says}", done.stderr), done.stderr
        assert "Traceback" not in done.stderr
        assert "index.html (with faults)" in done.stdout
        assert shown in project.html("book/cpu")
    path.write_text(whole)
    report = json.loads(project.build("--html", "--json", *PART).stdout)
    assert report["not_made"] == {} and report["site"]
    assert shown not in project.html("book/cpu")


def test_an_xelatex_that_fails_leaves_the_finished_site(project, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "xelatex").write_text("#!/bin/sh\necho '! A fault of TeX.'\nexit 1\n")
    (tools / "xelatex").chmod(0o755)
    if not shutil.which("latexmk"):
        (tools / "latexmk").symlink_to(tools / "xelatex")
    done = project.build(*PART, PATH=f"{tools}:{os.environ['PATH']}")
    assert done.returncode == 1 and is_told(done), done.stdout + done.stderr
    assert "Failed: the PDF: ! A fault of TeX." in done.stderr and "Traceback" not in done.stderr
    assert "Site: " in done.stdout and "reckon.pdf" not in done.stdout
    assert "with faults" not in done.stdout
    front = project.html("book/intro")
    assert "<title>" in front and "reckon.pdf" not in front  # there is none
    assert "../poster.pdf" in front
