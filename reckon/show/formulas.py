"""A prediction on the page: its formula, its inputs with their origin, what it predicts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np

from reckon import units
from reckon.prediction import variations
from reckon.prediction.expression import Node, is_zero
from reckon.prediction.formula import PARTS, Formula, Prediction
from reckon.prediction.inputs import AT_END, Input
from reckon.prediction.printing import latex, name_latex
from reckon.records.quantities.lookup import read_result
from reckon.records.quantities.recorded_predictions import needed_values
from reckon.records.quantities.result import Result
from reckon.records.run_inputs import later_values
from reckon.records.session import current_session
from reckon.show import citations
from reckon.show.block import Block, items, plain_markdown, short_name, table, what_if_anchor
from reckon.show.text import (
    NONE,
    code,
    join_words,
    literal,
    percent,
    ratio_text,
)
from reckon.show.titles import link, title_of

_ORIGIN = {"given": "given", "guess": "guess", "axis": "axis of the curve"}
_PLAIN_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _latex_number(number: str, unit: str) -> str:
    text, has_power, power = number.replace("−", "-").replace(",", "{,}").partition("·10")
    if has_power:
        text += rf"\cdot 10^{{{power.translate(_PLAIN_DIGITS)}}}"
    symbol = units.symbol(unit, number)
    return rf"{text}\,\text{{{symbol}}}" if symbol else text


def _input_latex(name: str, input_: Input) -> str:
    """What stands for an input in the formula with numbers; an axis keeps its name."""
    if isinstance(input_.value, list):
        return name_latex(name)
    return _latex_number(units.plain(units.from_base(input_.value, input_.unit)), input_.unit)


def _value_latex(value: float, unit: str) -> str:
    readable = units.readable_unit(value, unit)
    return _latex_number(units.number(units.from_base(value, readable)), readable)


def _parts(formula: Formula) -> dict[str, Node]:
    """The nodes of a formula that are printed, by their title."""
    return {title: getattr(formula, title) for title in PARTS[formula.kind]}


def _line(title: str, node: Node) -> str:
    return rf"\text{{{title}}} &= {latex(node)}"


def _aligned(lines: Iterable[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\[0.5em]\n".join(lines) + "\n\\end{aligned}"


def _formula_latex(prediction: Prediction) -> str:
    """The formula with names, with numbers, and its value, as aligned LaTeX."""
    formula, is_single = prediction.formula, not prediction.curve_axis
    numbers = {name: _input_latex(name, input_) for name, input_ in prediction.inputs.items()}

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


def formula_block(prediction: Prediction) -> str:
    """The formula with names, with numbers, and its value, as Markdown."""
    return f"$$\n{_formula_latex(prediction)}\n$$"


def _input_value(input_: Input) -> str:
    if isinstance(input_.value, list):
        first, last = (units.from_base(input_.value[k], input_.unit) for k in (0, -1))
        text = f"{units.as_given(first)} to {units.as_given(last)}"
    else:
        text = units.plain(units.from_base(input_.value, input_.unit))
    return units.with_unit(text, input_.unit)


def _input_interval(input_: Input) -> str:
    if input_.low is None or input_.high is None:
        return NONE
    low, high = (units.plain(units.from_base(v, input_.unit)) for v in (input_.low, input_.high))
    return f"{low} to {high}"


def source_text(input_: Input) -> str:
    """Where an input comes from, in words without markup."""
    text = plain_markdown(_input_source(input_))
    text = re.sub(r"(?<!\\)\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")
    return re.sub(r"\\(\W)", r"\1", text)


def _input_source(input_: Input) -> str:
    if input_.origin == "measured":
        at_end = AT_END if input_.at_end else ""
        text = f"measured: {link(str(input_.reference))}{at_end}"
    elif input_.origin == "machine":
        file = code(input_.source) if "/" in input_.source else literal(input_.source)
        text = f"machine description: {file}"
    else:
        text = f"{_ORIGIN[input_.origin]}: {input_.source}"
    because = f", because {_instead_of(input_)}" if input_.instead_of else ""
    citation = f" {{cite}}`{input_.cite}`" if input_.cite else ""
    citations.check(citation, f"The input {input_.source!r}")
    return f"{text}{because}{citation}"


def _instead_of(given: Input) -> str:
    """Why a guess stands in, with words in the place of the quantity's or the field's name."""
    reference = given.reference or ""
    words = link(reference) if "/" in reference else re.sub("[._]", " ", reference)
    return literal(given.instead_of or "").replace(reference, words)


def _interval(prediction: Prediction) -> list[str]:
    """The ends of the interval that follows from the inputs' intervals; [] without."""
    low, high = prediction.interval()
    if low is None or prediction.curve_axis:
        return []
    return [units.amount(end, prediction.unit) for end in (low, high)]


