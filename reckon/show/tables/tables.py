"""Tables of results: predicted and measured, lines, spreads, other programs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from reckon import units
from reckon.records.quantities.result import Result, summary_text
from reckon.show.block import RESULTS, Block, MissingCell, join_blocks, say
from reckon.show.block import table as columns_table
from reckon.show.text import (
    NONE,
    amount_or_dash,
    counted_position,
    first_case,
    in_unit,
    join_words,
    literal,
    position_text,
    ratio_text,
    times_text,
)
from reckon.show.titles import title_of, what_is_timed
from reckon.statistics import Summary

_MAX_POINTS = 8  # a longer curve shows only its ends in a table; its figure has every point
_TAIL_DEVIATIONS = 3  # a trial this number of deviations from the mean is in a tail
_NAMES_LISTED = 8  # quantities that the note below a table names


def title(result: Result, titles: dict[str, str] | None) -> str:
    """What a table calls a quantity: by `titles`, which precede those of its notebook."""
    return (titles or {}).get(result.quantity) or title_of(result.quantity)


# The cells of a quantity, which the summary of the whole run shows too.


def hardware_cell(result: Result) -> str:
    """The sealed hardware part; a dash for a curve or without one."""
    return NONE if result.is_curve else amount_or_dash(result.seal.hardware, result.unit)


def software_cell(result: Result) -> str:
    """The sealed software part, of a rate as a share of the time; a dash for a curve."""
    if result.seal.kind == "rate" and not math.isnan(result.software_share):
        return f"{100 * result.software_share:.0f} % of the time"
    return NONE if result.is_curve else amount_or_dash(result.seal.software, result.unit)


def _sum_cell(hardware: str, software: str) -> str:
    """Both parts of a prediction in one cell, as it adds them up; a dash without any."""
    parts = [part for part in (hardware, software) if part != NONE]
    return " + ".join(parts) or NONE


def predicted_cell(result: Result) -> str:
    """The sealed prediction, and the revised one if it differs; of a curve the ends, where it was
    measured if it was."""

    def values(prediction):
        if result.is_curve and result.has_samples:
            return result.sealed("predicted", prediction).tolist()
        return prediction.predicted

    sealed, revised = (
        amount_or_dash(values(prediction), result.unit)
        for prediction in (result.seal, result.current)
    )
    return _with_revised(result, sealed, revised)


def _with_revised(result: Result, sealed: str, revised: str) -> str:
    """What follows from the sealed prediction, and from the revised one if there is one."""
    return f"{sealed}; revised {revised}" if result.revisions else sealed


def measured_cell(result: Result) -> str:
    """The median with its interval, a curve's ends, or the reason why there is no value."""
    if not result.has_samples:
        return MissingCell(result.state, literal(result.reason))
    text = result.medians_text if result.is_curve else f"{result:interval}"
    return f"{text} ({literal(result.attempt_note)})" if result.attempt_note else text


def mean_sd_cell(result: Result) -> str:
    """Mean ± standard deviation over all trials; a dash for a curve or without samples."""
    if result.is_curve or result.summary is None:
        return NONE
    return _mean_sd(result.summary, result.unit)


def ratio_cell(result: Result) -> str:
    """Measured over the sealed prediction, and over the revised one if it differs."""
    return _with_revised(result, ratio_text(result.ratio), ratio_text(result.current_ratio))


def _mean_sd(summary: Summary, unit: str) -> str:
    """An unknown spread is left out: it is not 0."""
    step = units.readable_unit(summary.mean, unit)
    spread = "" if math.isnan(summary.sd) else f" ± {in_unit(summary.sd, step, 2)}"
    note = first_case(
        (summary.n == 1, " (one trial)"),
        (_has_long_tail(summary), f" (long tail, up to {units.amount(summary.maximum, unit)})"),
    )
    return f"{in_unit(summary.mean, step)}{spread} {units.symbol(step)}{note}"


def _has_long_tail(summary: Summary) -> bool:
    """Whether a few large trials make mean and deviation contradict the median's interval."""
    if summary.maximum - summary.mean <= _TAIL_DEVIATIONS * summary.sd:
        return False
    beside = summary.mean > summary.interval.high and summary.sd > summary.median / 2
    return beside or summary.sd > summary.median > 0


# The first four are what a narrow screen shows: the class RESULTS in reckon.css.
_RESULT_COLUMNS = {
    "Operation": 17,
    "Predicted": 10,
    "Measured, median (interval)": 21,
    "Measured / predicted": 10,
    "Base hardware + software overhead": 17,
    "Mean ± sd": 16,
    "Core cycles": 9,
}


