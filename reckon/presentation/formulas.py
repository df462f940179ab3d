"""A prediction on the page: its formula, its inputs with their origin, what it predicts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reckon import units
from reckon.prediction.expression import Node, is_zero
from reckon.prediction.formula import PARTS, Formula, Prediction
from reckon.prediction.inputs import Input
from reckon.prediction.printing import latex, name_latex
from reckon.presentation.block import Block, label, plain, table, what_if_anchor
from reckon.presentation.text import NONE
from reckon.records.inputs import AT_END

_ORIGIN = {"given": "given", "guess": "guess", "axis": "axis of the curve"}
_PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _latex_number(number: str, unit: str) -> str:
    text, has_power, power = number.replace("−", "-").replace(" ", r"\,").partition("·10")
    if has_power:
        text += rf"\cdot 10^{{{power.translate(_PLAIN_DIGITS)}}}"
    spoken = units.spoken(unit)
    return rf"{text}\,\text{{{spoken}}}" if spoken else text


def _input_latex(name: str, given: Input) -> str:
    """What stands for an input in the formula with numbers; an axis keeps its name."""
    if isinstance(given.value, list):
        return name_latex(name)
    return _latex_number(units.plain(units.from_base(given.value, given.unit)), given.unit)


def _value_latex(value: float, unit: str) -> str:
    readable = units.readable(value, unit)
    return _latex_number(units.number(units.from_base(value, readable)), readable)


def _parts(formula: Formula) -> dict[str, Node]:
    """The nodes of a formula that are printed, by their title."""
    return {title: getattr(formula, title) for title in PARTS[formula.kind]}


def _line(title: str, node: Node) -> str:
    return rf"\text{{{title}}} &= {latex(node)}"


def _aligned(lines: Iterable[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _formula_latex(prediction: Prediction) -> str:
    """The formula with names, with numbers, and its value, as aligned LaTeX."""
    formula, is_single = prediction.formula, not prediction.curve_axis
    numbers = {name: _input_latex(name, given) for name, given in prediction.inputs.items()}

    def value(node: Node | None) -> str:
        return _value_latex(float(prediction.value(node)), formula.unit)

    lines = []
    for title, node in _parts(formula).items():
        lines.append(_line(title, node))
        with_numbers = latex(node, numbers)
        if with_numbers != latex(node) and node.op != "input":
            lines.append(rf"&= {with_numbers}")
        if is_single and not is_zero(node):
            lines[-1] += rf" = {value(node)}"
    if formula.software is not None:
        total = r"\text{predicted} &= \text{hardware} + \text{software}"
        if is_single:
            total += rf" = {value(formula.hardware)} + {value(formula.software)}"
            total += rf" = {value(formula.predicted)}"
        lines.append(total)
    return _aligned(lines)


def _input_value(given: Input) -> str:
    if isinstance(given.value, list):
        first, last = (units.from_base(given.value[k], given.unit) for k in (0, -1))
        text = f"{first:g} to {last:g}"
    else:
        text = units.plain(units.from_base(given.value, given.unit))
    return f"{text} {units.spoken(given.unit)}".strip()


def _input_interval(given: Input) -> str:
    if given.low is None or given.high is None:
        return NONE
    low, high = (units.plain(units.from_base(v, given.unit)) for v in (given.low, given.high))
    return f"{low} to {high}"


def source_text(given: Input) -> str:
    """Where an input comes from, in words without markup."""
    return plain(_input_source(given)).replace("`", "")


def _input_source(given: Input) -> str:
    if given.origin == "measured":
        at_end = AT_END if given.source.endswith(AT_END) else ""
        text = f"measured: `{given.reference}`{at_end}"
    elif given.origin == "machine":
        source = f"`{given.source}`" if "/" in given.source else given.source
        text = f"machine description: {source}"
    else:
        text = f"{_ORIGIN[given.origin]}: {given.source}"
    because = f", because {given.instead_of}" if given.instead_of else ""
    cited = f" {{cite}}`{given.cite}`" if given.cite else ""
    return f"{text}{because}{cited}"


def _interval(prediction: Prediction) -> list[str]:
    """The ends of the interval that follows from the inputs' intervals; [] without."""
    low, high = prediction.interval()
    if low is None or prediction.curve_axis:
        return []
    return [units.amount(end, prediction.unit) for end in (low, high)]


def _predicted(prediction: Prediction) -> str:
    """The predicted value, of a curve its ends."""
    if prediction.curve_axis:
        return units.span(prediction.predicted, prediction.unit)
    return units.amount(float(prediction.predicted), prediction.unit)


def prediction(prediction: Prediction, what: str) -> Block:
    """The formula, its inputs with their origin, and what it predicts."""
    rows = [
        [label(name), _input_value(given), _input_interval(given), _input_source(given)]
        for name, given in prediction.inputs.items()
    ]
    columns = {"Input": 18, "Value": 16, "Interval": 18, "Where it comes from": 48}
    name = f"inputs-{re.sub('[^a-z0-9]+', '-', prediction.quantity)}"
    inputs = table(columns, rows, f"Inputs of the prediction: {what}", name).markdown
    predicted = "The prediction is a curve; the figure below draws it."
    if not prediction.curve_axis:
        interval = " and ".join(_interval(prediction))
        between = f" (between {interval} by the inputs' intervals)" if interval else ""
        predicted = f"**Predicted: {_predicted(prediction)}**{between}."
    panel = what_if_anchor([prediction.quantity], what)
    return Block(f"$$\n{_formula_latex(prediction)}\n$$\n\n{predicted}\n\n{inputs}\n\n{panel}")


def _formulas(predictions: list[Prediction]) -> str:
    """Each formula once, with the quantities that it predicts if there are several."""
    quantities: dict[str, list[str]] = {}
    for prediction in predictions:
        latex = _aligned(_line(title, node) for title, node in _parts(prediction.formula).items())
        quantities.setdefault(latex, []).append(f"`{label(prediction.quantity)}`")
    pieces = []
    for latex, names in quantities.items():
        pieces += [f"{', '.join(names)}:"] if len(quantities) > 1 else []
        pieces.append(f"$$\n{latex}\n$$")
    return "\n\n".join(pieces)


def predictions(predictions: list[Prediction], caption: str, name: str) -> Block:
    """Several predictions: each formula once, a table with value, interval and the inputs that
    differ, and below it the origin of every input."""
    values: dict[str, set[str]] = {}
    for prediction in predictions:
        for key, given in prediction.inputs.items():
            values.setdefault(key, set()).add(_input_value(given))
    rows = []
    sources: dict[str, None] = {}  # a set that keeps its order
    for prediction in predictions:
        differ = []
        for key, given in prediction.inputs.items():
            text = f"{label(key)} {_input_value(given)}"
            if len(values[key]) > 1:  # its value is in the table
                differ.append(text)
                text = label(key)
            sources[f"{text} ({_input_source(given)})"] = None
        rows.append(
            [
                f"`{label(prediction.quantity)}`",
                "; ".join(differ) or NONE,
                _predicted(prediction),
                " to ".join(_interval(prediction)) or NONE,
            ]
        )
    columns = {"Quantity": 22, "With": 40, "Predicted": 16, "Interval": 22}
    values_table = table(columns, rows, caption, name).markdown
    panel = what_if_anchor(prediction.quantity for prediction in predictions)
    pieces = [_formulas(predictions), values_table, f"Inputs: {'; '.join(sources)}.", panel]
    return Block("\n\n".join(pieces))
