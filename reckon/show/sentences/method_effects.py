"""What a method of measuring does to a value: whether it changes it, and the sentence on it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from reckon import units
from reckon.comparison.reports.method_groups import GroupResult, MethodResult, Ratio
from reckon.prediction.ratios import NEAR
from reckon.show.text import first_case, join_words, literal, percent
from reckon.show.titles import link, machines_of, title_of, with_titles

SAME = 0.05  # a method within this share of the baseline does not change the value
VAGUE = NEAR  # an interval wider than this factor that holds 1 shows nothing
# A cost inside a value, as a share of the difference from the baseline:
_EXPLAINS_ALL = 0.8  # from here on, and to a quarter more than it, the cost is the difference
_EXPLAINS_NONE = 0.05  # below, the cost is not mentioned

_MACHINE = re.compile(r" \([^()]*\)$")  # at the end of a title, whose method it is

Groups = dict[str, GroupResult]  # by name


@dataclass(frozen=True)
class RankedMethod:
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
        (ratio.rounds == 1, " (in a single round)"),
        (ratio.rounds > 1, f" in {ratio.rounds} rounds"),
        (True, " from the pages' values"),
    )


def effect(ratio: Ratio) -> str:
    """What a method does to the value: the middle part of its sentence."""
    low, high = interval_or_range(ratio)
    times = ratio_with_interval(ratio)
    within = f"(within {percent(max(0.001, 1 - low, high - 1))})"
    gives = f"gives {times} times Reckon's value"
    unclear = "cannot be distinguished from Reckon's method here"
    too_few = (
        f"was not measured in enough rounds here ({times} times Reckon's value{_basis(ratio)})"
    )
    chance = "too few to exclude chance"
    by_pages = first_case(
        (ratio.is_apart, f"{gives}{_basis(ratio)}, whose intervals do not overlap"),
        (True, f"is not shown to differ from Reckon's ({times} times its value{_basis(ratio)})"),
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
    return f" {several}{link(entry.includes)} is {amount} here, {explains}."


def method_sentence(method: MethodResult, group: GroupResult) -> str:
    """The item of a method in its group's list: what it does to the value, and how it differs."""
    baseline, ratio = group.baseline, group.ratio(method)
    is_apart = group.is_side_by_side and ratio.is_known and not ratio.rounds
    reason = with_titles(literal(method.reason))
    when = f" It was measured minutes apart: {reason}." if is_apart else ""
    predicate = first_case(
        (not method.has_value, "is not measured here"),
        (not baseline.has_value, "cannot be compared: Reckon's method has no value here"),
        (not ratio.is_known, f"gives {method.text()}, so no ratio is given"),
        (True, effect(ratio)),
    )
    difference = f" The difference: {method.entry.differs}." if method.entry.differs else ""
    cost = _included_cost(method, baseline, ratio) if ratio.is_known else ""
    return f"- **{method_title(method)}** {predicate}.{when}{difference}{cost}"
