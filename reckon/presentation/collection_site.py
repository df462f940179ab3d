"""The site of a collection: its machines, its quantities, and what sets machines apart.

Plain pages made by Jinja, which escapes what runs say of themselves; no scripts, nothing fetched.
"""

from __future__ import annotations

import functools
import math
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import markupsafe
import numpy as np

from reckon import config, records, units
from reckon.collection.changes import Change, changes_of
from reckon.collection.database import Collection, runs_of
from reckon.collection.odd import (
    FALSE_SHARE,
    FEWEST_MACHINES,
    LEAST_FACTOR,
    Odd,
    differences,
    odd_ones,
)
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.presentation import dots
from reckon.presentation.text import percent, plural, ratio_text
from reckon.presentation.titles import page_title, title_of
from reckon.reports import published
from reckon.reports.matching import comparable_values, row_label
from reckon.reports.reported_value import ReportedValue

_TEMPLATES = config.ROOT / "book/collection"
_MOST_NAMED = 3  # quantities or facts in a sentence
_DASH = "–"


def slug(quantity: str) -> str:
    """The name of the quantity's page."""
    return f"{quantity.replace('/', '-')}.html"


def heading(quantity: str) -> str:
    """ "The system call: getpid"."""
    return f"{page_title(records.experiment_of(quantity))}: {title_of(quantity)}"


