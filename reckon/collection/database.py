"""The tables of many runs, asked by DuckDB."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb

from reckon.records.models import FIRST_FORMAT_WITH_CHAINS

_MEMORY = "1GB"  # beyond it, DuckDB works on files in a folder of its own


# Runs of before there were hosts have that of a run with the same identity, or their identity,
# which is the machine's under one kernel. Before format 4 it was that of all machines alike.
_WITH_HOSTS = f"""
CREATE OR REPLACE TABLE runs AS SELECT * REPLACE (
    CASE WHEN format < {FIRST_FORMAT_WITH_CHAINS} THEN host
    ELSE coalesce(host, max(host) OVER (PARTITION BY identity), identity) END AS host
) FROM runs"""


class Collection:
    """runs.parquet and quantities.parquet of a folder, as the tables `runs` and `quantities`.

    The table `newest` has the newest run of each machine, which stands for it among the others.
    Runs of which the machine is not known are machines of their own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._temporary = tempfile.TemporaryDirectory(prefix="reckon-duckdb-")
        self._connection = duckdb.connect()
        self._connection.execute(f"SET memory_limit = '{_MEMORY}'")
        self._connection.execute("SET temp_directory = ?", [self._temporary.name])
        # In the order in which pages ask: then a page reads only what it shows.
        for name, order in (("runs", "run_id"), ("quantities", "quantity, x")):
            path = str(folder / f"{name}.parquet").replace("'", "''")
            self._connection.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_parquet('{path}') ORDER BY {order}"
            )
        self._connection.execute(_WITH_HOSTS)
        self._connection.execute("CREATE INDEX of_run ON quantities (run_id)")
        self._connection.execute("""
            CREATE TABLE newest AS SELECT * FROM runs
            QUALIFY row_number() OVER (
                PARTITION BY coalesce(host, run_id) ORDER BY opened_at DESC, run
            ) = 1""")

    def rows(self, query: str, *values: object, **named: object) -> list[dict[str, Any]]:
        """The rows that a query gives; its ? stand for `values`, its $name for those that are
        named."""
        answer = self._connection.execute(query, named or list(values))
        names = [column[0] for column in answer.description or ()]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def columns(self, query: str, *values: object) -> dict[str, Any]:
        """What a query gives as numpy arrays, by column."""
        return self._connection.execute(query, list(values)).fetchnumpy()

    def close(self) -> None:
        """Ends the connection, and removes its files."""
        self._connection.close()
        self._temporary.cleanup()

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def runs_of(collection: Collection) -> list[dict[str, Any]]:
    """Every run, the machines in the order of their models, each from its oldest run on."""
    return collection.rows("""
        SELECT *, run_id IN (SELECT run_id FROM newest) AS is_newest FROM runs
        ORDER BY model, coalesce(host, run_id), opened_at""")
