"""A comparison of two runs in words, for a page and for a terminal."""

from __future__ import annotations

from collections import Counter

from reckon import records, units
from reckon.comparison.quantities import PointComparison, QuantityComparison
from reckon.comparison.two_runs import Comparison
from reckon.computer.fields import FIELDS, SECTIONS
from reckon.show.text import machine_value

_RATIOS = (1.1, 1.3, 2.0, 3.0)  # for which it is printed in how many quantities they are visible
_CLOCK_MOVED = 0.01  # a smaller change of the core clock is within its calibration's spread
# Checks of fitness that depend on the minute, not on the machine.
_MOMENTARY = ("load", "steal time", "throttling", "free memory", "free disk")


def machine_differences(a: records.Run, b: records.Run) -> list[tuple[str, str, str]]:
    """The differences between the descriptions of two machines: (field, in A, in B)."""
    triples = []
    for field in dict.fromkeys([*a.machine.fields(), *b.machine.fields()]):
        section, key = field.split(".")
        title, unit = FIELDS.get(field, (key, ""))
        in_a, in_b = (machine_value(run.machine.value(field), unit) for run in (a, b))
        triples.append((f"{SECTIONS.get(section, section)}: {title}", in_a, in_b))
    checks_a, checks_b = ({c["name"]: c["found"] for c in run.fitness} for run in (a, b))
    for name in dict.fromkeys([*checks_a, *checks_b]):
        if name not in _MOMENTARY:
            in_a, in_b = (checks.get(name, "not reported") for checks in (checks_a, checks_b))
            triples.append((f"Fitness: {name}", in_a, in_b))
    return [triple for triple in triples if triple[1] != triple[2]]


def where(quantity: QuantityComparison, point: PointComparison) -> str:
    """The position on a curve's axis, to follow the quantity's name."""
    if point.x is None or quantity.axis_unit is None:
        return ""
    return f" at {units.position(point.x, quantity.axis_unit)}"


def ratio_with_interval(point: PointComparison) -> str:
    """The ratio of B to A with its interval; without one, the ratio alone."""
    ratio, interval = units.number_and_interval(point.ratio, *point.interval)
    return f"{ratio}×" + (f" ({interval})" if interval else "")


def curve_summary(quantity: QuantityComparison) -> str:
    """How much of a curve changed; "" for a single quantity."""
    if len(quantity.points) == 1 and quantity.points[0].x is None:
        return ""
    apart = sum(point.is_apart for point in quantity.points)
    middle = f"{units.number(quantity.ratio)}× by the median of all"
    return f"{apart} of {len(quantity.points)} points apart, {middle}"


def has_clock_moved(comparison: Comparison) -> bool:
    a_hz, b_hz = comparison.clock_hz
    return abs(b_hz / a_hz - 1) >= _CLOCK_MOVED


def clock_sentence(comparison: Comparison) -> str:
    """The sentence on the core clocks, and what they mean for times."""
    a_hz, b_hz = comparison.clock_hz
    if not (a_hz > 0 and b_hz > 0):
        return "The core clock is not known."
    clocks = (
        f"The core clock was {units.amount(a_hz, 'Gcycle/s')} in {comparison.a} and "
        f"{units.amount(b_hz, 'Gcycle/s')} in {comparison.b}"
    )
    if not has_clock_moved(comparison):
        return f"{clocks}: the same within {100 * _CLOCK_MOVED:.0f} %."
    return (
        f"{clocks}: a time that depends on it alone changes to {units.number(a_hz / b_hz)}×; "
        "the ratio in core cycles does not."
    )


def resolution_sentence(comparison: Comparison) -> str:
    """The share of the quantities in which a change by each of these ratios would be visible."""
    judged = len(comparison.judged)
    if not judged:
        return ""
    shares = [
        f"{units.number(ratio)}× in {100 * comparison.resolving(ratio) / judged:.0f} %"
        for ratio in _RATIOS
    ]
    return f"By their spread, a change of {', of '.join(shares)} of them would be visible."


def count_sentence(comparison: Comparison) -> str:
    """How many quantities were judged, why the others were not, and what would be visible."""
    reasons = Counter(quantity.why for quantity in comparison.unjudged).most_common()
    not_judged = ", ".join(f"{n} ({reason})" for reason, n in reasons)
    judged, changed = len(comparison.judged), len(comparison.changed)
    text = f"{judged} quantities were judged, {changed} changed"
    text += f"; not judged: {not_judged}." if not_judged else "."
    return f"{text} {resolution_sentence(comparison)}".strip()


def control_sentence(comparison: Comparison) -> str:
    """How many changes the rule names between two runs of one machine."""
    a, control, names = comparison.a, comparison.control, comparison.control_changed
    if control is None:
        return (
            f"There was no control: a second run of {a}'s machine would show how much "
            "each quantity varies between runs, and how often the rule errs."
        )
    uncontrolled = sum(not quantity.is_controlled for quantity in comparison.changed)
    name_list = f" ({', '.join(names)})" if names else ""
    exception = ""
    if uncontrolled:
        exception = f", but for {uncontrolled} that could not be compared with {control}"
    return (
        f"Control: between {a} and {control}, one machine twice, the same rule names {len(names)} "
        f"of {comparison.control_judged}{name_list}; what is named here differs from "
        f"both{exception}."
    )


def no_change_sentence(comparison: Comparison) -> str:
    if not comparison.judged:
        return "Nothing could be judged."
    return (
        f"Nothing changed between {comparison.a} and {comparison.b} beyond the spread by "
        f"{100 * comparison.minimum_change:g} % or more."
    )


def only_in_one_run(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """(run, quantities that it alone has) for each run that has any."""
    pairs = zip((comparison.a, comparison.b), comparison.only, strict=True)
    return [(run, names) for run, names in pairs if names]
