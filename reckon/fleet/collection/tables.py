"""A run as tidy tables: one of runs, one of quantities, one of trials.

Numbers are in base units (s, byte, cycle, tick and their quotients), which the column `unit` names.
Each column says what it holds in the metadata of its field; docs/export-format.md lists them.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from reckon import records, statistics, units
from reckon.prediction.ratios import MISS, NEAR, is_comparable
from reckon.records.quantities.lookup import results_of
from reckon.records.quantities.result import Result
from reckon.records.run_files import verify

_TEXT, _NUMBER, _COUNT, _TIME = pa.string(), pa.float64(), pa.int64(), pa.timestamp("s", "UTC")
_TEXTS = pa.list_(pa.string())


def _columns(*columns: tuple[str, pa.DataType, str]) -> pa.Schema:
    return pa.schema(
        [pa.field(name, type_, metadata={"meaning": meaning}) for name, type_, meaning in columns]
    )


RUNS = _columns(
    ("run_id", _TEXT, "the run's random id; the other tables refer to it"),
    ("run", _TEXT, "the name of its folder"),
    (
        "host",
        _TEXT,
        "the same for all runs of one machine, whatever its kernel; NULL: an older run",
    ),
    (
        "identity",
        _TEXT,
        "the same for all runs of one machine with the same kernel, microcode, huge pages, clock "
        "source and limits",
    ),
    ("root_hash", _TEXT, "of all that the run holds, as `reckon verify` prints it"),
    ("format", _COUNT, "of its records"),
    ("opened_at", _TIME, "when the run was opened"),
    ("measured_at", _TIME, "when the newest samples were taken"),
    ("profiles", _TEXTS, "how long was measured: quick, standard or full"),
    ("model", _TEXT, "of the processor"),
    ("vendor", _TEXT, "of the processor"),
    ("cores", _COUNT, "of the processor"),
    ("threads", _COUNT, "of the processor"),
    ("microcode", _TEXT, "its version"),
    ("firmware", _TEXT, "its version, of the BIOS or UEFI"),
    ("kernel", _TEXT, "its release"),
    ("os", _TEXT, "the distribution"),
    ("mitigations", _TEXT, "of the processor's vulnerabilities, as the kernel reports them"),
    ("hypervisor", _TEXT, "whose guest it is; NULL of none"),
    ("is_guest", pa.bool_(), "whether it is a virtual machine"),
    ("memory", _NUMBER, "bytes"),
    ("memory_limit", _NUMBER, "bytes that control groups allow; NULL: all"),
    ("l1d", _NUMBER, "bytes, as reported"),
    ("l2", _NUMBER, "bytes, as reported"),
    ("l3", _NUMBER, "bytes, as reported"),
    ("unfit", _TEXTS, "what makes the machine less than fit to be measured"),
    ("quantities", _COUNT, "that were predicted"),
    ("measured", _COUNT, "of them"),
    ("unsupported", _COUNT, "of them"),
    ("failed", _COUNT, "of them"),
    ("within_near", _NUMBER, f"share of sealed predictions off by at most {NEAR:g} times"),
    ("within_miss", _NUMBER, f"share of sealed predictions off by at most {MISS:g} times"),
)
QUANTITIES = _columns(
    ("run_id", _TEXT, "of the run"),
    ("quantity", _TEXT, "PART/EXPERIMENT/NAME"),
    ("experiment", _TEXT, "PART/EXPERIMENT"),
    ("x", _NUMBER, "of a curve, where on its axis; NULL of a single value"),
    ("x_unit", _TEXT, "the base unit of x"),
    ("shown_x_unit", _TEXT, "the unit in which the book prints x"),
    ("unit", _TEXT, "the base unit of all values"),
    ("shown_unit", _TEXT, "the unit in which the book prints them"),
    ("state", _TEXT, "measured, unsupported, failed or predicted (not measured yet)"),
    ("reason", _TEXT, "why it was not measured, or why a later attempt gave nothing"),
    ("predicted", _NUMBER, "the sealed prediction"),
    ("predicted_low", _NUMBER, "the lower end of its interval"),
    ("predicted_high", _NUMBER, "the upper end"),
    ("hardware", _NUMBER, "the part of it that the hardware takes"),
    ("software", _NUMBER, "the part of it that the software takes"),
    ("revised", _NUMBER, "the prediction after measuring; NULL if it was not revised"),
    ("ratio", _NUMBER, "median / predicted"),
    ("median", _NUMBER, "of the processes' medians"),
    ("low", _NUMBER, "the lower end of the median's interval (95 %)"),
    ("high", _NUMBER, "the upper end"),
    ("interval", _TEXT, "where the next visit's median would lie, or one of more processes"),
    ("mean", _NUMBER, "over all trials"),
    ("sd", _NUMBER, "over all trials"),
    ("trimmed_mean", _NUMBER, "10 % off each end"),
    ("minimum", _NUMBER, "over all trials"),
    ("maximum", _NUMBER, "over all trials"),
    ("p99", _NUMBER, "the 99th percentile of all trials"),
    ("trials", _COUNT, "timed samples"),
    ("processes", _COUNT, "fresh processes that took them"),
    ("visits", _COUNT, "periods in which they were taken"),
    ("warnings", _TEXTS, "what may mislead in the samples"),
    ("measured_at", _TIME, "the first visit"),
    ("seconds", _NUMBER, "of all visits"),
    ("profile", _TEXT, "how long was measured"),
    ("probe", _TEXT, "that measured it"),
    ("version", _COUNT, "of what the probe times"),
    ("reports", _TEXTS, "the published reports whose method this is"),
    ("params", _TEXT, "of the probe, as JSON"),
    ("peer", _TEXT, "the other host, if there is one"),
)
TRIALS = _columns(
    ("run_id", _TEXT, "of the run"),
    ("quantity", _TEXT, "PART/EXPERIMENT/NAME"),
    ("x", _NUMBER, "of a curve, where on its axis; NULL of a single value"),
    ("visit", _COUNT, "its number"),
    ("process", _COUNT, "its number at that x, in the order they ran"),
    ("trial", _COUNT, "its number in the process"),
    ("started", _NUMBER, "of the process, in s since the measurement began"),
    ("ticks", _COUNT, "of the time counter"),
    ("ops", _COUNT, "operations that the trial covered"),
    ("value", _NUMBER, "of one operation"),
    ("unit", _TEXT, "the base unit of value"),
)
_SORTED = json.JSONEncoder(sort_keys=True)  # made once: that takes longer than its work
SCHEMAS = {"runs": RUNS, "quantities": QUANTITIES, "trials": TRIALS}

_FACTS = {
    "model": "processor.model",
    "vendor": "processor.vendor",
    "cores": "processor.cores",
    "threads": "processor.threads",
    "microcode": "processor.microcode",
    "l1d": "processor.l1d",
    "l2": "processor.l2",
    "l3": "processor.l3",
    "memory": "memory.capacity",
    "memory_limit": "memory.limit",
    "firmware": "system.firmware",
    "kernel": "system.kernel",
    "os": "system.os",
    "mitigations": "system.mitigations",
    "hypervisor": "system.hypervisor",
}


def of_run(folder: Path, *, trials: bool = False) -> dict[str, pa.Table]:
    """The run's tables by name; `trials` (which opens every samples file) only if asked for.

    Raises ReckonError where a file of the run cannot be read."""
    run = records.read_run(folder)
    assert run, folder
    experiments = records.own_experiments(folder)
    results = results_of(folder, experiments, samples=trials)
    run_id = run.id
    rows = list(_quantity_rows(run_id, results))
    of_the_run = _run_row(run, results) | _shares_within(rows)
    of_the_run["root_hash"] = verify.root_hash(folder)
    tables = {"runs": _table([of_the_run], RUNS), "quantities": _table(rows, QUANTITIES)}
    if trials:
        of_results = [_trials(run_id, result) for result in results if _has_trials(result)]
        tables["trials"] = pa.concat_tables(of_results) if of_results else _table([], TRIALS)
    return tables


def without_names(of_run: dict[str, pa.Table], key: bytes) -> dict[str, pa.Table]:
    """The tables without what names a machine: hashes in the place of the run's name and ids, and
    nothing where there was the root hash, the other host, or a reason, which may have addresses.

    key: random, and kept by nobody. Who has the run can still find it by what was measured."""

    def replaced(table: pa.Table, column: str, values: list[str | None]) -> pa.Table:
        place = table.schema.get_field_index(column)
        return table.set_column(place, table.schema.field(column), pa.array(values, _TEXT))

    changed = {}
    for name, table in of_run.items():
        for column in ("run_id", "run", "host", "identity"):
            if column in table.column_names:
                hashes = [value and _hash(value, key) for value in table[column].to_pylist()]
                table = replaced(table, column, hashes)
        for column in ("root_hash", "peer", "reason"):
            if column in table.column_names:
                table = replaced(table, column, [None] * table.num_rows)
        changed[name] = table
    return changed


def _hash(text: str, key: bytes) -> str:
    return hashlib.blake2b(text.encode(), key=key, digest_size=8).hexdigest()


def _table(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    listed = list(rows)
    columns = {name: [row.get(name) for row in listed] for name in schema.names}
    return pa.table(columns, schema=schema)


# --- runs and quantities --------------------------------------------------------------------------


def _run_row(run: records.Run, results: list[Result]) -> dict[str, Any]:
    facts = {name: run.machine.value(field) for name, field in _FACTS.items()}
    kernel, is_guest = str(facts["kernel"] or "").split(), run.machine.value("system.guest")
    measurements = [result.measurement for result in results if result.measurement]
    states = [result.state for result in results]
    return facts | {
        "run_id": run.id,
        "run": run.name,
        "host": run.host,
        "identity": run.identity,
        "format": run.format,
        "opened_at": run.opened_at,
        "measured_at": max((each.started_at for each in measurements), default=None),
        "profiles": sorted({each.profile for each in measurements}),
        "kernel": kernel[0] if kernel else None,
        "microcode": _text(facts["microcode"]),
        "is_guest": None if is_guest is None else bool(is_guest),
        "unfit": [check["name"] for check in run.fitness if check["state"] == "warn"],
        "quantities": len(results),
        **{state: states.count(state) for state in ("measured", "unsupported", "failed")},
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _shares_within(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Of the predictions that the book scores, by its own methods; a curve counts once."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratio = row.get("ratio")
        if ratio is not None and is_comparable(ratio) and not row["reports"]:
            ratios.setdefault(row["quantity"], []).append(ratio)
    if not ratios:
        return {}
    factors_off = [abs(math.log(median(each))) for each in ratios.values()]
    limits = {"within_near": NEAR, "within_miss": MISS}
    return {
        name: sum(each <= math.log(limit) for each in factors_off) / len(factors_off)
        for name, limit in limits.items()
    }


def _quantity_rows(run_id: str, results: list[Result]) -> Iterator[dict[str, Any]]:
    for result in results:
        common = {"run_id": run_id, **_common(result)}
        if not result.has_samples:
            yield common | _unmeasured(result)
            continue
        points = result.points
        sealed = {name: _at(result.seal, field, points) for name, field in _SEALED.items()}
        if result.revisions:
            sealed["revised"] = _at(result.current, "predicted", points)
        for k, (point, summary) in enumerate(zip(points, result.summaries, strict=True)):
            at_point = {name: values[k] for name, values in sealed.items()}
            yield {**common, **at_point, **_measured(point, summary, at_point["predicted"])}


_SEALED = {
    "predicted": "predicted",
    "predicted_low": "low",
    "predicted_high": "high",
    "hardware": "hardware",
    "software": "software",
}


def _at(
    prediction: records.PredictionRecord, field: str, points: list[records.Point]
) -> list[float | None]:
    """A field of the prediction at each point; as Result.sealed(), in a tenth of the time."""
    value = getattr(prediction, field)
    if not isinstance(value, list):
        return [value] * len(points)
    axis = next(input_.value for input_ in prediction.inputs if isinstance(input_.value, list))
    at: dict[float | None, float] = dict(zip(axis, value, strict=True))
    return [at.get(point.x) for point in points]


def _common(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {
        "quantity": result.quantity,
        "experiment": result.experiment,
        "unit": units.base_symbol(result.unit),
        "shown_unit": result.unit,
        "x_unit": units.base_symbol(result.axis_unit) if result.is_curve else None,
        "shown_x_unit": result.axis_unit if result.is_curve else None,
        "state": result.state,
        "reason": result.reason or result.attempt_note or None,
    }
    measurement = result.measurement
    if measurement:
        fields = ("seconds", "profile", "probe", "version", "reports", "peer")
        row |= {field: getattr(measurement, field) for field in fields}
        row |= {"measured_at": measurement.started_at, "visits": len(measurement.visits)}
    return row


def _unmeasured(result: Result) -> dict[str, Any]:
    """What is predicted of a quantity without samples; nothing of a curve, which has no points."""
    seal = result.seal
    names = {"predicted": "predicted", "predicted_low": "low", "predicted_high": "high"}
    values = {name: getattr(seal, field) for name, field in names.items()}
    return {name: value for name, value in values.items() if isinstance(value, float)}


def _measured(
    point: records.Point, summary: statistics.Summary, predicted: float | None
) -> dict[str, Any]:
    low, high = summary.interval.ends
    numbers = ("median", "mean", "sd", "trimmed_mean", "minimum", "maximum", "p99")
    return {
        "x": point.x,
        "ratio": summary.median / predicted if predicted else None,
        **{name: _known(getattr(summary, name)) for name in numbers},
        "low": _known(low),
        "high": _known(high),
        "interval": summary.interval.kind if summary.interval.is_known else None,
        "trials": summary.n,
        "processes": summary.processes,
        "warnings": [warning.kind for warning in summary.warnings],
        "params": _params_text(tuple(point.params.items())),
    }


@functools.lru_cache(maxsize=16384)  # other runs have the same
def _params_text(params: tuple[tuple[str, int | str], ...]) -> str:
    return _SORTED.encode(dict(params))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# --- trials ---------------------------------------------------------------------------------------


def _has_trials(result: Result) -> bool:
    return any(point.processes for point in result.points)


def _trials(run_id: str, result: Result) -> pa.Table:
    """Every timed sample of a quantity."""
    columns: dict[str, list[np.ndarray]] = {
        name: [] for name in ("x", "visit", "process", "trial", "started", "ticks", "ops", "value")
    }
    for point in result.points:
        values = result.single_trials(point)
        for number, (process, of_process) in enumerate(zip(point.processes, values, strict=True)):
            n = len(process.ticks)
            x = math.nan if point.x is None else point.x
            columns["x"].append(np.full(n, x))
            columns["visit"].append(np.full(n, process.visit))
            columns["process"].append(np.full(n, number))
            columns["trial"].append(np.arange(n))
            columns["started"].append(np.full(n, process.started_s))
            columns["ticks"].append(np.asarray(process.ticks, np.int64))
            columns["ops"].append(np.broadcast_to(np.asarray(process.ops, np.int64), n))
            columns["value"].append(np.asarray(of_process, float))
    arrays: dict[str, Any] = {name: np.concatenate(parts) for name, parts in columns.items()}
    n = len(arrays["value"])
    arrays["x"] = pa.array(arrays["x"], from_pandas=True)  # nan is NULL
    arrays |= {
        "run_id": pa.repeat(run_id, n),
        "quantity": pa.repeat(result.quantity, n),
        "unit": pa.repeat(units.base_symbol(result.unit), n),
    }
    return pa.table({name: arrays[name] for name in TRIALS.names}, schema=TRIALS)
