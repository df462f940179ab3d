"""The one reader of TOML files: those that a model checks, and machine.toml."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from reckon.errors import ReckonError
from reckon.messages import first_fault

Model = TypeVar("Model", bound=pydantic.BaseModel)


def load(path: Path) -> dict[str, Any]:
    """The file's content; a byte order mark before it is left out. Raises ReckonError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ReckonError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ReckonError(f"{path}: it is not UTF-8 text; save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # a number too long, brackets too deep
        raise ReckonError(f"{path}: {error}.") from None


def read(path: Path, model: type[Model]) -> Model:
    """The file's content. Raises ReckonError with the first entry that does not fit the model."""
    try:
        return model.model_validate(load(path))
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path}: {first_fault(error)}.") from None


@functools.cache
def read_once(path: Path, model: type[Model]) -> Model:
    """The same of a file that a process reads once, as those of the book."""
    return read(path, model)
