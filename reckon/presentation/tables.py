"""Tables of results: predicted and measured, lines through curves, spreads, conditions."""

from __future__ import annotations

import itertools
import math

from reckon import units
from reckon.presentation.block import Block, label, say
from reckon.presentation.block import table as columns_table
from reckon.presentation.text import NONE, amount, between, in_unit, with_interval
from reckon.presentation.text import ratio as times
from reckon.records.result import Result
from reckon.reports import published
from reckon.statistics.summary import Summary

_POINTS_MOST = 8  # a longer curve shows only its ends in a table; its figure has every point
_SEALED = ("hardware", "software", "predicted")


def title(result: Result, titles: dict | None) -> str:
    """What a table calls a quantity: by `titles`, or the last part of its name."""
    return (titles or {}).get(result.quantity, label(result.quantity))


def mean_sd(result: Result) -> str:
    """Mean ± standard deviation over all trials."""
    return NONE if result.is_curve else _mean_sd(result.summary, result.unit)


def _mean_sd(summary: Summary | None, unit: str) -> str:
    """An unknown spread is left out: it is not 0."""
    if summary is None:
        return NONE
    step = units.readable(summary.mean, unit)
    spread = "" if math.isnan(summary.sd) else f" ± {in_unit(summary.sd, step, 2)}"
    single = " (one trial)" if summary.n == 1 else ""
    return f"{in_unit(summary.mean, step)}{spread} {units.spoken(step)}{single}"


def _sealed_amount(value: float | list | None, unit: str) -> str:
    return NONE if isinstance(value, list) else amount(value, unit)


def hardware(result: Result) -> str:
    return _sealed_amount(result.seal.hardware, result.unit)


def software(result: Result) -> str:
    if result.seal.kind == "rate" and not math.isnan(result.software_share):
        return f"{100 * result.software_share:.0f} % of the time"
    return _sealed_amount(result.seal.software, result.unit)


def measured(result: Result) -> str:
    """The median with its interval, a curve's ends, or the reason why there is no value."""
    if result.summary is None:
        return f"{result.state}: {result.reason}"
    return units.span(result.medians, result.unit) if result.is_curve else f"{result:±}"


def ratio(result: Result) -> str:
    return times(result.ratio)


def predicted(result: Result) -> str:
    if result.is_curve:
        return units.span(result.seal.predicted, result.unit)
    text = units.amount(result.seal.predicted, result.unit)
    if result.revisions:
        text += f"; revised {units.amount(result.current.predicted, result.unit)}"
    return text


def _at(result: Result, x: float) -> str:
    return units.place(float(x), result.axis_unit)


def _point_row(result: Result, name: str, i: int) -> list[str]:
    summary, unit = result.summaries[i], result.unit
    sealed = [float(result.sealed(part)[i]) for part in _SEALED]
    return [
        f"{name}, {_at(result, result.axis[i])}",
        *(amount(value, unit) for value in sealed),
        with_interval(summary.median, summary.low, summary.high, unit),
        _mean_sd(summary, unit),
        units.number(result.cycles[i].median) if result.cycles else NONE,
        times(summary.median / sealed[-1] if sealed[-1] else math.nan),
    ]


def _curve_rows(result: Result, name: str) -> list[list[str]]:
    """A row for each point, of a long curve for its ends; neighbours that failed alike share
    one."""
    n = len(result.points)
    rows = [_point_row(result, name, i) for i in (range(n) if n <= _POINTS_MOST else (0, n - 1))]
    missing = itertools.groupby(result.missing, lambda point: (point.stopped, point.reason))
    for (state, reason), points in missing:
        ends = list(dict.fromkeys(_at(result, point.x) for point in points))
        where = ends[0] if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
        cells = [NONE, NONE, NONE, f"{state}: {reason}", NONE, NONE, NONE]
        rows.append([f"{name}, {where}", *cells])
    return rows


def _row(result: Result, name: str) -> list[str]:
    has_cycles = not result.is_curve and result.summary and result.core_cycles
    return [
        name,
        hardware(result),
        software(result),
        predicted(result),
        measured(result),
        mean_sd(result),
        units.number(result.core_cycles.median) if has_cycles else NONE,
        ratio(result),
    ]


