"""The page `summary`: every quantity of the run, the score, what may mislead."""

from __future__ import annotations

from collections import Counter

import numpy as np

from reckon import config, units
from reckon.prediction.ratios import MISS, NEAR, is_comparable
from reckon.presentation.block import (
    COMPACT,
    RESULTS,
    SORTABLE,
    Block,
    grid,
    say,
    sorted_by,
    table,
)
from reckon.presentation.caveats import caveats as caveats
from reckon.presentation.scores import (
    BASES,
    INTERVALS,
    NARROW,
    NARROW_DECADES,
    SETTING,
    WIDE,
    basis,
    interval_decades,
    interval_score,
    shares_within,
    typical_factor,
)
from reckon.presentation.tables import (
    hardware_cell,
    mean_sd_cell,
    measured_cell,
    predicted_cell,
    ratio_cell,
    software_cell,
    with_interval_note,
)
from reckon.presentation.text import NONE, amount_or_dash, ratio_text
from reckon.presentation.titles import link, page_link
from reckon.records.result import Result

_EXTREMES = 3  # the best and worst predictions that are named


_SUMMARY_COLUMNS = {
    "Operation": 20,
    "Predicted": 14,
    "Measured, median (interval)": 20,
    "Measured / predicted": 9,
    "Base hardware (predicted)": 11,
    "Software overhead (predicted)": 11,
    "Mean ± sd": 13,
}


def by_own_methods(results: list[Result]) -> list[Result]:
    """The results that no report's method gave."""
    return [each for each in results if not (each.measurement and each.measurement.reports)]


def summary_table(results: list[Result], caption: str, name: str) -> Block:
    """A line for each quantity, the chapters in the run's order."""
    rows = [[link(r.quantity), *_cells(r)] for r in results]
    with_interval = [result for result in results if not result.is_curve]
    block = table(_SUMMARY_COLUMNS, rows, caption, name, f"{RESULTS} {SORTABLE}")
    return with_interval_note(block, with_interval)


def _cells(result: Result) -> list[str]:
    """The cells of a quantity. Only the ratio sorts: times, rates and sizes have no order."""
    return [
        predicted_cell(result),
        measured_cell(result),
        sorted_by(result.ratio, ratio_cell(result)),
        hardware_cell(result),
        software_cell(result),
        mean_sd_cell(result),
    ]


def _factor_off(result: Result) -> float:
    """By what factor the sealed prediction was off, up or down; at least 1."""
    return max(result.ratio, 1 / result.ratio)


def _judged(results: list[Result]) -> list[Result]:
    """The results that show how far off their predictions were, from the best to the worst."""
    return sorted((r for r in results if is_comparable(r.ratio)), key=_factor_off)


def score(results: list[Result]) -> Block:
    """How good the sealed predictions were, which way they err, and how many intervals held."""
    judged = _judged(results)
    if not judged:
        return say("Nothing has been measured yet.")
    factors = np.array([*map(_factor_off, judged)])
    shares = [f"{share} within {limit:g} times" for limit, share in shares_within(factors).items()]
    high = sum(result.ratio > NEAR for result in judged)
    low = sum(result.ratio < 1 / NEAR for result in judged)
    inside = _inside_intervals(judged)
    share = f"{100 * np.mean(inside):.0f} %" if inside else ""
    return say(
        f"**Of {len(judged)} sealed predictions, {', '.join(shares)}.**",
        f"Typically a prediction was off by a factor of {typical_factor(factors)};",
        f"{high} values came out more than {NEAR:g} times higher than predicted, {low} lower.",
        f"{len(inside)} of the predictions have an interval; {share} of these hold the measured "
        "value."
        if inside
        else "",
    )


def _inside_intervals(results: list[Result]) -> list[bool]:
    """Whether each measured value lies in its sealed interval, of those that have one."""
    return [result.inside_interval for result in results if result.inside_interval is not None]


