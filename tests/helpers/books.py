"""Copies of the project in which a test builds a book: of the recorded run, or a short one that measures."""

import contextlib
import json
import os
import re
import shutil
import sys
from pathlib import Path

import yaml

from helpers.project import LIBRARY, PROGRAMS, RECORDED, ROOT, finished, share_statistics

BUILD = [sys.executable, "-m", "reckon", "build"]
BUILD_PAGES = [sys.executable, PROGRAMS / "build_pages.py"]


def measurements_of(run: Path) -> dict:
    """The measurement of each quantity in the folder of a run; None of one that was not measured."""
    return {
        name: quantity["measurement"]
        for path in run.glob("*/*.json")
        for name, quantity in json.loads(path.read_text())["quantities"].items()
    }


class Project:
    """A copy of the project with a _build and runs of its own; of a folder that has one, that one."""

    def __init__(self, base: Path):
        self.base = base
        if (base / "reckon").exists():
            return
        for name in ("reckon", "notebooks", "csrc", "book"):
            shutil.copytree(
                ROOT / name,
                base / name,
                ignore=shutil.ignore_patterns("runs", ".ipynb*"),
            )
        for name in ("_config.yml", "_toc.yml"):
            shutil.copy(ROOT / name, base / name)

    def environment(self, **more: str) -> dict:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("RECKON_")}
        return {
            **clean,
            "PYTHONPATH": str(self.base),
            "RECKON_PROFILE": "quick",
            "RECKON_LIB": str(LIBRARY),
            "RECKON_AUTHOR": "A. Student",
            "RECKON_COURSE": "CSE 221",
            **more,
        }

    def build(self, *arguments: str, prefix=(), **environment: str):
        """A finished build, by the command `prefix`."""
        return self._run([*prefix, *BUILD, *arguments], environment)

    def build_pages(self, *arguments: str, **environment: str):
        """A finished build that executes the pages and makes nothing of them."""
        return self._run([*BUILD_PAGES, *arguments], environment)

    def _run(self, command: list, environment: dict):
        return finished(*command, cwd=self.base, timeout=600, env=self.environment(**environment))

    def edit(self, page: str, old: str, new: str) -> None:
        path = self.base / "notebooks" / f"{page}.ipynb"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    @contextlib.contextmanager
    def edited(self, page: str, old: str, new: str):
        self.edit(page, old, new)
        try:
            yield
        finally:
            self.edit(page, new, old)

    @property
    def run(self) -> Path:
        (folder,) = (self.base / "book/runs").iterdir()
        return folder

    def measurements(self) -> dict:
        return measurements_of(self.run)

    def executed(self, page: str) -> str:
        return (self.base / "_build/executed" / f"{page}.ipynb").read_text()

    def html(self, page: str) -> str:
        return (self.base / "_build/html" / f"{page}.html").read_text()


class RecordedProject(Project):
    """A project whose book shows the recorded run, so that nothing is measured."""

    def __init__(self, base: Path):
        super().__init__(base)
        if not (base / "book/runs/recorded").exists():
            shutil.copytree(RECORDED / "recorded", base / "book/runs/recorded")
            share_statistics(base / "_build")

    def environment(self, **more: str) -> dict:
        return super().environment(**{"RECKON_RUN": "recorded", **more})


class ShortProject(Project):
    """A project whose book has these files alone, besides its front page."""

    def __init__(self, base: Path, files: list[str]):
        super().__init__(base)
        path = base / "_toc.yml"
        contents = yaml.safe_load(path.read_text())
        for part in contents["parts"]:
            part["chapters"] = _only(part["chapters"], files)
        contents["parts"] = [part for part in contents["parts"] if part["chapters"]]
        path.write_text(yaml.safe_dump(contents, sort_keys=False))


class ShortRecordedProject(ShortProject, RecordedProject):
    """A project whose book shows these files of the recorded run."""


def _only(entries: list[dict], files: list[str]) -> list[dict]:
    chosen = []
    for entry in entries:
        sections = _only(entry.pop("sections", []), files)
        if sections:
            entry["sections"] = sections
        if sections or entry["file"] in files:
            chosen.append(entry)
    return chosen


def html_files(site: Path) -> list[Path]:
    """All pages of the site; the theme leaves two files of macros among its static files."""
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


def executing(output: str) -> list[str]:
    """The pages that a build executed, by what it printed."""
    return re.findall(r"^(\S+): executing", output, re.M)
