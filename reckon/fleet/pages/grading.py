"""The table for a teacher: each run with what its predictions were worth, on a page and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from reckon.fleet.pages.collection_site import Site
from reckon.show.text import percent
from reckon.units import number

_DASH = "–"
_QUERY = """
WITH compared AS (
    SELECT *, CASE WHEN median > 0 AND predicted > 0
                   THEN greatest(median / predicted, predicted / median) END AS off,
           CASE WHEN median > 0 AND revised > 0
                THEN greatest(median / revised, revised / median) END AS off_revised
    FROM single_values
)
SELECT run_id, count(predicted) AS predicted, count(median) AS measured,
       exp(median(ln(off))) AS off,
       avg((median BETWEEN predicted_low AND predicted_high)::INT)
           FILTER (predicted_low < predicted_high) AS held,
       exp(median(ln(predicted_high / predicted_low))
           FILTER (predicted_low > 0 AND predicted_low < predicted_high)) AS width,
       count(revised) AS revised, avg((off_revised <= $miss)::INT) AS within_revised
FROM compared GROUP BY run_id"""
COLUMNS = {
    "name": "Run",
    "profiles": "Profile",
    "predicted": "Predictions",
    "measured": "Measured",
    "within": "Within {miss}×",
    "off": "Off by (median)",
    "held": "Intervals that held",
    "width": "Their width (median)",
    "revised": "Revised",
    "within_revised": "Of them within {miss}×",
    "root_hash": "Root hash",
}


def rows(site: Site) -> list[dict[str, Any]]:
    """A row for each run, in the order of the machines: numbers, shares of 1, None where there is
    nothing to count."""
    found = {row["run_id"]: row for row in site.collection.rows(_QUERY, miss=float(site.miss))}
    table = []
    for run in site.runs:
        of_run = found.get(run["run_id"], {})
        row = {column: of_run.get(column) for column in COLUMNS}
        row |= {"name": site.names[run["run_id"]], "profiles": " ".join(run["profiles"])}
        table.append(row | {"within": run["within_miss"], "root_hash": run["root_hash"]})
    return table


def page(site: Site) -> dict[str, Any]:
    """The headings and the texts of the page's table; the root hash, which is long, is in the CSV
    alone."""
    shown = [column for column in COLUMNS if column != "root_hash"]
    texts = [[_text(column, row[column]) for column in shown] for row in rows(site)]
    return {"columns": [COLUMNS[column].format(miss=site.miss) for column in shown], "rows": texts}


def as_csv(site: Site) -> str:
    """The table with its full numbers."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerows([row[column] for column in COLUMNS] for row in rows(site))
    return stream.getvalue()


def _text(column: str, value: Any) -> str:
    if value is None or value == "":
        return _DASH
    if column in ("within", "held", "within_revised"):
        return percent(value)
    if column in ("off", "width"):
        return f"{number(value)}×"
    return str(value)
