"""Words that messages share: lists, the nearest known name, the place of a fault in a file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import pydantic


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """A list as a sentence has it: "a", "a and b", "a, b and c"."""
    *front, last = [*words] or [""]
    return f"{', '.join(front)} {conjunction} {last}" if front else last


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A hint for an unknown name: the nearest known one, or `otherwise`."""
    nearest = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {nearest[0]}?" if nearest else otherwise


def first_fault(error: pydantic.ValidationError) -> str:
    """The first entry that a model refuses, with its place: "points.0.x: Field required"."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]
