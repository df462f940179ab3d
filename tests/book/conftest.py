"""The book of the recorded run, built once for all tests of this folder."""

import shutil

import pytest
from helpers.books import RecordedProject
from helpers.capabilities import need


@pytest.fixture(scope="session")
def book(tmp_path_factory):
    """The book with its PDF. A test that changes it changes it back; the next build mends the pages."""
    project = RecordedProject(tmp_path_factory.mktemp("project"))
    project.first = project.build()
    assert project.first.returncode == 0, project.first.stdout + project.first.stderr
    return project


@pytest.fixture(scope="module")
def whole_book(book):
    """The book, whatever an earlier test has left of it."""
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    return book


@pytest.fixture(scope="session")
def chromium():
    """Chromium's path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    need(path, "Chromium is not installed")
    return path
