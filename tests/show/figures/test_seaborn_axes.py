"""Figures that seaborn drew on the frames of results."""

import re

import pytest
import seaborn as sns
from helpers import made_up
from matplotlib.colors import to_hex

import reckon as rk
from reckon.show.figures import drawings

OUTLYING = re.compile("; [123] of 400 trials lies? beyond the axis")


def distribution(*results):
    axes = sns.ecdfplot(rk.samples(*results), x="value", hue="title")
    return rk.draw.figure([*results], axes, "drawn", "Trials")


def series(*results):
    axes = sns.scatterplot(rk.samples(*results), x="second", y="value", hue="title")
    return rk.draw.figure([*results], axes, "drawn", "Trials")


def rows(*results):
    axes = sns.boxenplot(rk.samples(*results), x="value", y="title")
    return rk.draw.figure([*results], axes, "drawn", "Trials")


def curves(*results):
    axes = sns.lineplot(rk.frame(*results), x="position", y="median", hue="title")
    return rk.draw.figure([*results], axes, "drawn", "Points")


@pytest.fixture
def short():
    return made_up.single("cpu/made/short", 100, "ns", processes=40)


@pytest.fixture
def drawn(build, monkeypatch):
    """The drawings that were saved."""
    saved = []
    save = drawings.Drawing.save

    def look_and_save(drawing, *args):
        saved.append(drawing)
        return save(drawing, *args)

    monkeypatch.setattr(drawings.Drawing, "save", look_and_save)
    return saved


@pytest.mark.parametrize("draw", [distribution, series, rows])
def test_an_outlier_does_not_flatten_the_others_and_is_counted(build, short, draw):
    assert not OUTLYING.search(draw(short).markdown)
    short.points[0].processes[3].ticks[5] *= 300
    assert OUTLYING.search(draw(short).markdown)


def test_a_second_mode_is_no_outlier(build, short):
    short.points[0].processes[3].ticks = [t * 300 for t in short.points[0].processes[3].ticks]
    assert "beyond" not in distribution(short).markdown


def test_the_axis_of_a_distribution_keeps_its_numbers_where_outliers_are_cut(drawn):
    result = made_up.single("cpu/a", 1.45, "ns", processes=40)
    distribution(result)
    result.points[0].processes[3].ticks[5] *= 3000
    assert "beyond the axis" in distribution(result).markdown
    for drawing in drawn:
        axis = drawing.axes.xaxis
        low, high = axis.get_view_interval()
        assert sum(low <= at <= high for at in axis.get_majorticklocs()) >= 2


def test_a_prediction_has_the_colour_of_its_quantity_also_behind_one_without_samples(drawn, short):
    long = made_up.single("cpu/made/long", 200, "ns")
    distribution(made_up.unmeasured("cpu/made/gone", short), short, long)
    (drawing,) = drawn
    names = [handle.get_label() for handle in drawing.legend_handles]
    assert names == ["short", "long", "predicted, in the same colour"]
    of_legend = [to_hex(handle.get_color()) for handle in drawing.legend_handles[:2]]
    dashed = [line for line in drawing.axes.lines if line.get_linestyle() == "--"]
    assert [line.get_color() for line in dashed[:2]] == of_legend
    assert [line.get_xdata()[0] for line in dashed[:2]] == pytest.approx([100, 200])


def test_a_row_has_its_prediction_in_it(drawn, short):
    long = made_up.single("cpu/made/long", 200, "ns")
    rows(long, made_up.unmeasured("cpu/made/gone", short), short)
    crosses = [line for line in drawn[0].axes.lines if line.get_marker() == "x"]
    assert [*map(list, crosses[0].get_data())] == [pytest.approx([200, 100]), [0, 2]]


def test_data_are_steps_of_a_distribution_or_a_row_for_each_process(short, data):
    distribution(short)
    header, *steps = data("drawn")
    assert header == ["quantity", "value [ns]", "share at or below"] and len(steps) == 200
    assert steps[-1][2] == "1" and float(steps[100][1]) == pytest.approx(100, rel=0.03)
    series(short)
    header, *processes = data("drawn")
    assert header[2:] == ["median [ns]", "minimum [ns]", "maximum [ns]"] and len(processes) == 40


def test_curves_have_their_predictions_and_intervals(drawn):
    slow, fast = (
        made_up.curve(f"memory/made/{name}", [1, 2, 4], [height, 2 * height, 3 * height])
        for name, height in (("slow", 20), ("fast", 5))
    )
    block = curves(slow, fast)
    assert "slow against position: from 20" in block.markdown
    assert len(drawn[0].axes.containers) == 2  # error bars


@pytest.mark.parametrize("draw", [distribution, series, rows, curves])
def test_without_samples_there_is_a_sentence(build, draw):
    gone = made_up.nothing("cpu/made/gone", "needs huge pages")
    assert draw(gone).markdown == "There is nothing to draw (unsupported: needs huge pages)."
