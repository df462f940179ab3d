"""The page `methods`: what the way of measuring alone does to a figure."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.block import Block, grid, say
from reckon.presentation.bounds import of_methods as plausible
from reckon.presentation.effects import SAME, VAGUE, counter, counter_step, is_told, sentence, times
from reckon.presentation.figures import style as plotting
from reckon.presentation.figures.style import BLACK, STYLE
from reckon.records.result import AGAIN
from reckon.reports import published
from reckon.reports.methods import Compared, Ratio, Way

_MOST_TOLD = 12


def _in_reports(way: Way) -> str:
    """What the reports print of it, at the same place, by what its figure here is divided by."""
    if not way.page:
        return "–"
    x = way.point.x if way.has_figure else None
    here = lambda f: (
        not f.slope
        and (f.at is None) == (x is None)
        and (  # noqa: E731
            x is None or math.isclose(units.to_base(f.at, f.at_unit), x)
        )
    )
    told = lambda f: units.amount(f.base(f.measured, way.page.unit) / way.per, way.page.unit)  # noqa: E731
    found = [
        f
        for f in published.of(way.row.of)
        if here(f) and (not way.reports or f.report in way.reports)
    ]
    slope = lambda f: units.amount(f.base(f.measured, way.page.unit), way.page.unit)  # noqa: E731
    return (
        "; ".join(
            [
                *(f"{f.report}: {told(f)}" for f in found),
                *(f"{f.report}: {slope(f)} (a slope)" for f in published.of(way.row.of) if f.slope),
            ]
        )
        or "–"
    )


def _row(way: Way, compared: Compared, is_ours: bool = False) -> list[str]:
    ratio = compared.ratio(way)
    against = "1" if is_ours else times(ratio) if ratio.known else "–"
    rounds = len(way.processes) if is_ours and way.again else ratio.rounds
    timed = way.page.measurement.timed if way.page and way.page.measurement else "–"
    return [
        f"**{way.title}**" if is_ours else way.title,
        timed,
        way.told(),
        against,
        str(rounds) if rounds else "its page" if way.has_figure else "–",
        _in_reports(way),
    ]


def _lead(compared: Compared) -> str:
    """What is to be said of all of a group."""
    ours = compared.ours
    if not ours.has_figure:
        return f"Ours has no figure here: {ours.reason}.\n\n"
    if not compared.side_by_side:
        return f"From their pages, minutes apart: {ours.reason}.\n\n"
    return ""


def group(compared: Compared) -> Block:
    """The table of a group and a sentence on each of its ways, from the one that does least to the figure
    to the one that does most."""
    one = compared.group
    if not any(way.has_figure for way in (compared.ours, *compared.ways)):
        return say(f"There is nothing to compare: {compared.ours.reason}.")
    ways = [*compared.ranked, *compared.without]
    table = grid(
        ["Method of", "What is timed", "Measured here", "Against ours", "Rounds", "In the report"],
        [_row(compared.ours, compared, True), *(_row(way, compared) for way in ways)],
        f"{one.title} by every method",
        f"methods-{one.name}",
        [16, 30, 18, 14, 8, 14],
    )
    return Block(
        _lead(compared)
        + table.markdown
        + "\n\n"
        + "\n".join(sentence(way, compared) for way in ways)
    )


def _all(found: dict[str, Compared]) -> list[tuple[Compared, Way, Ratio]]:
    return [(one, way, one.ratio(way)) for one in found.values() for way in one.ranked]


def colours_of(reports: list[str]) -> dict[str, str]:
    """A colour for each report; black for what is no report's."""
    series = [colour for colour in plotting.SERIES if colour != BLACK]
    return {report: series[i % len(series)] for i, report in enumerate(reports)} | {"": BLACK}


def strips(found: dict[str, Compared], name: str, caption: str) -> Block:
    """A strip for each group: every way's figure over ours on one logarithmic axis, with the least and the
    most of the rounds."""
    drawn = [one for one in found.values() if one.ranked][::-1]
    if not drawn:
        return say("There is nothing to draw: no page has been measured yet.")
    whose = sorted({report for _, way, _ in _all(found) for report in way.reports})
    colours = colours_of(whose)
    rows = []
    with matplotlib.rc_context(STYLE):
        height_inches = 1.0 + 0.26 * len(drawn)
        figure, axes = plotting.new_axes((6.4, height_inches))
        figure.subplots_adjust(bottom=min(0.45, 0.5 / height_inches))
        for y, one in enumerate(drawn):
            for k, way in enumerate(one.ranked):
                rows += _mark(
                    axes, one, way, y + 0.3 * (k / max(1, len(one.ranked) - 1) - 0.5), colours
                )
        axes.axvline(1, color=BLACK, lw=0.8)
        axes.set_yticks(range(len(drawn)), [one.group.title for one in drawn], fontsize=7)
        axes.set_ylim(-0.6, len(drawn) - 0.4)
        axes.set_xscale("log")
        plotting.plain_log(axes.xaxis)
        axes.set_xlabel(
            "times our figure (line: the rounds' least and most; hollow: from its page)"
        )
        plotting.legend(figure, axes, [_key(report, colours) for report in colours])
    far = sorted((each for each in _all(found) if is_told(each[2])), key=lambda each: -each[2].off)[
        :_MOST_TOLD
    ]
    alt = "The farthest from ours: " + "; ".join(
        f"{way.row.of} {units.number(ratio.middle)} times" for _, way, ratio in far
    )
    return plotting.save(
        figure,
        name,
        caption,
        alt,
        ["group", "quantity", "reports", "times ours", "least", "most", "rounds"],
        rows,
    )


