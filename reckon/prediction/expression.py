"""The expression tree behind every prediction.

A prediction function is called once with `Node`s for its inputs; the operators and numpy functions
it uses build one tree in the author's order. Value, dimension check, LaTeX, JSON and identity all
come from that tree, so they cannot disagree.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import numbers
import operator
import types
from collections.abc import Callable

import numpy as np
import pint

from reckon import units
from reckon.config import ReckonError


class PredictionError(ReckonError):
    """The prediction function cannot be traced, or its dimensions do not fit."""


_USE_WHERE = "write np.where(condition, a, b), np.minimum(a, b) or np.maximum(a, b)"
_USE_NUMPY = "write its numpy twin, such as np.sqrt"
_USE_ORDER = f"compare with < or >, and {_USE_WHERE}"


def _refuse(subject: str, instead: str):
    """A method that says what to write instead."""

    def method(self, *args, **kwargs):
        raise PredictionError(f"{subject} cannot become part of a formula; {instead}.")

    return method


class Node(np.lib.mixins.NDArrayOperatorsMixin):
    """One operation, constant or input; its arguments are nodes, in the author's order.

    The mixin turns every operator into the numpy function of the same meaning.
    """

    __slots__ = ("op", "args")

    def __init__(self, op: str, *args):
        self.op, self.args = op, args

    __hash__ = object.__hash__
    __bool__ = _refuse("`if`, `and`, `or`, min() and max()", _USE_WHERE)
    __float__ = __int__ = __index__ = __complex__ = _refuse(
        "A function of the math module, float() or int()", _USE_NUMPY
    )
    __round__ = __trunc__ = _refuse("round()", "leave the value as it is, or write np.ceil")
    __ceil__ = _refuse("math.ceil()", "write np.ceil")
    __floor__ = _refuse("math.floor()", "write np.floor")
    __iter__ = __len__ = __getitem__ = _refuse(
        "Looping over an input or indexing it", "the function is written for one value"
    )

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc in _REFUSED_OPERATORS:
            operator_text, instead = _REFUSED_OPERATORS[ufunc]
            raise PredictionError(f"{operator_text} cannot become part of a formula; {instead}.")
        in_place = out is not None and out[0] is inputs[0]  # `a += b` names the new node a
        if method != "__call__" or kwargs or ufunc not in _UFUNCS or not (out is None or in_place):
            raise PredictionError(
                f"np.{ufunc.__name__} cannot become part of a formula; available are "
                f"{', '.join(sorted({f'np.{u.__name__}' for u in _UFUNCS}))} and np.where."
            )
        return _make(_UFUNCS[ufunc], *inputs)

    def __array_function__(self, function, kinds, args, kwargs):
        if function is np.where and len(args) == 3 and not kwargs:
            return _make("where", *args)
        raise PredictionError(
            f"np.{function.__name__} cannot become part of a formula; write it with + - * / "
            "and np.where, np.minimum, np.maximum, np.sqrt, np.ceil."
        )

    def __pos__(self):
        return self

    def __repr__(self):
        return f"<formula {text(self)}>"


_REFUSED_OPERATORS = {
    np.equal: ("`==`", _USE_ORDER),
    np.not_equal: ("`!=`", _USE_ORDER),
    np.floor_divide: ("`//`", "write np.floor(a / b)"),
    np.remainder: ("`%`", "write a - b * np.floor(a / b)"),
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


def _make(op: str, *args) -> Node:
    return Node(op, *(_node(arg) for arg in args))


def _node(value) -> Node:
    if isinstance(value, Node):
        return value
    if isinstance(value, (pint.Quantity, pint.Unit)):
        raise PredictionError(
            "A pint quantity cannot become part of a formula; make it an input with its unit."
        )
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.ndarray)):
        raise PredictionError(f"{value!r} cannot become part of a formula; make it an input.")
    if isinstance(value, np.ndarray) and value.ndim:
        raise PredictionError("An array cannot become part of a formula; make it an axis.")
    return Node("const", float(value))


def trace(function) -> tuple[list[str], tuple[Node, ...]]:
    """Call a prediction function once with nodes.

    Returns the names of its inputs and the nodes it returned. Raises PredictionError for what
    cannot be traced, with what to write instead.
    """
    _refuse_outside_numbers(function, function.__name__, set())
    names = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise PredictionError(f"{function.__name__}: inputs have names; no * or **.")
        if parameter.default is not parameter.empty:
            raise PredictionError(
                f"{function.__name__}: {parameter.name} has a default; make it an input, with "
                "where it comes from."
            )
        names.append(parameter.name)
    result = function(**{name: Node("input", name) for name in names})
    results = result if isinstance(result, tuple) else (result,)
    return names, tuple(_node(part) for part in results)


def _refuse_outside_numbers(function, owner: str, seen: set) -> None:
    """Raises PredictionError for a number that the function, or a helper, takes from outside."""
    if function in seen:
        return
    seen.add(function)
    outside = inspect.getclosurevars(function)
    for name, value in {**outside.globals, **outside.nonlocals}.items():
        if isinstance(value, (numbers.Number, np.ndarray, pint.Quantity)):
            raise PredictionError(
                f"{owner}: {name} is a number from outside the function; make it an input with "
                "where it comes from."
            )
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            _refuse_outside_numbers(value, owner, seen)


# --- value ---------------------------------------------------------------------------------

_SLACK = 1e-9  # 1.3e6 / 65536 * 65536 / 1.3e6 must not round up past a whole number


def _ceil(x):
    return np.ceil(x - _SLACK * np.maximum(1.0, np.abs(x)))


def _floor(x):
    return np.floor(x + _SLACK * np.maximum(1.0, np.abs(x)))


_VALUE: dict[str, Callable] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": np.power,
    "neg": operator.neg,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "ceil": _ceil,
    "floor": _floor,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": np.logical_and,
    "or": np.logical_or,
    "where": np.where,
}


def evaluate(node: Node, values: dict):
    """The value, in base units, for inputs in base units (floats or arrays that broadcast)."""
    if node.op == "const":
        return np.float64(node.args[0])
    if node.op == "input":
        return np.asarray(values[node.args[0]], dtype=float)[()]
    with np.errstate(all="ignore"):
        return _VALUE[node.op](*(evaluate(arg, values) for arg in node.args))


# --- dimension ------------------------------------------------------------------------------

_COMPARISONS = ("lt", "le", "gt", "ge")
# Operations whose two operands must be of one kind, and the verb of the error message.
_ALIKE = {
    "add": "added",
    "sub": "subtracted",
    "where": "alternatives",
    **dict.fromkeys(("min", "max", *_COMPARISONS), "compared"),
}


def is_zero(node: Node) -> bool:
    """True for a literal 0, which fits every unit."""
    return node.op == "const" and node.args[0] == 0


def dimension(node: Node, dimensions: dict):
    """The dimension of the tree, for inputs of these dimensions. Every branch is checked.

    Raises PredictionError, which names the subexpression that does not fit.
    """
    plain = units.dimension("1")
    if node.op == "const":
        return plain
    if node.op == "input":
        return dimensions[node.args[0]]
    parts = [dimension(arg, dimensions) for arg in node.args]
    if node.op in _ALIKE:
        alike = _alike_dimension(node, parts)
        return plain if node.op in _COMPARISONS else alike
    if node.op == "mul":
        return parts[0] * parts[1]
    if node.op == "div":
        return parts[0] / parts[1]
    if node.op in ("neg", "abs"):
        return parts[0]
    if node.op == "sqrt":
        return parts[0] ** 0.5
    if node.op == "pow" and parts[1] == plain and node.args[1].op == "const":
        return parts[0] ** node.args[1].args[0]
    _refuse_dimensions(node, parts)
    return plain


def _refuse_dimensions(node: Node, parts: list) -> None:
    """Raises PredictionError if an argument is not a plain number."""
    for arg, part in zip(node.args, parts, strict=True):
        if part != units.dimension("1"):
            raise PredictionError(
                f"{text(arg)} is {units.kind(part)}; {node.op} takes a plain number: divide it by "
                "something of its own kind first."
            )


def _alike_dimension(node: Node, parts: list):
    """The common dimension of the last two operands (of np.where, its alternatives)."""
    (left, left_part), (right, right_part) = list(zip(node.args, parts, strict=True))[-2:]
    if is_zero(left):
        return right_part
    if is_zero(right) or left_part == right_part:
        return left_part
    raise PredictionError(
        f"{text(left)} is {units.kind(left_part)}; {text(right)} is "
        f"{units.kind(right_part)}: these cannot be {_ALIKE[node.op]}."
    )


# --- text, LaTeX, JSON ----------------------------------------------------------------------

_LOWEST, _SUM, _PRODUCT, _ATOM = -9, 1, 2, 3  # how tightly an expression binds
# Of each infix operator: its sign in Python, its sign in LaTeX, how tightly it binds.
_INFIX = {
    "add": ("+", "+", _SUM),
    "sub": ("-", "-", _SUM),
    "mul": ("*", r"\cdot", _PRODUCT),
    "div": ("/", "", _PRODUCT),  # a fraction in LaTeX
    "lt": ("<", "<", 0),
    "le": ("<=", r"\le", 0),
    "gt": (">", ">", 0),
    "ge": (">=", r"\ge", 0),
    "and": ("and", r"\land", -1),
    "or": ("or", r"\lor", -1),
}
# What LaTeX writes before, between and after the arguments, which need no brackets of their own.
_LATEX_AROUND = {
    "div": (r"\frac{", "}{", "}"),
    "sqrt": (r"\sqrt{", "", "}"),
    "ceil": (r"\left\lceil ", "", r" \right\rceil"),
    "floor": (r"\left\lfloor ", "", r" \right\rfloor"),
    "abs": (r"\left\lvert ", "", r" \right\rvert"),
    "min": (r"\min\left(", ", ", r"\right)"),
    "max": (r"\max\left(", ", ", r"\right)"),
    "exp": (r"\exp\left(", "", r"\right)"),
    "log": (r"\ln\left(", "", r"\right)"),
    "log2": (r"\log_2\left(", "", r"\right)"),
    "log10": (r"\log_{10}\left(", "", r"\right)"),
}


def _binding(node: Node) -> int:
    if node.op == "neg" or (node.op == "const" and node.args[0] < 0):
        return _SUM
    return _INFIX[node.op][2] if node.op in _INFIX else _ATOM


def _plain(value: float) -> str:
    return f"{value:g}" if value != int(value) or abs(value) >= 1e15 else str(int(value))


def text(node: Node) -> str:
    """The tree as one line of Python."""

    def show(arg: Node, least: int) -> str:
        return f"({text(arg)})" if _binding(arg) < least else text(arg)

    if node.op == "const":
        return _plain(node.args[0])
    if node.op == "input":
        return node.args[0]
    if node.op in _INFIX:
        sign, _, binding = _INFIX[node.op]
        return f"{show(node.args[0], binding)} {sign} {show(node.args[1], binding + 1)}"
    if node.op == "neg":
        return f"-{text(node.args[0])}"
    return f"{node.op}({', '.join(text(arg) for arg in node.args)})"


def name_latex(name: str) -> str:
    """An input's name as it stands in a formula: upright words."""
    return r"\text{" + name.replace("_", " ") + "}"


