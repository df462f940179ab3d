"""The page `methods`: what the method of measuring alone does to a figure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reckon import units
from reckon.presentation.block import Block, say, table
from reckon.presentation.effects import SAME, VAGUE, changes_figure, sentence, times
from reckon.presentation.figures import style
from reckon.presentation.figures.style import BLACK
from reckon.presentation.text import NONE, first_case, literal, verb
from reckon.records import AGAIN
from reckon.records.result import Result
from reckon.reports.methods import GroupResult, MethodResult, Ratio

_RANKING_MOST = 12  # methods that the ranking lists
_STRIP = 0.3  # height of a strip in distances of two strips

Groups = dict[str, GroupResult]


@dataclass(frozen=True)
class _RankedMethod:
    """A method with a ratio to the baseline of its group."""

    group: GroupResult
    method: MethodResult

    @property
    def ratio(self) -> Ratio:
        return self.group.ratio(self.method)


def results(groups: Groups) -> list[Result]:
    """Every figure that is compared here: measured again or, if not, as its page has it."""
    methods = [m for group in groups.values() for m in (group.baseline, *group.methods)]
    every = [method.repeated or method.page for method in methods]
    return list({result.quantity: result for result in every if result}.values())


def _row(method: MethodResult, compared: GroupResult) -> list[str]:
    ratio = compared.ratio(method)
    is_baseline = method is compared.baseline
    rounds = len(method.values) if is_baseline and method.repeated else ratio.rounds
    measurement = method.page.measurement if method.page else None
    return [
        f"**{method.title}**" if is_baseline else method.title,
        literal(measurement.timed) if measurement else NONE,
        method.text(),
        first_case((is_baseline, "1"), (ratio.known, times(ratio)), (True, NONE)),
        first_case((rounds > 0, str(rounds)), (method.has_value, "its page"), (True, NONE)),
    ]


_GROUP_COLUMNS = {
    "Method of": 16,
    "What is timed": 30,
    "Measured here": 18,
    "Against ours": 14,
    "Rounds": 8,
}


def group(compared: GroupResult) -> Block:
    """The table of a group and a sentence on each method, in the order of their effects."""
    baseline = compared.baseline
    if not any(method.has_value for method in (baseline, *compared.methods)):
        return say(f"There is nothing to compare: {literal(baseline.reason)}.")
    methods = [*compared.ranked, *compared.without]
    lead = first_case(
        (not baseline.has_value, f"Ours has no figure here: {literal(baseline.reason)}.\n\n"),
        (
            not compared.side_by_side,
            f"From their pages, minutes apart: {literal(baseline.reason)}.\n\n",
        ),
    )
    rows = [_row(method, compared) for method in (baseline, *methods)]
    caption, name = f"{compared.title} by every method", f"methods-{compared.group.name}"
    sentences = "\n".join(sentence(method, compared) for method in methods)
    return Block(f"{lead}{table(_GROUP_COLUMNS, rows, caption, name).markdown}\n\n{sentences}")


def _changing(groups: Groups) -> list[_RankedMethod]:
    """The methods that change their figures, from the most effect to the least."""
    ranked = [_RankedMethod(group, m) for group in groups.values() for m in group.ranked]
    changing = [method for method in ranked if changes_figure(method.ratio)]
    return sorted(changing, key=lambda method: -method.ratio.off)


def strips(groups: Groups, name: str, caption: str) -> Block:
    """A strip for each group: every method's figure over the baseline's on a logarithmic axis, with
    the least and the most of the rounds."""
    drawn = [group for group in groups.values() if group.ranked][::-1]
    if not drawn:
        return say("There is nothing to draw: no page has been measured yet.")
    used = {report for group in drawn for method in group.ranked for report in method.reports}
    looks = {report: look for report, look in style.report_looks().items() if report in used}
    looks[""] = {"color": BLACK, "marker": "d"}
    rows = []
    height_inches = 1.0 + 0.26 * len(drawn)
    with style.drawing(height_inches) as drawing:
        axes = drawing.axes
        drawing.figure.subplots_adjust(bottom=min(0.45, 0.5 / height_inches))
        for y, group in enumerate(drawn):
            heights = y + np.linspace(-_STRIP / 2, _STRIP / 2, len(group.ranked))
            for height, method in zip(heights, group.ranked, strict=True):
                rows += _draw(axes, _RankedMethod(group, method), height, looks)
        axes.axvline(1, color=BLACK, lw=0.8)
        axes.set_yticks(range(len(drawn)), [group.title for group in drawn], fontsize=7)
        axes.set_ylim(-0.6, len(drawn) - 0.4)
        axes.set_xscale("log")
        style.plain_log(axes.xaxis)
        axes.set_xlabel(
            "times our figure (line: the rounds' least and most; hollow: from its page)"
        )
        labels = {report: report or "another row of this book" for report in looks}
        drawing.legend([Line2D([], [], ls="", ms=4, label=labels[r], **looks[r]) for r in looks])
        alt = "The farthest from ours: " + "; ".join(
            f"{ranked.method.entry.quantity} {units.number(ranked.ratio.middle)} times"
            for ranked in _changing(groups)[:_RANKING_MOST]
        )
        header = ["group", "quantity", "reports", "times ours", "least", "most", "rounds"]
        return drawing.save(name, caption, alt, style.Data(header, rows))


def _draw(axes: Axes, ranked: _RankedMethod, y: float, looks: dict) -> list[list[str]]:
    """A mark for each report that uses the method, hollow if from its page; their rows of data."""
    ratio, quantity = ranked.ratio, ranked.method.entry.quantity
    rows = []
    for k, report in enumerate(ranked.method.reports or ("",)):
        look = looks[report]
        if ratio.rounds > 1 and ratio.minimum > 0:
            axes.plot([ratio.minimum, ratio.maximum], [y, y], color=look["color"], lw=1)
        fill = look["color"] if ratio.rounds else "white"
        axes.plot(ratio.middle, y + 0.12 * k, ls="", ms=4, mfc=fill, **look)
        values = [f"{value:.6g}" for value in (ratio.middle, ratio.minimum, ratio.maximum)]
        title = ranked.group.title
        rows.append([title, quantity, report, *values, str(ratio.rounds)])
    return rows


def farthest(groups: Groups) -> Block:
    """How many methods change their figures, and the one that changes it most."""
    count, changed = sum(len(group.ranked) for group in groups.values()), _changing(groups)
    if not count:
        return say("No page has been measured yet, so that nothing can be compared.")
    sure = [ranked.ratio for ranked in changed if not math.isnan(ranked.ratio.low)]
    twice, few = sum(ratio.off > 2 for ratio in sure), len(changed) - len(sure)
    sentences = [
        f"Of {count} ways on this machine {len(sure)} change their figure by more than chance "
        f"and more than {100 * SAME:.0f} %, {twice} of them by more than a factor of two."
    ]
    if few:
        sentences.append(
            f"{few} more {verb(few, 'lies', 'lie')} farther off than {100 * (VAGUE - 1):.0f} %, in "
            "too few rounds, or by the pages' figures, for chance to be told."
        )
    if changed:
        first = changed[0]
        title, ratio = first.group.title, units.number(first.ratio.middle)
        sentences.append(
            f"Farthest of all goes **{first.method.title}**, {ratio} times ours for "
            f"*{title[0].lower()}{title[1:]}*: {first.method.entry.differs}."
        )
    return say(*sentences)


def ranking(groups: Groups, caption: str, name: str) -> Block:
    """The table of the methods that change their figures most, first the one with most effect."""
    rows = [
        [r.group.title, r.method.title, times(r.ratio), r.method.entry.differs]
        for r in _changing(groups)[:_RANKING_MOST]
    ]
    columns = {"Figure": 22, "Method of": 20, "Times ours": 18, "What it does otherwise": 40}
    return table(columns, rows, caption, name)


def repeated(groups: Groups) -> Block:
    """How well figures repeat: the page predicts that they equal those of their own pages."""
    again = [
        result
        for result in results(groups)
        if result.quantity.startswith(AGAIN) and 0 < result.ratio < math.inf
    ]
    if not again:
        return say("Nothing was measured again.")
    factors = [max(result.ratio, 1 / result.ratio) for result in again]
    middle = units.number(float(np.median(factors)))
    inside = [result.inside_interval for result in again if result.inside_interval is not None]
    inside_text = ""
    if inside:
        inside_text = (
            f"; of the {len(inside)} whose page gave an interval {100 * np.mean(inside):.0f} % lie "
            "in it, where 95 % would if minutes did not matter and the figures here had no chance "
            "of their own"
        )
    worst = int(np.argmax(factors))
    return say(
        f"{len(again)} figures were measured again here, minutes after their pages. Typically "
        f"one came out within a factor of {middle} of its page's{inside_text}.",
        f"Farthest from its page came `{again[worst].quantity.removeprefix(AGAIN)}`, by a factor "
        f"of {units.number(factors[worst])}.",
    )
