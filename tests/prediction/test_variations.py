"""What a prediction would be with other inputs."""

import numpy as np
import pytest

import reckon as rk
from reckon.prediction import variations
from reckon.prediction.amounts import amount
from reckon.prediction.expression import PredictionError


@rk.predict("x/call", unit="ns")
def call(switch, path, clock):
    return switch / clock, path / clock


@pytest.fixture
def predicted():
    return call(
        switch=rk.guess(90, "cycle", "both ways", low=60, high=200),
        path=rk.guess(150, "cycle", "the kernel", low=50, high=1200),
        clock=rk.given(3, "GHz", "the data sheet"),
    )


def test_a_changed_input_changes_the_prediction_and_its_interval_holds_it(predicted):
    other = variations.with_values(predicted, {"path": 2400.0})
    assert float(other.predicted) == pytest.approx((90 + 2400) / 3e9)
    assert other.interval() == pytest.approx(((60 + 50) / 3e9, (200 + 2400) / 3e9))
    assert float(predicted.predicted) == pytest.approx(80e-9)


def test_an_input_is_changed_once(predicted):
    with pytest.raises(PredictionError, match="path is given twice; leave one out."):
        variations.changed(predicted, ["path=550", "path=600"])


def test_the_input_that_moves_the_prediction_most_comes_first(predicted):
    moves = variations.sensitivity(predicted)
    assert list(moves) == ["path", "switch"]
    assert moves["path"] == pytest.approx((140 / 240, 1290 / 240))


def test_the_needed_value_meets_the_measurement(predicted):
    path = variations.needed_value(predicted, "path", np.array([200e-9]), [0])
    assert path == pytest.approx(600 - 90)
    assert float(variations.with_values(predicted, {"path": path}).predicted) == pytest.approx(
        200e-9
    )
    clock = variations.needed_value(predicted, "clock", np.array([20e-9]), [0])
    assert clock == pytest.approx(12e9)


def test_no_value_is_needed_if_none_would_do(predicted):
    assert variations.needed_value(predicted, "path", np.array([20e-9]), [0]) is None


def test_an_input_of_zero_may_be_what_is_missing():
    @rk.predict("x/trap", unit="ns", kind="plain")
    def trapped(base, guest, trap):
        return base + guest * trap

    made = trapped(
        base=rk.given(100, "ns", "measured"),
        guest=rk.guess(0, "1", "no guest", low=0, high=1),
        trap=rk.given(1000, "ns", "measured"),
    )
    assert variations.needed_value(made, "guest", np.array([600e-9]), [0]) == pytest.approx(0.5)


def test_a_jump_over_the_measured_value_is_no_solution():
    @rk.predict("x/pages", unit="ns", kind="plain")
    def pages(size, each):
        return np.ceil(size / 10) * each

    made = pages(
        size=rk.guess(5, "1", "a size", low=1, high=100), each=rk.given(100, "ns", "a page")
    )
    assert variations.needed_value(made, "size", np.array([150e-9]), [0]) is None


def test_a_curve_is_met_in_the_median_over_its_measured_points():
    @rk.predict("x/curve", unit="ns", kind="plain")
    def curve(calls, each):
        return calls * each

    made = curve(
        calls=rk.axis([1, 2, 4, 8], "1", "calls"), each=rk.guess(1, "ns", "x", low=1, high=9)
    )
    measured = np.array([6e-9, 12e-9, 100e-9])  # the second point was not measured
    assert variations.needed_value(made, "each", measured, [0, 2, 3]) == pytest.approx(6e-9)


def test_an_amount_is_printed_as_it_may_be_typed_again():
    work = rk.guess(150, "cycle", "some", low=1, high=1e6)
    printed = [amount(value, work) for value in (170_640.4, 231.76, 1e30, 0.00123456, 1)]
    assert printed == [
        "170600 cycles",
        "231.8 cycles",
        "1e+30 cycles",
        "0.001235 cycles",
        "1 cycle",
    ]
