"""The reports' consistency: predictions recomputed, contradictions, readings of units, scores."""

from __future__ import annotations

from collections import Counter

import matplotlib
import numpy as np

from reckon import units
from reckon.config import ReckonError
from reckon.presentation.block import Block, joined_blocks, say, table
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, SERIES, STYLE
from reckon.presentation.text import NONE, verb
from reckon.presentation.text import ratio as times
from reckon.reports import derivations, published
from reckon.reports.derivations import Recomputed
from reckon.reports.published import Derivation, FactPrinted, Printed, Report


def _report(name: str) -> Report:
    """The report of that name. Raises ReckonError for a wrong name."""
    reports = {report.name: report for report in published.all_reports()}
    if name not in reports:
        raise ReckonError(f"There is no report {name}; there are {', '.join(reports)}.")
    return reports[name]


def _values(part: list[Recomputed]) -> list[tuple]:
    return [(one.published, one.recomputed) for one in part]


def _sides(values: list[Recomputed]) -> dict[str, list[Recomputed]]:
    """The values by what is printed: hardware, software, predicted. Sides with equal values share
    an entry; a side of zeros has none."""
    parts: dict[str, list[Recomputed]] = {}
    for side in ("hardware", "software", "predicted"):
        part = [one for one in values if one.side == side]
        if not any(value for pair in _values(part) for value in pair):
            continue
        same = next((name for name in parts if _values(parts[name]) == _values(part)), None)
        if same:
            parts = {
                f"{same}, {side}" if name == same else name: known for name, known in parts.items()
            }
        else:
            parts[side] = part
    return parts


def _span(values: list[float], text) -> str:
    """A value, or a curve's ends, each as `text` prints it."""
    return " to ".join(text(value) for value in dict.fromkeys([values[0], values[-1]]))


def _as_printed(value: float) -> str:
    return f"{value:,.10g}".replace(",", " ")


def _four_digits(value: float) -> str:
    return units.number(value, 4)


def _reading(one: Derivation) -> str:
    """How its inputs are read; another reading than the stated one is Reckon's in any case."""
    inferred = one.inferred and one.reading == "as stated"
    return f"{one.reading}, an input inferred" if inferred else one.reading


def _factor_off(one: Recomputed) -> float:
    return abs(np.log(one.ratio)) if one.ratio > 0 else np.inf


def _difference(part: list[Recomputed]) -> str:
    """By how much the published values differ, of a curve where they differ most."""
    if all(one.follows for one in part):
        return "follows"
    worst = max(part, key=_factor_off)
    where = f" at {worst.at}" if worst.at else ""
    percent = 100 * (worst.ratio - 1)
    if abs(percent) < 100:
        return f"{percent:+.1f} %{where}"
    return f"{units.number(worst.ratio)} times{where}"


def _derivation_rows(report: Report, one: Derivation) -> list[list[str]]:
    unit = units.spoken(one.unit)
    first = [f"{one.what} ({one.place})", _reading(one)]
    rows = []
    for sides, part in _sides(derivations.recomputed(report, one)).items():
        ends = f", {part[0].at} to {part[-1].at}" if len(part) > 1 else ""
        printed = _span([value.published for value in part], _as_printed)
        again = _span([value.recomputed for value in part], _four_digits)
        values = [f"{printed} {unit}".rstrip(), f"{again} {unit}".rstrip()]
        rows.append([*(["", ""] if rows else first), f"{sides}{ends}", *values, _difference(part)])
    return rows


def recomputed(name: str, label: str) -> Block:
    """One report's predictions: published, the same recomputed from the inputs that it states, and
    by how much the published value differs."""
    report = _report(name)
    rows = [row for one in report.derivation for row in _derivation_rows(report, one)]
    columns = {
        "Prediction": 24,
        "Read": 16,
        "Part": 18,
        "Published": 15,
        "Recomputed": 15,
        "Published differs by": 12,
    }
    return table(
        columns, rows, f"{report.machine}: its predictions, run again on its own inputs", label
    )


def followed(name: str) -> Block:
    """How many of a report's predictions follow from its inputs as stated, and why others do
    not."""
    report = _report(name)
    as_stated = [one for one in report.derivation if one.reading == "as stated"]
    pairs = [
        (one, all(value.follows for value in derivations.recomputed(report, one)))
        for one in as_stated
    ]
    stated = [follows for one, follows in pairs if not one.inferred]
    inferred = [follows for one, follows in pairs if one.inferred]
    further, left = sum(inferred), len(inferred) - sum(inferred)
    sentences = [
        f"Of {len(stated)} predictions that {report.machine} {{cite}}`{report.cite}` derives from "
        f"stated numbers, {sum(stated)} follow from them, within {100 * derivations.FOLLOWS:.0f} % "
        "or "
        "the rounding of what is printed."
    ]
    if further:
        sentences.append(
            f"A further {further} {verb(further, 'follows', 'follow')} with an input that the "
            "report "
            "does not print: it was solved from the published value."
        )
    if left:
        sentences.append(f"Even with such an input, {left} {verb(left, 'does', 'do')} not.")
    off = [
        f"- *{one.what}*: {one.note.rstrip('.')}."
        for one, follows in pairs
        if one.note and not follows
    ]
    return say("\n".join([" ".join(sentences), "", *off]))


def further(*shown: str) -> Block:
    """The same two pieces for every report beside the shown ones that derives predictions."""
    reports = [one for one in published.all_reports() if one.derivation and one.name not in shown]
    return joined_blocks(
        [
            piece
            for report in reports
            for piece in (
                followed(report.name),
                recomputed(report.name, f"reports-again-{report.name.replace('_', '-')}"),
            )
        ]
    )


