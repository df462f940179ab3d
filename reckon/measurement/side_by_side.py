"""Methods of measuring one quantity, measured side by side.

The settings of a probe come from this run's own record of its page. It runs again in rounds with
the others of its group, because two values taken minutes apart differ by more than their methods
do.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reckon import config, records, statistics, units
from reckon.comparison.reports.method_groups import (
    Group,
    GroupResult,
    Method,
    MethodResult,
    groups,
)
from reckon.measurement.plan import options_of
from reckon.measurement.visit import measure_in_rounds
from reckon.prediction.formula import Formula, Prediction, predict
from reckon.prediction.inputs import Input
from reckon.profiles import ByProfile, Profile
from reckon.records import METHODS_PREFIX
from reckon.records.quantities.lookup import read_result
from reckon.records.quantities.result import Result
from reckon.records.session import Session, current_session

# The time of a probe in all of its rounds, and the most rounds. With more than a hundred probes,
# more time would make this page the longest of the book.
_BUDGET_S = ByProfile(quick=0.14, standard=0.5, full=6.0)
_ROUNDS = ByProfile(quick=statistics.PROCESSES_FOR_AN_INTERVAL, standard=10, full=20)


def _point(result: Result, at: float | str | None) -> records.Point | None:
    if not result.is_curve or at == "last":
        return result.points[-1] if result.points else None
    assert not isinstance(at, str)  # "last" is the only word
    index = result.point_index(at)
    return None if index is None else result.points[index]


def _why_no_point(result: Result, at: float | str | None) -> str:
    if not result.has_samples:
        return (result.reason or result.state).rstrip(".")
    return f"its page did not measure it at {at:g}" if isinstance(at, float) else "it is a curve"


def _from_page(run: str, group: Group, method: Method) -> MethodResult:
    """A method as its page's record has it; `reason` is empty where it can be measured again."""
    if not method.quantity:
        return MethodResult(method, (method.report,), reason=method.why_not)
    page = read_result(run, method.quantity)
    if page is None or page.measurement is None:
        why = f"“`{method.quantity}`” has not been measured yet; its page does that"
        return MethodResult(method, (), page=page, reason=why)
    at = group.at if method.at is None else method.at
    point = _point(page, at)
    reports = tuple(page.measurement.reports)
    if point is None:
        return MethodResult(method, reports, page=page, reason=_why_no_point(page, at))
    return MethodResult(
        method,
        reports,
        page=page,
        point=point,
        reason=group.from_page or _negative(page, point) or _too_expensive(method.quantity, point),
        divisor=method.divisor(point),
        included=read_result(run, method.includes) if method.includes else None,
    )


def _negative(page: Result, point: records.Point) -> str:
    """Why it is not run again where its page's value, from which it is predicted, is below 0.

    A subtraction may have taken away more than there was.
    """
    is_amount = units.dimension(page.unit) != units.dimension("1")
    if is_amount and _summary(page, point).median < 0:
        return "its page's value is negative, which no prediction may be"
    return ""


def _summary(page: Result, point: records.Point) -> statistics.Summary:
    return page.summaries[page.points.index(point)]


def _too_expensive(quantity: str, point: records.Point) -> str:
    """Why it is not run again: its first process would be its last, and A B B A needs two."""
    took_s = float(np.mean([p.wall_ns for p in point.processes])) / 1e9
    if took_s <= _budget().budget_s:
        return ""
    return f"one process of “`{quantity}`” takes {units.amount(took_s, 's')}"


def _budget() -> Profile:
    """The profile of this page: a number of rounds of each group, one after the other."""
    profile = config.settings().profile
    rounds = round(_ROUNDS.at(profile.name))
    return replace(
        profile,
        min_processes=rounds,
        max_processes=rounds,
        budget_s=_BUDGET_S.at(profile.name),
        max_budgets=1,
        span_s=0,
    )


def _options(method: MethodResult) -> dict:
    """The options by which its page measured it, at the point that is compared."""
    page, point = method.page, method.point
    assert page and page.measurement and point  # it has a value
    return options_of(page.measurement, point)


def _repeated_quantity(method: MethodResult) -> str:
    """The name under which its measurement in rounds is recorded."""
    return METHODS_PREFIX + method.entry.quantity


def _prediction(method: MethodResult) -> Prediction:
    """The prediction that the page's value comes out again, in its own unit and operation."""
    page, point = method.page, method.point
    assert page and point  # it has a value
    value, low, high = _summary(page, point).input
    has_interval = not math.isnan(low)
    position = "" if point.x is None else f" at {point.x:g}"
    return _repeated(page.unit).of(
        _repeated_quantity(method),
        page=Input(
            "measured",
            value,
            page.unit,
            f"measured by its page{position}",
            low=low if has_interval else None,
            high=high if has_interval else None,
            reference=method.entry.quantity,
        ),
    )


def _repeated(unit: str) -> Formula:
    @predict(unit=unit, kind="plain")
    def repeated(page):
        return page

    return repeated


def _can_be_repeated(session: Session, method: MethodResult) -> bool:
    """Whether it can be measured again: of a run that is read, whether it was."""
    if not method.page or not method.point or method.reason or method.page.seal.kind == "mean":
        return False
    if not session.is_replay:
        return True
    recorded = records.read_measured(session.run.name, _repeated_quantity(method), samples=False)
    return recorded is not None and recorded.measurement is not None


def compare(session: Session, group: Group) -> GroupResult:
    """Measure a group's methods in rounds, in random order and then backwards (A B B A), or take
    the samples that the run holds of them. A method that cannot be measured again keeps its page's
    value and says why. Raises ReckonError, as measure()."""
    baseline = Method(quantity=group.baseline, differs="Reckon's method")
    methods = [_from_page(session.run.name, group, method) for method in (baseline, *group.method)]
    chosen = [method for method in methods if _can_be_repeated(session, method)]
    if methods[0] not in chosen or len(chosen) < 2:
        chosen = []  # nothing to compare with
    options = {_prediction(method): _options(method) for method in chosen}
    done = measure_in_rounds(options, session, _budget())
    first, *others = (
        _with(method, done.get(_repeated_quantity(method)), is_replay=session.is_replay)
        for method in methods
    )
    return GroupResult(group, first, tuple(others)).whole_rounds()


def _with(method: MethodResult, repeated: Result | None, *, is_replay: bool) -> MethodResult:
    # Where it failed this time, the record keeps an earlier measurement, of other rounds.
    if repeated is not None and repeated.has_samples and repeated.state in ("measured", "reused"):
        return replace(method, repeated=repeated)
    if repeated is not None:
        why = f"{repeated.state} when it was to be measured again: {repeated.reason}"
        return replace(method, reason=why)
    if is_replay:
        why = "the run did not measure it side by side with others"
    else:
        why = "no two methods of this group can be measured again here"
    return replace(method, reason=method.reason or why)


def measure_methods() -> dict[str, GroupResult]:
    """Every group of book/methods.toml by name, measured group after group. Raises ReckonError."""
    session = current_session()
    return {group.name: compare(session, group) for group in groups()}
