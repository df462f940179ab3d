"""The page `methods`: what the method of measuring alone does to a value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from reckon import units
from reckon.comparison.reports.method_groups import GroupResult, MethodResult, Ratio
from reckon.prediction.ratios import MISS, NEAR, factor_off, is_comparable, is_miss
from reckon.records.quantities.result import Result
from reckon.show.block import Block, MissingCell, say, table
from reckon.show.figures import drawings, style
from reckon.show.figures.drawings import Data
from reckon.show.figures.strips import HOLLOW, Mark, draw_strips, handle
from reckon.show.figures.style import BLACK, Look
from reckon.show.text import NONE, first_case, join_words, literal, percent, plural
from reckon.show.titles import link, machines_of, title_of, what_is_timed, with_titles

_METHODS_APART, _REPORTS_APART = 0.3, 0.12  # of a strip's height: all methods, two reports of one
_METHODS_NAMED = 12  # in the alt text
SAME = 0.05  # a method within this share of the baseline does not change the value
VAGUE = NEAR  # an interval wider than this factor that holds 1 shows nothing
# A cost inside a value, as a share of the difference from the baseline:
_EXPLAINS_ALL = 0.8  # from here on, and to a quarter more than it, the cost is the difference
_EXPLAINS_NONE = 0.05  # below, the cost is not mentioned
_MACHINE = re.compile(r" \([^()]*\)$")  # at the end of a title, whose method it is
Groups = dict[str, GroupResult]  # by name
_RANKED = 12  # methods that the ranking lists
_GROUP_COLUMNS = {
    "Method of": 16,
    "What is timed": 30,
    "Measured here": 18,
    "Ratio to Reckon's": 14,
    "Rounds": 8,
}


class RankedMethod(NamedTuple):
    """A method that has a ratio to the baseline of its group."""

    group: GroupResult
    method: MethodResult

    @property
    def ratio(self) -> Ratio:
        return self.group.ratio(self.method)


def method_title(method: MethodResult) -> str:
    """The method's owner and its name: "MACHINE: fork, exec"."""
    owner = join_words(machines_of(method.reports)) or "Reckon"
    quantity = method.entry.quantity
    if not quantity or quantity.rsplit("/", 1)[-1] in method.reports:
        return owner
    title = title_of(quantity)
    return f"{owner}: {_MACHINE.sub('', title) if method.reports else title}"


def changing_methods(groups: Groups) -> list[RankedMethod]:
    """The methods that change their values, from the largest change to the smallest."""
    ranked = [RankedMethod(group, m) for group in groups.values() for m in group.ranked]
    methods = [method for method in ranked if changes_value(method.ratio)]
    return sorted(methods, key=lambda method: -method.ratio.factor)


def interval_or_range(ratio: Ratio) -> tuple[float, float]:
    """The ratio's interval; with too few rounds for one, the minimum and maximum of them."""
    if not math.isnan(ratio.low):
        return ratio.low, ratio.high
    return (ratio.minimum, ratio.maximum) if ratio.rounds else (ratio.middle, ratio.middle)


def ratio_with_interval(ratio: Ratio) -> str:
    """ "2.91 (2.80 to 3.02)"; without its ends if there is one round or none."""
    if ratio.rounds <= 1:
        return units.number(ratio.middle)
    middle, interval = units.number_and_interval(ratio.middle, *interval_or_range(ratio))
    return f"{middle} ({interval})"


def changes_value(ratio: Ratio) -> bool:
    """Whether the method changes the value, by more than chance and by more than SAME.

    Fewer rounds than an interval takes fall on one side by chance now and then, two of them every
    other time, so they must lie beyond VAGUE, as pages' values whose intervals do not overlap; a
    single round has no spread.
    """
    low, high = interval_or_range(ratio)
    if math.isnan(ratio.low):
        return (ratio.rounds > 1 or ratio.is_apart) and (low > VAGUE or high < 1 / VAGUE)
    return not low <= 1 <= high and ratio.factor > 1 + SAME


def _basis(ratio: Ratio) -> str:
    """What the ratio is based on, if there are too few rounds for an interval."""
    return first_case(
        (not math.isnan(ratio.low), ""),
        (ratio.rounds == 1, " in a single round"),
        (ratio.rounds > 1, f" in {ratio.rounds} rounds"),
        (True, " from the chapters' values"),
    )


