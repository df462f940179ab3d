"""The page `summary`: every quantity of the run, the score, what may mislead."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from reckon import config, units
from reckon.presentation.block import Block, grid, label, say, table
from reckon.presentation.scores import shares_within, typical_factor
from reckon.presentation.tables import (
    hardware,
    mean_sd,
    measured,
    predicted,
    ratio,
    software,
    with_note,
)
from reckon.presentation.text import literal
from reckon.presentation.verdicts import not_measured, warnings
from reckon.records.result import Result

_EXTREMES = 3  # the best and worst predictions that are named


_SUMMARY_COLUMNS = {
    "Operation": 25,
    "Base hardware": 11,
    "Software overhead": 11,
    "Predicted": 14,
    "Measured, median (interval)": 18,
    "Mean ± sd": 13,
    "Measured / predicted": 8,
}


def summary_table(results: list[Result], caption: str, name: str) -> Block:
    """A line for each quantity that the run holds."""
    cells = (hardware, software, predicted, measured, mean_sd, ratio)
    rows = [[f"`{result.quantity}`", *(cell(result) for cell in cells)] for result in results]
    with_interval = [result for result in results if not result.is_curve]
    return with_note(table(_SUMMARY_COLUMNS, rows, caption, name), with_interval)


def _factors_off(results: list[Result]) -> list[tuple[float, Result]]:
    """By how much each sealed prediction was off, up or down, from the best to the worst."""
    judged = [result for result in results if 0 < result.ratio < math.inf]
    pairs = [(max(result.ratio, 1 / result.ratio), result) for result in judged]
    return sorted(pairs, key=lambda pair: pair[0])


def score(results: list[Result]) -> Block:
    """How good the sealed predictions were, and how many intervals held."""
    off = np.array([factor for factor, _ in _factors_off(results)])
    if not len(off):
        return say("Nothing has been measured yet.")
    within = shares_within(off).items()
    shares = [f"{share} within {limit:g} times" for limit, share in within]
    inside = [result.inside_interval for _, result in _factors_off(results)]
    held = [is_inside for is_inside in inside if is_inside is not None]
    share = f"{100 * np.mean(held):.0f} %" if held else ""
    return say(
        f"Of {len(off)} sealed predictions, {', '.join(shares)}.",
        f"Typically a prediction was off by a factor of {typical_factor(off)}.",
        f"Of {len(held)} with an interval, {share} held the measured value." if held else "",
    )


def best_and_worst(results: list[Result]) -> Block:
    """The predictions that came nearest and those that were farthest off; empty without any."""
    names = [
        f"`{result.quantity}` ({units.number(result.ratio)} times the prediction)"
        for _, result in _factors_off(results)
    ]
    if not names:
        return say("")
    best, worst = names[:_EXTREMES], names[::-1][:_EXTREMES]
    return say(f"Best: {', '.join(best)}. Worst: {', '.join(worst)}.")


def suspicions(results: list[Result], fitness: list[dict]) -> Block:
    """What may mislead: fitness warnings, the samples' warnings, impossible figures, measurements
    that stopped when their time was up."""
    lines = [
        f"- **{check['name']}**: {check['found']}. {check['advice']}"
        for check in fitness
        if check["state"] == "warn"
    ]
    stopped: dict[str, list[str]] = {}
    for result in results:
        lines += [f"- `{result.quantity}`: {text}" for text in _suspicions(result)]
        if any(point.stopped == "time" for point in result.points):
            stopped.setdefault(_experiment(result), []).append(label(result.quantity))
    lines += [
        f"- `{experiment}`: time was up before these intervals were narrow enough: "
        f"{', '.join(names)}."
        for experiment, names in stopped.items()
    ]
    return say("\n".join(lines) or "Nothing suspicious was found.")


def _suspicions(result: Result) -> list[str]:
    """What may mislead in one quantity."""
    texts = [f"{text}." for text in [*warnings(result), *not_measured(result)]]
    # A value of 0 is right only where 0 was predicted, as for no round of a loop.
    pairs = zip(result.medians, result.sealed("predicted"), strict=True)
    impossible = [value for value, predicted in pairs if value <= 0 and not predicted <= 0]
    if impossible:
        value = units.amount(min(impossible), result.unit)
        if result.is_curve:
            value += f" at {len(impossible)} of its {len(result.points)} points"
        texts.append(f"**{value} is not possible**: as much was subtracted as there was, or more.")
    if result.attempt_note:
        texts.append(f"{literal(result.attempt_note)}.")
    elif result.state in ("unsupported", "failed"):
        texts.append(f"{result.state}: {literal(result.reason)}")
    return texts


def revised(results: list[Result]) -> Block:
    """The predictions that were revised after measuring."""
    lines = [f"- `{r.quantity}`: {'; '.join(r.revisions)}." for r in results if r.revisions]
    return say("\n".join(lines) or "No prediction was revised after measuring.")


def _experiment(result: Result) -> str:
    return result.quantity.rsplit("/", 1)[0]


def source_map(results: list[Result], caption: str, name: str) -> Block:
    """The C files of each experiment, with its number of quantities."""
    quantities = Counter(_experiment(result) for result in results)
    csrc, rows = config.ROOT / "csrc", []
    for experiment, count in sorted(quantities.items()):
        paths = sorted(csrc.glob(f"{experiment}.*c"))  # call.c, call.o0.c
        links = [f"{{download}}`{p.name} </{p.relative_to(config.ROOT)}>`" for p in paths]
        rows.append([f"`{experiment}`", ", ".join(links), str(count)])
    return grid(["Experiment", "C files", "Quantities"], rows, caption, name)
