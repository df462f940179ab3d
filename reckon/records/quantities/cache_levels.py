"""The value of a cache: its own probe's, or where that does not lie in the cache, the curve's.

A probe is placed before measuring, by the size that the machine reports for the cache. In a guest a
program may be given a part of that, and the probe then reaches into the next level. Where the
cache's pace ends is seen in the curve of the same walk over sizes, which has a sample at each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reckon import records, units
from reckon.records.quantities.result import Result
from reckon.statistics.plateaus import Level

_OF_SIZES = ("hardware", "software", "predicted", "low", "high")


def at_level(probe: Result, curve: Result, level: Level | None) -> Result:
    """The probe's result if its size lies in that level of the curve, and without a level; else the
    curve's at the size whose median is the level's, of an even number of sizes the lower one."""
    if level is None or not (probe.measurement and curve.measurement and curve.measurement.axis):
        return probe
    size = probe.measurement.params.get(curve.measurement.axis)
    if not isinstance(size, int) or level.x_first <= size <= level.x_last:
        return probe
    sizes = np.arange(level.first, level.last + 1)
    by_time = sizes[np.argsort(curve.medians[sizes], kind="stable")]
    return at_point(curve, int(by_time[(len(sizes) - 1) // 2]))


def at_size(curve: Result, size: float) -> Result:
    """The curve at the measured size that is nearest to this one, by their ratio."""
    return at_point(curve, int(np.argmin(np.abs(np.log(curve.axis / size)))))


def at_point(curve: Result, index: int) -> Result:
    """The curve at that measured point alone, as a single quantity with the size in its name."""
    assert curve.measurement
    point = curve.points[index]
    predictions = [_at(curve, prediction, index) for prediction in curve.entry.predictions]
    only = {"axis": None, "params": point.params, "points": [point.model_copy(update={"x": None})]}
    measurement = curve.measurement.model_copy(update=only)
    entry = curve.entry.model_copy(
        update={"predictions": predictions, "measurement": measurement, "attempt": None}
    )
    quantity = f"{curve.quantity} at {units.size(curve.axis[index], curve.axis_unit)}"
    return replace(curve, quantity=quantity, entry=entry)


def _at(
    curve: Result, prediction: records.PredictionRecord, index: int
) -> records.PredictionRecord:
    values = {
        field: float(curve.sealed(field, prediction)[index])
        for field in _OF_SIZES
        if getattr(prediction, field) is not None
    }
    size = {"origin": "given", "value": float(curve.axis[index])}
    inputs = [
        each.model_copy(update=size) if each.origin == "axis" else each
        for each in prediction.inputs
    ]
    return prediction.model_copy(update={**values, "inputs": inputs})
