"""What the readers of a book predicted, compared with what was measured."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon.edits.guesses import Guess, compared
from reckon.errors import ReckonError
from reckon.messages import did_you_mean
from reckon.prediction.ratios import is_miss
from reckon.records.quantities import revisions
from reckon.records.quantities.result import Result

# What is added to the name of a file that is copied, or downloaded again.
_COPY = re.compile(r"(\s*\(\d+\)|[\s_-]+copy)+$", re.IGNORECASE)


@dataclass(frozen=True)
class QuantityGuesses:
    """What was predicted of a quantity, at one point."""

    result: Result
    guesses: list[Guess]  # from the best to the worst

    @property
    def were_all_wrong(self) -> bool:
        """Whether several readers predicted it, and each was off by more than a factor of two."""
        return len(self.guesses) > 1 and all(is_miss(guess.ratio) for guess in self.guesses)

    @property
    def voted_twice(self) -> list[Guess]:
        """Those that were predicted again after a discussion."""
        return [guess for guess in self.guesses if guess.first_vote]

    @property
    def factors_off(self) -> np.ndarray:
        """The guesses' factors off, at least 1 each."""
        return np.array([guess.factor_off for guess in self.guesses])


@dataclass(frozen=True)
class ReadersPredictions:
    """The predictions of all readers, and what was skipped, as sentences."""

    quantities: list[QuantityGuesses]
    seen: list[QuantityGuesses]  # by changed inputs, on a page that shows what was measured
    readers: list[str]  # of `quantities`
    skipped: list[str]


def read_folder(folder: Path, results: list[Result]) -> ReadersPredictions:
    """The predictions in the folder's TOML files, those of a quantity together, in the order of
    `results`. Raises ReckonError where the folder has no such file."""
    files = [path for path in folder.glob("*") if path.suffix.lower() == ".toml"]
    files.sort(key=lambda path: (_COPY.sub("", path.stem), len(path.name), path.name))
    if not files:
        raise ReckonError(f"{folder} has no file that ends in .toml.")
    by_quantity = {result.quantity: result for result in results}
    guesses: list[tuple[str, Guess]] = []
    names: list[str] = []
    skipped: list[str] = []
    first_files: dict[str, Path] = {}  # by name and content
    for path in files:
        try:
            content = revisions.read_file(path)
        except ReckonError as error:
            skipped.append(str(error))
            continue
        if not content.quantities:
            skipped.append(f"{path}: nothing is predicted in it.")
        name = content.reader or _COPY.sub("", path.stem)
        first = first_files.setdefault(f"{name} {content.quantities}", path)
        if first != path:
            skipped.append(f"{path}: it is a copy of {first.name}.")
            continue
        reader = _distinct(name, names)
        names.append(reader)
        for quantity, prediction in content.quantities.items():
            try:
                _refuse_unknown(quantity, by_quantity)
                guess = compared(reader, quantity, prediction, by_quantity.get(quantity))
            except ReckonError as error:
                skipped.append(f"{path}: {error}")
                continue
            guesses.append((quantity, guess))
    blind = [each for each in guesses if not each[1].saw_measured]
    seen = [each for each in guesses if each[1].saw_measured]
    of_blind = {guess.reader for _, guess in blind}
    readers = [name for name in names if name in of_blind]
    return ReadersPredictions(
        _by_quantity(blind, by_quantity), _by_quantity(seen, by_quantity), readers, skipped
    )


def _by_quantity(
    guesses: list[tuple[str, Guess]], results: dict[str, Result]
) -> list[QuantityGuesses]:
    """The guesses of each quantity at each point together, in the order of the results."""
    together: dict[tuple[str, int], list[Guess]] = {}
    for quantity, guess in guesses:
        together.setdefault((quantity, guess.point), []).append(guess)
    places = {quantity: k for k, quantity in enumerate(results)}
    return [
        QuantityGuesses(results[quantity], sorted(each, key=lambda guess: guess.factor_off))
        for (quantity, _), each in sorted(together.items(), key=lambda item: places[item[0][0]])
    ]


def _refuse_unknown(quantity: str, known: Collection[str]) -> None:
    """Raises ReckonError for a quantity that the run does not have, naming the nearest."""
    if quantity not in known:
        hint = did_you_mean(quantity, known, "`reckon results` lists all.")
        raise ReckonError(f"the run has no {quantity}; {hint}")


def _distinct(name: str, others: list[str]) -> str:
    """The name; with a number, where another reader has it."""
    alike = sum(other == name or other.startswith(f"{name} (") for other in others)
    return f"{name} ({alike + 1})" if alike else name
