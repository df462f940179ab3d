"""The columns of a figure's data."""

import pytest

from reckon.show.figures import drawings, style


def labelled(axis):
    """The numbers that a reader sees along the axis."""
    axis.get_figure().draw_without_rendering()
    low, high = axis.get_view_interval()
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label.get_text() for at, label in ticks if low <= at <= high and label.get_text()]


@pytest.mark.parametrize("factor", [1.1, 1.5, 1.99, 2.01, 3, 4.1, 4.99, 5.01, 30, 99, 101, 1e5])
@pytest.mark.parametrize("low", [0.99, 1.01, 1.45, 2.1, 5.1, 8.3])
def test_a_logarithmic_axis_has_at_least_two_numbers(factor, low):
    with drawings.new() as drawing:
        axes = drawing.axes
        axes.set(xscale="log", xlim=(low, low * factor))
        style.plain_log(axes.xaxis)
        assert len(labelled(axes.xaxis)) >= 2