class Site:
    """What the pages say, computed once. Without names of runs machines have numbers."""

    miss = f"{MISS:g}"
    made = f"{records.now():%Y-%m-%d}"
    fewest, least_factor, false_share = (
        FEWEST_MACHINES,
        f"{LEAST_FACTOR - 1:.0%}",
        f"{FALSE_SHARE:.0%}",
    )

    def __init__(self, collection: Collection, passed_over: list[str], *, with_names: bool = True):
        self.collection, self.passed_over = collection, passed_over
        self.runs = runs_of(collection)
        self.odd = odd_ones(collection)
        self._changes = changes_of(collection, self.runs)
        self.names = _names(self.runs, with_names=with_names)
        if not with_names:  # the sentences name folders
            count = len(passed_over)
            self.passed_over = [f"{count} {plural(count, 'source', 'sources')}."] if count else []

    @functools.cached_property
    def newest(self) -> list[dict[str, Any]]:
        """The newest run of each machine, by model and name."""
        newest = [run for run in self.runs if run["is_newest"]]
        return sorted(newest, key=lambda run: (run["model"] or "", _in_order(run["run"])))

    @property
    def heading(self) -> str:
        """ "12 machines"."""
        return f"{len(self.newest):,} {plural(len(self.newest), 'machine', 'machines')}"

    @property
    def summary(self) -> str:
        """How many runs of which kinds of machines there are."""
        guests = sum(run["is_guest"] is True for run in self.newest)
        models = len({run["model"] for run in self.newest})
        runs = len(self.runs)
        return (
            f"{runs:,} {plural(runs, 'run', 'runs')} of {self.heading}, {guests} of them "
            f"{plural(guests, 'a guest', 'guests')}, with {models} "
            f"{plural(models, 'model', 'models')} of processor."
        )

    @property
    def too_few(self) -> str:
        """Why no machine is called odd; "" where there are enough."""
        if len(self.newest) >= FEWEST_MACHINES:
            return ""
        return (
            f"With fewer than {FEWEST_MACHINES} machines none can be called the odd one: their "
            "spread is not known."
        )

    @functools.cached_property
    def odd_of(self) -> dict[str, list[Odd]]:
        """What is odd, by run."""
        found: dict[str, list[Odd]] = defaultdict(list)
        for each in self.odd:
            found[each.run_id].append(each)
        return found

    @functools.cached_property
    def machines(self) -> list[dict[str, Any]]:
        """A row for each machine."""
        return [self._machine(run) for run in self.newest]

    @property
    def odd_machines(self) -> list[dict[str, Any]]:
        """Those with anything odd, the one with most first."""
        found = [machine for machine in self.machines if machine["odd_count"]]
        return sorted(found, key=lambda machine: -machine["odd_count"])

    def _machine(self, run: dict[str, Any]) -> dict[str, Any]:
        measured_at = run["measured_at"] or run["opened_at"]
        return {
            "run_id": run["run_id"],
            "name": self.names[run["run_id"]],
            "page": f"{run['run_id']}.html",
            "model": run["model"] or _DASH,
            "kernel": run["kernel"] or _DASH,
            "kind": _kind(run),
            "memory": units.size(run["memory"], "byte") if run["memory"] else _DASH,
            "unfit": join_words(run["unfit"]) or _DASH,
            "measured": f"{measured_at:%Y-%m-%d}",
            "score": _DASH if run["within_miss"] is None else percent(run["within_miss"]),
            "quantities": f"{run['measured']} of {run['quantities']}",
            "odd_count": len(self.odd_of.get(run["run_id"], [])),
            "why": self._why(run["run_id"]),
        }

    def _why(self, run_id: str) -> str:
        """Which quantities are odd, and by which facts the machine differs."""
        odd = self.odd_of.get(run_id, [])
        if not odd:
            return ""
        by_page = Counter(records.experiment_of(each.quantity) for each in odd)
        pages = [f"{page_title(name)} ({n})" for name, n in by_page.most_common(_MOST_NAMED)]
        farthest = odd[0]
        count = len(odd)
        text = (
            f"{count} odd {plural(count, 'quantity', 'quantities')}, most in {join_words(pages)}. "
            f"Farthest: {heading(farthest.quantity)}, {_times(farthest.factor)} the median of all."
        )
        found = differences(self.newest, run_id)
        facts = [f"{each.fact} {each.here}, others {each.others}" for each in found[:_MOST_NAMED]]
        if facts:
            return f"{text} It differs in: {'; '.join(facts)}."
        return f"{text} Its description does not differ from most others'."

    # --- before and after ---

    @functools.cached_property
    def changes(self) -> list[dict[str, Any]]:
        """Each change with its title, its finding in a sentence and its rows."""
        return [self._change(change) for change in self._changes]

    def _change(self, change: Change) -> dict[str, Any]:
        facts = [f"{fact} {a or 'none'} → {b or 'none'}" for fact, (a, b) in change.facts.items()]
        named, count = change.named, len(change.pairs)
        if named:
            largest = named[0]
            finding = (
                f"{len(named)} of {len(change.effects)} quantities changed, most of all "
                f"{heading(largest.quantity)}, {_times(largest.ratio)} as before."
            )
        else:
            finding = f"None of {len(change.effects)} quantities changed beyond chance."
        names = [self.names[pair.after["run_id"]] for pair in change.pairs[:_MOST_NAMED]]
        more = f" and {count - len(names)} more" if count > len(names) else ""
        return {
            "title": "; ".join(facts),
            "finding": finding,
            "machines": f"{plural(count, 'Machine', 'Machines')}: {', '.join(names)}{more}.",
            "rows": [
                {
                    "title": heading(effect.quantity),
                    "page": slug(effect.quantity),
                    "ratio": _times(effect.ratio),
                    "interval": f"{effect.low:.2f} to {effect.high:.2f}",
                    "machines": effect.machines,
                }
                for effect in named
            ],
        }

    # --- quantities ---

    @functools.cached_property
    def quantities(self) -> list[dict[str, Any]]:
        """Every quantity that a machine's newest run has: its name, unit, and range of medians."""
        return self.collection.rows("""
            SELECT quantity, any_value(shown_unit) AS shown_unit, any_value(unit) AS unit,
                   any_value(shown_x_unit) AS x_unit, min(median) AS least, max(median) AS most,
                   count(DISTINCT run_id) AS machines,
                   bool_or(x IS NOT NULL) AS is_curve
            FROM quantities JOIN newest USING (run_id)
            WHERE reports = [] OR reports IS NULL GROUP BY quantity ORDER BY quantity""")

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The quantities by part of the book and by experiment."""
        found: dict[str, dict[str, list[dict[str, str]]]] = {}
        for row in self.quantities:
            where = ""
            if row["is_curve"]:
                where = "a curve"
            elif row["least"] is not None:
                where = units.span([row["least"], row["most"]], row["shown_unit"])
            experiment = records.experiment_of(row["quantity"])
            part = found.setdefault(row["quantity"].partition("/")[0], {})
            part.setdefault(page_title(experiment), []).append(
                {"page": slug(row["quantity"]), "title": title_of(row["quantity"]), "range": where}
            )
        return [
            {
                "name": part_title(name),
                "experiments": experiments,
                "count": sum(map(len, experiments.values())),
            }
            for name, experiments in found.items()
        ]


def part_title(part: str) -> str:
    """The heading of the book's page on a part."""
    path = config.ROOT / "book" / f"{part}.md"
    if not path.is_file():
        return part
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _in_order(name: str) -> list[Any]:
    """A key by which host-2 comes before host-10."""
    return [(int(text), "") if text.isdigit() else (-1, text) for text in re.split(r"(\d+)", name)]


