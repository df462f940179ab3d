"""The expression tree: tracing, value, dimensions, LaTeX, JSON, identity."""

import functools
import operator
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.prediction import expression
from reckon.prediction.expression import Node
from reckon.prediction.printing import latex, text
from reckon.prediction.tracing import trace


def traced(function):
    return trace(function)[1][0]


def test_adding_in_place_gives_the_same_node_as_adding():
    def in_place(a, b):
        a += b
        return a

    assert expression.to_json(traced(in_place)) == expression.to_json(traced(lambda a, b: a + b))


def test_ceil_does_not_round_a_whole_number_up():
    node = traced(lambda a, b: np.ceil(a / b))
    wrong = [k for k in range(1, 1000) if expression.evaluate(node, {"a": k * 0.1, "b": 0.1}) != k]
    assert wrong == []
    assert expression.evaluate(node, {"a": 1.3e6, "b": 65536.0}) == 20


WORDS = [f"an input with a long name, number {number}" for number in range(12)]
TWELVE = [Node("input", word.replace(" ", "_")) for word in WORDS]


@pytest.mark.parametrize(
    "tree",
    [
        functools.reduce(operator.add, TWELVE),
        functools.reduce(operator.mul, TWELVE),
        functools.reduce(operator.add, TWELVE[1:]) / TWELVE[0],
        TWELVE[0] * functools.reduce(operator.sub, TWELVE[1:]),
        functools.reduce(np.minimum, TWELVE),
        Node("min", *TWELVE),
        np.where(TWELVE[0] > sum(TWELVE[1:6]), TWELVE[6] + TWELVE[7], sum(TWELVE[8:])),
    ],
)
def test_a_long_formula_has_lines_that_fit_the_page(tree):
    lines = re.split(r"\\\\|\\begin\{aligned\}|\\end\{aligned\}|\}\{", latex(tree))
    printed = [" ".join(re.findall(r"\\text\{([^}]*)", line)) for line in lines]
    assert max(map(len, printed)) <= 90
    assert sorted(re.findall(r"number \d+", " ".join(printed))) == sorted(
        re.findall(r"number \d+", " ".join(WORDS))
    )


def test_a_long_name_has_lines_that_fit_the_page():
    name = latex(Node("input", "_".join(["word"] * 40)))
    assert name.count("word") == 40 and max(map(len, name.split(r"\\"))) < 120


def test_identity_ignores_layout_and_helpers_but_not_order_or_unit():
    def helper(x, y):
        return x / y

    plain = expression.to_json(traced(lambda a, b: a / b + 1))
    helped = expression.to_json(traced(lambda a, b: helper(a, b) + 1))  # a comment
    turned = expression.to_json(traced(lambda a, b: 1 + a / b))
    assert expression.identity([plain], "ns") == expression.identity([helped], "ns")
    assert expression.identity([plain], "ns") != expression.identity([turned], "ns")
    assert expression.identity([plain], "ns") != expression.identity([plain], "us")
    assert expression.identity([plain], "ns").startswith("1:")


leaves = st.sampled_from("abc").map(lambda name: Node("input", name)) | st.integers(1, 99).map(
    lambda value: Node("const", float(value))
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(st.sampled_from(["add", "sub", "mul", "div", "min", "max"]), inner, inner).map(
            lambda t: Node(*t)
        )
        | st.tuples(st.sampled_from(["ceil", "neg"]), inner).map(lambda t: Node(*t))
    ),
    max_leaves=12,
)


@given(trees, st.floats(0.1, 100), st.floats(0.1, 100), st.floats(0.1, 100))
@settings(max_examples=200)
def test_the_text_evaluates_to_the_value_of_the_tree(tree, a, b, c):
    names = {"np": SimpleNamespace(minimum=np.minimum, maximum=np.maximum, ceil=expression._ceil)}
    values = {k: np.float64(v) for k, v in dict(a=a, b=b, c=c).items()}
    expected = expression.evaluate(tree, values)
    with np.errstate(all="ignore"):
        try:
            from_text = eval(text(tree), {**names, **values})
        except ZeroDivisionError:  # constants alone are Python numbers here
            return
    np.testing.assert_allclose(from_text, expected, rtol=1e-12)


@given(trees, st.floats(0.1, 100), st.floats(0.1, 100), st.floats(0.1, 100))
def test_the_terms_add_up_to_the_tree_and_none_is_a_sum(tree, a, b, c):
    values = {k: np.float64(v) for k, v in dict(a=a, b=b, c=c).items()}
    terms = expression.terms(tree)
    assert not any(term.op in ("add", "sub") for _, term in terms)
    evaluated = [sign * expression.evaluate(term, values) for sign, term in terms]
    total, whole = sum(evaluated), expression.evaluate(tree, values)
    if np.isfinite(whole):
        scale = max(map(abs, evaluated))
        assert abs(total - whole) <= 1e-9 * scale or not np.isfinite(scale)


def test_each_node_of_a_long_product_is_divided_once(monkeypatch):
    node = Node("add", Node("input", "a"), Node("input", "b"))
    for _ in range(12):
        node = Node("mul", node, Node("input", "c"))
    really, seen = expression.terms, []
    monkeypatch.setattr(expression, "terms", lambda node: seen.append(node) or really(node))
    assert len(expression.terms(node)) == 2 and len(seen) <= node.size


def test_the_line_of_python_gives_the_same_tree_again():
    def formula(a, b):
        condition = np.logical_or(a > b, np.logical_and(a <= 2.5e-7, b >= 0.1 + 0.2))
        return np.where(condition, np.minimum(-a, b**2) / np.ceil(a - (b - a)), np.sqrt(a * a))

    tree = traced(formula)
    again = traced(eval(f"lambda a, b: {text(tree)}", {"np": np}))
    assert expression.to_json(again) == expression.to_json(tree)