_RESULT_COLUMNS = {
    "Operation": 16,
    "Base hardware": 11,
    "Software overhead": 12,
    "Predicted": 13,
    "Measured, median (95 %)": 18,
    "Mean ± sd": 13,
    "Core cycles": 8,
    "Measured / predicted": 9,
}


def table(results: list[Result], caption: str, name: str, titles: dict | None = None) -> Block:
    """Predicted and measured: base hardware, software overhead, median with interval, mean ± sd
    over all trials, core cycles, measured over predicted. A curve has a row for each point."""
    rows = []
    for result in results:
        called = title(result, titles)
        if result.is_curve and result.has_samples:
            rows += _curve_rows(result, called)
        else:
            rows.append(_row(result, called))
    return columns_table(_RESULT_COLUMNS, rows, caption, name)


_FIT_COLUMNS = {
    "Curve": 18,
    "Predicted slope": 17,
    "Fitted slope (95 %)": 27,
    "Fitted / predicted": 13,
    "Begins at": 12,
    "Largest residual": 13,
    "In the report": 14,
}


def _fit_row(result: Result, name: str) -> list[str]:
    if result.line is None:
        why = result.reason or f"{len(result.points)} points, and a line needs three"
        dashes = [NONE] * 4
        return [name, f"{result.state}: {why}", *dashes, _reported_slope(result)]
    line, scale = result.line, units.factor(result.axis_unit)
    sealed = result.sealed_line.slope
    step = units.readable(line.slope * scale, result.unit)
    per = f"{units.spoken(step)} / {units.spoken(result.axis_unit)}".removesuffix(" / ")
    fitted = in_unit(line.slope * scale, step)
    interval = between(line.slope_low * scale, line.slope_high * scale, step)
    return [
        name,
        f"{in_unit(sealed * scale, step)} {per}",
        f"{fitted} {per} ({interval})",
        times(line.slope / sealed if sealed else math.nan),
        units.amount(line.intercept, result.unit),
        units.amount(float(abs(line.residuals).max()), result.unit),
        _reported_slope(result),
    ]


def fits(results: list[Result], caption: str, name: str, titles: dict | None = None) -> Block:
    """The straight line through each curve: slope, intercept and the largest distance of a point
    from it, beside the slope of the sealed prediction and those that reports print."""
    rows = [_fit_row(result, title(result, titles)) for result in results]
    return columns_table(_FIT_COLUMNS, rows, caption, name)


def _reported_slope(result: Result) -> str:
    per = f" / {units.spoken(result.axis_unit)}".removesuffix(" / ") if result.is_curve else ""
    slopes = [
        f"{f.report}: {units.amount(f.base(f.measured, result.unit), result.unit)}{per}"
        for f in published.of(result.quantity)
        if result.is_curve and f.slope
    ]
    return "; ".join(slopes) or NONE


_LINE_COLUMNS = {
    "": 12,
    "Of the predicted curve": 20,
    "Fitted": 18,
    "95 % by the points' distances from it": 25,
    "95 % by drawing processes anew": 25,
}


def line(result: Result, caption: str, name: str, step_of: str = "step") -> Block:
    """The straight line through a curve and the one through its sealed prediction.

    Slope (for each `step_of` of the axis) and intercept have two intervals: by the points'
    distances from the line, and by the spread between processes.
    """
    if result.line is None:
        why = result.reason or f"{len(result.points)} points, and it needs three"
        return say(f"There is no line: {why}.")
    per = {"slope": f" / {units.spoken(result.axis_unit) or step_of}", "intercept": ""}
    scales = {"slope": units.factor(result.axis_unit), "intercept": 1.0}
    across = result.line_across or (None, None)
    rows = []
    for part, resampled in zip(scales, across, strict=True):
        scale = scales[part]
        value, sealed = (getattr(x, part) * scale for x in (result.line, result.sealed_line))
        step = units.readable(abs(value), result.unit)
        low, high = (getattr(result.line, f"{part}_{end}") * scale for end in ("low", "high"))
        by_processes = "too few processes"
        if resampled is not None:
            by_processes = between(resampled[0] * scale, resampled[1] * scale, step)
        rows.append(
            [
                part,
                f"{in_unit(sealed, step)} {units.spoken(step)}{per[part]}",
                f"{in_unit(value, step)} {units.spoken(step)}{per[part]}",
                between(low, high, step),
                by_processes,
            ]
        )
    return columns_table(_LINE_COLUMNS, rows, caption, name)


