"""Predictions on a page: with the inputs that they were sealed with."""

from types import SimpleNamespace

import pytest
from helpers import made_up, tables

import reckon as rk
from reckon import records
from reckon.prediction.inputs import Input
from reckon.records.quantities.recorded_predictions import prediction_record
from reckon.show import formulas


@rk.predict("cpu/made/twice", unit="ns", kind="plain")
def twice(wait, times):
    return times * wait


def waiting(ns, **interval):
    source = {"source": "measured in this run", "reference": "cpu/made/wait"}
    return Input("measured", ns * 1e-9, "ns", **source, **interval)


@pytest.fixture
def sealed(monkeypatch):
    """Sealed when the wait was 100 ns; the later values of its inputs."""
    record = prediction_record(twice(wait=waiting(100), times=rk.given(2, "1", "there and back")))
    result = SimpleNamespace(current=record, unit="ns", points=[], has_samples=True)
    session = SimpleNamespace(run=SimpleNamespace(name="a run"))
    monkeypatch.setattr(formulas, "current_session", lambda: session)
    monkeypatch.setattr(formulas, "read_result", lambda run, quantity: result)
    entry = SimpleNamespace(predictions=[record], has_samples=True)
    monkeypatch.setattr(records, "read_measured", lambda run, quantity, **_: entry)
    monkeypatch.setattr(formulas, "needed_values", lambda *arguments: {})
    later = {}
    monkeypatch.setattr(formulas, "later_values", lambda run, inputs: later)
    return later


def test_a_later_median_of_an_input_does_not_change_the_printed_prediction(sealed):
    sealed["wait"] = 120e-9
    now = twice(wait=waiting(120), times=rk.given(2, "1", "there and back"))
    shown = formulas.prediction(now, "twice").markdown
    assert "**Predicted: 200 ns**. The prediction uses the values that were known when" in shown
    assert "| wait | 100 ns |" in shown and "120" not in shown
    assert "differ: “wait” by 20 %. With the later values the prediction would be 240 ns." in shown
    assert "| 200 ns |" in formulas.predictions([now], "Both", "both").markdown


def test_a_prediction_is_the_value_that_is_displayed_and_prints_the_later_one_too(sealed):
    now = twice(wait=waiting(120), times=rk.given(2, "1", "there and back"))
    assert now.predicted == pytest.approx(200e-9) and now.later.predicted == pytest.approx(240e-9)
    both = "cpu/made/twice predicted: 200 ns; with the later values of its inputs 240 ns"
    assert repr(now) == both
    changed = twice(wait=waiting(100), times=rk.given(3, "1", "there, back and there"))
    assert repr(changed) == "cpu/made/twice predicted: 300 ns"


def test_the_panel_of_a_folded_formula_is_not_folded(sealed):
    now = twice(wait=waiting(100), times=rk.given(2, "1", "there and back"))
    shown = formulas.prediction(now, "twice", fold="The formula").markdown
    folded, _, after = shown.partition("\n::::\n")
    assert folded.startswith("::::{dropdown} The formula\n") and "Predicted: " in folded
    assert "reckon-what-if" in after and "reckon-what-if" not in folded


def test_inputs_that_moved_by_less_than_a_per_cent_are_not_listed(sealed):
    sealed["wait"] = 100.5e-9
    now = twice(wait=waiting(100.5), times=rk.given(2, "1", "there and back"))
    assert "**Predicted: 200 ns**.\n" in formulas.prediction(now, "twice").markdown


def test_what_a_person_changed_is_printed_with_the_other_inputs_as_sealed(sealed):
    sealed["wait"] = 120e-9
    changed = twice(wait=waiting(120), times=rk.given(3, "1", "there, back and there"))
    shown = formulas.prediction(changed, "twice").markdown
    assert "**Predicted: 300 ns**. " in shown and "values the prediction would be 360 ns." in shown


HEADER = ["Input", "Value", "Interval", "Moves the prediction"]
NEEDED = "Would be right at"


def shown_with(monkeypatch, result, made):
    """The table of inputs of the prediction, where the run has that result."""
    session = SimpleNamespace(run=SimpleNamespace(name="a run"))
    monkeypatch.setattr(formulas, "current_session", lambda: session)
    monkeypatch.setattr(formulas, "read_result", lambda run, quantity: result)
    return tables.rows(formulas.prediction(made, "twice"))


def uncertain():
    """100 ns twice, one of which is a guess, the other measured."""
    wait = waiting(100, low=90e-9, high=120e-9)
    return twice(wait=wait, times=rk.guess(2, "1", "there and back", low=1, high=4))


def of_record(result, made):
    """The result with that prediction as the sealed one."""
    result.entry.predictions[:] = [prediction_record(made)]
    return result


def recorded(made, measured_ns):
    return of_record(made_up.single("cpu/made/twice", measured_ns, "ns"), made)


def test_each_uncertain_input_has_its_effect_and_what_would_meet_the_measurement(monkeypatch):
    made, result = uncertain(), recorded(uncertain(), 300)
    header, wait, times = shown_with(monkeypatch, result, made)
    assert header == [*HEADER, NEEDED, "Where it comes from"]
    assert wait[3] == "0.900× to 1.20×" and times[3] == "0.500× to 2.00×"
    assert needed_number(wait[4]) == pytest.approx(result.median / 2 / 1e-9, rel=0.01)
    assert needed_number(times[4]) == pytest.approx(result.median / 100e-9, rel=0.01)
    assert " ns (outside its interval)" in wait[4] and "outside" not in times[4]


def needed_number(cell):
    return float(cell.removeprefix('<span class="needed">').removesuffix("</span>").split()[0])


def test_before_it_is_measured_no_value_would_meet_the_measurement(monkeypatch):
    header, *_ = shown_with(monkeypatch, None, uncertain())
    assert header == [*HEADER, "Where it comes from"]


def test_an_input_without_an_interval_has_no_effect_and_no_needed_value(monkeypatch):
    made = twice(wait=waiting(100), times=rk.guess(2, "1", "there and back", low=1, high=4))
    _, wait, times = shown_with(monkeypatch, recorded(made, 300), made)
    assert wait[3:5] == ["–", "–"] and "–" not in times[3:5]


@rk.predict("cpu/made/calls", unit="ns", kind="plain")
def calls(wait, calls):
    return wait * calls


def test_samples_at_positions_that_the_prediction_lacks_are_not_compared(monkeypatch):
    axis = rk.axis([1, 2, 4], "1", "calls")
    made = calls(wait=rk.guess(100, "ns", "a wait", low=90, high=120), calls=axis)
    there = made_up.curve("cpu/made/calls", [1, 2, 4], [150, 300, 600], axis_unit="1")
    header, wait, _ = shown_with(monkeypatch, of_record(there, made), made)
    assert needed_number(wait[4]) == pytest.approx(150, rel=0.03) and NEEDED in header
    elsewhere = made_up.curve("cpu/made/calls", [1, 2, 3], [150, 300, 450], axis_unit="1")
    header, *_ = shown_with(monkeypatch, of_record(elsewhere, made), made)
    assert NEEDED not in header
