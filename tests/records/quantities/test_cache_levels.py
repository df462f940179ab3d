"""A cache's value where its probe lies within the cache, and where it does not."""

import numpy as np
import pytest
from helpers import made_up

from reckon.records.quantities.cache_levels import at_level, at_point
from reckon.statistics import plateaus

SIZES_KIB = np.geomspace(256, 32 * 1024, 8)
TIMES_NS = [4, 4, 4, 41, 42, 43, 100, 100]


@pytest.fixture
def walk():
    curve = made_up.curve("memory/latency/random", SIZES_KIB, TIMES_NS, predicted=range(8))
    curve.measurement.axis = "size_bytes"
    return curve


@pytest.fixture
def level(walk):
    return plateaus.Level(
        first=3, last=5, x_first=walk.axis[3], x_last=walk.axis[5], y=42e-9, is_ramp=False
    )


def probe(size_kib):
    result = made_up.single("memory/latency/l3", 100, "ns")
    result.measurement.params["size_bytes"] = round(size_kib * 1024)
    return result


def test_a_probe_within_the_level_has_its_own_value(walk, level):
    within = probe(4096)
    assert at_level(within, walk, level) is within
    assert at_level(within, walk, None) is within


@pytest.mark.parametrize("size_kib", [512, 32 * 1024])
def test_a_probe_outside_of_the_level_is_replaced_by_the_curve(walk, level, size_kib):
    value = at_level(probe(size_kib), walk, level)
    assert value.median == walk.medians[4]
    assert value.quantity == "memory/latency/random at 4 MiB"


def test_of_an_even_number_of_sizes_the_lower_median_is_taken(walk):
    even = plateaus.Level(first=2, last=5, x_first=1, x_last=2, y=0, is_ramp=False)
    assert at_level(probe(512), walk, even).median == walk.medians[3]


def test_a_point_of_a_curve_is_a_single_quantity(walk):
    value = at_point(walk, 4)
    assert not value.is_curve and len(value.points) == 1
    assert value.seal.predicted == pytest.approx(4e-9)
    assert value.ratio == pytest.approx(walk.medians[4] / 4e-9)
    assert value.core_cycles.median == walk.cycles[4].median
    assert value.summary == walk.summaries[4]
    assert walk.is_curve and len(walk.points) == len(SIZES_KIB)
