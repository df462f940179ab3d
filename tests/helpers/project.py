"""This checkout: its folders, its command line, and its recorded run."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "_build" / "lib-tests"  # with the probes of csrc/test, which no user has
RECORDED = ROOT / "tests" / "runs"  # holds one recorded run, "recorded"


def forget() -> None:
    """Make the next current_session() open its run again."""
    from reckon.records.session import current_session

    current_session.cache_clear()


def make_library(out: Path, *options: str, sources: Path = ROOT / "csrc"):
    """Bring a C library with the tests' probes up to date; returns the finished process."""
    out.mkdir(parents=True, exist_ok=True)
    make = ["make", "-s", "-j2", "-C", sources, f"OUT={out}", "TEST_PROBES=1", *options]
    # Two runs of the tests may begin at the same time.
    return subprocess.run(["flock", out, *make], capture_output=True, text=True)


def reckon(*arguments: str, timeout: float = 300, **environment: str):
    """Run the command line; returns the finished process with its output as text."""
    return subprocess.run(
        [sys.executable, "-m", "reckon", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
    )
