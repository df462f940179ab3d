"""The page `methods`: what the method of measuring alone does to a figure."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.block import Block, say, table
from reckon.presentation.bounds import of_methods as plausible
from reckon.presentation.effects import (
    SAME,
    VAGUE,
    changes_figure,
    counter,
    counter_step,
    sentence,
    times,
)
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK, STYLE
from reckon.presentation.text import NONE, first_case, verb
from reckon.records.result import AGAIN
from reckon.reports import published
from reckon.reports.methods import GroupResult, MethodResult, Ratio

_LISTED_MOST = 12  # methods that the ranking lists


def _in_reports(method: MethodResult) -> str:
    """What the reports print of it, at the same place, divided as its figure here."""
    if not method.page:
        return NONE
    unit = method.page.unit
    x = method.point.x if method.has_value else None
    figures = published.of(method.listed.quantity)
    texts = [
        f"{f.report}: {units.amount(f.base(f.measured, unit) / method.divisor, unit)}"
        for f in figures
        if _is_at(f, x) and (not method.reports or f.report in method.reports)
    ]
    texts += [
        f"{f.report}: {units.amount(f.base(f.measured, unit), unit)} (a slope)"
        for f in figures
        if f.slope
    ]
    return "; ".join(texts) or NONE


def _is_at(figure: published.Figure, x: float | None) -> bool:
    """Whether a report's figure is of place x on an axis; None for what has no axis."""
    if figure.slope or figure.at is None or x is None:
        return not figure.slope and figure.at is None and x is None
    return math.isclose(units.to_base(figure.at, figure.at_unit), x)


def _row(method: MethodResult, compared: GroupResult) -> list[str]:
    ratio = compared.ratio(method)
    is_ours = method is compared.baseline
    rounds = len(method.values) if is_ours and method.repeated else ratio.rounds
    has_method = method.page and method.page.measurement
    return [
        f"**{method.title}**" if is_ours else method.title,
        method.page.measurement.timed if has_method else NONE,
        method.text(),
        first_case((is_ours, "1"), (ratio.known, times(ratio)), (True, NONE)),
        first_case((rounds > 0, str(rounds)), (method.has_value, "its page"), (True, NONE)),
        _in_reports(method),
    ]


def _lead(compared: GroupResult) -> str:
    """What holds for all of a group."""
    reason = compared.baseline.reason
    return first_case(
        (not compared.baseline.has_value, f"Ours has no figure here: {reason}.\n\n"),
        (not compared.side_by_side, f"From their pages, minutes apart: {reason}.\n\n"),
    )


_GROUP_COLUMNS = {
    "Method of": 16,
    "What is timed": 30,
    "Measured here": 18,
    "Against ours": 14,
    "Rounds": 8,
    "In the report": 14,
}


def group(compared: GroupResult) -> Block:
    """The table of a group and a sentence on each method, in the order of their effects."""
    ours = compared.baseline
    if not any(method.has_value for method in (ours, *compared.methods)):
        return say(f"There is nothing to compare: {ours.reason}.")
    methods = [*compared.ranked, *compared.without]
    rows = [_row(method, compared) for method in (ours, *methods)]
    caption, name = f"{compared.group.title} by every method", f"methods-{compared.group.name}"
    listed = "\n".join(sentence(method, compared) for method in methods)
    return Block(
        f"{_lead(compared)}{table(_GROUP_COLUMNS, rows, caption, name).markdown}\n\n{listed}"
    )


def _all(groups: dict[str, GroupResult]) -> list[tuple[GroupResult, MethodResult, Ratio]]:
    """Every method with a ratio, from the least effect on its figure to the most."""
    ranked = [(one, method, one.ratio(method)) for one in groups.values() for method in one.ranked]
    return sorted(ranked, key=lambda each: each[2].off)


def _farthest(groups: dict[str, GroupResult]) -> list[tuple[GroupResult, MethodResult, Ratio]]:
    """The methods that change their figures, from the most effect to the least."""
    changed = [each for each in _all(groups) if changes_figure(each[2])]
    return sorted(changed, key=lambda each: -each[2].off)[:_LISTED_MOST]


