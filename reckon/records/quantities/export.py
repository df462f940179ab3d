"""Results as objects of JSON."""

from __future__ import annotations

import math
from operator import attrgetter

import numpy as np

from reckon import records, units
from reckon.records.quantities.result import Result


def to_json(result: Result, state: str | None = None) -> dict:
    """The result as one object of `reckon results --json`: numbers in `unit`."""

    def in_unit(value):
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return None
        if isinstance(value, (list, np.ndarray)):
            return [in_unit(float(v)) for v in value]
        return float(units.from_base(value, result.unit))

    def sealed(field: str, prediction: records.PredictionRecord | None = None):
        """A predicted value; of a measured curve, at the points that were measured."""
        if result.has_samples and result.is_curve:
            return in_unit(result.sealed(field, prediction))
        return in_unit(getattr(prediction or result.seal, field))

    def measured(field: str):
        values = [in_unit(attrgetter(field)(summary)) for summary in result.summaries]
        if result.is_curve:
            return values or None
        return values[0] if values else None

    return {
        "quantity": result.quantity,
        "unit": result.unit,
        "axis": result.axis_in_unit.tolist() if result.is_curve else None,
        "axis_unit": result.axis_unit if result.is_curve else None,
        "hardware": sealed("hardware"),
        "software": sealed("software"),
        "predicted": sealed("predicted"),
        "revised": sealed("predicted", result.current) if result.revisions else None,
        "median": measured("median"),
        "low": measured("interval.low"),
        "high": measured("interval.high"),
        # Without it the interval is that of the processes of one visit.
        **({"interval_from": result.interval_from} if _has_visits(result) else {}),
        # Where the processes fall into two groups, the median is no value.
        "groups": groups(result),
        "mean": measured("mean"),
        "sd": measured("sd"),
        "n": sum(summary.n for summary in result.summaries),
        "state": state or result.state,
        "reason": result.reason or result.attempt_note or None,
    }


def groups(result: Result) -> list[dict[str, float]] | None:
    """The two groups of its processes, medians in its unit; None if it is not of two."""
    if not (result.is_of_two_groups and result.summary and result.summary.groups):
        return None
    return [
        {"median": float(units.from_base(group.median, result.unit)), "share": group.share}
        for group in result.summary.groups
    ]


def _has_visits(result: Result) -> bool:
    return result.measurement is not None and len(result.measurement.visits) > 1
