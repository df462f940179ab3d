"""The page `machines`: this run among the reports' machines and other runs."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from reckon import records, units
from reckon.book.contents import findings_of
from reckon.comparison.reports import method_groups, published
from reckon.comparison.reports.attributes import attributes
from reckon.comparison.reports.other_machines import Cell, OtherMachines
from reckon.comparison.reports.other_machines import other_machines as other_machines
from reckon.comparison.reports.report import Report, ReportedFact
from reckon.comparison.two_runs import Comparison, compare
from reckon.computer.facts import Machine
from reckon.computer.fields import FIELDS
from reckon.errors import ReckonError
from reckon.prediction.ratios import NEAR, is_near
from reckon.show.block import Block, grid, items, join_blocks, say, table
from reckon.show.tables import run_comparison
from reckon.show.text import (
    NONE,
    cited_machine,
    join_words,
    literal,
    machine_value,
    neither_shown,
    plural,
    ratio_text,
)
from reckon.show.titles import link, page_link, row_title, title_of, with_titles

_EXTREMES = 3  # quantities that are named as the fastest and the slowest
_MAX_COMPARISONS = 2  # other runs that are each compared with this one
_DETAILS_FROM = " · "  # details follow it, which the page of this machine has


def _part_title(part: str) -> str:
    return attributes().parts.get(part, part)


def _label(part: str, ending: str = "") -> str:
    """The name of a figure or table about one part of the book, for references and files."""
    return f"machines-{part.lower().replace('_', '-')}{ending}"


def _value_here(cells: list[Cell]) -> str:
    """This run's value, or the range of a row that several quantities share."""
    ordered = sorted(cells, key=lambda cell: cell.here)
    texts = [units.amount(cell.here, cell.unit) for cell in (ordered[0], ordered[-1])]
    return " to ".join(dict.fromkeys(texts))


def _value_there(cell: Cell | None, points: int) -> str:
    """Another machine's value and its ratio; how many points it has if not `points`."""
    if cell is None:
        return NONE
    text = f"{units.number(cell.ratio)}×"
    if cell.points != points:
        text += f", {cell.points} {plural(cell.points, 'point', 'points')}"
    return f"{units.amount(cell.there, cell.unit)} ({text})"


def _table(others: OtherMachines, part: str, columns: list[str], name: str, machines: str) -> Block:
    """Of a curve, medians over the points that both have."""
    rows = []
    for row in others.rows_of(part, columns):
        points = max(cell.points for cell in row.cells.values())
        label = f"{row_title(row)}, {points} points" if points > 1 else row_title(row)
        here = _value_here([cell for column, cell in row.cells.items() if column in columns])
        rows.append([label, here, *(_value_there(row.cells.get(c), points) for c in columns)])
    title = _part_title(part).capitalize()
    header = [title, "This run", *(others.titles[column] for column in columns)]
    caption = f"{title} on {machines}, with the ratio to this run"
    return grid(header, rows, caption, name, [24, 16, *[12] * len(columns)])


def report_table(others: OtherMachines, part: str) -> Block:
    """One part's values on the reports' machines, each with its ratio to this run's."""
    return _table(
        others, part, others.report_columns, _label(part, "-values"), "the reports' machines"
    )


def run_tables(others: OtherMachines, parts: list[str]) -> Block:
    """The values of other runs, a table for each of these parts; empty without other runs."""
    runs = [*others.runs]
    return join_blocks(
        _table(others, part, runs, _label(part, "-runs"), "other runs")
        for part in parts
        if runs and others.rows_of(part, runs)
    )


def heat_map(others: OtherMachines, part: str) -> Block:
    """One part's values of all machines, in as many heat maps as it takes."""
    heat_maps = findings_of("machines_heat_map")
    title, name = _part_title(part), _label(part)
    with_report = others.rows_of(part, others.report_columns)
    without_report = [row for row in others.rows_of(part) if row not in with_report]
    pages = [*heat_maps.pages(with_report), *heat_maps.pages(without_report)]
    if not pages:
        return say(f"No other machine has a value that belongs to the part on {title}.")
    maps = [heat_maps.heat_map(others, pages[0], name, title)]
    for k, rows in enumerate(pages[1:], 2):
        maps.append(heat_maps.heat_map(others, rows, f"{name}-{k}", f"{title}, continued"))
    return Block(join_blocks(maps).markdown, "".join(piece.svg or "" for piece in maps))


def _timed(others: OtherMachines, column: str) -> list[tuple[str, Cell]]:
    """The titles and values of another machine that have a ratio to this one's."""
    cells = [(row_title(row), row.cells[column]) for row in others.rows if column in row.cells]
    return [(label, cell) for label, cell in cells if cell.times > 0]


