"""Two groups of fresh processes, such as those that had the core alone and those that shared it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

GAP = 1.2  # of two neighbours: processes scatter by a few per cent
_LEAST_SHARE = 0.1  # of the processes, and two of them: fewer are outliers
# Where no group is the value: with a smaller share the median lies within the other group. Of 12
# processes that scatter by 10 to 40 % without groups, 1 % and less pass (normal, t and exponential
# logarithms, simulated); of fewer a part that a reader would notice.
_LEAST_SHARE_OF_TWO = 0.3
_LEAST_OF_TWO = 4  # processes
_GAP_OF_TWO = 3  # times the distance of the quartiles within either group, by the logarithm


@dataclass(frozen=True)
class Group:
    """One of two groups that the processes fall into, in the samples' unit."""

    median: float
    share: float  # of the processes


def two_groups(medians: Sequence[float] | np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The lower and the upper of the processes' medians, if a gap divides them; else None.

    The gap is its upper end over its lower end, at least 1.2.
    """
    ordered = np.sort(medians)
    least = max(2, int(np.ceil(_LEAST_SHARE * len(ordered))))
    if len(ordered) < 2 * least or ordered[0] <= 0:
        return None
    gaps = ordered[least : len(ordered) - least + 1] / ordered[least - 1 : len(ordered) - least]
    if gaps.max() < GAP:
        return None
    return ordered[: least + gaps.argmax()], ordered[least + gaps.argmax() :]


def two_values(medians: Sequence[float] | np.ndarray) -> tuple[Group, Group] | None:
    """The two groups, the lower first, where each is so large and so far from the other that no
    number between them describes the processes; else None."""
    groups = two_groups(medians)
    if groups is None:
        return None
    low, high = groups
    if min(len(low), len(high)) < max(_LEAST_OF_TWO, _LEAST_SHARE_OF_TWO * len(medians)):
        return None
    spread = max(np.subtract(*np.percentile(np.log(group), [75, 25])) for group in groups)
    if np.log(high[0] / low[-1]) <= _GAP_OF_TWO * spread:
        return None
    of_low, of_high = (Group(float(np.median(g)), len(g) / len(medians)) for g in groups)
    return of_low, of_high
