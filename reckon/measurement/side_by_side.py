"""Measuring the ways of ways.py side by side.

How a row is run comes from this run's own record of its page. It is run again here in rounds with the
others of its group, because two figures taken minutes apart differ by more than their methods do.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reckon import config, records, statistics, units
from reckon.config import PROFILES, ByProfile, Profile
from reckon.measurement.plan import measure_in_rounds
from reckon.prediction.formula import Formula, Prediction, predict
from reckon.prediction.inputs import Input
from reckon.records.result import AGAIN, Result, result
from reckon.records.session import session
from reckon.reports.methods import Compared, Group, Row, Way, groups

# What a row may take in its rounds, and how many rounds there are at most. There are more than a hundred
# rows: more time would make this page the longest of the book.
_BUDGET_S = ByProfile(0.14, 0.5, 6.0)
_ROUNDS = ByProfile(statistics.PROCESSES_FOR_AN_INTERVAL, 10, 20)


def _place(one: Result, at: float | str | None) -> records.Point | None:
    """The point of a quantity that a group means."""
    if not one.is_curve or at == "last":
        return one.points[-1] if one.points else None
    place = one.place(at)
    return None if place is None else one.points[place]


def _found(group: Group, row: Row) -> Way:
    """A way as its page's record has it; `reason` is empty where it can be measured again."""
    if not row.of:
        return Way(row, (row.report,), None, None, None, row.why_not)
    one = result(session().run.name, row.of)
    if one is None or one.measurement is None:
        return Way(
            row, (), one, None, None, f"`{row.of}` has not been measured yet; its page does that"
        )
    reports = tuple(one.measurement.reports)
    at = group.at if row.at is None else row.at
    point = _place(one, at)
    if point is None:
        why = (
            f"{one.state}: {one.reason}"
            if not one.has_samples
            else f"its page did not measure it at {at:g}"
            if isinstance(at, float)
            else "it is a curve"
        )
        return Way(row, reports, one, None, None, why)
    inside = result(session().run.name, row.costs) if row.costs else None
    return Way(
        row,
        reports,
        one,
        point,
        None,
        group.from_page or _too_dear(row.of, point),
        row.divisor(point),
        inside,
    )


def _too_dear(quantity: str, point: records.Point) -> str:
    """Why it is not run again: its first process would be its last, and A B B A needs two."""
    took_s = float(np.mean([p.wall_ns for p in point.processes])) / 1e9
    if took_s <= _budget().budget_s:
        return ""
    return f"one process of `{quantity}` takes {units.amount(took_s, 's')}"


def _budget() -> Profile:
    """The profile of this page: so many rounds of each group, one after the other."""
    now = config.profile()
    rounds = round(_ROUNDS.at(now.name))
    return replace(
        now,
        processes_least=rounds,
        processes_most=rounds,
        budget_s=_BUDGET_S.at(now.name),
        patience=1,
        span_s=0,
    )


def _plan(way: Way) -> dict:
    """The row as its page ran it, at the place that is meant."""
    m = way.page.measurement
    # The record has the trials as its profile made them of those that were asked for.
    asked = m.samples / PROFILES[m.profile].trials if m.samples > 1 else 1
    return dict(
        probe=m.probe, samples=asked, warmup=m.warmup, priority=m.priority, **way.point.params
    )


def _foresee(way: Way) -> Prediction:
    """The prediction that the page's figure comes out again, in its own unit and by its own operation."""
    whole = replace(way, per=1.0)
    low, high = statistics.median_interval(whole.processes)
    bounds = (None, None) if math.isnan(low) else (low, high)
    return _repeated(way.page.unit).of(
        AGAIN + way.row.of,
        page=Input(
            "measured",
            whole.median,
            way.page.unit,
            "measured by its page",
            *bounds,
            reference=way.row.of,
        ),
    )


def _repeated(unit: str) -> Formula:
    @predict(unit=unit, kind="plain")
    def repeated(page):
        return page

    return repeated


def _again(way: Way) -> bool:
    """Whether it can be measured again: of a run that is read, whether it was."""
    if not way.has_figure or way.reason or way.page.seal.kind == "mean":
        return False
    if not session().replay:
        return True
    kept = records.read_measured(session().run.name, AGAIN + way.row.of)
    return kept is not None and kept.measurement is not None


def compare(group: Group) -> Compared:
    """Measure a group's ways in rounds, the order by chance and then backwards (A B B A), or take the
    samples that the run holds of them. What cannot be measured again keeps its page's figure and says why.
    Raises ReckonError, as measure()."""
    ways = [_found(group, row) for row in (Row(of=group.ours, differs="ours"), *group.way)]
    chosen = [way for way in ways if _again(way)]
    if ways[0] not in chosen or len(chosen) < 2:
        chosen = []  # nothing to hold it against
    done = measure_in_rounds({_foresee(way): _plan(way) for way in chosen}, _budget())
    ways = [_with(way, done.get(AGAIN + way.row.of)) for way in ways]
    # When time was up a round had begun: figure and ratio are of the whole ones alike.
    whole = min((len(way.again.points[0].processes) for way in ways if way.again), default=0)
    ours, *others = (replace(way, rounds=whole) for way in ways)
    return Compared(group, ours, tuple(others))


def _with(way: Way, again: Result | None) -> Way:
    # Where it failed this time, the record keeps what an earlier hour measured: of other rounds.
    if again is not None and again.has_samples and again.state in ("measured", "reused"):
        return replace(way, again=again)
    if again is not None:
        return replace(
            way, reason=f"{again.state} when it was to be measured again: {again.reason}"
        )
    none = (
        "the run holds no figures of it beside others"
        if session().replay
        else ("no two ways of this group can be run again here")
    )
    return replace(way, reason=way.reason or none)


def measure_methods() -> dict[str, Compared]:
    """Every group of book/methods.toml by name, measured group after group. Raises ReckonError."""
    return {group.name: compare(group) for group in groups()}
