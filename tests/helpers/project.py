"""This checkout: its folders, its command line, and its recorded run."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "_build" / "lib-tests"  # with the probes of csrc/test, which no user has
# All of it but the lists of sources, which are in the keys of records.
LIBRARY_PROGRAMS = (
    "libreckon.so",
    *(f"reckon-{n}" for n in ("probe", "peer", "lab", "blank", "blank-static")),
)
RECORDED = ROOT / "tests" / "runs"  # holds one recorded run, "recorded"
PROGRAMS = ROOT / "tests" / "helpers" / "programs"  # what tests run in a process of its own


def finished(*command, **how) -> subprocess.CompletedProcess:
    """The finished process of a command, with what it printed as text."""
    return subprocess.run(command, capture_output=True, text=True, **how)


def output_of(*command, **how) -> str:
    """What a command prints that ends well."""
    return finished(*command, check=True, **how).stdout


def share_statistics(build: Path) -> None:
    """Make pages that are executed for that _build folder use the statistics of earlier ones."""
    shared = ROOT / "_build" / "tests-cache"
    for folder in (build, shared):
        folder.mkdir(parents=True, exist_ok=True)
    (build / "cache").symlink_to(shared)


def forget() -> None:
    """Make the next current_session() open its run again."""
    from reckon.records.session import current_session

    current_session.cache_clear()


def make_tests_library():
    """Bring the library of the tests up to date; returns the finished process."""
    return subprocess.run(["make", "-s", "lib-tests"], cwd=ROOT, capture_output=True, text=True)


def make_library(out: Path, *options: str, sources: Path = ROOT / "csrc", names=()):
    """Bring a C library with the tests' probes up to date, or these files of it alone; returns the
    finished process."""
    out.mkdir(parents=True, exist_ok=True)
    make = ["make", "-s", "-j2", "-C", sources, f"OUT={out}", "TEST_PROBES=1", *options]
    make += [out / name for name in names]
    # Two runs of the tests may begin at the same time.
    return finished("flock", out, *make)


def reckon(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run the command line in this process; its status and what it printed, as of a program."""
    from reckon import cli, config

    out, err = io.StringIO(), io.StringIO()
    forget()
    with (
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = cli.main([*arguments])
        finally:
            config.use(None)
            forget()
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def reckon_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run the command line as a program; the finished process with its output as text."""
    command = [sys.executable, "-m", "reckon", *arguments]
    return finished(*command, cwd=ROOT, timeout=300, env={**os.environ, **environment})
