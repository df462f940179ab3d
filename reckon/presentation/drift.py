"""Whether a quantity kept its level while it was measured: computed sentences."""

from __future__ import annotations

import numpy as np

from reckon import statistics, units
from reckon.presentation.block import Block, say
from reckon.records.result import Result, process_values, trial_times_s

_GROUPS_MOST = 24  # groups of trials, in time order, whose medians are compared
_SLOW = 3  # a trial is slow from this multiple of the median on


def steadiness(result: Result, what: str) -> Block:
    """Whether the trials of a single quantity changed their level over time, as a disk's do after
    its burst allowance is spent, and whether slow trials come in bursts."""
    if not result.has_samples:
        return say(f"How steady {what} is could not be seen: {result.reason}.")
    processes = sorted(result.points[0].processes, key=lambda p: p.started_s)
    values = np.concatenate([process_values(p, result.measurement, result.unit) for p in processes])
    times_s = np.concatenate([trial_times_s(p, result.measurement) for p in processes])
    groups = np.array_split(np.arange(len(values)), min(_GROUPS_MOST, len(values)))
    medians = np.array([np.median(values[group]) for group in groups])
    low, high = (units.amount(end, result.unit) for end in (medians.min(), medians.max()))
    opening = (
        f"In the order in which they ran, {len(values)} trials of {what} in {len(groups)} groups "
        f"have medians from {low} to {high}."
    )
    moved = statistics.shift(medians)
    change = "No change of level that lasts is among them."
    if moved:
        starts_s = float(times_s[groups[moved.first][0]])
        change = level_change(moved.before, moved.after, starts_s, result.unit)
    return say(opening, change, slow_trials(values, result.unit))


def level_change(before: float, after: float, from_s: float, unit: str) -> str:
    """The sentence on a change of level; before and after in base units."""
    slower = after > before
    return (
        f"**It changed its level**: from {units.amount(from_s, 's')} on, "
        f"{units.amount(after, unit)} in place of {units.amount(before, unit)}, as where a disk's "
        f"burst allowance {'is spent' if slower else 'is back'} or another user of it "
        f"{'comes' if slower else 'goes'}."
    )


def slow_trials(values: np.ndarray, unit: str) -> str:
    """The sentence on slow trials: how many, and whether they follow one another."""
    slow = values > _SLOW * np.median(values)
    if not slow.any():
        return f"No trial took more than {_SLOW} times the median."
    share, longest = units.number(100 * slow.mean(), 2), units.amount(values.max(), unit)
    often = statistics.clustered(slow)
    course = "they come one by one."
    if often:
        course = (
            f"**they come in bursts**: one follows another {units.number(often, 2)} times as "
            "often as chance would have it."
        )
    return (
        f"{share} % of the trials took more than {_SLOW} times the median, the longest {longest}; "
        f"{course}"
    )
