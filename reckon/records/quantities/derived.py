"""Values that are computed from the samples of another quantity, in the form of measured ones.

A record holds values as samples of processes. A derived value is one sample of the process from
which it was computed, with that process's conditions: its count of operations is the value, in the
unit that `op` names, and it has no ticks and no witnesses, because nothing was timed for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from reckon.records.run_files.models import Measurement, Point, Process, WithoutSamples


def derived_process(source: Process, value: float) -> Process:
    """The value that was computed from the samples of that process."""
    untimed = {"ticks": [0], "chain_ticks": None, "wide_ticks": None}
    return source.model_copy(update={**untimed, "ops": round(value), "visit": 0})


def derived_measurement(
    source: Measurement, op: str, timed: str, processes: Sequence[Process]
) -> Measurement:
    """The measurement that the derived processes are, under the conditions of their source."""
    point = Point(x=None, params={}, stopped="processes", processes=list(processes))
    return _derived(source, op, timed, {"state": "measured", "reason": None, "points": [point]})


def underived_measurement(
    source: Measurement, op: str, timed: str, state: WithoutSamples, reason: str | None
) -> Measurement:
    """The measurement of a value that could not be computed, with the reason."""
    return _derived(source, op, timed, {"state": state, "reason": reason, "points": []})


def _derived(source: Measurement, op: str, timed: str, outcome: dict) -> Measurement:
    """The source's probe, machine and time, without what describes its own samples."""
    own: dict[str, object] = {
        "axis": None,
        "params": {name: value for name, value in source.params.items() if name != source.axis},
        "visits": [],
        "peer": None,
        "samples": 1,
        "warmup": 0,
        "seconds": 0.0,
    }
    return source.model_copy(update={"op": op, "timed": timed, **own, **outcome})
