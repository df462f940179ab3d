"""How far predictions were off, in the same measures on every page."""

from __future__ import annotations

import math

import numpy as np

from reckon import records, units
from reckon.comparison.reports import published
from reckon.comparison.reports.method_groups import same_quantities
from reckon.comparison.reports.report import Report
from reckon.prediction.ratios import MISS, NEAR, factor_off, is_comparable
from reckon.records import InputRecord
from reckon.records.quantities.result import Result
from reckon.show.block import Block, say
from reckon.show.tables.headlines import with_chapters_values
from reckon.show.text import join_words, plural

WITHIN = (NEAR, MISS, 10)  # factors off; the share of predictions within each is printed

# What a prediction is made from: the score keeps these apart.
FIRST_PRINCIPLES = "from data sheets, the clock and guesses"
DERIVED = "from earlier measurements of this run"
SETTING = "from settings that Reckon made itself"
REPEATED = "an earlier measurement of this run as it stands"
KNOWN = (SETTING, REPEATED)  # the value was known beforehand: that it came out shows little
BASES = (FIRST_PRINCIPLES, DERIVED, *KNOWN)
_SETTINGS = ("peer.", "nfs.")  # sections of the machine's description: the built-in host's link

NARROW_TIMES = 4  # as an interval from half to twice the value
NARROW_DECADES = math.log10(NARROW_TIMES)
NARROW = f"with an interval up to {NARROW_TIMES} times wide"
WIDE = "with a wider interval"
INTERVALS = (NARROW, WIDE)
INTENDED = 0.95  # the share of the intervals that should hold
_MISS_WEIGHT = 2 / (1 - INTENDED)  # of Winkler's score


def basis(result: Result) -> str:
    inputs = result.seal.inputs
    if any((input_.reference or "").startswith(_SETTINGS) for input_ in inputs):
        return SETTING
    if [(each.origin, each.value) for each in inputs] == [("measured", result.seal.predicted)]:
        return REPEATED if _is_of_the_same(result, inputs[0].reference or "") else DERIVED
    is_derived = any(input_.origin == "measured" and not _is_clock(input_) for input_ in inputs)
    return DERIVED if is_derived else FIRST_PRINCIPLES


def _is_of_the_same(result: Result, quantity: str) -> bool:
    """Whether that quantity is the result's by another method: of its chapter, or shown twice.

    Else one time was the guess of another, as the null call's of a seek, and may be far off."""
    pairs = [{place.quantity for place in same.values} for same in same_quantities()]
    is_shown_twice = {result.quantity, quantity} in pairs
    return records.experiment_of(quantity) == result.experiment or is_shown_twice


def _is_clock(input_: InputRecord) -> bool:
    """A measured clock only turns guessed cycles into time."""
    return units.dimension(input_.unit) == units.dimension("cycle/s")


def interval_decades(result: Result) -> float | None:
    """The width of the sealed interval in decades; None without one, or for a curve."""
    if result.inside_interval is None or not result.sealed_interval:
        return None
    low, high = result.sealed_interval
    return math.log10(high / low) if low > 0 else math.inf


def interval_score(result: Result) -> float | None:
    """Winkler's interval score for 95 % on the decimal logarithm (JASA 67, 1972); None where the
    interval has no finite width."""
    width = interval_decades(result)
    if width is None or math.isinf(width) or not result.median > 0 or not result.sealed_interval:
        return None
    if result.inside_interval:
        return width
    measured = math.log10(result.median)
    low, high = map(math.log10, result.sealed_interval)
    return width + _MISS_WEIGHT * max(0.0, low - measured, measured - high)


def typical_factor(factors_off: np.ndarray) -> str:
    return units.number(float(np.exp(np.mean(np.log(factors_off)))))


def shares_within(factors_off: np.ndarray) -> dict[float, str]:
    """The share of factors within each limit, in whole per cent: 100 % only if it is all."""

    def percent(share: float) -> int:
        return 100 if share == 1 else min(99, round(100 * share))

    return {limit: f"{percent(float(np.mean(factors_off <= limit)))} %" for limit in WITHIN}


def report_ratios() -> list[tuple[Report, np.ndarray]]:
    """Measured over predicted by report, for every value that has both and is not an aside."""
    by_report = []
    for report in published.all_reports():
        pairs = [(v.measured, v.predicted) for v in report.values if not v.aside]
        ratios = [measured / predicted for measured, predicted in pairs if measured and predicted]
        if ratios:
            by_report.append((report, np.array(ratios)))
    return by_report


