import numpy as np
import pytest

from reckon.statistics.groups import two_groups, two_values


def test_a_gap_divides_the_medians():
    low, high = two_groups([2.1, 1.0, 2.0, 1.02, 0.98])
    assert low.tolist() == [0.98, 1.0, 1.02] and high.tolist() == [2.0, 2.1]


def test_two_groups_are_two_values_where_each_is_large_and_far_from_the_other():
    low, high = two_values([1.0, 1.02, 0.98, 1.01, 1.4, 1.42, 1.41, 1.39])
    assert (low.median, high.median) == pytest.approx((1.005, 1.405))
    assert low.share == high.share == 0.5


def test_processes_that_only_scatter_seldom_fall_into_two_values():
    rng = np.random.default_rng(1)
    scattered = np.exp(0.3 * rng.normal(size=(500, 12)))
    assert sum(two_values(medians) is not None for medians in scattered) <= 10
