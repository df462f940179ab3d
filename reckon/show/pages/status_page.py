"""The page `status`: when, how long and how well each chapter and quantity was measured."""

from __future__ import annotations

import math
from collections import Counter

from reckon import records, units
from reckon.records.quantities.lookup import first_predicted
from reckon.records.run_files.models import Measurement, Point, Quantity, Run
from reckon.show.block import SORTABLE, Block, MissingCell, say, table
from reckon.show.text import NONE, code, literal, plural
from reckon.show.titles import link, page_link
from reckon.statistics import PooledVariance

_STOPPED = {
    "precise": "each visit precise enough",
    "time": "its time was up",
    "processes": "all its processes have run",
    "unsupported": "unsupported",
    "failed": "failed",
}
_KEY_DIGITS = 8


def chapters(run: Run, caption: str, name: str) -> Block:
    """A line for each record, with a link to its copy."""
    rows = []
    for experiment, quantities in _records(run).items():
        measured = [each.measurement for each in quantities.values() if each.measurement]
        states = Counter(map(_state, quantities.values()))
        rows.append(
            [
                page_link(experiment.removeprefix(records.METHODS_PREFIX), _suffix(experiment)),
                ", ".join(f"{count} {state}" for state, count in states.items()),
                _span_of_time(measured),
                units.duration(sum(measurement.seconds for measurement in measured)),
                ", ".join(sorted({measurement.profile for measurement in measured})) or NONE,
                f"{{download}}`JSON </{record_copy(experiment)}>`",
            ]
        )
    columns = {
        "Chapter": 26,
        "Quantities": 22,
        "Measured": 18,
        "Took": 10,
        "Profile": 12,
        "Raw": 12,
    }
    return table(columns, rows, caption, name)


def _records(run: Run) -> dict[str, dict[str, Quantity]]:
    """The quantities of each record as they were measured, as a prediction's edit does not concern
    this page; the chapters in the order in which they were predicted, then the other methods."""
    quantities = {
        experiment: records.read_record(
            run.name, experiment, only_measured=True, samples=False
        ).quantities
        for experiment in records.experiments(run.name)
    }

    def order(experiment: str) -> tuple[bool, float]:
        is_other = experiment.startswith(records.METHODS_PREFIX)
        return is_other, first_predicted(quantities[experiment])

    return {experiment: quantities[experiment] for experiment in sorted(quantities, key=order)}


def _suffix(experiment: str) -> str:
    return ": other methods" if experiment.startswith(records.METHODS_PREFIX) else ""


def _state(quantity: Quantity) -> str:
    return quantity.measurement.state if quantity.measurement else "predicted"


def _span_of_time(measured: list[Measurement]) -> str:
    """The first and the last date of the samples, in UTC."""
    dates = sorted(measurement.started_at for measurement in measured)
    if not dates:
        return NONE
    first, last = (_time(f"{date:%Y-%m-%d}") for date in (dates[0], dates[-1]))
    return first if first == last else f"{first} to {last}"


def _time(text: str) -> str:
    """A date, which the style sheet keeps on one line."""
    return f"<time>{text}</time>"


def record_copy(experiment: str) -> str:
    """Where the staged book has a copy of the experiment's record."""
    return f"figures/record-{experiment.replace('/', '-')}.json"


def quantities(run: Run, caption: str, name: str) -> Block:
    """A line for each quantity: its state, when it was measured, and what ended that."""
    rows = [
        _row(quantity, entry, run.between_visits)
        for experiment, of_experiment in _records(run).items()
        if not experiment.startswith(records.METHODS_PREFIX)
        for quantity, entry in of_experiment.items()
    ]
    columns = {
        "Quantity": 24,
        "State": 14,
        "Measured (UTC)": 14,
        "Took": 8,
        "Ended because": 20,
        "Interval": 10,
        "Key": 10,
    }
    return table(columns, rows, caption, name, SORTABLE)


def _row(quantity: str, entry: Quantity, between_visits: PooledVariance | None) -> list[str]:
    measurement = entry.measurement
    if measurement is None:
        return [link(quantity), "not measured yet", *[NONE] * 5]
    reason = measurement.reason or (entry.attempt and entry.attempt.reason)
    state = MissingCell(measurement.state, literal(reason)) if reason else measurement.state
    started, visits = f"{measurement.started_at:%Y-%m-%d %H:%M}", len(measurement.visits)
    return [
        link(quantity),
        state,
        _time(started) + (f", {visits} visits" if visits > 1 else ""),
        "derived" if measurement.is_derived else units.duration(measurement.seconds),
        ends(measurement.points),
        _interval(measurement.points, between_visits),
        code(measurement.key[:_KEY_DIGITS]),
    ]


def ends(points: list[Point]) -> str:
    """What ended the measurement; of a curve, with the number of points."""
    counts = Counter(_STOPPED[point.stopped] for point in points)
    if len(points) == 1:
        return next(iter(counts))
    return ", ".join(
        f"{count} {plural(count, 'point', 'points')}: {end}" for end, count in counts.items()
    )


def _interval(points: list[Point], between_visits: PooledVariance | None) -> str:
    """Half the width of the interval over the median; of a curve, the widest."""
    summaries = [point.summary.over_visits(between_visits) for point in points if point.summary]
    widths = [summary.precision for summary in summaries]
    widest = max(filter(math.isfinite, widths), default=math.nan)
    return NONE if math.isnan(widest) else f"± {units.number(100 * widest, 2)} %"


def provenance(run: Run) -> Block:
    """What made the run, in a sentence."""
    compiler = str(run.machine.value("system.compiler") or "not reported").split(" · ")[0]
    return say(
        f"The run {code(run.name)} was opened on {run.opened_at:%Y-%m-%d};",
        f"it has format {run.format}. Its C library was compiled by {literal(compiler)}.",
        "Each quantity's key is a hash of the probe's C source, the support code that it links,",
        "compiler and flags, parameters, machine, kernel and microcode. While it is the same,",
        "samples are reused, and keep their date. The samples are in the run's folder,",
        f"a file for each quantity and visit: {code(f'book/runs/{run.name}/samples')}.",
    )
