"""What the site of a collection says: its machines and quantities, and what sets them apart."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from typing import Any

from reckon import config, records, units
from reckon.fleet.collection.changes import LEAST_CHANGE, Change, changes_of
from reckon.fleet.collection.database import Collection, runs_of
from reckon.fleet.collection.network import Network, without_names
from reckon.fleet.collection.odd import (
    FALSE_SHARE,
    FEWEST_MACHINES,
    LEAST_FACTOR,
    Odd,
    differences,
    odd_ones,
)
from reckon.fleet.pages import network_page
from reckon.messages import join_words
from reckon.prediction.ratios import MISS
from reckon.show.text import percent, plural
from reckon.show.titles import page_title, title_of

_MOST_NAMED = 3  # quantities or facts in a sentence
_DASH = "–"


def slug(quantity: str) -> str:
    """The name of the quantity's page."""
    return f"{quantity.replace('/', '-')}.html"


@functools.cache  # a site has the same headings on the page of every machine
def heading(quantity: str) -> str:
    """ "The system call: getpid"."""
    return f"{page_title(records.experiment_of(quantity))}: {title_of(quantity)}"


def _whole_percent(share: float) -> str:
    return f"{100 * share:.0f} %"


class Site:
    """What the pages say, computed once. Without names of runs machines have numbers."""

    miss = f"{MISS:g}"
    made = f"{records.now():%Y-%m-%d}"
    fewest, least_factor, false_share = (
        FEWEST_MACHINES,
        _whole_percent(LEAST_FACTOR - 1),
        _whole_percent(FALSE_SHARE),
    )

    def __init__(
        self,
        collection: Collection,
        passed_over: list[str],
        network: Network | None = None,
        *,
        with_names: bool = True,
    ):
        self.collection, self.passed_over = collection, passed_over
        self.network = network if with_names or network is None else without_names(network)
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
        return sorted(
            newest, key=lambda run: (run["model"] or "", _in_order(self.names[run["run_id"]]))
        )

    @functools.cached_property
    def runs_of_host(self) -> dict[str, list[dict[str, Any]]]:
        """The runs of each machine, from the oldest on, by its host; one without, by its own id."""
        return _by_host(self.runs)

    @functools.cached_property
    def newest_by_id(self) -> dict[str, dict[str, Any]]:
        """The same by the run's id."""
        return {run["run_id"]: run for run in self.newest}

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
    def of_network(self) -> list[str]:
        """A sentence for each measurement between hosts."""
        return network_page.findings(self.network) if self.network else []

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
        counted = by_page.most_common(_MOST_NAMED)
        pages = [page_title(name) + (f" ({n})" if len(counted) > 1 else "") for name, n in counted]
        farthest, where = odd[0], "in" if len(by_page) <= _MOST_NAMED else "most in"
        count = len(odd)
        times = times_text(farthest.factor)
        text = (
            f"{count} odd {plural(count, 'quantity', 'quantities')}, {where} {join_words(pages)}. "
            f"Farthest: {heading(farthest.quantity)}, {times} the median of all."
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
        facts = [f"{fact} {a} → {b}" for fact, (a, b) in change.facts.items()]
        named, count = change.named, len(change.pairs)
        if named:
            largest = named[0]
            finding = (
                f"{len(named)} of {len(change.effects)} quantities changed, most of all "
                f"{heading(largest.quantity)}, to {times_text(largest.ratio)} what it was."
            )
        else:
            finding = (
                f"None of {len(change.effects)} quantities changed by "
                f"{_whole_percent(LEAST_CHANGE)} or more beyond chance."
            )
        if not change.effects:
            finding = "No quantity was measured in both runs."
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
                    "ratio": times_text(effect.ratio),
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

    @functools.cached_property
    def quantity_by_name(self) -> dict[str, dict[str, Any]]:
        """The same by the quantity's name."""
        return {row["quantity"]: row for row in self.quantities}

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


@functools.cache
def part_title(part: str) -> str:
    """The heading of the book's page on a part."""
    path = config.ROOT / "book" / f"{part}.md"
    if not path.is_file():
        return part
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _in_order(name: str) -> list[Any]:
    """A key by which host-2 comes before host-10."""
    parts = re.split(r"(\d+)", name)
    return [(int(text), "") if text.isdecimal() else (-1, text) for text in parts]


def _by_host(runs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in runs:
        found[run["host"] or run["run_id"]].append(run)
    return found


def _names(runs: list[dict[str, Any]], *, with_names: bool) -> dict[str, str]:
    """What each run is called; where two have the same name, also by its id."""
    if not with_names:
        return {
            run["run_id"]: f"Machine {number}" + (f", run {k}" if len(of_host) > 1 else "")
            for number, of_host in enumerate(_by_host(runs).values(), 1)
            for k, run in enumerate(of_host, 1)
        }
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


def times_text(factor: float) -> str:
    """ "3.05 times"."""
    return f"{units.number(factor)} times"
