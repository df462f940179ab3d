"""The reports beside this machine: their methods run here, and their machines' figures."""

from __future__ import annotations

import math

from reckon import units
from reckon.presentation.block import Block, grid, label
from reckon.presentation.tables import measured, predicted
from reckon.records.result import Result, result
from reckon.records.session import session
from reckon.reports import published
from reckon.reports.matching import value_here


def _told_by_reports(quantity: str, unit: str, names: list[str]) -> str:
    found = [
        f
        for f in published.of(quantity)
        if f.measured is not None and (not names or f.report in names)
    ]
    if len(found) > 1 and found[0].at is not None:  # a curve: its ends
        found = sorted(found, key=lambda f: f.at)
        found = [found[0], found[-1]]
    return (
        "; ".join(
            f"{f.report}: {units.amount(f.base(f.measured, unit), unit)}"
            + (f" at {f.at:g}" if f.at is not None else "")
            for f in found
        )
        or "–"
    )


def methods(
    found: list[Result],
    ours: Result | dict[str, Result] | None,
    caption: str,
    name: str,
    titles: dict | None = None,
    rows_of: dict | None = None,
    against: str = "ours",
) -> Block:
    """Each report's method on this machine beside ours; predicted by the report's own reasoning. ours: None
    for no ratio, where the places differ that they were measured at; by quantity, where they time different
    things. titles: what to call our own rows, where there are several; rows_of: the same for a report's.
    against: what `ours` is, where it is a report's row too."""
    told = lambda one: ", ".join(["ours", *([titles[one.quantity]] if titles else [])])  # noqa: E731
    theirs = lambda one: ", ".join(  # noqa: E731
        [
            *one.measurement.reports,
            *([rows_of[one.quantity]] if one.quantity in (rows_of or {}) else []),
        ]
    )
    rows = []
    middle = lambda r: r.medians.mean() if r.has_samples else math.nan  # noqa: E731
    for one in sorted(found, key=lambda r: middle(r) if r.has_samples else math.inf):
        m = one.measurement
        # A whole loop against a round, say, or a file against a block would be no comparison.
        own = ours.get(one.quantity) if isinstance(ours, dict) else ours
        alike = (
            own is not None
            and own.measurement
            and one.is_curve == own.is_curve
            and (m.op == "file") == (own.measurement.op == "file")
        )
        times = middle(one) / middle(own) if alike else math.nan
        rows.append(
            [
                theirs(one) if m.reports else told(one),
                m.timed,
                predicted(one),
                measured(one),
                "–" if math.isnan(times) else f"{units.number(times)}×",
                _told_by_reports(one.quantity, one.unit, m.reports),
            ]
        )
    return grid(
        [
            "Method of",
            "What is timed",
            "Predicted by its reasoning",
            "Measured here",
            f"Against {against}",
            "In the report",
        ],
        rows,
        caption,
        name,
        [13, 30, 14, 16, 10, 17],
    )


def _in_cycles(quantity: str) -> bool:
    """Whether it is a matter of the core, and so told in cycles of each machine's clock too."""
    return quantity.startswith(("cpu/", "memory/latency/")) and not quantity.startswith(
        "cpu/clock/"
    )


def here_by(f: published.Figure) -> float:
    """What this machine takes by the method that a report's figure was found with, in base units: the same
    quantity of this run, at the same place if it is a curve; nan where it has none, or only by ours."""
    here = result(session().run.name, f.quantity)
    return value_here(here, f) if here and not f.method_differs else math.nan


def among(one: Result, quantities: list[str], caption: str, name: str, ratio: bool = True) -> Block:
    """This machine among the reports' machines, each figure beside what this machine takes by the same method;
    what the core does also in cycles of each machine's clock. ratio: whether what was measured is the same
    here and there."""
    cycles = _in_cycles(one.quantity)
    told = lambda value: [units.number(value)] if cycles else []  # noqa: E731
    amount = lambda value: (
        "–" if value is None or math.isnan(value) else units.amount(value, one.unit)
    )  # noqa: E731
    clock = one.core_cycles.median if cycles and one.core_cycles else math.nan
    whose = " and ".join(one.measurement.reports if one.measurement else []) or "this book"
    rows = [
        [
            "**this machine**",
            amount(one.seal.predicted),
            f"{one:±}",
            *told(clock),
            "–",
            "–",
            f"by {whose}'s method",
        ]
    ]
    for f in (f for quantity in quantities for f in published.of(quantity)):
        value, here = f.base(f.measured, one.unit), here_by(f) if ratio else math.nan
        rows.append(
            [
                f"{f.machine} {{cite}}`{f.cite}`",
                amount(f.base(f.predicted, one.unit)),
                amount(value),
                *told(f.core_cycles(f.measured) if cycles else math.nan),
                amount(here),
                f"{units.number(value / here)}×" if here > 0 else "–",
                f"{f.what or label(f.quantity)}; {f.place}{'; ' + f.note if f.note else ''}",
            ]
        )
    return grid(
        [
            "Machine",
            "Predicted",
            "Measured",
            *(["In cycles"] if cycles else []),
            "This machine, by that method",
            "There over here",
            "What was measured",
        ],
        rows,
        caption,
        name,
        [20, 11, 15, 8, 12, 9, 25] if cycles else [22, 12, 16, 13, 10, 27],
    )


# From this ratio of a curve's ends on, its values are told each in a unit of its own.
_WIDE = 1000


def among_curve(
    one: Result, quantities: list[str], caption: str, name: str, every: int = 1
) -> Block:
    """The same for a curve: one column for each place on the axis (or for every so many of them, the last
    one included), one row for each machine."""
    axis = next(i for i in one.seal.inputs if i.origin == "axis")
    places = [float(units.from_base(x, axis.unit)) for x in axis.value][::-every][::-1]
    ends = [float(v) for v in one.seal.predicted]
    wide = max(ends) > _WIDE * min(ends)
    unit = units.readable(ends[-1], one.unit)
    told = lambda v: (
        "–"
        if v is None
        else units.amount(v, one.unit)
        if wide  # noqa: E731
        else units.number(units.from_base(v, unit), 3)
    )
    here = dict(zip(map(float, one.axis_told), map(float, one.medians), strict=True))
    rows = [
        ["**this machine**, predicted", *map(told, ends[::-every][::-1])],
        ["**this machine**, measured", *(told(here.get(x)) for x in places)],
    ]
    count = lambda v: "–" if v is None else units.number(v)  # noqa: E731
    if _in_cycles(one.quantity):
        cycles = dict(zip(map(float, one.axis_told), (s.median for s in one.cycles), strict=True))
        rows.append(
            ["**this machine**, measured, in cycles", *(count(cycles.get(x)) for x in places)]
        )
    for quantity in quantities:
        found = {f.at: f for f in published.of(quantity) if f.at is not None}
        for what in ("predicted", "measured"):
            values = [
                found[x].base(getattr(found[x], what), one.unit) if x in found else None
                for x in places
            ]
            if any(v is not None for v in values):
                first = next(iter(found.values()))
                machine = f"{first.machine} {{cite}}`{first.cite}`, {what}"
                rows.append([machine, *map(told, values)])
                if what == "measured" and _in_cycles(one.quantity):
                    rows.append(
                        [
                            f"{machine}, in cycles",
                            *(
                                count(
                                    found[x].core_cycles(found[x].measured) if x in found else None
                                )
                                for x in places
                            ),
                        ]
                    )
    return grid(
        ["Machine" if wide else f"[{units.spoken(unit)}]", *(f"{x:g}" for x in places)],
        rows,
        caption,
        name,
    )