def effect(ratio: Ratio) -> str:
    """What a method does to the value: the middle part of its sentence."""
    low, high = interval_or_range(ratio)
    times = ratio_with_interval(ratio)
    within = f"(within {percent(max(0.001, 1 - low, high - 1))})"
    gives = f"gives {times} times Reckon's value"
    unclear = "cannot be distinguished from Reckon's method here"
    too_few = f"{gives}{_basis(ratio)}, which is not enough to show a difference"
    chance = "too few to exclude chance"
    by_pages = first_case(
        (ratio.is_apart, f"{gives}{_basis(ratio)}, whose intervals do not overlap"),
        (True, f"{gives}{_basis(ratio)}, which may be chance"),
    )
    unsure = f"{gives}; the difference may be less than {percent(SAME, 1)}"
    return first_case(
        (not ratio.rounds, by_pages),
        (changes_value(ratio) and math.isnan(ratio.low), f"{gives}{_basis(ratio)}, {chance}"),
        (changes_value(ratio), gives),
        (math.isnan(ratio.low), too_few),
        (low >= 1 - SAME and high <= 1 + SAME, f"makes no difference here {within}"),
        (not low <= 1 <= high, unsure),
        (low >= 1 / VAGUE and high <= VAGUE, f"makes no significant difference here {within}"),
        (True, f"{unclear} ({units.number(low)} to {units.number(high)} times its value)"),
    )


def _included_cost(method: MethodResult, baseline: MethodResult, ratio: Ratio) -> str:
    """The sentence on the known cost inside the method's value; "" if it explains nothing."""
    included, entry = method.included, method.entry
    if included is None or not changes_value(ratio):
        return ""
    total = entry.includes_times * included.median
    added = method.median - baseline.median
    share = total / added if added > 0 else 0
    if not share >= _EXPLAINS_NONE:
        return ""
    explains = first_case(
        (share > 1 / _EXPLAINS_ALL, "more than the difference"),
        (share >= _EXPLAINS_ALL, "about as much as the difference"),
        (True, f"{percent(share)} of the difference"),
    )
    count = entry.includes_times
    several = f"{units.plain(count)} times " if count != 1 else ""
    amount = units.amount(total, included.unit)
    return f" It contains {several}“{link(entry.includes)}”; this takes {amount} here, {explains}."


def method_sentence(method: MethodResult, group: GroupResult) -> str:
    """The item of a method in its group's list: what it does to the value, and how it differs."""
    baseline, ratio = group.baseline, group.ratio(method)
    is_apart = group.is_side_by_side and ratio.is_known and not ratio.rounds
    reason = with_titles(literal(method.reason))
    when = f" Its value comes from its chapter, measured at another time: {reason}." if is_apart else ""
    predicate = first_case(
        (not method.has_value, "is not measured here"),
        (not baseline.has_value, "cannot be compared: Reckon's method has no value here"),
        (not ratio.is_known, f"gives {method.text()}, so no ratio is given"),
        (True, effect(ratio)),
    )
    difference = f" How it differs: {method.entry.differs}." if method.entry.differs else ""
    cost = _included_cost(method, baseline, ratio) if ratio.is_known else ""
    return f"- **{method_title(method)}** {predicate}.{when}{difference}{cost}"


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
        first_case((rounds > 0, str(rounds)), (method.has_value, "chapter"), (True, NONE)),
    ]


