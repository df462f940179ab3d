"""`reckon predict` and `reckon reseal`: a recorded prediction with other inputs or another
formula, and which one is scored. Nothing is executed."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from reckon import config, units
from reckon.cli.commands import command, own_run_option, run_option
from reckon.cli.output import fitting, print_json
from reckon.cli.run_choice import chosen_run, results_at
from reckon.edits.guesses import Guess, compared
from reckon.errors import NoOneValue, ReckonError
from reckon.messages import join_words
from reckon.prediction import variations
from reckon.prediction.amounts import amount
from reckon.prediction.formula import IMPOSSIBLE, Prediction
from reckon.prediction.inputs import FAR_OUTSIDE, Input
from reckon.prediction.ratios import MISS, NEAR, is_comparable, is_near
from reckon.prediction.variations import FORMULA, changed, changed_inputs, formula_text
from reckon.records import seal
from reckon.records.quantities import export, revisions
from reckon.records.quantities.recorded_predictions import (
    MEASURED_AT,
    needed_guesses,
    ratio,
    settings_of_measurement,
    to_prediction,
)
from reckon.records.quantities.result import Result
from reckon.records.run_inputs import later_values
from reckon.records.session import current_session
from reckon.show.formulas import since_sealed, source_text
from reckon.show.sentences.verdicts import how_far


@dataclass(frozen=True)
class _Variant:
    """A recorded prediction, and the same with some inputs or the formula changed."""

    result: Result
    recorded: Prediction
    prediction: Prediction
    run: str | Path
    stated: dict[str, str]  # the value that a file predicts itself, and its interval
    guess: Guess | None  # that, compared with the measurement; None without it or of two groups

    @functools.cached_property
    def changed(self) -> list[str]:
        return changed_inputs(self.recorded, self.prediction)

    @functools.cached_property
    def later(self) -> dict[str, float]:
        """The run's values of the measured inputs that have moved since the seal."""
        inputs = self.prediction.inputs
        unchanged = {name: inputs[name] for name in inputs if name not in self.changed}
        return later_values(self.run, unchanged)

    @functools.cached_property
    def ratio(self) -> float:
        """Measured over predicted; over what a file states itself."""
        return self.guess.ratio if self.guess else ratio(self.result, self.prediction)

    @functools.cached_property
    def needed(self) -> dict[str, float]:
        """Of each guess, the value with which alone the prediction would meet the measurement."""
        return needed_guesses(self.result, self.prediction)


@command("reseal", 'cpu/syscall/getpid --reason "typed 150 for 550"')
@click.argument("quantity", help="such as cpu/syscall/getpid")
@click.option(
    "--reason", default="", help="Stated on the page; needed once the quantity is measured."
)
@own_run_option
def reseal(*, quantity: str, reason: str, run: str | None, as_json: bool) -> int:
    """Score the last prediction of a quantity instead of the sealed one, which had a mistake.

    The first seal stays in the record.
    """
    config.use(config.settings().with_choices(run=run))
    session = current_session()
    _result(session.run.name, quantity)
    sealed = to_prediction(quantity, seal.reseal(quantity, None, reason, session).seal)
    if as_json:
        print_json({"quantity": quantity, "reason": reason})
    else:
        predicted = units.span(sealed.predicted, sealed.unit)
        print(f"Sealed again: {quantity}, {predicted}. The first seal stays in the record.")
    return 0


@command(
    "predict",
    "cpu/syscall/getpid",
    'cpu/syscall/getpid kernel_path="550 cycles"',
    'cpu/syscall/getpid software="2 * kernel_path / clock"',
    "--file predictions.toml",
)
@click.argument("quantity", required=False, help="such as cpu/syscall/getpid")
@click.argument(
    "inputs",
    nargs=-1,
    metavar="[input=value]...",
    help='such as kernel_path="550 cycles", hardware= or software="2 * kernel_path / clock", or '
    'formula="2 * mode_switch / clock, kernel_path / clock": both',
)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A predictions.toml that the site's What if? panels gave, instead of a quantity.",
)
@run_option
def predict(
    *,
    quantity: str | None,
    inputs: tuple[str, ...],
    file: Path | None,
    run: str | None,
    as_json: bool,
) -> int:
    """Print a recorded prediction with other inputs or another formula, and what would meet it."""
    chosen = chosen_run(run)
    changes = _changes(quantity, inputs, file)
    with revisions.naming(file):
        variants = [_variant(chosen, name, each) for name, each in changes.items()]
    if as_json:
        objects = [_to_json(variant) for variant in variants]
        print_json(objects if file else objects[0])
        return 0
    for index, variant in enumerate(variants):
        whole = [part for line in _lines(variant) for part in fitting(line, others=11)]
        print("\n".join([*([""] if index else []), *whole]))
    if len(variants) > 1:
        print(f"\n{_score(variants)}")
    return 0


