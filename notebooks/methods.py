"""The page `methods`: what the method of measuring alone does to a value."""

from __future__ import annotations

import math

import numpy as np

from reckon import units
from reckon.comparison.reports.method_groups import GroupResult, MethodResult
from reckon.measurement.same_quantity import disagreements
from reckon.prediction.ratios import MISS, factor_off, is_comparable
from reckon.records.quantities.result import Result
from reckon.show.block import Block, MissingCell, say, table
from reckon.show.sentences import shown_twice
from reckon.show.sentences.method_effects import (
    SAME,
    VAGUE,
    Groups,
    changing_methods,
    method_sentence,
    method_title,
    ratio_with_interval,
)
from reckon.show.text import NONE, first_case, literal, percent, plural
from reckon.show.titles import link, what_is_timed, with_titles

_RANKED = 12  # methods that the ranking lists


def results(groups: Groups) -> list[Result]:
    """Every result that is compared here: measured again or, if not, as its page has it."""
    methods = [m for group in groups.values() for m in (group.baseline, *group.methods)]
    compared = [method.repeated or method.page for method in methods]
    return list({result.quantity: result for result in compared if result}.values())


def _row(method: MethodResult, group: GroupResult) -> list[str]:
    ratio = group.ratio(method)
    is_baseline = method is group.baseline
    rounds = len(method.values) if is_baseline and method.repeated else ratio.rounds
    measurement = method.page.measurement if method.page else None
    return [
        f"**{method_title(method)}**" if is_baseline else method_title(method),
        what_is_timed(measurement) if measurement else NONE,
        method.text() or MissingCell("not measured", with_titles(literal(method.reason))),
        first_case((is_baseline, "1"), (ratio.is_known, ratio_with_interval(ratio)), (True, NONE)),
        first_case((rounds > 0, str(rounds)), (method.has_value, "its page"), (True, NONE)),
    ]


_GROUP_COLUMNS = {
    "Method of": 16,
    "What is timed": 30,
    "Measured here": 18,
    "Ratio to Reckon's": 14,
    "Rounds": 8,
}


def group(result: GroupResult) -> Block:
    """The table of a group and a sentence on each method, in the order of their effects."""
    baseline = result.baseline
    if not any(method.has_value for method in (baseline, *result.methods)):
        return say(f"There is nothing to compare: {literal(baseline.reason)}.")
    methods = [*result.ranked, *result.unranked]
    why = f"{with_titles(literal(baseline.reason))}.\n\n"
    lead = first_case(
        (not baseline.has_value, f"Reckon's method has no value here: {why}"),
        (not result.is_side_by_side, f"From their pages, minutes apart: {why}"),
    )
    rows = [_row(method, result) for method in (baseline, *methods)]
    caption, name = f"{result.title} by every method", f"methods-{result.group.name}"
    described = [method for method in methods if method.has_value or method.entry.differs]
    sentences = "\n".join(method_sentence(method, result) for method in described)
    return Block(f"{lead}{table(_GROUP_COLUMNS, rows, caption, name).markdown}\n\n{sentences}")


def effects_summary(groups: Groups) -> Block:
    """How many methods change their values, and the one with the largest change."""
    count, changed = sum(len(group.ranked) for group in groups.values()), changing_methods(groups)
    if not count:
        return say("No page has been measured yet, so that nothing can be compared.")
    significant = [ranked.ratio for ranked in changed if not math.isnan(ranked.ratio.low)]
    twice, few = sum(ratio.factor > MISS for ratio in significant), len(changed) - len(significant)
    sentences = [
        f"Of {count} methods, {len(significant)} change the value on this machine by more than "
        f"chance and by more than {percent(SAME, 1)}, {twice} of them by more than a factor of two."
    ]
    if few:
        sentences.append(
            f"{few} more {plural(few, 'differs', 'differ')} by more than {percent(VAGUE - 1)}; but "
            "with too few rounds, or with the pages' values alone, that may be chance."
        )
    if changed:
        first = changed[0]
        title, ratio = first.group.title, units.number(first.ratio.middle)
        sentences.append(
            f"The largest difference: **{method_title(first.method)}** gives {ratio} times "
            f"Reckon's value for *{title[0].lower()}{title[1:]}*. The difference: "
            f"{first.method.entry.differs}."
        )
    return say(*sentences)


def ranking(groups: Groups, caption: str, name: str) -> Block:
    """The table of the methods with the largest changes, largest change first."""
    rows = [
        [
            r.group.title,
            method_title(r.method),
            ratio_with_interval(r.ratio),
            r.method.entry.differs,
        ]
        for r in changing_methods(groups)[:_RANKED]
    ]
    columns = {"Quantity": 22, "Method of": 20, "Ratio to Reckon's": 18, "How it differs": 40}
    return table(columns, rows, caption, name)


def repeatability(groups: Groups) -> Block:
    """How well values repeat: the prediction is that they equal those of their own pages."""
    methods = [m for group in groups.values() for m in (group.baseline, *group.methods)]
    repeated = {
        method.repeated.quantity: (method.repeated, method.page_summary)
        for method in methods
        if method.repeated and is_comparable(method.repeated.ratio)
    }
    if not repeated:
        return say("Nothing was measured again.")
    results = [result for result, _ in repeated.values()]
    factors = factor_off(np.array([result.ratio for result in results]))
    inside = [
        page.interval.holds(result.median)
        for result, page in repeated.values()
        if page and page.interval.is_known and not result.is_of_two_groups
    ]
    worst = int(np.argmax(factors))
    return say(
        f"{len(results)} values were measured again here, minutes after their pages. Half of "
        f"them are within a factor of {units.number(float(np.median(factors)))} of their page's.",
        _inside_pages_intervals(inside),
        f"The largest difference: {link(results[worst].quantity)}, "
        f"a factor of {units.number(factors[worst])}.",
    )


def _inside_pages_intervals(inside: list[bool]) -> str:
    """How many of the values lie in the intervals that their pages print."""
    if not inside:
        return ""
    count, total = sum(inside), len(inside)
    share = percent(count / total)
    return f"Of the {total} whose page prints an interval, {count} ({share}) lie in it."


def apart(own: list[Result], groups: Groups) -> Block:
    """Which values of one quantity do not agree, of the pages (`own`) and of those measured again:
    both, what differs between how they were measured, and whether that explains it."""
    pairs = disagreements([*own, *results(groups)])
    if not pairs:
        return say("All values of one quantity agree: their intervals overlap.")
    count, explained = len(pairs), sum(pair.is_explained for pair in pairs)
    return say(
        f"{count} {plural(count, 'pair does', 'pairs do')} not agree; a known difference or the "
        f"machine's drift may explain {explained}.",
        [f"- {shown_twice.sentences(pair)}" for pair in pairs],
    )
