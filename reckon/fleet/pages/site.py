"""The site of a collection: its machines and quantities, and what sets them apart.

The pages are made by Jinja from book/collection/; no scripts, nothing fetched.
"""

from __future__ import annotations

import csv
import functools
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from reckon import records
from reckon.comparison.reports import published
from reckon.comparison.reports.matching import comparable_values, row_label
from reckon.comparison.reports.reported_value import ReportedValue
from reckon.errors import ReckonError
from reckon.fleet.collection.changes import LEAST_CHANGE, Pair, changes_of
from reckon.fleet.collection.database import Collection, runs_of
from reckon.fleet.collection.network import Network, without_names
from reckon.fleet.collection.outliers import (
    FALSE_SHARE,
    FEWEST_MACHINES,
    LEAST_FACTOR,
    Outlier,
    differences,
    outliers,
)
from reckon.fleet.pages import network_page, templates
from reckon.fleet.pages.templates import counted, heading, slug, times_text
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.show.titles import page_title

_STYLE_SHEET = "collection.css"
_MOST_NAMED = 3  # quantities or facts in a sentence

_QUANTITIES = r"""
SELECT quantity, split_part(quantity, '/', 1) AS part,
       regexp_replace(quantity, '/[^/]*$', '') AS experiment,
       any_value(shown_unit) AS unit, any_value(shown_x_unit) AS x_unit,
       min(median) AS least, max(median) AS most, bool_or(x IS NOT NULL) AS is_curve
FROM quantities JOIN newest USING (run_id)
WHERE reports = [] OR reports IS NULL GROUP BY quantity ORDER BY quantity"""

# All machines, from the least value on. Of a curve, the last point that most machines have.
_OF_QUANTITY = """
WITH of_quantity AS (
    SELECT * FROM quantities JOIN newest USING (run_id) WHERE quantity = ?
), place AS (
    SELECT x FROM of_quantity WHERE median IS NOT NULL
    GROUP BY x ORDER BY count(*) DESC, x DESC LIMIT 1
)
SELECT run_id, x, predicted, median, low, high, ratio, state, reason FROM of_quantity
WHERE x IS NOT DISTINCT FROM (SELECT x FROM place) OR median IS NULL ORDER BY median"""

_CURVE = """
SELECT x, min(median) AS least, median(median) AS middle, max(median) AS most,
       count(*) AS machines, median(ratio) AS ratio
FROM quantities JOIN newest USING (run_id)
WHERE quantity = ? AND median IS NOT NULL GROUP BY x ORDER BY x"""

_OF_MACHINE = """
SELECT *, split_part(quantity, '/', 1) AS part FROM single_values
WHERE run_id = ? ORDER BY quantity"""

_GRADING = """
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
       count(revised) AS revised, avg((off_revised <= ?)::INT) AS within_revised
FROM compared GROUP BY run_id"""
_GRADING_COLUMNS = (
    *("name", "profiles", "predicted", "measured", "within", "off", "held", "width"),
    *("revised", "within_revised", "root_hash"),
)


def _whole_percent(share: float) -> str:
    return f"{100 * share:.0f} %"


