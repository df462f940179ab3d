"""A formula as text, "mode_switch / clock", as one states it who changes a prediction.

It becomes the same expression tree as the function of a notebook, so that its value, dimension
check and LaTeX are the book's own. book/static/formula-text.js reads the same text on a page.
"""

from __future__ import annotations

import ast
import sys
from typing import NoReturn

import numpy as np

from reckon.messages import did_you_mean, nearest
from reckon.prediction.expression import NUMPY_NAMES, Node, PredictionError, to_node

_FUNCTIONS = sorted(NUMPY_NAMES.values())
_ARITHMETIC = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Constant,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.Load,
)


def parse_parts(text: str, names: list[str]) -> list[Node]:
    """The trees of the expressions that commas separate, as a notebook's function returns them.

    Raises PredictionError."""
    tree = _syntax(text)
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    return [_node(part, text, names) for part in parts]


def _syntax(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise PredictionError(f"{text!r} is no formula ({why}).") from None


def _node(tree: ast.expr, text: str, names: list[str]) -> Node:
    """The tree of a text, or of a part of it, by evaluating it with nodes for its inputs."""
    _check_syntax(text, tree, names)
    for constant in ast.walk(tree):
        if isinstance(constant, ast.Constant):  # a power of whole numbers may never end
            constant.value = float(constant.value)  # type: ignore[arg-type]
    scope = {"__builtins__": {}, "np": np}
    inputs = {name: Node("input", name) for name in names}
    try:
        return to_node(eval(compile(ast.Expression(tree), "<formula>", "eval"), scope, inputs))
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise PredictionError(f"{text!r} is no formula ({error}).") from None


def _check_syntax(text: str, tree: ast.expr, names: list[str]) -> None:
    """Raises PredictionError for anything but arithmetic of the inputs."""
    for node in ast.walk(tree):
        foreign = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") != "np"
        if foreign or not isinstance(node, _ARITHMETIC):
            raise PredictionError(
                f"{text!r}: a formula holds arithmetic, np.functions and its inputs alone."
            )
        if isinstance(node, ast.Attribute) and node.attr not in _FUNCTIONS:
            _refuse_function(text, node.attr)
        if isinstance(node, ast.Name) and node.id not in (*names, "np"):
            hint = did_you_mean(node.id, names, f"its inputs are {', '.join(names)}.")
            raise PredictionError(f"{text!r}: {node.id} is not one of its inputs; {hint}")
        if isinstance(node, ast.Constant):
            _check_number(text, node.value)


def _check_number(text: str, value: object) -> None:
    if type(value) not in (int, float):
        raise PredictionError(f"{text!r}: {value!r} is no number.")
    if abs(value) > sys.float_info.max:  # type: ignore[arg-type]
        raise PredictionError(
            f"A number of the formula is larger than {sys.float_info.max:.2g}; write a smaller one."
        )


def _refuse_function(text: str, name: str) -> NoReturn:
    meant = nearest(name, _FUNCTIONS)
    available = ", ".join(f"np.{known}" for known in _FUNCTIONS)
    hint = f"did you mean np.{meant}?" if meant else f"available are {available}."
    raise PredictionError(f"{text!r}: np.{name} cannot become part of a formula; {hint}")
