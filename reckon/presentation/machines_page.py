"""The page `machines`: this run among the reports' machines and other runs."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.comparison.two_runs import compare
from reckon.config import ReckonError
from reckon.presentation import block as blocks
from reckon.presentation import changes
from reckon.presentation.block import Block, grid, joined_blocks, say
from reckon.presentation.figures import heat_map as figure
from reckon.presentation.machine_descriptions import descriptions as descriptions
from reckon.presentation.machine_descriptions import runs_of_other_machines
from reckon.presentation.text import NONE, joined, ratio, verb
from reckon.reports import methods
from reckon.reports.attributes import attributes
from reckon.reports.other_machines import Cell, OtherMachines
from reckon.reports.other_machines import others as others

_EXTREMES = 3  # figures that are named as the fastest and the slowest
_COMPARED = 2  # other runs that are each compared with this one


def _part_title(part: str) -> str:
    return attributes().parts.get(part, part)


def _label(part: str, ending: str = "") -> str:
    """The name of a figure or table about one part of the book, for references and files."""
    return f"machines-{part.lower().replace('_', '-')}{ending}"


def _own(cells: list[Cell]) -> str:
    """This run's figure, or the range of a row that several quantities share."""
    ordered = sorted(cells, key=lambda cell: cell.here)
    texts = [units.amount(cell.here, cell.unit) for cell in (ordered[0], ordered[-1])]
    return " to ".join(dict.fromkeys(texts))


def _other(cell: Cell | None, places: int) -> str:
    """Another machine's figure and its ratio; how many places it has if not `places`."""
    if cell is None:
        return NONE
    text = f"{units.number(cell.ratio)}×"
    if cell.places != places:
        text += f", {cell.places} {verb(cell.places, 'place', 'places')}"
    return f"{units.amount(cell.there, cell.unit)} ({text})"


def _table(others: OtherMachines, part: str, columns: list[str], name: str, machines: str) -> Block:
    """Of a curve, medians over the places that both have."""
    rows = []
    for row in others.rows_of(part, columns):
        places = max(cell.places for cell in row.cells.values())
        label = f"{row.label}, {places} places" if places > 1 else row.label
        own = _own([cell for column, cell in row.cells.items() if column in columns])
        rows.append([label, own, *(_other(row.cells.get(column), places) for column in columns)])
    title = _part_title(part).capitalize()
    header = [title, "This run", *(others.titles[column] for column in columns)]
    caption = f"{title} on {machines}, with the ratio to this run"
    return grid(header, rows, caption, name, [24, 16, *[12] * len(columns)])


def report_table(others: OtherMachines, part: str) -> Block:
    """One part's figures on the reports' machines, each with its ratio to this run's."""
    return _table(
        others, part, others.report_columns, _label(part, "-figures"), "the reports' machines"
    )


def run_tables(others: OtherMachines, parts: list[str]) -> Block:
    """The figures of other runs, a table for each of these parts; empty without other runs."""
    runs = [*others.runs]
    shown = [part for part in parts if runs and others.rows_of(part)]
    tables = [_table(others, part, runs, _label(part, "-runs"), "other runs") for part in shown]
    return joined_blocks(tables)


def heat_map(others: OtherMachines, part: str) -> Block:
    """One part's figures of all machines, in as many heat maps as it takes."""
    title, name = _part_title(part), _label(part)
    with_report = others.rows_of(part, others.report_columns)
    without_report = [row for row in others.rows_of(part) if row not in with_report]
    pages = [*figure.pages(with_report), *figure.pages(without_report)]
    if not pages:
        return say(f"No other machine has a figure that belongs to the part on {title}.")
    maps = [figure.heat_map(others, pages[0], name, title)]
    for k, rows in enumerate(pages[1:], 2):
        maps.append(figure.heat_map(others, rows, f"{name}-{k}", f"{title}, continued"))
    return Block(joined_blocks(maps).markdown, "".join(piece.svg or "" for piece in maps))


