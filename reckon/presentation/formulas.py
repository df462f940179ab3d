"""A prediction on the page: its formula, its inputs with their origin, what it predicts."""

from __future__ import annotations

import re

from reckon import units
from reckon.prediction import expression
from reckon.prediction.formula import Prediction
from reckon.presentation.block import Block, grid, label
from reckon.records.inputs import AT_END

_ORIGIN = {
    "given": "given",
    "machine": "machine description",
    "measured": "measured in this run",
    "guess": "guess",
    "axis": "axis of the curve",
}

_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _slug(quantity: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", quantity)


def _amount_latex(value: float, unit: str, show=units.number) -> str:
    text = show(units.from_base(value, unit)).replace("−", "-").replace(" ", r"\,")
    text = re.sub(r"·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: rf"\cdot 10^{{{m[1].translate(_PLAIN)}}}", text)
    return text + (rf"\,\text{{{units.spoken(unit)}}}" if units.spoken(unit) else "")


def _parts(f) -> list[tuple]:
    """The parts of a formula that are printed: [(title, node)]."""
    both = [("hardware", f.hardware), ("software", f.software)]
    return {
        "sum": both,
        "mean": both,
        "rate": [("hardware", f.hardware), ("predicted", f.predicted)],
        "plain": [("predicted", f.predicted)],
    }[f.kind]


def _aligned(lines: list[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def formula_latex(made: Prediction) -> str:
    """The formula with names, with numbers put in, and its value, as aligned LaTeX."""
    f = made.formula
    numbers = {
        name: expression.name_latex(name)
        if one.origin == "axis"
        else _amount_latex(one.value, one.unit, units.plain)
        for name, one in made.inputs.items()
    }
    lines = []
    values = {}
    for title, node in _parts(f):
        value = made.value(node)
        lines.append(rf"\text{{{title}}} &= {expression.latex(node)}")
        put_in = expression.latex(node, numbers)
        if put_in != expression.latex(node) and node.op != "input":
            lines.append(rf"&= {put_in}")
        if not made.curve_axis:
            step = units.readable(float(value), f.unit)
            values[title] = _amount_latex(float(value), step)
            if not expression.is_zero(node):
                lines[-1] += rf" = {values[title]}"
    if f.kind in ("sum", "mean"):
        whole = r"\text{predicted} &= \text{hardware} + \text{software}"
        if not made.curve_axis:
            value = float(made.predicted)
            whole += rf" = {values['hardware']} + {values['software']}"
            whole += rf" = {_amount_latex(value, units.readable(value, f.unit))}"
        lines.append(whole)
    return _aligned(lines)


def _input_value(one) -> str:
    if one.origin == "axis":
        values = [units.from_base(v, one.unit) for v in (one.value[0], one.value[-1])]
        return f"{values[0]:g} to {values[1]:g} {units.spoken(one.unit)}".strip()
    return f"{units.plain(units.from_base(one.value, one.unit))} {units.spoken(one.unit)}".strip()


def _input_interval(one) -> str:
    if one.low is None:
        return "–"
    low, high = (units.plain(units.from_base(v, one.unit)) for v in (one.low, one.high))
    return f"{low} to {high}"


def _input_source(one) -> str:
    source = f"`{one.source}`" if "/" in one.source else one.source
    text = {
        "measured": f"measured: `{one.reference}`{AT_END if one.source.endswith(AT_END) else ''}",
        "machine": f"machine description: {source}",
    }.get(one.origin, f"{_ORIGIN[one.origin]}: {one.source}")
    if one.instead_of:
        text += f", because {one.instead_of}"
    return text + (f" {{cite}}`{one.cite}`" if one.cite else "")


def prediction(made: Prediction, what: str) -> Block:
    """The formula, its inputs with their origin, and what it predicts."""
    rows = [
        [name.replace("_", " "), _input_value(one), _input_interval(one), _input_source(one)]
        for name, one in made.inputs.items()
    ]
    table_ = grid(
        ["Input", "Value", "Interval", "Where it comes from"],
        rows,
        f"Inputs of the prediction: {what}",
        f"inputs-{_slug(made.quantity)}",
        [18, 16, 18, 48],
    )
    low, high = made.interval()
    if made.curve_axis:
        sentence = "The prediction is a curve; the figure below draws it."
    else:
        sentence = f"**Predicted: {units.amount(float(made.predicted), made.unit)}**"
        if low is not None:
            sentence += (
                f" (between {units.amount(low, made.unit)} and {units.amount(high, made.unit)}"
            )
            sentence += " by the inputs' intervals)"
        sentence += "."
    return Block(f"$$\n{formula_latex(made)}\n$$\n\n{sentence}\n\n{table_.markdown}")


def predictions(made: list[Prediction], caption: str, name: str) -> Block:
    """Several predictions: each formula once, a table with the inputs in which the rows differ,
    value and interval, and below it every input with where it comes from (of those that differ, the
    value is in the table)."""
    told, formulas = {}, {}
    for one in made:
        parts = [rf"\text{{{t}}} &= {expression.latex(node)}" for t, node in _parts(one.formula)]
        formulas.setdefault(_aligned(parts), []).append(f"`{label(one.quantity)}`")
        for key, given in one.inputs.items():
            told.setdefault(key, set()).add(_input_value(given))
    shown = ""
    for latex, whose in formulas.items():
        shown += f"{', '.join(whose)}:\n\n" if len(formulas) > 1 else ""
        shown += f"$$\n{latex}\n$$\n\n"
    rows = []
    for one in made:
        low, high = one.interval()
        differ = [
            f"{key.replace('_', ' ')} {_input_value(i)}"
            for key, i in one.inputs.items()
            if len(told[key]) > 1
        ]
        rows.append(
            [
                f"`{label(one.quantity)}`",
                "; ".join(differ) or "–",
                units.span(one.predicted, one.unit)
                if one.curve_axis
                else units.amount(float(one.predicted), one.unit),
                "–"
                if low is None or one.curve_axis
                else f"{units.amount(low, one.unit)} to {units.amount(high, one.unit)}",
            ]
        )
    sources = {}
    for one in made:
        for key, i in one.inputs.items():
            value = f" {_input_value(i)}" if len(told[key]) == 1 else ""
            sources[f"{key.replace('_', ' ')}{value} ({_input_source(i)})"] = None
    table_ = grid(
        ["Quantity", "With", "Predicted", "Interval"], rows, caption, name, [22, 40, 16, 22]
    )
    return Block(shown + table_.markdown + "\n\nInputs: " + "; ".join(sources) + ".")
