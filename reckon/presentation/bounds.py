"""What no figure can be beyond: a cycle, the link to the peer, the rate that a report states for its drive."""

from __future__ import annotations

import numpy as np

from reckon import units
from reckon.presentation.block import Block, say
from reckon.reports import methods, published
from reckon.reports.other_machines import Here, Others

CYCLE = 0.95  # so many cycles: the clock is known to some percent
RATE_SLACK = 1.02  # a shaped link lets so much through in a window
_WHOLE_MOST = 3  # so many places are named, more are counted


def _at(places: list[str], every: int) -> str:
    if every < 2:
        return ""
    return (
        f" at {', '.join(places)}"
        if len(places) <= _WHOLE_MOST
        else f" at {len(places)} of its {every} places"
    )


def _least(cycles: list[float]) -> str:
    return f"{'down to ' if len(cycles) > 1 else ''}{units.number(min(cycles))} cycles"


def _here(mine: Here, link: float | None) -> str:
    """What of one of this run's quantities cannot be; where even the prediction is none, nothing is wrong."""
    one = mine.one
    told = [f"{x:g}" for x in one.axis_told] if one.is_curve else [""]
    foreseen = one.sealed("predicted")
    below = [k for k, cycles in enumerate(mine.cycles) if cycles < CYCLE and foreseen[k] > 0]
    if below:
        return f"`{one.quantity}` of this run{_at([told[k] for k in below], len(told))}, " + _least(
            [mine.cycles[k] for k in below]
        )
    is_rate = units.dimension(one.unit) == units.dimension("byte/s")
    if link and is_rate and "_peer" in one.quantity and max(mine.medians) > RATE_SLACK * link:
        return f"`{one.quantity}` of this run, {units.amount(max(mine.medians), one.unit)}"
    return ""


def _drive(report: published.Report) -> float:
    """The most that a report's drive reads in a second, by what the report states; inf without."""
    stated = [
        units.to_base(one.value, one.unit)
        for one in report.fact
        if (one.of, one.component, one.attribute) == ("machine", "disk", "read bandwidth")
        and not isinstance(one.value, str)
        and "least" not in one.brief
    ]
    return max(stated, default=np.inf)


def _read_rate(one: published.Figure) -> float:
    """By how many bytes a second a report read a file; 0 where that is not known."""
    method = methods.of(one.quantity)
    if method is None or method.reads_bytes is None or not one.measured > 0:
        return 0
    at = method.reads_bytes == "at"
    size = units.to_base(one.at, one.at_unit) if at else method.reads_bytes
    return size / one.base(one.measured, "s")


def _there(report: published.Report, quantity: str) -> str:
    """What of a report's figures of a quantity cannot be."""
    every = [f for f in published.of(quantity) if f.report == report.name]
    whose = f"`{quantity}` of {report.machine}"
    told = lambda found: _at([f"{f.at:g}" for f in found if f.at is not None], len(every))  # noqa: E731
    is_time = {str(units.dimension(unit)) for unit in ("s", "cycle")}
    timed = [f for f in every if str(units.dimension(f.unit)) in is_time]
    below = [(f, cycles) for f in timed if (cycles := f.core_cycles(f.measured)) < CYCLE]
    if below:
        return f"{whose}{told([f for f, _ in below])}, {_least([cycles for _, cycles in below])}"
    rated = _drive(report)
    beyond = [(f, rate) for f in timed if (rate := _read_rate(f)) > RATE_SLACK * rated]
    if not beyond:
        return ""
    most = units.amount(max(rate for _, rate in beyond), "GB/s")
    return f"{whose}{told([f for f, _ in beyond])}, {most} from a drive of {units.amount(rated, 'GB/s')}"


def plausible(o: Others) -> Block:
    """Which of the figures cannot be what they claim, of this run (at every place), of the reports and of
    other runs: a time below a cycle, a rate beyond the link to the peer or beyond the drive."""
    link = o.here.machine.get("peer", {}).get("link_rate", {}).get("value")
    wanted = dict.fromkeys(
        f.quantity for f in published.figures() if f.quantity and f.measured is not None
    )
    odd = [_here(o.heres[name], link) for name in wanted if name in o.heres]
    odd += [_there(report, name) for report in published.all_reports() for name in wanted]
    odd += [
        f"`{cell.quantity}` of {column}, {units.number(cell.cycles_there)} cycles"
        for row in o.rows
        for column, cell in row.cells.items()
        if column in o.runs and cell.cycles_there < CYCLE
    ]
    text = "**Can it be?** No operation takes less than a cycle" + (
        f", nothing goes to this run's peer faster than the {units.amount(link, 'Gbit/s')} of the link"
        if link
        else ""
    )
    text += ", and no drive reads faster than its report says that it can"
    found = list(dict.fromkeys(filter(None, odd)))
    return say(
        text
        + (
            f". Beyond: {'; '.join(found)}. The page `methods` says by what way each was measured."
            if found
            else ". None is beyond."
        )
    )
