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

import numpy as np
import pint

from reckon import units
from reckon.config import ReckonError

_HINT = "write np.where(condition, a, b), np.minimum(a, b) or np.maximum(a, b)"


class PredictionError(ReckonError):
    """The prediction function cannot be traced, or its dimensions do not fit."""


def _refuse(what: str, instead: str):
    def method(self, *args, **kwargs):
        raise PredictionError(f"{what} cannot become part of a formula; {instead}.")

    return method


class Node:
    """One operation, constant or input; arguments are nodes, in the author's order."""

    __slots__ = ("op", "args")

    def __init__(self, op: str, *args):
        self.op, self.args = op, args

    # Operators build nodes.
    __add__ = lambda a, b: _make("add", a, b)
    __radd__ = lambda a, b: _make("add", b, a)
    __sub__ = lambda a, b: _make("sub", a, b)
    __rsub__ = lambda a, b: _make("sub", b, a)
    __mul__ = lambda a, b: _make("mul", a, b)
    __rmul__ = lambda a, b: _make("mul", b, a)
    __truediv__ = lambda a, b: _make("div", a, b)
    __rtruediv__ = lambda a, b: _make("div", b, a)
    __pow__ = lambda a, b: _make("pow", a, b)
    __rpow__ = lambda a, b: _make("pow", b, a)
    __neg__ = lambda a: _make("neg", a)
    __pos__ = lambda a: a
    __abs__ = lambda a: _make("abs", a)
    __lt__ = lambda a, b: _make("lt", a, b)
    __le__ = lambda a, b: _make("le", a, b)
    __gt__ = lambda a, b: _make("gt", a, b)
    __ge__ = lambda a, b: _make("ge", a, b)
    __hash__ = object.__hash__

    # What cannot be traced says what to write instead.
    __bool__ = _refuse("`if`, `and`, `or`, min() and max()", _HINT)
    __eq__ = _refuse("`==`", "compare with < or >, and " + _HINT)
    __ne__ = _refuse("`!=`", "compare with < or >, and " + _HINT)
    __float__ = __int__ = __index__ = __complex__ = _refuse(
        "A function of the math module, float() or int()", "write its numpy twin, such as np.sqrt"
    )
    __round__ = __trunc__ = _refuse("round()", "leave the value as it is, or write np.ceil")
    __ceil__ = _refuse("math.ceil()", "write np.ceil")
    __floor__ = _refuse("math.floor()", "write np.floor")
    __floordiv__ = __rfloordiv__ = _refuse("`//`", "write np.floor(a / b)")
    __mod__ = __rmod__ = _refuse("`%`", "write a - b * np.floor(a / b)")
    __iter__ = __len__ = __getitem__ = _refuse(
        "Looping over an input or indexing it", "the function is written for one value"
    )

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs or ufunc not in _UFUNCS:
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

    def __repr__(self):
        return f"<formula {text(self)}>"


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
                f"{function.__name__}: {parameter.name} has a default; say it as an input, with "
                "where it comes from."
            )
        names.append(parameter.name)
    result = function(**{name: Node("input", name) for name in names})
    results = result if isinstance(result, tuple) else (result,)
    return names, tuple(_node(one) for one in results)


def _refuse_outside_numbers(function, owner: str, seen: set) -> None:
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


