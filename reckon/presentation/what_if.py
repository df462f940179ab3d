"""The data of a page's what-if panels: the formulas of its quantities, as JSON.

book/static/formulas.js evaluates them there. Units, thresholds and words come from here, so that it
has none of its own. The JSON schema is published as docs/formulas.schema.json.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pydantic

from reckon import records, units
from reckon.prediction import formula, what_if
from reckon.prediction.expression import SLACK
from reckon.prediction.formula import Kind
from reckon.prediction.inputs import Input, Origin
from reckon.prediction.printing import text
from reckon.prediction.ratios import NEAR
from reckon.presentation.block import label, raw_html
from reckon.presentation.formulas import source_text
from reckon.presentation.verdicts import HOW_FAR
from reckon.records.inputs import AT_END
from reckon.records.lookup import all_results
from reckon.records.predictions import to_prediction
from reckon.records.result import Result

_DEFAULT_RANGE = 4  # a slider without an interval reaches from a quarter to four times the value
_LOGARITHMIC_FROM = 10  # a slider whose ends differ by a larger factor is logarithmic


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")


class Unit(_Strict):
    """A unit as it is printed, and how many base units it is."""

    spoken: str
    factor: float


class PanelInput(_Strict):
    """An input of one or more formulas; numbers in base units (s, byte, cycle, tick, 1)."""

    label: str
    origin: Origin
    value: float | list[float]  # of an axis, its places
    low: float | None = None
    high: float | None = None
    unit: Unit  # in which it is shown and changed
    steps: list[Unit] | None = None  # of an axis: units in which its places are printed
    source: str  # where it comes from, in words
    author_unit: str  # this and the rest as a notebook writes it
    author_source: str
    reference: str | None = None
    at_end: bool = False  # read at the last place of a curve
    shared: int  # inputs of the same number are one quantity, and are changed together
    slider: tuple[float, float] | None = None  # its ends; none for an axis
    logarithmic: bool = False


class Values(_Strict):
    """A value, or one at each place of a curve, with its interval; in base units."""

    value: list[float | None]
    low: list[float | None] | None = None
    high: list[float | None] | None = None


class Measured(Values):
    """Medians with their intervals."""

    places: list[int]  # which places of the axis were measured; [0] without an axis


class PanelFormula(_Strict):
    """A quantity: its formula, what was predicted and what was measured."""

    quantity: str
    label: str
    kind: Kind
    unit: Unit
    author_unit: str  # as a notebook writes it
    steps: list[Unit]  # units in which its values are printed, the smallest first
    hardware: list | None = None  # expression trees, as in a record
    software: list | None = None
    predicted: list
    python: dict[str, str]  # the arithmetic of what the notebook's function returns, by part
    inputs: dict[str, int]  # by name: the number in PanelData.inputs
    axis: str | None = None  # the name of the input along which it is a curve
    sealed: Values
    revised: bool  # whether the current formula or inputs differ from what was sealed
    measured: Measured | None = None
    state: str
    reason: str | None = None


class HowFar(_Strict):
    """What is said of a ratio that is off by less than a factor; None: by any factor."""

    limit: float | None
    words: str


class Rules(_Strict):
    """The numbers of the rules that the script shares with the Python package."""

    slack: float = SLACK  # of ceil and floor
    max_grid_inputs: int = formula.MAX_GRID_INPUTS
    max_search_rounds: int = formula.MAX_SEARCH_ROUNDS
    needed_step: float = what_if.NEEDED_STEP
    needed_steps: int = what_if.NEEDED_STEPS
    needed_halvings: int = what_if.NEEDED_HALVINGS
    needed_error: float = what_if.NEEDED_ERROR
    almost_a_step: float = units.ALMOST_A_STEP
    near: float = NEAR  # within this factor a prediction is met
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
    """The formulas of an experiment's page as a script element of JSON."""
    content = panel_data(run, experiment).model_dump_json(exclude_none=True)
    escaped = content.replace("<", "\\u003c")  # no text can end the element
    return raw_html(f'<script type="application/json" class="reckon-formulas">{escaped}</script>')


def panel_data(run: str | Path, experiment: str) -> PanelData:
    """The formulas of an experiment, from the run's record."""
    inputs = _Inputs()
    formulas = [_formula(result, inputs) for result in all_results(run, experiment)]
    return PanelData(
        experiment=experiment, run=Path(run).name, inputs=inputs.panel_inputs, formulas=formulas
    )


