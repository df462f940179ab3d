"""What the reports printed, held against itself: predictions run again, contradictions, readings of units."""

from __future__ import annotations

import matplotlib
import numpy as np

from reckon import units
from reckon.config import ReckonError
from reckon.presentation.block import Block, grid, say
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, SERIES, STYLE
from reckon.reports import derivations, published
from reckon.reports.derivations import Recomputed
from reckon.reports.published import Derivation, FactPrinted, Printed, Report


def _report(name: str) -> Report:
    found = [one for one in published.all_reports() if one.name == name]
    if not found:
        raise ReckonError(
            f"There is no report {name}; there are "
            f"{', '.join(one.name for one in published.all_reports())}."
        )
    return found[0]


def _sides(found: list[Recomputed]) -> list[tuple[str, list[Recomputed]]]:
    """The same values, side by side of what is printed; sides that say the same are one, and nothing at all
    is no side."""
    parts: list[tuple[str, list[Recomputed]]] = []
    for side in ("hardware", "software", "predicted"):
        part = [one for one in found if one.side == side]
        values = [(one.published, one.recomputed) for one in part]
        if not any(v for pair in values for v in pair):
            continue
        same = [
            i
            for i, (_, known) in enumerate(parts)
            if [(k.published, k.recomputed) for k in known] == values
        ]
        if same:
            parts[same[0]] = (f"{parts[same[0]][0]}, {side}", part)
        else:
            parts.append((side, part))
    return parts


def _span(values: list[float], tell) -> str:
    """A value, or a curve's ends."""
    ends = [values[0]] if len(values) == 1 else [values[0], values[-1]]
    return " to ".join(tell(v) for v in ends)


def _as_printed(value: float) -> str:
    return f"{value:,.10g}".replace(",", " ")


def _read(one: Derivation) -> str:
    """How its inputs are taken; another reading than the stated one is ours in any case."""
    return (
        f"{one.reading}, an input inferred"
        if one.inferred and one.reading == "as stated"
        else one.reading
    )


def _difference(part: list[Recomputed]) -> str:
    worst = max(part, key=lambda one: abs(np.log(one.ratio)) if one.ratio > 0 else np.inf)
    if all(one.follows for one in part):
        return "follows"
    where = f" at {worst.at}" if worst.at else ""
    percent = 100 * (worst.ratio - 1)
    return (
        f"{percent:+.1f} %{where}"
        if abs(percent) < 100
        else f"{units.number(worst.ratio)} times{where}"
    )


def recomputed(name: str, table: str) -> Block:
    """One report's predictions: published, the same computed anew from the inputs that it states, and by how
    much the published value differs (of a curve, where it differs most)."""
    report = _report(name)
    rows = []
    for one in report.derivation:
        again = derivations.recomputed(report, one)
        for number, (sides, part) in enumerate(_sides(again)):
            curve, unit = len(part) > 1, units.spoken(one.unit)
            rows.append(
                [
                    f"{one.what} ({one.place})" if number == 0 else "",
                    _read(one) if number == 0 else "",
                    sides + (f", {part[0].at} to {part[-1].at}" if curve else ""),
                    f"{_span([r.published for r in part], _as_printed)} {unit}".rstrip(),
                    f"{_span([r.recomputed for r in part], lambda v: units.number(v, 4))} {unit}".rstrip(),
                    _difference(part),
                ]
            )
    return grid(
        ["Prediction", "Read", "Part", "Published", "Recomputed", "Published differs by"],
        rows,
        f"{report.machine}: its predictions, run again on its own inputs",
        table,
        [24, 16, 18, 15, 15, 12],
    )


def followed(name: str) -> Block:
    """How many of a report's predictions follow from its inputs as it states them, and why others do not."""
    report = _report(name)
    found = [one for one in report.derivation if one.reading == "as stated"]
    follows = [all(r.follows for r in derivations.recomputed(report, one)) for one in found]
    stated = [ok for one, ok in zip(found, follows, strict=True) if not one.inferred]
    inferred = [ok for one, ok in zip(found, follows, strict=True) if one.inferred]
    text = (
        f"Of {len(stated)} predictions that {report.machine} {{cite}}`{report.cite}` derives from stated "
        f"numbers, {sum(stated)} follow from them, within {100 * derivations.FOLLOWS:.0f} % or the rounding of "
        "what is printed."
    )
    if any(inferred):
        text += (
            f" A further {sum(inferred)} {'follows' if sum(inferred) == 1 else 'follow'} with an input that the "
            "report does not print: it was solved from the published value."
        )
    if left := len(inferred) - sum(inferred):
        text += f" Even with such an input, {left} {'does' if left == 1 else 'do'} not."
    off = [
        f"- *{one.what}*: {one.note.rstrip('.')}."
        for one, ok in zip(found, follows, strict=True)
        if one.note and not ok
    ]
    return say("\n".join([text, "", *off]))


def further(*shown: str) -> Block:
    """The same two pieces of every report beside the shown ones that derives predictions."""
    names = [
        one.name for one in published.all_reports() if one.derivation and one.name not in shown
    ]
    return say(
        "\n\n".join(
            piece.markdown
            for name in names
            for piece in (
                followed(name),
                recomputed(name, f"reports-again-{name.replace('_', '-')}"),
            )
        )
    )