def _names(runs: list[dict[str, Any]], *, with_names: bool) -> dict[str, str]:
    """What each run is called; where two have the same name, also by its id."""
    if not with_names:
        return {run["run_id"]: f"Machine {number}" for number, run in enumerate(runs, 1)}
    counts = Counter(run["run"] for run in runs)
    ids = {run["run_id"]: f" ({run['run_id'][:6]})" for run in runs}
    return {
        run["run_id"]: run["run"] + (ids[run["run_id"]] if counts[run["run"]] > 1 else "")
        for run in runs
    }


def _kind(run: dict[str, Any]) -> str:
    if run["is_guest"] is None:
        return _DASH
    return f"{run['hypervisor'] or 'a'} guest" if run["is_guest"] else "metal"


def _times(factor: float) -> str:
    return f"{units.number(factor)} times"


# --- pages ----------------------------------------------------------------------------------------


def write(site: Site, out: Path, on_page: Callable[[int, int], None]) -> int:
    """Writes the whole site into the folder; the number of its pages."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    total = 1 + bool(site.changes) + len(site.newest) + len(site.quantities)
    for number, (path, template, content) in enumerate(_pages(site), 1):
        on_page(number, total)
        root = "../" * path.count("/")
        text = jinja.get_template(template).render(site=site, root=root, **content)
        target = out / path
        records.make_folder(target.parent)
        records.write_whole(target, text)
    shutil.copyfile(_TEMPLATES / "collection.css", out / "collection.css")
    return total


def _pages(site: Site) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The path, the template and the content of each page."""
    yield "index.html", "index.html", {}
    if site.changes:
        yield "changes.html", "changes.html", {}
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
    run = next(run for run in site.newest if run["run_id"] == machine["run_id"])
    known = {row["quantity"]: row for row in site.quantities}
    rows = site.collection.rows(
        """
        SELECT quantity, x, predicted, median, ratio, state, reason FROM quantities
        WHERE run_id = ? AND (reports = [] OR reports IS NULL)
        QUALIFY row_number() OVER (PARTITION BY quantity ORDER BY x DESC) = 1 ORDER BY quantity""",
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
    for each in site.runs:
        if not run["host"] or each["host"] != run["host"]:
            continue
        facts = ("kernel", "microcode", "mitigations", "firmware")
        changed = [fact for fact in facts if before and before[fact] != each[fact]]
        note = f"; changed: {join_words(changed)}" if changed else ""
        name, kernel = site.names[each["run_id"]], each["kernel"]
        lines.append(f"{each['opened_at']:%Y-%m-%d}: {name}, Linux {kernel}{note}")
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