def _middle(others: OtherMachines, column: str) -> float:
    """How many times as long the other machine takes, by the median; nan without ranked values."""
    times = [cell.times for _, cell in _timed(others, column) if cell.is_ranked]
    return float(np.median(times)) if times else math.nan


def ranking(others: OtherMachines, column: str) -> Block:
    """In which quantities this machine is faster and slower than another."""
    timed = _timed(others, column)
    ranked = [(label, cell.times) for label, cell in timed if cell.is_ranked and cell.is_decided]
    undecided = sum(cell.is_ranked and not cell.is_decided for _, cell in timed)
    unranked = _unranked([(label, cell) for label, cell in timed if not cell.is_ranked])
    title = others.titles[column]
    if not ranked and not undecided:
        quantity = "ranked quantity" if unranked else "quantity"
        text = f"**{title}** has no {quantity} in common with this run."
        return join_blocks([say(text), items(unranked)])
    ranked.sort(key=lambda pair: pair[1])
    slower_there = [pair for pair in reversed(ranked) if pair[1] > 1]
    faster_there = [pair for pair in ranked if pair[1] < 1]
    middle = units.number(_middle(others, column))
    opening = say(
        f"**{title}**: this machine is faster in {len(slower_there)} of "
        f"{len(ranked) + undecided} values{neither_shown(undecided)}. The other machine takes "
        f"{middle} times as long (median)."
    )
    extremes = [
        _extremes(slower_there, "Largest advantages:", "It is not faster in any quantity."),
        _extremes(faster_there, "Largest disadvantages:", "It is not slower in any quantity."),
    ]
    return join_blocks([opening, items([*extremes, *unranked])])


def _extremes(ranked: list[tuple[str, float]], opening: str, none: str) -> str:
    """The sentence on the first quantities of a ranking."""
    texts = [f"{label} ({ratio_text(max(x, 1 / x))})" for label, x in ranked[:_EXTREMES]]
    return f"{opening} {'; '.join(texts)}." if texts else none


def _unranked(pairs: list[tuple[str, Cell]]) -> list[str]:
    """An item with a list: what of a machine's values shows no machine's speed, if there is any."""
    labels = [label for label, cell in pairs if not cell.shows_speed]
    over_link = len(pairs) - len(labels)
    texts = ([f"{over_link} {plural(over_link, 'value', 'values')} over the link to the other host"] if over_link else []) + labels
    return ["Not ranked:" + _inner_list(texts)] if texts else []


def _inner_list(texts: Iterable[str]) -> str:
    """The texts as a list within an item of a list."""
    return "".join(f"\n  - {text}" for text in texts)


def rankings(others: OtherMachines) -> Block:
    """Than which machines this one is faster, and the ranking for each: the reports' machines and
    those of other runs."""
    columns = [*others.report_columns, *(run.name for run in runs_of_other_machines(others))]
    middles = {
        f"{others.titles[column]} ({ratio_text(_middle(others, column))})": _middle(others, column)
        for column in columns
    }
    sides = {
        "faster than": [title for title, middle in middles.items() if middle >= NEAR],
        "about as fast as": [title for title, middle in middles.items() if is_near(middle)],
        "slower than": [title for title, middle in middles.items() if middle <= 1 / NEAR],
    }
    texts = [f"{side} {join_words(titles)}" for side, titles in sides.items() if titles]
    finding = (
        f"By the median over its values, this machine is {'. It is '.join(texts)}. "
        "In brackets: the other machine's time divided by this machine's time."
    )
    return join_blocks(
        [say(finding if texts else ""), *(ranking(others, column) for column in columns)]
    )


def exclusions(others: OtherMachines) -> Block:
    """What is left out, what is not ranked, and which runs take part."""
    left_out = [f"{page_link(name)}: {why}" for name, why in method_groups.not_comparable().items()]
    titles: dict[str, list[str]] = {}
    for name, why in method_groups.not_ranked().items():
        titles.setdefault(why, []).append(title_of(name))
    not_ranked = [
        "what goes over the link to the other host, which is not part of the machine",
        "what is compared with Reckon's own method *(Reckon's)*",
        *(f"{why}:{_inner_list(names)}" for why, names in titles.items()),
    ]
    runs = ", ".join(f"`{name}`" for name in others.runs)
    return join_blocks(
        [
            say("Left out; a table below lists every value that is not compared:"),
            items(left_out),
            say("In table and heat map, but not ranked:"),
            items(not_ranked),
            say(
                f"Other runs: {runs}." if runs else "There is no other run.",
                *map(literal, others.troubles),
            ),
        ]
    )


