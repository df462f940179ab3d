"""What makes an executed page out of date."""

import json

import pytest

from reckon.book import contents
from reckon.book.execution.dependencies import Sources, _code_digest

CELL = {"cell_type": "code", "source": ["1\n", "+ 1"], "metadata": {"tags": ["answer"]}}


@pytest.fixture
def digest(tmp_path):
    """The digest of a notebook with these cells and this metadata."""

    def of(*cells, **metadata):
        path = tmp_path / "page.ipynb"
        path.write_text(json.dumps({"cells": cells, "metadata": metadata}))
        return _code_digest(path)

    return of


def test_what_jupyterlab_writes_makes_no_page_out_of_date(digest):
    saved = CELL | {"execution_count": 7, "outputs": [{}], "source": "1\n+ 1"}
    assert digest(saved, language_info={"version": "3.13"}) == digest(CELL)


@pytest.mark.parametrize(
    "edited",
    [{"source": "1 + 2"}, {"cell_type": "markdown"}, {"metadata": {"tags": ["remove-input"]}}],
    ids=lambda edited: next(iter(edited)),
)
def test_an_edited_cell_makes_its_page_out_of_date(digest, edited):
    assert digest(CELL | edited) != digest(CELL)


def test_text_is_not_executed(digest):
    text = {"cell_type": "markdown", "source": "Words.", "metadata": {}}
    assert digest(text, CELL) == digest(CELL) == digest(CELL, text | {"source": "Others."})


def test_a_file_that_is_no_notebook_is_out_of_date_when_it_changes(tmp_path):
    path = tmp_path / "page.ipynb"
    path.write_text("{")
    before = _code_digest(path)
    path.write_text("{ <<<<")
    assert _code_digest(path) != before


def test_an_edited_finding_makes_its_page_out_of_date(tmp_path, monkeypatch):
    page, findings = "cpu/syscall", tmp_path / "syscall.py"
    sources = Sources("run")
    monkeypatch.setattr(contents, "modules_of", lambda _: [findings])
    without = sources.key(page)
    findings.write_text("# one\n")
    with_one = sources.key(page)
    findings.write_text("# another\n")
    assert len({without, with_one, sources.key(page)}) == 3