def strips(groups: dict[str, GroupResult], name: str, caption: str) -> Block:
    """A strip for each group: every method's figure over the yardstick on a logarithmic axis, with
    the least and the most of the rounds."""
    drawn = [one for one in groups.values() if one.ranked][::-1]
    if not drawn:
        return say("There is nothing to draw: no page has been measured yet.")
    used = {report for _, method, _ in _all(groups) for report in method.reports}
    looks = {report: look for report, look in style.report_looks().items() if report in used}
    looks[""] = {"color": BLACK, "marker": "d"}
    rows = []
    with matplotlib.rc_context(STYLE):
        height_inches = 1.0 + 0.26 * len(drawn)
        figure, axes = style.new_axes((6.4, height_inches))
        figure.subplots_adjust(bottom=min(0.45, 0.5 / height_inches))
        for y, one in enumerate(drawn):
            for dy, method in zip(_spread(len(one.ranked)), one.ranked, strict=True):
                rows += _draw(axes, one, method, y + dy, looks)
        axes.axvline(1, color=BLACK, lw=0.8)
        axes.set_yticks(range(len(drawn)), [one.group.title for one in drawn], fontsize=7)
        axes.set_ylim(-0.6, len(drawn) - 0.4)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel(
            "times our figure (line: the rounds' least and most; hollow: from its page)"
        )
        style.legend(figure, axes, [_key(report, look) for report, look in looks.items()])
    alt = "The farthest from ours: " + "; ".join(
        f"{method.listed.quantity} {units.number(ratio.middle)} times"
        for _, method, ratio in _farthest(groups)
    )
    header = ["group", "quantity", "reports", "times ours", "least", "most", "rounds"]
    return style.save(figure, name, caption, alt, header, rows)


def _spread(n: int) -> np.ndarray:
    """Heights of n marks within one strip."""
    return 0.3 * (np.arange(n) / max(1, n - 1) - 0.5)


def _key(report: str, look: dict) -> Line2D:
    return Line2D([], [], ls="", ms=4, label=report or "another row of this book", **look)


def _draw(axes, one: GroupResult, method: MethodResult, y: float, looks: dict) -> list[list[str]]:
    """A mark for each report that uses the method, hollow if from its page; their rows of data."""
    ratio = one.ratio(method)
    rows = []
    for k, report in enumerate(method.reports or ("",)):
        look = looks[report]
        if ratio.rounds > 1 and ratio.least > 0:
            axes.plot([ratio.least, ratio.most], [y, y], color=look["color"], lw=1)
        fill = look["color"] if ratio.rounds else "white"
        axes.plot(ratio.middle, y + 0.12 * k, ls="", ms=4, mfc=fill, **look)
        ends = [f"{v:.6g}" for v in (ratio.middle, ratio.least, ratio.most)]
        rows.append([one.group.title, method.listed.quantity, report, *ends, str(ratio.rounds)])
    return rows


def farthest(groups: dict[str, GroupResult]) -> Block:
    """How many methods change their figures, and the one that changes it most."""
    every = _all(groups)
    if not every:
        return say("No page has been measured yet, so that nothing can be compared.")
    changed = [each for each in every if changes_figure(each[2])]
    sure = [ratio for *_, ratio in changed if not math.isnan(ratio.low)]
    twice, few = sum(ratio.off > 2 for ratio in sure), len(changed) - len(sure)
    text = (
        f"Of {len(every)} ways on this machine {len(sure)} change their figure by more than chance "
        f"and more than {100 * SAME:.0f} %, {twice} of them by more than a factor of two."
    )
    unsure = (
        f"{few} more {verb(few, 'lies', 'lie')} farther off than {100 * (VAGUE - 1):.0f} %, in too "
        "few rounds, or by the pages' figures, for chance to be told."
    )
    sentences = [text, unsure if few else ""]
    if changed:
        one, method, ratio = changed[-1]
        what = one.group.title[0].lower() + one.group.title[1:]
        sentences.append(
            f"Farthest of all goes **{method.title}**, {units.number(ratio.middle)} times ours for "
            f"*{what}*: {method.listed.differs}."
        )
    return say(*sentences)


def ranking(groups: dict[str, GroupResult], caption: str, name: str) -> Block:
    """The methods that change their figures most, first."""
    rows = [
        [one.group.title, method.title, times(ratio), method.listed.differs]
        for one, method, ratio in _farthest(groups)
    ]
    columns = {"Figure": 22, "Method of": 20, "Times ours": 18, "What it does otherwise": 40}
    return table(columns, rows, caption, name)


def repeated(groups: dict[str, GroupResult]) -> Block:
    """How well figures repeat: the page predicts that they equal those of their own pages."""
    again = {
        method.listed.quantity: method.repeated
        for one in groups.values()
        for method in (one.baseline, *one.methods)
        if method.repeated
    }
    results = [result for result in again.values() if 0 < result.ratio < math.inf]
    if not results:
        return say("Nothing was measured again.")
    off = sorted(
        ((max(result.ratio, 1 / result.ratio), result) for result in results),
        key=lambda each: each[0],
    )
    middle = float(np.median([factor for factor, _ in off]))
    inside = [result.inside_interval for result in results if result.inside_interval is not None]
    share = 100 * sum(inside) / max(1, len(inside))
    held = (
        f"; of the {len(inside)} whose page gave an interval {share:.0f} % lie in it, where 95 % "
        "would if minutes did not matter and the figures here had no chance of their own"
    )
    factor, worst = off[-1]
    return say(
        f"{len(results)} figures were measured again here, minutes after their pages. Typically "
        f"one came out within a factor of {units.number(middle)} of its page's"
        f"{held if inside else ''}.",
        f"Farthest from its page came `{worst.quantity.removeprefix(AGAIN)}`, by a factor of "
        f"{units.number(factor)}.",
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