class Site:
    """What the pages show. Without names of runs, machines have numbers.

    A run is a dictionary with the columns of its table and its `name`; a machine is its newest run
    with its `outliers` and `why` it stands out."""

    miss = f"{MISS:g}"
    made = f"{records.now():%Y-%m-%d}"
    fewest, least_factor, least_change, false_share = (
        FEWEST_MACHINES,
        _whole_percent(LEAST_FACTOR - 1),
        _whole_percent(LEAST_CHANGE),
        _whole_percent(FALSE_SHARE),
    )

    def __init__(
        self,
        collection: Collection,
        skipped: list[str],
        network: Network | None = None,
        *,
        with_names: bool = True,
    ):
        self.collection = collection
        self.network = network if with_names or network is None else without_names(network)
        # The sentences name folders.
        self.skipped = skipped if with_names else [counted(len(skipped), "source", "sources") + "."]
        self.skipped = self.skipped if skipped else []
        self.runs = runs_of(collection)
        self.runs_of_host = _by_host(self.runs)
        names = _names(self.runs) if with_names else _numbers(self.runs_of_host)
        for run in self.runs:
            run["name"] = names[run["run_id"]]
        self.quantities = collection.rows(_QUANTITIES)
        self.changes = changes_of(collection, self.runs)
        self.machines = self._machines()
        self.machine_by_id = {machine["run_id"]: machine for machine in self.machines}
        self.outlying = {  # runs and quantities
            (outlier.run_id, outlier.quantity)
            for machine in self.machines
            for outlier in machine["outliers"]
        }
        self.outlying_machines = sorted(
            (machine for machine in self.machines if machine["outliers"]),
            key=lambda machine: -len(machine["outliers"]),
        )

    def _machines(self) -> list[dict[str, Any]]:
        """The newest run of each machine, by model and name."""
        newest = [run for run in self.runs if run["is_newest"]]
        by_run: dict[str, list[Outlier]] = defaultdict(list)
        for outlier in outliers(self.collection):
            by_run[outlier.run_id].append(outlier)
        machines = [
            run
            | {
                "outliers": by_run[run["run_id"]],
                "why": _why(by_run[run["run_id"]], newest, run["run_id"]),
            }
            for run in newest
        ]
        return sorted(machines, key=lambda run: (run["model"] or "", _natural(run["name"])))

    @property
    def heading(self) -> str:
        """ "12 machines"."""
        return counted(len(self.machines), "machine", "machines")

    @property
    def _at_once(self) -> str:
        """That some machines have one machine id; "" if none have."""
        at_once = [
            run["name"] for run in self.runs if run["run_id"] in self.collection.runs_at_once
        ]
        if not at_once:
            return ""
        return (
            f" {join_words(at_once)} have the machine id of another run that was measured at the "
            "same time, so each counts as a machine; give machines that were made from one image "
            "an id of their own (systemd-machine-id-setup)."
        )

    @property
    def summary(self) -> str:
        """How many runs of which kinds of machines there are."""
        guests = sum(run["is_guest"] is True for run in self.machines)
        models = len({run["model"] for run in self.machines})
        return (
            f"{counted(len(self.runs), 'run', 'runs')} of {self.heading}, {guests} of them "
            f"{'a guest' if guests == 1 else 'guests'}, with {counted(models, 'model', 'models')} "
            f"of processor.{self._at_once}"
        )

    @property
    def of_network(self) -> list[str]:
        """A sentence for each measurement between hosts."""
        return network_page.findings(self.network) if self.network else []

    @property
    def too_few(self) -> bool:
        """Whether no machine can be called an outlier."""
        return len(self.machines) < FEWEST_MACHINES

    def grading(self) -> list[dict[str, Any]]:
        """A row for each run, in the order of the machines: numbers, shares of 1, None where there
        is nothing to count."""
        found = {row["run_id"]: row for row in self.collection.rows(_GRADING, float(self.miss))}
        return [
            run
            | found.get(run["run_id"], {})
            | {"profiles": " ".join(run["profiles"]), "within": run["within_miss"]}
            for run in self.runs
        ]


def _why(found: list[Outlier], machines: list[dict[str, Any]], run_id: str) -> str:
    """Which quantities are outliers, and by which facts the machine differs."""
    if not found:
        return ""
    by_page = Counter(records.experiment_of(outlier.quantity) for outlier in found)
    most = by_page.most_common(_MOST_NAMED)
    pages = [page_title(name) + (f" ({n})" if len(most) > 1 else "") for name, n in most]
    where = "in" if len(by_page) <= _MOST_NAMED else "most in"
    text = (
        f"{counted(len(found), 'outlier', 'outliers')}, {where} {join_words(pages)}. Farthest: "
        f"{heading(found[0].quantity)}, {times_text(found[0].factor)} the median of all."
    )
    facts = [
        f"{each.fact} {each.here}, others {each.others}"
        for each in differences(machines, run_id)[:_MOST_NAMED]
    ]
    if facts:
        return f"{text} It differs in: {'; '.join(facts)}."
    return f"{text} Its description does not differ from most others'."


def _natural(name: str) -> list[Any]:
    """A key by which host-2 comes before host-10."""
    parts = re.split(r"(\d+)", name)
    return [(int(text), "") if text.isdecimal() else (-1, text) for text in parts]


