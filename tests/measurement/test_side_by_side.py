"""The probes of a group, measured again side by side."""

import dataclasses
import sys
import types

import pytest
from helpers import made_up
from helpers.project import forget

import reckon as rk
from reckon import records
from reckon.comparison.reports.method_groups import Group, Method, MethodResult
from reckon.measurement import library, side_by_side
from reckon.measurement.visit import measure_in_rounds
from reckon.prediction.formula import predict
from reckon.prediction.inputs import axis, given
from reckon.records.quantities.lookup import read_result
from reckon.records.session import current_session

LONG = "test/long"  # the probe test/chain with twice the work


def predicted(quantity):
    return predict(quantity, unit="ns")(lambda it: (it, 0))(it=given(2000, "ns", "made up"))


def execute_page(chain=10240, long=20480, **more):
    """What the page of these two would do."""
    return rk.measure_together(
        {
            predicted("test/chain"): dict(instructions=chain),
            predicted(LONG): dict(instructions=long),
        },
        probe="test/chain",
        samples=4,
        **more,
    )


def group(*probes, **more):
    probes = probes or (Method(quantity=LONG, differs="twice the work"),)
    return Group(name="g", title="A chain", baseline="test/chain", method=probes, **more)


def stored():
    return records.read_record(current_session().run.name, "methods/test").quantities


def compare(group):
    return side_by_side.compare(current_session(), group)


@pytest.fixture
def ran(monkeypatch):
    """The parameters of every process that is started, in order; by a clock that stands still, so that
    there is time for all of them."""
    clock = types.SimpleNamespace(monotonic=lambda: 0.0, sleep=lambda _: None)
    monkeypatch.setattr(sys.modules["reckon.measurement.sampling"], "time", clock)
    seen, run = [], library.run
    monkeypatch.setattr(
        library,
        "run",
        lambda probe, params, **more: (
            seen.append(params["instructions"]),
            run(probe, params, **more),
        )[1],
    )
    return seen


@pytest.mark.timed
def test_a_group_is_measured_again_as_its_pages_measured_it(folders, ran):
    page = execute_page(warmup=2)
    ran.clear()
    comparison = compare(group())
    assert comparison.is_side_by_side and len(ran) == 12 and set(ran) == {10240, 20480}
    ratio = comparison.ratio(comparison.methods[0])
    assert ratio.rounds == 6 and 1.7 < ratio.middle < 2.3
    stored_quantity = stored()["methods/" + LONG]
    assert (
        stored_quantity.measurement.warmup == 2
        and stored_quantity.measurement.samples == page[LONG].measurement.samples
    )
    # Sealed before: that the page's value comes out again.
    seal = stored_quantity.predictions[0]
    assert (
        seal.predicted == page[LONG].median
        and seal.made_at <= stored_quantity.measurement.started_at
    )
    assert seal.inputs[0].reference == LONG
    assert (seal.low, seal.high) == page[LONG].summary.interval.ends


@pytest.mark.timed
def test_a_negative_value_of_a_page_is_not_measured_again(folders, ran, monkeypatch):
    """No prediction says that it comes out again; the group's other methods are compared."""
    execute_page()
    summary = side_by_side._summary

    def negative(page, point):
        sign = -1 if page.quantity == LONG else 1
        return dataclasses.replace(summary(page, point), median=sign * summary(page, point).median)

    monkeypatch.setattr(side_by_side, "_summary", negative)
    ran.clear()
    comparison = compare(group())
    assert (
        comparison.methods[0].reason == "its page's value is negative, which no prediction may be"
    )
    assert ran == []


def test_rounds_come_in_pairs_an_order_and_the_same_backwards(folders, ran):
    plans = {
        predicted(f"test/{letter}"): dict(probe="test/chain", instructions=512 * (k + 1), samples=2)
        for k, letter in enumerate("abcde")
    }
    measure_in_rounds(plans, current_session(), side_by_side._budget())
    rounds = [ran[k : k + 5] for k in range(0, 30, 5)]
    assert all(rounds[k + 1] == rounds[k][::-1] for k in (0, 2, 4))
    assert len({tuple(order) for order in rounds}) > 2  # drawn again for each pair


def test_what_was_measured_is_reused_all_or_none(folders, ran, monkeypatch):
    execute_page()
    first = compare(group())
    ran.clear()
    forget()
    again = compare(group())
    assert ran == [] and again.ratio(again.methods[0]) == first.ratio(first.methods[0])
    # One of them is missing: values of another hour would be no comparison.
    record = records.read_record(current_session().run.name, "methods/test")
    record.quantities["methods/" + LONG].measurement = None
    records.write_record(current_session().run.name, record)
    compare(group())
    assert len(ran) == 12
    monkeypatch.setenv("RECKON_FRESH", "1")
    compare(group())
    assert len(ran) == 24


