"""Sphinx starts while a book whose text was edited is still staged, and only then."""

import os

from reckon import config
from reckon.book import sphinx


def test_text_that_is_newer_than_the_site_was_edited(folders, monkeypatch):
    monkeypatch.setattr(config, "ROOT", folders)
    texts = [folders / "book/intro.md", folders / "notebooks/cpu/loop.ipynb"]
    others = [folders / "book/static/reckon.css", folders / "book/runs/r/run.json"]
    made = folders / "_build/html.built"
    for number, path in enumerate([*texts, made, *others]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (number, number))
    assert not sphinx.text_was_edited()
    for path in texts:
        os.utime(path, (9, 9))
        assert sphinx.text_was_edited()
        os.utime(path, (1, 1))
    made.unlink()
    assert sphinx.text_was_edited()
