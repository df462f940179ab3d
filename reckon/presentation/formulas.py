"""A prediction on the page: its formula, its inputs with their origin, what it predicts."""

from __future__ import annotations

import re

from reckon import units
from reckon.prediction import expression
from reckon.prediction.formula import Prediction
from reckon.presentation.block import Block, label, table
from reckon.presentation.text import NONE
from reckon.records.inputs import AT_END

_ORIGIN = {"given": "given", "guess": "guess", "axis": "axis of the curve"}
# The parts of a formula that are printed, by its kind.
_BOTH = ("hardware", "software")
_PARTS = {
    "sum": _BOTH,
    "mean": _BOTH,
    "rate": ("hardware", "predicted"),
    "plain": ("predicted",),
}
_PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _slug(quantity: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", quantity)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _power_of_ten(match: re.Match) -> str:
    return rf"\cdot 10^{{{match[1].translate(_PLAIN_DIGITS)}}}"


def _amount_latex(value: float, unit: str, show=units.number) -> str:
    text = show(units.from_base(value, unit)).replace("−", "-").replace(" ", r"\,")
    text = re.sub(r"·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", _power_of_ten, text)
    return text + (rf"\,\text{{{units.spoken(unit)}}}" if units.spoken(unit) else "")


def _readable_latex(value: float, unit: str) -> str:
    return _amount_latex(value, units.readable(value, unit))


def _parts(formula) -> dict:
    """The nodes of a formula that are printed, by their title."""
    return {title: getattr(formula, title) for title in _PARTS[formula.kind]}


def _line(title: str, node) -> str:
    return rf"\text{{{title}}} &= {expression.latex(node)}"


def _aligned(lines: list[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _numbers(made: Prediction) -> dict[str, str]:
    """What stands for each input in the formula with numbers; an axis keeps its name."""
    return {
        name: expression.name_latex(name)
        if given.origin == "axis"
        else _amount_latex(given.value, given.unit, units.plain)
        for name, given in made.inputs.items()
    }


def formula_latex(made: Prediction) -> str:
    """The formula with names, with numbers, and its value, as aligned LaTeX."""
    numbers, parts = _numbers(made), _parts(made.formula)
    unit, is_single = made.formula.unit, not made.curve_axis
    values = {}
    if is_single:
        values = {t: _readable_latex(float(made.value(node)), unit) for t, node in parts.items()}
    lines = []
    for title, node in parts.items():
        lines.append(_line(title, node))
        with_numbers = expression.latex(node, numbers)
        if with_numbers != expression.latex(node) and node.op != "input":
            lines.append(rf"&= {with_numbers}")
        if is_single and not expression.is_zero(node):
            lines[-1] += rf" = {values[title]}"
    if _PARTS[made.formula.kind] == _BOTH:
        total = r"\text{predicted} &= \text{hardware} + \text{software}"
        if is_single:
            total += rf" = {values['hardware']} + {values['software']}"
            total += rf" = {_readable_latex(float(made.predicted), unit)}"
        lines.append(total)
    return _aligned(lines)


def _input_value(given) -> str:
    if given.origin == "axis":
        first, last = (units.from_base(given.value[k], given.unit) for k in (0, -1))
        return f"{first:g} to {last:g} {units.spoken(given.unit)}".strip()
    value = units.plain(units.from_base(given.value, given.unit))
    return f"{value} {units.spoken(given.unit)}".strip()


def _input_interval(given) -> str:
    if given.low is None:
        return NONE
    low, high = (units.plain(units.from_base(v, given.unit)) for v in (given.low, given.high))
    return f"{low} to {high}"


def _input_source(given) -> str:
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


def _interval(made: Prediction) -> tuple[str, str] | None:
    """The interval that follows from the inputs' intervals; None without."""
    low, high = made.interval()
    if low is None or made.curve_axis:
        return None
    return units.amount(low, made.unit), units.amount(high, made.unit)


def _predicted(made: Prediction) -> str:
    if made.curve_axis:
        return "The prediction is a curve; the figure below draws it."
    value, interval = units.amount(float(made.predicted), made.unit), _interval(made)
    if interval is None:
        return f"**Predicted: {value}**."
    low, high = interval
    return f"**Predicted: {value}** (between {low} and {high} by the inputs' intervals)."


def prediction(made: Prediction, what: str) -> Block:
    """The formula, its inputs with their origin, and what it predicts."""
    rows = [
        [_words(name), _input_value(given), _input_interval(given), _input_source(given)]
        for name, given in made.inputs.items()
    ]
    columns = {"Input": 18, "Value": 16, "Interval": 18, "Where it comes from": 48}
    caption, name = f"Inputs of the prediction: {what}", f"inputs-{_slug(made.quantity)}"
    inputs = table(columns, rows, caption, name).markdown
    return Block(f"$$\n{formula_latex(made)}\n$$\n\n{_predicted(made)}\n\n{inputs}")


def _formulas(predictions: list[Prediction]) -> str:
    """Each formula once, with the quantities that it predicts if there are several."""
    quantities: dict[str, list[str]] = {}
    for made in predictions:
        latex = _aligned([_line(title, node) for title, node in _parts(made.formula).items()])
        quantities.setdefault(latex, []).append(f"`{label(made.quantity)}`")
    pieces = []
    for latex, names in quantities.items():
        pieces += [f"{', '.join(names)}:"] if len(quantities) > 1 else []
        pieces.append(f"$$\n{latex}\n$$")
    return "\n\n".join(pieces)


def predictions(made: list[Prediction], caption: str, name: str) -> Block:
    """Several predictions: each formula once, a table with value, interval and the inputs that
    differ, and below it the origin of every input."""
    values: dict[str, set[str]] = {}
    for one in made:
        for key, given in one.inputs.items():
            values.setdefault(key, set()).add(_input_value(given))
    rows, sources = [], {}
    for one in made:
        differ = []
        for key, given in one.inputs.items():
            text = f"{_words(key)} {_input_value(given)}"
            if len(values[key]) > 1:  # its value is in the table
                differ.append(text)
                text = _words(key)
            sources[f"{text} ({_input_source(given)})"] = None
        predicted = units.span(one.predicted, one.unit) if one.curve_axis else None
        rows.append(
            [
                f"`{label(one.quantity)}`",
                "; ".join(differ) or NONE,
                predicted or units.amount(float(one.predicted), one.unit),
                " to ".join(_interval(one) or [NONE]),
            ]
        )
    columns = {"Quantity": 22, "With": 40, "Predicted": 16, "Interval": 22}
    values_table = table(columns, rows, caption, name).markdown
    return Block(f"{_formulas(made)}\n\n{values_table}\n\nInputs: {'; '.join(sources)}.")
