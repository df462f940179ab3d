"""A recorded prediction, evaluated again."""

import pytest

from reckon.records.lookup import all_results
from reckon.records.recorded_predictions import to_prediction


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
