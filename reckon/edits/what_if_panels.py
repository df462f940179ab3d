"""The data of a page's what-if panels: the formulas of its quantities, as JSON.

book/static/formulas.js evaluates them there. Units, thresholds and words come from here, so that it
has none of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from reckon import records, units
from reckon.messages import NEAR_NAME
from reckon.prediction import dimensions, formula, grammar, variations
from reckon.prediction.expression import MOST_DEPTH, NUMPY_NAMES, SLACK
from reckon.prediction.inputs import FAR_OUTSIDE, Input
from reckon.prediction.printing import text
from reckon.prediction.ratios import MISS, NEAR
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.recorded_predictions import (
    MEASURED_AT,
    settings_of_measurement,
)
from reckon.records.quantities.result import Result, summary_text
from reckon.records.run_files.models import Value
from reckon.records.run_inputs import later_values
from reckon.show.block import raw_html, short_name
from reckon.show.formulas import LEAST_MOVED, SEALED_BEFORE, source_text
from reckon.show.sentences.verdicts import HOW_FAR
from reckon.show.titles import question_of, title_of
from reckon.statistics import Summary

_DEFAULT_RANGE = 4  # a slider without an interval reaches from a quarter to four times the value
_LOGARITHMIC_FROM = 10  # a slider whose ends differ by a larger factor is logarithmic


Object = dict[str, Any]  # of JSON


def _known(**fields: Any) -> Object:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def _dimension(unit: str) -> dict[str, float]:
    """The powers of a dimension by base: {"time": 1}."""
    powers = units.dimension(unit).items()
    return {base.strip("[]"): float(power) for base, power in powers}  # type: ignore[arg-type]


@functools.cache
def rules() -> Object:
    """The numbers and the words of the rules that the script shares with the Python package."""
    prefixes, names = units.defined_names()
    return {
        "amount_faults": units.AMOUNT_FAULTS,  # what is said of a text that is no amount
        "unknown_unit": units.UNKNOWN,
        "common_units": units.COMMON,  # whose small and capital letters are mixed up
        "unit_examples": units.EXAMPLES,
        "unit_prefixes": {prefix: units.factor(f"{prefix}count") for prefix in prefixes},
        "unit_names": {  # without a prefix
            name: {"factor": units.factor(name), "powers": _dimension(name)}
            for name in (*names, "1")
        },
        "sealed_before": SEALED_BEFORE,  # what is said of measured inputs that have moved since
        "least_moved": LEAST_MOVED,
        "slack": SLACK,  # of ceil and floor
        "max_grid_inputs": formula.MAX_GRID_INPUTS,
        "max_search_rounds": formula.MAX_SEARCH_ROUNDS,
        "search_steps": formula.SEARCH_STEPS,
        "search_zooms": formula.SEARCH_ZOOMS,
        "needed_step": variations.NEEDED_STEP,
        "needed_steps": variations.NEEDED_STEPS,
        "needed_halvings": variations.NEEDED_HALVINGS,
        "needed_error": variations.NEEDED_ERROR,
        "almost_a_step": units.ALMOST_A_STEP,
        "formula_faults": grammar.FAULTS,  # what is said of a text that is no formula
        "own_input": dimensions.OWN_INPUT,
        "refused_signs": grammar.REFUSED_SIGNS,  # in it, and what to write instead
        "most_depth": MOST_DEPTH,  # of operations within each other
        "functions": NUMPY_NAMES,  # of a formula: numpy's name of each operation
        "dimension_names": [
            {"powers": {base.strip("[]"): power for base, power in powers}, "name": name}
            for powers, name in units.DIMENSION_NAMES.items()
        ],
        "impossible": formula.IMPOSSIBLE,  # what is said of a value that nothing has
        "far_outside": FAR_OUTSIDE,
        "measured_at": MEASURED_AT,
        "near_name": NEAR_NAME,  # how alike a name is to the one that may have been meant
        "near": NEAR,  # within this factor a prediction is met
        "miss": MISS,  # a value beyond its interval by more than this factor is far outside
        "how_far": [  # without a limit: by any factor
            _known(limit=limit if math.isfinite(limit) else None, words=words)
            for limit, words in HOW_FAR
        ],
    }


def script(run: str | Path, experiment: str) -> str:
    """The formulas of an experiment's page as a script element of JSON; book.js has the rules."""
    return raw_html(element(panel_data(run, experiment)))


