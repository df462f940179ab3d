"""Files of a collection's tables: Parquet for notebooks, Prometheus' text format for dashboards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from reckon import config, records
from reckon.fleet.collection import tables

# Written at once, because each run alone would take as long; with trials, fewer.
_RUNS_A_GROUP, _BYTES_A_GROUP = 32, 100_000_000
_LABELS = ("run", "host", "quantity", "x", "unit")
_GAUGES = {
    "median": "reckon_measured",
    "low": "reckon_measured_low",
    "high": "reckon_measured_high",
    "predicted": "reckon_predicted",
}
_DESCRIPTION = config.ROOT / "book" / "collection" / "export-format.jinja"
_INFO = ("run", "host", "model", "kernel", "microcode", "profiles")


def write_parquet(of_runs: Iterable[dict[str, pa.Table]], folder: Path) -> dict[str, int]:
    """Writes NAME.parquet of each table in the folder, whole or not at all; the rows of each.

    Without a run nothing is written, and what an earlier export wrote stays.
    of_runs: the tables of one run after another, so that memory holds some runs at a time."""
    writers: dict[str, pq.ParquetWriter] = {}
    rows: dict[str, int] = {}
    parts = {name: folder / f".{name}.parquet.part" for name in tables.SCHEMAS}
    try:
        for together in _in_groups(of_runs):
            for name in together[0]:
                table = pa.concat_tables([of_run[name] for of_run in together])
                if name not in writers:
                    records.make_folder(folder)
                    writers[name] = pq.ParquetWriter(parts[name], table.schema, compression="zstd")
                writers[name].write_table(table)
                rows[name] = rows.get(name, 0) + table.num_rows
        for name, writer in writers.items():
            writer.close()
            parts[name].replace(folder / f"{name}.parquet")
        for name in parts.keys() - writers.keys() if writers else ():  # of other runs
            (folder / f"{name}.parquet").unlink(missing_ok=True)
    finally:
        for writer in writers.values():
            writer.close()
        for part in parts.values():
            part.unlink(missing_ok=True)
    return rows


def _in_groups(of_runs: Iterable[dict[str, pa.Table]]) -> Iterator[list[dict[str, pa.Table]]]:
    group: list[dict[str, pa.Table]] = []
    size_bytes = 0
    for of_run in of_runs:
        group.append(of_run)
        size_bytes += sum(table.nbytes for table in of_run.values())
        if len(group) == _RUNS_A_GROUP or size_bytes > _BYTES_A_GROUP:
            yield group
            group, size_bytes = [], 0
    if group:
        yield group


def prometheus(of_runs: Iterable[dict[str, pa.Table]]) -> tuple[str, int]:
    """The measured and predicted values in Prometheus' text format, and the number of runs."""
    count = 0
    registry = CollectorRegistry()
    gauges = {
        column: Gauge(name, _of_gauge(column), _LABELS, registry=registry)
        for column, name in _GAUGES.items()
    }
    info = Gauge("reckon_run_info", "A run and its machine; always 1.", _INFO, registry=registry)
    for of_run in of_runs:
        count += 1
        (run,) = of_run["runs"].to_pylist()
        info.labels(**{name: _label(run[name]) for name in _INFO}).set(1)
        for row in of_run["quantities"].to_pylist():
            labels = {name: _label((run | row)[name]) for name in _LABELS}
            for column, gauge in gauges.items():
                if row[column] is not None and math.isfinite(row[column]):
                    gauge.labels(**labels).set(row[column])
    return generate_latest(registry).decode(), count


def _of_gauge(column: str) -> str:
    return f"In base units: {_meaning(tables.QUANTITIES.field(column))}."


def _meaning(field: pa.Field) -> str:
    return field.metadata[b"meaning"].decode()


def _label(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).removesuffix(".0")


def description() -> str:
    """docs/export-format.md: every table and column."""
    template = jinja2.Template(
        _DESCRIPTION.read_text(encoding="utf-8"),
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    return template.render(
        tables=tables.SCHEMAS,
        meaning=_meaning,
        gauges=[*_GAUGES.values()],
        labels=_LABELS,
        of_info=_INFO,
    )