_VALUE = {
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

_TOGETHER = {
    "add": "added",
    "sub": "subtracted",
    "min": "compared",
    "max": "compared",
    "lt": "compared",
    "le": "compared",
    "gt": "compared",
    "ge": "compared",
    "where": "alternatives",
}


def is_zero(node: Node) -> bool:
    """Whether it is a literal 0, which is nothing in every unit."""
    return node.op == "const" and node.args[0] == 0


def dimension(node: Node, dimensions: dict):
    """The dimension of the tree, for inputs of these dimensions. Every branch is checked."""
    none = units.dimension("1")
    if node.op == "const":
        return none
    if node.op == "input":
        return dimensions[node.args[0]]
    found = [dimension(arg, dimensions) for arg in node.args]
    if node.op in ("add", "sub", "min", "max", "lt", "le", "gt", "ge", "where"):
        pair = found[1:] if node.op == "where" else found
        shown = node.args[1:] if node.op == "where" else node.args
        if is_zero(shown[0]) or is_zero(shown[1]):  # nothing is nothing in every unit
            return none if node.op in ("lt", "le", "gt", "ge") else pair[is_zero(shown[0])]
        if pair[0] != pair[1]:
            raise PredictionError(
                f"{text(shown[0])} is {units.kind(pair[0])}; {text(shown[1])} is "
                f"{units.kind(pair[1])}: these cannot be {_TOGETHER[node.op]}."
            )
        return none if node.op in ("lt", "le", "gt", "ge") else pair[0]
    if node.op == "mul":
        return found[0] * found[1]
    if node.op == "div":
        return found[0] / found[1]
    if node.op in ("neg", "abs"):
        return found[0]
    if node.op == "sqrt":
        return found[0] ** 0.5
    if node.op == "pow" and found[1] == none and node.args[1].op == "const":
        return found[0] ** node.args[1].args[0]
    for arg, one in zip(node.args, found, strict=True):
        if one != none:
            raise PredictionError(
                f"{text(arg)} is {units.kind(one)}; {node.op} takes a plain number: divide it by "
                "something of its own kind first."
            )
    return none


# --- text, LaTeX, JSON ----------------------------------------------------------------------

_INFIX = {
    "add": ("+", 1),
    "sub": ("-", 1),
    "mul": ("*", 2),
    "div": ("/", 2),
    "lt": ("<", 0),
    "le": ("<=", 0),
    "gt": (">", 0),
    "ge": (">=", 0),
    "and": ("and", -1),
    "or": ("or", -1),
}
_LATEX_SIGN = {
    "add": "+",
    "sub": "-",
    "mul": r"\cdot",
    "lt": "<",
    "le": r"\le",
    "gt": ">",
    "ge": r"\ge",
    "and": r"\land",
    "or": r"\lor",
}
_LATEX_NAME = {
    "min": r"\min",
    "max": r"\max",
    "exp": r"\exp",
    "log": r"\ln",
    "log2": r"\log_2",
    "log10": r"\log_{10}",
}


def _level(node: Node) -> int:
    if node.op == "neg" or (node.op == "const" and node.args[0] < 0):
        return 1
    return _INFIX[node.op][1] if node.op in _INFIX else 3


def _plain(value: float) -> str:
    return f"{value:g}" if value != int(value) or abs(value) >= 1e15 else str(int(value))


def text(node: Node) -> str:
    """The tree as one line of Python."""
    if node.op == "const":
        return _plain(node.args[0])
    if node.op == "input":
        return node.args[0]
    if node.op in _INFIX:
        sign, level = _INFIX[node.op]
        left, right = (
            f"({text(arg)})" if _level(arg) < level + last else text(arg)
            for last, arg in enumerate(node.args)
        )
        return f"{left} {sign} {right}"
    if node.op == "neg":
        return f"-{text(node.args[0])}"
    return f"{node.op}({', '.join(text(arg) for arg in node.args)})"


def name_latex(name: str) -> str:
    """An input's name as it stands in a formula: upright words."""
    return r"\text{" + name.replace("_", " ") + "}"


def latex(node: Node, inputs: dict[str, str] | None = None) -> str:
    """The tree as LaTeX; `inputs` gives what to print for a name (numbers put in)."""

    def show(arg: Node, least: int = -9) -> str:
        inner = latex(arg, inputs)
        return rf"\left({inner}\right)" if _level(arg) < least else inner

    if node.op == "const":
        return _plain(node.args[0])
    if node.op == "input":
        return (inputs or {}).get(node.args[0], name_latex(node.args[0]))
    if node.op == "div":  # a fraction needs no brackets of its own
        return rf"\frac{{{show(node.args[0])}}}{{{show(node.args[1])}}}"
    if node.op in _INFIX:
        level = _INFIX[node.op][1]
        tight = node.op in ("sub", "mul")
        return f"{show(node.args[0], level)} {_LATEX_SIGN[node.op]} {show(node.args[1], level + tight)}"
    if node.op == "neg":
        return f"-{show(node.args[0], 2)}"
    if node.op == "pow":
        return f"{{{show(node.args[0], 3)}}}^{{{show(node.args[1])}}}"
    if node.op == "sqrt":
        return rf"\sqrt{{{show(node.args[0])}}}"
    if node.op in ("ceil", "floor", "abs"):
        left, right = {
            "ceil": (r"\lceil", r"\rceil"),
            "floor": (r"\lfloor", r"\rfloor"),
            "abs": (r"\lvert", r"\rvert"),
        }[node.op]
        return rf"\left{left} {show(node.args[0])} \right{right}"
    if node.op == "where":
        rows = []
        while node.op == "where":  # one under another: a list of cases
            condition, yes, node = node.args
            rows.append(rf"{show(yes)} & \text{{if }} {show(condition)}")
        rows.append(rf"{show(node)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
    return rf"{_LATEX_NAME[node.op]}\left({', '.join(show(arg) for arg in node.args)}\right)"


def to_json(node: Node) -> list:
    """Nested lists: ["add", ["input", "a"], ["const", 2.0]]."""
    if node.op in ("const", "input"):
        return [node.op, node.args[0]]
    return [node.op, *(to_json(arg) for arg in node.args)]


def from_json(data: list) -> Node:
    op, *args = data
    if op in ("const", "input"):
        return Node(op, args[0])
    if op not in _VALUE:
        raise ReckonError(f"This formula uses an operation that this version does not know: {op}.")
    return Node(op, *(from_json(arg) for arg in args))


def identity(trees: list, unit: str) -> str:
    """Hash of the canonical trees and the unit. Comments, layout and helper functions do not
    enter; the leading digit is the version of this hash."""
    canonical = json.dumps([trees, unit], separators=(",", ":"))
    return "1:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
