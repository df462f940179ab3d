"""What a way of measuring does to a figure, in words."""

from __future__ import annotations

import math

from reckon import units
from reckon.presentation.block import Block, say
from reckon.records.result import ops_in_a_trial, result
from reckon.records.session import session
from reckon.reports.methods import Compared, Ratio, Way

# A way that lies so close to ours does not change the figure; a wider interval than the second, with ours
# in it, says nothing either way.
SAME = 0.05
VAGUE = 1.25
_ALL = 0.8  # such a share of a difference, or a quarter more than it, is the difference
_SOME = 0.05  # a smaller share of a difference is none of it
_HALF = 0.5
_FEW_STEPS = 4  # a subtraction takes four readings of the counter, each off by up to a step
_TRAPS_CYCLES = (
    800  # a CPUID that no hypervisor intercepts takes 100 to 250 (Fog, instruction tables)
)


def ends(ratio: Ratio) -> tuple[float, float]:
    """Between what the ratio lies: its interval, or with too few rounds for one what they gave."""
    if not math.isnan(ratio.low):
        return ratio.low, ratio.high
    return (ratio.least, ratio.most) if ratio.rounds else (ratio.middle, ratio.middle)


def times(ratio: Ratio) -> str:
    """ "2.91 (2.80 to 3.02)"."""
    low, high = ends(ratio)
    return units.number(ratio.middle) + (
        f" ({units.number(low)} to {units.number(high)})" if ratio.rounds > 1 else ""
    )


def is_told(ratio: Ratio) -> bool:
    """Whether it changes the figure, and by what matters. Fewer rounds than an interval takes all fall on one side
    by chance now and then (two of them every other time), and so must lie far off; one alone has no spread."""
    low, high = ends(ratio)
    if math.isnan(ratio.low):
        return ratio.rounds != 1 and (low > VAGUE or high < 1 / VAGUE)
    return not low <= 1 <= high and ratio.off > 1 + SAME


def _few(ratio: Ratio) -> str:
    """What the figure rests on, where that is less than an interval takes."""
    if not math.isnan(ratio.low):
        return ""
    if ratio.rounds == 1:
        return " (in a single round)"
    return f" in {ratio.rounds} rounds" if ratio.rounds else " by the pages' figures"


def _effect(ratio: Ratio) -> str:
    """What it does to the figure, in words."""
    low, high = ends(ratio)
    within = f"within {units.number(max(0.1, 100 * max(abs(low - 1), abs(high - 1))), 2)} %"
    if is_told(ratio):
        return f"gives {times(ratio)} times our figure{_few(ratio)}"
    if math.isnan(ratio.low):
        return (
            f"cannot be told from ours here ({times(ratio)} times it{_few(ratio)}: too few to tell)"
        )
    if 1 - SAME <= low and high <= 1 + SAME:
        return f"makes no difference here ({within})"
    if not low <= 1 <= high:
        return f"gives {times(ratio)} times our figure, and whether that matters cannot be told"
    if 1 / VAGUE <= low and high <= VAGUE:
        return f"makes no difference here that can be told ({within})"
    return f"cannot be told from ours here ({units.number(low)} to {units.number(high)} times it)"


_REST = {"cpu/timer/paoloni": "the stamps", "cpu/timer/cpuid": "CPUID"}


def _rest(way: Way, ours: Way) -> str:
    """What the larger part of a difference is not."""
    text = f"; the rest is not {_REST.get(way.row.costs, 'that')}"
    in_a_row = {"calls", "turns"} & set(ours.point.params) and way.row.costs == "cpu/timer/paoloni"
    return text + (
        ": single calls stand between them in place of many in a row" if in_a_row else ""
    )


def _part(way: Way, ours: Way, ratio: Ratio) -> str:
    """What share of the difference is known to lie inside its figure."""
    one = way.inside
    if one is None or one.summary is None or not is_told(ratio):
        return ""
    whole = way.row.times * one.median
    several = f"{units.plain(way.row.times)} times " if way.row.times != 1 else ""
    text = f" {several}`{way.row.costs}` is {units.amount(whole, one.unit)} here"
    added = way.median - ours.median
    share = whole / added if added > 0 else 0
    if share < _SOME:
        return ""
    if share > 1 / _ALL:
        text += ", more than the difference"
    elif share >= _ALL:
        text += ", which is the difference"
    else:
        text += f", {units.number(100 * share, 2)} % of the difference"
        text += _rest(way, ours) if share < _HALF else ""
    if way.row.costs.endswith("/cpuid") and one.core_cycles.median > _TRAPS_CYCLES:
        text += ": it traps, and the hypervisor answers it"
    return text + "."


_SINGLE_READINGS = ("cpu/timer/pair", "cpu/timer/t470", "cpu/timer/paoloni")


def counter_step() -> float:
    """By how much the counter goes on at least, in seconds; nan where no page has seen it do so."""
    rows = [result(session().run.name, name) for name in _SINGLE_READINGS]
    return min(
        (step for one in rows if one and not math.isnan(step := one.counter_step)), default=math.nan
    )


def counter() -> Block:
    """What of a short figure the counter itself makes."""
    step = counter_step()
    return say(
        ""
        if math.isnan(step)
        else f"The counter goes on in steps of {units.amount(step, 'ns')} here. A figure "
        "from single readings is so many of them, and what differs by few may not differ at all."
    )


def _at_a_time(way: Way) -> float:
    """How many operations of the yardstick lie between two readings of the counter."""
    point = way.again.points[0] if way.again else way.point
    return way.per * ops_in_a_trial(point)


def _steps(way: Way, ours: Way, ratio: Ratio) -> str:
    """That a difference may be the counter's."""
    if units.dimension(way.page.unit) != units.dimension("s") or ratio.off <= 1 + SAME:
        return ""
    step, ops = counter_step(), min(_at_a_time(way), _at_a_time(ours))
    steps = abs(way.median - ours.median) * ops / step
    if not steps < _FEW_STEPS:
        return ""
    many = "less than a step" if steps < 1 else f"{units.number(steps, 2)} steps"
    of = f", {units.plain(ops)} of them between two readings" if ops > 1 else ""
    return f" The difference is {many} of the counter ({units.amount(step, 'ns')}{of})."


def sentence(way: Way, compared: Compared) -> str:
    """One item of the list: what it does to the figure, and what it does otherwise."""
    ratio, differs = compared.ratio(way), f": {way.row.differs}" if way.row.differs else ""
    if not way.has_figure:
        return f"- **{way.title}** is not measured here ({way.reason}){differs}."
    if not compared.ours.has_figure:
        return f"- **{way.title}** cannot be held against ours{differs}."
    if not ratio.known:
        return (
            f"- **{way.title}** gives {way.told()}, of which no ratio tells anything{differs}."
            + _steps(way, compared.ours, ratio)
        )
    apart = f" (minutes apart: {way.reason})" if compared.side_by_side and not ratio.rounds else ""
    return f"- **{way.title}** {_effect(ratio)}{apart}{differs}." + (
        _part(way, compared.ours, ratio) or _steps(way, compared.ours, ratio)
    )
