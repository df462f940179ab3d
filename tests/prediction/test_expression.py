"""The expression tree: tracing, value, dimensions, LaTeX, JSON, identity."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon import units
from reckon.prediction import expression
from reckon.prediction.expression import PredictionError

OUTSIDE = 4096


def one(function):
    return expression.trace(function)[1][0]


def test_the_tree_keeps_the_authors_order():
    node = one(lambda a, b, c: b / c + 2 * (a - (b - a)) / c)
    assert expression.text(node) == "b / c + 2 * (a - (b - a)) / c"


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda a, b: a if a < b else b, "np.where"),
        (lambda a, b: min(a, b), "np.minimum"),
        (lambda a, b: a and b, "np.where"),
        (lambda a: math.sqrt(a), "np.sqrt"),
        (lambda a: math.ceil(a), "np.ceil"),
        (lambda a: round(a), "np.ceil"),
        (lambda a: a == 3, "compare with < or >"),
        (lambda a: a // 2, "np.floor"),
        (lambda a: a % 2, "np.floor"),
        (lambda a: a * OUTSIDE, "OUTSIDE is a number from outside the function"),
        (lambda a: np.sum(a), "np.sum cannot"),
        (lambda a: np.sin(a), "np.sin cannot"),
        (lambda a: a * units.registry().Quantity(1, "s"), "pint quantity"),
        (lambda a: a + "b", "make it an input"),
        (lambda a: a * np.array([1, 2]), "make it an axis"),
        (lambda a: sum(x for x in a), "written for one value"),
        (lambda a=3: a, "has a default"),
        (lambda *a: a, "inputs have names"),
    ],
)
def test_what_cannot_be_traced_says_what_to_write_instead(function, says):
    with pytest.raises(PredictionError, match=says.replace("(", r"\(").replace(".", r"\.")):
        expression.trace(function)


def test_a_number_hidden_in_a_helper_is_found():
    def helper(x):
        return x * OUTSIDE

    with pytest.raises(PredictionError, match="OUTSIDE"):
        expression.trace(lambda a: helper(a))


def test_numpy_gives_the_same_nodes_as_operators():
    assert expression.to_json(one(lambda a, b: np.add(a, b))) == expression.to_json(
        one(lambda a, b: a + b)
    )
    assert expression.to_json(one(lambda a: np.float64(2) * a)) == expression.to_json(
        one(lambda a: 2 * a)
    )


def test_adding_in_place_gives_the_same_node_as_adding():
    def in_place(a, b):
        a += b
        return a

    assert expression.to_json(one(in_place)) == expression.to_json(one(lambda a, b: a + b))


def test_ceil_does_not_round_a_whole_number_up():
    node = one(lambda a, b: np.ceil(a / b))
    wrong = [k for k in range(1, 1000) if expression.evaluate(node, {"a": k * 0.1, "b": 0.1}) != k]
    assert wrong == []
    assert expression.evaluate(node, {"a": 1.3e6, "b": 65536.0}) == 20


def test_dimension_errors_name_the_part_also_in_a_branch_not_taken():
    dimensions = {"a": units.dimension("s"), "c": units.dimension("byte")}
    with pytest.raises(PredictionError, match="a is a time; c is an amount of data.*added"):
        expression.dimension(one(lambda a, c: a + c), dimensions)
    with pytest.raises(PredictionError, match="cannot be added"):
        expression.dimension(one(lambda a, c: np.where(a > 2 * a, a, c + a)), dimensions)
    with pytest.raises(PredictionError, match="log takes a plain number"):
        expression.dimension(one(lambda a: np.log(a)), dimensions)


def test_zero_has_every_unit():
    dimensions = {"a": units.dimension("s")}
    assert expression.dimension(one(lambda a: a + 0), dimensions) == units.dimension("s")
    with pytest.raises(PredictionError, match="a plain number"):
        expression.dimension(one(lambda a: a + 1), dimensions)


def test_dimensions_of_roots_and_powers():
    dimensions = {"a": units.dimension("s")}
    assert expression.dimension(one(lambda a: np.sqrt(a * a)), dimensions) == units.dimension("s")
    assert expression.dimension(one(lambda a: a**2), dimensions) == units.dimension("s") ** 2


def test_latex_shows_names_numbers_and_brackets():
    node = one(lambda page_size, rate: 2 * (page_size - rate) / rate)
    assert expression.latex(node) == (
        r"\frac{2 \cdot \left(\text{page size} - \text{rate}\right)}{\text{rate}}"
    )
    assert expression.latex(node, {"page_size": "4", "rate": "2"}) == (
        r"\frac{2 \cdot \left(4 - 2\right)}{2}"
    )
    cases = expression.latex(one(lambda a, b: np.where(a > b, a, np.ceil(b))))
    assert r"\begin{cases}" in cases and r"\lceil" in cases


def test_identity_ignores_layout_and_helpers_but_not_order_or_unit():
    def helper(x, y):
        return x / y

    plain = expression.to_json(one(lambda a, b: a / b + 1))
    helped = expression.to_json(one(lambda a, b: helper(a, b) + 1))  # a comment
    turned = expression.to_json(one(lambda a, b: 1 + a / b))
    assert expression.identity([plain], "ns") == expression.identity([helped], "ns")
    assert expression.identity([plain], "ns") != expression.identity([turned], "ns")
    assert expression.identity([plain], "ns") != expression.identity([plain], "us")
    assert expression.identity([plain], "ns").startswith("1:")


leaves = st.sampled_from("abc").map(lambda n: expression.Node("input", n)) | st.integers(1, 99).map(
    lambda v: expression.Node("const", float(v))
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(st.sampled_from(["add", "sub", "mul", "div", "min", "max"]), inner, inner).map(
            lambda t: expression.Node(*t)
        )
        | inner.map(lambda n: expression.Node("ceil", n))
    ),
    max_leaves=12,
)


@given(trees, st.floats(0.1, 100), st.floats(0.1, 100), st.floats(0.1, 100))
@settings(max_examples=200)
def test_json_round_trip_keeps_the_tree_and_its_value(tree, a, b, c):
    again = expression.from_json(json.loads(json.dumps(expression.to_json(tree))))
    assert expression.to_json(again) == expression.to_json(tree)
    values = dict(a=a, b=b, c=c)
    np.testing.assert_equal(expression.evaluate(again, values), expression.evaluate(tree, values))


@given(trees, st.floats(0.1, 100), st.floats(0.1, 100), st.floats(0.1, 100))
@settings(max_examples=200)
def test_the_text_is_the_formula(tree, a, b, c):
    """Python, reading the tree's text, computes the same: brackets stand where they must."""
    names = {"min": np.minimum, "max": np.maximum, "ceil": expression._ceil}
    values = {k: np.float64(v) for k, v in dict(a=a, b=b, c=c).items()}
    expected = expression.evaluate(tree, values)
    with np.errstate(all="ignore"):
        try:
            told = eval(expression.text(tree), {**names, **values})
        except ZeroDivisionError:  # constants alone are Python numbers here
            return
    np.testing.assert_allclose(told, expected, rtol=1e-12)


def test_an_unknown_operation_in_a_record_is_told():
    with pytest.raises(expression.ReckonError, match="does not know: frobnicate"):
        expression.from_json(["frobnicate", ["const", 1.0]])


def test_alternatives_one_under_another_are_one_list_of_cases():
    tree = one(lambda a, b: np.where(a < b, a, np.where(a > 2 * b, b, a + b)))
    assert expression.latex(tree, {"a": "a", "b": "b"}) == (
        r"\begin{cases} a & \text{if } a < b \\ b & \text{if } a > 2 \cdot b \\ "
        r"a + b & \text{otherwise} \end{cases}"
    )
