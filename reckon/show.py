"""What a page shows: formulas, tables, computed sentences. Figures are in figures.py.

Every function returns a Block, which a notebook cell displays.
"""

from __future__ import annotations

import math
import re

from . import expr, reports, units
from .blocks import Block, grid, say
from .predict import Prediction
from .results import Result

_ORIGIN = {"given": "given", "machine": "machine description", "measured": "measured in this run",
           "guess": "guess", "axis": "axis of the curve"}  # fmt: skip


def label(quantity: str) -> str:
    return quantity.rsplit("/", 1)[-1].replace("_", " ")


def _slug(quantity: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", quantity)


# --- the prediction ---------------------------------------------------------------------------


def _amount_latex(value: float, unit: str) -> str:
    text = units.number(units.from_base(value, unit)).replace("−", "-").replace(" ", r"\,")
    text = re.sub(r"e(-?)0*(\d+)", r"\\cdot 10^{\1\2}", text)
    return text + (rf"\,\text{{{units.spoken(unit)}}}" if units.spoken(unit) else "")


def formula_latex(made: Prediction) -> str:
    """The formula with names, with numbers put in, and its value, as aligned LaTeX."""
    f = made.formula
    numbers = {
        name: expr.name_latex(name) if one.origin == "axis" else _amount_latex(one.value, one.unit)
        for name, one in made.inputs.items()
    }
    parts = {"sum": [("hardware", f.hardware), ("software", f.software)],
             "rate": [("hardware", f.hardware), ("predicted", f.predicted)],
             "plain": [("predicted", f.predicted)]}[f.kind]  # fmt: skip
    lines = []
    values = {}
    for title, node in parts:
        value = made.value(node)
        lines.append(rf"\text{{{title}}} &= {expr.latex(node)}")
        put_in = expr.latex(node, numbers)
        if put_in != expr.latex(node) and node.op != "input":
            lines.append(rf"&= {put_in}")
        if not made.curve_axis:
            step = units.readable(float(value), f.unit)
            values[title] = _amount_latex(float(value), step)
            lines[-1] += rf" = {values[title]}"
    if f.kind == "sum":
        whole = r"\text{predicted} &= \text{hardware} + \text{software}"
        if not made.curve_axis:
            value = float(made.predicted)
            whole += rf" = {values['hardware']} + {values['software']}"
            whole += rf" = {_amount_latex(value, units.readable(value, f.unit))}"
        lines.append(whole)
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _input_value(one) -> str:
    if one.origin == "axis":
        values = [units.from_base(v, one.unit) for v in (one.value[0], one.value[-1])]
        return f"{values[0]:g} to {values[1]:g} {units.spoken(one.unit)}".strip()
    return units.amount(one.value, one.unit, fixed=True)


def _input_interval(one) -> str:
    if one.low is None:
        return "–"
    low, high = (units.number(units.from_base(v, one.unit)) for v in (one.low, one.high))
    return f"{low} to {high}"


def _input_source(one) -> str:
    text = {"measured": f"measured: `{one.reference}`",
            "machine": f"machine description: {one.source}"}.get(
        one.origin, f"{_ORIGIN[one.origin]}: {one.source}")  # fmt: skip
    if one.instead_of:
        text += f" (in place of {one.instead_of})"
    return text + (f" {{cite}}`{one.cite}`" if one.cite else "")


def prediction(made: Prediction, what: str) -> Block:
    """The formula, its inputs with their origin, and what it predicts."""
    rows = [
        [name.replace("_", " "), _input_value(one), _input_interval(one), _input_source(one)]
        for name, one in made.inputs.items()
    ]
    table_ = grid(["Input", "Value", "Interval", "Where it comes from"], rows,
                  f"Inputs of the prediction: {what}", f"inputs-{_slug(made.quantity)}",
                  [18, 16, 18, 48])  # fmt: skip
    low, high = made.interval()
    if made.curve_axis:
        sentence = "The prediction is a curve; the figure below draws it."
    else:
        sentence = f"**Predicted: {units.amount(float(made.predicted), made.unit)}**"
        if low is not None:
            sentence += f" (between {units.amount(low, made.unit)} and {units.amount(high, made.unit)}"
            sentence += " by the inputs' intervals)"
        sentence += "."
    return Block(f"$$\n{formula_latex(made)}\n$$\n\n{sentence}\n\n{table_.markdown}")


def predictions(made: list[Prediction], caption: str, name: str) -> Block:
    """Several predictions in one table: the formula, its inputs' values, its value and interval;
    below it where the inputs come from."""
    rows = []
    for one in made:
        low, high = one.interval()
        rows.append([
            f"`{label(one.quantity)}`",
            f"${expr.latex(one.formula.predicted)}$",
            "; ".join(f"{key.replace('_', ' ')} {_input_value(i)}" for key, i in one.inputs.items()),
            units.amount(float(one.predicted), one.unit),
            "–" if low is None else f"{units.amount(low, one.unit)} to {units.amount(high, one.unit)}",
        ])  # fmt: skip
    guessed = {
        f"{key.replace('_', ' ')} {_input_value(i)} ({_input_source(i)})": None
        for one in made for key, i in one.inputs.items()
    }  # fmt: skip
    table_ = grid(["Quantity", "Formula", "With", "Predicted", "Interval"], rows, caption, name,
                  [15, 27, 29, 12, 17])  # fmt: skip
    return Block(table_.markdown + "\n\nInputs: " + "; ".join(guessed) + ".")


# --- the measurement --------------------------------------------------------------------------


def mean_sd(one: Result) -> str:
    """Mean ± standard deviation over all trials; an unknown spread is not 0."""
    s = one.summary
    if s is None or one.is_curve:
        return "–"
    step = units.readable(s.mean, one.unit)
    spread = "not known" if math.isnan(s.sd) else units.number(units.from_base(s.sd, step), 2)
    return f"{units.number(units.from_base(s.mean, step))} ± {spread} {units.spoken(step)}"


def _or_dash(value, unit: str) -> str:
    return "–" if value is None or isinstance(value, list) else units.amount(value, unit)


def hardware(one: Result) -> str:
    return _or_dash(one.seal.hardware, one.unit)


def software(one: Result) -> str:
    if one.seal.kind == "rate" and not math.isnan(one.software_share):
        return f"{100 * one.software_share:.0f} % of the time"
    return _or_dash(one.seal.software, one.unit)


def measured(one: Result) -> str:
    if one.summary is None:
        return f"{one.state}: {one.reason}"
    return f"{one:±}" if not one.is_curve else "curve"


def ratio(one: Result) -> str:
    return "–" if math.isnan(one.ratio) else f"{units.number(one.ratio)}×"


def predicted(one: Result) -> str:
    if one.is_curve:
        return "curve"
    text = units.amount(one.seal.predicted, one.unit)
    if one.revisions:
        text += f"; revised {units.amount(one.current.predicted, one.unit)}"
    return text


def table(found: list[Result], caption: str, name: str, titles: dict | None = None) -> Block:
    """The rubric's table: base hardware, software overhead, predicted, measured with interval and
    with mean ± standard deviation over all trials, measured over predicted."""
    rows = []
    for one in found:
        s = one.summary if not one.is_curve else None
        cycles = units.number(one.core_cycles.median) if s and one.core_cycles else "–"
        rows.append([
            (titles or {}).get(one.quantity, label(one.quantity)), hardware(one), software(one),
            predicted(one), measured(one), mean_sd(one),
            cycles, ratio(one),
        ])  # fmt: skip
    return grid(["Operation", "Base hardware", "Software overhead", "Predicted",
                 "Measured, median (95 %)", "Mean ± sd", "Core cycles", "Measured / predicted"],
                rows, caption, name, [16, 11, 12, 13, 18, 13, 8, 9])  # fmt: skip


def conditions(found: list[Result], caption: str, name: str) -> Block:
    """What happened while the samples were taken; -1 is printed as not known."""

    def total(one: Result, field: str) -> str:
        values = [getattr(p, field) for point in one.measurement.points for p in point.processes]
        return "not known" if min(values, default=-1) < 0 else str(sum(values))

    why = {"precise": "interval narrow enough", "time": "time was up", "processes": "enough processes"}
    rows = []
    for one in found:
        if not one.has_samples:
            continue
        processes = [p for point in one.measurement.points for p in point.processes]
        reasons = {why[point.stopped] for point in one.measurement.points}
        rows.append([
            label(one.quantity), str(len(processes)), str(sum(s.n for s in one.summaries)),
            f"{sorted({p.cpu for p in processes})}".strip("[]"), str(processes[0].nice),
            total(one, "minor_faults"), total(one, "involuntary_switches"),
            total(one, "migrations"), total(one, "steal_ms"), ", ".join(sorted(reasons)),
        ])  # fmt: skip
    return grid(["Quantity", "Fresh processes", "Trials", "CPU", "Nice", "Minor faults",
                 "Preempted", "Moved", "Stolen ms", "Stopped because"], rows, caption, name,
                [16, 10, 8, 6, 6, 10, 11, 8, 9, 16])  # fmt: skip


def spreads(found: list[Result], caption: str, name: str) -> Block:
    """All the spreads that the reports give, side by side."""
    rows = []
    for one in found:
        if one.summary is None or one.is_curve:
            continue
        s, step = one.summary, units.readable(one.median, one.unit)
        told = lambda v: units.number(units.from_base(v, step))  # noqa: E731, B023
        rows.append([
            f"{label(one.quantity)} [{units.spoken(step)}]", told(s.median), told(s.trimmed_mean),
            told(s.mean), told(s.minimum), told(s.p99), told(s.sd_within), told(s.sd_across),
            told(s.max_deviation),
        ])  # fmt: skip
    return grid(["Quantity", "Median", "10 % trimmed mean", "Mean", "Minimum", "99th percentile",
                 "Sd inside a process", "Sd across processes", "Largest deviation"],
                rows, caption, name, [20, 9, 11, 9, 10, 11, 10, 11, 11])  # fmt: skip


def verdict(one: Result, what: str) -> Block:
    """How the prediction did, in a sentence or two: computed, by the sealed prediction."""
    if one.summary is None:
        return say(f"**{what}** could not be judged: {one.reason}")
    times = one.ratio
    if not times > 0 or math.isinf(times):
        return say(f"**{what}**: measured {one}, which no ratio to the prediction describes.")
    off = max(times, 1 / times)
    if off < 1.05:
        how = "as predicted"
    elif off < 2:
        how = f"{100 * abs(times - 1):.0f} % {'higher' if times > 1 else 'lower'} than predicted"
    else:
        how = f"a factor of {units.number(off, 2)} {'higher' if times > 1 else 'lower'} than predicted"
    if one.is_curve:
        text = f"**Verdict.** Over the whole curve, {what} came out {how} (middle point)."
    else:
        text = (
            f"**Verdict.** Predicted {units.amount(one.seal.predicted, one.unit)}, measured "
            f"{one:±}: {what} came out {how}."
        )
    if one.inside_interval is not None:
        text += f" The measured value lies {'inside' if one.inside_interval else 'outside'} its "
        text += f"interval, {units.amount(one.seal.low, one.unit)} to "
        text += f"{units.amount(one.seal.high, one.unit)}."
    if one.revisions:
        text += f" Revised after measuring ({'; '.join(one.revisions)})"
        if not one.is_curve:
            text += f": now {units.amount(one.current.predicted, one.unit)}"
        text += ". The score keeps to the sealed one."
    if one.state == "failed":
        text += f" The last attempt to measure failed ({one.reason}) The samples are earlier ones."
    for warning in [w for s in one.summaries for w in s.warnings][:3]:
        text += f" Note: {warning}."
    return say(text)


def plausibility(found: list[Result], least: float, unit: str, why: str,
                 most: float = math.inf) -> Block:  # fmt: skip
    """Figures of this run and of the reports that cannot be what they claim: not positive, or
    outside the bounds, with the reason why they are bounds. A time is bounded in core cycles."""
    in_cycles = unit == "cycle"
    odd = []

    def judge(value: float, whose: str) -> None:
        if not least <= value <= most:
            odd.append(f"{whose}: {units.number(value)} {units.spoken(unit)}")

    for one in found:
        if one.summary is not None and not one.is_curve:
            cycles = one.core_cycles.median if in_cycles else math.nan
            told = cycles if in_cycles else units.from_base(one.median, unit)
            judge(told, f"`{one.quantity}` of this run")
        for f in reports.of(one.quantity):
            told = f.base(f.measured, one.unit)
            if told is not None:
                told = told * f.clock if in_cycles else units.from_base(told, unit)
                judge(told, f"`{one.quantity}` of {f.report}")
    bound = f"No figure here can be below {units.number(least)} {units.spoken(unit)}"
    if math.isfinite(most):
        bound += f" or above {units.number(most)} {units.spoken(unit)}"
    return say(f"{bound}: {why}.",
               f"Outside: {'; '.join(odd)}." if odd else "None is.")  # fmt: skip


# --- other ways, other machines ---------------------------------------------------------------


def _told_by_reports(quantity: str, unit: str, names: list[str]) -> str:
    told = [
        f"{f.report}: {units.amount(f.base(f.measured, unit), unit)}"
        for f in reports.of(quantity)
        if f.measured is not None and (not names or f.report in names)
    ]
    return "; ".join(told) or "–"


def methods(found: list[Result], ours: Result, caption: str, name: str) -> Block:
    """Each report's method on this machine beside ours; predicted by the report's own reasoning."""
    rows = []
    for one in sorted(found, key=lambda r: r.median if r.summary else math.inf):
        m = one.measurement
        against = one.median / ours.median if one.summary and ours.summary else math.nan
        rows.append([
            ", ".join(m.reports) or "ours", m.timed, predicted(one), measured(one),
            "–" if math.isnan(against) else f"{units.number(against)}×",
            _told_by_reports(one.quantity, one.unit, m.reports),
        ])  # fmt: skip
    return grid(["Method of", "What is timed", "Predicted by its reasoning", "Measured here",
                 "Against ours", "In the report"], rows, caption, name,
                [13, 30, 14, 16, 10, 17])  # fmt: skip


def among(one: Result, quantities: list[str], caption: str, name: str) -> Block:
    """This machine among the reports' machines."""
    rows = [["**this machine**", units.amount(one.seal.predicted, one.unit), f"{one:±}", "1×", ""]]
    for quantity in quantities:
        for f in reports.of(quantity):
            if f.measured is None:
                continue
            value = f.base(f.measured, one.unit)
            guessed = f.base(f.predicted, one.unit)
            rows.append([
                f"{f.machine} {{cite}}`{f.cite}`",
                "–" if guessed is None else units.amount(guessed, one.unit),
                units.amount(value, one.unit),
                f"{units.number(value / one.median)}×" if one.summary else "–",
                f"{label(quantity)}; {f.place}{'; ' + f.note if f.note else ''}",
            ])  # fmt: skip
    return grid(["Machine", "Predicted", "Measured", "Against this machine", "What was measured"],
                rows, caption, name, [30, 13, 18, 13, 26])  # fmt: skip
