"""The page `machines`: this run among the reports' machines and other runs."""

from __future__ import annotations

import math

import numpy as np

from reckon import units
from reckon.comparison.two_runs import compare
from reckon.config import ReckonError
from reckon.presentation import block as blocks
from reckon.presentation import changes
from reckon.presentation.block import Block, grid, joined_blocks, say
from reckon.presentation.bounds import of_machines as plausible
from reckon.presentation.figures import heat_map as figure
from reckon.presentation.machine_descriptions import descriptions, strangers
from reckon.presentation.text import NONE, joined, ratio, verb
from reckon.reports import methods
from reckon.reports.attributes import attributes
from reckon.reports.other_machines import Cell, Others, others

_EXTREMES = 3  # figures that are named as the fastest and the slowest
_COMPARED = 2  # other runs that are each compared with this one


def _part_title(part: str) -> str:
    return attributes().parts.get(part, part)


def _parts(o: Others) -> list[str]:
    """The parts of the book in which this run has figures, in the order of the page."""
    here = {row.part for row in o.rows}
    listed = [part for part in attributes().parts if part in here]
    return [*listed, *sorted(here - {*listed})]


def _own(cells: list[Cell], *, cycles: bool) -> str:
    """This run's figure, or the least and the most of a row that several quantities share."""
    if cycles:
        texts = [units.number(value) for value in sorted(cell.cycles_here for cell in cells)]
    else:
        ordered = sorted(cells, key=lambda cell: cell.here)
        texts = [units.amount(cell.here, cell.unit) for cell in ordered]
    return " to ".join(dict.fromkeys([texts[0], texts[-1]]))


def _cell(cell: Cell | None, most: int, *, cycles: bool) -> str:
    """Another machine's figure and its ratio; with its places if others in the row have more."""
    if cell is None or (cycles and not math.isfinite(cell.cycles_ratio)):
        return NONE
    value, times = units.amount(cell.there, cell.unit), cell.ratio
    if cycles:
        value, times = units.number(cell.cycles_there), cell.cycles_ratio
    places = f", {cell.places} {verb(cell.places, 'place', 'places')}"
    return f"{value} ({units.number(times)}×{'' if cell.places == most else places})"


def table(o: Others, part: str, columns: list[str], name: str, *, cycles: bool = False) -> Block:
    """One part's figures on those machines, each with its ratio to this run's.

    Of a curve, medians over the places that both have. cycles: in cycles of each machine's clock.
    """
    rows = []
    for row in o.of(part, columns):
        most = max(cell.places for cell in row.cells.values())
        cells = [_cell(row.cells.get(column), most, cycles=cycles) for column in columns]
        if any(cell != NONE for cell in cells):
            label = row.label + (f", {most} places" if most > 1 else "")
            chosen = [cell for column, cell in row.cells.items() if column in columns]
            rows.append([label, _own(chosen, cycles=cycles), *cells])
    unit = "in core cycles" if cycles else "with the ratio to this run"
    machines = "other runs" if columns and columns[0] in o.runs else "the reports' machines"
    title = _part_title(part).capitalize()
    return grid(
        [title, "This run", *(o.titles[column] for column in columns)],
        rows,
        f"{title} on {machines}, {unit}",
        name,
        [24, 16, *[12] * len(columns)],
    )


def run_tables(o: Others) -> Block:
    """The figures of other runs, a table for each part of the book; empty without other runs."""
    parts = _parts(o) if o.runs else []
    return joined_blocks([table(o, part, [*o.runs], f"machines-{part}-runs") for part in parts])


def heat_map(o: Others, part: str, name: str) -> Block:
    """One part's figures of all machines, in as many heat maps as it takes."""
    rows, with_report = o.of(part), o.of(part, o.of_reports)
    without_report = [row for row in rows if row not in with_report]
    title = _part_title(part)
    pieces = [*figure.pages(with_report), *figure.pages(without_report)]
    if not pieces:
        return say(f"No other machine has a figure that belongs to the part on {title}.")
    first, *more = pieces
    maps = [figure.heat_map(o, first, name, title)]
    maps += [
        figure.heat_map(o, rows, f"{name}-{k}", f"{title}, continued")
        for k, rows in enumerate(more, 2)
    ]
    return Block(joined_blocks(maps).markdown, "".join(one.svg for one in maps))


