import numpy as np
import pytest

from reckon.statistics.groups import two_groups, two_values


def test_a_gap_divides_the_medians():
    low, high = two_groups([2.1, 1.0, 2.0, 1.02, 0.98])
    assert low.tolist() == [0.98, 1.0, 1.02] and high.tolist() == [2.0, 2.1]


@pytest.mark.parametrize(
    "medians",
    [
        np.linspace(1, 2, 12),  # wide, without a gap
        [1, 1.01, 0.99, 1.02, 2.0],  # one process alone is no group
        [1.0, 1.0, 1.1, 1.1],  # scatter of processes
        [-1.0, -1.0, 2.0, 2.0],  # differences may be negative
        [1.0, 2.0],
    ],
)
def test_medians_without_two_groups(medians):
    assert two_groups(medians) is None


def test_two_groups_are_two_values_where_each_is_large_and_far_from_the_other():
    low, high = two_values([1.0, 1.02, 0.98, 1.01, 1.4, 1.42, 1.41, 1.39])
    assert (low.median, high.median) == pytest.approx((1.005, 1.405))
    assert low.share == high.share == 0.5


@pytest.mark.parametrize(
    "medians",
    [
        [1.0] * 6 + [2.0] * 2,  # the median lies within the larger group
        [1.0] * 3 + [2.0] * 3,  # so few may be chance
        [1.0, 1.3, 1.6, 1.9, 2.3, 2.7, 3.2, 3.8],  # wide, the gaps no wider than the groups
    ],
)
def test_two_groups_that_are_one_value(medians):
    assert two_groups(medians) and two_values(medians) is None


def test_processes_that_only_scatter_seldom_fall_into_two_values():
    rng = np.random.default_rng(1)
    scattered = np.exp(0.3 * rng.normal(size=(500, 12)))
    assert sum(two_values(medians) is not None for medians in scattered) <= 10
