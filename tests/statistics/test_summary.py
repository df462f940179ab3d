"""Summaries of samples: values, intervals, warnings, lines."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from reckon import statistics
from reckon.statistics import SampleWarning


def made_up(seed, processes=12, trials=20, centre=100.0, sd=1.0, between=1.0):
    random = np.random.default_rng(seed)
    return [random.normal(centre + random.normal(0, between), sd, trials) for _ in range(processes)]


def test_summary_agrees_with_numpy_and_scipy():
    results = made_up(1)
    pooled = np.concatenate(results)
    s = statistics.summarise(results)
    assert s.median == np.median([np.median(v) for v in results])
    assert s.mean == pytest.approx(pooled.mean())
    assert s.sd == pytest.approx(pooled.std(ddof=1))
    assert s.trimmed_mean == pytest.approx(scipy.stats.trim_mean(pooled, 0.1))
    assert (s.minimum, s.maximum) == (pooled.min(), pooled.max())
    assert s.p99 == pytest.approx(np.percentile(pooled, 99))
    assert s.max_deviation == pytest.approx(abs(pooled - pooled.mean()).max())
    assert (s.n, s.processes) == (240, 12)


def test_the_interval_is_taken_across_processes_not_trials():
    # Processes differ by 10 while trials inside one differ by 0.01: pooling would give an interval
    # a hundred times too narrow.
    s = statistics.summarise(made_up(2, processes=20, sd=0.01, between=10))
    assert s.interval.high - s.interval.low > 3
    assert s.sd_within < 0.02 < 3 < s.sd_across


@pytest.mark.parametrize("n", [6, 9, 20])
@pytest.mark.parametrize("draw", ["normal", "exponential", "two modes"])
def test_the_interval_covers_the_true_median(n, draw):
    """At least 95 % over 600 made-up experiments, whatever the distribution (three standard
    errors of slack)."""
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(600):
        if draw == "normal":
            values, truth = random.normal(5, 1, n), 5
        elif draw == "exponential":
            values, truth = random.exponential(1, n), math.log(2)
        else:
            values = np.where(random.random(n) < 0.4, 1.0, 2.0) + random.normal(0, 0.01, n)
            truth = 1.99 + scipy.stats.norm.ppf((0.5 - 0.4) / 0.6) * 0.01 + 0.01
        low, high = statistics.median_interval(values)
        hits += low <= truth <= high
    assert hits / 600 > 0.95 - 3 * math.sqrt(0.05 * 0.95 / 600)


def test_too_few_processes_give_no_interval_rather_than_zero():
    s = statistics.summarise(made_up(4, processes=5))
    assert not s.interval.is_known and math.isnan(s.interval.high) and math.isnan(s.precision)
    result = statistics.summarise([np.array([3.0])])
    assert math.isnan(result.sd) and math.isnan(result.sd_within) and math.isnan(result.sd_across)


def test_nothing_cannot_be_summarised():
    for nothing in ([], [np.array([])]):
        with pytest.raises(ValueError, match="at least one"):
            statistics.summarise(nothing)


def test_an_interval_ends_at_a_limit_that_trials_keep():
    summary = statistics.summarise([[99.5 + 0.1 * k] for k in range(8)])
    assert summary.at_most(100.2).interval.high == 100.2
    assert summary.maximum == pytest.approx(100.2)
    assert summary.at_most(99).interval == summary.interval  # trials exceed it
    assert summary.at_most(100.2, is_sure=True).interval.high == 100.2
    assert summary.at_most(99, is_sure=True).interval.high == summary.median
    within_a_thousandth = replace(
        summary, maximum=100.05, interval=replace(summary.interval, high=101)
    )
    assert within_a_thousandth.at_most(100).interval.high == 100.05
    assert within_a_thousandth.at_most(200).interval.high == 101


def test_drift_is_noticed_and_noise_is_not():
    random = np.random.default_rng(5)
    steady = 100 + random.normal(0, 0.5, 20)
    assert statistics.drift(steady) is None
    for change in (10, -10):
        warning = statistics.drift(steady + np.linspace(0, change, 20))
        assert warning.kind == "drift" and warning.percent == pytest.approx(change, abs=1)
    alarms = sum(statistics.drift(100 + random.normal(0, 3, 20)) is not None for _ in range(200))
    assert alarms <= 8  # the test is at 1 %


def test_two_modes_are_noticed_and_one_is_not_even_on_a_coarse_counter():
    random = np.random.default_rng(6)
    values = random.normal(100, 10, 500)
    assert statistics.two_modes(values) is None
    assert statistics.two_modes(np.round(values / 20) * 20) is None  # the counter steps by 20
    both = np.concatenate([values, random.normal(200, 10, 500)])
    assert statistics.two_modes(both) == SampleWarning("two modes")


@pytest.mark.parametrize("seed", range(20))
def test_a_line_is_found_with_its_interval(seed):
    random = np.random.default_rng(seed)
    x = np.arange(20.0)
    result = statistics.line(x, 3 + 0.5 * x + random.normal(0, 0.2, len(x)))
    assert result.slope == pytest.approx(0.5, abs=0.05) and result.intercept == pytest.approx(
        3, abs=0.4
    )
    assert abs(result.residuals.sum()) < 1e-9 and len(result.residuals) == 20


def test_the_interval_of_a_slope_covers_the_true_one():
    """At least 92 of 100 made-up lines, for an interval of 95 %; and not all by being wide."""
    random = np.random.default_rng(3)
    x = np.arange(10.0)
    held, widths = 0, []
    for _ in range(100):
        result = statistics.line(x, 2 * x + random.normal(0, 1, len(x)))
        held += result.slope_low <= 2 <= result.slope_high
        widths.append(result.slope_high - result.slope_low)
    assert held >= 90 and np.mean(widths) < 1


def test_a_level_line_and_too_few_points():
    flat = statistics.line([0, 1, 2, 3], [5.0, 5.0, 5.0, 5.0])
    assert (flat.slope, flat.slope_low, flat.slope_high, flat.intercept) == (0, 0, 0, 5)
    with pytest.raises(ValueError, match="at least three points"):
        statistics.line([0, 1], [1, 2])
