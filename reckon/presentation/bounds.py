"""Figures that cannot be what they claim: below a cycle, beyond a link, a drive or given bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reckon import units
from reckon.prediction.inputs import Input
from reckon.presentation.block import Block, label, say, table
from reckon.presentation.text import described, first_case, verb
from reckon.records.result import Result
from reckon.records.session import session
from reckon.reports import methods, published
from reckon.reports.methods import GroupResult, MethodResult
from reckon.reports.other_machines import Others, RunValues

_CYCLE = 0.95  # the clock is known to a few percent
_RATE_SLACK = 1.02  # a shaped link lets more than its rate through in a short window
_PLACES_MOST = 3  # places of a curve that are printed; of more, only their number
_OUTSIDE_MOST = 3  # figures of a curve outside their bounds that are printed one by one


@dataclass(frozen=True)
class Bounds:
    """What no figure can be outside of, in `unit`, and why."""

    least: float
    unit: str
    why: str
    most: float = math.inf
    with_reports: bool = True  # the reports' machines have the same bounds
    block_bytes: int = 0  # the bounds are for this many bytes; more bytes are judged by their share
    because: str = ""  # what explains figures outside

    def rule(self) -> str:
        """The sentence that states the bounds."""
        text = f"No figure here can be below {self.text(self.least)}"
        if math.isfinite(self.most):
            text += f" or above {self.text(self.most)}"
        if self.block_bytes:
            text += f" for {units.size(self.block_bytes, 'byte')}"
        return f"{text}: {self.why}."

    def text(self, value: float) -> str:
        return f"{units.number(value)} {units.spoken(self.unit)}"


@dataclass(frozen=True)
class _Judged:
    """A figure and where it is from; `value` in the bounds' unit."""

    quantity: str
    owner: str
    where: str
    value: float


def plausibility(results: list[Result], least: float, unit: str, why: str, **more) -> Block:
    """Figures of this run, and of the reports where the bounds are theirs too, that cannot be what
    they claim. `more` are the other fields of Bounds."""
    bounds = Bounds(least, unit, why, **more)
    figures = [figure for result in results for figure in _figures(result, bounds)]
    outside: dict[tuple[str, str], list[_Judged]] = {}
    for figure in figures:
        if not bounds.least <= figure.value <= bounds.most:
            outside.setdefault((figure.quantity, figure.owner), []).append(figure)
    odd = [text for group in outside.values() for text in _outside(group, bounds)]
    odd += [text for result in results for text in _not_positive(result, bounds)]
    if not odd:
        return say(bounds.rule(), "None is.")
    return say(bounds.rule(), f"Outside: {'; '.join(odd)}.", bounds.because)


def _values(result: Result, bounds: Bounds) -> list[float]:
    """The medians in the bounds' unit."""
    if bounds.unit == "cycle":
        return [summary.median for summary in result.cycles]
    return [units.from_base(value, bounds.unit) for value in result.medians]


def _where(result: Result, i: int) -> str:
    return f" at {units.place(result.axis[i], result.axis_unit)}" if result.is_curve else ""


def _figures(result: Result, bounds: Bounds) -> Iterator[_Judged]:
    """This run's figures of a quantity and the reports'."""
    name = result.quantity
    for i, value in enumerate(_values(result, bounds)):
        at = float(result.axis[i]) if result.is_curve else None
        share = _share(result, bounds.block_bytes, at)
        yield _Judged(name, "this run", _where(result, i), value * share)
    for f in published.of(name) if bounds.with_reports else ():
        value = f.base(f.measured, result.unit)
        value = value * f.core_hz if bounds.unit == "cycle" else units.from_base(value, bounds.unit)
        at = None
        if bounds.block_bytes and f.at is not None:
            at = float(units.to_base(f.at, result.axis_unit))
        where = f" at {f.at:g}" if f.at is not None else ""
        yield _Judged(name, f.report, where, value * _share(result, bounds.block_bytes, at))


def _not_positive(result: Result, bounds: Bounds) -> list[str]:
    """Where single trials are not positive though the median is."""
    return [
        f"`{result.quantity}`{_where(result, i)} of this run: trials down to "
        f"{units.amount(result.summaries[i].minimum, result.unit)}"
        for i, value in enumerate(_values(result, bounds))
        if result.summaries[i].minimum <= 0 < value
    ]


def _share(result: Result, block_bytes: int, at: float | None) -> float:
    """The share that `block_bytes` are of what one operation reads, there on its axis."""
    if not block_bytes:
        return 1.0
    m = result.measurement
    size_name = "file_bytes" if m.op == "file" else "block_bytes"
    along_axis = at is not None and (m.op == "file" or m.axis == size_name)
    return block_bytes / (at if along_axis else m.params.get(size_name, block_bytes))