def test_a_probe_that_is_not_measured_here_says_why(folders):
    comparison = compare(group())
    assert (
        comparison.baseline.reason == "“`test/chain`” has not been measured yet; its page does that"
        and not comparison.is_side_by_side
    )
    execute_page()
    probes = (
        Method(quantity="test/none", differs="x"),
        Method(report="t470", why_not="it does not say how"),
    )
    comparison = compare(group(*probes))
    assert [result.reason for result in comparison.methods] == [
        "“`test/none`” has not been measured yet; its page does that",
        "it does not say how",
    ]
    assert (
        not comparison.is_side_by_side and comparison.baseline.has_value
    )  # alone it is not run again
    comparison = compare(group(from_page="it is long"))
    assert (
        comparison.methods[0].reason == "it is long"
        and comparison.ratio(comparison.methods[0]).rounds == 0
    )


def test_an_expensive_probe_keeps_the_value_of_its_page(folders, request):
    execute_page(long=200_000_000)  # by a clock that goes, or all its processes would run
    ran = request.getfixturevalue("ran")
    comparison = compare(group())
    assert f"one process of “`{LONG}`” takes" in comparison.methods[0].reason and ran == []
    assert comparison.ratio(comparison.methods[0]).middle > 1000


@pytest.mark.timed
def test_a_curve_takes_part_at_one_point(folders, ran):
    execute_page()
    curve = predict("test/curve", unit="ns")(lambda n, it: (n * it, 0))(
        it=given(1, "ns", "made up"), n=axis([5120, 10240], "1", "instructions")
    )
    rk.measure(curve, "test/chain", over="instructions", samples=4)
    ran.clear()
    comparison = compare(group(Method(quantity="test/curve", differs="x", at=5120)))
    assert set(ran) == {5120, 10240} and 0.4 < comparison.ratio(comparison.methods[0]).middle < 0.6
    comparison = compare(group(Method(quantity="test/curve", differs="x", at="last", per=2)))
    assert (
        0.4 < comparison.ratio(comparison.methods[0]).middle < 0.6
    )  # as long as the baseline's, and two of its operations
    sealed = stored()["methods/test/curve"].predictions[
        -1
    ]  # of its own operation, at its last place
    assert sealed.predicted == read_result(current_session().run.name, "test/curve").medians[-1]
    assert compare(group(Method(quantity="test/curve", differs="x", at=77))).methods[0].reason == (
        "its page did not measure it at 77"
    )


def test_a_recorded_run_is_read_and_not_measured(folders, ran):
    execute_page()
    run = current_session().run
    records.write_run(run.model_copy(update={"identity": "elsewhere"}))
    forget()
    ran.clear()
    comparison = compare(group())
    assert (
        current_session().is_replay
        and ran == []
        and "methods/test" not in records.experiments(run.name)
    )
    assert (
        comparison.baseline.reason == "the run did not measure it side by side with others"
        and comparison.ratio(comparison.methods[0]).is_known
    )
    records.write_run(run)
    forget()
    here = compare(group())
    records.write_run(run.model_copy(update={"identity": "elsewhere"}))
    forget()
    ran.clear()
    comparison = compare(group())
    assert (
        ran == []
        and comparison.is_side_by_side
        and comparison.ratio(comparison.methods[0]) == here.ratio(here.methods[0])
    )


@pytest.mark.parametrize(
    ("values", "predicted", "inside"),
    [
        ([[100] * 8, [110] * 2, [110] * 2], 110, (100, 110)),  # pooled, it would be 100
        ([[100] * 7 + [200] * 5], 100, (100, 200)),
        ([[100] * 5 + [200] * 7], 200, (100, 200)),
    ],
)
def test_predicted_is_the_value_of_the_page(values, predicted, inside):
    page = made_up.in_visits(made_up.single("cpu/made/x", 1, "ns", processes=12), values)
    method = Method(quantity=page.quantity, differs="again")
    prediction = side_by_side._prediction(MethodResult(method, (), page=page, point=page.points[0]))
    low, high = (1e9 * end for end in prediction.interval())
    assert 1e9 * prediction.predicted == pytest.approx(predicted)
    assert all(low <= value * 1.0001 and value * 0.9999 <= high for value in inside)
