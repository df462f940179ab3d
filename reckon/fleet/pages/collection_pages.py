"""The pages of a collection's site.

Plain pages made by Jinja, which escapes what runs say of themselves; no scripts, nothing fetched.
"""

from __future__ import annotations

import functools
import math
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import markupsafe
import numpy as np

from reckon import config, records, units
from reckon.comparison.reports import published
from reckon.comparison.reports.matching import comparable_values, row_label
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.errors import ReckonError
from reckon.fleet.collection.changes import Pair
from reckon.fleet.collection.odd import Odd
from reckon.fleet.pages import dots, network_page
from reckon.fleet.pages import grading as grading_table
from reckon.fleet.pages.collection_site import Site, heading, part_title, slug
from reckon.messages import join_words
from reckon.show.text import plural, ratio_text

_TEMPLATES = config.ROOT / "book/collection"
_DASH = "–"


def begin(out: Path) -> None:
    """Makes the folder of a site, with its style sheet: by that it is known, even half written."""
    records.make_folder(out)
    shutil.copyfile(_TEMPLATES / "collection.css", out / "collection.css")


def write(
    site: Site, out: Path, on_page: Callable[[int, int], None], *, grading: bool = False
) -> int:
    """Writes the pages of the site into its folder; how many there are."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    total = (
        1
        + grading
        + bool(site.changes)
        + bool(site.network)
        + len(site.newest)
        + len(site.quantities)
    )
    for number, (path, template, content) in enumerate(_pages(site, grading=grading), 1):
        on_page(number, total)
        root = "../" * path.count("/")
        text = jinja.get_template(template).render(site=site, root=root, **content)
        _write(out / path, text)
    if grading:
        _write(out / "data" / "grading.csv", grading_table.as_csv(site))
    return total


def _write(path: Path, text: str) -> None:
    """Not by records.write_whole(), which takes longer: a site can be made again."""
    records.make_folder(path.parent)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None


def _pages(site: Site, *, grading: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The path, the template and the content of each page."""
    yield "index.html", "index.html", {"grading": grading}
    if grading:
        yield "grading.html", "grading.html", {"grading": grading_table.page(site)}
    if site.changes:
        yield "changes.html", "changes.html", {}
    if site.network:
        content = {
            "tables": network_page.tables(site.network),
            "failures": network_page.failures(site.network),
        }
        yield "network.html", "network.html", {"network": content}
    for row in site.quantities:
        path = f"quantities/{slug(row['quantity'])}"
        yield path, "quantity.html", {"quantity": quantity_page(site, row)}
    for machine in site.machines:
        content = machine | machine_page(site, machine)
        yield f"machines/{machine['page']}", "machine.html", {"machine": content}


def quantity_page(site: Site, row: dict[str, Any]) -> dict[str, Any]:
    """What the page of a quantity shows: all machines, from the least value on, and the reports'
    machines among them. Of a curve, the last point that most machines have."""
    quantity, unit = row["quantity"], row["shown_unit"]
    at_point = site.collection.rows(
        """
        WITH of_quantity AS (
            SELECT * FROM quantities JOIN newest USING (run_id) WHERE quantity = ?
        ), place AS (
            SELECT x FROM of_quantity WHERE median IS NOT NULL
            GROUP BY x ORDER BY count(*) DESC, x DESC LIMIT 1
        )
        SELECT run_id, x, shown_x_unit, predicted, median, low, high, ratio, state, reason
        FROM of_quantity
        WHERE x IS NOT DISTINCT FROM (SELECT x FROM place) OR median IS NULL ORDER BY median""",
        quantity,
    )
    measured = [each for each in at_point if each["median"] is not None]
    odd = {each.run_id for each in site.odd if each.quantity == quantity}
    rows = [_row(site, each, unit) | {"is_odd": each["run_id"] in odd} for each in measured]
    x = measured[0]["x"] if measured else None
    rows += [] if row["is_curve"] else _report_rows(quantity, unit)
    rows.sort(key=lambda each: each["value"])
    values = [each["median"] for each in measured if each["median"] > 0]
    name = f"{len(values)} machines"
    picture = dots.strip(values, unit, name, of="measured") if len(values) > 1 else ""
    return {
        "title": heading(quantity),
        "summary": _summary(measured, unit, x),
        "curve": _curve(site, row) if row["is_curve"] else [],
        "strip": markupsafe.Markup(picture),  # our own markup; its texts are escaped
        "rows": rows,
        "missing": [
            f"{site.names[each['run_id']]}: {each['reason'] or each['state']}"
            for each in at_point
            if each["median"] is None
        ],
    }


