"""Samples and results as pandas frames."""

import inspect
import re

import numpy as np
import pytest
from helpers import made_up

import reckon as rk

SIZES = [1, 2, 4]


@pytest.fixture
def short():
    return made_up.single("cpu/made/short", 100, "ns")


@pytest.fixture
def curve():
    return made_up.curve("memory/made/curve", SIZES, [10, 20, 30], predicted=5, missing=[1])


def test_every_trial_is_a_row_in_a_common_unit(short):
    long = made_up.single("cpu/made/long", 3, "us", processes=2, seed=2)
    samples = rk.samples(short, long)
    assert samples.groupby("quantity", sort=False).size().tolist() == [80, 20]
    assert set(samples["unit"]) == {"ns"}  # of the first
    medians = samples.groupby("title", sort=False)["value"].median()
    assert medians.to_numpy() == pytest.approx([100, 3000], rel=0.03)
    assert samples["process"].max() == 8
    of_first = samples[samples["quantity"] == short.quantity]
    (values,) = [np.concatenate(short.single_trials(point)) for point in short.points]
    assert of_first["value"].to_numpy() == pytest.approx(values * 1e9)


def test_a_rate_has_a_unit_of_its_own(short):
    rate = made_up.single("memory/made/rate", 5, "GB/s")
    assert rk.frame(short, rate)["unit"].tolist() == ["ns", "GB/s"]


def test_a_curve_has_a_row_for_each_measured_point(curve, short):
    frame = rk.frame(curve, short)
    assert frame["position"].tolist()[:2] == [1, 4] and np.isnan(frame["position"].iloc[2])
    assert frame["position_unit"].tolist() == ["KiB", "KiB", ""]
    assert frame["predicted"].tolist()[:2] == pytest.approx([5, 5])
    assert frame["median"].to_numpy() == pytest.approx([10, 30, 100], rel=0.03)
    assert frame["ratio"].to_numpy() == pytest.approx(frame["median"] / frame["predicted"])
    assert (frame["low"] < frame["median"]).all() and (frame["median"] < frame["high"]).all()
    assert set(rk.samples(curve)["position"]) == {1, 4}


def test_what_was_not_measured_is_a_row_with_its_reason(curve):
    gone = made_up.unmeasured("memory/made/gone", curve)
    (row,) = rk.frame(gone).to_dict("records")
    assert row["state"] == "unsupported" and row["reason"] == "needs huge pages"
    (sample,) = rk.samples(gone).to_dict("records")
    assert np.isnan(row["median"]) and np.isnan(sample["value"])


def test_titles_precede_those_of_the_pages(short):
    titles = {short.quantity: "a short call"}
    for frame in (rk.samples(short, titles=titles), rk.frame(short, titles=titles)):
        assert set(frame["title"]) == {"a short call"}


@pytest.mark.parametrize("make", [rk.samples, rk.frame])
def test_the_help_names_every_column(make, short):
    lines = re.findall(r"^(\w+(?:, \w+)*)(?:  |$)", inspect.cleandoc(make.__doc__), re.M)
    named = {name for line in lines for name in line.split(", ")}
    assert named == {*make(short).columns}
    assert [*make().columns] == [*make(short).columns]
