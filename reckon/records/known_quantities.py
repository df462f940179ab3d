"""Whether a notebook can make a quantity of that name, measured or not yet."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from reckon import records
from reckon.config import ROOT
from reckon.messages import did_you_mean
from reckon.prediction.expression import PredictionError
from reckon.records import notebook_cells


def refuse_unknown(run: str, quantity: str, *, is_new: bool = False) -> None:
    """Raises PredictionError, naming the nearest, where neither the run's records, nor the
    experiment's notebook, nor its C sources have such a name.

    is_new: the notebook may have the name since a moment ago, so the last commit's counts."""
    if quantity.count("/") != 2:
        raise PredictionError(f"{quantity!r} is no quantity; write PART/EXPERIMENT/QUANTITY.")
    experiment, name = records.experiment_of(quantity), quantity.rpartition("/")[2]
    recorded = records.read_record(run, experiment, samples=False).quantities
    notebook = ROOT / "notebooks" / f"{experiment}.ipynb"
    if quantity in recorded:
        return
    if not recorded and not notebook.exists():
        experiments = [_experiment(path) for path in sorted(ROOT.glob("notebooks/*/*.ipynb"))]
        hint = did_you_mean(experiment, experiments, f"there are {', '.join(experiments)}.")
        raise PredictionError(f"{quantity}: there is no experiment {experiment}; {hint}")
    text = (notebook_cells.committed(notebook) if is_new else "") or notebook_cells.saved(notebook)
    names = {recorded_name.rpartition("/")[2] for recorded_name in recorded}
    names |= _names(experiment, text)
    if not _is_of(name, names):
        hint = did_you_mean(name, sorted(names), f"it has {', '.join(sorted(names))}.")
        raise PredictionError(f"{experiment} measures no {name}; {hint}")


def is_in_book(quantity: str) -> bool:
    """Whether the experiment's notebook or its C sources have the quantity."""
    experiment, _, name = quantity.rpartition("/")
    return _is_of(name, _names_in_book(experiment))


@functools.cache
def _names_in_book(experiment: str) -> set[str]:
    return _names(experiment, notebook_cells.saved(ROOT / "notebooks" / f"{experiment}.ipynb"))


def _names(experiment: str, notebook: str) -> set[str]:
    """The last parts of the names that have a title in that text of the experiment's notebook, or
    stand in full there or in its C sources."""
    sources = [notebook, *(path.read_text("utf-8") for path in ROOT.glob(f"csrc/{experiment}.*"))]
    stated = re.findall(rf"{re.escape(experiment)}/(\w+)", "\n".join(sources))
    return {*stated, *notebook_cells.titles_in(notebook)} - {""}


def _is_of(name: str, names: set[str]) -> bool:
    """Whether it is one of the names, or one and the end of another: f"{report}_peer"."""
    places = [place for place, letter in enumerate(name) if letter == "_"]
    return name in names or any(
        name[:place] in names and any(f"_{known}".endswith(name[place:]) for known in names)
        for place in places
    )


def _experiment(notebook: Path) -> str:
    return str(notebook.relative_to(ROOT / "notebooks").with_suffix(""))
