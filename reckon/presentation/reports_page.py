"""The page `reports`: their predictions recomputed, contradictions, units, scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from reckon import units
from reckon.presentation.block import Block, joined_blocks, table
from reckon.presentation.scores import report_ratios, shares_within, typical_factor
from reckon.presentation.text import NONE, cited, verb
from reckon.reports import derivations, published
from reckon.reports.derivations import Recomputed
from reckon.reports.published import CONTRADICTS, Derivation, FactPrinted, Printed, Report

_AS_STATED = "as stated"


def _ends(values: list[float], as_text: Callable[[float], str]) -> str:
    """A value, or a curve's ends, each as `as_text` prints it."""
    return " to ".join(dict.fromkeys([as_text(values[0]), as_text(values[-1])]))


def _as_printed(value: float) -> str:
    return f"{value:,.10g}".replace(",", " ")


def _four_digits(value: float) -> str:
    return units.number(value, 4)


def _factor_off(value: Recomputed) -> float:
    return abs(np.log(value.ratio)) if value.ratio > 0 else np.inf


def _difference(values: list[Recomputed]) -> str:
    """By how much the published values differ, of a curve where they differ most."""
    if all(value.follows for value in values):
        return "follows"
    worst = max(values, key=_factor_off)
    where = f" at {worst.at}" if worst.at else ""
    percent = 100 * (worst.ratio - 1)
    if abs(percent) < 100:
        return f"{percent:+.1f} %{where}"
    return f"{units.number(worst.ratio)} times{where}"


def _derivation_rows(report: Report, derivation: Derivation) -> list[list[str]]:
    """A row for each part of a prediction; parts with equal values share one, zeros have none."""
    parts: dict[str, list[Recomputed]] = {}
    for value in derivations.recomputed(report, derivation):
        parts.setdefault(value.side, []).append(value)
    rows: dict[tuple, list[str]] = {}  # the names of parts by their values
    for name, values in parts.items():
        numbers = tuple((value.published, value.recomputed) for value in values)
        if np.any(numbers):
            rows.setdefault(numbers, []).append(name)
    # A reading other than the stated one is Reckon's in any case.
    inferred = derivation.inferred and derivation.reading == _AS_STATED
    reading = derivation.reading + (", an input inferred" if inferred else "")
    first, unit = (
        [f"{derivation.what} ({derivation.place})", reading],
        units.spoken(derivation.unit),
    )
    cells = []
    for names in rows.values():
        values = parts[names[0]]
        places = f", {values[0].at} to {values[-1].at}" if len(values) > 1 else ""
        printed = _ends([value.published for value in values], _as_printed)
        again = _ends([value.recomputed for value in values], _four_digits)
        amounts = [f"{text} {unit}".rstrip() for text in (printed, again)]
        cells.append([*first, ", ".join(names) + places, *amounts, _difference(values)])
        first = ["", ""]
    return cells


def _recomputed(report: Report) -> Block:
    """The report's predictions: published, recomputed from its inputs, and the difference."""
    rows = [row for one in report.derivation for row in _derivation_rows(report, one)]
    columns = {
        "Prediction": 24,
        "Read": 16,
        "Part": 18,
        "Published": 15,
        "Recomputed": 15,
        "Published differs by": 12,
    }
    caption = f"{report.machine}: its predictions, run again on its own inputs"
    return table(columns, rows, caption, f"reports-again-{report.name.replace('_', '-')}")


def _followed(report: Report) -> Block:
    """How many of a report's predictions follow from its inputs as stated, and why others do
    not."""
    stated: list[bool] = []
    inferred: list[bool] = []
    notes = []
    for derivation in report.derivation:
        if derivation.reading == _AS_STATED:
            follows = all(value.follows for value in derivations.recomputed(report, derivation))
            (inferred if derivation.inferred else stated).append(follows)
            if derivation.note and not follows:
                notes.append(f"- *{derivation.what}*: {derivation.note.rstrip('.')}.")
    further, left = sum(inferred), len(inferred) - sum(inferred)
    sentences = [
        f"Of {len(stated)} predictions that {cited(report)} derives from stated numbers, "
        f"{sum(stated)} follow from them, within {100 * derivations.FOLLOWS:.0f} % or the rounding "
        "of what is printed."
    ]
    if further:
        sentences.append(
            f"A further {further} {verb(further, 'follows', 'follow')} with an input that the "
            "report does not print: it was solved from the published value."
        )
    if left:
        sentences.append(f"Even with such an input, {left} {verb(left, 'does', 'do')} not.")
    return Block("\n".join([" ".join(sentences), "", *notes]))


