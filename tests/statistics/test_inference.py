"""Intervals for the values of fresh processes."""

import math

import numpy as np
import pytest

from reckon import statistics


def test_the_prediction_interval_holds_the_next_value():
    random = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        *values, following = np.exp(random.normal(3, 0.2, 9))
        low, high = statistics.prediction_interval(values)
        held += low <= following <= high
    assert held == pytest.approx(950, abs=25)
    assert math.isnan(statistics.prediction_interval(values[:5])[0])
