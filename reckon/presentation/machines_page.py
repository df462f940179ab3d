"""This run among other machines, told: tables, heat maps, sentences."""

from __future__ import annotations

import math

import matplotlib
import numpy as np

from reckon import units
from reckon.comparison.two_runs import compare
from reckon.config import ReckonError
from reckon.presentation import changes
from reckon.presentation.block import Block, grid, say
from reckon.presentation.bounds import of_machines as plausible
from reckon.presentation.figures import style
from reckon.presentation.figures.style import STYLE
from reckon.presentation.machine_descriptions import COMPONENTS, descriptions, strangers
from reckon.reports import methods
from reckon.reports.other_machines import Cell, Others, Row, others

PARTS = {"cpu": "processor and kernel", "memory": "memory", "network": "network", "files": "files"}
# A heat map of more lines would not fit on a page.
_LINES_MOST = 48
_ROW_INCHES = 0.165
# Colours tell ratios up to this one; beyond it only the number does.
_DARKEST = 10.0
_NEAR = 0.1
_NEUTRAL = "#eeeeee"  # neither quicker nor slower by it


def _own(row: Row, columns: list[str], cycles: bool) -> str:
    cells = sorted(
        (c for k, c in row.cells.items() if k in columns),
        key=lambda c: c.cycles_here if cycles else c.here,
    )
    told = lambda c: units.number(c.cycles_here) if cycles else units.amount(c.here, c.unit)  # noqa: E731
    ends = list(dict.fromkeys(told(c) for c in (cells[0], cells[-1])))
    return " to ".join(ends)


def _cell(cell: Cell | None, cycles: bool, most: int) -> str:
    if cell is None or (cycles and not math.isfinite(cell.cycles_ratio)):
        return "–"
    there = units.number(cell.cycles_there) if cycles else units.amount(cell.there, cell.unit)
    fewer = "" if cell.places == most else f", {cell.places} place{'s' if cell.places > 1 else ''}"
    return f"{there} ({units.number(cell.cycles_ratio if cycles else cell.ratio)}×{fewer})"


def table(o: Others, part: str, columns: list[str], name: str, cycles: bool = False) -> Block:
    """One part's figures of those machines, each with its ratio to this run's; of a curve, medians over the
    places that both have. cycles: in cycles of each machine's clock."""
    rows = []
    for row in o.of(part, columns):
        most = max(cell.places for cell in row.cells.values())
        told = [_cell(row.cells.get(column), cycles, most) for column in columns]
        if any(cell != "–" for cell in told):
            rows.append(
                [
                    row.label + (f", {most} places" if most > 1 else ""),
                    _own(row, columns, cycles),
                    *told,
                ]
            )
    unit = "in core cycles" if cycles else "with the ratio to this run"
    whose = "other runs" if columns and columns[0] in o.runs else "the reports' machines"
    return grid(
        [PARTS[part].capitalize(), "This run", *(o.titles[column] for column in columns)],
        rows,
        f"{PARTS[part].capitalize()} on {whose}, {unit}",
        name,
        [24, 16, *[12] * len(columns)],
    )


def run_tables(o: Others) -> Block:
    """The same against the other runs, a table for each part; nothing where there is no other run."""
    made = (
        [table(o, part, list(o.runs), f"machines-{part}-runs") for part in PARTS] if o.runs else []
    )
    return Block("\n\n".join(one.markdown for one in made))


def _chunks(rows: list[Row]) -> list[list[Row]]:
    """Lines for one figure each, whole experiments together as far as they fit."""
    found: list[list[Row]] = []
    for experiment in dict.fromkeys(row.experiment for row in rows):
        these = [row for row in rows if row.experiment == experiment]
        for start in range(0, len(these), _LINES_MOST):
            piece = these[start : start + _LINES_MOST]
            if found and len(found[-1]) + len(piece) <= _LINES_MOST:
                found[-1] += piece
            else:
                found.append(piece)
    return found


def heat_map(o: Others, part: str, name: str) -> Block:
    """One part: a line for each quantity that another machine has too, a column for each machine. The number is
    the ratio of the figures, the colour says which machine is quicker."""
    rows, with_report = o.of(part), o.of(part, o.of_reports)
    pieces = [*_chunks(with_report), *_chunks([row for row in rows if row not in with_report])]
    if not pieces:
        return say(f"No other machine has a figure that belongs to the part on {PARTS[part]}.")
    blocks = [
        _heat_map(
            o, rows, f"{name}-{k + 1}" if k else name, PARTS[part] + (", continued" if k else "")
        )
        for k, rows in enumerate(pieces)
    ]
    return Block("\n\n".join(b.markdown for b in blocks), "".join(b.svg for b in blocks))


