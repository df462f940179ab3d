"""The one reader of TOML files: those that a model checks, and machine.toml."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from reckon.errors import ReckonError
from reckon.messages import first_fault

_MOST_BYTES = 10_000_000  # the largest of the book's has 100 kB

Model = TypeVar("Model", bound=pydantic.BaseModel)


class Entry(pydantic.BaseModel):
    """A part of a file, as it was read; it refuses fields that the format does not have."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


def load(path: Path, hint: str = "") -> dict[str, Any]:
    """The file's content; a byte order mark before it is left out. Raises ReckonError, with
    the hint for what is no TOML."""
    if path.is_fifo():  # opening it would wait for a writer
        raise ReckonError(f"{path} is a pipe; write its content into a file.")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ReckonError(f"{path}: it has more than {_MOST_BYTES:,} bytes.")
        return tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except OSError as error:
        raise ReckonError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ReckonError(f"{path}: it is not UTF-8 text; save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # a number too long, brackets too deep
        raise ReckonError(f"{path}: {error}{hint}.") from None


def read(path: Path, model: type[Model], hint: str = "") -> Model:
    """The file's content. Raises ReckonError with the first entry that does not fit the model, and
    the hint."""
    try:
        return model.model_validate(load(path, hint))
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path}: {first_fault(error)}{hint}.") from None


@functools.cache
def read_once(path: Path, model: type[Model]) -> Model:
    """The same of a file that a process reads once, as those of the book."""
    return read(path, model)
