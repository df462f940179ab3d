"""Two runs compared: which quantities changed, and which did not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reckon import records
from reckon.comparison.quantities import QuantityComparison, Results, compare_all
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results

MIN_CHANGE = 0.05  # a smaller one is not reported


@dataclass(frozen=True)
class Comparison:
    a: str  # the runs' names; what the user typed where both have one name
    b: str
    minimum_change: float
    quantities: tuple[QuantityComparison, ...]
    only: tuple[list[str], list[str]]  # what A and B alone have, each with the reason
    machines: tuple[records.Run, records.Run]
    clock_hz: tuple[float, float]
    control: str | None = None
    control_changed: tuple[str, ...] = ()  # what the rule names between A and the control
    control_judged: int = 0

    @property
    def judged(self) -> list[QuantityComparison]:
        """The quantities to which the rule could be applied."""
        return [quantity for quantity in self.quantities if quantity.is_judged]

    @property
    def unjudged(self) -> list[QuantityComparison]:
        """The quantities to which it could not, each with its reason."""
        return [quantity for quantity in self.quantities if not quantity.is_judged]

    @property
    def same(self) -> list[QuantityComparison]:
        """The judged quantities that did not change."""
        return [quantity for quantity in self.judged if not quantity.has_changed]

    @property
    def changed(self) -> list[QuantityComparison]:
        """From the largest change to the smallest."""
        changed = (quantity for quantity in self.quantities if quantity.has_changed)
        return sorted(changed, key=lambda quantity: -quantity.largest.distance)

    def resolving(self, ratio: float) -> int:
        """The number of quantities in which a change by that ratio would have been named."""
        return sum(quantity.visible_from(self.minimum_change) <= ratio for quantity in self.judged)


def _alone(a: Results, b: Results) -> list[str]:
    """What has samples in the first run alone, with the reason why not in the second."""
    alone = []
    for name, result in a.items():
        missing = b.get(name)
        if result.has_samples and missing is None:
            alone.append(name)
        elif result.has_samples and missing and not missing.has_samples:
            alone.append(f"{name} ({missing.state}: {missing.reason})")
    return alone


def _clock_hz(results: Results) -> float:
    """The core's clock, the median over all quantities; nan without samples."""
    clocks = [
        result.core_clock_hz(result.points[0]) for result in results.values() if result.has_samples
    ]
    return float(np.median(clocks)) if clocks else math.nan


def _names(runs: list[records.Run], typed: list[str]) -> list[str]:
    """The runs' names; what was typed where two have the same."""
    names = [run.name for run in runs]
    return [
        text if names.count(name) > 1 else name for name, text in zip(names, typed, strict=True)
    ]


def _find(runs: list[str | Path]) -> list[Path]:
    """The runs' folders. Raises ReckonError where one is not there or two are the same."""
    folders = [records.find(run if isinstance(run, str) else f"{run}/") for run in runs]
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ReckonError(
            "A run cannot be compared with itself; give different ones as A, B and CONTROL."
        )
    return folders


def _read(folder: Path) -> records.Run:
    run = records.read_run(folder)
    if run is None:
        raise ReckonError(f"{folder} holds no run.")
    return run


def _results(folder: Path) -> Results:
    return {result.quantity: result for result in all_results(folder, only_measured=True)}


def compare(
    a: str | Path,
    b: str | Path,
    control: str | Path | None = None,
    minimum_change: float = MIN_CHANGE,
) -> Comparison:
    """B compared with A, each a run's name or its folder.

    control: a second run of A's machine. minimum_change: a share; a smaller change is not named.
    Raises ReckonError where a run is not there, two are the same, or they have nothing in common.
    """
    requested = [a, b] if control is None else [a, b, control]
    folders = _find(requested)
    runs = [_read(folder) for folder in folders]
    names = _names(runs, [str(run) for run in requested])
    if control is not None and runs[2].identity != runs[0].identity:
        raise ReckonError(
            f"The run {names[2]} is no control: it was recorded on another machine or kernel than "
            f"{names[0]}."
        )
    results = [_results(folder) for folder in folders]
    in_a, in_b = results[:2]
    in_control = results[2] if control is not None else {}
    quantities = compare_all(in_a, in_b, in_control, minimum_change)
    if not quantities:
        raise ReckonError(
            f"The runs {names[0]} and {names[1]} have no measured quantity in common."
        )
    control_quantities = compare_all(in_a, in_control, {}, minimum_change)
    return Comparison(
        a=names[0],
        b=names[1],
        minimum_change=minimum_change,
        quantities=quantities,
        only=(_alone(in_a, in_b), _alone(in_b, in_a)),
        machines=(runs[0], runs[1]),
        clock_hz=(_clock_hz(in_a), _clock_hz(in_b)),
        control=names[2] if control is not None else None,
        control_changed=tuple(
            quantity.quantity for quantity in control_quantities if quantity.has_changed
        ),
        control_judged=sum(quantity.is_judged for quantity in control_quantities),
    )
