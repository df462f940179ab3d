"""What a measurement reports to the program that builds the book; reckon.book.progress reads it."""

from __future__ import annotations

import json

from reckon import config


def emit(event: str, **details) -> None:
    """Append an event to the log that the builder watches, if there is one."""
    builder = config.builder()
    if builder:
        with open(builder.events, "a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, **details}) + "\n")
