"""The commands of many machines, which the core finds by entry points (reckon.commands)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from reckon.errors import ReckonError


@contextlib.contextmanager
def extra_packages(command: str) -> Iterator[None]:
    """Around imports of what only the extra `fleet` installs. Raises ReckonError without it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "reckon":
            raise
        raise ReckonError(
            f"`reckon {command}` needs the package {error.name}; install it by `make setup-fleet`, "
            'or without a checkout by `pip install "reckon[fleet]"`.'
        ) from None
