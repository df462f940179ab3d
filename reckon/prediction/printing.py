"""An expression tree as a line of Python and as LaTeX."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Sequence

from reckon.prediction.expression import NUMPY_NAMES, Node

_LOWEST, _SUM, _PRODUCT, _ATOM = -9, 1, 2, 3  # how tightly an expression binds
_LINE = 85  # letters of a formula that fit the PDF's page beside its title and its value
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
    """The tree as one line of Python, as a notebook may write it."""

    def show(arg: Node, min_binding: int) -> str:
        return f"({text(arg)})" if _binding(arg) < min_binding else text(arg)

    if node.op == "const":
        return repr(node.args[0]).removesuffix(".0")
    if node.op == "input":
        return node.args[0]
    if node.op in _INFIX and node.op not in ("and", "or"):
        sign, _, binding = _INFIX[node.op]
        return f"{show(node.args[0], binding)} {sign} {show(node.args[1], binding + 1)}"
    if node.op == "neg":
        return f"-{show(node.args[0], _PRODUCT)}"
    return f"np.{NUMPY_NAMES[node.op]}({', '.join(text(arg) for arg in node.args)})"


def name_latex(name: str) -> str:
    """An input's name as it stands in a formula: upright words."""
    lines = textwrap.wrap(name.replace("_", " "), _LINE) or [""]
    return _stacked([rf"\text{{{line}}}" for line in lines])


def latex(node: Node, inputs: dict[str, str] | None = None, room: int = _LINE) -> str:
    """The tree as LaTeX; `inputs` gives what to print for a name (numbers put in). What is wider
    than `room` letters has several lines."""

    def show(arg: Node, min_binding: int = _LOWEST, room: int = room) -> str:
        inner = latex(arg, inputs, room)
        return rf"\left({inner}\right)" if _binding(arg) < min_binding else inner

    if node.op == "const":
        return _plain(node.args[0])
    if node.op == "input":
        return (inputs or {}).get(node.args[0], name_latex(node.args[0]))
    if node.op in _LATEX_AROUND:
        before, between, after = _LATEX_AROUND[node.op]
        arguments = [show(arg) for arg in node.args]
        if between == ", ":
            arguments = [*(f"{argument}, " for argument in arguments[:-1]), arguments[-1]]
            return before + _in_lines(arguments, node.args, inputs, room) + after
        return before + between.join(arguments) + after
    if node.op == "neg":
        return f"-{show(node.args[0], _PRODUCT)}"
    if node.op == "pow":
        return f"{{{show(node.args[0], _ATOM)}}}^{{{show(node.args[1])}}}"
    if node.op == "where":
        is_wide = _width(node, inputs) > room
        return _latex_cases(node, functools.partial(show, room=room // 2 if is_wide else room))
    chain = _chain(node)
    terms = [sign + show(arg, least) for sign, arg, least in chain]
    return _in_lines(terms, [arg for _, arg, _ in chain], inputs, room)


def _chain(node: Node) -> list[tuple[str, Node, int]]:
    """The operands of a sum, a product or a condition, each with the sign before it and how tightly
    it has to bind to need no brackets."""
    operands: list[tuple[str, Node, int]] = []
    binding = _INFIX[node.op][2]
    while node.op in _INFIX and node.op != "div" and _INFIX[node.op][2] == binding:
        right_binding = binding + 1 if node.op in ("sub", "mul") else binding
        operands.insert(0, (f" {_INFIX[node.op][1]} ", node.args[1], right_binding))
        node = node.args[0]
    return [("", node, binding), *operands]


def _in_lines(
    terms: Sequence[str], nodes: Sequence[Node], inputs: dict[str, str] | None, room: int
) -> str:
    """The terms that print these nodes, on as many lines as they need."""
    lines, left = [""], room
    for term, node in zip(terms, nodes, strict=True):
        width = _width(node, inputs) + 3  # with its sign
        if lines[-1] and width > left:
            lines.append("")
            left = room
        lines[-1] += term
        left -= width
    return _stacked(lines)


def _stacked(lines: list[str]) -> str:
    if len(lines) == 1:
        return lines[0]
    return r"\begin{aligned} & " + r" \\ & ".join(map(str.strip, lines)) + r" \end{aligned}"


def _width(node: Node, inputs: dict[str, str] | None) -> int:
    """About how many letters wide the tree is on one line."""
    if node.op in ("const", "input"):
        return len(re.sub(r"\\[a-z]+|[\\{}]", "", latex(node, inputs)))
    widths = [_width(arg, inputs) for arg in node.args]
    if node.op == "div":
        return max(widths)
    if node.op == "where":
        return max(widths[0] + widths[1] + len(" if otherwise"), widths[2])
    return sum(widths) + (3 if node.op in _INFIX else len("max()"))


def _latex_cases(node: Node, show: Callable[..., str]) -> str:
    cases = []
    while node.op == "where":
        condition, value, node = node.args
        cases.append(rf"{show(value)} & \text{{if }} {show(condition)}")
    cases.append(rf"{show(node)} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(cases) + r" \end{cases}"