def _changes(
    quantity: str | None, inputs: Sequence[str], file: Path | None
) -> dict[str, revisions.QuantityPrediction]:
    """Of each quantity, what is changed or stated. Raises ReckonError for what cannot be meant."""
    if file and quantity:
        raise ReckonError("--file has its own quantities and inputs; leave out the others.")
    if file:
        return revisions.predictions_in(file)
    if not quantity:
        raise ReckonError(
            "Say which quantity, such as cpu/syscall/getpid, or --file predictions.toml."
        )
    if "=" in quantity:
        raise ReckonError(
            f"The quantity comes before its inputs: reckon predict QUANTITY {quantity}"
        )
    return {quantity: revisions.QuantityPrediction([*inputs], {})}


def _result(run: str | Path, quantity: str) -> Result:
    results = results_at(run, quantity)
    if [result.quantity for result in results] != [quantity]:
        raise ReckonError(
            f"{quantity} is not a quantity; `reckon results {quantity}` lists its own."
        )
    return results[0]


def _variant(run: str | Path, quantity: str, in_file: revisions.QuantityPrediction) -> _Variant:
    """The prediction of a quantity with its changes. Raises ReckonError."""
    result = _result(run, quantity)
    recorded = result.prediction
    prediction = changed(recorded, in_file.changes)
    guess = None
    if in_file.stated:
        stated = revisions.QuantityPrediction([], in_file.stated)
        with contextlib.suppress(NoOneValue):
            guess = compared("", quantity, stated, result)
    return _Variant(result, recorded, prediction, run, in_file.stated, guess)


# --- what is printed --------------------------------------------------------------------------


def _lines(variant: _Variant) -> list[str]:
    inputs, recorded = variant.prediction.inputs, variant.recorded.inputs
    width = max(map(len, inputs))
    lines = [variant.result.quantity]
    for name, entry in inputs.items():
        source = source_text(entry)
        if name in variant.changed:
            source = f"instead of {amount(recorded[name].value, entry)}; {source}"
            far = _is_far_outside(float(entry.value), recorded[name])  # type: ignore[arg-type]
            source += f". {FAR_OUTSIDE.format(interval=_range(recorded[name]))}" if far else ""
        lines.append(f"  {name:{width}}  {amount(entry.value, entry):>12}  {source}")
    before, now = (formula_text(each.formula) for each in (variant.recorded, variant.prediction))
    if now != before:
        lines.append(f"Formula    {now}  instead of {before}")
    predicted = units.span(variant.prediction.predicted, variant.prediction.unit)
    lines.append(
        f"Predicted  {predicted}{_interval(variant.prediction)}{_parts(variant.prediction)}"
    )
    low, _ = variant.prediction.interval()
    is_amount = units.dimension(variant.prediction.unit) != units.dimension("1")
    if low is not None and is_amount and np.any(np.asarray(low) < 0):
        lines.append(f"Impossible {IMPOSSIBLE['interval']}")
    since = since_sealed(variant.prediction, variant.run, variant.changed)
    lines += [
        _measured(variant),
        *_measured_at(variant),
        _sealed(variant.result),
        *_effects(variant),
        *_stated(variant),
    ]
    return [*lines, *([f"Later      {since}"] if since else [])]


def _is_far_outside(value: float, entry: Input) -> bool:
    low, high = entry.low, entry.high
    return low is not None and low >= 0 and not low / MISS <= value <= (high or 0.0) * MISS


def _stated(variant: _Variant) -> list[str]:
    """The value that a file states itself, and its ratio if there is one."""
    guess = variant.guess
    if not variant.stated:
        return []
    if not guess:
        stated = variant.stated.get("predicted") or variant.stated["first_predicted"]
        return [f"Stated     {stated}, of which there is no ratio"]
    value = units.amount(guess.predicted, variant.result.unit)
    held = {True: ", inside its interval", False: ", outside its interval", None: ""}
    return [f"Stated     {value}: {units.number(guess.ratio)}×{held[guess.is_inside]}"]


def _interval(prediction: Prediction) -> str:
    low, high = prediction.interval()
    if low is None or prediction.curve_axis:
        return ""
    step = units.readable_unit(float(prediction.predicted), prediction.unit)
    return f" ({units.range_text(low, high, step)})"


def _parts(prediction: Prediction) -> str:
    """The hardware's and the software's part of a single value; of a rate the hardware's alone."""
    formula = prediction.formula
    if prediction.curve_axis or formula.hardware is None:
        return ""
    hardware = units.amount(float(prediction.value(formula.hardware)), prediction.unit)
    if formula.software is None:
        return f": hardware alone {hardware}"
    software = units.amount(float(prediction.value(formula.software)), prediction.unit)
    return f": hardware {hardware} + software {software}"


