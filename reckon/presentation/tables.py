"""Tables of what was measured."""

from __future__ import annotations

import itertools
import math

from reckon import units
from reckon.presentation.block import Block, grid, label, say
from reckon.records.result import Result
from reckon.reports import published
from reckon.statistics.summary import Summary

# A curve of more points shows only its ends in a table; its figure has them all.
_POINTS_MOST = 8


def mean_sd(one: Result) -> str:
    """Mean ± standard deviation over all trials; an unknown spread is not 0."""
    return "–" if one.is_curve else _mean_sd(one.summary, one.unit)


def _mean_sd(s: Summary | None, unit: str) -> str:
    if s is None:
        return "–"
    step = units.readable(s.mean, unit)
    spread = "" if math.isnan(s.sd) else f" ± {units.number(units.from_base(s.sd, step), 2)}"
    few = " (one trial)" if s.n == 1 else ""
    return f"{units.number(units.from_base(s.mean, step))}{spread} {units.spoken(step)}{few}"


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
    return f"{one:±}" if not one.is_curve else units.span(one.medians, one.unit)


def ratio(one: Result) -> str:
    return "–" if math.isnan(one.ratio) else f"{units.number(one.ratio)}×"


def predicted(one: Result) -> str:
    if one.is_curve:
        return units.span(one.seal.predicted, one.unit)
    text = units.amount(one.seal.predicted, one.unit)
    if one.revisions:
        text += f"; revised {units.amount(one.current.predicted, one.unit)}"
    return text


def _with_interval(s: Summary, unit: str) -> str:
    step = units.readable(s.median, unit)
    text = units.amount(s.median, unit)
    if math.isnan(s.low):
        return text
    low, high = (units.number(units.from_base(v, step)) for v in (s.low, s.high))
    return f"{text} ({low} to {high})"


def _at(one: Result, x: float) -> str:
    return units.place(float(x), one.axis_unit)


def _curve_rows(one: Result, title: str) -> list[list[str]]:
    rows = []
    n = len(one.points)
    parts = [one.sealed(field) for field in ("hardware", "software", "predicted")]
    for i in range(n) if n <= _POINTS_MOST else (0, n - 1):
        s = one.summaries[i]
        told = ["–" if math.isnan(p[i]) else units.amount(float(p[i]), one.unit) for p in parts]
        against = s.median / parts[2][i] if parts[2][i] else math.nan
        rows.append(
            [
                f"{title}, {_at(one, one.axis[i])}",
                *told,
                _with_interval(s, one.unit),
                _mean_sd(s, one.unit),
                units.number(one.cycles[i].median) if one.cycles else "–",
                "–" if math.isnan(against) else f"{units.number(against)}×",
            ]
        )
    for (stopped, reason), points in itertools.groupby(
        one.missing, lambda p: (p.stopped, p.reason)
    ):
        ends = [_at(one, point.x) for point in points]
        where = ends[0] if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
        rows.append([f"{title}, {where}", "–", "–", "–", f"{stopped}: {reason}", "–", "–", "–"])
    return rows


def table(found: list[Result], caption: str, name: str, titles: dict | None = None) -> Block:
    """The rubric's table: base hardware, software overhead, predicted, measured with interval and
    with mean ± standard deviation over all trials, measured over predicted. A curve has a row for
    each of its points."""
    rows = []
    for one in found:
        title = (titles or {}).get(one.quantity, label(one.quantity))
        if one.is_curve and one.has_samples:
            rows += _curve_rows(one, title)
            continue
        s = one.summary if not one.is_curve else None
        cycles = units.number(one.core_cycles.median) if s and one.core_cycles else "–"
        rows.append(
            [
                title,
                hardware(one),
                software(one),
                predicted(one),
                measured(one),
                mean_sd(one),
                cycles,
                ratio(one),
            ]
        )
    return grid(
        [
            "Operation",
            "Base hardware",
            "Software overhead",
            "Predicted",
            "Measured, median (95 %)",
            "Mean ± sd",
            "Core cycles",
            "Measured / predicted",
        ],
        rows,
        caption,
        name,
        [16, 11, 12, 13, 18, 13, 8, 9],
    )


