"""The expression tree of a prediction: its nodes, its value, its JSON and its hash.

Operators and numpy functions that are applied to a `Node` build the tree, in the author's order
(tracing.py). Dimension check, LaTeX, value, JSON and hash all come from this one tree, so they
cannot disagree.
"""

from __future__ import annotations

import hashlib
import json
import numbers
from collections.abc import Callable

import numpy as np

from reckon.errors import ReckonError
from reckon.units import pint


class PredictionError(ReckonError):
    """The prediction function cannot be traced, or its dimensions do not fit."""


_USE_WHERE = "write np.where(condition, a, b), np.minimum(a, b) or np.maximum(a, b)"
USE_NUMPY = "write the function of numpy, such as np.sqrt"
_USE_ORDER = f"compare with < or >, and {_USE_WHERE}"

OWN_AMOUNT = 'rk.given(10, "ns", "a source")'
UNIT = (
    "“{text}” is a unit, and a formula has none: make the amount an input of its own, as "
    f"{OWN_AMOUNT} in the notebook."
)

# What is said of operations that no formula has; grammar.py adds what is said of a text.
FAULTS = {
    "operator": "`{operator}` cannot become part of a formula; {instead}.",
    "zero": "A division by 0 has no value; divide by an input or a number.",
    "deep": "The formula has more than {most} operations within each other, as in a sum of that "
    "number of terms; write a product or a closed form.",
}


def _refuse(subject: str, instead: str):
    """A special method of `Node` that raises PredictionError and says what to write instead."""

    def method(self, *args, **kwargs):
        raise PredictionError(f"{subject} cannot become part of a formula; {instead}.")

    return method


class Node(np.lib.mixins.NDArrayOperatorsMixin):
    """One operation, constant or input; its arguments are nodes, in the author's order.

    The mixin turns every operator into the numpy function of the same meaning.
    """

    __slots__ = ("op", "args", "size", "depth")

    def __init__(self, op: str, *args):
        self.op, self.args = op, args
        self.depth: int = 1 + max((arg.depth for arg in args if isinstance(arg, Node)), default=0)
        # Of the tree: what is used twice counts twice, as in the record and on the page.
        self.size: int = 1 + sum(arg.size for arg in args if isinstance(arg, Node))

    __hash__ = object.__hash__
    __bool__ = _refuse("`if`, `and`, `or`, min() and max()", _USE_WHERE)
    __float__ = __int__ = __index__ = __complex__ = _refuse(
        "A function of the math module, float() or int()", USE_NUMPY
    )
    __round__ = __trunc__ = _refuse("round()", "leave the value as it is, or write np.ceil")
    __ceil__ = _refuse("math.ceil()", "write np.ceil")
    __floor__ = _refuse("math.floor()", "write np.floor")
    __iter__ = __len__ = __getitem__ = _refuse(
        "Looping over an input or indexing it", "the function is written for one value"
    )

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc in _OPERATORS:
            operator = _OPERATORS[ufunc]
            raise PredictionError(
                FAULTS["operator"].format(operator=operator, instead=REFUSED[operator])
            )
        in_place = out is not None and out[0] is inputs[0]  # `a += b` names the new node a
        if method != "__call__" or kwargs or ufunc not in _UFUNCS or not (out is None or in_place):
            raise PredictionError(
                f"np.{ufunc.__name__} cannot become part of a formula; available are "
                f"{', '.join(sorted({f'np.{u.__name__}' for u in _UFUNCS}))} and np.where."
            )
        return make(_UFUNCS[ufunc], *inputs)

    def __array_function__(self, function, kinds, args, kwargs):
        if function is np.where and len(args) == 3 and not kwargs:
            return make("where", *args)
        if function is np.where:
            raise PredictionError("np.where takes three values: np.where(condition, a, b).")
        raise PredictionError(
            f"np.{function.__name__} cannot become part of a formula; write it with + - * / "
            "and np.where, np.minimum, np.maximum, np.sqrt, np.ceil."
        )

    def __pos__(self):
        return self

    def __repr__(self):
        from reckon.prediction import printing  # it imports this module

        return printing.text(self)


# Operators that a formula does not have, and what to write instead.
REFUSED = {
    "==": _USE_ORDER,
    "!=": _USE_ORDER,
    "//": "write np.floor(a / b)",
    "%": "write 20% as 0.2, and a remainder as a - b * np.floor(a / b)",
    "^": "a power is written **, as in a**2",
    "&": "write np.logical_and(a, b)",
    "|": "write np.logical_or(a, b)",
    "<<": "write a * 2**b",
    ">>": "write np.floor(a / 2**b)",
    "and": "write np.logical_and(a, b)",
    "or": "write np.logical_or(a, b)",
    "if": _USE_WHERE,
}
_OPERATORS = {
    np.equal: "==",
    np.not_equal: "!=",
    np.floor_divide: "//",
    np.remainder: "%",
    np.bitwise_xor: "^",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.left_shift: "<<",
    np.right_shift: ">>",
}
_UFUNCS = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.power: "pow",
    np.negative: "neg",
    np.absolute: "abs",
    np.minimum: "min",
    np.maximum: "max",
    np.sqrt: "sqrt",
    np.exp: "exp",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.ceil: "ceil",
    np.floor: "floor",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.logical_and: "and",
    np.logical_or: "or",
}

