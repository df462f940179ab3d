"""Predictions: inputs, intervals, sealing, and the three kinds of revision."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import made_up

import reckon as rk
from reckon import records
from reckon.prediction import expression
from reckon.prediction.expression import PredictionError
from reckon.prediction.formula import Formula
from reckon.records.quantities.revisions import differences
from reckon.records.seal import prediction_record


def simple(unit="ns", **changes) -> Formula:
    @rk.predict("test/chain", unit=unit)
    def chain(cycles, clock):
        return cycles / clock, 0

    return chain


def inputs(cycles=100, clock=2.0, low=None, high=None):
    return dict(
        cycles=rk.given(cycles, "cycle", "counted"),
        clock=rk.guess(clock, "GHz", "a clock", low=low or clock / 2, high=high or clock * 2),
    )


def test_value_in_base_units_and_the_interval_of_a_guess():
    prediction = simple()(**inputs())
    assert float(prediction.predicted) == pytest.approx(50e-9)
    assert prediction.interval() == pytest.approx((25e-9, 100e-9))


def test_the_interval_sees_a_hump_in_the_middle():
    @rk.predict("x/y", unit="1", kind="plain")
    def hump(x):
        return x * (2 - x)

    prediction = hump(x=rk.guess(1, "1", "corners alone would give 0 to 0", low=0, high=2))
    assert prediction.interval() == (0, 1)


def of_many_inputs(expression: str, count: int = 12) -> Formula:
    """A formula of x0, x1, ...: more than a grid of all combinations takes."""
    names = [f"x{i}" for i in range(count)]
    scope = {"np": np}
    exec(f"def f({', '.join(names)}): return {expression}", scope)
    return rk.predict("x/y", unit="1", kind="plain")(scope["f"])


def loose(count: int = 12, **others):
    guess = rk.guess(1, "1", "loose", low=0, high=2)
    return {f"x{i}": guess for i in range(count)} | others


def test_the_interval_of_many_inputs_sees_a_hump_and_inputs_that_act_together():
    formula = of_many_inputs(
        "x0 * (2 - x0) + x1 * x2 + " + " + ".join(f"0 * x{i}" for i in range(3, 12))
    )
    low, high = formula(**loose(x1=rk.guess(0, "1", "none as it is", low=0, high=3))).interval()
    assert (low, high) == (0, 1 + 3 * 2)


def test_the_interval_of_a_curve_of_many_inputs_is_found_at_each_position():
    formula = of_many_inputs("x0 * (x1 - 1) + " + " + ".join(f"0 * x{i}" for i in range(2, 12)))
    low, high = formula(**loose(x1=rk.axis([0, 1, 3], "1", "its sign turns"))).interval()
    assert low.tolist() == [-2, 0, 0] and high.tolist() == [0, 0, 4]


def test_the_interval_sees_a_hump_beside_the_middle():
    @rk.predict("x/y", unit="ns", kind="plain")
    def hump(t, a):
        return t * a * (2 - a)

    prediction = hump(
        t=rk.given(10, "ns", "a time"), a=rk.guess(1.8, "1", "its top is at 1", low=0, high=1.8)
    )
    low, high = prediction.interval()
    assert (low, high) == pytest.approx((0, 10e-9), rel=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_is_the_range_of_the_formula(seed):
    """Within a hundredth of it, by a dense search of random formulas of three uncertain inputs."""
    generator = np.random.default_rng(seed)
    a, b, c, d = generator.uniform(0.2, 3, 4).round(2)
    shapes = (
        f"x0 * x1 * ({a} - x0) + {b} * x2",
        f"np.minimum(x0, {a}) * ({b} - x1) + {c} / (x2 + {d})",
        f"np.sqrt(x0 * x1) - {a} * x0 + x2 * ({b} - x2)",
        f"np.where(x0 < {a}, x0, {b} * x1) + x2 * x1 * ({c} - x2)",
    )
    formula = of_many_inputs(shapes[seed % len(shapes)], 3)
    ends = [sorted(generator.uniform(0, 3, 3)) for _ in range(3)]
    inputs = {
        f"x{i}": rk.guess(value, "1", "loose", low=low, high=high)
        for i, (low, value, high) in enumerate(ends)
    }
    prediction = formula(**inputs)
    dense = np.meshgrid(*(np.linspace(low, high, 60) for low, _, high in ends))
    values = expression.evaluate(formula.predicted, {f"x{i}": x for i, x in enumerate(dense)})
    slack = 0.01 * np.ptp(values)
    low, high = prediction.interval()
    assert values.min() - slack <= low <= values.min() + 1e-12
    assert values.max() - 1e-12 <= high <= values.max() + slack


def test_a_curve_is_the_same_function_over_an_axis():
    @rk.predict("x/y", unit="ns")
    def curve(calls, each, pair):
        return each, pair / calls

    prediction = curve(
        calls=rk.axis([1, 2, 4], "1", "calls"),
        each=rk.given(100, "ns", "x"),
        pair=rk.guess(20, "ns", "y", low=10, high=40),
    )
    assert prediction.predicted == pytest.approx(np.array([120e-9, 110e-9, 105e-9]))
    low, high = prediction.interval()
    assert low == pytest.approx(np.array([110e-9, 105e-9, 102.5e-9]))
    assert high == pytest.approx(np.array([140e-9, 120e-9, 110e-9]))
    # A part that does not depend on the axis is still as long as the axis.
    assert prediction_record(prediction).hardware == pytest.approx([100e-9] * 3)


def test_a_rate_derives_the_softwares_share():
    @rk.predict("x/y", unit="GB/s", kind="rate")
    def rate(bus, share):
        return bus, bus * share

    record = prediction_record(rate(bus=rk.given(20, "GB/s", "x"), share=rk.given(0.5, "1", "y")))
    assert record.hardware == 20e9 and record.predicted == 10e9 and record.software is None


def test_parts_in_the_wrong_order_are_refused():
    def swapped(cycles, clock):
        hardware = cycles / clock
        software = cycles / clock
        return software, hardware

    with pytest.raises(PredictionError, match="end it with return hardware, software"):
        rk.predict("test/chain", unit="ns")(swapped)(**inputs())


def test_a_division_by_zero_is_refused_before_it_is_sealed():
    with pytest.raises(PredictionError, match="chain gives ∞ ns, with clock = 0"):
        prediction_record(simple()(**{**inputs(), "clock": rk.given(0, "GHz", "stopped")}))


def test_an_input_that_is_not_known_falls_back_to_its_guess_and_says_so(folders, monkeypatch):
    guess = rk.guess(3, "GHz", "one core", low=2, high=5)
    monkeypatch.setattr(type(rk.run().machine), "number", lambda machine, field_name: None)
    unknown = rk.machine("processor.base_clock", otherwise=guess)
    assert (unknown.origin, unknown.value) == ("guess", 3e9)
    assert unknown.instead_of == "processor.base_clock is not reported"
    later = rk.measured("cpu/clock/core", otherwise=guess)
    assert (later.origin, later.value) == ("guess", 3e9)
    assert "has not been measured yet" in later.instead_of
    with pytest.raises(PredictionError, match="has no field processor.speed"):
        rk.machine("processor.speed", otherwise=guess)


def test_a_curve_feeds_a_prediction_by_its_first_place_or_its_last(monkeypatch):
    guess = rk.guess(100, "ns", "memory", low=50, high=400)
    whole = made_up.curve("memory/latency/x", [1, 2, 4], [1, 1, 90])
    session = SimpleNamespace(run=SimpleNamespace(name="a run"))
    monkeypatch.setattr("reckon.records.run_inputs.current_session", lambda: session)
    monkeypatch.setattr(
        "reckon.records.run_inputs.read_result", lambda run, quantity, samples: whole
    )
    assert rk.measured("memory/latency/x", guess).value == pytest.approx(1e-9, rel=0.05)
    last = rk.measured("memory/latency/x", guess, at_end=True)
    assert last.value == pytest.approx(90e-9, rel=0.05) and last.low < last.value < last.high
    prediction = rk.predict("memory/latency/twice", unit="ns", kind="plain")(lambda wait: 2 * wait)(
        wait=last
    )
    assert (
        "measured: [Load latency: x](/notebooks/memory/latency.ipynb), at its last place"
        in rk.show.prediction(prediction, "twice").markdown
    )
    last = whole.measurement.points[-1]
    whole.measurement.points[-1] = last.model_copy(update={"processes": []})
    cut = rk.measured("memory/latency/x", guess, at_end=True)
    assert (cut.origin, cut.value) == (
        "guess",
        guess.value,
    ) and "did not come to its last point" in cut.instead_of
    single = made_up.single("memory/latency/x", 1, "ns")
    monkeypatch.setattr(
        "reckon.records.run_inputs.read_result", lambda run, quantity, samples: single
    )
    with pytest.raises(PredictionError, match="is no curve"):
        rk.measured("memory/latency/x", guess, at_end=True)


def test_a_value_from_machine_toml_feeds_a_prediction(folders):
    (folders / "machine.toml").write_text('[processor]\nbase_clock = "2.6 GHz"\n')
    clock = rk.machine("processor.base_clock", otherwise=rk.guess(3, "GHz", "x", low=2, high=5))
    assert (clock.origin, clock.value, clock.source) == ("machine", 2.6e9, "machine.toml")


def test_a_formula_and_its_inputs_are_revised_by_a_person_alone():
    seal = prediction_record(simple()(**inputs()))
    assert differences(seal, prediction_record(simple()(**inputs()))) == []

    @rk.predict("test/chain", unit="ns")
    def other(cycles, clock):
        return 2 * cycles / clock, 0

    assert differences(seal, prediction_record(other(**inputs()))) == ["formula revised"]
    assert differences(seal, prediction_record(simple()(**inputs(cycles=120)))) == [
        "inputs revised: cycles"
    ]

    def measured(value):
        record = prediction_record(simple()(**inputs()))
        record.inputs[1] = records.InputRecord(
            name="clock",
            origin="measured",
            value=value,
            unit="GHz",
            source="this run",
            reference="cpu/clock/core",
        )
        return record

    assert differences(measured(2e9), measured(2.5e9)) == []
    # Same value in another unit is no revision.
    given = inputs()
    given["cycles"] = rk.given(0.1, "kcycle", "counted")
    assert differences(seal, prediction_record(simple()(**given))) == []


def test_a_prediction_survives_the_record():
    record = prediction_record(simple()(**inputs()))
    again = records.PredictionRecord.model_validate_json(record.model_dump_json())
    assert again == record
    assert json.loads(record.model_dump_json())["predicted_tree"][0] == "add"


def test_octaves_are_whole_lines_from_least_to_most():
    axis = rk.octaves(1, 1024, 4, "KiB", "a region")
    assert axis.origin == "axis" and axis.unit == "KiB" and len(axis.value) == 41
    assert axis.value[0] == 1024 and axis.value[-1] == 2**20
    assert all(value % 64 == 0 for value in axis.value)
    ratios = np.diff(np.log2(axis.value))
    assert np.abs(ratios - 0.25).max() < 0.06  # a line of 64 bytes is that much of 1 KiB
