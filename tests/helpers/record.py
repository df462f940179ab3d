"""Measures what an experiment's page has and the tests' recorded run lacks, and adds it to that run.

`make record EXPERIMENT=cpu/syscall` (this module as a program), on any machine. What the run holds
stays as it is; predictions that have changed since are added as revisions.
"""

import os
import sys
import tempfile
from pathlib import Path

import papermill

from helpers.pages import environment
from helpers.project import RECORDED, ROOT, make_tests_library
from reckon import records
from reckon.book import contents


def record(page: str) -> None:
    """Add to the recorded run, by a kernel that poses as the machine that opened it."""
    description = RECORDED / "recorded" / "run.json"
    before = description.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= environment(RECORDED / "recorded", Path(folder))
        try:
            papermill.execute_notebook(
                contents.source(page), None, kernel_name="recording", cwd=ROOT, progress_bar=False
            )
        finally:  # a page may have described the other host as this machine's
            records.write_whole(description, before)


if __name__ == "__main__":
    make_tests_library().check_returncode()
    record(contents.find(sys.argv[1]))
