"""The page `reports`: their scores, contradictions and units."""

from __future__ import annotations

from collections import Counter

import numpy as np

from reckon import units
from reckon.comparison.reports import published
from reckon.comparison.reports.report import PrintedFact
from reckon.comparison.reports.reported_value import CONTRADICTS, Printed
from reckon.prediction.ratios import MISS, NEAR, factor_off
from reckon.show.block import Block, say, table
from reckon.show.tables.scores import WITHIN, report_ratios, shares_within, typical_factor
from reckon.show.text import NONE, cited_machine

_MISPRINTED = "printed as the "  # in a note: the heading that the value stands under


def finding() -> Block:
    """How near the reports' predictions came to their own measurements, all together."""
    factors = factor_off(np.concatenate([ratios for _, ratios in report_ratios()]))
    shares = shares_within(factors)
    return say(
        f"**{shares[MISS]} of the reports' {len(factors)} predictions lie within a factor of two "
        f"of what the same report measured**, and {shares[NEAR]} within {NEAR:g} times."
    )


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
                at = f" at {units.with_unit(units.as_given(value.at), value.at_unit)}"
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
        "Off by, geometric mean": 17,
        f"Within {WITHIN[0]:g} times": 15,
        **{f"{limit:g} times": 12 for limit in WITHIN[1:]},
    }
    return table(columns, rows, caption, name)
