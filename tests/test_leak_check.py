"""The check of what a test left behind sees this test process's remains, and no others."""

import os
from pathlib import Path

import pytest
from helpers import leaks
from helpers.processes import STARTED, stat

from reckon.computer import scratch


@pytest.fixture
def folder_named(request):
    """Makes a folder and removes it after the test."""

    def make(parent, name):
        path = Path(parent) / name
        path.mkdir()
        request.addfinalizer(path.rmdir)
        return str(path)

    return make


def test_scratch_files_lie_in_a_folder_of_this_test_process():
    with scratch.shared_folder() as folder:
        assert folder.parent == leaks.scratch() != Path("/var/tmp")


def test_another_checkouts_scratch_files_are_not_seen(folder_named, tmp_path):
    seen = leaks.remains(tmp_path)
    folder_named("/var/tmp", f"reckon-files-0123abcd-{os.getpid()}-1")
    assert leaks.remains(tmp_path)["scratch folder"] == seen["scratch folder"]


def test_a_reused_process_number_is_no_owner(folder_named, tmp_path):
    """The same number with another start is another process."""
    started = stat(f"/proc/{os.getpid()}")[STARTED]
    name = f"reckon-files-0123abcd-{os.getpid()}"
    living = folder_named(leaks.scratch(), f"{name}-{started}")
    left = folder_named(leaks.scratch(), f"{name}-{int(started) + 1}")
    seen = leaks.remains(tmp_path)["scratch folder"]
    assert left in seen and living not in seen
