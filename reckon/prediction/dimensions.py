"""The dimension of an expression tree, with every operation checked."""

from __future__ import annotations

from reckon import units
from reckon.prediction.expression import Node, PredictionError, is_zero
from reckon.prediction.printing import text

_COMPARISONS = ("lt", "le", "gt", "ge")
# Operations whose two operands must have the same dimension: what the error says they cannot be.
_SAME_DIMENSION = {
    "add": "added",
    "sub": "subtracted",
    "where": "alternatives",
    **dict.fromkeys(("min", "max", *_COMPARISONS), "compared"),
}
# What is said beside a number that would have to have a unit; the what-if panels have it as data.
OWN_INPUT = (
    '; an amount with a unit is an input of its own, as rk.given(10, "ns", "a source") in the '
    "notebook"
)


def dimension(node: Node, dimensions: dict):
    """The dimension of the tree, for inputs of these dimensions. Every branch is checked.

    Raises PredictionError, which names the subexpression that does not fit.
    """
    dimensionless = units.dimension("1")
    if node.op == "const":
        return dimensionless
    if node.op == "input":
        return dimensions[node.args[0]]
    parts = [dimension(arg, dimensions) for arg in node.args]
    if node.op in _SAME_DIMENSION:
        common = _common_dimension(node, parts)
        return dimensionless if node.op in _COMPARISONS else common
    if node.op == "mul":
        return parts[0] * parts[1]
    if node.op == "div":
        return parts[0] / parts[1]
    if node.op in ("neg", "abs"):
        return parts[0]
    if node.op == "sqrt":
        return parts[0] ** 0.5
    if node.op == "pow" and parts[1] == dimensionless and node.args[1].op == "const":
        return parts[0] ** node.args[1].args[0]
    _require_plain_numbers(node, parts)
    return dimensionless


def _require_plain_numbers(node: Node, parts: list) -> None:
    """Raises PredictionError if an argument is not a plain number."""
    for arg, part in zip(node.args, parts, strict=True):
        if part != units.dimension("1"):
            raise PredictionError(
                f"{text(arg)} is {units.dimension_name(part)}; {node.op} takes a plain number: "
                "divide it by something of its own kind first."
            )


def _common_dimension(node: Node, parts: list):
    """The common dimension of an operation's operands; of np.where, of its two alternatives."""
    (left, left_part), (right, right_part) = list(zip(node.args, parts, strict=True))[-2:]
    if is_zero(left):
        return right_part
    if is_zero(right) or left_part == right_part:
        return left_part
    has_number = "const" in (left.op, right.op)
    raise PredictionError(
        f"{text(left)} is {units.dimension_name(left_part)}; {text(right)} is "
        f"{units.dimension_name(right_part)}: these cannot be {_SAME_DIMENSION[node.op]}"
        f"{OWN_INPUT if has_number else ''}."
    )