def group(result: GroupResult) -> Block:
    """The table of a group and a sentence on each method, in the order of their effects."""
    baseline = result.baseline
    if not any(method.has_value for method in (baseline, *result.methods)):
        return say(f"There is nothing to compare: {literal(baseline.reason)}.")
    methods = [*result.ranked, *result.unranked]
    why = f"{with_titles(literal(baseline.reason))}.\n\n"
    lead = first_case(
        (not baseline.has_value, f"Reckon's method has no value here: {why}"),
        (not result.is_side_by_side, f"These values come from their chapters, measured at other times: {why}"),
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
        return say("No chapter has been measured yet, so nothing can be compared.")
    significant = [ranked.ratio for ranked in changed if not math.isnan(ranked.ratio.low)]
    twice, few = sum(ratio.factor > MISS for ratio in significant), len(changed) - len(significant)
    sentences = [
        f"Of {count} methods, {len(significant)} change the value on this machine by more than "
        f"chance and by more than {percent(SAME, 1)}, {twice} of them by more than a factor of two."
    ]
    if few:
        sentences.append(
            f"{few} more {plural(few, 'differs', 'differ')} by more than {percent(VAGUE - 1)}, but perhaps by chance: "
            "there were too few rounds, or only the values from the chapters."
        )
    if changed:
        first = changed[0]
        title, ratio = first.group.title, units.number(first.ratio.middle)
        sentences.append(
            f"The largest difference is that of **{method_title(first.method)}**: it gives {ratio} times "
            f"Reckon's value for *{title[0].lower()}{title[1:]}*. How it differs: "
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
        f"{len(results)} values were measured again here, minutes after their chapters. Half of "
        f"them are within a factor of {units.number(float(np.median(factors)))} of their chapter's value.",
        _inside_pages_intervals(inside),
        f"The largest difference is that of {link(results[worst].quantity)}: "
        f"a factor of {units.number(factors[worst])}.",
    )


def _inside_pages_intervals(inside: list[bool]) -> str:
    """How many of the values lie in the intervals that their pages print."""
    if not inside:
        return ""
    count, total = sum(inside), len(inside)
    share = percent(count / total)
    return f"Of the {total} values whose chapter prints an interval, {count} ({share}) lie in it."


def method_ratios(groups: Groups, name: str, caption: str) -> Block:
    """A strip for each group: every method's value over the baseline's, with the minimum and the
    maximum of the rounds."""
    ranked = [group for group in groups.values() if group.ranked]
    if not ranked:
        return say("There is nothing to draw: no chapter has been measured yet.")
    names = {report for group in ranked for method in group.ranked for report in method.reports}
    looks = {report: look for report, look in style.report_looks().items() if report in names}
    looks[""] = {"color": BLACK, "marker": "d"}
    with drawings.new(1.0 + 0.26 * len(ranked)) as drawing:
        drawing.axes.axvline(1, color=BLACK, lw=0.8)
        strips = [(group.title, list(_method_marks(group, looks))) for group in ranked]
        xlabel = (
            "ratio to Reckon's value (line: minimum to maximum of the rounds; hollow: from its "
            "chapter)"
        )
        rows = draw_strips(drawing.axes, strips, xlabel, fontsize=7)
        labels = [*machines_of(looks), "another method of Reckon"]
        drawing.legend([handle(*each) for each in zip(labels, looks.values(), strict=True)])
        alt = "The largest differences: " + "; ".join(
            f"{title_of(change.method.entry.quantity)} {units.number(change.ratio.middle)} times"
            for change in changing_methods(groups)[:_METHODS_NAMED]
        )
        caption += _methods_finding(groups)
        header = ["group", "quantity", "reports", "ratio", "minimum", "maximum", "rounds"]
        return drawing.save(name, caption, alt, Data(header, rows))


def _methods_finding(groups: Groups) -> str:
    """How many methods are off by more than a factor of two, and by how much the farthest is."""
    count = sum(len(group.ranked) for group in groups.values())
    changes = changing_methods(groups)
    if not changes:
        return f". None of {count} changes it by more than chance"
    misses = [change.ratio for change in changes if is_miss(change.ratio.middle)]
    certain = sum(not math.isnan(ratio.low) for ratio in misses)
    return (
        f". {len(misses)} of {count} are off by more than a factor of two, {certain} of these by "
        f"more than chance. The farthest is off by {units.number(changes[0].ratio.factor)} times"
    )


def _method_marks(group: GroupResult, looks: dict[str, Look]) -> Iterator[Mark]:
    """A mark for each report that uses a method, hollow if the value is from its page."""
    offsets = np.linspace(-_METHODS_APART / 2, _METHODS_APART / 2, len(group.ranked))
    for method, offset in zip(group.ranked, offsets, strict=True):
        ratio = group.ratio(method)
        ends = (ratio.minimum, ratio.maximum)
        values = [f"{value:.6g}" for value in (ratio.middle, *ends)]
        for k, report in enumerate(method.reports or ("",)):
            fill = {} if ratio.rounds else HOLLOW
            yield Mark(
                ratio.middle,
                {**looks[report], "ms": 4, **fill},
                [group.title, method.entry.quantity, report, *values, str(ratio.rounds)],
                ends=ends if ratio.rounds > 1 and ratio.minimum > 0 else None,
                offset=offset + _REPORTS_APART * k,
            )