def element(data: Object) -> str:
    """The data as a script element of JSON."""
    content = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    escaped = content.replace("<", "\\u003c")  # no text can end the element
    return f'<script type="application/json" class="reckon-formulas">{escaped}</script>'


def panel_data(run: str | Path, experiment: str) -> Object:
    """The formulas of an experiment, from the run's record."""
    return data_of(all_results(run, experiment), run, experiment)


def data_of(results: Iterable[Result], run: str | Path, experiment: str) -> Object:
    """The formulas of these results of an experiment, and their inputs."""
    inputs = _Inputs(run)
    formulas = [_formula(result, inputs) for result in results]
    name = Path(run).name
    return {"experiment": experiment, "run": name, "inputs": inputs.listed, "formulas": formulas}


class _Inputs:
    """The inputs of a page's formulas, each different one once."""

    def __init__(self, run: str | Path) -> None:
        self._run = run
        self.listed: list[Object] = []
        self._numbers: dict[tuple, int] = {}
        self._shared: dict[tuple, int] = {}

    def number(self, name: str, input_: Input) -> int:
        """The input's number in the list, to which it is added if it is new."""
        key = (name, _content(input_))
        if key not in self._numbers:
            shared = self._shared.setdefault(_identity(name, input_), len(self.listed))
            self._numbers[key] = len(self.listed)
            self.listed.append(_panel_input(name, input_, shared, self._run))
        return self._numbers[key]


def _content(input_: Input) -> str:
    """All that an input is; a list of values cannot be part of a key."""
    return json.dumps(dataclasses.asdict(input_))


def _identity(name: str, input_: Input) -> tuple:
    """Equal for inputs that are the same quantity: what was read from one place is, wherever it is
    used and whatever its value was then."""
    if input_.reference:
        return (input_.reference, input_.at_end)
    return (name, _content(input_))


def _panel_input(name: str, input_: Input, shared: int, run: str | Path) -> Object:
    """An input of one or more formulas; numbers in base units (s, byte, cycle, tick, 1).

    shared: inputs of the same number are one quantity, and are changed together."""
    slider = None if isinstance(input_.value, list) else _slider(input_, input_.value)
    return _known(
        label=short_name(name),
        origin=input_.origin,
        value=input_.value,  # of an axis, its positions
        low=input_.low,
        high=input_.high,
        later=later_values(run, {name: input_}).get(name),  # if it has moved since the seal
        unit=_unit(input_.unit),  # in which it is shown and changed
        dimension=_dimension(input_.unit),
        # Units in which it may be given; in which positions of an axis are printed.
        steps=_steps(input_.unit),
        source=source_text(input_),
        author_unit=input_.unit,  # this and the next as a notebook writes it
        author_source=input_.source,
        reference=input_.reference,
        at_end=input_.at_end,  # read at the last point of a curve
        shared=shared,
        slider=slider,  # its ends
        logarithmic=slider is not None and 0 < slider[0] < slider[1] / _LOGARITHMIC_FROM,
    )


def _slider(input_: Input, value: float) -> tuple[float, float]:
    """The ends of an input's slider: its interval, or a range around its value."""
    has_interval = input_.low is not None and input_.high is not None and input_.low < input_.high
    if has_interval and input_.origin != "measured":  # a measured interval is too narrow for this
        return input_.low, input_.high  # type: ignore[return-value]
    if value == 0:
        return 0.0, units.factor(input_.unit)
    ends = (value / _DEFAULT_RANGE, value * _DEFAULT_RANGE)
    return min(ends), max(ends)


