"""Whether a quantity was steady: levels that change for good, and slow trials that come in bursts."""

import numpy as np
import pytest
from helpers import made_up

import reckon as rk
from reckon import statistics
from reckon.records.result import Result


def noise(n, sd=0.05):
    return np.exp(np.random.default_rng(1).normal(0, sd, n))


def test_a_level_that_changes_for_good_is_found_where_it_does():
    values = 100 * noise(24)
    assert statistics.shift(values) is None
    values[15:] *= 2
    found = statistics.shift(values)
    assert found.first == 15 and found.after / found.before == pytest.approx(2, rel=0.1)


def test_what_is_small_short_or_gradual_noise_is_no_change_of_level():
    values = 100 * noise(24)
    values[15:] *= 1.15
    assert statistics.shift(values) is None
    assert statistics.shift([1, 1, 5, 5]) is None and statistics.shift([]) is None
    values = 100 * noise(24)
    values[7] *= 5  # one slow group
    assert statistics.shift(values) is None
    assert statistics.shift(100 * noise(24, 0.6)) is None


def test_slow_trials_side_by_side_are_a_burst():
    flags = np.zeros(400, bool)
    flags[::20] = True
    assert statistics.clustered(flags) is None
    flags[:] = False
    flags[100:120] = True
    assert statistics.clustered(flags) == pytest.approx(19 / 20 * 400 / 20, rel=0.06)
    assert statistics.clustered([]) is None and statistics.clustered([True, True]) is None


def over_time(values_us):
    """A quantity whose processes ran one second apart, each with some of these trials."""
    one = made_up.single("files/read/stream", 100, "µs", processes=8)
    point = one.points[0]
    parts = np.array_split(np.asarray(values_us, float), 8)
    processes = [
        p.model_copy(
            update={"ticks": [round(v * 1000) for v in part], "ops": 1, "started_s": float(i)}
        )
        for i, (p, part) in enumerate(zip(point.processes, parts, strict=True))
    ]
    measured = one.measurement.model_copy(
        update={"points": [point.model_copy(update={"processes": processes})]}
    )
    return Result(one.quantity, one.record.model_copy(update={"measurement": measured}), "measured")


def told(values_us):
    return rk.show.steadiness(over_time(values_us), "reads").markdown


def test_a_steady_quantity_is_called_so():
    text = told(100 * noise(240))
    assert (
        "No change of level that lasts" in text
        and "No trial took more than 3 times the median." in text
    )
    assert "240 trials of reads in 24 groups" in text


def test_a_disk_whose_burst_is_spent_is_called_so():
    values = 100 * noise(240)
    values[120:] *= 2.4
    text = told(values)
    assert (
        "**It changed its level**: from 4.00 s on, 239 µs in place of 100 µs" in text
        and "burst allowance is spent" in text
    )
    assert "burst allowance is back" in told(values[::-1])


def test_slow_trials_alone_and_together_are_told_apart():
    values = 100 * noise(240)
    values[5::24] = 900
    assert (
        "4.2 % of the trials took more than 3 times the median, the longest 900 µs; they come one by one."
        in told(values)
    )
    values = 100 * noise(240)
    values[60:72] = 900
    assert "**they come in bursts**: one follows another 18 times as often" in told(values)


def test_what_was_not_measured_says_why():
    text = rk.show.steadiness(made_up.nothing("files/read/stream", "no disk"), "reads").markdown
    assert text == "How steady reads is could not be seen: no disk."


def test_the_figure_has_every_trial_at_its_own_time(folders):
    from reckon.records.result import trial_times_s

    one = over_time([100] * 80)
    process = one.points[0].processes[3]
    assert trial_times_s(process, one.measurement) == pytest.approx(3 + 1e-4 * np.arange(10))
    assert (
        "read-x.svg" in {p.name for p in (folders / "_build/figures").iterdir()}
        if rk.draw.series([one], "read-x", "Caption")
        else False
    )
