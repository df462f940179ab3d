"""A quantity of the kind "mean": its value is over all reads of a process, its trials are single reads."""

import numpy as np
import pytest
import seaborn as sns
from helpers.cached_reads import made_of_reads, reads

import reckon as rk


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


def test_trials_of_a_mean_are_still_single_reads(folders):
    result = made_of_reads([2] * 40, [80] * 10)
    result.seal.kind = "mean"
    assert result.median == pytest.approx((40 * 2 + 10 * 80) / 50 * 1e-6)
    assert f"| {2 * 8 * 50} (" in rk.show.conditions([result], "Conditions", "made").markdown
    axes = sns.ecdfplot(rk.samples(result), x="value", hue="title")
    drawn = rk.draw.figure([result], axes, "made", "Made up").markdown
    assert "median 2.00 µs" in drawn.split(":alt: ")[1].splitlines()[0]
