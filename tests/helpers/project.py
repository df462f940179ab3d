"""This checkout: its folders, its command line, its builds, and which of its processes live."""

import os
import subprocess
import sys
from pathlib import Path

from helpers.capabilities import need

ROOT = Path(__file__).resolve().parents[2]
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


def sanitized_build(out: Path) -> Path:
    """The library and its programs, built into `out` with gcc's sanitizers."""
    extra = "-fsanitize=address,undefined -fno-sanitize-recover=all"
    command = ["make", "-s", "-j2", "-C", ROOT / "csrc", f"OUT={out}", f"EXTRA={extra}"]
    done = subprocess.run(command, capture_output=True, text=True)
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