def _outside(group: list[_Judged], bounds: Bounds) -> list[str]:
    """A curve's figures outside: each by itself or, of many, their number and the worst."""
    what, owner = f"`{group[0].quantity}`", group[0].owner
    if len(group) <= _OUTSIDE_MOST:
        return [f"{what}{one.where} of {owner}: {bounds.text(one.value)}" for one in group]

    def rank(figure: _Judged) -> float:
        return bounds.most / figure.value if figure.value > bounds.most else figure.value

    worst = min(group, key=rank)
    return [
        f"{what} of {owner}: {len(group)} figures, the worst "
        f"{bounds.text(worst.value)}{worst.where}"
    ]


def drives(
    results: list[Result], block_bytes: float, limits: dict[str, Input], caption: str, name: str
) -> Block:
    """Whether a drive can give what N readers got together: N blocks in each reader's time for one.

    `limits`: bytes a second by report, "" for this run; a report without one is left out.
    """
    rows = []
    for result in results:
        if result.has_samples:
            points = list(zip(result.axis, result.medians, strict=True))
            rows.append(_drive_row(result, "this run", limits[""], points, block_bytes))
        for report, limit in limits.items():
            points = [
                (f.at, f.base(f.measured, result.unit))
                for f in published.of(result.quantity)
                if f.report == report and f.at is not None
            ]
            if points:
                rows.append(_drive_row(result, "its report", limit, points, block_bytes))
    columns = {
        "Figures of": 26,
        "At most, with so many readers": 24,
        "What the drive can": 36,
        "Beyond it": 14,
    }
    return table(columns, rows, caption, name)


def _drive_row(
    result: Result,
    owner: str,
    limit: Input,
    points: list[tuple[float, float]],
    block_bytes: float,
) -> list[str]:
    """`points` are (readers, seconds of each for a block)."""
    rates = [(readers * block_bytes / seconds, readers) for readers, seconds in points]
    best, readers = max(rates)
    most = limit.high if limit.origin == "guess" else limit.value
    beyond = sum(rate > most for rate, _ in rates)
    cited = f" {{cite}}`{limit.cite}`" if limit.cite else ""
    at_most = "at most, " if limit.origin == "guess" else ""
    return [
        f"{label(result.quantity)}, {owner}",
        f"{units.amount(best, 'MB/s')} with {readers:g}",
        f"{units.amount(most, 'MB/s')}: {at_most}{limit.source}{cited}",
        f"{beyond} of {len(rates)}" if beyond else "none",
    ]


# Of the pages that compare machines and methods: no figure is below a cycle or beyond a link.


def _is_rate(unit: str) -> bool:
    return units.dimension(unit) == units.dimension("byte/s")


def _impossible(cycles: float, rate: float, link: float | None) -> str:
    """ "cycle" or "link", the limit that a time in cycles or a rate over the link breaks; or ""."""
    return first_case(
        (cycles < _CYCLE, "cycle"),
        (bool(link) and rate > _RATE_SLACK * (link or math.inf), "link"),
    )


def of_machines(o: Others) -> Block:
    """Impossible figures of this run (at every place), of the reports and of other runs."""
    link = described(o.here.machine, "peer", "link_rate")
    measured = (f for f in published.figures() if f.quantity and f.measured is not None)
    quantities = dict.fromkeys(f.quantity for f in measured)
    odd = [_here(o.values[name], link) for name in quantities if name in o.values]
    odd += [_there(report, name) for report in published.all_reports() for name in quantities]
    odd += [
        f"`{cell.quantity}` of {column}, {units.number(cell.cycles_there)} cycles"
        for row in o.rows
        for column, cell in row.cells.items()
        if column in o.runs and _impossible(cell.cycles_there, math.nan, link)
    ]
    rule = "**Can it be?** No operation takes less than a cycle"
    if link:
        rate = units.amount(link, "Gbit/s")
        rule += f", nothing goes to this run's peer faster than the {rate} of the link"
    rule += ", and no drive reads faster than its report says that it can."
    named = list(dict.fromkeys(filter(None, odd)))
    if not named:
        return say(rule, "None is beyond.")
    end = "The page `methods` says by what way each was measured."
    return say(rule, f"Beyond: {'; '.join(named)}. {end}")


def _at(places: list[str], count: int) -> str:
    """Places of a curve of `count` points, or how many they are."""
    return first_case(
        (count < 2, ""),
        (len(places) <= _PLACES_MOST, f" at {', '.join(places)}"),
        (True, f" at {len(places)} of its {count} places"),
    )


def _least(cycles: list[float]) -> str:
    return f"{'down to ' if len(cycles) > 1 else ''}{units.number(min(cycles))} cycles"


