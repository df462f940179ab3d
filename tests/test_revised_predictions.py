"""Figures and tables show a revised prediction beside the sealed one."""

import numpy as np
import pytest
import seaborn as sns
from helpers import made_up
from helpers.tables import rows

import reckon as rk
from reckon.book import contents
from reckon.cli import runs
from reckon.show.tables import tables

X = np.arange(1.0, 11)
LATENCY = 12 + 7 * X


def single(times=None):
    return revised(made_up.single("cpu/made/single", 100, "ns"), times)


def curve(times=None, name="curve", unit="ns"):
    return revised(made_up.curve(f"files/made/{name}", X, LATENCY, unit, predicted=3 * X), times)


def revised(result, times):
    """The result with a prediction revised to this multiple of the sealed one; as sealed for None."""
    if times is not None:
        predicted = (times * np.asarray(result.seal.predicted)).tolist()
        changes = {"predicted": predicted, "formula_id": f"{times} times as much"}
        result.entry.predictions.append(result.seal.model_copy(update=changes))
    return result


def cache_capacity(name, times):
    return contents.findings_of("files/cache").draw_filling(curve(times), name, "C", None)


def levels(name, times):
    return contents.findings_of("memory/latency_figures").levels(
        [curve(times)], curve(), name, "C", {}, {}
    )


def mountain(name, times):
    return contents.findings_of("memory/latency_figures").mountain(
        [curve(times, unit="GB/s")], name, "C", {"files/made/curve": 8}
    )


def pair(name, times):
    return contents.findings_of("memory/bandwidth_figures").pair(
        curve(), curve(times, "other"), name, "C", "x", "y"
    )


def distribution(name, times):
    axes = sns.ecdfplot(rk.samples(single(times)), x="value", hue="title")
    return rk.draw.figure([single(times)], axes, name, "C")


def series(name, times):
    axes = sns.scatterplot(rk.samples(single(times)), x="second", y="value", hue="title")
    return rk.draw.figure([single(times)], axes, name, "C")


FIGURES = {
    "bars": lambda name, times: rk.draw.bars([single(times)], name, "C"),
    "cache-capacity": cache_capacity,
    "curve": lambda name, times: rk.draw.curve(curve(times), name, "C", "x"),
    "curves": lambda name, times: rk.draw.curves([curve(times)], name, "C", "x"),
    "distribution": distribution,
    "fit": lambda name, times: rk.draw.fit(curve(times), name, "C", "x"),
    "levels": levels,
    "mountain": mountain,
    "pair": pair,
    "series": series,
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_draws_a_revised_prediction(tmp_path, monkeypatch, name):
    monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
    sealed, twice, thrice = (FIGURES[name](name, times).svg for times in (None, 2, 3))
    assert "revised" not in sealed
    assert "revised" in twice and "revised" in thrice
    assert twice != thrice  # it is drawn where it lies


TABLES = {
    "single": (lambda times: rk.show.table([single(times)], "C", "n"), [1, 3]),
    "points of a curve": (lambda times: rk.show.table([short_curve(times)], "C", "n"), [1, 3]),
    "slopes": (lambda times: rk.show.fits([curve(times)], "C", "n"), [1, 3]),
}


def short_curve(times):
    return revised(made_up.curve("files/made/short", X[:3], LATENCY[:3], predicted=10), times)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_revised_prediction_and_its_ratio(name):
    make, columns = TABLES[name]
    _, as_sealed, *_ = rows(make(None))
    _, twice, *_ = rows(make(2))
    for k, (before, after) in enumerate(zip(as_sealed, twice, strict=True)):
        if k not in columns:
            assert after == before
            continue
        sealed, revised = after.split("; revised ")
        factor = 2 if k == 1 else 0.5
        assert sealed == before
        assert number(revised) == pytest.approx(factor * number(before), rel=0.01)


def number(text):
    return float(text.split()[0].rstrip("×"))


def test_a_whole_curve_has_its_revised_ends():
    assert tables.predicted_cell(curve()) == "3.00 ns to 30.0 ns"
    assert tables.predicted_cell(curve(2)) == "3.00 ns to 30.0 ns; revised 6.00 ns to 60.0 ns"


def test_a_curve_that_ended_early_has_its_prediction_where_it_was_measured():
    half = made_up.curve("files/made/half", [1, 2, 4], [5, 6, 7], predicted=[3, 6, 12], missing=[2])
    assert tables.predicted_cell(half) == "3.00 ns to 6.00 ns"


def test_the_command_line_gives_the_ratio_to_the_revised_prediction():
    def ratio(times):
        return runs._row(single(times), "measured", None)[2]

    sealed = ratio(None)
    assert "now" not in sealed and ratio(0.5).startswith(f"{sealed}, now ")