def table(
    results: list[Result],
    caption: str,
    name: str,
    titles: dict[str, str] | None = None,
    waits: Sequence[Result] = (),
) -> Block:
    """Predicted, median with interval, their ratio; then the prediction's two parts, mean ± sd over
    all trials, core cycles. A curve has a row for each point.

    waits: results in which the core sleeps until a disk or another CPU answers, so that its cycles
    say nothing; the same holds for each that another host answers. Without any cycles the column
    is left out."""
    rows, waiting = [], {result.quantity for result in waits}
    for result in results:
        operation = title(result, titles)
        if result.is_curve and result.has_samples:
            added = _curve_rows(result, operation)
        else:
            added = [[operation, *_cells(result)]]
        by_peer = result.measurement and result.measurement.peer
        if by_peer or result.quantity in waiting:
            added = [[*row[:-1], NONE] for row in added]
        rows += added
    columns = dict(_RESULT_COLUMNS)
    if all(row[-1] == NONE for row in rows):
        columns.pop("Core cycles")
        rows = [row[:-1] for row in rows]
    block = columns_table(columns, rows, caption, name, RESULTS)
    noted, limits = with_interval_note(block, results, titles), _limit_note(results, titles)
    return join_blocks([noted, say(limits)]) if limits else noted


def _limit_note(results: list[Result], titles: dict[str, str] | None) -> str:
    """Which intervals end at the rate that the machine's description states; "" if none does."""
    names = [
        f"*{title(result, titles)}*"
        for result in results
        if any(np.array([s.interval.high for s in result.summaries]) == result.limits)
    ]
    if not names:
        return ""
    return (
        f"The interval of {join_words(names)} is cut off at the stated rate of the hardware: by "
        "the spread from visit to visit it would reach further, but no trial exceeded that rate."
    )


def with_interval_note(
    block: Block, results: list[Result], titles: dict[str, str] | None = None
) -> Block:
    """The table, and which of its intervals are not from visits minutes apart."""
    bases = {title(result, titles): result.interval_from for result in results}
    count = sum(bool(basis) for basis in bases.values())
    names = [name for name, basis in bases.items() if basis.endswith("of one visit")]
    if not names:
        return block
    note = first_case(
        (len(names) == count, "The intervals are from the processes of one {term}`visit`."),
        (
            len(names) > _NAMES_LISTED,
            f"Of the {count} intervals {len(names)} are of one {{term}}`visit` only.",
        ),
        (True, f"From one {{term}}`visit` only: the intervals of {join_words(names)}."),
    )
    return join_blocks([block, say(note)])


def _cells(result: Result) -> list[str]:
    """A single quantity, or a curve as a whole."""
    return [
        predicted_cell(result),
        measured_cell(result),
        ratio_cell(result),
        _sum_cell(hardware_cell(result), software_cell(result)),
        mean_sd_cell(result),
        f"{result:cycles}".removesuffix(" cycles") if result.core_cycles else NONE,
    ]


def _quotient(measured: float, predicted: float) -> str:
    return ratio_text(measured / predicted if predicted else math.nan)


def _ratio(measured: Summary, predicted: float) -> str:
    return NONE if measured.groups else _quotient(measured.median, predicted)


def _point_cells(result: Result, i: int) -> list[str]:
    summary, unit = result.summaries[i], result.unit
    parts = ("predicted", "hardware", "software")
    sealed, *hardware_and_software = (float(result.sealed(part)[i]) for part in parts)
    both = (sealed, float(result.current_values[i]))
    return [
        _with_revised(result, *(amount_or_dash(value, unit) for value in both)),
        summary_text(summary, unit),
        _with_revised(result, *(_ratio(summary, value) for value in both)),
        _sum_cell(*(amount_or_dash(value, unit) for value in hardware_and_software)),
        _mean_sd(summary, unit),
        units.number(result.cycles[i].median) if result.cycles else NONE,
    ]


def _curve_rows(result: Result, operation: str) -> list[list[str]]:
    """A row for each point, of a long curve for its ends; neighbours that failed alike share
    one."""
    n = len(result.points)
    rows = [
        [f"{operation}, {counted_position(result, result.axis[i])}", *_point_cells(result, i)]
        for i in (range(n) if n <= _MAX_POINTS else (0, n - 1))
    ]
    missing = itertools.groupby(result.missing_points, lambda point: (point.stopped, point.reason))
    for (state, reason), points in missing:
        positions = [counted_position(result, point.x) for point in points]
        where = " to ".join(dict.fromkeys([positions[0], positions[-1]]))
        cell = MissingCell(state, literal(reason))
        rows.append([f"{operation}, {where}", NONE, cell, *[NONE] * 4])
    return rows