_SCORE_COLUMNS = {
    "Predicted from (how many)": 38,
    f"Within {NEAR:g}×": 11,
    f"Within {MISS:g}×": 11,
    "Typical factor": 13,
    "Held": 14,
    "Score": 13,
}


def scores(results: list[Result], caption: str, name: str) -> Block:
    """The score apart for each kind of prediction and for narrow and wide intervals.

    The interval score is Winkler's (JASA 67, 1972) for 95 % on the decimal logarithm: the width in
    decades, and 40 times the distance by which the interval missed; smaller is better.
    """
    groups: dict[str, list[Result]] = {basis: [] for basis in BASES}
    groups |= {title: [] for title in INTERVALS}
    for result in _judged(results):
        groups[basis(result)].append(result)
        width = interval_decades(result)
        if width is not None:
            groups[NARROW if width <= NARROW_DECADES else WIDE].append(result)
    rows = [
        [f"{title} ({len(members)})", *_score_cells(members)]
        for title, members in groups.items()
        if members
    ]
    return table(_SCORE_COLUMNS, rows, caption, name, COMPACT)


def _score_cells(results: list[Result]) -> list[str]:
    factors = np.array([*map(_factor_off, results)])
    shares = shares_within(factors)
    inside = _inside_intervals(results)
    interval_scores = [score for score in map(interval_score, results) if score is not None]
    return [
        shares[NEAR],
        shares[MISS],
        typical_factor(factors),
        f"{sum(inside)} of {len(inside)}" if inside else NONE,
        units.number(float(np.mean(interval_scores)), 2) if interval_scores else NONE,
    ]


def best_and_worst(results: list[Result]) -> Block:
    """The predictions that came nearest, without those of settings that Reckon made itself, and
    those that were farthest off; empty without any."""
    judged = [result for result in _judged(results) if basis(result) != SETTING]
    texts = [f"{link(r.quantity)}, {units.number(r.ratio)} times" for r in judged]
    if not texts:
        return say("")
    best, worst = texts[:_EXTREMES], texts[::-1][:_EXTREMES]
    return say(f"Nearest: {'; '.join(best)}. Farthest off: {'; '.join(worst)}.")


def revisions(results: list[Result]) -> Block:
    """The predictions that were revised after measuring, and how each revision changed the ratio
    of measured to predicted."""
    revised = [result for result in results if result.revisions]
    lines = [
        f"- {link(r.quantity)}: {'; '.join(r.revisions).replace('_', ' ')}: {_history(r)}."
        for r in revised
    ]
    if not lines:
        return say("No prediction was revised after measuring.")
    nearer = sum(map(_came_nearer, revised))
    return say("\n".join([*lines, "", f"Nearer to the measurement: {nearer} of {len(revised)}."]))


def _history(result: Result) -> str:
    """ "66.0 ns (2.97×), then 176 ns (1.11×)": each prediction with its ratio."""
    steps = [
        f"{amount_or_dash(each.predicted, result.unit)} ({ratio_text(result.ratio_to(each))})"
        for each in result.entry.predictions
    ]
    return ", then ".join(steps)


def _came_nearer(result: Result) -> bool:
    """Whether the current prediction is off by a smaller factor than the sealed one."""
    sealed, current = result.ratio, result.current_ratio
    if not (is_comparable(sealed) and is_comparable(current)):
        return False
    return max(current, 1 / current) < max(sealed, 1 / sealed)


def source_map(results: list[Result], caption: str, name: str) -> Block:
    """The C files of each experiment, with its number of quantities."""
    quantities = Counter(result.experiment for result in results)
    csrc, rows = config.ROOT / "csrc", []
    for experiment, count in sorted(quantities.items()):
        paths = sorted(csrc.glob(f"{experiment}.*c"))  # call.c, call.o0.c
        links = [f"{{download}}`{p.name} </{p.relative_to(config.ROOT)}>`" for p in paths]
        rows.append([page_link(experiment), ", ".join(links), str(count)])
    return grid(["Experiment", "C files", "Quantities"], rows, caption, name)
