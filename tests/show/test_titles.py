"""What a reader sees instead of a quantity's name."""

import json

import pytest

from reckon import config, records
from reckon.comparison.reports import published
from reckon.show import titles


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Writes the notebook of the experiment cpu/made: a heading and a cell with titles."""
    published.all_reports()  # which are checked against the book's own notebooks, once
    monkeypatch.setattr(config, "ROOT", tmp_path)

    def write(source, tag="titles"):
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": ["# The thing\n", "\n", "Words."]},
            {"cell_type": "code", "metadata": {"tags": [tag]}, "source": [source]},
        ]
        path = tmp_path / "notebooks/cpu/made.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"cells": cells}))

    return write


def test_titles_are_those_of_the_notebook(notebook):
    notebook('titles = {"fork": "A new process"}\nmore = {f"{x}": 1 for x in "ab"}')
    assert titles.title_of("cpu/made/fork") == "A new process"
    assert titles.title_of("methods/cpu/made/fork") == "A new process"
    assert titles.link("cpu/made/fork") == ("[The thing: A new process](/notebooks/cpu/made.ipynb)")
    assert titles.with_titles("one process of `cpu/made/fork` takes 2 s, `ping` less") == (
        "one process of A new process takes 2 s, `ping` less"
    )


def test_a_page_depends_on_the_titles_that_it_shows_alone(notebook, build_context):
    notebook('titles = {"fork": "A new process", "exec": "A program"}')
    titles.title_of("cpu/made/fork")
    titles.page_title("cpu/made")
    fork, heading = build_context.reads.read_text().splitlines()
    before = records.digest(fork), records.digest(heading)
    notebook('titles = {"fork": "A new process", "exec": "Another"}')
    assert (records.digest(fork), records.digest(heading)) == before
    notebook('titles = {"fork": "A child"}')
    assert titles.title_of("cpu/made/fork") == "A child"
    assert records.digest(fork) != before[0] and records.digest(heading) == before[1]


def test_a_report_s_method_is_called_by_its_machine(notebook):
    notebook('titles = {"fork": "A new process"}')
    assert titles.title_of("cpu/made/t470_fork") == "A new process (method: ThinkPad T470)"
    assert titles.title_of("cpu/made/t470_on_disk") == "on disk (method: ThinkPad T470)"
    assert titles.title_of("cpu/made/t470") == "method of the report on the ThinkPad T470"


@pytest.mark.parametrize("source", ["titles = {}", "titles = {", 'titles = {"fork": f(1)}'])
def test_without_a_title_the_name_is_shown_in_words(notebook, source):
    notebook(source)
    assert titles.title_of("cpu/made/fork_exec") == "fork exec"


def test_without_a_notebook_the_name_is_shown_in_words(notebook):
    assert titles.title_of("cpu/other/fork_exec") == "fork exec"
    assert titles.page_title("cpu/other") == "cpu/other"