_FIT_COLUMNS = {
    "Curve": 18,
    "Predicted slope": 17,
    "Fitted slope (95 %)": 27,
    "Fitted / predicted": 13,
    "Begins at": 12,
    "Largest residual": 13,
}


def fits(
    results: list[Result],
    caption: str,
    name: str,
    titles: dict[str, str] | None = None,
    *,
    only_straight: bool = False,
) -> Block:
    """The straight line through each curve: slope, intercept and the largest distance of a point
    from it, beside the slopes of the sealed prediction and of a revised one.

    only_straight: a curve that is not straight has no slope."""
    rows = [[title(result, titles), *_line_cells(result)] for result in results]
    for result, row in zip(results, rows, strict=True):
        if only_straight and result.line and not result.is_straight:
            row[2:5] = ["not straight", NONE, NONE]
    return columns_table(_FIT_COLUMNS, rows, caption, name)


def _line_cells(result: Result) -> list[str]:
    line, sealed, current = result.line, result.sealed_line, result.current_line
    if line is None or sealed is None or current is None:
        why = result.reason or f"{len(result.points)} points, and a line needs three"
        return [MissingCell(result.state, literal(why)), *[NONE] * 4]
    scale = units.factor(result.axis_unit)
    step = units.readable_unit(line.slope * scale, result.unit)
    per = f"{units.symbol(step)} / {units.symbol(result.axis_unit, '1')}".removesuffix(" / ")
    fitted, interval = units.number_and_interval(
        *(
            units.from_base(slope * scale, step)
            for slope in (line.slope, line.slope_low, line.slope_high)
        )
    )
    slopes = (sealed.slope, current.slope)
    return [
        _with_revised(result, *(f"{in_unit(slope * scale, step)} {per}" for slope in slopes)),
        f"{fitted} {per} ({interval})",
        _with_revised(
            result, *(ratio_text(line.slope / slope if slope else math.nan) for slope in slopes)
        ),
        units.amount(line.intercept, result.unit),
        units.amount(float(abs(line.residuals).max()), result.unit),
    ]


_SPREADS = {
    "10 % trimmed mean": ("trimmed_mean", 11),
    "Mean": ("mean", 10),
    "Sd inside a process": ("sd_within", 10),
    "Sd across processes": ("sd_across", 11),
    "Largest deviation": ("max_deviation", 11),
}


def spreads(results: list[Result], caption: str, name: str) -> Block:
    """Every measure of spread that a report prints, side by side; of a curve, at its ends."""
    rows = []
    for result in results:
        ends = {0, len(result.points) - 1} if result.has_samples else set()
        for i in sorted(ends):
            summary = result.summaries[i]
            step = units.readable_unit(summary.median, result.unit)
            where = f", {position_text(result, result.axis[i])}" if result.is_curve else ""
            values = [getattr(summary, field) for field, _ in _SPREADS.values()]
            quantity = f"{title_of(result.quantity)}{where} [{units.symbol(step)}]"
            ends_of_bulk = units.range_text(summary.minimum, summary.p99, step)
            middle = f"{in_unit(summary.median, step)} ({ends_of_bulk})"
            rows.append([quantity, middle, *(in_unit(value, step) for value in values)])
    columns = {"Quantity": 22, "Median (minimum to 99th percentile)": 22}
    columns |= {heading: width for heading, (_, width) in _SPREADS.items()}
    return columns_table(columns, rows, caption, name)


def cross_check(programs: dict[str, tuple[Result, Result]], caption: str, name: str) -> Block:
    """{program: (its result, Reckon's)}: both values and their ratio, or why there is none."""
    rows = []
    for program, (by_program, by_reckon) in programs.items():
        timed = what_is_timed(by_program.measurement) if by_program.measurement else NONE
        values = map(measured_cell, (by_program, by_reckon))
        ratio = times_text(by_reckon, by_program)
        rows.append([f"`{program}`", timed, *values, ratio])
    columns = {
        "Program": 12,
        "What it times": 36,
        "Its value": 20,
        "Reckon's": 20,
        "Reckon's / its": 12,
    }
    return columns_table(columns, rows, caption, name)