NUMPY_NAMES = {op: ufunc.__name__ for ufunc, op in _UFUNCS.items()} | {"where": "where"}
ARITY = {op: ufunc.nargs - 1 for ufunc, op in _UFUNCS.items()} | {"where": 3}


_MOST_NODES = 10_000  # evaluated in a tenth of a second
MOST_DEPTH = 150  # Python calls a function within itself some 1,000 times


def make(op: str, *args) -> Node:
    """The operation. Raises PredictionError for one that no formula has."""
    nodes = [to_node(arg) for arg in args]
    if op == "div" and is_zero(nodes[1]):
        raise PredictionError(FAULTS["zero"])
    node = Node(op, *nodes)
    if node.size > _MOST_NODES:
        raise PredictionError(
            f"The formula has more than {_MOST_NODES:,} operations, because a value that is used "
            "twice is written twice; use fewer rounds of a loop."
        )
    if node.depth > MOST_DEPTH:
        raise PredictionError(FAULTS["deep"].format(most=MOST_DEPTH))
    return node


def to_node(value) -> Node:
    """A node of a number, or the node itself. Raises PredictionError for anything else."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (tuple, dict)):  # as 1,5 makes one
        raise PredictionError(
            f"{value!r} is no number; write a decimal point, or end with return and the parts."
        )
    if isinstance(value, (str, pint.Quantity, pint.Unit)):
        raise PredictionError(
            f"{str(value)!r} cannot become part of a formula; make it an input, as {OWN_AMOUNT}."
        )
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.ndarray)):
        raise PredictionError(f"{value!r} cannot become part of a formula; make it an input.")
    if isinstance(value, np.ndarray) and value.ndim:
        raise PredictionError("An array cannot become part of a formula; make it an axis.")
    constant = float(value)
    if not np.isfinite(constant):
        raise PredictionError(f"{constant} cannot become part of a formula; write a finite number.")
    return Node("const", constant)


def is_zero(node: Node) -> bool:
    """True for a literal 0, which fits every unit."""
    return node.op == "const" and node.args[0] == 0


SLACK = 1e-9  # 1.3e6 / 65536 * 65536 / 1.3e6 must not round up past a whole number


def _ceil(x):
    return np.ceil(x - SLACK * np.maximum(1.0, np.abs(x)))


def _floor(x):
    return np.floor(x + SLACK * np.maximum(1.0, np.abs(x)))


_FUNCTIONS: dict[str, Callable] = {op: ufunc for ufunc, op in _UFUNCS.items()} | {
    "ceil": _ceil,
    "floor": _floor,
    "where": np.where,
}


def evaluate(node: Node, values: dict):
    """The value, in base units, for inputs in base units (floats or arrays that broadcast)."""
    with np.errstate(all="ignore"):
        return _evaluate(node, values)


def _evaluate(node: Node, values: dict):
    if node.op == "const":
        return np.float64(node.args[0])
    if node.op == "input":
        return np.asarray(values[node.args[0]], dtype=float)[()]
    return _FUNCTIONS[node.op](*(_evaluate(arg, values) for arg in node.args))


def terms(node: Node) -> list[tuple[int, Node]]:
    """The terms of a sum with their signs, +1 or -1, in order; a product with a sum or a quotient
    of one is spread over it. A node that is no sum is its only term."""
    if node.op in ("add", "sub"):
        sign = 1 if node.op == "add" else -1
        return terms(node.args[0]) + [(sign * each, term) for each, term in terms(node.args[1])]
    if node.op == "div":
        return [(sign, Node("div", term, node.args[1])) for sign, term in terms(node.args[0])]
    if node.op == "mul":
        left, right = node.args
        of_left = terms(left)
        if len(of_left) > 1:
            return [(sign, Node("mul", term, right)) for sign, term in of_left]
        return [(sign, Node("mul", left, term)) for sign, term in terms(right)]
    return [(1, node)]


def input_names(node: Node) -> set[str]:
    if node.op == "input":
        return {node.args[0]}
    return {name for arg in node.args if isinstance(arg, Node) for name in input_names(arg)}


def to_json(node: Node) -> list:
    """Nested lists: ["add", ["input", "a"], ["const", 2.0]]."""
    if node.op in ("const", "input"):
        return [node.op, node.args[0]]
    return [node.op, *(to_json(arg) for arg in node.args)]


def from_json(tree: list) -> Node:
    """The node of nested lists, as to_json() writes them."""
    op, *args = tree
    if op in ("const", "input"):
        return Node(op, *args)
    return Node(op, *(from_json(arg) for arg in args))


def identity(trees: list, unit: str) -> str:
    """A hash of the canonical trees and the unit; its leading digit is the hash's version.

    Comments, layout and helper functions do not enter.
    """
    canonical = json.dumps([trees, unit], separators=(",", ":"))
    return "1:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