def _here(mine: RunValues, link: float | None) -> str:
    """What of this run's quantity is impossible; where the prediction is 0, 0 is possible."""
    result = mine.one
    whose = f"`{result.quantity}` of this run"
    sealed = result.sealed("predicted")
    below = [
        k
        for k, cycles in enumerate(mine.cycles)
        if _impossible(cycles, math.nan, link) and sealed[k] > 0
    ]
    if below:
        places = [f"{result.axis_told[k]:g}" for k in below] if result.is_curve else []
        cycles = [mine.cycles[k] for k in below]
        return f"{whose}{_at(places, len(mine.cycles))}, {_least(cycles)}"
    over_the_link = _is_rate(result.unit) and result.measurement.peer
    best = max(mine.medians)
    if over_the_link and _impossible(math.nan, best, link):
        return f"{whose}, {units.amount(best, result.unit)}"
    return ""


def _drive_rate(report: published.Report) -> float:
    """The most bytes a second that a report states for its drive; infinite if it states none."""
    stated = [
        units.to_base(fact.value, fact.unit)
        for fact in report.fact
        if (fact.of, fact.component, fact.attribute) == ("machine", "disk", "read bandwidth")
        and not isinstance(fact.value, str)
        and "least" not in fact.brief
    ]
    return max(stated, default=np.inf)


def _read_rate(figure: published.Figure) -> float:
    """The bytes a second at which a report read a file; 0 if they are not known."""
    method = methods.of(figure.quantity)
    if method is None or method.reads_bytes is None or not figure.measured > 0:
        return 0
    at = method.reads_bytes == "at"
    size_bytes = units.to_base(figure.at, figure.at_unit) if at else method.reads_bytes
    return size_bytes / figure.base(figure.measured, "s")


def _there(report: published.Report, quantity: str) -> str:
    """What of a report's figures of a quantity is impossible."""
    every = [f for f in published.of(quantity) if f.report == report.name]
    time_dimensions = (units.dimension("s"), units.dimension("cycle"))
    times = [f for f in every if units.dimension(f.unit) in time_dimensions]
    whose = f"`{quantity}` of {report.machine}"

    def places(figures: list[published.Figure]) -> str:
        return _at([f"{f.at:g}" for f in figures if f.at is not None], len(every))

    below = [f for f in times if f.core_cycles(f.measured) < _CYCLE]
    if below:
        return f"{whose}{places(below)}, {_least([f.core_cycles(f.measured) for f in below])}"
    limit = _drive_rate(report)
    beyond = [f for f in times if _read_rate(f) > _RATE_SLACK * limit]
    if not beyond:
        return ""
    most = units.amount(max(map(_read_rate, beyond)), "GB/s")
    return f"{whose}{places(beyond)}, {most} from a drive of {units.amount(limit, 'GB/s')}"


def of_methods(groups: dict[str, GroupResult]) -> Block:
    """Impossible figures among every method's figures on this machine, with what each does."""
    link = described(session().run.machine, "peer", "link_rate")
    methods = {
        method.listed.quantity: method
        for group in groups.values()
        for method in (group.baseline, *group.methods)
        if method.has_value
    }
    claims = {"cycle": "is less than a cycle", "link": "is more than the link carries"}
    odd = []
    for name, method in methods.items():
        unit = method.page.unit
        over_the_link = _is_rate(unit) and "peer" in method.point.params
        broken = _impossible(_cycles(method), method.median if over_the_link else math.nan, link)
        if broken:
            value = units.amount(method.median, unit)
            odd.append(f"- `{name}`: {value} {claims[broken]}. {_what_it_does(method)}")
    rule = "**Can it be?** No operation takes less than a cycle"
    if link:
        rate = units.amount(link, "Gbit/s")
        rule += (
            f", and nothing crosses the link to the peer faster than the {rate} that it is set to"
        )
    does = verb(len(odd) or 1, "does", "do")
    count = f"{rule}. Of {len(methods)} figures {len(odd) or 'none'} {does}"
    return say(f"{count}:\n\n" + "\n".join(odd) if odd else f"{count}.")


def _cycles(method: MethodResult) -> float:
    """A time in core cycles, by the clock of its own processes; nan for what is no time."""
    if units.dimension(method.page.unit) != units.dimension("s"):
        return math.nan
    result = method.repeated or method.page
    point = method.repeated.points[0] if method.repeated else method.point
    return method.median * float(np.median(result.core_clocks_hz(point)))


def _what_it_does(method: MethodResult) -> str:
    is_own = not method.reports and method.listed.differs == "ours"
    text = "the book's own" if is_own else method.listed.differs
    return f"{text[0].upper()}{text[1:]}."
