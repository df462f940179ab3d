"""Shared by the tests: folders of their own, and skips that CI does not allow."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests" / "runs"  # holds one recorded run, "recorded"

# A shell's background job starts with SIGINT ignored, and so would everything that is tested here.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples each time: what is said of chance fails by chance now and then.
hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.load_profile("repeatable")

# Read by reckon.config at every call, so set before anything else happens.
os.environ["RECKON_LIB"] = str(ROOT / "_build" / "lib")
for name in ("RECKON_RUN", "RECKON_PROFILE", "RECKON_FRESH", "RECKON_EVENTS", "RECKON_READS"):
    os.environ.pop(name, None)


def need(condition, reason: str) -> None:
    """Skip with the reason; in CI everything has to be there, so fail instead."""
    if condition:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI must be able to run this: {reason}")
    pytest.skip(reason)


class LeftBehind(Exception):
    """What the fixtures found after a test."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown():
    try:
        return (yield)
    except (Exception, pytest.fail.Exception) as found:
        raise LeftBehind(str(found)) from found


def pytest_collection_modifyitems(items):
    """A shared host spoils a moment's times now and then, so what asserts one has three tries in all. A wrong row
    fails each of them, and each one that failed is printed with its reason. What a test leaves behind is no
    matter of time, and has one try."""
    for item in items:
        if item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=5, rerun_except=LeftBehind))


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A _build folder, a place for runs and no machine.toml, all of this test's own."""
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path / "_build"))
    monkeypatch.setenv("RECKON_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RECKON_MACHINE_TOML", str(tmp_path / "machine.toml"))
    monkeypatch.setenv("RECKON_PROFILE", "quick")
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """Make the next session() open its run anew, and drop the predictions made so far."""
    from reckon.prediction.formula import _current
    from reckon.records.session import session

    session.cache_clear()
    _current.clear()


@pytest.fixture
def recorded(folders):
    """A copy of the recorded run, to be read (and, by mistake, written) freely."""
    shutil.copytree(RECORDED / "recorded", folders / "runs" / "recorded")
    os.environ["RECKON_RUN"] = "recorded"
    forget()
    yield folders / "runs" / "recorded"
    os.environ.pop("RECKON_RUN")


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


def sanitized_build(out: Path, *targets: str) -> Path:
    """The library, or the targets alone, built into `out` with gcc's sanitizers."""
    extra = "-fsanitize=address,undefined -fno-sanitize-recover=all"
    done = subprocess.run(
        [
            "make",
            "-s",
            "-j2",
            "-C",
            ROOT / "csrc",
            f"OUT={out}",
            f"EXTRA={extra}",
            *(f"{out}/{target}" for target in targets),
        ],
        capture_output=True,
        text=True,
    )
    need("cannot find" not in done.stderr, "gcc has no sanitizer libraries here")
    assert done.returncode == 0, done.stderr
    return out


def probes_running() -> list[int]:
    """Living reckon-probe processes of this checkout's library (another one may be measuring)."""
    program = str(ROOT / "_build" / "lib" / "reckon-probe")
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "exe") == program:
                found.append(int(path.name))
        except OSError:  # gone, or a zombie
            continue
    return found


def processes_named(word: str) -> list[int]:
    """Living processes with that word in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state = (path / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if word.encode() in (path / "cmdline").read_bytes() and state != "Z":
                found.append(int(path.name))
        except OSError:
            continue
    return found
