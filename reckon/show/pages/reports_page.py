"""The page `reports`: their predictions recomputed, contradictions, units, scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from reckon import units
from reckon.comparison.reports import derivations, published
from reckon.comparison.reports.derivations import Recomputed
from reckon.comparison.reports.report import Derivation, PrintedFact, Report
from reckon.comparison.reports.reported_value import CONTRADICTS, Printed
from reckon.prediction.ratios import MISS, NEAR, factor_off
from reckon.show.block import Block, join_blocks, say, table
from reckon.show.tables.scores import WITHIN, report_ratios, shares_within, typical_factor
from reckon.show.text import NONE, cited_machine, plural

_AS_STATED = "as stated"
_MISPRINTED = "printed as the "  # in a note: the heading that the value stands under


def _ends(values: list[float], as_text: Callable[[float], str]) -> str:
    """A value, or a curve's ends, each as `as_text` prints it."""
    return " to ".join(dict.fromkeys([as_text(values[0]), as_text(values[-1])]))


def _as_printed(value: float) -> str:
    return f"{value:,.10g}"


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
        sign = "+" if percent > 0 else "−"
        return f"{sign}{abs(percent):.1f} %{where}"
    return f"{units.number(worst.ratio)} times{where}"


def _derivation_rows(report: Report, derivation: Derivation) -> list[list[str]]:
    """A row for each part of a prediction; parts with equal values share one, zeros have none."""
    parts: dict[str, list[Recomputed]] = {}
    for value in derivations.recompute(report, derivation):
        parts.setdefault(value.part, []).append(value)
    names_by_values: dict[tuple, list[str]] = {}
    for name, values in parts.items():
        numbers = tuple((value.published, value.recomputed) for value in values)
        if np.any(numbers):
            names_by_values.setdefault(numbers, []).append(name)
    # A reading other than the stated one is Reckon's in any case.
    is_inferred = derivation.has_inferred_input and derivation.reading == _AS_STATED
    reading = derivation.reading + (", an input inferred" if is_inferred else "")
    title_cells = [f"{derivation.what} ({derivation.place})", reading]
    unit = units.symbol(derivation.unit)
    rows = []
    for names in names_by_values.values():
        values = parts[names[0]]
        span = f", {values[0].at} to {values[-1].at}" if len(values) > 1 else ""
        published = _ends([value.published for value in values], _as_printed)
        recomputed = _ends([value.recomputed for value in values], _four_digits)
        amounts = [f"{text} {unit}".rstrip() for text in (published, recomputed)]
        rows.append([*title_cells, ", ".join(names) + span, *amounts, _difference(values)])
        title_cells = ["", ""]
    return rows


def _derivation_table(report: Report) -> Block:
    """The report's predictions: published, recomputed from its inputs, and the difference."""
    rows = [
        row for derivation in report.derivations for row in _derivation_rows(report, derivation)
    ]
    columns = {
        "Prediction": 24,
        "Read": 16,
        "Part": 18,
        "Published": 15,
        "Recomputed": 15,
        "Published differs by": 12,
    }
    caption = f"{report.machine}: its predictions, run again on its own inputs"
    block = table(columns, rows, caption, f"reports-again-{report.name.replace('_', '-')}")
    notes = "\n".join(_notes(report))
    return Block(
        "::::{dropdown} All of them, with what was recomputed, and why some do not follow\n"
        f"{notes}\n\n{block.markdown}\n::::"
    )


def _follows(report: Report, derivation: Derivation) -> bool:
    return all(value.follows for value in derivations.recompute(report, derivation))


def _notes(report: Report) -> list[str]:
    """An item for each prediction that does not follow as stated, and has a note."""
    return [
        f"- *{derivation.what}*: {derivation.note.rstrip('.')}."
        for derivation in report.derivations
        if derivation.reading == _AS_STATED and derivation.note and not _follows(report, derivation)
    ]


def _outcomes(report: Report, *, inferred: bool) -> list[bool]:
    """Whether each prediction follows, of those with (or without) an input that is inferred."""
    return [
        _follows(report, derivation)
        for derivation in report.derivations
        if derivation.reading == _AS_STATED and derivation.has_inferred_input == inferred
    ]


def finding() -> Block:
    """How good the reports' reasoning and arithmetic are, all together: two sentences."""
    ratios = np.concatenate([ratios for _, ratios in report_ratios()])
    factors = factor_off(ratios)
    shares = shares_within(factors)
    stated = [
        follows
        for report in published.all_reports()
        for follows in _outcomes(report, inferred=False)
    ]
    return say(
        f"**{shares[MISS]} of the reports' {len(factors)} predictions lie within a factor of two "
        f"of their own measurement**, and {shares[NEAR]} within {NEAR:g} times.",
        f"As for the arithmetic: of {len(stated)} predictions that they derive from stated "
        f"numbers, {sum(stated)} follow from these.",
    )


