"""The page `summary`: every quantity of the run, the score, what may mislead."""

from __future__ import annotations

from collections import Counter

import numpy as np

from reckon import config, units
from reckon.prediction.ratios import MISS, NEAR, is_comparable
from reckon.presentation.block import Block, grid, label, say, table
from reckon.presentation.caveats import caveats as caveats
from reckon.presentation.caveats import chapter
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
    hardware,
    mean_sd,
    measured,
    predicted,
    ratio,
    software,
    with_note,
)
from reckon.presentation.text import NONE
from reckon.records.result import Result

_EXTREMES = 3  # the best and worst predictions that are named


_SUMMARY_COLUMNS = {
    "Operation": 20,
    "Predicted": 14,
    "Measured, median (interval)": 20,
    "Measured / predicted": 9,
    "Base hardware": 11,
    "Software overhead": 11,
    "Mean ± sd": 13,
}


def summary_table(results: list[Result], caption: str, name: str) -> Block:
    """A line for each quantity, the chapters in the run's order."""
    cells = (predicted, measured, ratio, hardware, software, mean_sd)
    rows = [
        [f"{chapter(r.quantity)}: {label(r.quantity)}", *(cell(r) for cell in cells)]
        for r in results
    ]
    with_interval = [result for result in results if not result.is_curve]
    return with_note(table(_SUMMARY_COLUMNS, rows, caption, name), with_interval)


def _factors_off(results: list[Result]) -> list[tuple[float, Result]]:
    """By how much each sealed prediction was off, up or down, from the best to the worst."""
    judged = [result for result in results if is_comparable(result.ratio)]
    pairs = [(max(result.ratio, 1 / result.ratio), result) for result in judged]
    return sorted(pairs, key=lambda pair: pair[0])


def score(results: list[Result]) -> Block:
    """How good the sealed predictions were, which way they err, and how many intervals held."""
    judged = [result for _, result in _factors_off(results)]
    if not judged:
        return say("Nothing has been measured yet.")
    off = np.array([factor for factor, _ in _factors_off(results)])
    within = shares_within(off).items()
    shares = [f"{share} within {limit:g} times" for limit, share in within]
    high = sum(result.ratio > NEAR for result in judged)
    low = sum(result.ratio < 1 / NEAR for result in judged)
    held = [result.inside_interval for result in judged if result.inside_interval is not None]
    share = f"{100 * np.mean(held):.0f} %" if held else ""
    return say(
        f"**Of {len(off)} sealed predictions, {', '.join(shares)}.**",
        f"Typically a prediction was off by a factor of {typical_factor(off)};",
        f"{high} values came out more than {NEAR:g} times higher than predicted, {low} lower.",
        f"Of {len(held)} intervals, {share} held the measured value." if held else "",
    )


_SCORE_COLUMNS = {
    "Predicted from": 28,
    "Predictions": 11,
    "Within 1.25×": 11,
    "Within 2×": 11,
    "Typical factor": 12,
    "Intervals held": 14,
    "Interval score": 13,
}


def scores(results: list[Result], caption: str, name: str) -> Block:
    """The score apart for each kind of prediction and for narrow and wide intervals.

    The interval score is Winkler's (JASA 67, 1972) for 95 % on the decimal logarithm: the width in
    decades, and 40 times the distance by which the interval missed; smaller is better.
    """
    groups: dict[str, list[Result]] = {basis: [] for basis in BASES}
    groups |= {title: [] for title in INTERVALS}
    for _, result in _factors_off(results):
        groups[basis(result)].append(result)
        width = interval_decades(result)
        if width is not None:
            groups[NARROW if width <= NARROW_DECADES else WIDE].append(result)
    rows = [[title, *_score_cells(members)] for title, members in groups.items() if members]
    return table(_SCORE_COLUMNS, rows, caption, name)


def _score_cells(results: list[Result]) -> list[str]:
    off = np.array([factor for factor, _ in _factors_off(results)])
    within = shares_within(off)
    held = [result.inside_interval for result in results if result.inside_interval is not None]
    interval_scores = [score for score in map(interval_score, results) if score is not None]
    return [
        str(len(results)),
        within[NEAR],
        within[MISS],
        typical_factor(off),
        f"{sum(held)} of {len(held)}" if held else NONE,
        units.number(float(np.mean(interval_scores)), 2) if interval_scores else NONE,
    ]


def best_and_worst(results: list[Result]) -> Block:
    """The predictions that came nearest, without those of settings that Reckon made itself, and
    those that were farthest off; empty without any."""
    judged = [result for _, result in _factors_off(results) if basis(result) != SETTING]
    names = [
        f"{label(result.quantity)} ({chapter(result.quantity)}), {units.number(result.ratio)} times"
        for result in judged
    ]
    if not names:
        return say("")
    best, worst = names[:_EXTREMES], names[::-1][:_EXTREMES]
    return say(f"Nearest: {'; '.join(best)}. Farthest off: {'; '.join(worst)}.")


def revised(results: list[Result]) -> Block:
    """The predictions that were revised after measuring."""
    lines = [
        f"- {label(r.quantity)} ({chapter(r.quantity)}): {'; '.join(r.revisions)}."
        for r in results
        if r.revisions
    ]
    return say("\n".join(lines) or "No prediction was revised after measuring.")


def source_map(results: list[Result], caption: str, name: str) -> Block:
    """The C files of each experiment, with its number of quantities."""
    quantities = Counter(result.experiment for result in results)
    csrc, rows = config.ROOT / "csrc", []
    for experiment, count in sorted(quantities.items()):
        paths = sorted(csrc.glob(f"{experiment}.*c"))  # call.c, call.o0.c
        links = [f"{{download}}`{p.name} </{p.relative_to(config.ROOT)}>`" for p in paths]
        rows.append([chapter(f"{experiment}/"), ", ".join(links), str(count)])
    return grid(["Experiment", "C files", "Quantities"], rows, caption, name)