def _told(one: Printed) -> str:
    """The value that a printing is about."""
    values = [
        v for v in (one.measured, one.predicted, one.hardware, one.software) if v is not None
    ][:1] or [v for v in (one.predicted_low, one.predicted_high) if v is not None]
    if not values:
        return "–"
    return f"{_span(values, '{:.6g}'.format)} {units.spoken(one.unit)}".rstrip() + f" ({one.place})"


def _stated(one: FactPrinted) -> str:
    """A fact as it is printed there."""
    value = (
        one.value
        if isinstance(one.value, str)
        else f"{one.value:.7g} {units.spoken(one.unit)}".rstrip()
    )
    return f"{value} ({one.place})"


def contradictions(caption: str, table: str) -> Block:
    """Facts and figures that a report prints twice with two values, and figures whose note says what they
    contradict."""
    rows = []
    for report in published.all_reports():
        for fact in report.fact:
            rows += [
                [
                    report.name,
                    fact.label,
                    _stated(fact),
                    _stated(other),
                    "–" if ratio is None else f"{units.number(ratio)}×",
                    other.note,
                ]
                for other, ratio in fact.contradictions()
            ]
        for one in report.figure:
            at = "" if one.at is None else f" at {one.at:g} {units.spoken(one.at_unit)}".rstrip()
            for other, side, ratio in one.contradictions():
                rows.append(
                    [
                        report.name,
                        f"{one.label}{at}, {'standard deviation' if side == 'sd' else side}",
                        f"{getattr(one, side):.6g} {units.spoken(one.unit)} ({one.place})",
                        f"{getattr(other, side):.6g} {units.spoken(other.unit)} ({other.place})",
                        f"{units.number(ratio)}×",
                        other.note,
                    ]
                )
            rows += [
                [
                    report.name,
                    f"{one.label}{at}",
                    _told(one),
                    "–" if printed is one else _told(printed),
                    "–",
                    printed.note,
                ]
                for printed in one.said_to_contradict()
            ]
    return grid(
        ["Report", "Fact or figure", "Here", "There", "Ratio", "Note"],
        rows,
        caption,
        table,
        [9, 25, 17, 17, 8, 24],
    )


def readings(caption: str, table: str) -> Block:
    """Units that are read otherwise than they are printed, with the reason."""
    told: dict[tuple, int] = {}
    for report in published.all_reports():
        key = (
            report.name,
            "cycles",
            "ticks of the time-stamp counter" if report.cycles_are == "tick" else "core cycles",
            report.cycles_note,
        )
        told[key] = sum(one.unit == "cycle" for one in report.figure)
        for one in report.figure:
            if one.printed_unit:
                key = (report.name, one.printed_unit, units.spoken(one.unit), one.note)
                told[key] = told.get(key, 0) + 1
    rows = [
        [name, printed, read, str(count), note]
        for (name, printed, read, note), count in told.items()
    ]
    return grid(
        ["Report", "Printed", "Read as", "Figures", "Why"],
        rows,
        caption,
        table,
        [10, 10, 18, 8, 54],
    )


def _with_factors() -> list[Report]:
    """The reports that have both a prediction and a measurement of something."""
    return [one for one in published.all_reports() if len(_factors(one))]


def _factors(report: Report) -> np.ndarray:
    """Measured over predicted, for every figure of a report that has both and stands for itself."""
    return np.array(
        [
            one.measured / one.predicted
            for one in report.figure
            if one.measured and one.predicted and not one.aside
        ]
    )


def scores(caption: str, table: str) -> Block:
    """How far each report's own predictions were off its own measurements."""
    rows = []
    for report in _with_factors():
        off = np.exp(np.abs(np.log(_factors(report))))
        share = lambda limit: f"{100 * np.mean(off <= limit):.0f} %"  # noqa: B023, E731
        rows.append(
            [
                f"{report.machine} {{cite}}`{report.cite}`",
                str(len(off)),
                f"{units.number(float(np.exp(np.mean(np.log(off)))))}×",
                share(1.25),
                share(2),
                share(10),
            ]
        )
    return grid(
        ["Report", "Predictions", "Typically off by", "Within 1.25 times", "2 times", "10 times"],
        rows,
        caption,
        table,
        [30, 14, 17, 15, 12, 12],
    )


def off_chart(name: str, caption: str) -> Block:
    """Measured over predicted for every figure of the reports that is counted, one strip a report."""
    found = _with_factors()
    rows = [[one.name, f"{factor:.6g}"] for one in found for factor in _factors(one)]
    with matplotlib.rc_context(STYLE):
        figure, axes = style.new_axes((6.4, 3.0))
        for y, one in enumerate(found):
            factors = _factors(one)
            # Beside one another where they would hide one another; the same picture each time.
            axes.plot(
                factors,
                y + np.random.default_rng(y).uniform(-0.25, 0.25, len(factors)),
                "o",
                color=SERIES[y % len(SERIES)],
                ms=4,
                alpha=0.6,
            )
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.axvline(1, color=BLACK, lw=1)
        axes.set_yticks(range(len(found)), [one.name for one in found])
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlabel("measured / predicted, each on its own machine")
    alt = "Measured over predicted by report: " + "; ".join(
        f"{one.name} {len(_factors(one))} figures, {units.number(float(_factors(one).min()))} to "
        f"{units.number(float(_factors(one).max()))}"
        for one in found
    )
    return style.save(figure, name, caption, alt, ["report", "measured / predicted"], rows)