def _measured(variant: _Variant) -> str:
    result = variant.result
    if not result.has_samples:
        return f"Measured   not yet ({result.reason})" if result.reason else "Measured   not yet"
    shown = result.medians_text if result.is_curve else f"{result:interval}"
    if result.is_of_two_groups:
        return f"Measured   {shown}, so there is no ratio"
    value = ratio(result, variant.prediction)
    far = f", {how_far(value)}" if is_comparable(value) else ""
    median = " in the median" if result.is_curve else ""
    return f"Measured   {shown}: {units.number(value)}×{median}{far}"


def _measured_at(variant: _Variant) -> list[str]:
    """Where the measurement stays, of which a setting was changed as an input."""
    recorded = variant.recorded
    changed_settings = [
        f"{name} = {amount(recorded.inputs[name].value, recorded.inputs[name])}"
        for name in settings_of_measurement(variant.result, recorded)
        if name in variant.changed
    ]
    said = MEASURED_AT.format(amounts=join_words(changed_settings))
    return [f"           {said}"] if changed_settings else []


def _sealed(result: Result) -> str:
    seal = units.span(result.seal.predicted, result.unit)
    has_ratio = result.has_samples and not result.is_of_two_groups
    return f"Sealed     {seal}" + (f": {units.number(result.ratio)}×" if has_ratio else "")


def _effects(variant: _Variant) -> list[str]:
    """Which input decides, and what each guess would have to be."""
    lines, inputs = [], variant.prediction.inputs
    for name, (low, high) in list(variations.sensitivity(variant.prediction).items())[:1]:
        moved = f"{units.number(low)} to {units.number(high)} times as much"
        lines.append(f"Uncertain  mostly {name}: over {_range(inputs[name])} it gives {moved}")
    for name, value in variant.needed.items():
        guess = inputs[name]
        outside = "" if guess.has_inside(value) else f", outside {_range(guess)}"
        lines.append(f'To match   {name}="{amount(value, guess)}", all else equal{outside}')
    result = variant.result
    if result.has_samples and not (variant.needed or result.is_of_two_groups):
        lines.append("To match   no single guess is enough")
    return lines


def _score(variants: list[_Variant]) -> str:
    """How many of several predictions are met, beside the sealed ones; without those of two
    groups."""
    variants = [variant for variant in variants if not variant.result.is_of_two_groups]

    def met(ratios: Iterable[float]) -> int:
        return sum(map(is_near, ratios))

    now, sealed = met(v.ratio for v in variants), met(v.result.ratio for v in variants)
    return f"Within {NEAR} times of the measurement: {now} of {len(variants)} (sealed {sealed})"


def _range(entry: Input) -> str:
    return amount([entry.low or 0.0, entry.high or 0.0], entry)


def _to_json(variant: _Variant) -> dict:
    """The same as one object; numbers in the quantity's unit, of inputs in theirs."""
    result, prediction = variant.result, variant.prediction

    def in_unit(value, unit: str = prediction.unit):
        return None if value is None else units.from_base(np.asarray(value, float), unit).tolist()

    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    measured = result.medians if result.is_curve and result.has_samples else result.median
    low, high = prediction.interval()
    inputs = {
        name: {
            "value": in_unit(entry.value, entry.unit),
            "unit": entry.unit,
            "origin": entry.origin,
            "changed": name in variant.changed,
        }
        for name, entry in prediction.inputs.items()
    }
    needed = {
        name: in_unit(value, prediction.inputs[name].unit) for name, value in variant.needed.items()
    }
    return {
        "quantity": result.quantity,
        "unit": prediction.unit,
        FORMULA: formula_text(prediction.formula),
        "inputs": inputs,
        "predicted": in_unit(prediction.predicted),
        "low": in_unit(low),
        "high": in_unit(high),
        "measured": in_unit(measured) if np.isfinite(measured).all() else None,
        # Where the processes fall into two groups, there is no one value, and no ratio.
        "groups": export.groups(result),
        "ratio": known(variant.ratio),
        # What a file states itself; the ratio is of that then.
        "stated": in_unit(variant.guess.predicted) if variant.guess else None,
        # With the measured inputs as the run has them now; as predicted if none has moved.
        "predicted_later": in_unit(variations.with_values(prediction, variant.later).predicted),
        "sealed": in_unit(result.seal.predicted),
        "sealed_ratio": known(result.ratio),
        "sensitivity": variations.sensitivity(prediction),
        "needed": needed,
    }
