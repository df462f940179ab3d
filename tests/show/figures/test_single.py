"""Figures of the trials of a quantity."""

import re

import pytest
from helpers import made_up

import reckon as rk
from reckon.show.figures import drawings, style

OUTLYING = re.compile("; [123] of 400 trials lies? beyond the axis")


@pytest.mark.parametrize("draw", [rk.draw.distribution, rk.draw.series])
def test_an_outlier_does_not_flatten_the_others_and_is_counted(build, draw):
    result = made_up.single("cpu/a", 100, "ns", processes=40)
    assert not OUTLYING.search(draw([result], "even", "Trials").markdown)
    result.points[0].processes[3].ticks[5] *= 300
    assert OUTLYING.search(draw([result], "outlier", "Trials").markdown)


def test_a_second_mode_is_no_outlier(build):
    result = made_up.single("cpu/a", 100, "ns", processes=40)
    result.points[0].processes[3].ticks = [t * 300 for t in result.points[0].processes[3].ticks]
    assert "beyond" not in rk.draw.distribution([result], "modes", "Trials").markdown


def labelled(axis):
    """The numbers that a reader sees along the axis."""
    axis.get_figure().draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label.get_text() for at, label in ticks if low <= at <= high and label.get_text()]


def test_the_axis_of_a_distribution_keeps_its_numbers_where_outliers_are_cut(build, monkeypatch):
    seen = []
    save = drawings.Drawing.save

    def look_and_save(drawing, *args):
        seen.append(labelled(drawing.axes.xaxis))
        return save(drawing, *args)

    monkeypatch.setattr(drawings.Drawing, "save", look_and_save)
    result = made_up.single("cpu/a", 1.45, "ns", processes=40)
    rk.draw.distribution([result], "even", "Trials")
    result.points[0].processes[3].ticks[5] *= 3000
    assert "beyond the axis" in rk.draw.distribution([result], "outlier", "Trials").markdown
    assert [len(numbers) >= 2 for numbers in seen] == [True, True], seen


@pytest.mark.parametrize("factor", [1.1, 1.5, 1.99, 2.01, 3, 4.1, 4.99, 5.01, 30, 99, 101, 1e5])
@pytest.mark.parametrize("low", [0.99, 1.01, 1.45, 2.1, 5.1, 8.3])
def test_a_logarithmic_axis_has_at_least_two_numbers(factor, low):
    with drawings.new() as drawing:
        axes = drawing.axes
        axes.set(xscale="log", xlim=(low, low * factor))
        style.plain_log(axes.xaxis)
        assert len(labelled(axes.xaxis)) >= 2
