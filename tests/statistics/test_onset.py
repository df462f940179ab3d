"""Where a cache is full: found in made-up reads whose onset is known."""

import numpy as np
import pytest
from helpers.cached_reads import SHARES, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.statistics import onset


def counts(capacity, reads=2400, background=0.0004, seed=1, shares=SHARES):
    n = np.full(len(shares), reads)
    return np.random.default_rng(seed).binomial(n, onset.rise(shares, capacity, background)), n


@settings(max_examples=60, deadline=None)
@given(st.floats(0.85, 1.1), st.floats(0, 0.01), st.integers(0, 10**6))
def test_a_known_onset_is_found_within_two_percent(capacity, background, seed):
    result = onset.find(SHARES, *counts(capacity, 2400, background, seed))
    assert result.capacity == pytest.approx(capacity, rel=0.02)
    assert result.low <= result.capacity <= result.high
    assert SHARES[result.fits] <= result.capacity < [*SHARES, np.inf][result.fits + 1]


def test_its_interval_holds_nineteen_times_of_twenty():
    results = [onset.find(SHARES, *counts(0.99, 400, seed=seed)) for seed in range(200)]
    assert np.mean([result.low <= 0.99 <= result.high for result in results]) >= 0.9
    assert np.median([result.high - result.low for result in results]) < 0.02


def test_without_an_onset_none_is_found():
    """But for chance, which makes one of some thousand look like one."""
    backgrounds = np.random.default_rng(7).uniform(0, 0.02, 500)
    results = [
        onset.find(SHARES, *counts(1e9, 2400, background, seed))
        for seed, background in enumerate(backgrounds)
    ]
    none = [result.reason for result in results if result.capacity is None]
    assert len(none) >= 499 and set(none) == {"the cache was not filled: no jump was found"}


@pytest.mark.parametrize("capacity", [0.1, 0.3, 0.5])
def test_a_smallest_file_that_does_not_fit_is_reported(capacity):
    result = onset.find(SHARES, *counts(capacity))
    assert result.capacity is None and "already the smallest file does not fit" in result.reason


def test_whole_passes_in_order_rise_at_once():
    """They miss everywhere beyond the capacity, which random reads do not."""
    assert onset.step(SHARES, np.where(SHARES > 1, 40.0, 1.0)).capacity == 1


def test_odd_sizes_are_refused():
    for wrong in (onset.find, onset.step):
        with pytest.raises(ValueError, match="ascending"):
            wrong([3, 2, 1], *([[1, 1, 1]] * (2 if wrong is onset.find else 1)))
        with pytest.raises(ValueError, match="three sizes"):
            wrong([1, 2], *([[1, 1]] * (2 if wrong is onset.find else 1)))


@pytest.mark.parametrize("share", [0.002, 0.05, 0.5, 0.9])
def test_the_threshold_lies_between_the_two_modes(share):
    times = modes(0.8e-6, 80e-6, share, 5000)
    limit = onset.slow_from(times)
    assert 2e-6 < limit < 40e-6
    assert (times >= limit).mean() == pytest.approx(share, abs=0.01)


def test_cached_reads_that_move_a_batch_of_pages_are_not_slow():
    """One in 31, ten times as long: seen on Linux 6.18."""
    times = np.concatenate([modes(1.4e-6, 14e-6, 1 / 31, 5000), modes(1.4e-6, 80e-6, 1, 600)])
    assert 16e-6 < onset.slow_from(times) < 60e-6


def test_one_mode_has_no_slow_reads():
    assert onset.slow_from(modes(0.8e-6, 80e-6, 0, 5000)) is None
    assert onset.slow_from(modes(0.8e-6, 80e-6, 1, 5000)) is None
    assert onset.slow_from([]) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 15), st.floats(1.8, 60), st.floats(0, 0.08), st.integers(0, 10**6))
def test_a_step_of_times_is_found_at_its_size(place, times, noise, seed):
    sizes = np.arange(1.0, 18)
    y = np.where(np.arange(17) < place, 1.0, times) * np.random.default_rng(seed).lognormal(
        0, noise, 17
    )
    result = onset.step(sizes, y)
    assert (result.low, result.high) == (
        sizes[place - 1],
        sizes[place],
    ) and result.capacity == result.low


@pytest.mark.parametrize("noise", [0, 0.05, 0.1])
def test_without_a_step_none_is_found(noise):
    y = np.random.default_rng(3).lognormal(0, noise, 17)
    assert onset.step(np.arange(1.0, 18), y).capacity is None


def test_a_peak_is_no_step():
    y = np.ones(17)
    y[6] = 5
    assert onset.step(np.arange(1.0, 18), y).capacity is None
