"""Single reads on a page: means, hits and misses, and which of them waited."""

import numpy as np
import pytest
import seaborn as sns
from helpers import made_up
from helpers.cached_reads import made_of_reads, reads

import reckon as rk
from reckon import records


def _disk(time_s):
    """The input of what the disk adds."""
    return records.InputRecord(name="disk", origin="guess", value=time_s, unit="s", source="made")


def test_a_mean_is_over_all_reads_of_a_process():
    result = reads()
    expected = np.array(
        [np.mean([np.mean(p.ticks) for p in point.processes]) for point in result.points]
    )
    assert result.medians * 1e9 == pytest.approx(expected, rel=0.1)
    assert (
        result.medians[-1] > 10 * result.medians[0]
    )  # a fifth of the reads is slow: no median shows it
    assert result.summaries[-1].n == result.summaries[-1].processes == 6
    assert result.cycles[0].median == pytest.approx(3 * expected[0], rel=0.1)


def test_the_times_of_a_hit_and_a_miss_are_separated():
    text = rk.show.hit_and_miss_times(made_of_reads([2] * 40, [80] * 10)).markdown
    assert "takes 2.00 µs on average, predicted 1.00 µs (2.00×)" in text
    assert "takes 80.0 µs on average, predicted 41.0 µs (1.95×)" in text
    assert "While" not in text  # no file is shown to fit
    text = rk.show.hit_and_miss_times(made_of_reads([2] * 50, [])).markdown
    assert "2.00 µs" in text and "no other read was seen" in text
    missing = made_up.nothing("files/cache/made", "no control group")
    assert "no control group" in rk.show.hit_and_miss_times(missing).markdown


def test_slow_reads_of_files_that_fit_are_no_reads_from_the_disk():
    result = reads()
    result.seal.inputs.append(_disk(80e-6))
    for point in result.points:
        for process in point.processes:  # one cached read in 25 is slow without the disk
            process.ticks = [
                20_000 if ticks < 10_000 and not number % 25 else ticks
                for number, ticks in enumerate(process.ticks)
            ]
    hit, miss = rk.show.hit_and_miss(result)
    assert (hit, miss) == pytest.approx((1.8e-6, 82e-6), rel=0.05)
    text = rk.show.hit_and_miss_times(result).markdown
    assert "predicted 81.0 µs" in text
    assert "While the file fits, 4.0 % of the reads take more than" in text


def test_single_reads_tell_which_waited_and_their_median_is_the_processes():
    result = made_of_reads([2] * 40, [80] * 10)
    shown = rk.show.single_reads([result, made_up.nothing("files/read/made", "no disk")], 9e-6)
    assert shown.has_gap and 2e-6 < shown.limit < 80e-6 and list(shown.times) == [result.quantity]
    assert shown.waited(result.quantity) == pytest.approx(0.2)
    assert shown.time_waited(result.quantity) == pytest.approx(800 / 880)
    assert shown.medians[result.quantity] == pytest.approx(2e-6)
    shown = rk.show.single_reads([made_of_reads([2] * 50, [])], 9e-6)
    assert not shown.has_gap and shown.limit == 9e-6 and shown.waited(result.quantity) == 0
    assert not rk.show.single_reads([], 9e-6).times


def test_trials_of_a_mean_are_still_single_reads(folders):
    result = made_of_reads([2] * 40, [80] * 10)
    result.seal.kind = "mean"
    assert result.median == pytest.approx((40 * 2 + 10 * 80) / 50 * 1e-6)
    assert f"| {2 * 8 * 50} (" in rk.show.conditions([result], "Conditions", "made").markdown
    axes = sns.ecdfplot(rk.samples(result), x="value", hue="title")
    drawn = rk.draw.figure([result], axes, "made", "Made up").markdown
    assert "median 2.00 µs" in drawn.split(":alt: ")[1].splitlines()[0]