def _by_host(runs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The runs of each machine, from the oldest on, by its host; one without, by its own id."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in runs:
        found[run["host"] or run["run_id"]].append(run)
    return found


def _names(runs: list[dict[str, Any]]) -> dict[str, str]:
    """What each run is called; where two have the same name, also by its id."""
    counts = Counter(run["run"] for run in runs)
    return {
        run["run_id"]: run["run"]
        if counts[run["run"]] == 1
        else f"{run['run']} ({run['run_id'][:6]})"
        for run in runs
    }


def _numbers(of_hosts: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    return {
        run["run_id"]: f"Machine {number}" + (f", run {k}" if len(runs) > 1 else "")
        for number, runs in enumerate(of_hosts.values(), 1)
        for k, run in enumerate(runs, 1)
    }


# --- pages ----------------------------------------------------------------------------------------


def write(
    site: Site, out: Path, shown: Callable[[list], Iterable], *, grading: bool = False
) -> int:
    """Writes the pages of the site into its folder; how many there are.

    shown: goes through the pages, and may show how far it is."""
    shutil.copyfile(templates.FOLDER / _STYLE_SHEET, out / _STYLE_SHEET)
    jinja = templates.environment()
    jinja.globals |= {"site": site, "with_grading": grading, "changed": _changed}
    pages = list(_pages(site, with_grading=grading))
    for path, template, content in shown(pages):
        root = "../" * path.count("/")
        _write(out / path, jinja.get_template(template).render(root=root, **content()))
    if grading:
        with open(out / "data" / "grading.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, _GRADING_COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(site.grading())
    return len(pages)


def _write(path: Path, text: str) -> None:
    """Not by records.write_whole(), which takes longer: a site can be made again."""
    records.make_folder(path.parent)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReckonError(f"{path} cannot be written ({error.strerror}).") from None


def _pages(
    site: Site, *, with_grading: bool
) -> Iterator[tuple[str, str, Callable[[], dict[str, Any]]]]:
    """The path, the template and the content of each page."""
    yield "index.html", "index.html", dict
    if with_grading:
        yield "grading.html", "grading.html", lambda: {"rows": site.grading()}
    if site.changes:
        yield "changes.html", "changes.html", dict
    if site.network:
        yield "network.html", "network.html", partial(network_page.content, site.network)
    for row in site.quantities:
        path = f"quantities/{slug(row['quantity'])}"
        yield path, "quantity.html", partial(_quantity_page, site, row)
    for machine in site.machines:
        path = f"machines/{machine['run_id']}.html"
        yield path, "machine.html", partial(_machine_page, site, machine)


def _quantity_page(site: Site, about: dict[str, Any]) -> dict[str, Any]:
    """What the page of a quantity shows: all machines and, among them, those of the reports."""
    quantity = about["quantity"]
    rows = site.collection.rows(_OF_QUANTITY, quantity)
    measured = [row for row in rows if row["median"] is not None]
    ratios = [row["ratio"] for row in measured if row["ratio"]]
    of_reports = [] if about["is_curve"] else list(_report_rows(quantity, about["unit"]))
    return {
        "about": about,
        "measured": measured,
        "middle": median(row["median"] for row in measured) if measured else None,
        "ratio": median(ratios) if ratios else None,
        "curve": site.collection.rows(_CURVE, quantity) if about["is_curve"] else [],
        "rows": sorted([*measured, *of_reports], key=lambda row: row["median"]),
        "missing": [row for row in rows if row["median"] is None],
    }


def _report_rows(quantity: str, unit: str) -> Iterator[dict[str, Any]]:
    """The machines of the published reports, by the same quantity, each by its own method."""
    machines = {report.name: report.machine for report in published.all_reports()}
    for reported in _reported_values(quantity):
        if reported.at is not None or reported.slope or reported.measured is None:
            continue
        value = reported.measured_in(unit)
        if value > 0:
            unknown = dict.fromkeys(("run_id", "predicted", "low", "high", "ratio"))
            yield unknown | {"name": f"{machines[reported.report]} (its report)", "median": value}


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


def _machine_page(site: Site, machine: dict[str, Any]) -> dict[str, Any]:
    """What the page of a machine shows: its facts, its outliers, its runs, all its quantities."""
    rows = site.collection.rows(_OF_MACHINE, machine["run_id"])
    return {
        "machine": machine,
        "rows": rows,
        "by_quantity": {row["quantity"]: row for row in rows},
        "runs": site.runs_of_host[machine["host"] or machine["run_id"]],
    }


def _changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The names of the facts that differ between two runs of a machine."""
    return join_words(Pair(before, after).changed)