def _predicted(prediction: Prediction) -> str:
    return units.span(prediction.predicted, prediction.unit)


def since_sealed(prediction: Prediction, run: str | Path, edited: Collection[str] = ()) -> str:
    """Which measured inputs have moved by a per cent or more since the prediction was sealed, and
    what it would be with the values of now; "" if none has.

    edited: the inputs that a person has changed, which do not count."""
    given = {name: input_ for name, input_ in prediction.inputs.items() if name not in edited}
    later = later_values(run, given)
    moved = _moved(prediction, later)
    if not moved:
        return ""
    with_later = _predicted(variations.with_values(prediction, later))
    return (
        f"{SEALED_BEFORE} Inputs that were measured again differ: {join_words(moved)}. "
        f"With the later values the prediction would be {with_later}."
    )


SEALED_BEFORE = "The prediction uses the values that were known when it was sealed."


def _moved(prediction: Prediction, later: dict[str, float]) -> list[str]:
    """The inputs whose later value differs by a per cent or more, with that."""
    shares = {
        name: abs(float(np.divide(value, prediction.inputs[name].value)) - 1)
        for name, value in later.items()
    }
    return [
        f"“{short_name(name)}” by {percent(share)}"
        for name, share in shares.items()
        if share >= LEAST_MOVED
    ]


LEAST_MOVED = 0.01  # of an input


def _moves(prediction: Prediction) -> dict[str, str]:
    """By uncertain input: the prediction at both ends of its interval, as multiples of what it
    is."""
    return {
        name: " to ".join(map(ratio_text, sorted(multiples)))
        for name, multiples in variations.sensitivity(prediction).items()
    }


def _needed(prediction: Prediction, uncertain: Iterable[str]) -> dict[str, str]:
    """By uncertain input: its value with which alone the prediction would meet the measurement, if
    there is one. Its class covers it where the reader predicts first."""
    result = read_result(current_session().run.name, prediction.quantity)
    if result is None or not _is_comparable(result, prediction):
        return {}
    texts = {}
    for name, value in needed_values(result, prediction, uncertain).items():
        texts[name] = f'<span class="needed">{needed_text(value, prediction.inputs[name])}</span>'
    return texts


def needed_text(value: float, input_: Input) -> str:
    """A value with which a prediction would be right, and whether its interval held it."""
    text = units.with_unit(units.number(units.from_base(value, input_.unit)), input_.unit)
    return text if input_.has_inside(value) else f"{text} (outside its interval)"


def _is_comparable(result: Result, prediction: Prediction) -> bool:
    """Whether the samples are of the prediction's dimension, at positions that it has."""
    axis = prediction.curve_axis
    positions = set(np.atleast_1d(axis[1].value)) if axis else {None}
    same_dimension = units.dimension(result.unit) == units.dimension(prediction.unit)
    return same_dimension and {point.x for point in result.points} <= positions


