"""What the readers of a book predicted, compared with what was measured."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
    not_again: list[Guess]  # first votes of readers without a second

    @property
    def last_votes(self) -> list[Guess]:
        """Of each reader the last vote."""
        return self.guesses + self.not_again

    @property
    def first_votes(self) -> list[Guess]:
        """Those before a discussion."""
        return [guess.first for guess in self.guesses if guess.first] + self.not_again

    @property
    def were_all_wrong(self) -> bool:
        """Whether several readers predicted it, and each was off by more than a factor of two."""
        return len(self.guesses) > 1 and all(is_miss(guess.ratio) for guess in self.guesses)

    @property
    def voted_twice(self) -> list[Guess]:
        """Those that were predicted again after a discussion."""
        return [guess for guess in self.guesses if guess.first]

    @property
    def before_discussion(self) -> QuantityGuesses:
        """The first vote of each reader."""
        return QuantityGuesses(
            self.result, _sorted(guess.first or guess for guess in self.last_votes), []
        )

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

    @property
    def before_discussion(self) -> ReadersPredictions:
        """The same of the first votes."""
        return replace(self, quantities=[each.before_discussion for each in self.quantities])


@dataclass(frozen=True)
class _HandedIn:
    """A file of a reader."""

    path: Path
    content: revisions.PredictionsFile

    @property
    def name(self) -> str:
        """What the reader is called."""
        return self.content.reader or _COPY.sub("", self.path.stem)

    @property
    def written(self) -> str:
        """When it was written: as it says itself, or as the folder says."""
        changed = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return self.content.written or changed.isoformat()


def read_folder(folder: Path, results: list[Result]) -> ReadersPredictions:
    """The predictions in the folder's TOML files, those of a quantity together, in the order of
    `results`; of a reader's files the newest. Raises ReckonError where the folder has no such file.
    """
    by_quantity = {result.quantity: result for result in results}
    files, skipped = _read_files(folder)
    guesses: list[tuple[str, Guess]] = []
    names: list[str] = []
    for file in _newest_of_each(files, skipped):
        reader = _distinct(file.name, names)
        names.append(reader)
        for quantity, prediction in file.content.quantities.items():
            try:
                _refuse_unknown(quantity, by_quantity)
                guess = compared(reader, quantity, prediction, by_quantity.get(quantity))
            except ReckonError as error:
                skipped.append(f"{file.path}: {error}")
                continue
            guesses.append((quantity, guess))
    blind = [each for each in guesses if not each[1].saw_measured]
    seen = [each for each in guesses if each[1].saw_measured]
    of_blind = {guess.reader for _, guess in blind}
    readers = [name for name in names if name in of_blind]
    return ReadersPredictions(
        _by_quantity(blind, by_quantity), _by_quantity(seen, by_quantity), readers, skipped
    )


def _read_files(folder: Path) -> tuple[list[_HandedIn], list[str]]:
    """The files that predict something, copies behind originals; a sentence on each other one."""
    paths = [path for path in folder.glob("*") if path.suffix.lower() == ".toml"]
    if not paths:
        raise ReckonError(f"{folder} has no file that ends in .toml.")
    files, skipped = [], []
    for path in sorted(paths, key=lambda p: (_COPY.sub("", p.stem), len(p.name), p.name)):
        try:
            content = revisions.read_file(path)
        except ReckonError as error:
            skipped.append(str(error))
            continue
        if content.quantities:
            files.append(_HandedIn(path, content))
        else:
            skipped.append(f"{path}: nothing is predicted in it.")
    return files, skipped


def _newest_of_each(files: list[_HandedIn], skipped: list[str]) -> list[_HandedIn]:
    """The newest file of each reader; adds a sentence on each other one to `skipped`."""
    names: dict[str, set[str]] = {}  # of the readers at a browser
    for file in files:
        if file.content.reader and file.content.browser:
            names.setdefault(file.content.browser, set()).add(_alike(file.content.reader))
    by_reader: dict[str, list[_HandedIn]] = {}
    for file in files:
        by_reader.setdefault(_identity(file, names), []).append(file)
    counted = []
    for of_one in by_reader.values():
        newest = max(of_one, key=lambda file: file.written).content.quantities
        first, *copies = [file for file in of_one if file.content.quantities == newest]
        counted.append(first)
        skipped += [f"{file.path}: it is a copy of {first.path.name}." for file in copies]
        skipped += [
            f"{file.path}: {first.path.name} is of the same reader and newer, so it alone counts."
            for file in of_one
            if file.content.quantities != newest
        ]
    return counted


def _identity(file: _HandedIn, names: dict[str, set[str]]) -> str:
    """Equal for files of one reader: by the name, else by the browser that gave the file."""
    content = file.content
    if content.reader:
        return _alike(content.reader)
    if len(names.get(content.browser, ())) == 1:
        return min(names[content.browser])
    return content.browser or f"{file.name} {content.quantities}"


def _alike(name: str) -> str:
    """Equal for names that differ in spaces, capital letters or how accents are encoded."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _by_quantity(
    guesses: list[tuple[str, Guess]], results: dict[str, Result]
) -> list[QuantityGuesses]:
    """The guesses of each quantity at each point together, in the order of the results."""
    together: dict[tuple[str, int], list[Guess]] = {}
    for quantity, guess in guesses:
        together.setdefault((quantity, guess.point), []).append(guess)
    places = {quantity: k for k, quantity in enumerate(results)}
    return [
        QuantityGuesses(
            results[quantity],
            _sorted(guess for guess in each if not guess.is_first_alone),
            [guess for guess in each if guess.is_first_alone],
        )
        for (quantity, _), each in sorted(together.items(), key=lambda item: places[item[0][0]])
    ]


def _sorted(guesses: Iterable[Guess]) -> list[Guess]:
    """From the best to the worst."""
    return sorted(guesses, key=lambda guess: guess.factor_off)


def _refuse_unknown(quantity: str, known: Collection[str]) -> None:
    """Raises ReckonError for a quantity that the run does not have, naming the nearest."""
    if quantity not in known:
        hint = did_you_mean(quantity, known, "`reckon results` lists all.")
        raise ReckonError(f"the run has no {quantity}; {hint}")


def _distinct(name: str, others: list[str]) -> str:
    """The name; with a number, where another reader has it."""
    alike = sum(other == name or other.startswith(f"{name} (") for other in others)
    return f"{name} ({alike + 1})" if alike else name
