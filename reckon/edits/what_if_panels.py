"""The data of a page's what-if panels: the formulas of its quantities, as JSON.

book/static/formulas.js evaluates them there. Units, thresholds and words come from here, so that it
has none of its own. The JSON schema is published as docs/formulas.schema.json.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import pydantic

from reckon import records, units
from reckon.messages import NEAR_NAME
from reckon.prediction import dimensions, formula, grammar, variations
from reckon.prediction.expression import MOST_DEPTH, NUMPY_NAMES, SLACK
from reckon.prediction.formula import Kind
from reckon.prediction.inputs import FAR_OUTSIDE, Input, Origin
from reckon.prediction.printing import text
from reckon.prediction.ratios import MISS, NEAR
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.recorded_predictions import (
    MEASURED_AT,
    settings_of_measurement,
    to_prediction,
)
from reckon.records.quantities.result import Result, summary_text
from reckon.records.run_files.models import Value
from reckon.records.run_inputs import AT_END, later_values
from reckon.show.block import raw_html, short_name
from reckon.show.formulas import LEAST_MOVED, SEALED_BEFORE, source_text
from reckon.show.sentences.verdicts import HOW_FAR
from reckon.show.titles import question_of, title_of
from reckon.statistics import Summary

_DEFAULT_RANGE = 4  # a slider without an interval reaches from a quarter to four times the value
_LOGARITHMIC_FROM = 10  # a slider whose ends differ by a larger factor is logarithmic


Powers = dict[str, float]  # of a dimension, by base: {"time": 1}


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")


class Unit(_Strict):
    """A unit as it is printed, and how many base units it is."""

    spoken: str  # behind a number: "bytes"
    one: str | None = None  # behind 1, if that is another: "byte"
    factor: float


class UnitName(_Strict):
    """What a unit is called: how many base units it is, and of which dimension."""

    factor: float
    powers: Powers


class PanelInput(_Strict):
    """An input of one or more formulas; numbers in base units (s, byte, cycle, tick, 1)."""

    label: str
    origin: Origin
    value: float | list[float]  # of an axis, its positions
    low: float | None = None
    high: float | None = None
    later: float | None = None  # of a measured one that has moved since the seal: its value now
    unit: Unit  # in which it is shown and changed
    dimension: Powers
    steps: list[Unit]  # units in which it may be given; in which positions of an axis are printed
    source: str  # where it comes from, in words
    author_unit: str  # this and the rest as a notebook writes it
    author_source: str
    reference: str | None = None
    at_end: bool = False  # read at the last point of a curve
    shared: int  # inputs of the same number are one quantity, and are changed together
    slider: tuple[float, float] | None = None  # its ends; none for an axis
    logarithmic: bool = False


class Values(_Strict):
    """A value, or one at each position of a curve, with its interval; in base units."""

    value: list[float | None]
    low: list[float | None] | None = None
    high: list[float | None] | None = None


class TwoGroups(_Strict):
    """Two groups that the processes fall into, of which there is no ratio."""

    medians: tuple[float, float]
    shown: str  # both with their shares, in words


class Measured(Values):
    """Medians with their intervals; null of a single quantity of two groups."""

    indices: list[int]  # of the positions that were measured; [0] without an axis
    groups: list[TwoGroups | None] | None = None  # at each of these, if any has two


class PanelFormula(_Strict):
    """A quantity: its formula, what was predicted and what was measured."""

    quantity: str
    label: str
    kind: Kind
    unit: Unit
    dimension: Powers
    author_unit: str  # as a notebook writes it
    steps: list[Unit]  # units in which its values are printed, the smallest first
    hardware: list | None = None  # expression trees, as in a record
    software: list | None = None
    predicted: list
    python: dict[str, str]  # the arithmetic of what the notebook's function returns, by part
    inputs: dict[str, int]  # by name: the number in PanelData.inputs
    axis: str | None = None  # the name of the input along which it is a curve
    settings: list[str]  # the inputs that are settings of the measurement, which stays at these
    sealed: Values
    revised: bool  # whether the current formula or inputs differ from what was sealed
    measured: Measured | None = None
    state: str
    reason: str | None = None
    is_method: bool  # whether it was measured by a report's method
    question: str | None = None  # what a reader is asked of it


class HowFar(_Strict):
    """What is said of a ratio that is off by less than a factor; None: by any factor."""

    limit: float | None
    words: str


class DimensionName(_Strict):
    """What a dimension is called: "a time"."""

    powers: Powers
    name: str


def _dimension(unit: str) -> Powers:
    powers = units.dimension(unit).items()
    return {base.strip("[]"): float(power) for base, power in powers}  # type: ignore[arg-type]


def _unit_names() -> tuple[dict[str, float], dict[str, UnitName]]:
    """All prefixes and all units of the book."""
    prefixes, names = units.defined_names()
    return (
        {prefix: units.factor(f"{prefix}count") for prefix in prefixes},
        {
            name: UnitName(factor=units.factor(name), powers=_dimension(name))
            for name in (*names, "1")
        },
    )


_PREFIXES, _UNIT_NAMES = _unit_names()


class Rules(_Strict):
    """The numbers of the rules that the script shares with the Python package."""

    amount_faults: dict[str, str] = units.AMOUNT_FAULTS  # what is said of a text that is no amount
    unknown_unit: str = units.UNKNOWN
    common_units: list[str] = units.COMMON  # whose small and capital letters are mixed up
    unit_examples: str = units.EXAMPLES
    unit_prefixes: dict[str, float] = _PREFIXES
    unit_names: dict[str, UnitName] = _UNIT_NAMES  # without a prefix
    sealed_before: str = SEALED_BEFORE  # what is said of measured inputs that have moved since
    least_moved: float = LEAST_MOVED

    slack: float = SLACK  # of ceil and floor
    max_grid_inputs: int = formula.MAX_GRID_INPUTS
    max_search_rounds: int = formula.MAX_SEARCH_ROUNDS
    search_steps: int = formula.SEARCH_STEPS
    search_zooms: int = formula.SEARCH_ZOOMS
    needed_step: float = variations.NEEDED_STEP
    needed_steps: int = variations.NEEDED_STEPS
    needed_halvings: int = variations.NEEDED_HALVINGS
    needed_error: float = variations.NEEDED_ERROR
    almost_a_step: float = units.ALMOST_A_STEP
    formula_faults: dict[str, str] = grammar.FAULTS  # what is said of a text that is no formula
    own_input: str = dimensions.OWN_INPUT
    refused_signs: dict[str, str] = grammar.REFUSED_SIGNS  # in it, and what to write instead
    most_depth: int = MOST_DEPTH  # of operations within each other
    functions: dict[str, str] = NUMPY_NAMES  # of a formula: numpy's name of each operation
    dimension_names: list[DimensionName] = [
        DimensionName(powers={base.strip("[]"): power for base, power in powers}, name=name)
        for powers, name in units.DIMENSION_NAMES.items()
    ]
    impossible: dict[str, str] = formula.IMPOSSIBLE  # what is said of a value that nothing has
    far_outside: str = FAR_OUTSIDE
    measured_at: str = MEASURED_AT
    near_name: float = NEAR_NAME  # how alike a name is to the one that may have been meant
    near: float = NEAR  # within this factor a prediction is met
    miss: float = MISS  # a value beyond its interval by more than this factor is far outside
    how_far: list[HowFar] = [
        HowFar(limit=limit if math.isfinite(limit) else None, words=words)
        for limit, words in HOW_FAR
    ]


class PanelData(_Strict):
    """What a page's panels need."""

    experiment: str
    run: str
    rules: Rules = Rules()
    inputs: list[PanelInput]
    formulas: list[PanelFormula]


