"""The same change gives the same value wherever it is made: by `reckon predict`, by a file of
predictions, of a class, in JupyterLab, on a built page and in What if? panels."""

import dataclasses
import json

import numpy as np
import pytest
from helpers.panels import EXPERIMENTS, RUN, results_of
from helpers.project import PROGRAMS

import reckon as rk
from reckon import config, units
from reckon.cli import what_if
from reckon.edits import guesses, what_if_panels
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import PARTS
from reckon.prediction.printing import text
from reckon.prediction.variations import changed
from reckon.records import seal
from reckon.records.quantities import revisions
from reckon.records.quantities.recorded_predictions import prediction_record, to_prediction
from reckon.records.quantities.revisions import Variants

pytestmark = pytest.mark.browser

CHANGES = 100
MOVED = 1.05  # a measured input since the seal
CHANGE = (PROGRAMS / "change.js").read_text()


def later(run, inputs):
    return {name: MOVED * each.value for name, each in inputs.items() if each.origin == "measured"}


def random_change(recorded, generator):
    """Amounts by input, and formulas by part; one of both at least."""
    names = [name for name, each in recorded.inputs.items() if each.origin != "axis" and each.value]
    chosen = [name for name in names if generator.random() < 0.5]
    amounts = {}
    for name in chosen:
        unit = recorded.inputs[name].unit
        number = units.from_base(recorded.inputs[name].value, unit) * generator.uniform(0.8, 1.2)
        amounts[name] = f"{number:.15g} {unit}"
    parts = {part: text(getattr(recorded.formula, part)) for part in PARTS[recorded.formula.kind]}
    if generator.random() < 0.5 or not amounts:
        first = next(iter(parts))
        parts[first] = f"{generator.uniform(0.8, 1.2)!r} * ({parts[first]})"
        return amounts, parts
    return amounts, {}


def lines(amounts, parts):
    formula = [f"formula={', '.join(parts.values())}"] if parts else []
    return [*(f"{name}={amount}" for name, amount in amounts.items()), *formula]


def random_changes():
    """Of 100 quantities of all chapters, one change each."""
    generator = np.random.default_rng(3)
    results = [result for name in EXPERIMENTS for result in results_of(name).values()]
    changes = {}
    for index in generator.permutation(len(results)):
        result = results[index]
        recorded = to_prediction(result.quantity, result.current)
        change = random_change(recorded, generator)
        try:
            changed(recorded, lines(*change))
        except PredictionError:  # no quantity has such a value
            continue
        if result.has_samples and not result.is_of_two_groups and len(changes) < CHANGES:
            changes[result.quantity] = (result, recorded, *change)
    return changes


def in_a_notebook(recorded, amounts, parts):
    """The prediction as a cell makes it: measured inputs have moved, others are as they stand."""
    prediction = changed(recorded, lines(amounts, parts))
    moved = later(RUN, recorded.inputs)
    for name, input_ in prediction.inputs.items():
        if name in amounts:
            number, unit = units.number_and_unit(amounts[name])
            prediction.inputs[name] = rk.given(number, unit, "a reader")
        elif name in moved:
            interval = {"low": 0.0, "high": 2 * moved[name]}
            prediction.inputs[name] = dataclasses.replace(input_, value=moved[name], **interval)
    return prediction


def written(changes, folder):
    path = folder / "predictions.toml"
    tables = []
    for quantity, (_, _, amounts, parts) in changes.items():
        entries = amounts | ({"formula": ", ".join(parts.values())} if parts else {})
        rows = [f"{name} = {json.dumps(value)}" for name, value in entries.items()]
        tables.append("\n".join([f'["{quantity}"]', *rows]))
    path.write_text("\n".join(tables), encoding="utf-8")
    return path


def test_every_way_gives_the_same_value(open_page, recorded, monkeypatch, tmp_path):
    for module in (what_if, what_if_panels):
        monkeypatch.setattr(module, "later_values", later)
    changes = random_changes()
    assert len(changes) == CHANGES
    assert {quantity.split("/")[0] for quantity in changes} == {
        name.split("/")[0] for name in EXPERIMENTS
    }
    file = written(changes, tmp_path)
    config.use(config.settings().model_copy(update={"predictions": file}))
    stored = {quantity: result.entry for quantity, (result, *_) in changes.items()}
    by_file = revisions.with_file(stored)
    of_readers = revisions.read_file(file).quantities
    config.use(None)
    pages = {}
    for quantity, (result, before, amounts, parts) in sorted(changes.items()):
        variant = what_if._variant(RUN, quantity, of_readers[quantity])
        value = np.atleast_1d(variant.prediction.predicted)
        cell = in_a_notebook(before, amounts, parts)
        (tried,) = seal.as_tried([cell], "recorded", Variants())
        revisions.write_overlay("recorded", quantity, prediction_record(cell))
        shown = revisions.with_overlay("recorded", result.experiment, {quantity: result.entry})
        assert list(np.atleast_1d(tried.predictions[-1].predicted)) == list(value)
        assert list(np.atleast_1d(shown[quantity].predictions[-1].predicted)) == list(value)
        assert list(np.atleast_1d(by_file[quantity].predictions[-1].predicted)) == list(value)
        guess = guesses.compared("a reader", quantity, of_readers[quantity], result)
        assert guess.predicted in value
        if result.experiment not in pages:
            pages[result.experiment] = open_page(result.experiment, ())
        numbers = {name: units.number_and_unit(each)[0] for name, each in amounts.items()}
        # The page's own file, link and cell have the numbers to their last digit.
        on_page = pages[result.experiment].evaluate(CHANGE, [quantity, numbers, parts])
        np.testing.assert_allclose(on_page["predicted"], value, rtol=1e-14, err_msg=quantity)
        assert on_page["texts"] == [numbers[name] for name in amounts]
        with_later = what_if._to_json(variant)["predicted_later"]
        np.testing.assert_allclose(
            np.atleast_1d(on_page["later"]),
            units.to_base(np.atleast_1d(with_later), variant.prediction.unit),
            rtol=1e-14,
            err_msg=quantity,
        )
