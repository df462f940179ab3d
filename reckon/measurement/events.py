"""What a measurement reports to the build of the book; reckon.book.execution.progress reads it."""

from __future__ import annotations

import json
import sys

from reckon import build_context


def emit(event: str, **details) -> bool:
    """Append an event to the log that the build watches; whether there is a build."""
    # Looked up, because whatever measures may report, and a log is no input of what it does.
    build = build_context.current()
    if build is None:
        return False
    with open(build.events, "a", encoding="utf-8") as file:
        file.write(json.dumps({"event": event, **details}) + "\n")
    return True


def report_wait(name: str, sentence: str) -> None:
    """Report what the measuring of a quantity or an experiment waits for; without a build, to
    standard error."""
    if not emit("preparing", quantity=name, what=sentence):
        print(sentence, file=sys.stderr)