def schema() -> str:
    """The JSON schema of a page's formulas, as published in docs/formulas.schema.json."""
    return json.dumps(PanelData.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def script(run: str | Path, experiment: str) -> str:
    """The formulas of an experiment's page as a script element of JSON; book.js has the rules."""
    return raw_html(element(panel_data(run, experiment), without={"rules"}))


def element(data: PanelData, without: Collection[str] = ()) -> str:
    """The data, without these fields, as a script element of JSON."""
    content = data.model_dump_json(exclude_none=True, exclude={*without})
    escaped = content.replace("<", "\\u003c")  # no text can end the element
    return f'<script type="application/json" class="reckon-formulas">{escaped}</script>'


def panel_data(run: str | Path, experiment: str) -> PanelData:
    """The formulas of an experiment, from the run's record."""
    return data_of(all_results(run, experiment), run, experiment)


def data_of(results: Iterable[Result], run: str | Path, experiment: str) -> PanelData:
    """The formulas of these results of an experiment."""
    inputs = _Inputs(run)
    formulas = [_formula(result, inputs) for result in results]
    return PanelData(
        experiment=experiment,
        run=Path(run).name,
        inputs=inputs.panel_inputs,
        formulas=formulas,
    )


class _Inputs:
    """The inputs of a page's formulas, each different one once."""

    def __init__(self, run: str | Path) -> None:
        self._run = run
        self.panel_inputs: list[PanelInput] = []
        self._numbers: dict[tuple, int] = {}
        self._shared: dict[tuple, int] = {}

    def number(self, name: str, input_: Input) -> int:
        """The input's number in the list, to which it is added if it is new."""
        key = (name, _content(input_))
        if key not in self._numbers:
            shared = self._shared.setdefault(_identity(name, input_), len(self.panel_inputs))
            self._numbers[key] = len(self.panel_inputs)
            self.panel_inputs.append(_panel_input(name, input_, shared, self._run))
        return self._numbers[key]


def _content(input_: Input) -> str:
    """All that an input is; a list of values cannot be part of a key."""
    return json.dumps(dataclasses.asdict(input_))


def _identity(name: str, input_: Input) -> tuple:
    """Equal for inputs that are the same quantity: what was read from one place is, wherever it is
    used and whatever its value was then."""
    if input_.reference:
        return (input_.reference, input_.source.endswith(AT_END))
    return (name, _content(input_))


def _panel_input(name: str, input_: Input, shared: int, run: str | Path) -> PanelInput:
    slider = None if isinstance(input_.value, list) else _slider(input_, input_.value)
    return PanelInput(
        label=short_name(name),
        origin=input_.origin,
        value=input_.value,
        low=input_.low,
        high=input_.high,
        later=later_values(run, {name: input_}).get(name),
        unit=_unit(input_.unit),
        dimension=_dimension(input_.unit),
        steps=_steps(input_.unit),
        source=source_text(input_),
        author_unit=input_.unit,
        author_source=input_.source,
        reference=input_.reference,
        at_end=input_.source.endswith(AT_END),
        shared=shared,
        slider=slider,
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


def _unit(unit: str) -> Unit:
    spoken, one = units.symbol(unit), units.symbol(unit, "1")
    return Unit(spoken=spoken, one=None if one == spoken else one, factor=units.factor(unit))


def _steps(unit: str) -> list[Unit]:
    return [_unit(step) for step in units.unit_steps(unit)]


def _formula(result: Result, inputs: _Inputs) -> PanelFormula:
    current = result.current
    prediction = to_prediction(result.quantity, current)
    axis = prediction.curve_axis
    positions: list = np.atleast_1d(axis[1].value).tolist() if axis else [None]
    return PanelFormula(
        quantity=result.quantity,
        label=title_of(result.quantity),
        kind=current.kind,
        unit=_unit(current.unit),
        dimension=_dimension(current.unit),
        author_unit=current.unit,
        steps=_steps(current.unit),
        hardware=current.hardware_tree,
        software=current.software_tree,
        predicted=current.predicted_tree,
        python={
            part: text(getattr(prediction.formula, part)) for part in formula.PARTS[current.kind]
        },
        inputs={name: inputs.number(name, input_) for name, input_ in prediction.inputs.items()},
        axis=axis[0] if axis else None,
        settings=settings_of_measurement(result, prediction),
        sealed=_sealed(result.seal, positions),
        revised=bool(result.revisions),
        measured=_measured(result, positions),
        state=result.state,
        reason=result.reason or None,
        is_method=bool(result.measurement and result.measurement.reports),
        question=question_of(result.measurement, current.unit) if result.measurement else None,
    )


def _sealed(seal: records.PredictionRecord, positions: list) -> Values:
    """The sealed prediction at the positions of the current one, null where it has none."""
    axes = (input_.value for input_ in seal.inputs if isinstance(input_.value, list))
    axis = next(axes, [None])

    def along(values: Value | None) -> list[float | None] | None:
        if values is None:
            return None
        by_position = dict(zip(axis, np.broadcast_to(values, len(axis)).tolist(), strict=True))
        return [by_position.get(x) for x in positions]

    return Values(value=along(seal.predicted) or [], low=along(seal.low), high=along(seal.high))


def _measured(result: Result, positions: list) -> Measured | None:
    if not result.has_samples:
        return None
    measured_at = [point.x if result.is_curve else None for point in result.points]
    indices = [k for k, x in enumerate(measured_at) if x in positions]
    summaries = [result.summaries[k] for k in indices]

    def finite(values: Iterable[float]) -> list[float | None]:
        return [value if math.isfinite(value) else None for value in values]

    groups = [_two_groups(summary, result.unit) for summary in summaries]

    def ends(end: str) -> list[float | None]:
        intervals = (math.nan if s.groups else getattr(s.interval, end) for s in summaries)
        return finite(intervals)

    return Measured(
        indices=[positions.index(measured_at[k]) for k in indices],
        value=finite(result.medians[indices]),
        low=ends("low"),
        high=ends("high"),
        groups=groups if any(groups) else None,
    )


def _two_groups(summary: Summary, unit: str) -> TwoGroups | None:
    if summary.groups is None:
        return None
    low, high = summary.groups
    return TwoGroups(medians=(low.median, high.median), shown=summary_text(summary, unit))
