import numpy as np
import pytest

from reckon.statistics import two_groups


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
