"""Samples and results as pandas frames, to draw with seaborn or to compute with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from reckon import records, units
from reckon.records.quantities.result import Result
from reckon.records.run_files.unit_conversion import trial_times_s
from reckon.show.titles import title_of

if TYPE_CHECKING:  # most commands do without, and it imports slowly
    import pandas as pd

Titles = dict[str, str] | None

_OF_QUANTITY = ["quantity", "title", "unit", "position", "position_unit"]
_SAMPLE_COLUMNS = [*_OF_QUANTITY, "visit", "process", "second", "value"]
# Columns of frame(), and what of a prediction or of a summary they are.
_SEALED = {
    "predicted": "predicted",
    "predicted_low": "low",
    "predicted_high": "high",
    "hardware": "hardware",
}
_MEASURED = {
    "median": "median",
    "low": "interval.low",
    "high": "interval.high",
    "mean": "mean",
    "sd": "sd",
    "minimum": "minimum",
    "p99": "p99",
}
_RESULT_COLUMNS = [*_OF_QUANTITY, *_SEALED, "revised", *_MEASURED, "ratio", "state", "reason"]


def samples(*results: Result, titles: Titles = None) -> pd.DataFrame:
    """A frame with a row for each trial of these results, and one for a result without samples.

    quantity       its name, PART/EXPERIMENT/NAME
    title          what pages call it, or what `titles` calls it by its name
    unit           the unit of value; all results of one dimension share that of the first
    position       of a curve, where on its axis; nan of a single value
    position_unit  the unit of position
    visit          the number of the visit
    process        the number of the fresh process at that position, in the order they ran
    second         when the trial began, in seconds since the measurement began
    value          what one operation took, or the rate, in `unit`; nan without samples
    """
    parts: list[dict] = []
    for result, unit in with_units(results):
        for point in result.points:
            of_point = _of_quantity(result, unit, titles, point.x)
            parts.append(of_point | _trials(result, point, unit))
        if not result.has_samples:
            parts.append(_of_quantity(result, unit, titles, None))
    return _joined(parts, _SAMPLE_COLUMNS)


def frame(*results: Result, titles: Titles = None) -> pd.DataFrame:
    """A frame with a row for each of these results, of a curve for each measured point.

    quantity, title, unit, position, position_unit
                   as in samples(); the unit is that of the values from predicted to p99
    predicted      the prediction, as sealed before measuring
    predicted_low, predicted_high
                   the ends of its interval; nan without one
    hardware       the part of it that the hardware takes; nan without one
    revised        what is predicted now
    median         of the visits' medians
    low, high      the ends of its interval
    mean, sd       of all trials: their mean, and their standard deviation
    minimum, p99   of all trials: the smallest, and the 99th percentile
    ratio          median / predicted
    state          measured, reused, unsupported, failed, or predicted (not measured yet)
    reason         why it was not measured
    """
    parts: list[dict] = []
    for result, unit in with_units(results):
        values = _points(result, unit) if result.has_samples else {}
        positions = [point.x for point in result.points] or [None]
        state = {"state": result.state, "reason": result.reason}
        parts.append(_of_quantity(result, unit, titles, positions) | values | state)
    return _joined(parts, _RESULT_COLUMNS)


def _joined(parts: list[dict], columns: list[str]) -> pd.DataFrame:
    """A frame of the parts' rows. A part has values by column: one for each row, or one for all;
    nan where it has none. (A frame of each part would take ten times as long.)"""
    import pandas as pd

    counts = [max(np.size(value) for value in part.values()) for part in parts]
    rows = {
        column: [
            value
            for part, count in zip(parts, counts, strict=True)
            for value in _repeated(part.get(column, math.nan), count)
        ]
        for column in columns
    }
    return pd.DataFrame(rows, columns=columns)


def _repeated(value: Any, count: int) -> list:
    """A list of that length: the values of an array, or one value again and again."""
    values = value.tolist() if isinstance(value, np.ndarray) else value
    return values if isinstance(values, list) and len(values) == count else [values] * count


def with_units(results: Iterable[Result]) -> Iterator[tuple[Result, str]]:
    """Each result with the unit of its values in a frame."""
    of_dimension: dict = {}
    for result in results:
        dimension = units.dimension(result.unit)
        if result.has_samples:
            of_dimension.setdefault(dimension, readable_unit(result))
        yield result, of_dimension.get(dimension, result.unit)


def readable_unit(result: Result) -> str:
    """The unit in which this quantity reads best."""
    values = [abs(s.median) for s in result.summaries if math.isfinite(s.median)]
    return units.readable_unit(float(np.median(values)), result.unit)


def _of_quantity(result: Result, unit: str, titles: Titles, positions) -> dict:
    axis_unit = result.axis_unit if result.is_curve else "1"
    return {
        "quantity": result.quantity,
        "title": (titles or {}).get(result.quantity) or title_of(result.quantity),
        "unit": units.symbol(unit),
        "position": units.from_base(np.array(positions, dtype=float), axis_unit),
        "position_unit": units.symbol(axis_unit),
    }


def _trials(result: Result, point: records.Point, unit: str) -> dict:
    assert result.measurement  # which a result with points has
    values = result.single_trials(point)
    counts = [len(of_process) for of_process in values]
    times_s = [trial_times_s(process, result.measurement) for process in point.processes]
    visits = [process.visit for process in point.processes]
    return {
        "visit": np.repeat(visits, counts),
        "process": np.repeat(np.arange(1, len(counts) + 1), counts),
        "second": np.concatenate(times_s),
        "value": units.from_base(np.concatenate(values), unit),
    }


def _points(result: Result, unit: str) -> dict:
    columns = {name: result.sealed(field) for name, field in _SEALED.items()}
    columns["revised"] = result.current_values
    for name, field in _MEASURED.items():
        columns[name] = np.array([attrgetter(field)(summary) for summary in result.summaries])
    in_unit = {name: units.from_base(values, unit) for name, values in columns.items()}
    with np.errstate(divide="ignore", invalid="ignore"):  # of a prediction of 0
        return in_unit | {"ratio": columns["median"] / columns["predicted"]}