def _unit(unit: str) -> Object:
    """A unit behind a number, behind 1 if that is another, and how many base units it is."""
    spoken, one = units.symbol(unit), units.symbol(unit, "1")
    one_if_other = None if one == spoken else one
    return _known(spoken=spoken, one=one_if_other, factor=units.factor(unit))


def _steps(unit: str) -> list[Object]:
    return [_unit(step) for step in units.unit_steps(unit)]


def _formula(result: Result, inputs: _Inputs) -> Object:
    """A quantity: its formula, what was predicted and what was measured."""
    current = result.current
    prediction = result.prediction
    axis = prediction.curve_axis
    positions: list = np.atleast_1d(axis[1].value).tolist() if axis else [None]
    measured = result.measurement
    return _known(
        quantity=result.quantity,
        label=title_of(result.quantity),
        kind=current.kind,
        unit=_unit(current.unit),
        dimension=_dimension(current.unit),
        author_unit=current.unit,  # as a notebook writes it
        steps=_steps(current.unit),  # units in which its values are printed, the smallest first
        hardware=current.hardware_tree,  # expression trees, as in a record
        software=current.software_tree,
        predicted=current.predicted_tree,
        # The arithmetic of what the notebook's function returns, by part.
        python={
            part: text(getattr(prediction.formula, part)) for part in formula.PARTS[current.kind]
        },
        # By name: the number in the list of inputs.
        inputs={name: inputs.number(name, input_) for name, input_ in prediction.inputs.items()},
        axis=axis[0] if axis else None,  # the name of the input along which it is a curve
        # The inputs that are settings of the measurement, which stays at these.
        settings=settings_of_measurement(result, prediction),
        sealed=_sealed(result.seal, positions),
        revised=bool(result.revisions),
        measured=_measured(result, positions),
        state=result.state,
        reason=result.reason or None,
        is_method=bool(measured and measured.reports),
        question=question_of(measured, current.unit) if measured else None,
    )


def _sealed(seal: records.PredictionRecord, positions: list) -> Object:
    """The sealed prediction at the positions of the current one, null where it has none."""
    axes = (input_.value for input_ in seal.inputs if isinstance(input_.value, list))
    axis = next(axes, [None])

    def along(values: Value | None) -> list[float | None] | None:
        if values is None:
            return None
        by_position = dict(zip(axis, np.broadcast_to(values, len(axis)).tolist(), strict=True))
        return _finite(by_position.get(x, math.nan) for x in positions)

    return _known(value=along(seal.predicted) or [], low=along(seal.low), high=along(seal.high))


def _finite(values: Iterable[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def _measured(result: Result, positions: list) -> Object | None:
    """Medians with their intervals, null of a single quantity of two groups, and the numbers of
    the positions that were measured; without an axis that is 0."""
    if not result.has_samples:
        return None
    measured_at = [point.x if result.is_curve else None for point in result.points]
    indices = [k for k, x in enumerate(measured_at) if x in positions]
    summaries = [result.summaries[k] for k in indices]

    groups = [_two_groups(summary, result.unit) for summary in summaries]

    def ends(end: str) -> list[float | None]:
        intervals = (math.nan if s.groups else getattr(s.interval, end) for s in summaries)
        return _finite(intervals)

    return _known(
        indices=[positions.index(measured_at[k]) for k in indices],
        value=_finite(result.medians[indices]),
        low=ends("low"),
        high=ends("high"),
        groups=groups if any(groups) else None,
    )


def _two_groups(summary: Summary, unit: str) -> Object | None:
    """The medians of two groups, of which there is no ratio, and both in words."""
    if summary.groups is None:
        return None
    low, high = summary.groups
    return {"medians": (low.median, high.median), "shown": summary_text(summary, unit)}