def ranking(others: OtherMachines, column: str) -> Block:
    """In which quantities this machine is faster and slower than another."""
    cells = [(row.label, row.cells[column]) for row in others.rows if column in row.cells]
    timed = [(label, cell) for label, cell in cells if cell.times > 0]
    ranked = [(label, cell.times) for label, cell in timed if cell.is_ranked]
    left = _not_ranked([(label, cell) for label, cell in timed if not cell.is_ranked])
    title = others.titles[column]
    if not ranked:
        which = " and that is ranked" if left else ""
        return say(f"**{title}**: nothing that this run measured{which}.", left)
    ranked.sort(key=lambda pair: pair[1])
    slower_there = [pair for pair in reversed(ranked) if pair[1] > 1]
    faster_there = [pair for pair in ranked if pair[1] < 1]
    middle = units.number(float(np.median([times for _, times in ranked])))
    return say(
        f"**{title}**, {len(ranked)} figures: this machine is faster in {len(slower_there)} of "
        f"them; by the median, the other takes {middle} times as long.",
        _extremes(slower_there, "Largest advantages:", "It is not faster in any quantity."),
        _extremes(faster_there, "Largest disadvantages:", "It is not slower in any quantity."),
        left,
    )


def _extremes(ranked: list[tuple[str, float]], opening: str, none: str) -> str:
    """The sentence on the first quantities of a ranking."""
    named = [f"{label} ({ratio(max(x, 1 / x))})" for label, x in ranked[:_EXTREMES]]
    return f"{opening} {joined(named)}." if named else none


def _not_ranked(pairs: list[tuple[str, Cell]]) -> str:
    """The sentence on a machine's figures that show no machine's speed."""
    named = [label for label, cell in pairs if not cell.shows_speed]
    over_link = len(pairs) - len(named)
    named = ([f"{over_link} over the link to the peer"] if over_link else []) + named
    return f"Not ranked: {joined(named)}." if named else ""


def rankings(others: OtherMachines) -> Block:
    """The ranking for every report's machine and for runs of other machines, a paragraph each."""
    columns = [*others.report_columns, *(run.name for run in runs_of_other_machines(others))]
    return joined_blocks([ranking(others, column) for column in columns])


def exclusions(others: OtherMachines) -> Block:
    """What is left out, what is not ranked, and which runs take part."""
    left_out = "; ".join(f"`{name}`: {why}" for name, why in methods.not_comparable().items())
    quantities: dict[str, list[str]] = {}
    for name, why in methods.not_ranked().items():
        quantities.setdefault(why, []).append(f"`{name}`")
    not_ranked = "; ".join(f"{joined(names)}: {why}" for why, names in quantities.items())
    runs = ", ".join(f"`{name}`" for name in others.runs)
    return say(
        f"Left out: {left_out}; a table below lists every figure that is not compared.",
        "In table and heat map, but not ranked: what goes over the link to the peer, which is not "
        "part of the machine; what is compared with Reckon's own method *(Reckon's)*; "
        f"{not_ranked}.",
        f"Other runs: {runs}." if runs else "There is no other run to compare this one with.",
        " ".join(others.troubles),
    )


def uncompared(others: OtherMachines, name: str) -> Block:
    """Every figure of a report that no table of the page has, with the reason."""
    if not others.unmatched:
        return say("Every figure of the reports is compared with one of this run.")
    rows = [["; ".join(u.of), u.report, str(u.count), u.why] for u in others.unmatched]
    columns = {"What": 50, "Report": 12, "Figures": 8, "Why": 30}
    caption = "Figures of the reports that are not compared here"
    return blocks.table(columns, rows, caption, name)


_ONE_RUN = (
    "There is one run only. `make book RUN=again` measures this machine into a second one, which "
    "is the control: no change should be found. After a kernel upgrade the next `make book` opens "
    "a new run, and `make compare A=before B=after CONTROL=again` shows what changed."
)


def compared_with_latest(others: OtherMachines) -> Block:
    """This run compared with the latest other ones; else how to measure another one."""
    if not others.runs:
        return say(_ONE_RUN)
    names = list(others.runs)[:_COMPARED]
    return joined_blocks([_compared(others, name, k) for k, name in enumerate(names, 1)])


def _compared(others: OtherMachines, name: str, k: int) -> Block:
    """The comparison with one run; a further run of that run's machine is the control."""
    identity = others.runs[name].identity
    same_machine = [
        run for run in others.runs if others.runs[run].identity == identity and run != name
    ]
    try:
        comparison = compare(name, others.here.name, next(iter(same_machine), None))
    except ReckonError as error:
        return say(str(error))
    label = "machines-compared" if k == 1 else f"machines-compared-{k}"
    a, b = comparison.a, comparison.b
    changed = f"What changed from {a} to {b}, the largest change first"
    differences = f"How the machine differs between {a} and {b}"
    return joined_blocks(
        [
            changes.verdict(comparison),
            changes.table(comparison, changed, label),
            changes.differences(comparison, differences, f"{label}-machine"),
        ]
    )