def _main_value(one: Printed) -> str:
    """The value that a printing is about."""
    single = [one.measured, one.predicted, one.hardware, one.software]
    known = [value for value in single if value is not None][:1]
    interval = [v for v in (one.predicted_low, one.predicted_high) if v is not None]
    values = known or interval
    if not values:
        return NONE
    return f"{_span(values, '{:.6g}'.format)} {units.spoken(one.unit)}".rstrip() + f" ({one.place})"


def _stated(fact: FactPrinted) -> str:
    """A fact as it is printed there."""
    value = fact.value
    if not isinstance(value, str):
        value = f"{value:.7g} {units.spoken(fact.unit)}".rstrip()
    return f"{value} ({fact.place})"


def _fact_rows(report: Report, fact) -> list[list[str]]:
    return [
        [
            report.name,
            fact.label,
            _stated(fact),
            _stated(other),
            NONE if ratio is None else times(ratio),
            other.note,
        ]
        for other, ratio in fact.contradictions()
    ]


def _figure_rows(report: Report, one) -> list[list[str]]:
    at = "" if one.at is None else f" at {one.at:g} {units.spoken(one.at_unit)}".rstrip()
    rows = []
    for other, side, ratio in one.contradictions():
        here, there = (
            f"{getattr(printed, side):.6g} {units.spoken(printed.unit)} ({printed.place})"
            for printed in (one, other)
        )
        title = f"{one.label}{at}, {'standard deviation' if side == 'sd' else side}"
        rows.append([report.name, title, here, there, f"{units.number(ratio)}×", other.note])
    for printed in one.said_to_contradict():
        there = NONE if printed is one else _main_value(printed)
        title = f"{one.label}{at}"
        rows.append([report.name, title, _main_value(one), there, NONE, printed.note])
    return rows


def contradictions(caption: str, label: str) -> Block:
    """Facts and figures that a report prints twice with two values, and figures whose note says
    what they contradict."""
    rows = []
    for report in published.all_reports():
        for fact in report.fact:
            rows += _fact_rows(report, fact)
        for one in report.figure:
            rows += _figure_rows(report, one)
    columns = {"Report": 9, "Fact or figure": 25, "Here": 17, "There": 17, "Ratio": 8, "Note": 24}
    return table(columns, rows, caption, label)


def readings(caption: str, label: str) -> Block:
    """Units that are read otherwise than they are printed, with the reason."""
    counts: Counter[tuple] = Counter()
    for report in published.all_reports():
        is_tick = report.cycles_are == "tick"
        cycles = "ticks of the time-stamp counter" if is_tick else "core cycles"
        counts[report.name, "cycles", cycles, report.cycles_note] = sum(
            one.unit == "cycle" for one in report.figure
        )
        for one in report.figure:
            if one.printed_unit:
                counts[report.name, one.printed_unit, units.spoken(one.unit), one.note] += 1
    rows = [
        [name, printed, read, str(count), note]
        for (name, printed, read, note), count in counts.items()
    ]
    columns = {"Report": 10, "Printed": 10, "Read as": 18, "Figures": 8, "Why": 54}
    return table(columns, rows, caption, label)


def _factors() -> list[tuple[Report, np.ndarray]]:
    """Measured over predicted by report, for every figure that has both and stands for itself."""
    factors = [
        (
            report,
            np.array(
                [
                    one.measured / one.predicted
                    for one in report.figure
                    if one.measured and one.predicted and not one.aside
                ]
            ),
        )
        for report in published.all_reports()
    ]
    return [(report, values) for report, values in factors if len(values)]


_WITHIN = (1.25, 2, 10)


def scores(caption: str, label: str) -> Block:
    """How far each report's own predictions were off its own measurements."""
    rows = []
    for report, factors in _factors():
        off = np.exp(np.abs(np.log(factors)))
        rows.append(
            [
                f"{report.machine} {{cite}}`{report.cite}`",
                str(len(off)),
                f"{units.number(float(np.exp(np.mean(np.log(off)))))}×",
                *(f"{100 * np.mean(off <= limit):.0f} %" for limit in _WITHIN),
            ]
        )
    columns = {
        "Report": 30,
        "Predictions": 14,
        "Typically off by": 17,
        "Within 1.25 times": 15,
        "2 times": 12,
        "10 times": 12,
    }
    return table(columns, rows, caption, label)


def off_chart(name: str, caption: str) -> Block:
    """Measured over predicted for every counted figure of the reports, one strip a report."""
    strips = _factors()
    rows = [[one.name, f"{factor:.6g}"] for one, factors in strips for factor in factors]
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 3.0))
        for y, (_, factors) in enumerate(strips):
            # Moved apart where they would hide one another; the same picture each time.
            heights = y + np.random.default_rng(y).uniform(-0.25, 0.25, len(factors))
            axes.plot(factors, heights, "o", color=SERIES[y % len(SERIES)], ms=4, alpha=0.6)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.axvline(1, color=BLACK, lw=1)
        axes.set_yticks(range(len(strips)), [one.name for one, _ in strips])
        axes.set_ylim(len(strips) - 0.5, -0.5)
        axes.set_xlabel("measured / predicted, each on its own machine")
    alt = "Measured over predicted by report: " + "; ".join(
        f"{one.name} {len(factors)} figures, {units.number(float(factors.min()))} to "
        f"{units.number(float(factors.max()))}"
        for one, factors in strips
    )
    return style.save(figure, name, caption, alt, ["report", "measured / predicted"], rows)