def _curve(site: Site, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The least, the median and the largest value of all machines at each point of a curve."""
    points = site.collection.rows(
        """
        SELECT x, min(median) AS least, median(median) AS middle, max(median) AS most,
               count(*) AS machines, median(ratio) AS ratio
        FROM quantities JOIN newest USING (run_id)
        WHERE quantity = ? AND median IS NOT NULL GROUP BY x ORDER BY x""",
        row["quantity"],
    )
    unit = row["shown_unit"]
    return [
        {
            "x": units.position(point["x"], row["x_unit"]),
            **{name: units.amount(point[name], unit) for name in ("least", "middle", "most")},
            "ratio": _ratio(point["ratio"]),
            "machines": point["machines"],
        }
        for point in points
    ]


def _row(site: Site, each: dict[str, Any], unit: str) -> dict[str, Any]:
    step = units.readable_unit(each["median"], unit)
    interval = _DASH if each["low"] is None else units.range_text(each["low"], each["high"], step)
    return {
        "name": site.names[each["run_id"]],
        "page": f"{each['run_id']}.html",
        "value": each["median"],
        "predicted": _amount(each["predicted"], unit),
        "measured": units.amount(each["median"], unit),
        "interval": interval,
        "ratio": _ratio(each["ratio"]),
    }


def _report_rows(quantity: str, unit: str) -> Iterator[dict[str, Any]]:
    """The machines of the published reports, by the same quantity, each by its own method."""
    machines = {report.name: report.machine for report in published.all_reports()}
    for reported in _reported_values(quantity):
        if reported.at is not None or reported.slope or reported.measured is None:
            continue
        value = reported.measured_in(unit)
        if not value > 0:
            continue
        yield {
            "name": f"{machines[reported.report]} (its report)",
            "page": "",
            "value": value,
            "predicted": _DASH,
            "measured": units.amount(value, unit),
            "interval": _DASH,
            "ratio": _DASH,
            "is_odd": False,
        }


@functools.cache
def _reported_values(quantity: str) -> list[ReportedValue]:
    """The reports' values that stand in the same row as this quantity."""
    label = row_label(quantity)
    names = {each.quantity for each in published.reported_values() if each.quantity}
    return [
        value
        for name in sorted(names)
        if row_label(name) == label
        for value in comparable_values(name)
    ]


def _summary(measured: list[dict[str, Any]], unit: str, x: float | None) -> str:
    """The range and the middle of all machines, and how well it was predicted."""
    if not measured:
        return "No machine measured it."
    values = [each["median"] for each in measured]
    middle, count = float(np.median(values)), len(values)
    ratios = [each["ratio"] for each in measured if each["ratio"]]
    where = ""
    if x is not None:
        at = units.position(x, measured[0]["shown_x_unit"])
        where = f" at {at}, the last point that most of them have"
    ends = units.span([values[0], values[-1]], unit)
    text = f"{count} {plural(count, 'machine', 'machines')}{where}: {ends}"
    if count > 1:
        text += f", the median {units.amount(middle, unit)}"
    if not ratios:
        return f"{text}."
    return f"{text}. Measured / predicted: {_ratio(float(np.median(ratios)))} in the median."


def machine_page(site: Site, machine: dict[str, Any]) -> dict[str, Any]:
    """What the page of a machine shows: its facts, what is odd, its runs, all its quantities."""
    run, known = site.newest_by_id[machine["run_id"]], site.quantity_by_name
    rows = site.collection.rows(
        """
        SELECT quantity, x, predicted, median, ratio, state, reason FROM single_values
        WHERE run_id = ? ORDER BY quantity""",
        machine["run_id"],
    )
    values = {row["quantity"]: row for row in rows}
    return {
        "facts": _facts(run, machine),
        "odd": [_odd_row(each, known, values) for each in site.odd_of.get(machine["run_id"], [])],
        "history": _history(site, run),
        "parts": _by_part([_machine_row(row, known[row["quantity"]]) for row in rows]),
    }


def _facts(run: dict[str, Any], machine: dict[str, Any]) -> list[tuple[str, str]]:
    caches = [units.size(run[level], "byte") for level in ("l1d", "l2", "l3") if run[level]]
    facts = [
        ("processor", machine["model"]),
        ("cores", str(run["cores"] or _DASH)),
        ("L1d, L2, L3", ", ".join(caches) or _DASH),
        ("memory", machine["memory"]),
        ("kernel", machine["kernel"]),
        ("runs on", machine["kind"]),
        ("microcode", run["microcode"] or _DASH),
        ("measured", f"{machine['measured']}, {join_words(run['profiles'])}"),
        ("warnings", machine["unfit"]),
        ("root hash", run["root_hash"] or _DASH),
    ]
    return [(name, value) for name, value in facts if value != _DASH]


def _odd_row(each: Odd, known: dict, values: dict) -> dict[str, Any]:
    row, unit = values[each.quantity], known[each.quantity]["shown_unit"]
    is_curve = row["x"] is not None
    return {
        "title": heading(each.quantity),
        "page": slug(each.quantity),
        "here": "its curve" if is_curve else units.amount(row["median"], unit),
        "middle": _DASH if is_curve else units.amount(row["median"] / each.factor, unit),
        "factor": ratio_text(each.factor),
        "score": "∞" if math.isinf(each.score) else f"{each.score:+.1f}",
    }


def _history(site: Site, run: dict[str, Any]) -> list[str]:
    """Each run of the machine with the date and what changed since the one before."""
    lines, before = [], None
    for each in site.runs_of_host[run["host"] or run["run_id"]]:
        changed = join_words(Pair(before, each).changed if before else {})
        note = f"; changed: {changed}" if changed else ""
        kernel = f"Linux {each['kernel']}" if each["kernel"] else "kernel not known"
        lines.append(f"{each['opened_at']:%Y-%m-%d}: {site.names[each['run_id']]}, {kernel}{note}")
        before = each
    return lines


def _by_part(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[part_title(row["part"])].append(row)
    return found


def _machine_row(row: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    unit = known["shown_unit"]
    at = "" if row["x"] is None else f", {units.position(row['x'], known['x_unit'])}"
    is_measured = row["median"] is not None
    why = row["reason"] or row["state"]
    return {
        "title": f"{heading(row['quantity'])}{at}",
        "page": slug(row["quantity"]),
        "part": row["quantity"].partition("/")[0],
        "predicted": _amount(row["predicted"], unit),
        "measured": units.amount(row["median"], unit) if is_measured else _shortened(why),
        "ratio": _ratio(row["ratio"]),
    }


def _shortened(text: str) -> str:
    return re.sub(r"(?<=.{80}).+", "…", text)


def _amount(value: float | None, unit: str) -> str:
    return _DASH if value is None else units.amount(value, unit)


def _ratio(value: float | None) -> str:
    return _DASH if value is None else ratio_text(value)
