"""The pages of the book, and those of a part of it."""

import re

import pytest
import yaml
from helpers.project import ROOT

from reckon import config
from reckon.book import contents
from reckon.errors import ReckonError


@pytest.fixture
def choose(monkeypatch):
    """Makes a pattern what PAGES= says."""

    def chosen(pages):
        monkeypatch.setattr(config, "_in_use", config.Settings(pages=pages))

    return chosen


def test_without_patterns_the_contents_are_the_file_itself(choose):
    choose(None)
    assert contents.toc_text() == contents.FILE.read_text()
    assert contents.notebooks() == contents.all_notebooks()


def test_a_part_has_the_notebooks_that_match_and_all_prose(choose):
    choose("cpu/s* summary")
    assert contents.notebooks() == ["cpu/syscall", "cpu/switch", "summary"]
    assert contents.parts() == ["cpu"]
    assert {"book/intro", "book/method", "book/cpu", "book/glossary"} <= set(contents.toc())
    left_out = {"book/memory", "notebooks/cpu/clock"}
    assert not left_out & set(contents.toc())
    [chapters, appendices] = [
        part["chapters"] for part in yaml.safe_load(contents.toc_text())["parts"]
    ]
    [cpu] = [entry for entry in chapters if "cpu" in str(entry)]
    assert appendices[0]["file"] == "book/method"
    assert [entry["file"] for entry in cpu["sections"]] == [
        "notebooks/cpu/syscall",
        "notebooks/cpu/switch",
    ]


def test_a_pattern_of_no_page_is_refused(choose):
    choose("zzz/*")
    with pytest.raises(
        ReckonError, match=r"No page is named zzz/\*; there are reading, machine, cpu/clock"
    ):
        contents.notebooks()


def test_links_between_pages_begin_at_the_root():
    """Only those become words where a book leaves their page out."""
    files = [*(ROOT / "notebooks").rglob("*.ipynb"), *(ROOT / "book").glob("*.md")]
    relative = re.compile(r"\]\((?!/|https?:|#|mailto:)[^)\s]*\.(?:ipynb|md)\b[^)]*\)")
    found = {path.name: relative.findall(path.read_text()) for path in files}
    assert {name: links for name, links in found.items() if links} == {}


def test_the_modules_of_a_page_are_those_that_begin_with_its_name():
    """An edit of any makes the page out of date."""
    names = [path.name for path in contents.modules_of("memory/latency")]
    assert names == ["latency.py", "latency_drawing.py", "latency_figures.py", "latency_strides.py"]
    machine = [path.name for path in contents.modules_of("machine")]
    assert machine == ["machine.py", "machine_poster.py"]  # no machines.py
