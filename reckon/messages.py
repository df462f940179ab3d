"""Words that messages share: lists, the nearest known name, the place of a fault in a file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pydantic

NEAR_NAME = 0.6  # of a name's letters are as in the one that may have been meant (difflib)


def join_words(words: Iterable[str], conjunction: str = "and") -> str:
    """A list as a sentence has it: "a", "a and b", "a, b and c"."""
    *front, last = [*words] or [""]
    return f"{', '.join(front)} {conjunction} {last}" if front else last


def nearest(name: str, known: Iterable[str], near: float = NEAR_NAME) -> str | None:
    """The known name that is most like an unknown one, in any case; None if none is."""
    names = {each.lower(): each for each in known}
    return next(
        (names[each] for each in difflib.get_close_matches(name.lower(), names, 1, near)), None
    )


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A hint for an unknown name: the known one of which it is the last part (NAME of
    PART/EXPERIMENT/NAME), else the nearest, or `otherwise`."""
    names = list(known)
    whole = next((each for each in names if each.endswith(f"/{name}")), None)
    meant = whole or nearest(name, names)
    return f"did you mean {meant}?" if meant else otherwise


def first_fault(error: pydantic.ValidationError) -> str:
    """The first entry that a model refuses, with its place: "points.0.x: Field required"."""
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    is_bare = fault["type"] == "string_type" and type(fault["input"]) in (int, float)
    says = f'{fault["input"]} is no text; write "{fault["input"]}"' if is_bare else fault["msg"]
    return f"{place}: {says}" if place else says