def prediction(prediction: Prediction, subject: str, fold: str = "") -> Block:
    """The formula, its inputs with their origin and effect, and what it predicts of `subject`;
    below it, outside of a fold with that title, the What if? panel."""
    moves = _moves(prediction)
    needed = _needed(prediction, moves)
    rows = [
        [
            short_name(name),
            _input_value(input_),
            _input_interval(input_),
            moves.get(name, NONE),
            needed.get(name, NONE),
            _input_source(input_),
        ]
        for name, input_ in prediction.inputs.items()
    ]
    for row in rows:
        if row[-1].startswith("guess: "):  # the first is linked to the glossary
            row[-1] = row[-1].replace("guess", "{term}`guess`", 1)
            break
    columns = {"Input": 13, "Value": 13, "Interval": 14, "Moves the prediction": 15}
    columns |= {"Would be right at": 15, "Where it comes from": 30}
    name = f"inputs-{re.sub('[^a-z0-9]+', '-', prediction.quantity)}"
    inputs = table(
        columns,
        rows,
        f"Inputs of the prediction: {subject}. Each row changes one input and keeps the others",
        name,
    ).markdown
    predicted = "The prediction is a curve: the dashed line in its figure."
    if not prediction.curve_axis:
        interval = " and ".join(_interval(prediction))
        between = f" (between {interval} by the inputs' intervals)" if interval else ""
        predicted = f"**Predicted: {_predicted(prediction)}**{between}."
    since = since_sealed(prediction, current_session().run.name)
    predicted = f"{predicted} {since.replace('sealed', '{term}`sealed`', 1)}".rstrip()
    panel = what_if_anchor([prediction.quantity], subject)
    content = f"{formula_block(prediction)}\n\n{predicted}\n\n{inputs}"
    if any(input_.origin == "measured" for input_ in prediction.inputs.values()):
        content += f"\n\n{_OF_THE_FIRST_VISIT}"
    if fold:
        content = f"::::{{dropdown}} {fold}\n{content}\n::::"
    return Block(f"{content}\n\n{panel}")


# In print the chapter on the method says it once.
_OF_THE_FIRST_VISIT = (
    "```{only} html\nMeasured inputs are those of the first visit, as sealed. The value in their "
    "own chapter is the median of all visits.\n```"
)


def _names_latex(prediction: Prediction) -> str:
    return _aligned(_line(title, node) for title, node in _parts(prediction.formula).items())


def predictions(predictions: list[Prediction], caption: str, name: str) -> Block:
    """Several predictions: each formula once, numbered if there are several; a table with value,
    interval and the inputs that differ; below it the origin of every input."""
    formulas = list(dict.fromkeys(map(_names_latex, predictions)))
    is_numbered = len(formulas) > 1
    values: dict[str, set[str]] = {}
    for prediction in predictions:
        for key, input_ in prediction.inputs.items():
            values.setdefault(key, set()).add(_input_value(input_))
    rows = []
    sources: dict[str, None] = {}  # a set that keeps its order
    for prediction in predictions:
        differing_inputs = []
        for key, input_ in prediction.inputs.items():
            text = f"{short_name(key)} {_input_value(input_)}"
            if len(values[key]) > 1:  # its value is in the table
                differing_inputs.append(text)
                text = short_name(key)
            sources[f"{text} ({_input_source(input_)})"] = None
        rows.append(
            [
                title_of(prediction.quantity),
                str(1 + formulas.index(_names_latex(prediction))) if is_numbered else NONE,
                "; ".join(differing_inputs) or NONE,
                _predicted(prediction),
                " to ".join(_interval(prediction)) or NONE,
            ]
        )
    columns = {"Quantity": 22, "Formula": 9, "With": 33, "Predicted": 15, "Interval": 21}
    values_table = table(columns, rows, caption, name).markdown
    panel = what_if_anchor(prediction.quantity for prediction in predictions)
    pieces = []
    for number, formula in enumerate(formulas, 1):
        pieces += [f"Formula {number}:"] if is_numbered else []
        pieces.append(f"$$\n{formula}\n$$")
    run = current_session().run.name
    moved = [_moved(each, later_values(run, each.inputs)) for each in predictions]
    unique = [*dict.fromkeys(itertools.chain(*moved))]
    later = "Inputs that were measured again after the predictions were sealed differ:"
    since = f"{later} {join_words(unique)}." if unique else ""
    pieces += [values_table, "Inputs:", items(sources).markdown, since, panel]
    return Block("\n\n".join(filter(None, pieces)))
