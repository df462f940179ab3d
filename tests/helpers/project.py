"""This checkout: its folders, its command line, and its recorded run."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "_build" / "lib"
RECORDED = ROOT / "tests" / "runs"  # holds one recorded run, "recorded"


def forget() -> None:
    """Make the next session() open its run anew."""
    from reckon.records.session import session

    session.cache_clear()


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