def by_own_methods(results: list[Result]) -> list[Result]:
    """The results that no report's method gave."""
    return [each for each in results if not (each.measurement and each.measurement.reports)]


def judged_results(results: list[Result]) -> list[Result]:
    """The results that show how far off their predictions were, from the best to the worst."""
    judged = [r for r in with_chapters_values(results) if is_comparable(r.ratio)]
    return sorted(judged, key=lambda result: factor_off(result.ratio))


def open_results(results: list[Result]) -> list[Result]:
    """Those of the judged results that could miss: their value was not known beforehand."""
    return [result for result in judged_results(results) if basis(result) not in KNOWN]


NOTHING_JUDGED = "No estimate has been measured yet."


def score(results: list[Result]) -> Block:
    """How good the sealed predictions were, which way they err, and how many intervals held.

    Without those whose value was known beforehand."""
    judged = open_results(results)
    if not judged:
        return say(NOTHING_JUDGED)
    known = len(judged_results(results)) - len(judged)
    left_out = (
        f"{known} more {plural(known, 'prediction', 'predictions')} only "
        f"{plural(known, 'repeats', 'repeat')} a setting or an earlier result; "
        f"{plural(known, 'it is', 'they are')} not counted in the {len(judged)}."
        if known
        else ""
    )
    derived = sum(basis(result) == DERIVED for result in judged)
    made_from = (
        f"{derived} of the {len(judged)} {plural(derived, 'uses', 'use')} what was measured "
        "earlier in this run."
        if derived
        else ""
    )
    return say(shares_sentence(judged), _bias(judged), _calibration(judged), made_from, left_out)


def _calibration(judged: list[Result]) -> str:
    """How many intervals held, the narrow ones first: a wide one can hardly miss."""
    inside = inside_intervals(judged)
    if not inside:
        return ""
    held = (
        f"{sum(inside)} of {len(inside)} {plural(len(inside), 'interval', 'intervals')} contain "
        f"the measured value or overlap its interval: {100 * np.mean(inside):.0f} %; "
        f"the goal is {100 * INTENDED:.0f} %"
    )
    return f"{_narrow(judged)}{held}."


def _narrow(judged: list[Result]) -> str:
    """How many of the narrow intervals held, as the beginning of a sentence on all; or ""."""
    widths = [(result, interval_decades(result)) for result in judged]
    narrow = [result for result, width in widths if width is not None and width <= NARROW_DECADES]
    inside = inside_intervals(narrow)
    if not inside:
        return ""
    count = f"{len(inside)} {plural(len(inside), 'interval', 'intervals')}"
    held = f"{sum(inside)} held, {100 * np.mean(inside):.0f} %"
    return (
        f"Of the {count} up to {NARROW_TIMES} times wide, {held}. Counting the wider ones as well, "
        "which seldom miss, "
    )


def shares_sentence(judged: list[Result]) -> str:
    """The sentence on how many predictions came near."""
    shares = shares_within(factor_off(np.array([result.ratio for result in judged]))).items()
    (limit, share), *others = shares
    texts = [
        f"{share} are within {limit:g} times",
        *(f"{share} within {limit:g} times" for limit, share in others),
    ]
    curves = " (a curve counts by its median)" if any(result.is_curve for result in judged) else ""
    count = f"{len(judged)} sealed {plural(len(judged), 'prediction', 'predictions')}{curves}"
    return f"**Of {count}, {join_words(texts)} of the measured value.**"


def _bias(judged: list[Result]) -> str:
    """The sentence on which way the predictions err."""
    high = sum(result.ratio > NEAR for result in judged)
    low = sum(result.ratio < 1 / NEAR for result in judged)
    typical = typical_factor(factor_off(np.array([result.ratio for result in judged])))
    return (
        f"By the geometric mean they were off by a factor of {typical}. Of the measured "
        f"values, {high} lie more than a factor of {NEAR:g} above the prediction and {low} more "
        "than that factor below it."
    )


def inside_intervals(results: list[Result]) -> list[bool]:
    """Whether each measured value lies in its sealed interval, of those that have one."""
    return [result.inside_interval for result in results if result.inside_interval is not None]
