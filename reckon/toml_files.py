"""The one reader of the TOML files that this package checks by a model."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TypeVar

import pydantic

from reckon.errors import ReckonError
from reckon.messages import first_fault

Model = TypeVar("Model", bound=pydantic.BaseModel)


def read(path: Path, model: type[Model]) -> Model:
    """The file's content. Raises ReckonError with the first entry that does not fit the model."""
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ReckonError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReckonError(f"{path}: {error}.") from None
    except pydantic.ValidationError as error:
        raise ReckonError(f"{path}: {first_fault(error)}.") from None


@functools.cache
def read_once(path: Path, model: type[Model]) -> Model:
    """The same of a file that a process reads once, as those of the book."""
    return read(path, model)
