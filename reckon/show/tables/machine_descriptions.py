"""What the machines are: this one, those of other runs, and the reports' as far as each states."""

from __future__ import annotations

from reckon import records, units
from reckon.comparison.reports import published
from reckon.comparison.reports.attributes import attributes
from reckon.comparison.reports.other_machines import OtherMachines
from reckon.comparison.reports.report import Report, ReportedFact
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS
from reckon.show.block import Block, grid
from reckon.show.text import NONE, cited_machine, literal, machine_value

_DETAILS_FROM = " · "  # details follow it, which the page of this machine has


def _value(machine: Machine, field: str) -> str:
    """A value of a run's machine description, without its details; "section.field"."""
    if not field:
        return NONE
    unit = FIELDS.get(field, ("", ""))[1]
    return literal(machine_value(machine.value(field), unit, unknown=NONE).split(_DETAILS_FROM)[0])


def _stated(report: Report, hosts: set[str], component: str, attribute: str) -> str:
    """What the report states of these hosts, in its words."""
    texts = []
    for fact in report.facts:
        if fact.of in hosts and (fact.component, fact.attribute) == (component, attribute):
            note = f" ({fact.brief})" if fact.brief else ""
            texts.append(f"{_fact_value(fact)}{note}")
    return "; ".join(texts) or NONE


def _fact_value(fact: ReportedFact) -> str:
    if isinstance(fact.value, str):
        return fact.value
    is_whole = fact.value == round(fact.value)
    number = units.plain(fact.value) if is_whole else f"{fact.value:,.7g}"
    return units.with_unit(number, fact.unit)


def runs_of_other_machines(others: OtherMachines) -> list[records.Run]:
    """One run of each other machine (or of this one with another kernel)."""
    runs = {run.identity: run for run in others.runs.values()}
    return [run for identity, run in runs.items() if identity != others.here.identity]


def _rows(
    others: OtherMachines, component: str, hosts: set[str], fields: dict[str, str]
) -> list[list[str]]:
    """A row for each attribute that this machine or two others have; in a last row all that a
    single report states. `fields` are those of the component, `hosts` whose facts are meant."""
    reports = published.all_reports()
    attributes_stated = [
        fact.attribute
        for report in reports
        for fact in report.facts
        if fact.of in hosts and fact.component == component
    ]
    machines = [run.machine for run in (others.here, *runs_of_other_machines(others))]
    rows: list[list[str]] = []
    alone: list[list[str]] = [[] for _ in reports]
    for attribute in dict.fromkeys([*fields, *attributes_stated]):
        measured = [_value(machine, fields.get(attribute, "")) for machine in machines]
        stated = [_stated(report, hosts, component, attribute) for report in reports]
        cells = [*measured, *stated]
        if measured[0] != NONE or sum(cell != NONE for cell in cells) > 1:
            rows.append([attribute, *cells])
            continue
        for texts, cell in zip(alone, stated, strict=True):
            texts += [f"{attribute} {cell}"] if cell != NONE else []
    if any(alone):
        dashes = [NONE] * len(machines)
        rows.append(["also", *dashes, *("; ".join(texts) or NONE for texts in alone)])
    return rows


def descriptions(others: OtherMachines, component: str, name: str) -> Block:
    """A component of this machine, of other runs' machines and of the reports', or the "peer"."""
    facts = [fact for report in published.all_reports() for fact in report.facts]
    book = attributes()
    if component == "peer":
        peers = {fact.of for fact in facts} - {"machine"}
        stated = [fact.component for fact in facts if fact.of in peers]
        rows = [
            [f"{peer_component}: {title}", *cells]
            for peer_component in dict.fromkeys([*stated, *book.peer])
            for title, *cells in _rows(
                others, peer_component, peers, book.peer.get(peer_component, {})
            )
        ]
        caption = "The host at the other end of the network, here and in the reports"
    else:
        rows = _rows(others, component, {"machine"}, book.machine.get(component, {}))
        caption = f"{book.components[component]} of this machine and of the others"
    header = [
        "What",
        "This machine",
        *(run.name for run in runs_of_other_machines(others)),
        *map(cited_machine, published.all_reports()),
    ]
    return grid(header, rows, caption, name, [13] + [17] * (len(header) - 1))
