"""What a method of measuring does to a figure: computed sentences."""

from __future__ import annotations

import math

from reckon import units
from reckon.presentation.block import Block, say
from reckon.presentation.text import first_case
from reckon.records.result import ops_in_a_trial, result
from reckon.records.session import session
from reckon.reports import methods
from reckon.reports.methods import GroupResult, MethodResult, Ratio

SAME = 0.05  # a method within this share of the yardstick does not change the figure
VAGUE = 1.25  # an interval wider than this factor that holds 1 decides nothing
_WHOLE = 0.8  # a cost of this share of a difference, to a quarter more than it, is the difference
_NONE = 0.05  # a cost of a smaller share of a difference explains none of it
_HALF = 0.5
_STEPS_FEW = 4  # a subtraction takes four readings of the counter, each off by up to a step


def ends(ratio: Ratio) -> tuple[float, float]:
    """The ratio's interval, or with too few rounds for one the least and the most of them."""
    if not math.isnan(ratio.low):
        return ratio.low, ratio.high
    return (ratio.least, ratio.most) if ratio.rounds else (ratio.middle, ratio.middle)


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


def _rests_on(ratio: Ratio) -> str:
    """What the ratio rests on, if that is less than an interval takes."""
    return first_case(
        (not math.isnan(ratio.low), ""),
        (ratio.rounds == 1, " (in a single round)"),
        (ratio.rounds > 1, f" in {ratio.rounds} rounds"),
        (True, " by the pages' figures"),
    )


def effect(ratio: Ratio) -> str:
    """What a method does to the figure."""
    low, high = ends(ratio)
    percent = units.number(max(0.1, 100 * max(abs(low - 1), abs(high - 1))), 2)
    gives = f"gives {times(ratio)} times our figure"
    unclear = "cannot be told from ours here"
    return first_case(
        (changes_figure(ratio), f"{gives}{_rests_on(ratio)}"),
        (
            math.isnan(ratio.low),
            f"{unclear} ({times(ratio)} times it{_rests_on(ratio)}: too few to tell)",
        ),
        (low >= 1 - SAME and high <= 1 + SAME, f"makes no difference here (within {percent} %)"),
        (not low <= 1 <= high, f"{gives}, and whether that matters cannot be told"),
        (
            low >= 1 / VAGUE and high <= VAGUE,
            f"makes no difference here that can be told (within {percent} %)",
        ),
        (True, f"{unclear} ({units.number(low)} to {units.number(high)} times it)"),
    )


def _cost(method: MethodResult, ours: MethodResult, ratio: Ratio) -> str:
    """What share of the difference the known cost inside the method's figure is."""
    inside = method.included
    if inside is None or inside.summary is None or not changes_figure(ratio):
        return ""
    listed, cost = method.listed, methods.cost(method.listed.includes)
    total = listed.includes_times * inside.median
    added = method.median - ours.median
    share = total / added if added > 0 else 0
    if share < _NONE:
        return ""
    many = listed.includes_times
    several = f"{units.plain(many)} times " if many != 1 else ""
    in_a_row = set(cost.in_a_row) & set(ours.point.params)
    rest = f"; the rest is not {cost.name}"
    if in_a_row:
        rest += ": single calls stand between them in place of many in a row"
    explains = first_case(
        (share > 1 / _WHOLE, ", more than the difference"),
        (share >= _WHOLE, ", which is the difference"),
        (share >= _HALF, f", {units.number(100 * share, 2)} % of the difference"),
        (True, f", {units.number(100 * share, 2)} % of the difference{rest}"),
    )
    traps = inside.core_cycles.median > cost.traps_above_cycles
    trapped = ": it traps, and the hypervisor answers it" if traps else ""
    amount = units.amount(total, inside.unit)
    return f" {several}`{listed.includes}` is {amount} here{explains}{trapped}."


def counter_step() -> float:
    """The least step of the time-stamp counter, in seconds; nan if no page has measured it."""
    results = [result(session().run.name, name) for name in methods.counter_readings()]
    steps = [one.counter_step for one in results if one]
    return min((step for step in steps if not math.isnan(step)), default=math.nan)


def counter() -> Block:
    """What the counter's step does to short figures."""
    step = counter_step()
    if math.isnan(step):
        return say("")
    return say(
        f"The counter goes on in steps of {units.amount(step, 'ns')} here. A figure from single "
        "readings is so many of them, and what differs by few may not differ at all."
    )


def _ops_between_readings(method: MethodResult) -> float:
    """How many operations of the yardstick lie between two readings of the counter."""
    point = method.repeated.points[0] if method.repeated else method.point
    return method.divisor * ops_in_a_trial(point)


def _steps(method: MethodResult, ours: MethodResult, ratio: Ratio) -> str:
    """How few steps of the counter a difference is, if few."""
    if units.dimension(method.page.unit) != units.dimension("s") or ratio.off <= 1 + SAME:
        return ""
    step = counter_step()
    ops = min(_ops_between_readings(method), _ops_between_readings(ours))
    steps = abs(method.median - ours.median) * ops / step
    if not steps < _STEPS_FEW:
        return ""
    count = "less than a step" if steps < 1 else f"{units.number(steps, 2)} steps"
    of = f", {units.plain(ops)} of them between two readings" if ops > 1 else ""
    return f" The difference is {count} of the counter ({units.amount(step, 'ns')}{of})."


def sentence(method: MethodResult, compared: GroupResult) -> str:
    """One item of a group's list: what the method does to the figure, and what it does
    otherwise."""
    ours, ratio = compared.baseline, compared.ratio(method)
    differs = f": {method.listed.differs}" if method.listed.differs else ""
    title = f"- **{method.title}**"
    if not method.has_value:
        return f"{title} is not measured here ({method.reason}){differs}."
    if not ours.has_value:
        return f"{title} cannot be held against ours{differs}."
    if not ratio.known:
        gives = f"{title} gives {method.text()}, of which no ratio tells anything{differs}."
        return gives + _steps(method, ours, ratio)
    apart = compared.side_by_side and not ratio.rounds
    where = f" (minutes apart: {method.reason})" if apart else ""
    explained = _cost(method, ours, ratio) or _steps(method, ours, ratio)
    return f"{title} {effect(ratio)}{where}{differs}.{explained}"
