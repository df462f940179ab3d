"""What a method of measuring does to a figure: computed sentences."""

from __future__ import annotations

import math

from reckon import units
from reckon.presentation.scores import NEAR
from reckon.presentation.text import first_case, literal
from reckon.reports.methods import GroupResult, MethodResult, Ratio

SAME = 0.05  # a method within this share of the baseline does not change the figure
VAGUE = NEAR  # an interval wider than this factor that holds 1 decides nothing
# A cost inside a figure, as a share of the difference from the baseline:
_EXPLAINS_ALL = 0.8  # from here on, and to a quarter more than it, the cost is the difference
_EXPLAINS_NONE = 0.05  # below, the cost is not mentioned


def ends(ratio: Ratio) -> tuple[float, float]:
    """The ratio's interval, or with too few rounds for one the least and the most of them."""
    if not math.isnan(ratio.low):
        return ratio.low, ratio.high
    return (ratio.minimum, ratio.maximum) if ratio.rounds else (ratio.middle, ratio.middle)


def times(ratio: Ratio) -> str:
    """ "2.91 (2.80 to 3.02)"; without its ends if they rest on one round or none."""
    low, high = (units.number(end) for end in ends(ratio))
    interval = f" ({low} to {high})" if ratio.rounds > 1 else ""
    return f"{units.number(ratio.middle)}{interval}"


def changes_figure(ratio: Ratio) -> bool:
    """Whether the method changes the figure, by more than chance and by more than SAME.

    Fewer rounds than an interval takes fall on one side by chance now and then, two of them every
    other time, so they must lie beyond VAGUE; a single round has no spread.
    """
    low, high = ends(ratio)
    if math.isnan(ratio.low):
        return ratio.rounds != 1 and (low > VAGUE or high < 1 / VAGUE)
    return not low <= 1 <= high and ratio.off > 1 + SAME


def _basis(ratio: Ratio) -> str:
    """What the ratio rests on, if that is less than an interval takes."""
    return first_case(
        (not math.isnan(ratio.low), ""),
        (ratio.rounds == 1, " (in a single round)"),
        (ratio.rounds > 1, f" in {ratio.rounds} rounds"),
        (True, " by the pages' figures"),
    )


def effect(ratio: Ratio) -> str:
    """What a method does to the figure: the middle part of its sentence."""
    low, high = ends(ratio)
    within = f"(within {units.number(max(0.1, 100 * max(1 - low, high - 1)), 2)} %)"
    gives = f"gives {times(ratio)} times our figure"
    unclear = "cannot be told from ours here"
    too_few = f"{unclear} ({times(ratio)} times it{_basis(ratio)}: too few to tell)"
    no_difference = "makes no difference here"
    return first_case(
        (changes_figure(ratio), f"{gives}{_basis(ratio)}"),
        (math.isnan(ratio.low), too_few),
        (low >= 1 - SAME and high <= 1 + SAME, f"{no_difference} {within}"),
        (not low <= 1 <= high, f"{gives}, and whether that matters cannot be told"),
        (low >= 1 / VAGUE and high <= VAGUE, f"{no_difference} that can be told {within}"),
        (True, f"{unclear} ({units.number(low)} to {units.number(high)} times it)"),
    )


def _included_cost(method: MethodResult, baseline: MethodResult, ratio: Ratio) -> str:
    """The sentence on the known cost inside the method's figure; "" if it explains nothing."""
    included, entry = method.included, method.entry
    if included is None or included.summary is None or not changes_figure(ratio):
        return ""
    total = entry.includes_times * included.median
    added = method.median - baseline.median
    share = total / added if added > 0 else 0
    if share < _EXPLAINS_NONE:
        return ""
    explains = first_case(
        (share > 1 / _EXPLAINS_ALL, "more than the difference"),
        (share >= _EXPLAINS_ALL, "which is the difference"),
        (True, f"{units.number(100 * share, 2)} % of the difference"),
    )
    count = entry.includes_times
    several = f"{units.plain(count)} times " if count != 1 else ""
    amount = units.amount(total, included.unit)
    return f" {several}`{entry.includes}` is {amount} here, {explains}."


def sentence(method: MethodResult, compared: GroupResult) -> str:
    """The item of a method in its group's list: what it does to the figure, and how it differs."""
    baseline, ratio = compared.baseline, compared.ratio(method)
    apart = compared.side_by_side and not ratio.rounds
    where = f" (minutes apart: {literal(method.reason)})" if apart else ""
    does = first_case(
        (not method.has_value, f"is not measured here ({literal(method.reason)})"),
        (not baseline.has_value, "cannot be held against ours"),
        (not ratio.known, f"gives {method.text()}, of which no ratio tells anything"),
        (True, f"{effect(ratio)}{where}"),
    )
    differs = f": {method.entry.differs}" if method.entry.differs else ""
    explained = _included_cost(method, baseline, ratio) if ratio.known else ""
    return f"- **{method.title}** {does}{differs}.{explained}"
