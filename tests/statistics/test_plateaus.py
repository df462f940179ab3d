"""The levels of a curve: found in made-up ones with known jumps."""

import numpy as np
import pytest
from helpers.staircases import CAPACITIES, FOUR, SIZES, stairs, with_ramps

from reckon.statistics import plateaus as levels

SEEDS = 100
# name: (index of the first point of each next level, the levels, the noise up to which it is found)
SHAPES = {
    "four levels": ([21, 41, 61], [1.1, 3.8, 13, 110], 0.15),
    "three levels": ([21, 45], [1.1, 3.8, 90], 0.15),
    "a level of six points": ([21, 27, 45], [1.1, 3.8, 13, 110], 0.15),
    "six points at the end": ([21, 41, 67], [1.1, 3.8, 13, 110], 0.15),
    "falling": ([21, 41, 61], [50, 20, 8, 3], 0.15),
    # A jump of log 1.5 = 0.41 is 2.7 standard deviations of a noise of 15 %: then its place is off
    # by two points or more in every tenth curve, by any method.
    "a jump of 1.5": ([21, 41, 61], [1.1, 3.8, 5.7, 110], 0.10),
    "no jump": ([], [5.0], 0.15),
    # The memory rises by 30 % over its own level.
    "a level that rises": ([21, 41, 61], [1.1, 3.8, 13, 110 * np.linspace(1, 1.3, 12)], 0.15),
}


def noisy(y, sd, seed):
    return y * np.maximum(0.3, 1 + sd * np.random.default_rng(seed).standard_normal(len(y)))


def plateaus(levels):
    return [level for level in levels if not level.is_ramp]


def right(levels, jumps, heights):
    """As many plateaus as levels, each jump within one step of where it is."""
    flat = plateaus(levels)
    return len(flat) == len(heights) and all(
        abs(before.last + 1 - jump) <= 1 and abs(after.first - jump) <= 1
        for before, after, jump in zip(flat, flat[1:], jumps, strict=False)
    )


CASES = [(shape, sd) for shape in SHAPES for sd in (0, 0.05, 0.10, 0.15) if sd <= SHAPES[shape][2]]


@pytest.mark.parametrize(("shape", "sd"), CASES)
def test_known_jumps_are_found_in_95_of_100_curves(shape, sd):
    jumps, heights, _ = SHAPES[shape]
    y, seeds = stairs(jumps, heights), SEEDS if sd else 1
    hits = sum(
        right(levels.find(SIZES, noisy(y, sd, seed)), jumps, heights) for seed in range(seeds)
    )
    assert hits >= 0.95 * seeds


def test_without_noise_the_levels_are_exact():
    results = levels.find(SIZES, stairs([21, 41, 61], [1.1, 3.8, 13, 110]))
    assert [(level.first, level.last, level.y, level.is_ramp) for level in results] == [
        (0, 20, 1.1, False),
        (21, 40, 3.8, False),
        (41, 60, 13, False),
        (61, 72, 110, False),
    ]
    assert (results[0].x_first, results[0].x_last) == (1024, 32 * 1024)


@pytest.mark.parametrize("sd", [0, 0.05])
@pytest.mark.parametrize("octaves", [2, 3])
def test_a_ramp_is_no_level(octaves, sd):
    hits, end, seeds = 0, 52 + 4 * octaves, SEEDS if sd else 1
    for seed in range(seeds):
        results = levels.find(SIZES, noisy(with_ramps(octaves), sd, seed))
        flat = plateaus(results)
        hits += (
            len(flat) == 4
            and abs(flat[2].last - 52) <= 2
            and abs(flat[3].first - end) <= 3
            and [level.is_ramp for level in results][-3:] == [False, True, False]
        )
    assert hits >= 0.95 * seeds


def test_every_point_is_in_one_level():
    for seed in range(SEEDS):
        results = levels.find(SIZES, noisy(with_ramps(2), 0.15, seed))
        held = [i for level in results for i in range(level.first, level.last + 1)]
        assert held == list(range(len(SIZES)))


def test_levels_that_are_nearly_alike_are_one():
    assert len(levels.find(SIZES, stairs([30], [10, 11.9]))) == 1
    assert len(levels.find(SIZES, stairs([30], [10, 13.5]))) == 2


def test_missing_points_shift_no_jump():
    remaining = np.delete(np.arange(len(SIZES)), [5, 20, 30, 47, 70])
    y = stairs([21, 41, 61], [1.1, 3.8, 13, 110])
    results = levels.find(SIZES[remaining], y[remaining])
    assert [level.x_first for level in results] == [1024, *SIZES[[21, 41, 61]]]


def test_too_few_points_have_no_levels_and_odd_ones_are_refused():
    assert levels.find([1, 2, 4], [1, 1, 9]) == [] == levels.find([], [])
    with pytest.raises(ValueError, match="positive"):
        levels.find(np.arange(8), np.ones(8))
    with pytest.raises(ValueError, match="positive"):
        levels.find(SIZES, np.full(len(SIZES), np.nan))
    with pytest.raises(ValueError, match="ascending"):
        levels.find(SIZES[::-1], np.ones(len(SIZES)))


def named(jumps, heights, capacities=CAPACITIES):
    return levels.names(levels.find(SIZES, stairs(jumps, heights)), FOUR, capacities)


def test_levels_are_named_in_order_or_by_the_capacity_they_lie_under():
    assert named([21, 41, 61], [1.1, 3.8, 13, 110], {"L1": None}) == FOUR
    assert named([21, 45], [1.1, 3.8, 110]) == ["L1", "L2", "main memory"]
    assert named([45, 61], [3.8, 13, 110]) == ["L2", "L3", "main memory"]
    five = named([21, 31, 41, 61], [1.1, 2.5, 3.8, 13, 110])
    assert five == ["L1", "another level", "L2", "L3", "main memory"]
    assert named([21], [1.1, 3.8], {}) == ["level 1", "level 2"]


def test_two_levels_inside_one_cache_are_not_that_and_the_next():
    """As many as expected, and yet the third ends at 724 KiB, inside the second's 1 MiB: no L3 is seen."""
    assert named([21, 34, 39], [1.1, 3.8, 5.5, 110]) == ["L1", "another level", "L2", "main memory"]
    # What takes most of the memory's time is no cache.
    assert named([21, 41, 53], [1.1, 3.8, 70, 110]) == ["L1", "L2", "another level", "main memory"]
    # Reported sizes that are too big for the levels seen there are no reason to call L3 L2.
    assert named([21, 39, 50], [1.1, 3.8, 13, 110]) == FOUR
    cut = levels.find(SIZES[:60], stairs([21, 41, 50], [1.1, 3.8, 13, 110])[:60])
    assert levels.names(cut, FOUR, CAPACITIES) == FOUR


def test_a_ramp_is_named_by_where_it_leads():
    result = levels.find(SIZES, with_ramps(2))
    assert levels.names(result, FOUR, CAPACITIES) == [
        "L1",
        "climb to L2",
        "L2",
        "climb to L3",
        "L3",
        "climb to main memory",
        "main memory",
    ]
    cut = levels.find(SIZES[:58], with_ramps(3)[:58])
    assert levels.names(cut, FOUR, CAPACITIES)[-1] == "climb to the end"
    assert levels.names(levels.find(SIZES, 1 / with_ramps(2)), FOUR, CAPACITIES)[-2][:4] == "fall"
