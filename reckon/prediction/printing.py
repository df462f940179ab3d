"""An expression tree as a line of Python and as LaTeX."""

from __future__ import annotations

from reckon.prediction.expression import NUMPY_NAMES, Node

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
    return r"\text{" + name.replace("_", " ") + "}"


def latex(node: Node, inputs: dict[str, str] | None = None) -> str:
    """The tree as LaTeX; `inputs` gives what to print for a name (numbers put in)."""

    def show(arg: Node, min_binding: int = _LOWEST) -> str:
        inner = latex(arg, inputs)
        return rf"\left({inner}\right)" if _binding(arg) < min_binding else inner

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
