"""Whether a notebook can make a quantity of that name, measured or not yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    experiment, name = records.experiment_of(quantity), quantity.rpartition("/")[2]
    recorded = records.read_record(run, experiment, samples=False).quantities
    notebook = ROOT / "notebooks" / f"{experiment}.ipynb"
    if quantity in recorded:
        return
    if not recorded and not notebook.exists():
        experiments = [_experiment(path) for path in sorted(ROOT.glob("notebooks/*/*.ipynb"))]
        hint = did_you_mean(experiment, experiments, f"there are {', '.join(experiments)}.")
        raise PredictionError(f"{quantity}: there is no experiment {experiment}; {hint}")
    committed = notebook_cells.committed(notebook) if is_new else ""
    text = committed or _text([notebook])
    text += _text(ROOT.glob(f"csrc/{experiment}.*"))
    if _is_made_of(name, set(re.findall(r"\w+", text))):
        return
    stated = re.findall(rf"{re.escape(experiment)}/(\w+)", text)
    names = {recorded_name.rpartition("/")[2] for recorded_name in recorded} | set(stated)
    hint = did_you_mean(name, sorted(names), f"it has {', '.join(sorted(names))}.")
    raise PredictionError(f"{experiment} measures no {name}; {hint}")


def _is_made_of(name: str, words: set[str]) -> bool:
    """Whether a text of these words has the name, or puts it together: f"{report}_peer"."""
    ends = [place for place, letter in enumerate(name) if letter == "_"]
    return name in words or any(
        name[:end] in words and ({name[end:], name[end + 1 :]} & words) for end in ends
    )


def _experiment(notebook: Path) -> str:
    return str(notebook.relative_to(ROOT / "notebooks").with_suffix(""))


def _text(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_text("utf-8") for path in paths if path.is_file())
