"""The site's scripts and Python agree: values, parts, intervals, effects, printed numbers."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from helpers.panels import EXPERIMENTS, NULL_CALL, results_of
from helpers.project import PROGRAMS

from reckon import units
from reckon.errors import ReckonError
from reckon.prediction import variations
from reckon.records.quantities.recorded_predictions import needed_guesses, to_prediction
from reckon.show.sentences.verdicts import how_far

pytestmark = pytest.mark.browser

RANDOM_INPUTS = 20  # of each of some 290 formulas
# Along a curve, of all random inputs whose intervals are compared: of one set at least.
GRID_POINTS = 50_000
SAME = {"rtol": 1e-9, "atol": 0, "equal_nan": True}


def random_values(prediction, generator):
    """A value for each input that can be changed, up to ten times smaller or larger."""
    return {
        name: float(given.value or units.factor(given.unit)) * 10 ** generator.uniform(-1, 1)
        for name, given in prediction.inputs.items()
        if given.origin != "axis"
    }


def grid_points(prediction):
    uncertain = sum(given.low is not None for given in prediction.inputs.values())
    return 3**uncertain * np.size(prediction.predicted)


EVALUATE = (PROGRAMS / "evaluate.js").read_text()


def as_is(quantity):
    """The formula with its inputs as they are, as JavaScript's arguments."""
    formula = f"reckon.formulas.byQuantity.get('{quantity}')"
    return f"{formula}, reckon.formulas.inputsOf({formula}, new Map())"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_page_and_python_agree_on_every_formula(open_page, experiment):
    page = open_page(experiment, ())
    generator = np.random.default_rng(1)
    for quantity, result in results_of(experiment).items():
        prediction = to_prediction(quantity, result.current)
        formula = prediction.formula
        changes = [random_values(prediction, generator) for _ in range(RANDOM_INPUTS)]
        intervals = max(1, GRID_POINTS // grid_points(prediction))
        computed = page.evaluate(EVALUATE, [quantity, changes, intervals])
        for k, (values, in_page) in enumerate(zip(changes, computed, strict=True)):
            changed = variations.with_values(prediction, values)
            for part in ("hardware", "software", "predicted"):
                node = getattr(formula, part)
                assert (in_page[part] is None) == (node is None)
                if node is not None:
                    value = np.atleast_1d(changed.value(node))
                    np.testing.assert_allclose(in_page[part], value, err_msg=quantity, **SAME)
            if k < intervals and in_page["interval"] is not None:
                ends = [np.atleast_1d(end) for end in changed.interval()]
                np.testing.assert_allclose(in_page["interval"], ends, err_msg=quantity, **SAME)
            elif k < intervals:
                assert changed.interval() == (None, None)


def test_more_inputs_than_a_grid_takes_give_the_same_interval(open_page, monkeypatch):
    """No recorded formula has more than eight uncertain inputs, so both get a smaller limit."""
    monkeypatch.setattr("reckon.prediction.formula.MAX_GRID_INPUTS", 1)
    for experiment in ("cpu/syscall", "files/read"):
        page = open_page(experiment, ())
        page.evaluate("reckon.data.rules.max_grid_inputs = 1")
        for quantity, result in results_of(experiment).items():
            low, high = to_prediction(quantity, result.current).interval()
            in_page = page.evaluate(EVALUATE, [quantity, [{}], 1])[0]["interval"]
            assert (low is None) == (in_page is None)
            if in_page:
                ends = [np.atleast_1d(low), np.atleast_1d(high)]
                np.testing.assert_allclose(in_page, ends, err_msg=quantity, **SAME)


@pytest.mark.parametrize("experiment", ["cpu/syscall", "files/read", "network/throughput"])
def test_the_page_and_python_agree_on_what_an_input_does(open_page, experiment):
    page = open_page(experiment, ())
    for quantity, result in results_of(experiment).items():
        prediction = to_prediction(quantity, result.current)
        moves = variations.sensitivity(prediction)
        in_page = page.evaluate(f"reckon.formulas.sensitivity({as_is(quantity)})")
        assert [effect["name"] for effect in in_page] == list(moves), quantity
        in_page_moves = [(effect["low"], effect["high"]) for effect in in_page]
        np.testing.assert_allclose(in_page_moves, list(moves.values()) or in_page_moves, **SAME)
        guesses = [name for name, given in prediction.inputs.items() if given.origin == "guess"]
        in_page = {
            name: page.evaluate(f"reckon.formulas.needed({as_is(quantity)}, '{name}')")
            for name in (guesses if result.has_samples else [])
        }
        known = {name: value for name, value in in_page.items() if value is not None}
        assert known == pytest.approx(needed_guesses(result, prediction), rel=1e-9, abs=0)


def numbers():
    """Values of all sizes, ties between two roundings, and what rounds up to another power."""
    generator = np.random.default_rng(2)
    values = generator.uniform(0.1, 1, 3000) * 10.0 ** generator.integers(-12, 18, 3000)
    ties = [k / 8 * 10.0**power for k in range(1, 200) for power in range(4)]
    edges = [0, 0.0001, 0.00009996, 0.9996, 9.995, 99.95, 999.5, 1e15, 9.996e14, 131072, 1.5]
    return [float(value) for value in (*values, *ties, *edges)]


def test_numbers_are_printed_alike(open_page):
    page = open_page("cpu/syscall", ())
    values = numbers()
    signed = [*values, *(-value for value in values), math.inf, -math.inf, math.nan]
    for digits in (2, 3):
        printed = page.evaluate(
            "([v, d]) => v.map(x => reckon.numbers.number(x, d))", [signed, digits]
        )
        assert printed == [units.number(value, digits) for value in signed]
    assert page.evaluate("v => v.map(x => reckon.numbers.plain(x))", signed[:-3]) == [
        units.plain(value) for value in signed[:-3]
    ]
    formula = f"reckon.formulas.byQuantity.get('{NULL_CALL}')"
    printed = page.evaluate(f"v => v.map(x => reckon.numbers.amount(x, {formula}))", signed)
    assert printed == [units.amount(value, "ns") for value in signed]
    intervals = [
        (value, value - below * abs(value), value + above * abs(value))
        for value in signed[:-3]
        for below, above in ((0.3, 2.0), (0.002, 0.0004), (0.05, 0.07), (0, 0), (0.9, 0))
    ]
    printed = page.evaluate(
        f"v => v.map(x => reckon.numbers.amountAndInterval(...x, {formula}))", intervals
    )
    assert printed == [[*units.amount_and_interval(*each, "ns")] for each in intervals]
    shares = [k / 1000 for k in range(1, 1000)] + [k / 200 for k in range(1, 300)]
    printed = page.evaluate("v => v.map(x => reckon.numbers.percent(x))", shares)
    assert printed == [f"{100 * share:.0f}" for share in shares]
    ratios = [value for value in values if 0 < value < 1e12]
    printed = page.evaluate("v => v.map(x => reckon.numbers.howFar(x))", ratios)
    assert printed == [how_far(ratio) for ratio in ratios]


AMOUNTS = [
    map(ast.literal_eval, line.split(" -> "))
    for line in Path(__file__).with_name("amounts.txt").read_text("utf-8").splitlines()[2:]
]


def test_an_amount_is_read_alike(open_page):
    page = open_page()
    formula = "reckon.data.formulas.find(({ author_unit }) => author_unit === 'ns')"
    for text, expected in AMOUNTS:
        typed = page.evaluate(f"text => reckon.numbers.typed(text, {formula})", text)
        try:
            value, fault = units.amount_in_base(text, "ns", "150 ns"), None
        except ReckonError as error:
            value, fault = None, str(error)
        assert typed.get("fault") == fault, text
        if isinstance(expected, (int, float)):
            in_s = pytest.approx(expected * 1e-9, rel=1e-15, abs=0)
            assert typed["value"] == value == in_s, text
            continue
        assert value is None and (expected or "") in fault, text
        assert ("too large" in fault) == (text == "1e999"), text
        says_thousands = text in ("1.234,5", "1,234.5", "1 234", "1_000")
        assert expected or ("thousands" in fault) == says_thousands, text


def test_a_unit_is_read_alike(open_page):
    prefixes, names = units.defined_names()
    letters = [name for name in names if name != "%"]
    texts = [p + name + end for p in prefixes for name in letters for end in ("", "s")]
    texts += ["%", "GB/s", "ns/byte", "cycle*s/byte", "1/s", "nothing/s", "IO/s"]
    factors = """texts => texts.map((text) => reckon.numbers.unitOf(text)?.factor ?? null)"""
    read = dict(zip(texts, open_page().evaluate(factors, texts), strict=True))
    for text, factor in read.items():
        known = units.factor(text) if units.is_unit(text) else None
        assert factor == (known and pytest.approx(known, rel=1e-12)), text