def fits(found: list[Result], caption: str, name: str, titles: dict | None = None) -> Block:
    """The straight line through each curve: what a step of the axis adds, where it begins, and the
    largest distance of a point from it; beside it the same of the sealed prediction."""
    rows = []
    for one in found:
        title = (titles or {}).get(one.quantity, label(one.quantity))
        if one.line is None:
            why = one.reason or f"{len(one.points)} points, and a line needs three"
            rows.append([title, f"{one.state}: {why}", "–", "–", "–", "–", _step_in_reports(one)])
            continue
        line, scale = one.line, units.factor(one.axis_unit)
        step = units.readable(line.slope * scale, one.unit)
        per = f"{units.spoken(step)} / {units.spoken(one.axis_unit)}".removesuffix(" / ")
        told = lambda v: units.number(units.from_base(v * scale, step))  # noqa: E731, B023
        foreseen = one.sealed_line.slope
        against = line.slope / foreseen if foreseen else math.nan
        rows.append(
            [
                title,
                f"{told(foreseen)} {per}",
                f"{told(line.slope)} {per} ({told(line.slope_low)} to {told(line.slope_high)})",
                "–" if math.isnan(against) else f"{units.number(against)}×",
                units.amount(line.intercept, one.unit),
                units.amount(float(abs(line.residuals).max()), one.unit),
                _step_in_reports(one),
            ]
        )
    return grid(
        [
            "Curve",
            "Predicted slope",
            "Fitted slope (95 %)",
            "Fitted / predicted",
            "Begins at",
            "Largest residual",
            "In the report",
        ],
        rows,
        caption,
        name,
        [18, 17, 27, 13, 12, 13, 14],
    )


def _step_in_reports(one: Result) -> str:
    per = f" / {units.spoken(one.axis_unit)}".removesuffix(" / ") if one.is_curve else ""
    return (
        "; ".join(
            f"{f.report}: {units.amount(f.base(f.measured, one.unit), one.unit)}{per}"
            for f in published.of(one.quantity)
            if one.is_curve and f.slope
        )
        or "–"
    )


def line(one: Result, caption: str, name: str, step_of: str = "step") -> Block:
    """The straight line through a curve: slope (for each `step_of` of the axis) and intercept, each with
    what the points' distance from the line leaves open and with what the noise between processes does;
    the line through the sealed prediction beside."""
    if one.line is None:
        return say(
            f"There is no line: {one.reason or f'{len(one.points)} points, and it needs three'}."
        )
    across, rows = one.line_across, []
    for k, (part, scale) in enumerate((("slope", units.factor(one.axis_unit)), ("intercept", 1.0))):
        value, foreseen = (getattr(made, part) * scale for made in (one.line, one.sealed_line))
        step = units.readable(abs(value), one.unit)
        per = f" / {units.spoken(one.axis_unit) or step_of}" if part == "slope" else ""
        told = lambda v: units.number(units.from_base(v, step))  # noqa: E731, B023
        ends = lambda pair: f"{told(pair[0])} to {told(pair[1])}"  # noqa: E731, B023
        bounds = [getattr(one.line, f"{part}_{end}") * scale for end in ("low", "high")]
        rows.append(
            [
                part,
                f"{told(foreseen)} {units.spoken(step)}{per}",
                f"{told(value)} {units.spoken(step)}{per}",
                ends(bounds),
                "too few processes" if across is None else ends([v * scale for v in across[k]]),
            ]
        )
    return grid(
        [
            "",
            "Of the predicted curve",
            "Fitted",
            "95 % by the points' distances from it",
            "95 % by drawing processes anew",
        ],
        rows,
        caption,
        name,
        [12, 20, 18, 25, 25],
    )


