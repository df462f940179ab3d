"""Measures what an experiment's page has and the tests' recorded run lacks, and adds it to that run.

`make record EXPERIMENT=cpu/syscall` (this module as a program), on any machine. What the run holds
stays as it is; predictions that have changed since are added as revisions.
"""

import sys
import tempfile
from pathlib import Path

from helpers.project import LIBRARY, RECORDED, ROOT, make_tests_library
from reckon import build_context, config, records
from reckon.book import contents, kernel
from reckon.build_context import BuildContext
from reckon.computer import scratch
from reckon.config import Settings
from reckon.records import session


def record(page: str, runs: Path = RECORDED) -> None:
    """Add to the run `recorded` in that folder; this process is then of no other use."""
    description = runs / "recorded" / "run.json"
    before = description.read_bytes()
    run = records.read_run(description.parent)
    # It may be written only by the machine that opened it: here this machine poses as that one.
    session.describe = lambda: run.machine
    session._read_only_reason = lambda run, described: None
    session._update = lambda run, described: run
    with tempfile.TemporaryDirectory() as folder, scratch.shared_folder():
        config.use(
            Settings(
                profile="quick",
                run="recorded",
                build_dir=Path(folder) / "_build",
                library_dir=LIBRARY,
                runs_dir=runs,
            )
        )
        # A page that only renders measures what has never been measured, and nothing else.
        build_context.set_current(
            BuildContext(Path(folder) / "events", Path(folder) / "reads", renders=True)
        )
        try:
            parameters = {"profile": "quick", "run": "recorded"}
            kernel.execute(contents.source(page), ROOT, parameters)
        finally:  # a page may have described the other host as this machine's
            records.write_whole(description, before.decode())


if __name__ == "__main__":
    make_tests_library().check_returncode()
    record(contents.find(sys.argv[1]), *map(Path, sys.argv[2:]))