def latex(node: Node, inputs: dict[str, str] | None = None) -> str:
    """The tree as LaTeX; `inputs` gives what to print for a name (numbers put in)."""

    def show(arg: Node, least: int = _LOWEST) -> str:
        inner = latex(arg, inputs)
        return rf"\left({inner}\right)" if _binding(arg) < least else inner

    if node.op == "const":
        return _plain(node.args[0])
    if node.op == "input":
        return (inputs or {}).get(node.args[0], name_latex(node.args[0]))
    if node.op in _LATEX_AROUND:
        before, between, after = _LATEX_AROUND[node.op]
        return before + between.join(show(arg) for arg in node.args) + after
    if node.op == "neg":
        return f"-{show(node.args[0], _PRODUCT)}"
    if node.op == "pow":
        return f"{{{show(node.args[0], _ATOM)}}}^{{{show(node.args[1])}}}"
    if node.op == "where":
        return _latex_cases(node, show)
    _, sign, binding = _INFIX[node.op]
    right_binding = binding + 1 if node.op in ("sub", "mul") else binding
    return f"{show(node.args[0], binding)} {sign} {show(node.args[1], right_binding)}"


def _latex_cases(node: Node, show) -> str:
    """Nested np.where as one list of cases."""
    cases = []
    while node.op == "where":
        condition, value, node = node.args
        cases.append(rf"{show(value)} & \text{{if }} {show(condition)}")
    cases.append(rf"{show(node)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(cases) + r" \end{cases}"


def to_json(node: Node) -> list:
    """Nested lists: ["add", ["input", "a"], ["const", 2.0]]."""
    if node.op in ("const", "input"):
        return [node.op, node.args[0]]
    return [node.op, *(to_json(arg) for arg in node.args)]


def from_json(data: list) -> Node:
    """The tree of those nested lists. Raises ReckonError for an unknown operation."""
    op, *args = data
    if op in ("const", "input"):
        return Node(op, args[0])
    if op not in _VALUE:
        raise ReckonError(f"This formula uses an operation that this version does not know: {op}.")
    return Node(op, *(from_json(arg) for arg in args))


def identity(trees: list, unit: str) -> str:
    """A hash of the canonical trees and the unit; its leading digit is the hash's version.

    Comments, layout and helper functions do not enter.
    """
    canonical = json.dumps([trees, unit], separators=(",", ":"))
    return "1:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