def conditions(found: list[Result], caption: str, name: str) -> Block:
    """What happened while the samples were taken; -1 is printed as not known."""

    def total(one: Result, field: str) -> str:
        values = [getattr(p, field) for point in one.points for p in point.processes]
        return "not known" if min(values, default=-1) < 0 else str(sum(values))

    why = {"precise": "precise", "time": "time up", "processes": "enough runs"}
    rows = []
    for one in found:
        if not one.has_samples:
            continue
        processes = [p for point in one.points for p in point.processes]
        reasons = {why[point.stopped] for point in one.points}
        rows.append(
            [
                label(one.quantity),
                str(len(processes)),
                str(sum(len(p.ticks) for p in processes)),
                f"{sorted({p.cpu for p in processes})}".strip("[]"),
                str(processes[0].nice),
                total(one, "minor_faults"),
                total(one, "involuntary_switches"),
                total(one, "migrations"),
                total(one, "steal_ms"),
                ", ".join(sorted(reasons)),
            ]
        )
    return grid(
        [
            "Quantity",
            "Fresh processes",
            "Trials",
            "CPU",
            "Nice",
            "Minor faults",
            "Preempted",
            "Moved",
            "Stolen ms",
            "Stopped because",
        ],
        rows,
        caption,
        name,
        [16, 10, 8, 6, 6, 10, 11, 8, 9, 16],
    )


def tcp(found: list[Result], caption: str, name: str) -> Block:
    """What TCP did while the samples were taken, by the counters of this side's network namespace: the
    accept queue of another host is not among them."""
    rows = []
    for one in found:
        processes = [p for point in one.points for p in point.processes]
        told = [
            [getattr(p, field) for p in processes]
            for field in ("retransmits", "listen_overflows", "listen_drops")
        ]
        waiting = max((p.time_wait for p in processes), default=-1)
        if processes and max(map(max, told)) >= 0:
            here = [0] if one.measurement.peer else [0, 1, 2]
            rows.append(
                [
                    label(one.quantity),
                    "other host" if one.measurement.peer else "loopback",
                    *(
                        "–"
                        if k not in here
                        else "not known"
                        if min(values) < 0
                        else str(sum(values))
                        for k, values in enumerate(told)
                    ),
                    str(waiting) if waiting >= 0 else "not known",
                ]
            )
    return grid(
        [
            "Quantity",
            "Other end",
            "Segments sent again",
            "Accept queue overflowed",
            "Connections dropped there",
            "Most in TIME_WAIT",
        ],
        rows,
        caption,
        name,
        [20, 24, 14, 14, 14, 14],
    )


def spreads(found: list[Result], caption: str, name: str) -> Block:
    """All the spreads that the reports give, side by side; of a curve, at its ends."""
    rows = []
    for one in found:
        ends = sorted({0, len(one.summaries) - 1}) if one.summaries else []
        for i in ends:
            s = one.summaries[i]
            step = units.readable(s.median, one.unit)
            told = lambda v: units.number(units.from_base(v, step))  # noqa: E731, B023
            where = f", {_at(one, one.axis[i])}" if one.is_curve else ""
            rows.append(
                [
                    f"{label(one.quantity)}{where} [{units.spoken(step)}]",
                    told(s.median),
                    told(s.trimmed_mean),
                    told(s.mean),
                    told(s.minimum),
                    told(s.p99),
                    told(s.sd_within),
                    told(s.sd_across),
                    told(s.max_deviation),
                ]
            )
    return grid(
        [
            "Quantity",
            "Median",
            "10 % trimmed mean",
            "Mean",
            "Minimum",
            "99th percentile",
            "Sd inside a process",
            "Sd across processes",
            "Largest deviation",
        ],
        rows,
        caption,
        name,
        [20, 9, 11, 9, 10, 11, 10, 11, 11],
    )
