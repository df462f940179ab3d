"""What the machines are: this one, those of other runs, and the reports' as far as each states."""

from __future__ import annotations

from reckon import records, units
from reckon.computer.description import FIELDS
from reckon.computer.facts import Machine
from reckon.presentation.block import Block, grid
from reckon.presentation.text import NONE, cited, literal, machine_value
from reckon.reports import published
from reckon.reports.attributes import attributes
from reckon.reports.other_machines import OtherMachines

_DETAILS = " · "  # details follow it, which the page of this machine has


def _value(machine: Machine, field: str) -> str:
    """A value of a run's machine description, without its details; "section.field"."""
    if not field:
        return NONE
    unit = FIELDS.get(field, ("", ""))[1]
    return literal(machine_value(machine.value(field), unit, unknown=NONE).split(_DETAILS)[0])


def _stated(report: published.Report, of: set[str], component: str, attribute: str) -> str:
    """What the report states, in its words."""
    texts = []
    for fact in report.fact:
        if fact.of in of and (fact.component, fact.attribute) == (component, attribute):
            note = f" ({fact.brief})" if fact.brief else ""
            texts.append(f"{_fact_value(fact)}{note}")
    return "; ".join(texts) or NONE


def _fact_value(fact: published.Fact) -> str:
    if isinstance(fact.value, str):
        return fact.value
    is_whole = fact.value == round(fact.value)
    number = units.plain(fact.value) if is_whole else f"{fact.value:.7g}"
    return f"{number} {units.spoken(fact.unit)}".strip()


def runs_of_other_machines(others: OtherMachines) -> list[records.Run]:
    """One run of each other machine (or of this one with another kernel)."""
    runs = {run.identity: run for run in others.runs.values()}
    return [run for identity, run in runs.items() if identity != others.here.identity]


def _rows(
    others: OtherMachines, component: str, of: set[str], fields: dict[str, str]
) -> list[list[str]]:
    """A row for each attribute that this machine or two others have; in a last row all that a
    single report states. `fields` are those of the component."""
    reports = published.all_reports()
    attributes_stated = [
        fact.attribute
        for report in reports
        for fact in report.fact
        if fact.of in of and fact.component == component
    ]
    machines = [run.machine for run in (others.here, *runs_of_other_machines(others))]
    rows: list[list[str]] = []
    alone: list[list[str]] = [[] for _ in reports]
    for attribute in dict.fromkeys([*fields, *attributes_stated]):
        here = [_value(machine, fields.get(attribute, "")) for machine in machines]
        there = [_stated(report, of, component, attribute) for report in reports]
        known = sum(cell != NONE for cell in [*here, *there])
        if known > 1 or here[0] != NONE:
            rows.append([attribute, *here, *there])
            continue
        for texts, cell in zip(alone, there, strict=True):
            texts += [f"{attribute} {cell}"] if cell != NONE else []
    if any(alone):
        dashes = [NONE] * len(machines)
        rows.append(["also", *dashes, *("; ".join(texts) or NONE for texts in alone)])
    return rows


def descriptions(others: OtherMachines, component: str, name: str) -> Block:
    """A component of this machine, of other runs' machines and of the reports', or the "peer"."""
    facts = [fact for report in published.all_reports() for fact in report.fact]
    known = attributes()
    if component == "peer":
        of = {fact.of for fact in facts} - {"machine"}
        kinds = dict.fromkeys([*(fact.component for fact in facts if fact.of in of), *known.peer])
        rows = [
            [f"{kind}: {title}", *cells]
            for kind in kinds
            for title, *cells in _rows(others, kind, of, known.peer.get(kind, {}))
        ]
        caption = "The host at the other end of the network, here and in the reports"
    else:
        rows = _rows(others, component, {"machine"}, known.machine.get(component, {}))
        caption = f"{known.components[component]} of this machine and of the others"
    header = [
        "What",
        "This machine",
        *(run.name for run in runs_of_other_machines(others)),
        *map(cited, published.all_reports()),
    ]
    return grid(header, rows, caption, name, [13] + [17] * (len(header) - 1))