def _derivation_summary(report: Report) -> Block:
    """How many of a report's predictions follow from its inputs as stated."""
    stated, inferred = _outcomes(report, inferred=False), _outcomes(report, inferred=True)
    further = sum(inferred)
    unexplained = len(inferred) - further
    sentences = [
        f"Of {len(stated)} predictions that {cited_machine(report)} derives from stated numbers, "
        f"{sum(stated)} follow from them, within {100 * derivations.FOLLOWS:.0f} % or the rounding "
        "of what is printed."
    ]
    if further:
        sentences.append(
            f"A further {further} {plural(further, 'follows', 'follow')} with an input that the "
            "report does not print: it was solved from the published value."
        )
    if unexplained:
        verb = plural(unexplained, "does", "do")
        sentences.append(f"Even with such an input, {unexplained} {verb} not.")
    return say(*sentences)


def arithmetic() -> Block:
    """Every report's predictions, recomputed from the inputs that it states."""
    reports = [report for report in published.all_reports() if report.derivations]
    pieces = (_derivation_summary, _derivation_table)
    return join_blocks(piece(report) for report in reports for piece in pieces)


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
    """What one printing of a value says in these fields, in words, with its place."""
    texts = [
        f"{_NUMBERS[field]} {units.with_unit(f'{getattr(printed, field):,.6g}', printed.unit)}"
        for field in fields
        if getattr(printed, field) is not None
    ]
    return f"{', '.join(texts)} ({printed.place})"


def _contradicting_numbers(value: Printed, again: Printed) -> list[str]:
    """Two printings of a value, by what both of them print; the second is NONE if it is the
    first."""
    if value is again:
        return [_numbers(value, [*_NUMBERS]), NONE]
    fields = [f for f in _NUMBERS if None not in (getattr(value, f), getattr(again, f))]
    return [_numbers(printed, fields or [*_NUMBERS]) for printed in (value, again)]


def _fact(fact: PrintedFact) -> str:
    value = fact.value
    if not isinstance(value, str):
        value = units.with_unit(f"{value:,.7g}", fact.unit)
    return f"{value} ({fact.place})"


def contradictions(caption: str, name: str) -> Block:
    """The facts and values whose note says that another place of the report contradicts them."""
    rows = []
    for report in published.all_reports():
        for fact in report.facts:
            for again in fact.also:
                if CONTRADICTS in again.note:
                    rows.append([report.machine, fact.label, _fact(fact), _fact(again), again.note])
        for value in report.values:
            at = ""
            if value.at is not None:
                at = f" at {units.with_unit(f'{value.at:,g}', value.at_unit)}"
            for printed in (value, *value.also):
                if CONTRADICTS in printed.note:
                    numbers = _contradicting_numbers(value, printed)
                    title = f"{value.label}{at}"
                    rows.append([report.machine, title, *numbers, printed.note])
    columns = {"Report": 16, "Fact or value": 22, "Here": 19, "There": 19, "Note": 24}
    return table(columns, rows, caption, name)


def misprints(caption: str, name: str) -> Block:
    """The values that a report prints again under a heading that is not theirs."""
    rows = [
        [report.machine, value.label, _numbers(value, ["measured"]), _numbers(again, ["measured"])]
        + [again.note]
        for report in published.all_reports()
        for value in report.values
        for again in value.also
        if again.note.startswith(_MISPRINTED)
    ]
    if not rows:
        return say("No report prints a value under another one's heading.")
    columns = {"Report": 16, "Value": 26, "Printed": 19, "Printed again": 19, "What it is": 20}
    return table(columns, rows, caption, name)


def readings(caption: str, name: str) -> Block:
    """Units that are read otherwise than they are printed, with the reason."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for report in published.all_reports():
        is_tick = report.cycles_are == "tick"
        cycles = "ticks of the time-stamp counter" if is_tick else "core cycles"
        in_cycles = sum(value.unit == "cycle" for value in report.values)
        counts[report.machine, "cycles", cycles, report.cycles_note] = in_cycles
        for value in report.values:
            if value.printed_unit:
                unit = units.symbol(value.unit)
                counts[report.machine, value.printed_unit, unit, value.note] += 1
    rows = [
        [report_name, printed, read_as, str(count), note]
        for (report_name, printed, read_as, note), count in counts.items()
    ]
    columns = {"Report": 16, "Printed": 10, "Read as": 16, "Values": 8, "Why": 50}
    return table(columns, rows, caption, name)


def scores(caption: str, name: str) -> Block:
    """How far each report's own predictions were off its own measurements."""
    rows = []
    for report, ratios in report_ratios():
        factors = factor_off(ratios)
        typical, shares = f"{typical_factor(factors)}×", shares_within(factors)
        rows.append([cited_machine(report), str(len(factors)), typical, *shares.values()])
    columns = {
        "Report": 30,
        "Predictions": 14,
        "Typically off by": 17,
        f"Within {WITHIN[0]:g} times": 15,
        **{f"{limit:g} times": 12 for limit in WITHIN[1:]},
    }
    return table(columns, rows, caption, name)
