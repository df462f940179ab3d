"""Measured over predicted."""

import math

import numpy as np
import pytest

from reckon.prediction import ratios


@pytest.mark.parametrize(
    ("predicted", "ratio"), [([1, 2, 4], 2), ([0, 2, 8], 1.25), ([math.nan, math.nan, 4], 1)]
)
def test_the_ratio_of_a_curve_is_the_middle_one_of_those_that_are_finite(predicted, ratio):
    assert ratios.median_ratio(np.full(3, 4.0), np.array(predicted)) == ratio


def test_without_a_finite_ratio_there_is_none():
    assert math.isnan(ratios.median_ratio(np.ones(2), np.zeros(2)))


@pytest.mark.parametrize("ratio", [0, -1, math.inf, math.nan])
def test_what_says_nothing_of_the_prediction_is_not_comparable(ratio):
    assert not ratios.is_comparable(ratio) and not ratios.is_near(ratio)


def test_a_prediction_is_met_up_to_the_same_factor_on_both_sides():
    assert ratios.is_near(1.24) and ratios.is_near(1 / 1.24)
    assert not ratios.is_near(1.26) and not ratios.is_near(1 / 1.26)


def test_a_prediction_is_a_miss_beyond_a_factor_of_two_on_both_sides():
    assert ratios.is_miss(2.01) and ratios.is_miss(1 / 2.01) and ratios.is_miss(0)
    assert not ratios.is_miss(2) and not ratios.is_miss(0.5) and not ratios.is_miss(math.nan)