def uncompared_values(others: OtherMachines, name: str) -> Block:
    """Every value of a report that no table of the page has, with the reason."""
    if not others.unmatched:
        return say("Every value of the reports is compared with one of this run.")
    rows = [
        [with_titles("; ".join(u.names)), others.titles[u.report], str(u.count), literal(u.why)]
        for u in others.unmatched
    ]
    columns = {"What": 46, "Report": 18, "Values": 8, "Why": 28}
    return table(columns, rows, "Values of the reports that are not compared here", name)


_ONE_RUN = (
    "There is one run only. `make book RUN=again` measures this machine into a second one, which "
    "is the control: no change should be found. After a kernel upgrade the next `make book` opens "
    "a new run, and `make compare A=before B=after CONTROL=again` shows what changed."
)


def comparison_with_latest(others: OtherMachines) -> Block:
    """This run compared with the latest other ones; else how to measure another one."""
    if not others.runs:
        return say(_ONE_RUN)
    names = list(others.runs)[:_MAX_COMPARISONS]
    return join_blocks(_comparison(others, name, k) for k, name in enumerate(names, 1))


def _comparison(others: OtherMachines, name: str, k: int) -> Block:
    """The comparison with one run; a further run of that run's machine is the control."""
    identity = others.runs[name].identity
    same_machine = [
        run for run in others.runs if others.runs[run].identity == identity and run != name
    ]
    try:
        comparison = compare(name, others.here.name, next(iter(same_machine), None))
    except ReckonError as error:
        return say(literal(error))
    label = "machines-compared" if k == 1 else f"machines-compared-{k}"
    a, b = comparison.a, comparison.b
    changed = f"What changed from {a} to {b}, the largest change first"
    differences = f"How the machine differs between {a} and {b}"
    return join_blocks(
        [
            _verdict(comparison),
            _changes(comparison, changed, label),
            _machine_differences(comparison, differences, f"{label}-machine"),
        ]
    )


def _value_of(machine: Machine, field: str) -> str:
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


def _verdict(comparison: Comparison) -> Block:
    return say(
        f"**{comparison.b} compared with {comparison.a}.**",
        run_comparison.count_sentence(comparison),
        run_comparison.clock_sentence(comparison),
        run_comparison.control_sentence(comparison),
        *(f"Only {run} has {len(names)} more." for run, names in run_comparison.only_in_one_run(comparison)),
    )


def _changes(comparison: Comparison, caption: str, name: str) -> Block:
    """The changes, the largest first; a sentence if there is none."""
    if not comparison.changed:
        return say(run_comparison.no_change_sentence(comparison))
    has_clock_moved = run_comparison.has_clock_moved(comparison)
    rows = []
    for quantity in comparison.changed:
        point = quantity.largest
        has_cycles = has_clock_moved and quantity.is_time
        rows.append(
            [
                f"{link(quantity.quantity)}{run_comparison.where(quantity, point)}",
                *(units.amount(side.median, quantity.unit) for side in (point.a, point.b)),
                f"{run_comparison.ratio_with_interval(point)}, {quantity.direction}",
                ratio_text(point.cycles_ratio) if has_cycles else NONE,
                run_comparison.curve_summary(quantity) or NONE,
            ]
        )
    header = ["Quantity", comparison.a, comparison.b]
    header += ["Ratio (interval)", "In core cycles", "Of the curve"]
    return grid(header, rows, caption, name, [28, 12, 12, 20, 10, 18])


def _machine_differences(comparison: Comparison, caption: str, name: str) -> Block:
    """The differences between the two machines' descriptions."""
    triples = run_comparison.machine_differences(*comparison.machines)
    rows = [[title, literal(in_a), literal(in_b)] for title, in_a, in_b in triples]
    a, b = comparison.a, comparison.b
    if not rows:
        return say(f"The descriptions of the machine are the same in {a} and {b}.")
    return grid(["What", a, b], rows, caption, name, [24, 38, 38])


def runs_of_other_machines(others: OtherMachines) -> list[records.Run]:
    """One run of each other machine (or of this one with another kernel)."""
    runs = {run.identity: run for run in others.runs.values()}
    return [run for identity, run in runs.items() if identity != others.here.identity]


def _description_rows(
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
        measured = [_value_of(machine, fields.get(attribute, "")) for machine in machines]
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
            for title, *cells in _description_rows(
                others, peer_component, peers, book.peer.get(peer_component, {})
            )
        ]
        caption = "The host at the other end of the network, here and in the reports"
    else:
        rows = _description_rows(others, component, {"machine"}, book.machine.get(component, {}))
        caption = f"{book.components[component]} of this machine and of the others"
    header = [
        "What",
        "This machine",
        *(run.name for run in runs_of_other_machines(others)),
        *map(cited_machine, published.all_reports()),
    ]
    return grid(header, rows, caption, name, [13] + [17] * (len(header) - 1))