def arithmetic() -> Block:
    """Every report's predictions, recomputed from the inputs that it states."""
    reports = [report for report in published.all_reports() if report.derivation]
    blocks = [show(report) for report in reports for show in (_followed, _recomputed)]
    return joined_blocks(blocks)


_NUMBERS = {
    "measured": "measured",
    "predicted": "predicted",
    "hardware": "hardware",
    "software": "software",
    "sd": "standard deviation",
    "predicted_low": "predicted from",
    "predicted_high": "predicted to",
}


def _numbers(printed: Printed, fields: list[str]) -> str:
    """What a figure's printing says in these fields, in words, with its place."""
    texts = [
        f"{_NUMBERS[field]} {getattr(printed, field):.6g} {units.spoken(printed.unit)}".rstrip()
        for field in fields
        if getattr(printed, field) is not None
    ]
    return f"{', '.join(texts)} ({printed.place})"


def _figures_in_contradiction(here: Printed, there: Printed) -> list[str]:
    """Two printings of a figure, by what both of them print; the second is NONE if it is the
    first."""
    if here is there:
        return [_numbers(here, [*_NUMBERS]), NONE]
    fields = [f for f in _NUMBERS if None not in (getattr(here, f), getattr(there, f))]
    return [_numbers(printed, fields or [*_NUMBERS]) for printed in (here, there)]


def _fact(fact: FactPrinted) -> str:
    value = fact.value
    if not isinstance(value, str):
        value = f"{value:.7g} {units.spoken(fact.unit)}".rstrip()
    return f"{value} ({fact.place})"


def contradictions(caption: str, label: str) -> Block:
    """The facts and figures whose note says that another place of the report contradicts them."""
    rows = []
    for report in published.all_reports():
        for fact in report.fact:
            for other in fact.also:
                if CONTRADICTS in other.note:
                    rows.append([report.name, fact.label, _fact(fact), _fact(other), other.note])
        for figure in report.figure:
            at = (
                f" at {figure.at:g} {units.spoken(figure.at_unit)}" if figure.at is not None else ""
            )
            for printed in (figure, *figure.also):
                if CONTRADICTS in printed.note:
                    values = _figures_in_contradiction(figure, printed)
                    name = f"{figure.label}{at}".rstrip()
                    rows.append([report.name, name, *values, printed.note])
    columns = {"Report": 10, "Fact or figure": 25, "Here": 20, "There": 20, "Note": 25}
    return table(columns, rows, caption, label)


def readings(caption: str, label: str) -> Block:
    """Units that are read otherwise than they are printed, with the reason."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for report in published.all_reports():
        is_tick = report.cycles_are == "tick"
        cycles = "ticks of the time-stamp counter" if is_tick else "core cycles"
        in_cycles = sum(figure.unit == "cycle" for figure in report.figure)
        counts[report.name, "cycles", cycles, report.cycles_note] = in_cycles
        for figure in report.figure:
            if figure.printed_unit:
                unit = units.spoken(figure.unit)
                counts[report.name, figure.printed_unit, unit, figure.note] += 1
    rows = [
        [name, printed, read, str(count), note]
        for (name, printed, read, note), count in counts.items()
    ]
    columns = {"Report": 10, "Printed": 10, "Read as": 18, "Figures": 8, "Why": 54}
    return table(columns, rows, caption, label)


def scores(caption: str, label: str) -> Block:
    """How far each report's own predictions were off its own measurements."""
    rows = []
    for report, ratios in report_ratios():
        off = np.maximum(ratios, 1 / ratios)
        typical = f"{typical_factor(off)}×"
        rows.append([cited(report), str(len(off)), typical, *shares_within(off).values()])
    columns = {
        "Report": 30,
        "Predictions": 14,
        "Typically off by": 17,
        "Within 1.25 times": 15,
        "2 times": 12,
        "10 times": 12,
    }
    return table(columns, rows, caption, label)