_STOPPED = {"precise": "precise", "time": "time up", "processes": "enough runs"}
_CONDITION_COLUMNS = {
    "Quantity": 16,
    "Fresh processes": 10,
    "Trials": 8,
    "CPU": 6,
    "Nice": 6,
    "Minor faults": 10,
    "Preempted": 11,
    "Moved": 8,
    "Stolen ms": 9,
    "Stopped because": 16,
}
_COUNTED = ("minor_faults", "involuntary_switches", "migrations", "steal_ms")


def _processes(result: Result) -> list:
    return [process for point in result.points for process in point.processes]


def _total(counts: list[int]) -> str:
    """The sum of counts, of which -1 means that the system does not report it."""
    return "not known" if min(counts, default=-1) < 0 else str(sum(counts))


def conditions(results: list[Result], caption: str, name: str) -> Block:
    """What happened while the samples were taken."""
    rows = []
    for result in results:
        if not result.has_samples:
            continue
        processes = _processes(result)
        rows.append(
            [
                label(result.quantity),
                str(len(processes)),
                str(sum(len(p.ticks) for p in processes)),
                ", ".join(map(str, sorted({p.cpu for p in processes}))),
                str(processes[0].nice),
                *(_total([getattr(p, field) for p in processes]) for field in _COUNTED),
                ", ".join(sorted({_STOPPED[point.stopped] for point in result.points})),
            ]
        )
    return columns_table(_CONDITION_COLUMNS, rows, caption, name)


_TCP_COLUMNS = {
    "Quantity": 20,
    "Other end": 24,
    "Segments sent again": 14,
    "Accept queue overflowed": 14,
    "Connections dropped there": 14,
    "Most in TIME_WAIT": 14,
}


def tcp(results: list[Result], caption: str, name: str) -> Block:
    """TCP's events while the samples were taken, by the counters of this side's network namespace.

    The accept queue of another host is not among them.
    """
    rows = []
    for result in results:
        processes = _processes(result)
        resent, overflows, drops = (
            [getattr(p, field) for p in processes]
            for field in ("retransmits", "listen_overflows", "listen_drops")
        )
        if max([*resent, *overflows, *drops], default=-1) < 0:
            continue
        remote = result.measurement.peer
        waiting = max(p.time_wait for p in processes)
        rows.append(
            [
                label(result.quantity),
                "other host" if remote else "loopback",
                _total(resent),
                *(NONE if remote else _total(counts) for counts in (overflows, drops)),
                str(waiting) if waiting >= 0 else "not known",
            ]
        )
    return columns_table(_TCP_COLUMNS, rows, caption, name)


_SPREADS = {
    "Median": ("median", 9),
    "10 % trimmed mean": ("trimmed_mean", 11),
    "Mean": ("mean", 9),
    "Minimum": ("minimum", 10),
    "99th percentile": ("p99", 11),
    "Sd inside a process": ("sd_within", 10),
    "Sd across processes": ("sd_across", 11),
    "Largest deviation": ("max_deviation", 11),
}


def spreads(results: list[Result], caption: str, name: str) -> Block:
    """Every measure of spread that a report prints, side by side; of a curve, at its ends."""
    rows = []
    for result in results:
        n = len(result.summaries)
        for i in sorted({0, n - 1}) if n else []:
            summary = result.summaries[i]
            step = units.readable(summary.median, result.unit)
            where = f", {_at(result, result.axis[i])}" if result.is_curve else ""
            values = [getattr(summary, field) for field, _ in _SPREADS.values()]
            rows.append(
                [
                    f"{label(result.quantity)}{where} [{units.spoken(step)}]",
                    *(in_unit(value, step) for value in values),
                ]
            )
    widths = {heading: width for heading, (_, width) in _SPREADS.items()}
    return columns_table({"Quantity": 20, **widths}, rows, caption, name)