def against(o: Others, column: str) -> Block:
    """In which quantities this machine is faster and slower than another."""
    every = [
        (row.label, row.cells[column])
        for row in o.rows
        if column in row.cells and row.cells[column].times > 0
    ]
    ranked = [(label, cell.times) for label, cell in every if cell.is_ranked]
    left = _not_ranked([(label, cell) for label, cell in every if not cell.is_ranked])
    title = o.titles[column]
    if not ranked:
        return say(
            f"**{title}**: nothing that this run measured{' and that is ranked' if left else ''}.",
            left,
        )
    ranked.sort(key=lambda pair: pair[1])
    times = np.array([value for _, value in ranked])
    slower_there = [pair for pair in ranked[::-1] if pair[1] > 1]
    faster_there = [pair for pair in ranked if pair[1] < 1]
    return say(
        f"**{title}**, {len(ranked)} figures: this machine is quicker in {int((times > 1).sum())} "
        "of them; in the middle of all, that one takes "
        f"{units.number(float(np.median(times)))} times as long.",
        _extremes(slower_there, "Most at", "It is quicker at nothing."),
        _extremes(faster_there, "It is slower most at", "It is slower at nothing."),
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


def all_against(o: Others) -> Block:
    """The same for every report's machine and for runs of other machines, a paragraph each."""
    named = [*o.of_reports, *(run.name for run in strangers(o))]
    return joined_blocks([against(o, column) for column in named])


def not_alike(o: Others) -> Block:
    """What is left out, what is not ranked, and which runs take part."""
    left_out = "; ".join(f"`{name}`: {why}" for name, why in methods.not_comparable().items())
    quantities: dict[str, list[str]] = {}
    for name, why in methods.not_ranked().items():
        quantities.setdefault(why, []).append(f"`{name}`")
    not_ranked = "; ".join(f"{joined(names)}: {why}" for why, names in quantities.items())
    runs = ", ".join(f"`{name}`" for name in o.runs)
    return say(
        f"Left out: {left_out}; a table below lists every figure that is held against nothing.",
        "In table and heat map, but not ranked: what goes over the link to the peer, which is none "
        "of the machine's; what is held against this book's own method *(ours)*; "
        f"{not_ranked}.",
        f"Other runs: {runs}." if runs else "There is no other run to hold this one against.",
        " ".join(o.troubles),
    )


def without(o: Others, name: str) -> Block:
    """Every figure that a report measured and no table of the page has, with the reason."""
    if not o.unmatched:
        return say("Every figure of the reports is held against one of this run.")
    rows = [["; ".join(one.of), one.report, str(one.count), one.why] for one in o.unmatched]
    columns = {"What": 50, "Report": 12, "Figures": 8, "Why": 30}
    return blocks.table(
        columns, rows, "Figures of the reports that are held against nothing here", name
    )


_ONE_RUN = (
    "There is one run only. `make book RUN=again` measures this machine into a second one, which "
    "is the "
    "control: it should find nothing. After a kernel upgrade a run of the new kernel is opened by "
    "itself, and "
    "`make compare A=before B=after CONTROL=again` tells what changed."
)


def latest(o: Others) -> Block:
    """This run compared with the latest other ones; else how to measure another one."""
    if not o.runs:
        return say(_ONE_RUN)
    names = list(o.runs)[:_COMPARED]
    return joined_blocks(
        [piece for k, name in enumerate(names, 1) for piece in _compared(o, name, k)]
    )


def _compared(o: Others, name: str, k: int) -> list[Block]:
    """The comparison with one run; a further run of that run's machine is the control."""
    identity = o.runs[name].identity
    same_machine = [
        other for other, run in o.runs.items() if other != name and run.identity == identity
    ]
    try:
        comparison = compare(name, o.here.name, next(iter(same_machine), None))
    except ReckonError as error:
        return [say(str(error))]
    label = f"machines-compared{'' if k == 1 else f'-{k}'}"
    a, b = comparison.a, comparison.b
    changed = f"What changed from {a} to {b}, from most to least"
    return [
        changes.verdict(comparison),
        changes.table(comparison, changed, label),
        changes.differences(
            comparison, f"How the machine differs between {a} and {b}", f"{label}-machine"
        ),
    ]


__all__ = [
    "against",
    "all_against",
    "descriptions",
    "heat_map",
    "latest",
    "not_alike",
    "others",
    "plausible",
    "run_tables",
    "table",
    "without",
]
