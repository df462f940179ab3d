"""What the system tells of itself: files below /proc and /sys, and the output of commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from reckon import config
from reckon.errors import ALLOW_MORE, ReckonError, is_limit

_DEADLINE_S = 10  # of a command


def read_text(path: str) -> str | None:
    """The text of a file, stripped; None if it is empty or unreadable."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def run_command(*command: str) -> str | None:
    """What a command prints; None if it is missing, fails or takes too long.

    Raises ReckonError where a limit keeps it from starting: what it reports must not look missing.
    """
    if not shutil.which(command[0]):
        return None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_DEADLINE_S,
            env=config.child_environment(LC_ALL="C"),
        )
    except OSError as error:
        if is_limit(error):
            raise ReckonError(
                f"{command[0]} does not start ({error.strerror}); {ALLOW_MORE}"
            ) from None
        return None
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def lscpu() -> dict[str, str]:
    """The lines of `lscpu`, by their names; empty without the command."""
    return _named_lines(run_command("lscpu") or "")


def cpuinfo(cpu: int | None = None) -> dict[str, str]:
    """The lines of /proc/cpuinfo about that CPU, or the first one, by their names."""
    each = [_named_lines(text) for text in (read_text("/proc/cpuinfo") or "").split("\n\n")]
    return next((lines for lines in each if lines.get("processor") == str(cpu)), each[0])


def _named_lines(text: str) -> dict[str, str]:
    lines = re.findall(r"^([^:\n]+):(.*)$", text, re.MULTILINE)
    return {name.strip(): value.strip() for name, value in lines}


def cpus_of_list(text: str) -> set[int]:
    """The CPUs of a list as the kernel writes it, such as 0-3,8."""
    cpus: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus
