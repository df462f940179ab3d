"""Sphinx starts while a book whose text was edited is still staged, and only then."""

import os
import subprocess

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
    assert sphinx.edited_texts() == []
    for path in texts:
        os.utime(path, (9, 9))
        assert sphinx.edited_texts() == [path]
        os.utime(path, (1, 1))
    made.unlink()
    assert sphinx.edited_texts() == texts


def test_a_process_that_read_other_settings_or_trusts_an_output_that_is_no_more_is_not_used(
    folders, monkeypatch
):
    made = folders / "_build/html.built"
    known = folders / "_build/doctrees/environment.pickle"
    known.parent.mkdir(parents=True)
    made.touch()
    settings, started = ["a = 1"], []

    def start(_):
        started.append(subprocess.Popen(["sleep", "60"]))
        return started[-1]

    monkeypatch.setattr(sphinx, "stage_sources", lambda: None)
    monkeypatch.setattr(sphinx, "settings_digest", lambda: settings[-1])
    monkeypatch.setattr(sphinx, "_start", start)
    monkeypatch.setattr(sphinx, "_prepared", {})

    def used_after(change):
        sphinx.prepare("html")
        change()
        process = sphinx._waiting("html")
        process.kill()
        process.wait()
        return started.index(process)

    assert used_after(lambda: None) == 0
    assert used_after(lambda: settings.append("a = 2")) == 2
    assert used_after(made.unlink) == 4
    assert used_after(known.touch) == 6  # by another build: pages that this one would not know
    assert all(process.poll() is not None for process in started)
