"""The tables of many runs, queried with DuckDB."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import duckdb

from reckon.computer import control_groups
from reckon.errors import ReckonError
from reckon.records.run_files import files

_MOST_BYTES = 512e6  # of DuckDB's own memory; beyond it, it works on files
_QUANTITY_COLUMNS = (  # that are queried; the file has more
    "run_id, quantity, x, shown_x_unit, unit, shown_unit, state, reason, predicted, "
    "predicted_low, predicted_high, revised, ratio, median, low, high, version, reports, params"
)
# Runs without the field `host` have that of a run with the same identity, or their identity, which
# is the machine's under one kernel.
_RUNS = """
CREATE TABLE runs AS SELECT * REPLACE (
    coalesce(host, max(host) OVER (PARTITION BY identity), identity) AS host
) FROM read_parquet('{path}')"""
# Machines that were made from one disk image share its machine id. A machine measures one thing
# at a time (records.measuring), so runs that measured at the same time are of several. Of
# quantities with one visit it is known when they were measured.
_VISITS = """
CREATE TEMPORARY TABLE visits AS
SELECT DISTINCT host, run_id, q.measured_at AS start, q.measured_at + to_seconds(seconds) AS stop
FROM read_parquet('{path}') AS q JOIN runs USING (run_id) WHERE visits = 1 AND seconds > 0"""
_AT_ONCE = """
UPDATE runs SET host = run_id WHERE host IN (
    SELECT host FROM (
        SELECT *, max(stop) OVER before AS busy_until, arg_max(run_id, stop) OVER before AS busy
        FROM visits WINDOW before AS (
            PARTITION BY host ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    WHERE start < busy_until AND run_id != busy)
RETURNING run_id"""
# In the order in which they are queried: then a page reads only what it shows.
_QUANTITIES = f"""
CREATE TABLE quantities AS SELECT {_QUANTITY_COLUMNS} FROM read_parquet('{{path}}')
ORDER BY quantity, x"""
# Of a curve its last point, so that it counts once. The methods of the published reports are left
# out: they have no predictions of their own.
_SINGLE_VALUES = """
CREATE TABLE single_values AS
SELECT run_id, quantity, x, shown_x_unit, shown_unit, state, reason, predicted, predicted_low,
       predicted_high, revised, ratio, median, low, high
FROM quantities WHERE reports = [] OR reports IS NULL
QUALIFY row_number() OVER (PARTITION BY run_id, quantity ORDER BY x DESC NULLS LAST) = 1
ORDER BY run_id"""
_NEWEST = """
CREATE TABLE newest AS SELECT * FROM runs
QUALIFY row_number() OVER (PARTITION BY coalesce(host, run_id) ORDER BY opened_at DESC, run) = 1"""


class Collection:
    """runs.parquet and quantities.parquet of a folder, as the tables `runs` and `quantities`.

    The table `newest` has the newest run of each machine, which stands for it among the others.
    Runs of which the machine is not known are machines of their own. The table `single_values` has
    a row for each quantity of each run.

    Runs of one machine id that measured at the same time are each of a machine of their own.

    The tables are in a temporary file: those of ten thousand runs are larger than the memory that
    they may take. Raises ReckonError where there is no room for it."""

    def __init__(self, folder: Path):
        self._closing = contextlib.ExitStack()
        temporary = self._closing.enter_context(files.temporary_folder(folder, ".collection-"))
        self._connection = self._closing.enter_context(
            contextlib.closing(duckdb.connect(temporary / "tables.duckdb"))
        )
        try:
            limit_bytes = min(_MOST_BYTES, control_groups.memory_left_bytes() / 4)
            self._query(f"SET memory_limit = '{limit_bytes:.0f}B'")
            for create, name in (
                (_RUNS, "runs"),
                (_VISITS, "quantities"),
                (_QUANTITIES, "quantities"),
            ):
                path = str(folder / f"{name}.parquet").replace("'", "''")
                self._query(create.format(path=path))
            self.runs_at_once = {run_id for (run_id,) in self._query(_AT_ONCE).fetchall()}
            self._query(_SINGLE_VALUES)
            self._query(_NEWEST)
        except BaseException:
            self.close()
            raise

    def _query(self, query: str, values: object = None) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(query, values)
        except duckdb.Error as error:
            why = str(error).splitlines()[0].rstrip(".")
            raise ReckonError(f"DuckDB cannot work on the tables: {why}.") from None

    def rows(self, query: str, *values: object, **named: object) -> list[dict[str, Any]]:
        """The rows that a query gives; its ? stand for `values`, its $name for those that are
        named."""
        answer = self._query(query, named or list(values))
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def columns(self, query: str, *values: object) -> dict[str, Any]:
        """What a query gives as numpy arrays, by column."""
        return self._query(query, list(values)).fetchnumpy()

    def close(self) -> None:
        """Ends the connection, and removes its files."""
        self._closing.close()

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def runs_of(collection: Collection) -> list[dict[str, Any]]:
    """Every run, the machines in the order of their models, each from its oldest run on."""
    return collection.rows("""
        SELECT *, run_id IN (SELECT run_id FROM newest) AS is_newest FROM runs
        ORDER BY model, coalesce(host, run_id), opened_at""")