def _heat_map(o: Others, rows: list[Row], name: str, what: str) -> Block:
    columns = [column for column in o.titles if any(column in row.cells for row in rows)]
    times = np.array(
        [[row.cells[c].colour if c in row.cells else math.nan for c in columns] for row in rows]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(times)
    colours = matplotlib.colormaps[
        "coolwarm"
    ]  # blue and red, light grey between: told apart by colour-blind too
    norm = matplotlib.colors.Normalize(-math.log10(_DARKEST), math.log10(_DARKEST))
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        figure, axes = style.new_axes((6.4, 0.9 + _ROW_INCHES * len(rows)))
        axes.pcolormesh(
            np.ma.masked_invalid(logs), cmap=colours, norm=norm, edgecolors="white", linewidth=0.5
        )
        for y, row in enumerate(rows):
            for x, column in enumerate(columns):
                if column in row.cells:
                    _number(axes, x, y, row.cells[column], logs[y, x], column in o.runs)
            if y and row.experiment != rows[y - 1].experiment:
                axes.axhline(y, color="black", lw=0.6)
        _frame(figure, axes, rows, [o.titles[column] for column in columns], colours, norm)
    alt = (
        f"Heat map of {len(rows)} quantities of {what} on {len(columns)} other machines, the ratio of each "
        "machine's figure to this run's, blue where that machine is quicker, red where it is slower"
    )
    data = [
        [
            row.label,
            column,
            cell.quantity,
            f"{cell.here:.6g}",
            f"{cell.there:.6g}",
            f"{cell.ratio:.6g}",
            str(cell.places),
        ]
        for row in rows
        for column, cell in row.cells.items()
    ]
    ours = " (*ours*: by this book's)" if any("(ours)" in row.label for row in rows) else ""
    caption = (
        f"{what.capitalize()}: every other machine's figure divided by this run's, by the same method{ours}. "
        "Red: slower than this machine, blue: quicker, grey: neither, white: nothing to hold against this "
        "run's"
    )
    if set(columns) & set(o.runs):
        caption += f"; of a run, ratios within {100 * _NEAR:.0f} % are not printed"
    return style.save(
        figure,
        name,
        caption,
        alt,
        ["line", "machine", "row here", "this run", "that machine", "ratio", "places"],
        data,
    )


def _number(axes, x: int, y: int, cell: Cell, log: float, of_run: bool) -> None:
    if of_run and abs(cell.ratio - 1) < _NEAR:
        return  # two runs of one machine: all of its cells would say 1
    if not math.isfinite(log):
        axes.add_patch(matplotlib.patches.Rectangle((x, y), 1, 1, color=_NEUTRAL, lw=0))
    dark = math.isfinite(log) and abs(log) > 0.75 * math.log10(_DARKEST)
    axes.text(
        x + 0.5,
        y + 0.5,
        units.number(cell.ratio, 2),
        ha="center",
        va="center",
        fontsize=6,
        color="white" if dark else "black",
    )


def _frame(figure, axes, rows: list[Row], titles: list[str], colours, norm) -> None:
    axes.set_yticks(np.arange(len(rows)) + 0.5, [row.label for row in rows], fontsize=6)
    axes.set_xticks(np.arange(len(titles)) + 0.5, titles, fontsize=7, rotation=20, ha="left")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.invert_yaxis()
    for side in axes.spines.values():
        side.set_visible(False)
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    bar = figure.colorbar(
        matplotlib.cm.ScalarMappable(norm, colours),
        ax=axes,
        orientation="horizontal",
        shrink=0.6,
        aspect=40,
        pad=0.2 / (0.9 + _ROW_INCHES * len(rows)),
    )
    bar.set_ticks([math.log10(t) for t in ticks], labels=[f"{t:g}" for t in ticks], fontsize=7)
    bar.set_label("times as long as on this machine", fontsize=7)
    bar.outline.set_visible(False)


def against(o: Others, column: str) -> Block:
    """At what this machine is quickest and slowest beside another."""
    every = [
        (row, row.cells[column])
        for row in o.rows
        if column in row.cells and row.cells[column].times > 0
    ]
    known = sorted((p for p in every if p[1].is_ranked), key=lambda pair: pair[1].times)
    left = _left_out([pair for pair in every if pair not in known])
    title = o.titles[column]
    if not known:
        return say(
            f"**{title}**: nothing that this run measured{left and ' and that is ranked'}.{left}"
        )
    times = np.array([cell.times for _, cell in known])
    tell = lambda pair: f"{pair[0].label} ({units.number(max(pair[1].times, 1 / pair[1].times))}×)"  # noqa: E731
    text = (
        f"**{title}**, {len(known)} figures: this machine is quicker in {int((times > 1).sum())} of them; in the "
        f"middle of all, that one takes {units.number(float(np.median(times)))} times as long. "
    )
    quick, slow = (
        [p for p in known if p[1].times > 1][::-1][:3],
        [p for p in known if p[1].times < 1][:3],
    )
    text += f"Most at {_listed(map(tell, quick))}. " if quick else "It is quicker at nothing. "
    text += (
        f"It is slower most at {_listed(map(tell, slow))}." if slow else "It is slower at nothing."
    )
    return say(text + left)


def _left_out(pairs: list[tuple[Row, Cell]]) -> str:
    """What of a machine's figures is not ranked, as a sentence."""
    named = [row.label for row, cell in pairs if not cell.shows_speed]
    link = len(pairs) - len(named)
    told = ([f"{link} over the link to the peer"] if link else []) + named
    return f" Not ranked: {_listed(told)}." if told else ""


def _listed(words) -> str:
    words = list(words)
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def all_against(o: Others) -> Block:
    """The same for every report's machine and for runs of other machines, a paragraph each."""
    named = [*o.of_reports, *(run.name for run in strangers(o))]
    return say("\n\n".join(against(o, column).markdown for column in named))


def not_alike(o: Others) -> Block:
    """What is left out, what is not ranked, and which runs take part."""
    text = "Left out: " + "; ".join(
        f"`{name}`: {why}" for name, why in methods.not_comparable().items()
    )
    text += "; a table below lists every figure that is held against nothing. "
    whys: dict[str, list[str]] = {}
    for name, why in methods.not_ranked().items():
        whys.setdefault(why, []).append(f"`{name}`")
    text += (
        "In table and heat map, but not ranked: what goes over the link to the peer, which is none of the "
        "machine's; what is held against this book's own method *(ours)*; "
        + "; ".join(f"{_listed(names)}: {why}" for why, names in whys.items())
        + ". "
    )
    text += (
        f"Other runs: {', '.join(f'`{name}`' for name in o.runs)}. "
        if o.runs
        else "There is no other run to hold this one against. "
    )
    return say(text + " ".join(o.troubles))


def without(o: Others, name: str) -> Block:
    """Every figure that a report measured and no table here has, with the reason."""
    if not o.without:
        return say("Every figure of the reports is held against one of this run.")
    rows = [["; ".join(one.of), one.report, str(one.count), one.why] for one in o.without]
    return grid(
        ["What", "Report", "Figures", "Why"],
        rows,
        "Figures of the reports that are held against nothing here",
        name,
        [50, 12, 8, 30],
    )


# So many other runs are each compared with this one.
_COMPARED = 2


def latest(o: Others) -> Block:
    """This run against the latest other ones, each a table and a paragraph; else how to come by one. Where
    there is a further run of the other's machine, it is the control."""
    pieces = []
    for k, name in enumerate(list(o.runs)[:_COMPARED]):
        control = next(
            (
                other
                for other, run in o.runs.items()
                if other != name and run.identity == o.runs[name].identity
            ),
            None,
        )
        try:
            found = compare(name, o.here.name, control)
        except ReckonError as error:
            pieces.append(say(str(error)))
            continue
        label = f"machines-compared{f'-{k + 1}' if k else ''}"
        pieces += [
            changes.verdict(found),
            changes.table(
                found, f"What changed from {found.a} to {found.b}, from most to least", label
            ),
            changes.differences(
                found,
                f"How the machine differs between {found.a} and {found.b}",
                f"{label}-machine",
            ),
        ]
    return (
        Block("\n\n".join(piece.markdown for piece in pieces))
        if pieces
        else say(
            "There is one run only. `make book RUN=again` measures this machine into a second one, which is the control: "
            "it should find nothing. After a kernel upgrade a run of the new kernel is opened by itself, and "
            "`make compare A=before B=after CONTROL=again` tells what changed."
        )
    )


__all__ = [
    "COMPONENTS",
    "PARTS",
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
