"""A formula as text, "mode_switch / clock", as one states it who changes a prediction.

It becomes the same expression tree as the function of a notebook, so that its value, dimension
check and LaTeX are the book's own. book/static/formula-text.js reads the same text on a page, by
the same grammar and with the same sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.messages import did_you_mean, nearest
from reckon.prediction import expression
from reckon.prediction.expression import NUMPY_NAMES, REFUSED, Node, PredictionError
from reckon.prediction.formula import PARTS

# What is said of a text that is no formula; the what-if panels have these sentences as data.
FAULTS = {
    **expression.FAULTS,
    "letter": "“{text}” is not part of a formula; write + - * / of its inputs and of numbers.",
    "missing": "“{text}” is missing{after}.",
    "end": "The formula ends too early{after}.",
    "operand": "An input or a number is missing before “{text}”.",
    "rest": "“{text}” is too much{after}.",
    "between": "An operator such as * is missing between “{before}” and “{text}”.",
    "unit": expression.UNIT,
    "comma": "“{text}” is no number: write a point for decimals, or a space behind the comma.",
    "digits": "“{text}” is no number of a formula; write it as 16, 1.5 or 1e3.",
    "number": "“{text}” is no finite number; write another one.",
    "name": "{text} is not one of its inputs; {hint}",
    "inputs": "its inputs are {names}.",
    "part": "{text} stands for a whole part; write in its place how it follows from {names}.",
    "function": "{text} cannot become part of a formula; {hint}",
    "maker": "{text} makes an input: give it a name in the notebook, and write that name here.",
    "meant": "did you mean np.{name}?",
    "functions": "available are {names}.",
    "arguments": "{text} takes {wanted} values, not {count}.",
    "parts": "“{text}” has {count}, not {needed}; write {wanted}.",
    "after": " after “{text}”",
}
# What a text may have in the place of an operator, and what to write instead.
REFUSED_SIGNS = REFUSED | {
    **{"×": "write *", "·": "write *", "÷": "write /", "−": "write -"},
    **dict.fromkeys(("return", "="), "write what stands behind it alone"),
    **dict.fromkeys(('"', "'"), f"leave it out; an amount is an input, as {expression.OWN_AMOUNT}"),
}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)|(?P<sign>\*\*|//|<<|>>|[<>=!]=|\S))"
)
_SIGNS = {"**", "<=", ">=", *"+-*/(),<>"}
# Operators between two operands: how tightly each binds, and its operation.
_BINARY = {
    **{sign: (0, op) for sign, op in (("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"))},
    **{"+": (1, "add"), "-": (1, "sub"), "*": (2, "mul"), "/": (2, "div")},
}
_FUNCTIONS = {f"np.{name}": op for op, name in NUMPY_NAMES.items()}


def parse_parts(text: str, names: list[str]) -> list[Node]:
    """The trees of the expressions that commas separate, as a notebook's function returns them.

    Raises PredictionError."""
    return _Parser(text, names).parts()


def fault(name: str, **gaps) -> PredictionError:
    return PredictionError(FAULTS[name].format(**gaps))


@dataclass(frozen=True)
class _Token:
    kind: str  # "number", "name", "sign" or, behind the last one, "end"
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        token = _Token(kind, match[kind], *match.span(kind))
        before = tokens[-1] if tokens else token
        if before.kind == "number" and before.end == token.start and kind != "sign":
            if units.is_unit(token.text):
                raise fault("unit", text=token.text)
            raise fault("digits", text=before.text + token.text)
        if token.text in REFUSED_SIGNS:
            raise fault("operator", operator=token.text, instead=REFUSED_SIGNS[token.text])
        if kind == "sign" and token.text not in _SIGNS:
            raise fault("letter", text=token.text)
        tokens.append(token)
    return [*tokens, _Token("end", "", len(text), len(text))]


class _Parser:
    """Reads the tokens of a text from left to right. Each method returns a tree, and raises
    PredictionError."""

    def __init__(self, text: str, names: list[str]) -> None:
        self._text, self._names = text, names
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0

    def parts(self) -> list[Node]:
        parts = [self._binary()]
        while self._next.text == ",":
            self._refuse_decimal_comma()
            self._place += 1
            parts.append(self._binary())
        if self._next.kind != "end":
            self._refuse_operand()
            rest = self._text[self._next.start :].strip()
            raise fault("rest", text=rest, after=self._after())
        return parts

    def _refuse_operand(self) -> None:
        """What begins an operand, where the one before it has ended."""
        kind, text = self._next.kind, self._next.text
        if kind == "name" and text not in self._names and units.is_unit(text):
            raise fault("unit", text=text)
        if kind in ("name", "number") or text == "(":
            raise fault("between", before=self._tokens[self._place - 1].text, text=text)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _after(self) -> str:
        before = self._tokens[self._place - 1].text if self._place else ""
        return FAULTS["after"].format(text=before) if before else ""

    def _takes(self, sign: str) -> bool:
        """Whether the sign comes next; then it is behind it."""
        if self._next.text != sign:
            return False
        self._place += 1
        return True

    def _refuse_decimal_comma(self) -> None:
        around = self._tokens[max(self._place - 1, 0) : self._place + 2]
        text = "".join(token.text for token in around)
        are_joined = around[0].start + len(text) == around[-1].end
        if are_joined and around[0].kind == around[-1].kind == "number":
            raise fault("comma", text=text)

    def _expect(self, sign: str) -> None:
        if not self._takes(sign):
            if self._next.text == ",":
                self._refuse_decimal_comma()
            self._refuse_operand()
            raise fault("missing", text=sign, after=self._after())

    def _node(self, op: str, *args: Node) -> Node:
        """The operation, or the number that it gives of numbers."""
        node = expression.make(op, *args)
        if any(arg.op != "const" for arg in node.args):
            return node
        return Node("const", float(expression.evaluate(node, {})))

    def _binary(self, level: int = 0) -> Node:
        """Operands between operators that bind at least so tightly; of comparisons one."""
        start = self._next.start
        left = self._signed()
        while self._next.text in _BINARY and _BINARY[self._next.text][0] >= level:
            binding, op = _BINARY[self._next.text]
            self._place += 1
            left = self._finite(start, self._node(op, left, self._binary(binding + 1)))
            if binding == 0:
                break
        return left

    def _finite(self, start: int, node: Node) -> Node:
        if node.op == "const" and not np.isfinite(node.args[0]):
            text = self._text[start : self._tokens[self._place - 1].end]
            raise fault("number", text=text)
        return node

    def _signed(self) -> Node:
        start = self._next.start
        if self._next.text in ("+", "-"):
            is_minus = self._next.text == "-"
            self._place += 1
            operand = self._nested(self._signed)
            return self._node("neg", operand) if is_minus else operand
        base = self._atom()
        if not self._takes("**"):
            return base
        return self._finite(start, self._node("pow", base, self._nested(self._signed)))

    def _nested(self, read) -> Node:
        self._depth += 1
        if self._depth > expression.MOST_DEPTH:
            raise fault("deep", most=expression.MOST_DEPTH)
        node = read()
        self._depth -= 1
        return node

    def _atom(self) -> Node:
        token = self._next
        if token.kind == "end":
            raise fault("end", after=self._after())
        self._place += 1
        if token.kind == "number":
            return self._finite(token.start, Node("const", float(token.text)))
        if token.kind == "name":
            return self._call(token) if self._next.text == "(" else self._input(token.text)
        if token.text != "(":
            raise fault("operand", text=token.text)
        inner = self._nested(self._binary)
        self._expect(")")
        return inner

    def _input(self, name: str) -> Node:
        if name not in self._names:
            if units.is_unit(name) and not nearest(name, self._names):
                raise fault("unit", text=name)
            names = ", ".join(self._names)
            if name in PARTS["sum"]:
                raise fault("part", text=name, names=names)
            inputs = FAULTS["inputs"].format(names=names)
            raise fault("name", text=name, hint=did_you_mean(name, self._names, inputs))
        return Node("input", name)

    def _call(self, token: _Token) -> Node:
        op = _FUNCTIONS.get(token.text)
        if token.text in self._names:
            self._refuse_operand()
        if token.text.startswith("rk."):
            raise fault("maker", text=token.text)
        if op is None:
            known = sorted(NUMPY_NAMES.values())
            meant = nearest(token.text.rpartition(".")[2], known)
            available = FAULTS["functions"].format(names=", ".join(f"np.{each}" for each in known))
            hint = FAULTS["meant"].format(name=meant) if meant else available
            raise fault("function", text=token.text, hint=hint)
        self._place += 1
        args = [self._nested(self._binary)]
        while self._takes(","):
            args.append(self._nested(self._binary))
        self._expect(")")
        if len(args) != expression.ARITY[op]:
            wanted = expression.ARITY[op]
            raise fault("arguments", text=token.text, wanted=wanted, count=len(args))
        return self._finite(token.start, self._node(op, *args))
