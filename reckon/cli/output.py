"""What the commands print alike: JSON, and lines in columns."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence


def print_json(value) -> None:
    """Prints the value for `--json`."""
    print(json.dumps(value, indent=1))


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, its cells below those of the other rows."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    return lines


def fitting(line: str) -> str:
    """The line; on a terminal not wider than that."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else len(line)
    return line if len(line) <= width else f"{line[: width - 1]}…"
