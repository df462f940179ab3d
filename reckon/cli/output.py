"""What the commands print alike: JSON, and lines in columns."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence


def print_json(value) -> None:
    print(json.dumps(value, indent=1))


_INDENT = 4  # of what continues a line that does not fit
_NARROWEST_COLUMN = 24  # of the last column, below which rows are written one below the other


def terminal_width() -> int | None:
    """The columns of the terminal; None where the output goes elsewhere, and lines stay whole."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, its cells below those of the other rows.

    On a terminal that is too narrow the last cell continues below itself; where it had no room,
    all but the first stand below the first."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    terminal, end = terminal_width(), sum(widths[:-1]) + 2 * (len(widths) - 1)
    is_stacked = terminal is not None and terminal - end < _NARROWEST_COLUMN
    lines = []
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row[:-1], widths, strict=False)]
        if is_stacked:
            rest = "  ".join([*cells[1:], row[-1]])
            lines += [row[0], *fitting(rest, first=_INDENT, others=2 * _INDENT)]
        else:
            lines += fitting("  ".join([*cells, row[-1]]), others=end)
    return lines


def fitting(line: str, *, first: int = 0, others: int = _INDENT) -> list[str]:
    """The line, indented by `first`; on a terminal that is too narrow for it, its words on several
    lines, of which the others are indented by `others`. No word is cut."""
    width = terminal_width() or first + len(line) + 1
    return textwrap.wrap(
        line,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * others,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