_MARKERS = "osD^v<>Pp*h"  # no divisor in common with the number of colours


def _style(report: str, colours: dict) -> dict:
    """Told apart by shape as well, in print and by whoever sees no colours."""
    return dict(color=colours[report], marker=_MARKERS[list(colours).index(report) % len(_MARKERS)])


def _key(report: str, colours: dict) -> Line2D:
    return Line2D(
        [], [], ls="", ms=4, label=report or "another row of this book", **_style(report, colours)
    )


def _mark(axes, one: Compared, way: Way, y: float, colours: dict) -> list[list[str]]:
    """A point for each report whose way it is; hollow where it is from its page. Their rows of data."""
    ratio = one.ratio(way)
    rows = []
    for k, report in enumerate(way.reports or ("",)):
        style = _style(report, colours)
        if ratio.rounds > 1 and ratio.least > 0:
            axes.plot([ratio.least, ratio.most], [y, y], color=style["color"], lw=1)
        axes.plot(
            ratio.middle,
            y + 0.12 * k,
            ls="",
            ms=4,
            mfc=style["color"] if ratio.rounds else "white",
            **style,
        )
        ends = [f"{v:.6g}" for v in (ratio.middle, ratio.least, ratio.most)]
        rows.append([one.group.title, way.row.of, report, *ends, str(ratio.rounds)])
    return rows


def farthest(found: dict[str, Compared]) -> Block:
    """The ways that change their figures most, over all groups, and how many do not."""
    every = sorted(_all(found), key=lambda each: each[2].off)
    if not every:
        return say("No page has been measured yet, so that nothing can be compared.")
    told = [each for each in every if is_told(each[2])]
    sure = [each for each in told if not math.isnan(each[2].low)]
    twice, few = sum(ratio.off > 2 for *_, ratio in sure), len(told) - len(sure)
    text = (
        f"Of {len(every)} ways on this machine {len(sure)} change their figure by more than chance and more than "
        f"{100 * SAME:.0f} %, {twice} of them by more than a factor of two."
    )
    text += (
        (
            f" {few} more {'lie' if few > 1 else 'lies'} farther off than {100 * (VAGUE - 1):.0f} %, in too few "
            "rounds, or by the pages' figures, for chance to be told."
        )
        if few
        else ""
    )
    if not told:
        return say(text)
    one, way, ratio = told[-1]
    what = one.group.title[0].lower() + one.group.title[1:]
    return say(
        text,
        f"Farthest of all goes **{way.title}**, {units.number(ratio.middle)} times ours for *{what}*: "
        f"{way.row.differs}.",
    )


def ranking(found: dict[str, Compared], caption: str, name: str) -> Block:
    """The ways that change their figure most, first."""
    told = [each for each in _all(found) if is_told(each[2])]
    every = sorted(told, key=lambda each: -each[2].off)[:_MOST_TOLD]
    return grid(
        ["Figure", "Method of", "Times ours", "What it does otherwise"],
        [[one.group.title, way.title, times(ratio), way.row.differs] for one, way, ratio in every],
        caption,
        name,
        [22, 20, 18, 40],
    )


def repeated(found: dict[str, Compared]) -> Block:
    """How well figures come out again, the page's prediction being that they do."""
    ways = {way.row.of: way for one in found.values() for way in (one.ours, *one.ways) if way.again}
    made = [
        way.again for way in ways.values() if way.again.ratio > 0 and math.isfinite(way.again.ratio)
    ]
    if not made:
        return say("Nothing was measured again.")
    off = sorted(((max(one.ratio, 1 / one.ratio), one) for one in made), key=lambda each: each[0])
    held = [one.inside_interval for one in made if one.inside_interval is not None]
    middle = float(np.median([far for far, _ in off]))
    text = (
        f"{len(made)} figures were measured again here, minutes after their pages. Typically one came out within a "
        f"factor of {units.number(middle)} of its page's"
    )
    if held:
        text += (
            f"; of the {len(held)} whose page gave an interval {100 * sum(held) / len(held):.0f} % lie in it, "
            "where 95 % would if minutes did not matter and the figures here had no chance of their "
            "own"
        )
    far, worst = off[-1]
    return say(
        f"{text}.",
        f"Farthest from its page came `{worst.quantity.removeprefix(AGAIN)}`, by a factor of "
        f"{units.number(far)}.",
    )


__all__ = [
    "counter",
    "counter_step",
    "farthest",
    "group",
    "plausible",
    "ranking",
    "repeated",
    "strips",
]
