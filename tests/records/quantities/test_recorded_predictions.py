"""A recorded prediction, evaluated again."""

import dataclasses

import numpy as np
import pytest

from reckon.records.quantities.lookup import all_results, read_result
from reckon.records.quantities.recorded_predictions import needed_guesses, ratio, to_prediction


def assert_same(value, recorded_value):
    assert (value is None) == (recorded_value is None)
    if value is not None:
        assert value == pytest.approx(recorded_value, rel=1e-12, abs=0)


def test_every_recorded_prediction_gives_its_values_and_interval_again(recorded):
    results = all_results("recorded")
    assert len(results) > 300
    for result in results:
        stored = result.current
        prediction = to_prediction(result.quantity, stored)
        formula = prediction.formula
        for part in ("hardware", "software", "predicted"):
            value = prediction.value(getattr(formula, part))
            assert_same(value, getattr(stored, part))
        for end, recorded_end in zip(prediction.interval(), (stored.low, stored.high), strict=True):
            assert_same(end, recorded_end)


def test_a_curve_is_compared_where_its_axis_was_measured(recorded):
    """A reader may shorten the axis of a curve that was measured."""
    result = read_result("recorded", "cpu/syscall/amortised")
    whole = to_prediction(result.quantity, result.current)
    name, axis = whole.curve_axis
    shorter = dataclasses.replace(axis, value=axis.value[:3])
    shortened = dataclasses.replace(whole, inputs={**whole.inputs, name: shorter})
    expected = result.medians[:3] / whole.predicted[:3]
    assert ratio(result, shortened) == pytest.approx(np.median(expected))
    assert set(needed_guesses(result, shortened)) <= set(whole.inputs)
