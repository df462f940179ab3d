"""What the machines are: this one, those of other runs, and the reports' as far as each tells."""

from __future__ import annotations

from reckon import records, units
from reckon.computer.description import FIELDS
from reckon.presentation.block import Block, grid
from reckon.reports import published
from reckon.reports.other_machines import Others

# Where a report tells what this run's description has too: (component, attribute) to its field.
_FIELDS = {
    ("processor", "model"): ("processor", "model"),
    ("processor", "cores"): ("processor", "cores"),
    ("processor", "threads"): ("processor", "threads"),
    ("processor", "base clock"): ("processor", "base_clock"),
    ("processor", "turbo clock"): ("processor", "turbo_clock"),
    ("processor", "cycle time"): ("processor", "cycle_time"),
    ("processor", "L1d cache"): ("processor", "l1d"),
    ("processor", "L1i cache"): ("processor", "l1i"),
    ("processor", "L2 cache"): ("processor", "l2"),
    ("processor", "L3 cache"): ("processor", "l3"),
    ("processor", "line size"): ("processor", "line"),
    ("memory", "capacity"): ("memory", "capacity"),
    ("memory", "type"): ("memory", "type"),
    ("memory", "channels"): ("memory", "channels"),
    ("memory", "transfer rate"): ("memory", "transfer_rate"),
    ("memory", "bandwidth"): ("memory", "bus_bandwidth"),
    ("bus", "I/O bus"): ("io", "bus"),
    ("disk", "model"): ("disk", "devices"),
    ("disk", "read bandwidth"): ("disk", "read_bandwidth"),
    ("disk", "random read"): ("disk", "random_read_rate"),
    ("disk", "file system"): ("scratch", "filesystem"),
    ("network", "interfaces"): ("network", "interfaces"),
    ("network", "Ethernet"): ("network", "rate"),
    ("system", "name"): ("system", "os"),
    ("system", "kernel"): ("system", "kernel"),
    ("system", "compiler"): ("system", "compiler"),
    ("system", "hypervisor"): ("system", "hypervisor"),
}
_PEER = {
    ("host", "model"): ("peer", "kind"),
    ("processor", "model"): ("peer", "processor"),
    ("processor", "cores"): ("peer", "cores"),
    ("memory", "capacity"): ("peer", "memory"),
    ("network", "model"): ("peer", "interface"),
    ("network", "rate"): ("peer", "link_rate"),
    ("network", "round trip"): ("peer", "link_rtt"),
    ("network", "hops"): ("peer", "hops"),
    ("system", "name"): ("peer", "os"),
    ("system", "kernel"): ("peer", "kernel"),
    ("host", "hypervisor"): ("peer", "hypervisor"),
}
COMPONENTS = {
    "processor": "Processors",
    "memory": "Memory",
    "bus": "Buses",
    "disk": "Disks",
    "network": "Network",
    "system": "Systems",
}


def _here(described: dict, place: tuple[str, str] | None) -> str:
    value = described.get(place[0], {}).get(place[1], {}).get("value") if place else None
    if value is None:
        return "–"
    unit = FIELDS.get(place, ("", ""))[1]
    if place == ("system", "compiler"):
        return value.split(" · ")[0]  # its flags are on the machine's page
    if isinstance(value, str) or unit in ("", "count"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return units.amount(value, unit)


def _stated(report: published.Report, of: tuple[str, ...], component: str, attribute: str) -> str:
    """What the report says, as it says it; "–" where it does not."""
    told = []
    for fact in report.fact:
        if fact.of in of and (fact.component, fact.attribute) == (component, attribute):
            value = fact.value
            if not isinstance(value, str):
                value = units.plain(value) if value == round(value) else f"{value:.7g}"
            value = f"{value} {'' if fact.unit in ('', '1') else units.spoken(fact.unit)}".strip()
            told.append(f"{value} ({fact.brief})" if fact.brief else value)
    return "; ".join(told) or "–"


def strangers(o: Others) -> list[records.Run]:
    """The other runs of other machines (or of this one with another kernel): one of each."""
    found = {run.identity: run for run in o.runs.values() if run.identity != o.here.identity}
    return list(found.values())


def _facts(
    o: Others, component: str, of: tuple[str, ...], fields: dict, titled: bool
) -> list[list[str]]:
    """A line for each attribute that this machine or two others tell of, and one for all that a single report
    tells."""
    stated = [
        f.attribute
        for report in published.all_reports()
        for f in report.fact
        if f.of in of and f.component == component
    ]
    ours = [attribute for part, attribute in fields if part == component]
    known = (o.here, *strangers(o))
    rows, alone = [], [""] * len(published.all_reports())
    for attribute in dict.fromkeys([*ours, *stated]):
        cells = [_stated(report, of, component, attribute) for report in published.all_reports()]
        here = [_here(run.machine, fields.get((component, attribute))) for run in known]
        told = sum(cell != "–" for cell in [*here, *cells])
        if told > 1 or here[0] != "–":
            rows.append([f"{component}: {attribute}" if titled else attribute, *here, *cells])
        elif told:
            alone = [
                f"{more}; {attribute} {cell}".removeprefix("; ") if cell != "–" else more
                for more, cell in zip(alone, cells, strict=True)
            ]
    if any(alone):
        title = f"{component}: also" if titled else "also"
        rows.append([title, *["–"] * len(known), *(more or "–" for more in alone)])
    return rows


def _header(o: Others) -> list[str]:
    cited = [f"{report.machine} {{cite}}`{report.cite}`" for report in published.all_reports()]
    return ["What", "This machine", *(run.name for run in strangers(o)), *cited]


def descriptions(o: Others, component: str, name: str) -> Block:
    """What this machine, those of other runs and the reports' machines are, as far as each tells."""
    facts = [fact for report in published.all_reports() for fact in report.fact]
    if component == "peer":
        kinds = dict.fromkeys(
            [*(f.component for f in facts if f.of != "machine"), *(kind for kind, _ in _PEER)]
        )
        of = tuple({fact.of for fact in facts} - {"machine"})
        rows = [row for kind in kinds for row in _facts(o, kind, of, _PEER, True)]
        caption = "The host at the other end of the network, here and in the reports"
    else:
        rows = _facts(o, component, ("machine",), _FIELDS, False)
        caption = f"{COMPONENTS[component]} of this machine and of the others"
    return grid(_header(o), rows, caption, name, [13] + [17] * (len(_header(o)) - 1))