class _Inputs:
    """The inputs of a page's formulas, each different one once."""

    def __init__(self) -> None:
        self.panel_inputs: list[PanelInput] = []
        self._numbers: dict[tuple, int] = {}
        self._shared: dict[tuple, int] = {}

    def number(self, name: str, given: Input) -> int:
        """The input's number in the list, to which it is added if it is new."""
        whole = (name, repr(given))
        if whole not in self._numbers:
            shared = self._shared.setdefault(_identity(name, given), len(self.panel_inputs))
            self._numbers[whole] = len(self.panel_inputs)
            self.panel_inputs.append(_panel_input(name, given, shared))
        return self._numbers[whole]


def _identity(name: str, given: Input) -> tuple:
    """Equal for inputs that are the same quantity: what was read from one place is, wherever it is
    used and whatever its value was then."""
    if given.reference:
        return (given.reference, given.source.endswith(AT_END))
    return (name, repr(given))


def _panel_input(name: str, given: Input, shared: int) -> PanelInput:
    slider = None if isinstance(given.value, list) else _slider(given, given.value)
    return PanelInput(
        label=label(name),
        origin=given.origin,
        value=given.value,
        low=given.low,
        high=given.high,
        unit=_unit(given.unit),
        steps=_steps(given.unit) if isinstance(given.value, list) else None,
        source=source_text(given),
        author_unit=given.unit,
        author_source=given.source,
        reference=given.reference,
        at_end=given.source.endswith(AT_END),
        shared=shared,
        slider=slider,
        logarithmic=slider is not None and 0 < slider[0] < slider[1] / _LOGARITHMIC_FROM,
    )


def _slider(given: Input, value: float) -> tuple[float, float]:
    """The ends of an input's slider: its interval, or a range around its value."""
    has_interval = given.low is not None and given.high is not None and given.low < given.high
    if has_interval and given.origin != "measured":  # a measured interval is too narrow for this
        return given.low, given.high  # type: ignore[return-value]
    if value == 0:
        return 0.0, units.factor(given.unit)
    ends = (value / _DEFAULT_RANGE, value * _DEFAULT_RANGE)
    return min(ends), max(ends)


def _unit(unit: str) -> Unit:
    return Unit(spoken=units.spoken(unit), factor=units.factor(unit))


def _steps(unit: str) -> list[Unit]:
    return [_unit(step) for step in units.ladder(unit)]


def _formula(result: Result, inputs: _Inputs) -> PanelFormula:
    current = result.current
    prediction = to_prediction(result.quantity, current)
    axis = prediction.curve_axis
    places: list = np.atleast_1d(axis[1].value).tolist() if axis else [None]
    return PanelFormula(
        quantity=result.quantity,
        label=label(result.quantity),
        kind=current.kind,
        unit=_unit(current.unit),
        author_unit=current.unit,
        steps=_steps(current.unit),
        hardware=current.hardware_tree,
        software=current.software_tree,
        predicted=current.predicted_tree,
        python={
            part: text(getattr(prediction.formula, part)) for part in formula.PARTS[current.kind]
        },
        inputs={name: inputs.number(name, given) for name, given in prediction.inputs.items()},
        axis=axis[0] if axis else None,
        sealed=_sealed(result.seal, places),
        revised=bool(result.revisions),
        measured=_measured(result, places),
        state=result.state,
        reason=result.reason or None,
    )


def _sealed(seal: records.PredictionRecord, places: list) -> Values:
    """The sealed prediction at the places of the current one, null where it has none."""
    axis = next((one.value for one in seal.inputs if isinstance(one.value, list)), [None])

    def along(values: records.models.Value | None) -> list[float | None] | None:
        if values is None:
            return None
        known = dict(zip(axis, np.broadcast_to(values, len(axis)).tolist(), strict=True))
        return [known.get(place) for place in places]

    return Values(value=along(seal.predicted) or [], low=along(seal.low), high=along(seal.high))


def _measured(result: Result, places: list) -> Measured | None:
    if not result.has_samples:
        return None
    at = [point.x if result.is_curve else None for point in result.points]
    known = [k for k, place in enumerate(at) if place in places]
    summaries = [result.summaries[k] for k in known]

    def finite(values: Iterable[float]) -> list[float | None]:
        return [value if math.isfinite(value) else None for value in values]

    return Measured(
        places=[places.index(at[k]) for k in known],
        value=finite(one.median for one in summaries),
        low=finite(one.low for one in summaries),
        high=finite(one.high for one in summaries),
    )
